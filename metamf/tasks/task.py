"""One question to a method: the ratings it is given, and the hidden cells on which its answer is measured."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from metamf.episodes import divide_entries
from metamf.ratings.matrix import Ratings

Selection = Literal["at random", "popular columns"]
SELECTIONS: tuple[Selection, ...] = ("at random", "popular columns")


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix to look at. ``truth``, (N, M), where every cell's rating is known, as in a made-up matrix."""

    name: str
    description: str
    ratings: Ratings
    truth: np.ndarray | None = None

    @cached_property
    def digest(self) -> str:
        """Equal for equal contents: what caches are keyed on."""
        r = self.ratings
        digest = hashlib.sha256(repr((self.name, r.shape, r.row_labels, r.col_labels, r.scale)).encode())
        for array in (r.rows, r.cols, r.values.astype(np.float64), self.truth):
            digest.update(b"" if array is None else np.ascontiguousarray(array))
        return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class Task:
    """``given`` is what a method sees; ``hidden`` are the cells on which its estimates are measured, maybe none.

    Where the truth is known, hidden are all cells that are not given; otherwise the rated ones among them, since no
    error can be measured on a cell that nobody rated.
    """

    matrix: Matrix
    given: Ratings
    hidden: Ratings


def divide(matrix: Matrix, keep: float, selection: Selection, seed: int) -> Task:
    """Keeps the share ``keep`` of the rated cells (rounded up) and hides the others.

    'at random': every rated cell alike, as in Algorithm 2. 'popular columns': the k-th most rated column keeps its
    cells with weight 1 / k, so that the long tail of columns is hardly seen.
    """
    ratings, rng = matrix.ratings, np.random.default_rng(seed)
    if selection == "at random":
        episode = divide_entries(ratings, keep, rng)
        given, hidden = episode.support, episode.query
    else:
        place = np.empty(ratings.n_cols)
        order = np.lexsort((rng.permutation(ratings.n_cols), -ratings.col_counts))
        place[order] = np.arange(1, ratings.n_cols + 1)
        # The largest of log-weight + Gumbel noise are a weighted draw without replacement.
        keys = rng.gumbel(size=ratings.nnz) - np.log(place[ratings.cols])
        chosen = np.argsort(-keys)
        count = int(np.ceil(keep * ratings.nnz - 1e-9))
        given, hidden = (ratings.select(np.sort(part)) for part in (chosen[:count], chosen[count:]))
    if matrix.truth is not None:
        unseen = np.ones(ratings.shape, dtype=bool)
        unseen[given.rows, given.cols] = False
        rows, cols = np.nonzero(unseen)
        hidden = Ratings(rows, cols, matrix.truth[rows, cols], ratings.shape, scale=ratings.scale)
    return Task(matrix, given, hidden)

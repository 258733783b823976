"""One question to a method: the ratings it is given, and the hidden cells on which its answer is
measured."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from metamf.datasets.synthetic import LIKING, standardized
from metamf.ratings.matrix import Ratings

Selection = Literal["at random", "what people like"]
SELECTIONS: tuple[Selection, ...] = ("at random", "what people like")
SMALL = 2_500  # cells of a matrix of which all is computed in a moment, and kept whole


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix with a title."""

    name: str  # its title
    description: str  # the line below it
    ratings: Ratings  # N x M
    truth: np.ndarray | None = (
        None  # (N, M) the true rating of every cell; None unless the matrix is synthetic
    )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that the matrix holds but its description: a key for caches."""
        r = self.ratings
        digest = hashlib.sha256(
            repr((self.name, r.shape, r.row_labels, r.col_labels, r.scale)).encode()
        )
        for array in (
            r.rows,
            r.cols,
            r.values.astype(np.float64),
            self.truth,
            r.row_features,
            r.col_features,
        ):
            digest.update(b"" if array is None else array.tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class Task:
    """A matrix with the ratings that a method is given, and the hidden cells on which its estimates
    are measured.

    Where the truth is known, all cells that are not given are hidden; otherwise the rated ones
    among them, of which there may be none.
    """

    matrix: Matrix
    given: Ratings
    hidden: Ratings

    @cached_property
    def mean_rmse(self) -> float | None:
        """Root mean squared error on the hidden cells of guessing the mean of the given ratings
        everywhere, in rating units; None where no cell is hidden."""
        if not self.hidden.nnz:
            return None
        return float(np.sqrt(np.mean((self.hidden.values - self.given.values.mean()) ** 2)))


def divide(matrix: Matrix, keep: float, selection: Selection, seed: int) -> Task:
    """Gives a share ``keep`` of the rated cells, above 0 and at most 1, rounded up, and hides the
    others.

    ``selection``: 'at random' treats every rated cell alike, as in Algorithm 2; under 'what people
    like' a rating that is one standard deviation higher has e ** ``LIKING`` times the odds of being
    given.
    """
    ratings = matrix.ratings
    order = order_of_giving(ratings, selection, seed)
    count = int(np.ceil(keep * ratings.nnz - 1e-9))
    if selection == "at random" and keep < 1 and ratings.nnz > 1:
        count = min(count, ratings.nnz - 1)  # something is left to measure on
    given, hidden = (ratings.select(np.sort(part)) for part in (order[:count], order[count:]))
    if matrix.truth is not None:
        unseen = np.ones(ratings.shape, dtype=bool)
        unseen[given.rows, given.cols] = False
        rows, cols = np.nonzero(unseen)
        hidden = Ratings(rows, cols, matrix.truth[rows, cols], ratings.shape, scale=ratings.scale)
    return Task(matrix, given, hidden)


def order_of_giving(ratings: Ratings, selection: Selection, seed: int) -> np.ndarray:
    """(nnz,) positions of the rated cells in the order in which ``divide`` gives them: what is
    given at a share is given at every larger one."""
    rng = np.random.default_rng(seed)
    if selection == "at random":
        return rng.permutation(ratings.nnz)
    # The largest of log-weight + Gumbel noise are a weighted draw without replacement
    # (Gumbel-top-k).
    return np.argsort(-(LIKING * standardized(ratings.values) + rng.gumbel(size=ratings.nnz)))

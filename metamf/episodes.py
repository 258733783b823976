"""The paper's protocol: rows and columns split without overlap, blocks, support and query entries.

Section 4.1 and Algorithm 2, lines 3 to 5. Everything random comes from seeds: a held-out block is determined by
(data, split seed, block seed), and no other state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import ScaleUnits


@dataclass(frozen=True)
class Split:
    """Three matrices of one data set that share no row and no column."""

    train: Ratings
    validation: Ratings
    test: Ratings


@dataclass(frozen=True)
class Episode:
    """One matrix whose observed entries were divided: ``support`` is given, ``query`` is to be predicted."""

    support: Ratings
    query: Ratings

    def standardized(self, units: ScaleUnits) -> Episode:
        """The episode in the units that ``units`` finds for its support."""
        found = units.of(self.support)
        return Episode(*(part.with_values(found.apply(part.values)) for part in (self.support, self.query)))


@dataclass(frozen=True, eq=False)
class EpisodeBatch:
    """Many episodes laid end to end; query entries are positions in the support batch."""

    support: RatingsBatch
    query_row: Tensor  # (n_query,)
    query_col: Tensor  # (n_query,)
    query_x: Tensor  # (n_query,) standardised units

    @classmethod
    def of(cls, episodes: Sequence[Episode], dtype=torch.float32, device="cpu") -> EpisodeBatch:
        support = RatingsBatch.of([episode.support for episode in episodes], dtype, device)
        query = RatingsBatch.of([episode.query for episode in episodes], dtype, device)
        return cls(support, query.row, query.col, query.x)

    @property
    def query_matrix(self) -> Tensor:
        """(n_query,) the matrix that each query entry belongs to."""
        return self.support.row_matrix[self.query_row]

    @property
    def sizes(self) -> Tensor:
        """(D,) what each matrix costs: its entries, support and query, its rows and its columns."""
        batch, matrices = self.support, len(self.support)
        count = lambda matrix: torch.bincount(matrix, minlength=matrices)  # noqa: E731
        entries = count(batch.row_matrix[batch.row]) + count(self.query_matrix)
        return entries + batch.n_rows + batch.n_cols

    def part(self, first: int, last: int) -> EpisodeBatch:
        """The matrices ``first`` to ``last - 1`` as a batch of their own."""
        batch = self.support
        rows, cols = (int(sizes[:first].sum()) for sizes in (batch.n_rows, batch.n_cols))  # that come before
        inside = lambda matrix: (matrix >= first) & (matrix < last)  # noqa: E731
        matrix = batch.row_matrix[batch.row]
        entries, query = inside(matrix), inside(self.query_matrix)
        support = RatingsBatch(
            batch.x[entries],
            batch.row[entries] - rows,
            batch.col[entries] - cols,
            *(matrix[inside(matrix)] - first for matrix in (batch.row_matrix, batch.col_matrix)),
            *(sizes[first:last] for sizes in (batch.n_rows, batch.n_cols)),
        )
        return EpisodeBatch(support, self.query_row[query] - rows, self.query_col[query] - cols, self.query_x[query])


def split_rows_and_columns(ratings: Ratings, seed: int, shares: tuple[float, float] = (0.7, 0.1)) -> Split:
    """Rows and columns at random into meta-training (70 %), meta-validation (10 %) and meta-test (the rest).

    Each part keeps the cells where its rows and its columns meet; all others are dropped, so that no user and no item
    is shared. Section 4.1 of the paper.

    Raises
    ------
    ValueError
        if the matrix is too small for every part to have a row and a column.
    """
    parts = split_ids(ratings, seed, shares)
    return Split(*(ratings.submatrix(row_ids, col_ids) for row_ids, col_ids in zip(*parts)))


def split_ids(ratings: Ratings, seed: int, shares: tuple[float, float] = (0.7, 0.1)) -> list[list[np.ndarray]]:
    """The rows of the three parts of ``split_rows_and_columns``, and their columns."""
    rng = np.random.default_rng([seed, 0])
    parts = [_divide(rng.permutation(size), shares) for size in ratings.shape]
    if min(len(ids) for side in parts for ids in side) == 0:
        raise ValueError(f"{ratings!r} is too small to divide its rows and its columns into three parts by {shares}")
    return [[np.sort(ids) for ids in side] for side in parts]


def divide_entries(ratings: Ratings, support_share: float, rng: np.random.Generator) -> Episode:
    """A share of the observed entries, at random, becomes the support; the number is rounded up, so that one entry
    is support. With a share below one, two entries or more leave at least one to query."""
    order = rng.permutation(ratings.nnz)
    n_support = int(np.ceil(support_share * ratings.nnz - 1e-9))
    if support_share < 1 and ratings.nnz >= 2:
        n_support = min(n_support, ratings.nnz - 1)
    return Episode(*(ratings.select(np.sort(ids)) for ids in (order[:n_support], order[n_support:])))


def held_out_blocks(
    ratings: Ratings, count: int, seed: Sequence[int], size: tuple[int, int] = (30, 30), support_share: float = 0.5
) -> list[Episode]:
    """``count`` blocks of ``size`` rows and columns of ``ratings``, their entries divided into support and query.

    Block i depends on (``seed``, i) only. A matrix with fewer rows or columns gives all it has (Jester's 20 columns).
    A block with fewer than two observed entries cannot be scored; it is drawn again.

    Raises
    ------
    ValueError
        if 1,000 draws in a row hold fewer than two observed entries.
    """
    n, m = (min(want, have) for want, have in zip(size, ratings.shape))
    blocks = []
    for index in range(count):
        rng = np.random.default_rng([*seed, index])
        for _ in range(1000):
            block = ratings.submatrix(_choose(rng, ratings.n_rows, n), _choose(rng, ratings.n_cols, m))
            if block.nnz >= 2:
                break
        else:
            raise ValueError(f"no {n} x {m} block of {ratings!r} with two observed entries in 1,000 draws")
        blocks.append(divide_entries(block, support_share, rng))
    return blocks


class Sampler(Protocol):
    """Where meta-training's episodes come from."""

    def sample(self, rng: np.random.Generator, count: int, device="cpu") -> EpisodeBatch:
        """At most ``count`` random episodes."""


@dataclass(frozen=True)
class BlockSampler:
    """Random episodes for meta-training, Algorithm 2, lines 3 to 5: a matrix, rows and columns of it, and every
    observed entry support with probability ``support_share``."""

    matrices: Sequence[Ratings]  # in standardised units
    size: tuple[int, int] = (30, 30)
    support_share: float = 0.5

    def sample(self, rng: np.random.Generator, count: int, device="cpu") -> EpisodeBatch:
        """``count`` episodes, sorted by the matrix that they come from."""
        x, row, col, n_rows, n_cols = [], [], [], [], []
        for ratings, D in zip(
            self.matrices, rng.multinomial(count, np.full(len(self.matrices), 1 / len(self.matrices)))
        ):
            if D == 0:
                continue
            n, m = (min(want, have) for want, have in zip(self.size, ratings.shape))
            row_ids = np.stack([_choose(rng, ratings.n_rows, n) for _ in range(D)])
            col_ids = np.stack([_choose(rng, ratings.n_cols, m) for _ in range(D)])
            entries, rows, cols = ratings.locate(row_ids, col_ids)
            x.append(ratings.values[entries])
            row.append(rows + sum(n_rows))
            col.append(cols + sum(n_cols))
            n_rows += [n] * D
            n_cols += [m] * D
        x, row, col = np.concatenate(x), np.concatenate(row), np.concatenate(col)
        support = rng.random(len(x)) < self.support_share
        batch = RatingsBatch.from_arrays(x[support], row[support], col[support], n_rows, n_cols, device=device)
        query = ~support
        target = torch.as_tensor(x[query], dtype=batch.x.dtype, device=device)
        return EpisodeBatch(batch, *(torch.as_tensor(at[query], device=device) for at in (row, col)), target)


def _choose(rng: np.random.Generator, size: int, count: int) -> np.ndarray:
    return rng.choice(size, count, replace=False, shuffle=False)


def _divide(ids: np.ndarray, shares: Sequence[float]) -> list[np.ndarray]:
    return np.split(ids, np.rint(np.cumsum(shares) * len(ids)).astype(int))

"""What the columns of one matrix say of its cells: the table network on top of a normal
distribution, or that alone where a table is too large to be read.

Every column is read in its own unit. Features of rows are further columns of the normal
distribution, never filled in; the table network reads none. Their correlations are multiplied by
their usefulness, so words that mean nothing switch themselves off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from metamf.checkpoints.bundled import table_network
from metamf.network.tables.network import TableReader, can_fit, can_read, fit_reader
from metamf.ratings.matrix import Ratings
from metamf.ratings.threads import run_on_few_cores
from metamf.ratings.units import By, SidedStandardization, SidedUnits

FARTHEST_READ = 1e6  # standard deviations of a column, at which its entries are cut
LEAST_USEFUL = 0.5  # share of what a feature says that is more than chance; others are not read


@dataclass(frozen=True, eq=False)
class TableModel:
    """A normal distribution, and the table network, fitted to the columns of one matrix."""

    units: SidedStandardization  # of the columns
    features: tuple[np.ndarray, np.ndarray] | None  # mean and spread (P,); inf: a useless one
    reader: TableReader

    @property
    def reads(self) -> bool:
        """Whether the table network reads the matrix."""
        return self.reader.network is not None

    def completed(self, ratings: Ratings) -> tuple[np.ndarray, np.ndarray]:
        """Estimates of all cells of rows with the same columns, and their predictive standard
        deviations, (n, M) each, in rating units."""
        N, M = ratings.shape
        Z = _table(ratings, self.units, self.features)
        estimates, deviations = run_on_few_cores(lambda: self.reader.complete(Z), N * M)
        units = self.units
        return estimates[:, :M] * units.std + units.mean, deviations[:, :M] * units.std


def is_table(ratings: Ratings) -> bool:
    """Whether a matrix is small enough for a ``TableModel``, features of its rows included."""
    N, M = _size(ratings)
    return ratings.n_cols >= 2 and can_fit((N, M))


def fit_table(
    ratings: Ratings, like: TableModel | None = None, precision: torch.dtype | None = None
) -> TableModel:
    """Fits the model to the observed entries of a matrix that is a table.

    ``like`` is the model of nearly the same matrix, from which EM starts; ``precision`` that in
    which the network reads, by default double for a small table.
    """
    units = SidedUnits(By.COLUMN).of(ratings)
    F = ratings.row_features
    useful = None
    features = None
    if F is not None:
        useful = usefulness(ratings, F)
        features = F.mean(axis=0), np.where(useful < LEAST_USEFUL, np.inf, F.std(axis=0))
    network = table_network() if F is None and can_read(ratings.shape) else None
    Z = _table(ratings, units, features)
    start = None if like is None else like.reader
    reader = run_on_few_cores(
        lambda: fit_reader(network, Z, start, useful, precision), ratings.n_rows * ratings.n_cols
    )
    return TableModel(units, features, reader)


def usefulness(ratings: Ratings, F: np.ndarray) -> np.ndarray:
    """(P,) share of what the features F (N, P) of rows say that is more than chance: 1 - 1 / s
    (James and Stein 1961), with the mean s over the columns of n r^2, with the correlation r of n
    entries and a feature, by chance about 1."""
    total = np.zeros(F.shape[1])
    columns = 0
    for m in range(ratings.n_cols):
        at = ratings.cols == m
        if np.count_nonzero(at) <= 2:
            continue
        x = ratings.values[at] - ratings.values[at].mean()
        f = F[ratings.rows[at]] - F[ratings.rows[at]].mean(axis=0)
        total += len(x) * (x @ f) ** 2 / ((x @ x) * (f * f).sum(axis=0)).clip(min=1e-300)
        columns += 1
    return 1 - 1 / np.maximum(total / max(columns, 1), 1)


def _size(ratings: Ratings) -> tuple[int, int]:
    """Rows, and columns with the features of rows."""
    N, M = ratings.shape
    return N, M + (0 if ratings.row_features is None else ratings.row_features.shape[1])


def _table(
    ratings: Ratings,
    units: SidedStandardization,
    features: tuple[np.ndarray, np.ndarray] | None,
) -> np.ndarray:
    """Entries in standardised units as a matrix with NaN in its gaps, the features of the rows in
    its last columns."""
    Z = np.full(ratings.shape, np.nan)
    values = ratings.values.astype(np.float64)
    z = units.apply_at(values, ratings.rows, ratings.cols)
    Z[ratings.rows, ratings.cols] = z.clip(-FARTHEST_READ, FARTHEST_READ)
    F = ratings.row_features
    if F is None or features is None:
        return Z
    return np.hstack([Z, (F - features[0]) / features[1]])

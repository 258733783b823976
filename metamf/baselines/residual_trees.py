"""Extremely randomised trees on what the normal distribution over the columns leaves over (not in the paper).

The normal distribution knows straight lines only. With e_nm, the conditional mean of cell (n, m) given the *other*
entries of its row, known exactly for all cells at once, a forest for each column m learns

    x_nm - e_nm    from    row n, completed by the normal distribution, with e_nm in the place of column m,

over the rows n that have an entry in column m. The estimate of a cell, observed or not, is e_nm plus what the forest
says. Trees of Geurts, Ernst and Wehenkel (2006), "Extremely randomized trees".

scikit-learn is imported where it is used, because the import takes a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from metamf.baselines.normal import ColumnNormal

if TYPE_CHECKING:
    from sklearn.ensemble import ExtraTreesRegressor

# Chosen on the deciding half of benchmarks/tables; half and twice as many are tried by benchmarks.accuracy.sensitivity.
TREES, LEAF_ENTRIES, COLUMN_SHARE = 30, 5, 0.7
FEWEST_ENTRIES = 8  # of a column that gets a forest
MOST_TREE_WORK = 5_000_000  # rows x columns x columns; some ten seconds


@dataclass(frozen=True, eq=False)
class ResidualTrees:
    """The forests of the columns of a matrix, in the units of the entries.

    Parameters
    ----------
    normal : the normal distribution over the columns
    forests : one for each column; None for one with too few entries
    """

    normal: ColumnNormal
    forests: tuple[ExtraTreesRegressor | None, ...]

    def complete(self, x: Tensor, row: Tensor, col: Tensor, n_rows: int) -> Tensor:
        """(N, M) estimates of all cells of any rows, observed ones without their own entry in the row.

        Parameters
        ----------
        x : (nnz,) the observed entries of the rows
        row, col : (nnz,) positions of these; ``row`` ascending
        n_rows : N
        """
        rows = _CompletedRows.of(self.normal, x, row, col, n_rows)
        estimates = rows.left_out.copy()
        for m, forest in enumerate(self.forests):
            if forest is not None and n_rows:
                estimates[:, m] += forest.predict(rows.features(m))
        return torch.as_tensor(estimates)


def can_grow(shape: tuple[int, int]) -> bool:
    """Whether a matrix (N, M) is small enough for forests."""
    N, M = shape
    return N * M * M <= MOST_TREE_WORK


def fit_residual_trees(
    normal: ColumnNormal, x: Tensor, row: Tensor, col: Tensor, n_rows: int, only: int | None = None
) -> ResidualTrees:
    """Forests for what a normal distribution leaves over of a matrix.

    Parameters
    ----------
    normal : the normal distribution over its columns
    x : (nnz,) the observed entries
    row, col : (nnz,) positions of these; ``row`` ascending
    n_rows : N
    only : the one column that gets a forest; None: all columns do
    """
    from sklearn.ensemble import ExtraTreesRegressor

    rows, M = _CompletedRows.of(normal, x, row, col, n_rows), len(normal.mean)
    count = np.bincount(col.numpy(), minlength=M)
    order = np.argsort(col.numpy(), kind="stable")
    column_ends = np.cumsum(count)
    forests: list[ExtraTreesRegressor | None] = [None] * M
    for m in range(M) if only is None else [only]:
        if count[m] < FEWEST_ENTRIES:
            continue
        entries = order[column_ends[m] - count[m] : column_ends[m]]
        given = row.numpy()[entries]
        forest = ExtraTreesRegressor(TREES, min_samples_leaf=LEAF_ENTRIES, max_features=COLUMN_SHARE, random_state=m)
        forests[m] = forest.fit(rows.features(m)[given], x.numpy()[entries] - rows.left_out[given, m])
    return ResidualTrees(normal, tuple(forests))


@dataclass(frozen=True, eq=False)
class _CompletedRows:
    """Rows (N, M) as the normal distribution completes them, and means of cells given the others of their rows."""

    completed: np.ndarray
    left_out: np.ndarray

    @classmethod
    def of(cls, normal: ColumnNormal, x: Tensor, row: Tensor, col: Tensor, n_rows: int) -> _CompletedRows:
        left_out = normal.left_out(x, row, col, n_rows).numpy()
        completed = left_out.copy()
        completed[row.numpy(), col.numpy()] = x.numpy()
        return cls(completed, left_out)

    def features(self, m: int) -> np.ndarray:
        """(N, M) the rows as column m is predicted from them."""
        features = self.completed.copy()
        features[:, m] = self.left_out[:, m]
        return features

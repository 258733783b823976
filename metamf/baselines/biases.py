"""Mean, in the paper's Table 1, and damped biases, which are not in the paper.

Damped biases are the mean, plus a shrunken mean deviation of the column, plus one of the row,

    b_m = sum over observed n of (x_nm - mu) / (|m| + column damping)
    a_n = sum over observed m of (x_nm - mu - b_m) / (|n| + row damping)

and the estimate is mu + a_n + b_m, with mu the mean of the observed entries. This is LensKit's
``BiasScorer`` with rows as users.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from metamf.baselines.method import PerMatrix, check_settings
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class MeanConfig:
    """Mean has no settings."""


class Mean(PerMatrix):
    """The mean of a matrix without observed entries is defined as 0."""

    default = MeanConfig()

    def adapt(self, support: RatingsBatch) -> AdaptedBias:
        total = support.rows_by_matrix.sum(support.by_row.sum(support.x.unsqueeze(1)))  # (D, 1)
        mean = (total / support.matrix_count.clamp(min=1)).squeeze(1)  # (D,)
        return AdaptedBias(mean[support.row_matrix], mean.new_zeros(support.M))


@dataclass(frozen=True)
class DampedBiasConfig:
    """Numbers of pseudo-observations of zero deviation of each row and of each column, chosen on
    ML-100K meta-validation blocks (split 0)."""

    row_damping: float = 10.0
    column_damping: float = 5.0

    def __post_init__(self) -> None:
        check_settings(self, row_damping=0, column_damping=0)


class DampedBias(PerMatrix):
    """The mean, and a damped deviation for each row and column."""

    default = DampedBiasConfig()

    def adapt(self, support: RatingsBatch) -> AdaptedBias:
        x = support.x.unsqueeze(1)  # (nnz, 1)
        total = support.rows_by_matrix.sum(support.by_row.sum(x))  # (D, 1)
        mean = total / support.matrix_count.clamp(min=1)
        x = x - mean[support.row_matrix[support.row]]
        col = support.by_col.sum(x) / (support.col_count + self.config.column_damping).clamp(
            min=1
        )  # (M, 1)
        x = x - support.by_col.gather(col)
        row = support.by_row.sum(x) / (support.row_count + self.config.row_damping).clamp(
            min=1
        )  # (N, 1)
        return AdaptedBias(row.squeeze(1), (mean[support.col_matrix] + col).squeeze(1))


class AdaptedBias(NamedTuple):
    row: Tensor  # (N,) a
    col: Tensor  # (M,) mu + b

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) estimates at positions of the batch, in the units of the support."""
        return self.row[row] + self.col[col]

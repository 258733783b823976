"""Mean: every cell gets the mean of the matrix's observed entries (the paper's Table 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor, nn

from metamf.baselines.spec import FITTED_PER_MATRIX, MethodSpec
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class MeanConfig:
    """Mean has no settings."""


class Mean(nn.Module):
    """No parameters, no training. The mean of a matrix without observed entries is defined as 0."""

    def __init__(self, config: MeanConfig = MeanConfig()):
        super().__init__()
        self.config = config

    def adapt(self, support: RatingsBatch) -> AdaptedMean:
        total = support.rows_by_matrix.sum(support.by_row.sum(support.x.unsqueeze(1)))  # (D, 1)
        return AdaptedMean((total / support.matrix_count.clamp(min=1)).squeeze(1), support.row_matrix)


class AdaptedMean(NamedTuple):
    """The mean of each matrix."""

    mean: Tensor  # (D,)
    row_matrix: Tensor  # (N,)

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) estimates at positions of the batch, in the units of the support."""
        return self.mean[self.row_matrix[row]]


SPEC = MethodSpec(
    key="mean",
    label="Mean",
    kind=FITTED_PER_MATRIX,
    explanation="Every missing rating gets the mean of the observed ones.",
    method=Mean,
    default=MeanConfig(),
    entries=None,
)

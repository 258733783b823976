"""MF: matrix factorization of each matrix by itself (the paper's Section 4.3).

    minimise  mean over observed (n, m) of (x_nm - u_n . v_m)^2  +  weight decay,

by Adam, from small random factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from metamf.baselines.padding import position_in_group
from metamf.baselines.spec import FITTED_PER_MATRIX, MethodSpec
from metamf.baselines.stacked import FitConfig, entry_weights, minimise, normal_draws, paper_grid
from metamf.ratings.batch import RatingsBatch

START_DEVIATION = 0.1  # standard deviation of the initial factors; the paper gives none


@dataclass(frozen=True)
class MFConfig(FitConfig):
    """Settings of MF beyond those of every fit.

    Parameters
    ----------
    rank : K, the number of factors; 32 in the paper
    """

    rank: int = 32


class MF(nn.Module):
    """No parameters of its own: every matrix of the batch is factorized from scratch, all of them at once."""

    def __init__(self, config: MFConfig = MFConfig()):
        super().__init__()
        self.config = config

    def adapt(self, support: RatingsBatch) -> AdaptedFactors:
        U = initial_factors(
            support.row_matrix, support.n_rows, self.config.rank, support.x, [self.config.seed, 0]
        )  # (N, K)
        V = initial_factors(
            support.col_matrix, support.n_cols, self.config.rank, support.x, [self.config.seed, 1]
        )  # (M, K)
        weight = entry_weights(support, self.config)

        def loss() -> Tensor:
            estimate = (support.by_row.gather(U) * support.by_col.gather(V)).sum(1)  # (nnz,)
            return (weight * (estimate - support.x).square()).sum()

        minimise(loss, [U, V], self.config)
        return AdaptedFactors(U, V)


class AdaptedFactors(NamedTuple):
    """The fitted factors."""

    U: Tensor  # (N, K)
    V: Tensor  # (M, K)

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) estimates u_n . v_m at positions of the batch."""
        return torch.linalg.vecdot(self.U.index_select(0, row), self.V.index_select(0, col))


def initial_factors(matrix: Tensor, size: Tensor, rank: int, like: Tensor, seed: Sequence[int]) -> Tensor:
    """Small random factors of the rows or of the columns, the same for every matrix of the batch."""
    table = normal_draws((int(size.max()), rank), like, seed)
    return START_DEVIATION * table[position_in_group(matrix, size)]


SPEC = MethodSpec(
    key="mf",
    label="MF",
    kind=FITTED_PER_MATRIX,
    explanation="Factors of rows and columns, fitted to the observed ratings of this matrix alone by gradient descent.",
    method=MF,
    default=MFConfig(),
    grid=paper_grid(MFConfig()),
    cells=4_000_000,
)

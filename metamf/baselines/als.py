"""ALS: probabilistic matrix factorization by alternating ridge regression (not in the paper).

    minimise  sum over observed (n, m) of (x_nm - a_n - b_m - u_n . v_m)^2  +  precision * (sum |u_n|^2 + sum |v_m|^2)

where a_n + b_m are the damped biases, estimated first, or zero. With one side fixed, every factor
of the other is the exact solution of a ridge regression. Salakhutdinov and Mnih (2008); Zhou et al.
(2008); with biases, LensKit's ``BiasedMFScorer``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from metamf.baselines.biases import AdaptedBias, DampedBias
from metamf.baselines.method import PerMatrix, check_settings
from metamf.baselines.mf import AdaptedFactors, initial_factors
from metamf.baselines.stacked import similar_sizes
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.segments import Segments


@dataclass(frozen=True)
class ALSConfig:
    """Settings of ALS. Precisions of 4 to 16 are equally good on ML-100K meta-validation blocks
    (split 0), and 8 is the best of these on the whole of ML-100K."""

    precision: float = 8.0  # noise variance over prior variance of the factors
    biases: bool = True  # whether damped biases are subtracted first
    rank: int = 32  # K, as in the paper's MF
    sweeps: int = 20  # updates of both sides
    seed: int = 0  # of the initial factors of the columns

    def __post_init__(self) -> None:
        check_settings(self, "precision", rank=1, sweeps=0)


class ALS(PerMatrix):
    """Alternating least squares."""

    default = ALSConfig()

    @torch.no_grad()
    def adapt(self, support: RatingsBatch) -> AdaptedALS:
        config = self.config
        bias = None
        x = support.x
        if config.biases:
            bias = DampedBias().adapt(support)
            x = x - bias.predict(support.row, support.col)
        U = x.new_zeros(support.N, config.rank)
        V = initial_factors(
            support.col_matrix, support.n_cols, config.rank, x, [config.seed, 1]
        )  # (M, K)
        for _ in range(config.sweeps):
            U = ridge(x, V, support.col, support.by_row, config.precision)
            V = ridge(x, U, support.row, support.by_col, config.precision)
        return AdaptedALS(AdaptedFactors(U, V), bias)


class AdaptedALS(NamedTuple):
    factors: AdaptedFactors
    bias: AdaptedBias | None  # what was subtracted first

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) estimates at positions of the batch."""
        estimate = self.factors.predict(row, col)
        return estimate if self.bias is None else estimate + self.bias.predict(row, col)


def ridge(x: Tensor, table: Tensor, at: Tensor, segments: Segments, precision: float) -> Tensor:
    """The ridge regression of every group: the w that minimises, over the group's entries e,

        sum of (x_e - w . table[at_e])^2  +  precision * |w|^2.

    Groups of similar size are solved together, padded to the next power of two. With A the rows of
    ``table`` at a group's entries, w = A' (A A' + precision I)^-1 x where the group has fewer
    entries than factors (the dual), and w = (A' A + precision I)^-1 A' x elsewhere (the primal).

    x (nnz,) targets, in the groups of ``segments``; table (n, K) the factors of the other side; at
    (nnz,) the row of ``table`` of each entry. Returns (n_groups, K), zero for an empty group.
    """
    K = table.shape[1]
    w = table.new_zeros(segments.n_groups, K)
    count = torch.bincount(segments.index, minlength=segments.n_groups)
    for groups, width in similar_sizes(count):  # (G,)
        slot = torch.arange(width, device=x.device)
        inside = slot < count[groups].unsqueeze(1)  # (G, width)
        place = (segments.starts[groups].unsqueeze(1) + slot).clamp(max=len(x) - 1)
        entry = segments.order[place]
        A = table[at[entry]] * inside.unsqueeze(2)  # (G, width, K)
        y = (x[entry] * inside).unsqueeze(2)  # (G, width, 1)
        if width <= K:
            w[groups] = (A.mT @ _solve(A @ A.mT, y, precision)).squeeze(2)
        else:
            w[groups] = _solve(A.mT @ A, A.mT @ y, precision).squeeze(2)
    return w


def _solve(gram: Tensor, right: Tensor, precision: float) -> Tensor:
    gram.diagonal(dim1=1, dim2=2).add_(precision)
    return torch.cholesky_solve(right, torch.linalg.cholesky(gram))

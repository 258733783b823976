"""Variational Bayes for matrix factorization with row and column effects: exact updates of one side at a time.

The model, in standardised units, with the noise precision as the unit of all precisions:

    x_nm ~ N( u_n . v_m + a_n + b_m,  1 / (s_n t_m) ),    (u_n, a_n) ~ N(mean0_n, diag(alpha_n)^-1),    columns alike.

The posterior is approximated by a product over rows and columns (Lim and Teh, 2007). Given the columns, the row factor
that maximises the evidence bound is Gaussian in closed form. With the design d_m = (v_m, 1) of column m,

    S_n^-1 = diag(alpha_n) + s_n sum_m b_nm t_m E[d_m d_m^T],
    mean_n = S_n ( alpha_n mean0_n + s_n sum_m b_nm t_m ( x_nm E[d_m] - E[d_m b_m] ) ),

in which the expectations hold the columns' own uncertainty: that is what a MAP step leaves out, and why it overfits.
No step size, no divergence; cost O(nnz K^2 + (N + M) K^3) a sweep.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from metamf.ratings.segments import Segments
from metamf.ratings.threads import helper_threads, map_blocks

CHUNK = {"cpu": 2**9}  # pairs whose variance is computed at a time: what is gathered for them stays in the cache
LARGEST_CHUNK = 2**18  # elsewhere: what is gathered for them fits the memory
ROWS = 2**10  # rows or columns that a thread solves at a time


class Posterior(NamedTuple):
    """The approximate posterior of one side: rows, or columns. The last coordinate is the effect."""

    mean: Tensor  # (n, K + 1)
    cov: Tensor  # (n, K + 1, K + 1) in units of the noise variance


class Prior(NamedTuple):
    """The prior of one side and the precision of its observations."""

    mean: Tensor  # (n, K + 1)
    precision: Tensor  # (n, K + 1) alpha
    reliability: Tensor  # (n, 1) s, or t

    def as_posterior(self) -> Posterior:
        """What is believed before anything is observed."""
        return Posterior(self.mean, torch.diag_embed(1 / self.precision))

    def double(self) -> Prior:
        """The same in double precision."""
        return Prior(*(part.double() for part in self))


def update(prior: Prior, other: Posterior, other_prior: Prior, x: Tensor, near: Segments, far: Segments) -> Posterior:
    """The best factor of one side given the other one.

    Parameters
    ----------
    prior : of the side to update, whose entries ``near`` groups
    other, other_prior : posterior and prior of the other side, whose entries ``far`` groups
    x : (nnz, 1) values in standardised units
    """
    K = other.mean.shape[1] - 1
    design, effect = _design(other), other.mean[:, K:]  # (m, K + 1) E[d], (m, 1) E[b]
    second = _outer(design) + F.pad(other.cov[:, :K, :K], (0, 1, 0, 1))  # E[d d^T]
    cross = design * effect + F.pad(other.cov[:, :K, K], (0, 1))  # (m, K + 1) E[d b]
    table = torch.cat([pack(second), cross], 1) * other_prior.reliability  # (m, K (K + 1) / 2 + K + 1)
    sums = near.sum_across(table, far) * prior.reliability
    pull = near.sum_across(design * other_prior.reliability, far, x.squeeze(1)) * prior.reliability  # (n, K + 1)
    evidence, cross = sums.split([sums.shape[1] - K - 1, K + 1], 1)
    precision = evidence + pack(torch.diag_embed(prior.precision))
    right = prior.precision * prior.mean + pull - cross
    return Posterior(*_solve(precision, right))


def pack(matrices: Tensor) -> Tensor:
    """(n, k, k) -> (n, k (k + 1) / 2) the lower triangle, row by row."""
    n, k, _ = matrices.shape
    i, j = torch.tril_indices(k, k, device=matrices.device)
    return matrices.reshape(n, k * k).gather(1, (i * k + j).expand(n, -1))


def unpack(triangles: Tensor) -> Tensor:
    """The inverse of ``pack`` for symmetric matrices."""
    n, k = len(triangles), (math.isqrt(8 * triangles.shape[1] + 1) - 1) // 2
    i, j = torch.meshgrid(*2 * [torch.arange(k, device=triangles.device)], indexing="ij")
    high, low = torch.maximum(i, j), torch.minimum(i, j)
    return triangles.gather(1, (high * (high + 1) // 2 + low).reshape(-1).expand(n, -1)).view(n, k, k)


def _solve(precision: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and covariance from packed precisions and right sides, by way of float64, since float32 loses dense rows."""

    def solve(part: tuple[Tensor, Tensor]) -> list[Tensor]:
        return [value.to(right.dtype) for value in _Gaussian.apply(*(value.double() for value in part))]

    if helper_threads() == 1 or len(right) < ROWS:
        return tuple(solve((precision, right)))
    return tuple(map(torch.cat, zip(*map_blocks(solve, zip(precision.split(ROWS), right.split(ROWS))))))


class _Gaussian(torch.autograd.Function):
    """Packed precisions P (n, k (k + 1) / 2) and r (n, k) -> mean P^-1 r (n, k) and covariance S = P^-1 (n, k, k).

    The adjoint comes from dS = -S dP S and d mean = S (dr - dP mean), at a third of the cost of the factorization's.
    """

    @staticmethod
    def forward(ctx, precision, right):
        matrices = unpack(precision)
        root, failed = torch.linalg.cholesky_ex(matrices)
        for power in range(-7, 1):  # sums in single precision can lose definiteness where there is next to no noise
            if not failed.any():
                break
            ridge = 10.0**power * matrices.diagonal(dim1=1, dim2=2).amax(1) * (failed > 0)
            root, failed = torch.linalg.cholesky_ex(matrices + torch.diag_embed(ridge.unsqueeze(1).expand_as(right)))
        cov = torch.cholesky_inverse(root)
        mean = (cov @ right.unsqueeze(2)).squeeze(2)
        ctx.save_for_backward(mean, cov)
        return mean, cov

    @staticmethod
    def backward(ctx, to_mean, to_cov):
        mean, cov = ctx.saved_tensors
        to_right = (cov @ to_mean.unsqueeze(2)).squeeze(2)
        to_precision = -(cov @ to_cov @ cov + to_right.unsqueeze(2) * mean.unsqueeze(1))
        twice = to_precision + to_precision.mT  # an entry off the diagonal stands for two
        return pack(twice - torch.diag_embed(to_precision.diagonal(dim1=1, dim2=2))), to_right


def variance_factors(rows: Posterior, cols: Posterior) -> tuple[Tensor, Tensor]:
    """R (N, F) and C (M, F), whose product R C^T is the variance of u . v + a + b, in units of the noise variance.

    With d = (u, 1) and the covariance S of a row, d' = (v, 1) and S' of a column, and S_u the part of the factors in S,

        Var = < S, d' d'^T > + < d d^T + S_u, S' >.
    """
    (d, S), (d_, S_) = ((_design(side), side.cov) for side in (rows, cols))
    K = d.shape[1] - 1
    S_u = F.pad(S[:, :K, :K], (0, 1, 0, 1))
    i, j = torch.tril_indices(K + 1, K + 1, device=d.device)
    twice = (2 - (i == j).to(d.dtype)).repeat(2)  # an entry off the diagonal stands for two
    R = torch.cat([pack(S), pack(_outer(d) + S_u)], 1) * twice
    return R, torch.cat([pack(_outer(d_)), pack(S_)], 1)


def estimate_variance_matrix(rows: Posterior, cols: Posterior) -> Tensor:
    """(N, M) variance of u . v + a + b for every row and column."""
    R, C = variance_factors(rows, cols)
    return R @ C.T


def estimate_variance(rows: Posterior, cols: Posterior, row: Tensor, col: Tensor) -> Tensor:
    """(n,) variance of u . v + a + b for pairs of a row and a column, in chunks that bound the memory."""
    R, C = variance_factors(rows, cols)
    chunk = CHUNK.get(row.device.type, LARGEST_CHUNK)
    pairs = zip(row.split(chunk), col.split(chunk))
    return torch.cat([torch.linalg.vecdot(R.index_select(0, n), C.index_select(0, m)) for n, m in pairs])


def _design(side: Posterior) -> Tensor:
    """(n, K + 1) E[(u, 1)]"""
    return torch.cat([side.mean[:, :-1], torch.ones_like(side.mean[:, -1:])], 1)


def _outer(d: Tensor) -> Tensor:
    return d.unsqueeze(2) * d.unsqueeze(1)

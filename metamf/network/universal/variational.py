"""Variational Bayes for matrix factorization with row and column effects: exact updates of one side
at a time.

The model, in standardised units, with the noise precision as the unit of all precisions:

    x_nm ~ N( u_n . v_m + a_n + b_m,  1 / (s_n t_m) ),    (u_n, a_n) ~ N(mean0_n, diag(alpha_n)^-1),    columns alike.

The posterior is approximated by a product over rows and columns (Lim and Teh, 2007). Given the
columns, the row factor that maximises the evidence bound is Gaussian in closed form. With the
design d_m = (v_m, 1) of column m,

    S_n^-1 = diag(alpha_n) + s_n sum_m t_m E[d_m d_m^T],
    mean_n = S_n ( alpha_n mean0_n + s_n sum_m t_m ( x_nm E[d_m] - E[d_m b_m] ) ),

in which the sums are over the observed m, and the expectations contain the columns' own
uncertainty. A MAP step leaves it out, and therefore overfits. There is no step size and no
divergence; a sweep costs O(nnz K^2 + (N + M) K^3).

Source: Lim and Teh (2007), "Variational Bayesian approach to movie rating prediction"; here with
effects, and with prior means and precisions from a network.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from metamf.ratings.segments import Segments
from metamf.ratings.threads import helper_threads, map_blocks

#: Pairs whose variance is computed at a time. On a CPU the rows gathered for them stay in the
#: cache, elsewhere they fit into memory.
CHUNK = {"cpu": 2**9}
LARGEST_CHUNK = 2**18  # on other devices
ROWS_AT_A_TIME = 2**10  # rows or columns that a thread solves at a time


class Posterior(NamedTuple):
    """The approximate posterior of the rows, or of the columns. The last coordinate is the
    effect."""

    # (n, K + 1) in standardised units, or in units of the noise deviation where ``x`` is
    mean: Tensor
    cov: Tensor  # (n, K + 1, K + 1) in units of the noise variance


class Prior(NamedTuple):
    """The prior of the rows, or of the columns, and the precision of their observations."""

    mean: Tensor  # (n, K + 1) mean0
    precision: Tensor  # (n, K + 1) alpha, in units of the noise precision
    reliability: Tensor  # (n, 1) s of rows, or t of columns

    def as_posterior(self) -> Posterior:
        """The posterior before anything is observed."""
        return Posterior(self.mean, torch.diag_embed(1 / self.precision))

    def double(self) -> Prior:
        """The same in double precision."""
        return Prior(*(part.double() for part in self))


def update(
    prior: Prior, other: Posterior, other_prior: Prior, x: Tensor, near: Segments, far: Segments
) -> Posterior:
    """The posterior of one side that maximises the evidence bound, given posterior and prior of the
    other side.

    ``x`` (nnz, 1) is in standardised units, or in units of the noise deviation; ``near`` and
    ``far`` are the entries, grouped by the side to update and by the other side.
    """
    K = other.mean.shape[1] - 1
    design = _design(other)  # (m, K + 1) E[d]
    effect = other.mean[:, K:]  # (m, 1) E[b]
    second = _outer(design) + F.pad(other.cov[:, :K, :K], (0, 1, 0, 1))  # E[d d^T]
    cross = design * effect + F.pad(other.cov[:, :K, K], (0, 1))  # (m, K + 1) E[d b]
    # (m, K (K + 1) / 2 + K + 1)
    table = torch.cat([pack(second), cross], 1) * other_prior.reliability
    sums = near.sum_across(table, far) * prior.reliability
    # (n, K + 1)
    pull = near.sum_across(design * other_prior.reliability, far, x.squeeze(1)) * prior.reliability
    evidence, cross = sums.split([sums.shape[1] - K - 1, K + 1], 1)
    precision = evidence + pack(torch.diag_embed(prior.precision))
    right = prior.precision * prior.mean + pull - cross
    return Posterior(*_solve(precision, right))


def pack(matrices: Tensor) -> Tensor:
    """The lower triangles of ``matrices`` (n, k, k), row by row, (n, k (k + 1) / 2)."""
    n, k, _ = matrices.shape
    i, j = torch.tril_indices(k, k, device=matrices.device)
    return matrices.reshape(n, k * k).gather(1, (i * k + j).expand(n, -1))


def unpack(triangles: Tensor) -> Tensor:
    """The symmetric matrices (n, k, k) with the lower ``triangles`` (n, k (k + 1) / 2): the inverse
    of ``pack``."""
    n = len(triangles)
    k = (math.isqrt(8 * triangles.shape[1] + 1) - 1) // 2
    i, j = torch.meshgrid(*2 * [torch.arange(k, device=triangles.device)], indexing="ij")
    high = torch.maximum(i, j)
    low = torch.minimum(i, j)
    return triangles.gather(1, (high * (high + 1) // 2 + low).reshape(-1).expand(n, -1)).view(
        n, k, k
    )


def _solve(precision: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """Mean (n, k) and covariance (n, k, k) from packed precisions (n, k (k + 1) / 2) and right
    sides (n, k).

    In float64, since in float32 the precisions of rows with many entries lose their definiteness.
    """

    def solve(part: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        mean, cov = _Gaussian.apply(*(value.double() for value in part))
        return mean.to(right.dtype), cov.to(right.dtype)

    if helper_threads() == 1 or len(right) < ROWS_AT_A_TIME:
        return solve((precision, right))
    means, covs = zip(
        *map_blocks(solve, zip(precision.split(ROWS_AT_A_TIME), right.split(ROWS_AT_A_TIME)))
    )
    return torch.cat(means), torch.cat(covs)


class _Gaussian(torch.autograd.Function):
    """Packed precisions P (n, k (k + 1) / 2) and r (n, k) -> mean P^-1 r (n, k) and covariance S =
    P^-1 (n, k, k).

    The adjoint follows from dS = -S dP S and d mean = S (dr - dP mean), at a third of the cost of
    differentiating the factorisation.
    """

    @staticmethod
    def forward(ctx: Any, precision: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
        matrices = unpack(precision)
        root, failed = torch.linalg.cholesky_ex(matrices)
        # sums in single precision can lose definiteness where there is next to no noise
        for power in range(-7, 1):
            if not failed.any():
                break
            ridge = 10.0**power * matrices.diagonal(dim1=1, dim2=2).amax(1) * (failed > 0)
            root, failed = torch.linalg.cholesky_ex(
                matrices + torch.diag_embed(ridge.unsqueeze(1).expand_as(right))
            )
        cov = torch.cholesky_inverse(root)
        mean = (cov @ right.unsqueeze(2)).squeeze(2)
        ctx.save_for_backward(mean, cov)
        return mean, cov

    @staticmethod
    def backward(ctx: Any, grad_mean: Tensor, grad_cov: Tensor) -> tuple[Tensor, Tensor]:
        mean, cov = ctx.saved_tensors
        grad_right = (cov @ grad_mean.unsqueeze(2)).squeeze(2)
        grad_precision = -(cov @ grad_cov @ cov + grad_right.unsqueeze(2) * mean.unsqueeze(1))
        twice = grad_precision + grad_precision.mT  # an entry off the diagonal stands for two
        return pack(twice - torch.diag_embed(grad_precision.diagonal(dim1=1, dim2=2))), grad_right


def variance_factors(rows: Posterior, cols: Posterior) -> tuple[Tensor, Tensor]:
    """R (N, F) and C (M, F), whose product R C^T is the variance of u . v + a + b in units of the
    noise variance.

    With d = (u, 1) and the covariance S of a row, d' = (v, 1) and S' of a column, and S_u the part
    of the factors in S,

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
    """The variance of u . v + a + b for every row and every column, (N, M), in units of the noise
    variance."""
    R, C = variance_factors(rows, cols)
    return R @ C.T


def estimate_variance(rows: Posterior, cols: Posterior, row: Tensor, col: Tensor) -> Tensor:
    """The same for the pairs of a row and a column at the positions ``row`` and ``col`` (n,),
    (n,)."""
    R, C = variance_factors(rows, cols)
    chunk = CHUNK.get(row.device.type, LARGEST_CHUNK)
    pairs = zip(row.split(chunk), col.split(chunk))
    return torch.cat(
        [torch.linalg.vecdot(R.index_select(0, n), C.index_select(0, m)) for n, m in pairs]
    )


def _design(side: Posterior) -> Tensor:
    """E[(u, 1)], (n, K + 1)."""
    return torch.cat([side.mean[:, :-1], torch.ones_like(side.mean[:, -1:])], 1)


def _outer(d: Tensor) -> Tensor:
    """d d^T of each row of ``d`` (n, k), (n, k, k)."""
    return d.unsqueeze(2) * d.unsqueeze(1)

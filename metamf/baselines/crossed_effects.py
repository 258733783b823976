"""Crossed random effects: the exact Gaussian predictor of rows and columns that differ in level
(not in the paper).

    x_nm = mu + a_n + b_m + e_nm,     mu ~ N(0, s_mu),  a_n ~ N(0, s_a),  b_m ~ N(0, s_b),  e_nm ~ N(0, s_e)

in standardised units, with four variances s. The estimate of a cell is the best linear unbiased
prediction (BLUP), the mean of mu + a_n + b_m given the observed entries; its predictive variance is
exact, too. Henderson (1975), Searle, Casella and McCulloch (1992).

The rows are integrated out first. With c = (mu, b), Z = [1, column indicators], and S_n = s_e I +
s_a 1 1' the covariance of the entries of row n around Z c, whose inverse is (I - k_n 1 1') / s_e
with k_n = s_a / (s_e + |n| s_a),

    precision of c = P + diag(1/s_mu, 1/s_b, ...),  P = Z' S^-1 Z,      a_n given c = k_n * (sum of x - Z c over row n).

Scaled by the prior standard deviations L the precision is I + L P L, which stays well conditioned
as a variance goes to zero. ``CrossedPosterior`` factorises it, batched and padded;
``conjugate_gradients`` takes O(nnz) per iteration, for large matrices. All of it runs in float64.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from scipy.sparse import csr_array, diags_array
from torch import Tensor, nn

from metamf.baselines.method import check_settings
from metamf.baselines.stacked import PaddedMatrices
from metamf.learning.episodes import EpisodeBatch
from metamf.ratings.batch import RatingsBatch

SMALLEST_VARIANCE = 1e-8  # in place of an estimate of zero, which has no logarithm
DENSE_CELLS = 2**22  # padded cells up to which the posterior is factorised, 32 MiB an array


@dataclass(frozen=True)
class CrossedEffectsConfig:
    """The four variances, in standardised units (squared).

    The defaults were estimated by ``fit_variances`` on 1,000 meta-training blocks of ML-100K, split
    0.
    """

    level: float = 0.0017  # s_mu, between the means of matrices
    row: float = 0.136  # s_a, between the rows of a matrix
    column: float = 0.183  # s_b, between its columns
    noise: float = 0.670  # s_e, of a rating around its row and column

    def __post_init__(self) -> None:
        check_settings(self, "level", "row", "column", "noise")


class CrossedEffects(nn.Module):
    """Its only parameters are the logarithms of the four variances; ``fit_variances`` estimates
    them."""

    def __init__(self, config: CrossedEffectsConfig = CrossedEffectsConfig()):
        super().__init__()
        self.config = config
        self.log_variances = nn.Parameter(torch.tensor(astuple(config), dtype=torch.float64).log())

    def adapt(self, support: RatingsBatch) -> AdaptedEffects:
        variances = self.log_variances.double().exp()
        D, n, m = PaddedMatrices(support).shape
        if D * n * m > DENSE_CELLS:
            return AdaptedEffects(*conjugate_gradients(support, variances), support, variances)
        return AdaptedEffects(*CrossedPosterior(support, variances).mean, support, variances)


class AdaptedEffects(NamedTuple):
    row: Tensor  # (N,) mean of a
    col: Tensor  # (M,) mean of mu + b
    support: RatingsBatch
    variances: Tensor  # (4,) s_mu, s_a, s_b, s_e

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) estimates at positions of the batch, standardised units."""
        return (self.row[row] + self.col[col]).to(self.support.x.dtype)

    def predict_variance(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) variance of a new rating of each cell, by the factorised posterior in O(N M^2 +
        M^3)."""
        return (
            CrossedPosterior(self.support, self.variances)
            .variance(row, col)
            .to(self.support.x.dtype)
        )


class CrossedPosterior:
    """The posterior of (mu, a, b) of every matrix of a batch, exact, dense and padded.
    Differentiable.

    The names are those of the case where the rows are integrated out; where the padded matrices
    have more columns than rows, rows and columns change places (``flipped``).
    """

    def __init__(self, batch: RatingsBatch, variances: Tensor):
        self.batch = batch
        self.variances = variances
        padded = PaddedMatrices(batch)
        self.padded = padded
        self.flipped = padded.shape[1] < padded.shape[2]
        self.s_mu, s_row, s_col, self.s_e = variances
        self.s_a, self.s_b = (s_col, s_row) if self.flipped else (s_row, s_col)
        X, B = padded.dense(batch.x.double()), padded.mask.double()  # (D, n, m)
        X, B = (X.mT, B.mT) if self.flipped else (X, B)
        self.count = B.sum(2)  # (D, n)
        self.k = self.s_a / (self.s_e + self.count * self.s_a)  # (D, n)
        self.BZ = torch.cat(
            [self.count.unsqueeze(2), B], 2
        )  # (D, n, 1 + m): sum of the rows of Z of each row
        col_count = B.sum(1)  # (D, m)
        total = torch.cat([col_count.sum(1, keepdim=True), col_count], 1)  # (D, 1 + m)
        ZZ = torch.diag_embed(total)
        ZZ[:, 0, 1:] = ZZ[:, 1:, 0] = col_count
        P = (ZZ - self.BZ.mT @ (self.k.unsqueeze(2) * self.BZ)) / self.s_e  # (D, 1 + m, 1 + m)
        self.L = torch.cat([self.s_mu.expand(1), self.s_b.expand(P.shape[1] - 1)]).sqrt()
        identity = torch.eye(P.shape[1], dtype=P.dtype, device=P.device)
        self.factor = torch.linalg.cholesky(identity + self.L.unsqueeze(1) * P * self.L)
        self.row_sum, self.squares = X.sum(2), X.square().sum((1, 2))  # (D, n), (D,)
        ZX = torch.cat([X.sum((1, 2)).unsqueeze(1), X.sum(1)], 1)  # (D, 1 + m)
        push = (
            ZX - ((self.k * self.row_sum).unsqueeze(1) @ self.BZ).squeeze(1)
        ) / self.s_e  # Z' S^-1 x
        self.push = (self.L * push).unsqueeze(2)  # (D, 1 + m, 1)

    @property
    def mean(self) -> tuple[Tensor, Tensor]:
        """The posterior means of a, (N,), and of mu + b, (M,), at positions of the batch."""
        c = self.L * torch.cholesky_solve(self.push, self.factor).squeeze(2)  # (D, 1 + m)
        a = self.k * (self.row_sum - (self.BZ @ c.unsqueeze(2)).squeeze(2))  # (D, n)
        mu = c[:, :1]
        b = c[:, 1:]
        row, col = (b, a) if self.flipped else (a, b)
        batch = self.batch
        padded = self.padded
        return row[batch.row_matrix, padded.row], (mu + col)[batch.col_matrix, padded.col]

    @property
    def log_likelihood(self) -> Tensor:
        """(D,) log density of the observed entries of each matrix."""
        n = self.count.sum(1)
        log_det = (
            (self.count - 1) * self.s_e.log() + (self.s_e + self.count * self.s_a).log()
        ).sum(1)
        log_det = log_det + 2 * torch.diagonal(self.factor, dim1=1, dim2=2).log().sum(1)
        whitened = torch.linalg.solve_triangular(self.factor, self.push, upper=False)
        fit = (
            self.squares - (self.k * self.row_sum.square()).sum(1)
        ) / self.s_e - whitened.square().sum((1, 2))
        return -(fit + log_det + n * torch.tensor(2 * torch.pi, dtype=fit.dtype).log()) / 2

    def variance(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) Var(mu + a + b + e) at positions of the batch, with a = k (sum of x - BZ c) +
        remainder."""
        D, n, m = self.padded.cells(row, col)
        n, m = (m, n) if self.flipped else (n, m)
        C, BZC = self.covariance  # (D, 1 + m, 1 + m), (D, n, 1 + m)
        k = self.k[D, n]
        both = C[D, 0, 0] + 2 * C[D, 0, m + 1] + C[D, m + 1, m + 1]  # Var(mu + b)
        cross = BZC[D, n, 0] + BZC[D, n, m + 1]  # Cov(BZ c, mu + b)
        own = (BZC * self.BZ).sum(2)[D, n]  # Var(BZ c)
        return both - 2 * k * cross + k.square() * own + self.s_e * k + self.s_e

    @cached_property
    def covariance(self) -> tuple[Tensor, Tensor]:
        """The posterior covariances of c, (D, 1 + m, 1 + m), and of BZ c with c, (D, n, 1 + m)."""
        C = self.L.unsqueeze(1) * torch.cholesky_inverse(self.factor) * self.L
        return C, self.BZ @ C


@torch.no_grad()
def conjugate_gradients(
    batch: RatingsBatch, variances: Tensor, limit: int = 1000
) -> tuple[Tensor, Tensor]:
    """The posterior means of a, (N,), and of mu + b, (M,), by conjugate gradients with a diagonal
    preconditioner.

    With c = (mu, a, b) and W = [matrix, row, column indicators] they solve (W' W + s_e diag(1/s)) c
    = W' x, Henderson's equations. RuntimeError if they do not converge in ``limit`` iterations.
    """
    from scipy.sparse.linalg import cg  # takes a tenth of a second

    s_mu, s_a, s_b, s_e = variances.tolist()
    D = len(batch)
    N = batch.N
    M = batch.M
    nnz = len(batch.x)
    groups = (
        torch.cat([batch.row_matrix[batch.row], D + batch.row, D + N + batch.col]).cpu().numpy()
    )
    W = csr_array((np.ones(3 * nnz), (np.tile(np.arange(nnz), 3), groups)), shape=(nnz, D + N + M))
    A = (W.T @ W + diags_array(np.repeat([s_e / s_mu, s_e / s_a, s_e / s_b], [D, N, M]))).tocsr()
    right = W.T @ batch.x.double().cpu().numpy()
    c, failed = cg(A, right, rtol=1e-11, maxiter=limit, M=diags_array(1 / A.diagonal()))
    if failed:
        raise RuntimeError(
            f"conjugate gradients did not converge in {limit} iterations with {variances.tolist()}"
        )
    mu, a, b = torch.as_tensor(c, device=batch.x.device).split([D, N, M])
    return a, b + mu[batch.col_matrix]


def fit_variances(matrices: RatingsBatch | EpisodeBatch) -> CrossedEffectsConfig:
    """The variances of maximum likelihood, by L-BFGS on their logarithms.

    Since mu has a prior of its own, no correction as in restricted maximum likelihood is needed.
    ``level`` follows from the spread between the means of matrices, which takes many matrices.
    Support and query entries of episodes both count as observed. ValueError if fewer than two
    entries are observed.
    """
    batch = all_observed(matrices) if isinstance(matrices, EpisodeBatch) else matrices
    if len(batch.x) < 2:
        raise ValueError(f"variances need at least two observed entries, got {len(batch.x)}")
    start = torch.tensor(
        astuple(CrossedEffectsConfig()), dtype=torch.float64, device=batch.x.device
    )
    log_variances = start.log().requires_grad_()
    optimizer = torch.optim.LBFGS(
        [log_variances], max_iter=100, tolerance_grad=1e-6, line_search_fn="strong_wolfe"
    )

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = -CrossedPosterior(batch, log_variances.exp()).log_likelihood.sum() / len(batch.x)
        loss.backward()
        return loss

    with torch.enable_grad():
        optimizer.step(closure)
    return CrossedEffectsConfig(*log_variances.detach().exp().clamp(min=SMALLEST_VARIANCE).tolist())


def all_observed(episodes: EpisodeBatch) -> RatingsBatch:
    """Support and query entries as the observed entries of one batch."""
    support = episodes.support
    row = torch.cat([support.row, episodes.query_row])
    col = torch.cat([support.col, episodes.query_col])
    x = torch.cat([support.x, episodes.query_x])
    order = torch.argsort(row * support.M + col)
    return replace(support, x=x[order], row=row[order], col=col[order])

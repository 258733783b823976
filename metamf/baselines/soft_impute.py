"""SoftImpute: nuclear-norm regularised completion (not in the paper; Mazumder, Hastie and
Tibshirani 2010).

    minimise over Z   1/2 sum over observed (n, m) of (x_nm - z_nm)^2  +  lambda * (sum of the singular values of Z)

by Z <- shrink(B * X + (1 - B) * Z), where shrink subtracts lambda from every singular value (down
to zero). lambda is a share of the largest singular value of B * X: at share 1 the solution is zero.
Runs in float64.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from metamf.baselines.method import PerMatrix, check_settings
from metamf.baselines.stacked import AdaptedTable, PaddedMatrices
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class SoftImputeConfig:
    """Settings of SoftImpute."""

    # lambda over the largest singular value; chosen on ML-100K meta-validation blocks (split 0)
    share: float = 0.7
    max_rank: int = 64  # of Z, for matrices that are larger than that on both sides
    tolerance: float = 1e-3  # iterations end when Z changes by no more than this share of its norm
    iterations: int = 200

    def __post_init__(self) -> None:
        check_settings(self, "share", max_rank=1, iterations=0)
        if self.share > 1:
            raise ValueError(f"share must be 1 at most, got {self}")


class SoftImpute(PerMatrix):
    """Dense: O(N M) memory."""

    default = SoftImputeConfig()

    @torch.no_grad()
    def adapt(self, support: RatingsBatch) -> AdaptedTable:
        padded = PaddedMatrices(support)
        X, observed = padded.dense(support.x.double()), padded.mask.bool()  # (D, n, m)
        if flipped := padded.shape[1] < padded.shape[2]:  # the last axis is the short one
            X = X.mT
            observed = observed.mT
        basis = (
            leading_basis(X, self.config.max_rank) if X.shape[2] > self.config.max_rank else None
        )
        lam = self.config.share * spectrum(X, basis)[0][:, -1:]  # (D, 1)
        Z = torch.zeros_like(X)
        moving = torch.ones(
            len(support), dtype=torch.bool, device=X.device
        )  # (D,) each matrix stops by itself
        for _ in range(self.config.iterations):
            filled = torch.where(observed, X, Z)
            if basis is not None:  # one warm-started step of subspace iteration
                basis = torch.linalg.qr(filled.mT @ (filled @ basis)).Q
            new = shrink(filled, lam, basis)
            moving &= torch.linalg.matrix_norm(
                new - Z
            ) > self.config.tolerance * torch.linalg.matrix_norm(new)
            if not moving.any():
                break
            Z = torch.where(moving.view(-1, 1, 1), new, Z)
        return AdaptedTable((Z.mT if flipped else Z).to(support.x), padded)


def shrink(A: Tensor, lam: Tensor, basis: Tensor | None) -> Tensor:
    """(D, n, m) A with ``lam`` (D, 1) subtracted from its singular values; with ``basis`` (D, m,
    r), in its span."""
    singular, W, B = spectrum(A, basis)
    factor = torch.where(
        singular > lam, 1 - lam / singular, 0
    )  # the share of each singular value that is left
    Z = B @ ((W * factor.unsqueeze(1)) @ W.mT)
    return Z if basis is None else Z @ basis.mT


def spectrum(A: Tensor, basis: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """Singular values (D, r), ascending, and right singular vectors (D, r, r) of B (D, n, r): A, or
    A in ``basis``."""
    B = A if basis is None else A @ basis
    squares, W = torch.linalg.eigh(B.mT @ B)
    return squares.clamp(min=0).sqrt(), W, B


def leading_basis(A: Tensor, rank: int) -> Tensor:
    """(D, m, rank) the leading right singular vectors, approximately: subspace iteration from a
    fixed random start."""
    draw = torch.randn(A.shape[2], rank, generator=torch.Generator().manual_seed(0)).to(A)
    basis = draw.expand(len(A), -1, -1)
    for _ in range(5):
        basis = torch.linalg.qr(A.mT @ (A @ basis)).Q
    return basis

"""Algorithm 1 written straight from the paper's equations, on dense tensors with a mask.

This is what the model means; ``metamf`` is how it is computed. A matrix is an N x M array X, its observations are an
N x M mask B, a representation is an N x M x C array Z, and each line is a line of the paper. Tests hold
``metamf.network.MetaMF`` equal to it, in values and in gradients; ``benchmarks.speed.kernels`` measures what the sparse
kernels gain over it.

Leading dimensions are a batch: X and B of shape (..., N, M) hold matrices of one size. The numbers in X at cells with
b = 0 may be anything finite. The mean of an empty row or column is defined as 0. The weights, and with them the dtype,
are those of the MetaMF that is passed in, used in place, so that gradients arrive at its own parameters; its dropout is
left out. Beyond the paper, a model may read features of rows (..., N, P) and of columns (..., M, Q).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from metamf.network.meta_mf import MetaMF
from metamf.ratings.matrix import Ratings


class DenseTrajectory(NamedTuple):
    """U(0..T) and V(0..T); index 0 is the prior mean."""

    U: Tensor  # (T + 1, ..., N, K)
    V: Tensor  # (T + 1, ..., M, K)

    @property
    def estimates(self) -> Tensor:
        """(..., N, M) the estimate of every cell after the last step, Eq. (8)."""
        return torch.einsum("...nk,...mk->...nm", self.U[-1], self.V[-1])


def algorithm_1(
    model: MetaMF, X: Tensor, B: Tensor, T: int | None = None, features: tuple[Tensor, Tensor] | None = None
) -> DenseTrajectory:
    """X, B: (..., N, M) -> the factors after each of T steps (default: the model's)."""
    w = dict(model.named_parameters())
    # line 1: representations Z by Eq. (4), no activation after the last layer
    Z = X.unsqueeze(-1)  # (..., N, M, 1)
    for layer in range(model.config.layers):
        if layer > 0:
            Z = torch.relu(Z)
        names = ("entry", "column", "row", "matrix", "bias")
        Z = exchangeable_layer(Z, B, *(w[f"prior.layers.{layer}.{name}"] for name in names))  # (..., N, M, C)
        if layer == 0 and features is not None:
            row, col = (a @ w[f"prior.layers.0.of_{side}_features"] for side, a in zip(("row", "col"), features))
            Z = Z + row.unsqueeze(-2) + col.unsqueeze(-3)
    # line 2: prior means by Eq. (5), the averages taken over all cells, observed or not
    over_row, over_col = Z.mean(dim=-2), Z.mean(dim=-3)
    if features is not None:
        over_row, over_col = (torch.cat(both, dim=-1) for both in zip((over_row, over_col), features))
    U0 = feed_forward(over_row, w, "prior.f_U")  # (..., N, K)
    V0 = feed_forward(over_col, w, "prior.f_V")  # (..., M, K)
    # lines 3 to 5: MAP steps by Eqs. (6) and (7)
    eta, lam = w["log_step_size"].exp(), w["log_prior_precision"].exp()
    U, V = [U0], [V0]
    for _ in range(model.config.steps if T is None else T):
        u, v = map_step(U[-1], V[-1], U0, V0, X, B, eta, lam)
        U.append(u)
        V.append(v)
    return DenseTrajectory(torch.stack(U), torch.stack(V))


def exchangeable_layer(Z: Tensor, B: Tensor, w1: Tensor, w2: Tensor, w3: Tensor, w4: Tensor, w5: Tensor) -> Tensor:
    """Eq. (4) without its activation: Z (..., N, M, C) -> (..., N, M, C'). w1 to w4: (C, C'); w5: (C',)."""
    b = B.to(Z.dtype).unsqueeze(-1)  # (..., N, M, 1)
    same_entry = b * Z  # (..., N, M, C)
    same_column = average(same_entry, b, (-3,))  # (..., 1, M, C)
    same_row = average(same_entry, b, (-2,))  # (..., N, 1, C)
    all_entries = average(same_entry, b, (-3, -2))  # (..., 1, 1, C)
    return same_entry @ w1 + same_column @ w2 + same_row @ w3 + all_entries @ w4 + w5


def average(bZ: Tensor, b: Tensor, dims: tuple[int, ...]) -> Tensor:
    """sum(b z) / sum(b) over ``dims``, which stay with length one; zero if no entry is observed."""
    return bZ.sum(dims, keepdim=True) / b.sum(dims, keepdim=True).clamp(min=1)


def feed_forward(z: Tensor, w: Mapping[str, Tensor], prefix: str) -> Tensor:
    """f_U or f_V of Eq. (5): linear layers, a ReLU between any two."""
    names = [name.removesuffix(".weight") for name in w if name.startswith(prefix) and name.endswith(".weight")]
    for index, name in enumerate(names):
        if index > 0:
            z = torch.relu(z)
        z = z @ w[f"{name}.weight"].T + w[f"{name}.bias"]
    return z


def map_step(U: Tensor, V: Tensor, U0: Tensor, V0: Tensor, X: Tensor, B: Tensor, eta, lam) -> tuple[Tensor, Tensor]:
    """One step of Eqs. (6) and (7), both from the factors of the step before."""
    residual = B.to(X.dtype) * (torch.einsum("...nk,...mk->...nm", U, V) - X)  # (..., N, M)
    U_next = U - eta * (torch.einsum("...nm,...mk->...nk", residual, V) + lam * (U - U0))
    V_next = V - eta * (torch.einsum("...nm,...nk->...mk", residual, U) + lam * (V - V0))
    return U_next, V_next


def dense(ratings: Ratings, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    """X (N, M), zero in the missing cells, and the mask B (N, M)."""
    X = ratings.to_dense()
    return torch.as_tensor(np.nan_to_num(X), dtype=dtype), torch.as_tensor(~np.isnan(X))

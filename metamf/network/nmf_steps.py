"""Multiplicative steps for factors without minus signs: Poisson likelihood and Gamma prior in place
of Eqs. (1) to (3).

With y = x - the lowest value, and positive prior means u0, v0, the steps lower

    sum_nm b_nm (yhat_nm - y_nm log yhat_nm)  +  a sum_nk (u_nk / u0_nk - log u_nk)  +  the same of V,    yhat = U V',

the negative log posterior (but for constants) of y_nm ~ Poisson(yhat_nm) and u_nk ~ Gamma(shape a +
1, rate a / u0_nk), whose mode is u0_nk. Since a sum of Poisson counts is one, y_nm can be thought
of as K parts, of which the k-th is expected to be the share u_nk v_mk / yhat_nm of it. Given these
parts the objective separates into terms u (a / u0 + sum v) - (a + parts) log u, each lowest at

    u_nk <- ( a + u_nk sum_m b_nm y_nm v_mk / yhat_nm ) / ( a / u0_nk + sum_m b_nm v_mk ),

and alike for v_mk. That is EM: no half-step can raise the objective, whatever the size of the
matrix, and there is no step size. For a -> 0 it is the rule of Lee and Seung (2001) for their
divergence. A row without entries keeps u0, as does every row for a -> infinity.
"""

from __future__ import annotations

import torch
from torch import Tensor

from metamf.network.map_steps import Factors
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.segments import Segments


def nmf_steps(
    U0: Tensor, V0: Tensor, batch: RatingsBatch, a: Tensor, T: int, lowest: float = 0.0
) -> Factors:
    """T steps from the prior means, each of U and then of V, so that V follows the new U; O(T nnz
    K).

    Parameters
    ----------
    U0, V0 : (N, K), (M, K) prior means, positive
    batch : the observed entries, in standardised units; values below ``lowest`` count as ``lowest``
    a : weight of the prior, a positive scalar
    T : the number of steps
    lowest : the value of which U V' is the distance, in standardised units
    """
    y = (batch.x - lowest).clamp(min=0)  # (nnz,)
    U = U0
    V = V0
    path = [torch.cat([U0, V0])]
    for _ in range(T):
        U = half_step(U, V, U0, batch.by_row, batch.by_col, y, a)
        V = half_step(V, U, V0, batch.by_col, batch.by_row, y, a)
        path.append(torch.cat([U, V]))
    return Factors(U, V, torch.stack(path))


def half_step(
    factor: Tensor,
    partner: Tensor,
    prior: Tensor,
    near: Segments,
    far: Segments,
    y: Tensor,
    a: Tensor,
) -> Tensor:
    """The new factors (N, K) of one side, from those of the other side, ``partner`` (M, K), and the
    prior means (N, K).

    ``near`` and ``far`` are the entries by the lines of this side and of the other, and ``y``
    (nnz,) is their values.
    """
    estimates = torch.linalg.vecdot(near.gather(factor), far.gather(partner))  # (nnz,)
    parts = factor * near.sum_across(partner, far, y / estimates)  # (N, K)
    return (a + parts) / (a / prior + near.sum_across(partner, far))


def fold_in_nmf_steps(
    U0: Tensor, V_path: Tensor, batch: RatingsBatch, a: Tensor, lowest: float = 0.0
) -> Tensor:
    """Factors (N, K) of new rows, while the columns follow the path ``V_path`` (T + 1, M, K).

    Rows of the matrix from which ``V_path`` was computed get the factors that ``nmf_steps`` gave
    them.
    """
    U = U0
    y = (batch.x - lowest).clamp(min=0)
    for V in V_path[:-1]:
        U = half_step(U, V, U0, batch.by_row, batch.by_col, y, a)
    return U


def nmf_objective(
    U: Tensor,
    V: Tensor,
    U0: Tensor,
    V0: Tensor,
    batch: RatingsBatch,
    a: Tensor,
    lowest: float = 0.0,
) -> Tensor:
    """The objective of the module's docstring, which no half-step raises."""
    y = (batch.x - lowest).clamp(min=0)
    estimates = torch.linalg.vecdot(U[batch.row], V[batch.col])  # (nnz,)
    prior = (U / U0 - U.log()).sum() + (V / V0 - V.log()).sum()
    return (estimates - torch.xlogy(y, estimates)).sum() + a * prior

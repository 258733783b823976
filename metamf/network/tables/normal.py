"""A normal distribution over the columns of each of many tables of one size, by EM, and what it
says of their cells (not in the paper).

    x_n ~ N(mu, S) for every row n, of which only the cells o(n) are observed,
    mu ~ N(0, v I),    S ~ inverse Wishart with the mode T after nu rows,

and a missing cell is estimated by its conditional mean given the observed cells of its row,

    E[x_nm] = mu_m + S_mo S_oo^-1 (x_no - mu_o),    Var = S_mm - S_mo S_oo^-1 S_om.

With a_n = S_oo^-1 (x_no - mu_o) and P_n = S_oo^-1, both zero outside of o(n), the expected scatter
of the N rows is

    Q = N S + S (sum of a_n a_n' - P_n) S,    mu <- mu + S (sum of a_n) / N,
    S <- (Q + nu T) / (N + nu).

T has the variances of Q and one correlation between all columns, the mean one if that is positive.
So the covariance is shrunken towards rows with a level of their own (crossed effects), or else
towards independent columns. The variance of a column of few entries is drawn towards one. Little
and Rubin (2002), "Statistical Analysis with Missing Data", Section 11.2; the target is Ledoit and
Wolf's (2004, "Honey, I shrunk the sample covariance matrix").

Tables are dense and many at once, so that a network can be trained on them. After some iterations
EM goes further than each of its steps says, in variances' logarithms and in correlations
(successive overrelaxation): it takes fewer, and ends at the same mode.

Shapes: D tables of N rows and M columns, Z (D, N, M) standardised entries, zero where none is, B
(D, N, M) 1.0 where one is, and otherwise 0.0. The last columns may be features of the rows.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

JITTER = 1e-6  # added to variances to keep equal columns apart
USUAL_ENTRIES = 2.0  # that the unit variance counts for, in the variance of a column
LARGEST_CORRELATION = 0.95  # between all columns, in the target of the shrinkage
LEAST_SPREAD = 1e-3  # variance of the columns' means, at least
RELAXATION = 1.8  # times the step of EM; below 2, at which it need not converge
LAST_PLAIN = 2  # iterations at the end without relaxation


class Normals(NamedTuple):
    """A normal distribution for each table."""

    mean: Tensor  # (D, M)
    covariance: Tensor  # (D, M, M)
    spread: Tensor  # (D, 1, 1) variance of the means


def standard(D: int, M: int, like: Tensor) -> Normals:
    """Independent columns of mean zero and variance one, where EM begins."""
    eye = torch.eye(M, dtype=like.dtype, device=like.device)
    return Normals(like.new_zeros(D, M), eye.repeat(D, 1, 1), like.new_ones(D, 1, 1))


def fit_normals(
    Z: Tensor,
    B: Tensor,
    start: Normals,
    shrinkage: float,
    iterations: int,
    plain: int,
    tolerance: float = 0.0,
    useful: Tensor | None = None,
) -> Normals:
    """The modes after some iterations of EM from ``start``; the first ``plain`` ones are not
    relaxed.

    ``shrinkage``: the rows that the target of the covariance counts for, over the number of
    columns. ``tolerance``: EM ends when no covariance changes by more, in units of the largest
    variance. ``useful`` (P,), from 0 to 1, multiplies the correlations of features of the rows, the
    last P columns, which the target has none with.
    """
    N, M = Z.shape[1:]
    eye = torch.eye(M, dtype=Z.dtype, device=Z.device)
    useful = Z.new_ones(0) if useful is None else useful.to(Z)
    rated = M - len(useful)
    count = B.sum(1)
    mean, S, spread = start
    for step in range(iterations):
        P, a = _given(Z, B, mean, S)
        scatter = a.transpose(1, 2) @ a - P.sum(1)
        total = N * mean + _times(S, a.sum(1))
        new = _times(_inverse(N * eye + S / spread), total)
        moved = new - mean
        sum_moved = total - N * mean
        cross = moved.unsqueeze(2) * sum_moved.unsqueeze(1)
        Q = (
            N * S
            + S @ scatter @ S
            - cross
            - cross.transpose(1, 2)
            + N * moved.unsqueeze(2) * moved.unsqueeze(1)
        )
        target = _shrunken((Q + Q.transpose(1, 2)) / 2, N, count, shrinkage * rated, useful)
        further = RELAXATION if plain <= step < iterations - LAST_PLAIN else 1.0
        before = S
        S = _moved(S, target, further)
        mean = mean + further * moved
        spread = mean[:, :rated].square().mean(1).clamp(min=LEAST_SPREAD)[:, None, None]
        if tolerance and (S - before).abs().max() <= tolerance * S.abs().max():
            break
    return Normals(mean, S, spread)


def left_out(Z: Tensor, B: Tensor, normals: Normals) -> tuple[Tensor, Tensor]:
    """Conditional means and variances (D, N, M) of all cells, each given the *other* entries of its
    row."""
    mean, S, _ = normals
    P, a = _given(Z, B, mean, S)
    table = P @ S.unsqueeze(1)
    missing_mean = mean.unsqueeze(1) + a @ S
    missing_variance = S.diagonal(dim1=1, dim2=2).unsqueeze(1) - (table * S.unsqueeze(1)).sum(2)
    given = B > 0
    precision = torch.where(given, P.diagonal(dim1=2, dim2=3), 1.0).clamp(min=JITTER)
    estimate = torch.where(given, Z - a / precision, missing_mean)
    variance = torch.where(given, 1 / precision, missing_variance)
    return estimate, variance.clamp(min=JITTER)


def correlations(S: Tensor) -> tuple[Tensor, Tensor]:
    """(D, M, M) the correlations of a covariance, and the partial ones, given all other columns."""
    scale = S.diagonal(dim1=1, dim2=2).sqrt()
    correlation = S / (scale.unsqueeze(2) * scale.unsqueeze(1))
    eye = torch.eye(S.shape[1], dtype=S.dtype, device=S.device)
    precision = _inverse(correlation + 1e-3 * eye)
    scale = precision.diagonal(dim1=1, dim2=2).clamp(min=JITTER).sqrt()
    return correlation, -precision / (scale.unsqueeze(2) * scale.unsqueeze(1))


def _given(Z: Tensor, B: Tensor, mean: Tensor, S: Tensor) -> tuple[Tensor, Tensor]:
    """P (D, N, M, M), the inverse of S among the entries of a row, and a = P (z - mean) (D, N, M);
    zero elsewhere."""
    both = B.unsqueeze(3) * B.unsqueeze(2)
    P = _inverse(S.unsqueeze(1) * both + torch.diag_embed(1 - B + JITTER)) * both
    return P, _times(P, (Z - mean.unsqueeze(1)) * B)


def _shrunken(Q: Tensor, N: int, count: Tensor, nu: float, useful: Tensor) -> Tensor:
    """(D, M, M) the covariance from the expected scatter Q of N rows, with ``count`` (D, M) entries
    of each column."""
    M = Q.shape[1]
    squares = Q.diagonal(dim1=1, dim2=2)
    variance = (squares / N).clamp(min=JITTER)
    scale = ((count * variance + USUAL_ENTRIES) / (count + USUAL_ENTRIES)).sqrt()
    correlation = Q / (squares.unsqueeze(2) * squares.unsqueeze(1)).clamp(min=JITTER**2).sqrt()
    rated = M - len(useful)
    common = (correlation[:, :rated, :rated].sum((1, 2)) - rated) / max(rated * (rated - 1), 1)
    target = common.clamp(0, LARGEST_CORRELATION)[:, None, None]
    eye = torch.eye(M, dtype=Q.dtype, device=Q.device)
    mixed = (N * correlation + nu * target) / (N + nu)
    if len(useful):
        keep = torch.cat([useful.new_ones(rated), useful])
        own = (torch.arange(M) < rated).to(Q)
        target = target * torch.outer(own, own)
        mixed = torch.outer(keep, keep) * (N * correlation + nu * target) / (N + nu)
    mixed = mixed * (1 - eye) + eye
    return mixed * scale.unsqueeze(2) * scale.unsqueeze(1)


def _moved(S: Tensor, target: Tensor, further: float) -> Tensor:
    """From S towards the target, ``further`` times as far as it is."""
    scale, goal = (part.diagonal(dim1=1, dim2=2).sqrt() for part in (S, target))
    correlation = S / (scale.unsqueeze(2) * scale.unsqueeze(1))
    wanted = target / (goal.unsqueeze(2) * goal.unsqueeze(1))
    correlation = correlation + further * (wanted - correlation)
    scale = scale * (goal / scale) ** further
    return correlation * scale.unsqueeze(2) * scale.unsqueeze(1)


def _inverse(matrices: Tensor) -> Tensor:
    return torch.linalg.inv_ex(matrices)[0]


def _times(matrices: Tensor, vectors: Tensor) -> Tensor:
    return (matrices @ vectors.unsqueeze(-1)).squeeze(-1)

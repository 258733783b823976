"""Draws of missing cells by a normal distribution over the columns and a bootstrap of the rows (not in the paper).

For each draw the rows are resampled, a normal distribution is fitted to the resampled rows by EM, and the missing cells
of the true rows are drawn from their conditional distribution given the observed cells of their row: the bootstrap
carries the uncertainty of mean and covariance, the conditional distribution that of a cell. Honaker, King and Blackwell
(2011), "Amelia II: A Program for Missing Data".

With W = S^-1 and the missing columns m of a row, the conditional distribution is

    x_m | x_o ~ N( mu_m - W_mm^-1 W_mo (x_o - mu_o), W_mm^-1 ),

so a row costs as much as it has gaps. (``metamf.baselines.normal`` inverts the observed part, which is the smaller one
in a sparse matrix.) Draws need means and covariances without bias, where estimates gain from shrinkage: nothing is
drawn towards a common mean or correlation, and correlations are drawn towards zero by ``SHRINKAGE`` M min(1, M / n)
rows, which matters only where there are hardly more rows n than columns M.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from scipy.special import ndtr, ndtri
from torch import Tensor

from metamf.baselines.normal import JITTER, NUMBERS_AT_ONCE
from metamf.baselines.stacked import similar_sizes

SHRINKAGE = 0.5
FIRST_ITERATIONS, ITERATIONS = 300, 100  # of EM, at most: to all rows, and from there to the resampled ones
TOLERANCE = 1e-3  # EM ends when no mean or covariance changes by more, in standardised units


class _Gaps(NamedTuple):
    """Rows with about as many missing cells, padded to one width w."""

    row: Tensor  # (G,) which rows
    col: Tensor  # (G, w) their missing columns, 0 beyond
    inside: Tensor  # (G, w)


class _Normal(NamedTuple):
    mean: Tensor  # (M,)
    precision: Tensor  # (M, M) W


@torch.no_grad()
def bootstrap_draws(
    z: np.ndarray, m: int, lower: np.ndarray, upper: np.ndarray, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yields ``m`` copies of z (N, M) with its missing cells, NaN, drawn.

    z is in units in which a column has about zero mean and unit variance. A drawn value lies between the ``lower`` and
    ``upper`` (N, M) limits of its cell: a value outside is drawn again, column after column of a row.
    """
    observed = torch.as_tensor(~np.isnan(z))
    x = torch.as_tensor(np.nan_to_num(z))
    N, M = x.shape
    gaps = list(_gaps(observed))
    start = _Normal(x.new_zeros(M), torch.eye(M, dtype=x.dtype))
    start = _fit(x, observed, x.new_ones(N), start, FIRST_ITERATIONS)
    for _ in range(m):
        times = torch.as_tensor(rng.multinomial(N, np.full(N, 1 / N))).to(x)
        normal = _fit(x, observed, times, start, ITERATIONS)
        drawn = x.clone()
        for part in gaps:
            chance = rng.random(part.col.shape)
            _draw(normal, x, observed, part, chance, lower, upper, drawn)
        yield drawn.numpy()


def _fit(x: Tensor, observed: Tensor, times: Tensor, normal: _Normal, iterations: int) -> _Normal:
    """The normal distribution of the rows of x, each counted ``times`` (N,), by EM from ``normal``."""
    some = times > 0
    x = x[some]
    observed = observed[some]
    times = times[some].unsqueeze(1)
    n = times.sum()
    M = x.shape[1]
    count = (times * observed).sum(0)  # (M,)
    keep = n / (n + SHRINKAGE * M * min(1.0, M / n.item()))  # of correlations
    parts = list(_gaps(observed))
    before = torch.linalg.inv(normal.precision)
    for _ in range(iterations):
        filled = x.clone()
        scatter = x.new_zeros(M * M)
        for part in parts:
            location, root = _conditional(normal, x, observed, part)
            at = part.row.unsqueeze(1).expand_as(part.col)
            filled[at[part.inside], part.col[part.inside]] = location[part.inside]
            both = part.inside.unsqueeze(2) & part.inside.unsqueeze(1)
            spread = torch.cholesky_inverse(root) * both * times[part.row].unsqueeze(2)  # (G, w, w)
            cell = part.col.unsqueeze(2) * M + part.col.unsqueeze(1)
            scatter.index_add_(0, cell.flatten(), spread.flatten())
        mean = (times * filled).sum(0) / n
        centred = filled - mean
        covariance = ((times * centred).T @ centred + scatter.view(M, M)) / n
        variance = (count * covariance.diagonal() + 1) / (count + 1)  # as if one more entry had unit variance
        scale = (variance / covariance.diagonal().clamp(min=JITTER)).sqrt()
        covariance = keep * covariance * torch.outer(scale, scale)
        covariance.diagonal().copy_(variance + JITTER)
        moved = max((mean - normal.mean).abs().max().item(), (covariance - before).abs().max().item())
        before = covariance
        normal = _Normal(mean, torch.cholesky_inverse(torch.linalg.cholesky(covariance)))
        if moved <= TOLERANCE:
            break
    return normal


def _conditional(normal: _Normal, x: Tensor, observed: Tensor, part: _Gaps) -> tuple[Tensor, Tensor]:
    """Means (G, w) of the missing cells of rows given the others, and the Cholesky root (G, w, w) of their
    precision."""
    both = part.inside.unsqueeze(2) & part.inside.unsqueeze(1)
    W = normal.precision[part.col.unsqueeze(2), part.col.unsqueeze(1)] * both
    W.diagonal(dim1=1, dim2=2).add_((~part.inside).to(W))
    root = torch.linalg.cholesky(W)
    known = (x[part.row] - normal.mean) * observed[part.row]  # (G, M)
    pull = (known @ normal.precision).gather(1, part.col) * part.inside  # (G, w)
    shift = torch.cholesky_solve(pull.unsqueeze(2), root).squeeze(2)
    return normal.mean[part.col] - shift, root


def _draw(
    normal: _Normal,
    x: Tensor,
    observed: Tensor,
    part: _Gaps,
    chance: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    drawn: Tensor,
) -> None:
    """Writes draws of the missing cells of some rows into ``drawn``.

    With the deviations d from the conditional means, L' d is standard normal; so the last gap of a row is drawn first,
    and each other one given those behind it.
    """
    location, root = _conditional(normal, x, observed, part)
    at = part.row.unsqueeze(1).expand_as(part.col)
    low = low[at.numpy(), part.col.numpy()]
    high = high[at.numpy(), part.col.numpy()]
    d = torch.zeros_like(location)
    for j in reversed(range(part.col.shape[1])):
        spread = 1 / root[:, j, j]
        centre = location[:, j] - spread * (root[:, j + 1 :, j] * d[:, j + 1 :]).sum(1)
        value = truncated(centre.numpy(), spread.numpy(), low[:, j], high[:, j], chance[:, j])
        d[:, j] = torch.where(part.inside[:, j], torch.as_tensor(value) - location[:, j], 0.0)
    drawn[at[part.inside], part.col[part.inside]] = (location + d)[part.inside]


def truncated(
    centre: np.ndarray, spread: np.ndarray, low: np.ndarray, high: np.ndarray, chance: np.ndarray
) -> np.ndarray:
    """Draws from normal distributions that are drawn again until they lie between ``low`` and ``high``: the quantiles
    ``chance`` (0 to 1) of what is left of them."""
    spread = np.maximum(spread, 1e-300)
    a = (low - centre) / spread
    b = (high - centre) / spread
    flipped = a > 0  # computed in the lower tail, where small probabilities are exact
    lower = ndtr(np.where(flipped, -b, a))
    upper = ndtr(np.where(flipped, -a, b))
    at = ndtri(lower + np.where(flipped, 1 - chance, chance) * (upper - lower))
    at = np.where(flipped, -at, at)
    return np.clip(centre + spread * np.where(np.isfinite(at), at, 0.0), low, high)


def _gaps(observed: Tensor) -> Iterator[_Gaps]:
    """The rows with missing cells, those with about as many together, ``NUMBERS_AT_ONCE`` numbers at a time."""
    N, M = observed.shape
    count = (~observed).sum(1)
    order = observed.to(torch.uint8).argsort(dim=1, stable=True)  # (N, M) the missing columns of each row first
    for which, width in similar_sizes(count):
        width = min(width, M)
        for some in which.split(max(1, NUMBERS_AT_ONCE // width**2)):
            inside = torch.arange(width) < count[some].unsqueeze(1)
            yield _Gaps(some, order[some, :width] * inside, inside)

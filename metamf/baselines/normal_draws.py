"""Draws of missing cells by a normal distribution over the columns and a bootstrap of the rows (not
in the paper).

For each draw the rows are resampled, a normal distribution is fitted to the resampled rows by EM,
and the missing cells of the true rows are drawn from their conditional distribution given the
observed cells of their row: the bootstrap carries the uncertainty of mean and covariance, the
conditional distribution that of a cell. Honaker, King and Blackwell (2011), "Amelia II: A Program
for Missing Data".

With W = S^-1 and the missing columns m of a row, the conditional distribution is

    x_m | x_o ~ N( mu_m - W_mm^-1 W_mo (x_o - mu_o), W_mm^-1 ),

so a row costs as much as it has gaps. (``metamf.baselines.normal`` inverts the observed part, which
is the smaller one in a sparse matrix.) Draws need means and covariances without bias, where
estimates gain from shrinkage: nothing is drawn towards a common mean or correlation, and
correlations are drawn towards zero by ``SHRINKAGE`` M min(1, M / n) rows, which matters only where
there are hardly more rows n than columns M.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from scipy.special import ndtr, ndtri
from torch import Tensor

from metamf.baselines.stacked import similar_sizes

JITTER = 1e-6  # added to variances to keep equal columns apart
NUMBERS_AT_ONCE = 2**22  # numbers of a part of the rows; 32 MB
SHRINKAGE = 0.5
FIRST_ITERATIONS, ITERATIONS = (
    300,
    100,
)  # of EM, at most: to all rows, and from there to the resampled ones
TOLERANCE = 1e-3  # EM ends when no mean or covariance changes by more, in standardised units


class _Gaps(NamedTuple):
    """Rows with about as many missing cells, padded to one width w."""

    row: Tensor  # (G,) which rows
    col: Tensor  # (G, w) their missing columns, 0 beyond
    inside: Tensor  # (G, w)

    @property
    def both(self) -> Tensor:
        """(G, w, w) where two missing cells of a row meet."""
        return self.inside.unsqueeze(2) & self.inside.unsqueeze(1)

    @property
    def cells(self) -> tuple[Tensor, Tensor]:
        """The rows and the columns of the missing cells."""
        return self.row.unsqueeze(1).expand_as(self.col)[self.inside], self.col[self.inside]


class _Normal(NamedTuple):
    mean: Tensor  # (M,)
    precision: Tensor  # (M, M) W

    def conditional(self, x: Tensor, observed: Tensor, gaps: _Gaps) -> tuple[Tensor, Tensor]:
        """Means (G, w) of the missing cells of rows given the others, and the Cholesky root
        (G, w, w) of their precision."""
        W = self.precision[gaps.col.unsqueeze(2), gaps.col.unsqueeze(1)] * gaps.both
        W.diagonal(dim1=1, dim2=2).add_((~gaps.inside).to(W))
        root = torch.linalg.cholesky(W)
        known = (x[gaps.row] - self.mean) * observed[gaps.row]  # (G, M)
        pull = (known @ self.precision).gather(1, gaps.col) * gaps.inside  # (G, w)
        shift = torch.cholesky_solve(pull.unsqueeze(2), root).squeeze(2)
        return self.mean[gaps.col] - shift, root


@torch.no_grad()
def bootstrap_draws(
    z: np.ndarray, m: int, lower: np.ndarray, upper: np.ndarray, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yields ``m`` copies of z (N, M) with its missing cells, NaN, drawn.

    z is in units in which a column has about zero mean and unit variance. A drawn value lies
    between the ``lower`` and ``upper`` (N, M) limits of its cell: a value outside is drawn again,
    column after column of a row.

    With the deviations d of the gaps of a row from their conditional means, and the Cholesky root
    L of their precision, L' d is standard normal; so the last gap is drawn first, and each other
    one given those behind it.
    """
    observed = torch.as_tensor(~np.isnan(z))
    x = torch.as_tensor(np.nan_to_num(z))
    N, M = x.shape
    start = _Normal(x.new_zeros(M), torch.eye(M, dtype=x.dtype))
    start = _fit(x, observed, x.new_ones(N), start, FIRST_ITERATIONS)
    parts = list(_gaps(observed))
    for _ in range(m):
        times = torch.as_tensor(rng.multinomial(N, np.full(N, 1 / N))).to(x)
        normal = _fit(x, observed, times, start, ITERATIONS)
        drawn = x.clone()
        for gaps in parts:
            chance = rng.random(gaps.col.shape)
            location, root = normal.conditional(x, observed, gaps)
            at = gaps.row.unsqueeze(1).numpy(), gaps.col.numpy()
            low = lower[at]
            high = upper[at]
            d = torch.zeros_like(location)
            for j in reversed(range(gaps.col.shape[1])):
                spread = 1 / root[:, j, j]
                behind = (root[:, j + 1 :, j] * d[:, j + 1 :]).sum(1)
                centre = (location[:, j] - spread * behind).numpy()
                value = truncated(centre, spread.numpy(), low[:, j], high[:, j], chance[:, j])
                moved = torch.as_tensor(value) - location[:, j]
                d[:, j] = torch.where(gaps.inside[:, j], moved, 0.0)
            drawn[gaps.cells] = (location + d)[gaps.inside]
        yield drawn.numpy()


def _fit(x: Tensor, observed: Tensor, times: Tensor, normal: _Normal, iterations: int) -> _Normal:
    """The normal distribution of the rows of x, each counted ``times`` (N,), by EM from
    ``normal``."""
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
        for gaps in parts:
            location, root = normal.conditional(x, observed, gaps)
            filled[gaps.cells] = location[gaps.inside]
            weight = times[gaps.row].unsqueeze(2)
            spread = torch.cholesky_inverse(root) * gaps.both * weight  # (G, w, w)
            cell = gaps.col.unsqueeze(2) * M + gaps.col.unsqueeze(1)
            scatter.index_add_(0, cell.flatten(), spread.flatten())
        mean = (times * filled).sum(0) / n
        centred = filled - mean
        covariance = ((times * centred).T @ centred + scatter.view(M, M)) / n
        # as if one more entry had unit variance
        variance = (count * covariance.diagonal() + 1) / (count + 1)
        scale = (variance / covariance.diagonal().clamp(min=JITTER)).sqrt()
        covariance = keep * covariance * torch.outer(scale, scale)
        covariance.diagonal().copy_(variance + JITTER)
        moved = torch.stack([(mean - normal.mean).abs().max(), (covariance - before).abs().max()])
        before = covariance
        normal = _Normal(mean, torch.cholesky_inverse(torch.linalg.cholesky(covariance)))
        if moved.max() <= TOLERANCE:
            break
    return normal


def truncated(
    centre: np.ndarray, spread: np.ndarray, low: np.ndarray, high: np.ndarray, chance: np.ndarray
) -> np.ndarray:
    """Draws from normal distributions that are drawn again until they lie between ``low`` and
    ``high``: the quantiles ``chance`` (0 to 1) of what is left of them."""
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
    """The rows with missing cells, those with about as many together, ``NUMBERS_AT_ONCE`` numbers
    at a time."""
    N, M = observed.shape
    count = (~observed).sum(1)
    order = observed.to(torch.uint8).argsort(
        dim=1, stable=True
    )  # (N, M) the missing columns of each row first
    for which, width in similar_sizes(count):
        width = min(width, M)
        for some in which.split(max(1, NUMBERS_AT_ONCE // width**2)):
            inside = torch.arange(width) < count[some].unsqueeze(1)
            yield _Gaps(some, order[some, :width] * inside, inside)

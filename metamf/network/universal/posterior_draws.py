"""Draws of ratings from the posterior of ``universal``: rows, columns and noise.

Draws (u, a)_n and (v, b)_m come from the Gaussians of ``metamf.network.universal.variational`` and
are shared by all cells of their row and column, so the errors of a column go together as they do in
truth; the noise is drawn for each cell. Rows and columns are independent in that posterior, and
what the network does not explain is noise. So draws are right for cells, means and rankings, and
understate how columns are related.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from metamf.network.universal.effects import VarianceComponents
from metamf.network.universal.network import AdaptedUniversal
from metamf.network.universal.variational import Posterior, Prior


@torch.inference_mode()
def deviates(
    adapted: AdaptedUniversal, m: int, order: np.ndarray, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yields ``m`` arrays (N, M) of deviates: a rating minus its estimate, in predictive standard
    deviations.

    ``order`` (N,) : the rows in the order in which they take random numbers.
    """
    context = adapted.context
    rows = _Sampler(adapted.rows)
    cols = _Sampler(_in_doubt(adapted.cols, context.col_prior, context.variances))
    N = len(rows.mean)
    M = len(cols.mean)
    place = np.argsort(order)
    # (N, M) of the estimate and the noise, in units of the noise
    spread = np.sqrt(_variance(adapted))
    expected = _estimates(rows.mean, cols.mean)
    for _ in range(m):
        u = rows.draw(rng.standard_normal(rows.mean.shape)[place])
        v = cols.draw(rng.standard_normal(cols.mean.shape))
        noise = rng.standard_normal((N, M))[place]
        yield (_estimates(u, v) - expected + noise) / spread


class _Sampler:
    """Gaussians of the rows, or of the columns."""

    def __init__(self, side: Posterior):
        self.mean = side.mean.double().cpu().numpy()  # (n, K + 1)
        values, vectors = torch.linalg.eigh(side.cov.double())
        # (n, K + 1, K + 1)
        self.root = (vectors * values.clamp(min=0).sqrt().unsqueeze(1)).cpu().numpy()

    def draw(self, normal: np.ndarray) -> np.ndarray:
        return self.mean + np.einsum("nij,nj->ni", self.root, normal)


def _estimates(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    """(N, M) u . v + a + b."""
    return rows[:, :-1] @ cols[:, :-1].T + rows[:, -1:] + cols[:, -1]


def _variance(adapted: AdaptedUniversal) -> np.ndarray:
    """(N, M) 1 + the variance of the estimate, in units of the noise."""
    base, row_noise, col_noise = adapted.log_noise
    noise = (base + row_noise.unsqueeze(1) + col_noise).exp()
    return (adapted.variance_matrix() / noise).double().cpu().numpy()


def _in_doubt(cols: Posterior, prior: Prior, variances: VarianceComponents) -> Posterior:
    """The columns, with effects as uncertain as their own entries leave them.

    The posterior counts the prior's precision as knowledge, and its means are shrunken by it. Where
    the effects are larger than the network expects, the mean of a column is off by more than its
    posterior says: 95 % intervals covered 80 to 92 %, and 94 to 98 % without the prior's precision,
    but with no more doubt than the variance of the effects of this matrix leaves
    (benchmarks/results/draws.csv).
    """
    effect = cols.cov[:, -1, -1]
    own = 1 / effect - prior.precision[:, -1]
    wide = torch.where(own > 0, 1 / own, torch.inf)
    most = (variances.col / variances.noise)[0].to(wide)
    cov = cols.cov.clone()
    cov[:, -1, -1] += (torch.minimum(wide, most) - effect).clamp(min=0)
    return cols._replace(cov=cov)

"""Links: what features of rows or columns say of those without entries, learned from the others of
the same matrix.

For each of the K factors and for the effect, with the posterior mean theta_n of a row (or column)
and its features f_n,

    theta_n = c + f_n . w + e_n,    e_n ~ N(0, sigma^2 / r_n),    w ~ N(0, tau^2 I),

over the rows with entries, in which r_n is the share of the entries, and not of the prior, in what
is known of theta_n. sigma^2 and tau^2 are those of the highest evidence (MacKay 1992): features
that say nothing have a tau^2 near zero, and so switch themselves off. A row without entries is
moved by f_n . w from where it would be; the others stay.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from metamf.network.universal.variational import Posterior, Prior
from metamf.ratings.segments import Segments

ROUNDS = 30  # of the fixed-point iteration for sigma^2 and tau^2
SMALLEST = 1e-9  # of a variance, in units of that of theta


class Link(NamedTuple):
    """The link of the rows, or of the columns, of one matrix."""

    centre: Tensor  # (P,) features of which nothing follows, the average ones
    weight: Tensor  # (P, K + 1) w of each coordinate

    def shift(self, features: Tensor) -> Tensor:
        """f_n . w (n, K + 1), from features (n, P)."""
        return (features.to(self.centre) - self.centre) @ self.weight


def shifts(features: Tensor, side: Posterior, prior: Prior, by_matrix: Segments) -> Tensor:
    """f_n . w of all rows, or columns, of a batch, (n, K + 1), each matrix by its own link.

    ``features`` is (n, P); ``side`` and ``prior`` are the posterior of the rows, or columns, and
    their prior.
    """
    found = torch.zeros_like(side.mean)
    for d in range(by_matrix.n_groups):
        at = torch.nonzero(by_matrix.index == d).flatten()
        link = link_of(features[at], Posterior(side.mean[at], side.cov[at]), prior.precision[at])
        found[at] = link.shift(features[at])
    return found


@torch.no_grad()
def link_of(features: Tensor, side: Posterior, precision: Tensor) -> Link:
    """The link of one matrix, from the features (n, P) and the posterior of its rows, or columns,
    and the prior precisions (n, K + 1)."""
    F = features.double()  # (n, P)
    theta = side.mean.double()  # (n, k)
    r = (1 - precision * side.cov.diagonal(dim1=1, dim2=2)).clamp(0, 1).double()  # (n, k)
    total = r.sum(0).clamp(min=SMALLEST)  # (k,)
    centre = r.mean(1) @ F / r.mean(1).sum().clamp(min=SMALLEST)  # (P,)
    scale = (F - centre).square().mean(0).sqrt()
    # a feature that does not vary says nothing
    scale = torch.where(scale > SMALLEST, scale, torch.inf)
    F = (F - centre) / scale
    theta = theta - (r * theta).sum(0) / total
    spread = ((r * theta.square()).sum(0) / total).clamp(min=SMALLEST)  # (k,)
    strength, basis = torch.linalg.eigh(
        torch.stack([F.T @ (F * share) for share in r.T.unsqueeze(2)])
    )  # (k, P, P)
    strength = strength.clamp(min=0)
    pull = torch.einsum("kpq,pk->kq", basis, F.T @ (r * theta))  # (k, P)
    sigma2 = spread
    tau2 = spread / F.shape[1]
    for _ in range(ROUNDS):
        evidence = strength / sigma2.unsqueeze(1)  # (k, P)
        precision = evidence + 1 / tau2.unsqueeze(1)
        w = pull / sigma2.unsqueeze(1) / precision
        known = (evidence / precision).sum(1)  # (k,) the number of weights that the rows determine
        squares = spread * total - 2 * (w * pull).sum(1) + (strength * w.square()).sum(1)
        tau2 = (w.square().sum(1) / known.clamp(min=SMALLEST)).clamp(min=SMALLEST * spread)
        sigma2 = (squares / (total - known).clamp(min=1)).clamp(min=SMALLEST * spread)
    weight = torch.einsum("kpq,kq->pk", basis, w) / scale.unsqueeze(1)
    return Link(centre.to(side.mean.dtype), weight.to(side.mean.dtype))

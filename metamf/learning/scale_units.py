"""Estimation of ``ScaleUnits``: mean and spread of a matrix, shrunk towards what its rating scale suggests.

The mean and the spread of a handful of ratings are poor estimates, yet everything else is measured in them. A known
rating scale suggests both before any rating is seen. With ratings as shares of the scale's length above its minimum,
the units are those of the n observed entries and of k_1 and k_2 pseudo-observations:

    mean = (sum of x + k_1 m_0) / (n + k_1),    variance = (sum of (x - mean)^2 + k_2 v_0) / (n + k_2).

The four numbers m_0, v_0, k_1, k_2 are estimated here on meta-training matrices and stored in the checkpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

import torch
from torch import Tensor

from metamf.episodes import Episode
from metamf.ratings.whole_units import ScaleUnits


def fit_units(episodes: Sequence[Episode]) -> ScaleUnits:
    """The units in which query entries have the highest Gaussian likelihood, by L-BFGS on the logarithms of the four
    numbers.

    Parameters
    ----------
    episodes : episodes in rating units, each with a rating scale and a query entry; an episode weighs as the square
        root of its number of query entries
    """
    shares = [_shares_of_the_scale(episode) for episode in episodes]
    n, total, squares = torch.stack([_moments(support) for support, _ in shares]).T
    n_query, query_total, query_squares = torch.stack([_moments(query) for _, query in shares]).T
    parameters = torch.tensor(astuple(ScaleUnits()), dtype=torch.float64).log().requires_grad_()
    optimizer = torch.optim.LBFGS([parameters], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        mean_0, variance_0, k_1, k_2 = parameters.exp()
        mean = (total + k_1 * mean_0) / (n + k_1)
        variance = (squares - 2 * mean * total + n * mean.square() + k_2 * variance_0) / (n + k_2)
        error = query_squares - 2 * mean * query_total + n_query * mean.square()
        loss = ((error / variance / n_query + variance.log()) * n_query.sqrt()).sum() / n_query.sqrt().sum()
        loss.backward()
        return loss

    with torch.enable_grad():
        optimizer.step(closure)
    return ScaleUnits(*parameters.detach().exp().tolist())


def _shares_of_the_scale(episode: Episode) -> list[Tensor]:
    """The support and the query entries as shares of the scale's length above its minimum."""
    scale = episode.support.scale
    if scale is None:
        raise ValueError("units are estimated from episodes whose rating scale is known: give each one its scale")
    length = scale.maximum - scale.minimum
    return [
        torch.from_numpy((part.values - scale.minimum) / length).double() for part in (episode.support, episode.query)
    ]


def _moments(x: Tensor) -> Tensor:
    """The number of values, their sum, and the sum of their squares."""
    return torch.stack([x.new_tensor(len(x)), x.sum(), x.square().sum()])

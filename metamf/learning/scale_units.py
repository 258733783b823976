"""The units of a matrix of an unknown domain, from its own observed entries: few of them, if need be.

The mean and the spread of a handful of ratings are poor estimates, and everything else is measured in them. A known
rating scale says something about both before any rating is seen. With the ratings as shares of the scale's length above
its minimum, the units are those of n observed entries and a few made-up ones:

    mean = (sum of x + k_1 m_0) / (n + k_1),    variance = (sum of (x - mean)^2 + k_2 v_0) / (n + k_2).

The four numbers m_0, v_0, k_1, k_2 are estimated on meta-training matrices and travel in the checkpoint. Since the
scale changes with the units, an affine change of both changes nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple

import torch

from metamf.episodes import Episode
from metamf.ratings.units import ScaleUnits


def fit_units(episodes: Sequence[Episode]) -> ScaleUnits:
    """The units in which query entries have the highest Gaussian likelihood, each episode weighing as the root of its
    query entries; by L-BFGS on the logarithms. Every episode needs a scale and a query entry."""
    scales = [episode.support.scale for episode in episodes]
    shares = [
        [
            torch.from_numpy((part.values - scale.minimum) / (scale.maximum - scale.minimum)).double()
            for part in (episode.support, episode.query)
        ]
        for episode, scale in zip(episodes, scales)
    ]
    moments = lambda x: torch.stack([x.new_tensor(len(x)), x.sum(), x.square().sum()])  # noqa: E731
    n, total, squares = torch.stack([moments(support) for support, _ in shares]).T
    n_query, query_total, query_squares = torch.stack([moments(query) for _, query in shares]).T
    parameters = torch.tensor(astuple(ScaleUnits()), dtype=torch.float64).log().requires_grad_()
    optimizer = torch.optim.LBFGS([parameters], max_iter=200, line_search_fn="strong_wolfe")

    def closure():
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

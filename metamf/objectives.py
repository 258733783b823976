"""What meta-training minimises."""

from __future__ import annotations

import torch
from torch import Tensor

from metamf.episodes import EpisodeBatch


def query_error(method, episodes: EpisodeBatch) -> Tensor:
    """The loss of Eq. (8): mean squared error over the query entries of the batch, in standardised units."""
    estimates = method.adapt(episodes.support).predict(episodes.query_row, episodes.query_col)
    return (estimates - episodes.query_x).square().sum() / max(len(episodes.query_x), 1)


def calibrated_error(method, episodes: EpisodeBatch) -> Tensor:
    """Squared error of the estimates, plus the Gaussian negative log likelihood of the variances around them.

    The estimate is held fixed inside the likelihood, so that it is trained by its error alone, and the variance to
    describe it. Episodes of very different sizes share a batch: each weighs as the root of its number of query entries.
    """
    adapted = method.adapt(episodes.support)
    at = episodes.query_row, episodes.query_col
    square = (adapted.predict(*at) - episodes.query_x).square()
    variance = adapted.variance(*at)
    likelihood = (variance.log() + square.detach() / variance) / 2
    matrix = episodes.query_matrix
    weight = torch.bincount(matrix, minlength=len(episodes.support)).clamp(min=1).rsqrt()[matrix]
    return ((square + likelihood) * weight).sum() / weight.sum().clamp(min=1)

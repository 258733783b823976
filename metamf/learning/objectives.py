"""The objectives of meta-training, Eq. (9): weighted means over query entries.

Each returns the weighted sum and the sum of its weights; training minimises their ratio.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from metamf.learning.episodes import EpisodeBatch
from metamf.ratings.batch import RatingsBatch


def query_error(method: nn.Module, episodes: EpisodeBatch) -> Tensor:
    """The loss of Eq. (9): the mean squared error over the query entries of the batch, standardised
    units squared."""
    total, weight = squared_errors(method, episodes)
    return total / weight.clamp(min=1)


def squared_errors(method: nn.Module, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
    """The sum of squared errors over the query entries, and their number."""
    squares = _squares(adapted(method, episodes.support), episodes)
    return squares.sum(), squares.new_tensor(len(squares))


def errors_at_any_step(method: nn.Module, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
    """``squared_errors`` after a random number of steps, 0 to T, the same for the batch: every step
    is trained for.

    The number comes from torch's generator, which training seeds.
    """
    network: Any = method  # with settings, of which nn.Module does not know
    steps = int(torch.randint(network.config.steps + 1, ()))
    squares = _squares(adapted(method, episodes.support, steps), episodes)
    return squares.sum(), squares.new_tensor(len(squares))


def calibrated_errors(method: nn.Module, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
    """Squared error of the estimates plus the Gaussian negative log likelihood of the variances
    around them.

    For a query entry with value x, estimate m and variance v, in a matrix whose mean variance is s,

        (x - m)^2 / sg(s)  +  (log v + sg((x - m)^2) / v) / 2,

    where sg stops the gradient (``detach``): the estimate is trained by its error alone, and the
    variance by the likelihood. Dividing by s makes errors of matrices with little and with much
    noise comparable. Episodes of very different sizes share a batch: each weighs as the square root
    of its number of query entries.
    """
    found = adapted(method, episodes.support)
    matrix = episodes.query_matrix
    square = _squares(found, episodes)
    variance = found.variance(episodes.query_row, episodes.query_col)
    likelihood = (variance.log() + square.detach() / variance) / 2
    # (D,)
    count = torch.bincount(matrix, minlength=len(episodes.support)).clamp(min=1).to(square.dtype)
    weight = count.rsqrt()[matrix]
    spread = torch.zeros_like(count).index_add_(0, matrix, variance.detach()) / count  # (D,)
    return ((square / spread[matrix] + likelihood) * weight).sum(), weight.sum()


def adapted(method: nn.Module, support: RatingsBatch, steps: int | None = None) -> Any:
    """What a method found of a batch, by its own number of rounds or by ``steps``: ``predict(row,
    col)`` gives estimates at positions of the batch, and ``variance(row, col)`` their predictive
    variances, of a method with intervals. nn.Module does not know of ``adapt``."""
    adapt: Any = method.adapt
    return adapt(support) if steps is None else adapt(support, steps)


def _squares(found: Any, episodes: EpisodeBatch) -> Tensor:
    """(n_query,) squared errors of the query entries, standardised units squared."""
    return (found.predict(episodes.query_row, episodes.query_col) - episodes.query_x).square()

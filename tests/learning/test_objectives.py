"""Objectives: their values by hand, and where their gradients flow."""

import numpy as np
import pytest
import torch
from problems import random_ratings, small_model, small_universal

from metamf.learning.episodes import Episode, EpisodeBatch, divide_entries
from metamf.learning.objectives import calibrated_errors, query_error
from metamf.ratings.matrix import Ratings


def calibrated_error(method, episodes):
    total, weight = calibrated_errors(method, episodes)
    return total / weight.clamp(min=1)


def episodes_of(*shapes: tuple[int, int], share: float = 0.5) -> EpisodeBatch:
    matrices = [random_ratings(*shape, seed=index) for index, shape in enumerate(shapes)]
    rng = np.random.default_rng(0)
    return EpisodeBatch.of(
        [divide_entries(ratings, share, rng) for ratings in matrices], torch.float64
    )


class Given:
    """A method whose estimates and variances of the query entries are leaves."""

    def __init__(self, episodes: EpisodeBatch):
        generator = torch.Generator().manual_seed(1)
        estimate, spread = torch.randn(
            2, len(episodes.query_x), generator=generator, dtype=torch.float64
        )
        self.estimate, self.spread = estimate.requires_grad_(), spread.exp().requires_grad_()

    def adapt(self, support):
        return self

    def predict(self, row, col):
        return self.estimate

    def variance(self, row, col):
        return self.spread


def test_the_query_error_is_the_mean_squared_error_over_the_query_entries():
    episodes, model = episodes_of((9, 7), (4, 5)), small_model().double()
    with torch.no_grad():
        estimates = model.adapt(episodes.support).predict(episodes.query_row, episodes.query_col)
    expected = np.mean((estimates - episodes.query_x).numpy() ** 2)
    assert query_error(model, episodes).item() == pytest.approx(expected, rel=1e-12)


def test_the_calibrated_error_weighs_a_matrix_as_the_root_of_its_query_entries_and_by_its_mean_variance():
    episodes = episodes_of((9, 7), (4, 5), (12, 3))
    method = Given(episodes)
    x, estimate, variance = (
        part.detach().numpy() for part in (episodes.query_x, method.estimate, method.spread)
    )
    matrix = episodes.query_matrix.numpy()
    spread = np.array([variance[matrix == d].mean() for d in range(3)])[matrix]
    loss = (x - estimate) ** 2 / spread + (np.log(variance) + (x - estimate) ** 2 / variance) / 2
    parts = [loss[matrix == d] for d in range(3)]
    roots = [np.sqrt(len(part)) for part in parts]
    expected = sum(root * part.mean() for root, part in zip(roots, parts)) / sum(roots)
    assert len({len(part) for part in parts}) == 3
    assert calibrated_error(method, episodes).item() == pytest.approx(expected, rel=1e-6)


def test_estimates_are_trained_by_their_error_alone_and_variances_by_the_likelihood():
    episodes = episodes_of((9, 7))
    method = Given(episodes)
    calibrated_error(method, episodes).backward()
    n, residual = len(episodes.query_x), (method.estimate - episodes.query_x).detach()
    variance = method.spread.detach()
    # whatever each one's variance
    torch.testing.assert_close(method.estimate.grad, 2 * residual / n / variance.mean())
    slope = (1 / variance - residual.square() / variance.square()) / (2 * n)
    torch.testing.assert_close(method.spread.grad, slope)


def test_nothing_to_predict_costs_nothing():
    support = random_ratings(4, 3)
    episodes = EpisodeBatch.of([Episode(support, Ratings([], [], np.array([]), (4, 3)))])
    for objective in (query_error, calibrated_error):
        loss = objective(small_universal(), episodes)
        loss.backward()
        assert loss.item() == 0

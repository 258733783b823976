"""Crossed random effects: equal to the textbook's dense Gaussian formulas, and variances
recovered."""

from dataclasses import astuple

import numpy as np
import pytest
import torch
from problems import CORNER_CASES, random_ratings

from metamf.baselines import crossed_effects
from metamf.baselines.crossed_effects import (
    CrossedEffects,
    CrossedEffectsConfig,
    CrossedPosterior,
    conjugate_gradients,
    fit_variances,
)
from metamf.learning.episodes import EpisodeBatch, held_out_blocks
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.testing import all_cells

CONFIG = CrossedEffectsConfig(level=0.3, row=0.5, column=0.2, noise=0.7)
VARIANCES = torch.tensor(astuple(CONFIG), dtype=torch.float64)
CASES = CORNER_CASES | {"wide": random_ratings(4, 11), "tall": random_ratings(11, 4)}


def textbook(ratings: Ratings):
    """Mean and variance of a new rating of every cell, (N, M), and the log density of the observed
    ones: the conditional of the joint Gaussian of all cells, whose covariance is level + row +
    column + noise."""
    level, row, column, noise = astuple(CONFIG)
    n, m = (index.ravel() for index in np.indices(ratings.shape))
    K = level + row * (n[:, None] == n) + column * (m[:, None] == m)  # (N M, N M)
    at = ratings.rows * ratings.n_cols + ratings.cols
    C = K[np.ix_(at, at)] + noise * np.eye(len(at))
    mean = K[:, at] @ np.linalg.solve(C, ratings.values)
    variance = np.diag(K) + noise - np.einsum("ij,ji->i", K[:, at], np.linalg.solve(C, K[at]))
    within = ratings.values @ np.linalg.solve(C, ratings.values)
    density = -(within + np.linalg.slogdet(2 * np.pi * C)[1]) / 2
    return mean, variance, density


def test_a_batch_of_mixed_sizes_is_the_textbooks_matrix_by_matrix():
    batch = RatingsBatch.of(list(CASES.values()), torch.float64)
    mean, variance, density = zip(*map(textbook, CASES.values()))
    posterior, cells = CrossedPosterior(batch, VARIANCES), all_cells(batch)
    row, col = posterior.mean
    torch.testing.assert_close(row[cells[0]] + col[cells[1]], torch.tensor(np.concatenate(mean)))
    torch.testing.assert_close(posterior.variance(*cells), torch.tensor(np.concatenate(variance)))
    torch.testing.assert_close(posterior.log_likelihood, torch.tensor(density, dtype=torch.float64))


def test_conjugate_gradients_say_so_when_they_do_not_converge():
    batch = RatingsBatch.of([random_ratings(30, 30)])
    with pytest.raises(RuntimeError, match="did not converge in 2 iterations"):
        conjugate_gradients(batch, VARIANCES, limit=2)


def test_large_matrices_take_the_sparse_road_and_arrive_at_the_same_place(monkeypatch):
    batch, method = RatingsBatch.of([random_ratings(40, 30)]), CrossedEffects(CONFIG)
    cells = all_cells(batch)
    dense = method.adapt(batch)
    monkeypatch.setattr(crossed_effects, "DENSE_CELLS", 100)
    with torch.no_grad():
        sparse = method.adapt(batch)
    assert sparse.row is not dense.row
    for name in ("predict", "predict_variance"):
        found, expected = (getattr(each, name)(*cells) for each in (sparse, dense))
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)


def simulated(D: int, N: int, M: int, density: float) -> list[Ratings]:
    rng = np.random.default_rng(0)
    level, row, column, noise = np.sqrt(astuple(CONFIG))
    X = level * rng.standard_normal((D, 1, 1)) + row * rng.standard_normal((D, N, 1))
    X = X + column * rng.standard_normal((D, 1, M)) + noise * rng.standard_normal((D, N, M))
    X[rng.random(X.shape) > density] = np.nan
    return [Ratings.from_dense(each) for each in X]


def test_maximum_likelihood_recovers_the_variances():
    estimate = fit_variances(RatingsBatch.of(simulated(150, 15, 12, 0.5)))
    # four standard errors, each about sqrt(2 / levels) of it; there are as many levels as matrices
    assert estimate.level == pytest.approx(CONFIG.level, rel=4 * (2 / 150) ** 0.5)
    assert estimate.row == pytest.approx(CONFIG.row, rel=0.2)
    assert estimate.column == pytest.approx(CONFIG.column, rel=0.25)
    assert estimate.noise == pytest.approx(CONFIG.noise, rel=0.05)


def test_episodes_give_the_variances_of_their_whole_matrices():
    matrices = simulated(8, 10, 9, 0.8)
    blocks = [held_out_blocks(m, 1, [i], m.shape)[0] for i, m in enumerate(matrices)]
    found, expected = (
        fit_variances(EpisodeBatch.of(blocks)),
        fit_variances(RatingsBatch.of(matrices)),
    )
    assert astuple(found) == pytest.approx(astuple(expected), rel=1e-3)

"""Training on matrices that are drawn afresh: what a network is given, and the checkpoint that it
becomes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from problems import random_ratings, small_model

from metamf.checkpoints.bundled import open_checkpoint
from metamf.checkpoints.files import load_checkpoint
from metamf.datasets.film_nights import SHOWN, film_night
from metamf.learning.episodes import DrawnSampler, EpisodeBatch, divide_entries
from metamf.learning.objectives import errors_at_any_step
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization
from metamf.recipes.drawn import (
    FILM_NIGHTS,
    RECIPES,
    STAR_UNITS,
    DrawnRun,
    drawn_data,
    drawn_film_night,
    joke_blocks,
)


@pytest.fixture(scope="module")
def data():
    return drawn_data(FILM_NIGHTS)


def test_a_drawn_batch_has_the_cells_of_its_matrices_as_support_and_query():
    drawn = [
        (np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[True, False], [True, True]])),
        (np.ones((1, 3)), np.eye(1, 3) > 0),
    ]
    queue = iter(drawn)
    sampler = DrawnSampler(lambda rng: next(queue), Standardization(1.0, 2.0))
    batch = sampler.sample(np.random.default_rng(0), 2)
    matrices = [Ratings.from_dense(np.where(given, (X - 1) / 2, np.nan)) for X, given in drawn]
    expected = RatingsBatch.of(matrices, torch.float32)
    for name in ("x", "row", "col", "n_rows", "n_cols"):
        assert torch.equal(getattr(batch.support, name), getattr(expected, name)), name
    assert batch.query_x.tolist() == [0.5, 0, 0]
    assert (batch.query_row.tolist(), batch.query_col.tolist()) == ([0, 2, 2], [1, 3, 4])


def test_jokes_are_given_by_liking_in_blocks_of_complete_rows():
    ratings = Ratings.from_dense(np.random.default_rng(0).uniform(-10, 10, (60, 25)))
    draw, rng = joke_blocks(ratings), np.random.default_rng(1)
    leads = []
    for _ in range(40):
        X, given = draw(rng)
        assert X.shape == (30, 20)
        assert given.sum() == 180
        leads.append(X[given].mean() - X.mean())
    assert 1 < np.mean(leads) < 5


@pytest.mark.slow
def test_a_run_learns_and_ends_in_a_checkpoint_that_takes_safe_steps(data, tmp_path):
    run = DrawnRun(FILM_NIGHTS, data, epochs=1)
    run.training.config = replace(run.training.config, updates_per_epoch=30)
    before = run.errors()["ratio"]
    list(run.training.run())
    info = run.finish(tmp_path / "mine.safetensors", "python -m metamf train --data film-nights")
    assert info.errors["ratio"] < min(before, 0.95)
    assert (info.standardization, info.training_mean) == (STAR_UNITS, data.mean)
    assert not info.is_usual
    network, found = load_checkpoint(tmp_path / "mine.safetensors")
    assert found == info
    assert network.config == RECIPES[FILM_NIGHTS].model
    assert "people rather rate what they like" in (tmp_path / "mine.md").read_text()
    X, given = drawn_film_night(np.random.default_rng(0))
    assert network.adapt(batch_of(X, given), step_rule="auto").rule == "safe"


def test_every_step_is_trained_for_at_a_random_number_of_steps():
    network = small_model()
    episode = divide_entries(random_ratings(9, 7), 0.5, np.random.default_rng(0))
    batch = EpisodeBatch.of([episode])
    errors = set()
    for steps in range(network.config.steps + 1):
        adapted = network.adapt(batch.support, steps=steps)
        estimates = adapted.predict(batch.query_row, batch.query_col)
        errors.add((estimates - batch.query_x).square().sum().item())
    torch.manual_seed(0)
    found = {errors_at_any_step(network, batch)[0].item() for _ in range(8)}
    assert found <= errors and len(found) > 2


def test_the_bundled_network_finds_tastes_and_is_not_fooled_by_what_people_choose():
    """Bands of benchmarks.accuracy.film_nights, on twenty nights."""
    network, info = open_checkpoint("film-nights")
    found = []
    for seed in range(20):
        night = film_night(seed, SHOWN)
        given = night.given(0.3, 1.0)
        adapted = network.adapt(batch_of(night.truth, given), step_rule="auto")
        estimate = np.clip((adapted.U @ adapted.V.T).numpy() * 1.2 + 3.5, 1, 5)
        missing = (estimate - night.truth)[~given]
        naive = night.truth[given].mean() - night.truth[~given]
        tastes = np.corrcoef(centred(estimate).ravel(), centred(night.tastes).ravel())[0, 1]
        found.append(
            (np.sqrt(np.mean(missing**2)), np.sqrt(np.mean(naive**2)), missing.mean(), tastes)
        )
    error, naive, bias, tastes = np.mean(found, 0)
    assert error < 0.8 < 1.3 < naive
    assert abs(bias) < 0.15
    assert tastes > 0.75
    assert info.training_mean == pytest.approx(3.53, abs=0.03)


def batch_of(X, given):
    """The given stars of one matrix, in the units of film nights."""
    return RatingsBatch.of([Ratings.from_dense(np.where(given, (X - 3.5) / 1.2, np.nan))])


def centred(X):
    return X - X.mean(0) - X.mean(1, keepdims=True) + X.mean()

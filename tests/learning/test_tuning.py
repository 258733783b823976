"""Tuning by hiding: it helps where there is something to learn, keeps the untouched network
otherwise, and stops."""

import copy

import numpy as np
import pytest
import torch
from problems import random_ratings, small_model, structured_ratings

from metamf.checkpoints.bundled import find_checkpoint
from metamf.checkpoints.files import load_checkpoint
from metamf.learning.objectives import calibrated_errors, squared_errors
from metamf.learning.tuning import (
    CHECK_EVERY,
    FEWEST_TO_TUNE,
    HORIZONS,
    STALE_CHECKS,
    Tuning,
    check_part,
    tune,
    usual_steps,
)
from metamf.ratings.matrix import Ratings

MATRIX = structured_ratings(40, 30)


def tuned(ratings=MATRIX, progress=None, **settings):
    return tune(small_model(), ratings, squared_errors, Tuning(**settings), progress)


@pytest.mark.slow
def test_the_network_gets_better_on_entries_that_tuning_does_not_see_and_stays_as_it_was_given():
    """On a matrix of three factors and little noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 20)) / 1.7 + 0.2 * rng.normal(size=(40, 20))
    X[rng.random(X.shape) < 0.4] = np.nan
    network, _ = load_checkpoint(find_checkpoint("universal"))
    before = copy.deepcopy(network.state_dict())
    other, report = tune(network, Ratings.from_dense(X), calibrated_errors, Tuning(steps=30))
    assert report.error < 0.95 * report.first_error
    assert report.gain > report.spread > 0
    assert report.kept > 0 and report.checked > 0
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())
    assert any(not torch.equal(value, before[name]) for name, value in other.state_dict().items())
    assert not other.training


def test_the_same_seed_gives_the_same_network_and_another_seed_another():
    # of 2 the tuned network is kept
    states = [tuned(steps=10, seed=seed)[0].state_dict() for seed in (2, 2, 1)]
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    assert any(not torch.equal(states[0][name], states[2][name]) for name in states[0])


@pytest.mark.parametrize("largest", [100_000, 300])
def test_the_order_of_rows_and_columns_makes_no_difference(monkeypatch, largest):
    monkeypatch.setattr("metamf.learning.tuning.LARGEST_EPISODE", largest)
    monkeypatch.setattr("metamf.learning.tuning.SIDE_COST", 1)
    rng = np.random.default_rng(1)
    X = np.where(rng.random((40, 20)) < 0.5, rng.integers(-2, 3, (40, 20)) / 1.4, np.nan)
    rows = rng.permutation(40)
    cols = rng.permutation(20)
    own, moved = (Ratings.from_dense(each) for each in (X, X[np.ix_(rows, cols)]))
    np.testing.assert_array_equal(
        check_part(moved, 3).query.to_dense(),
        check_part(own, 3).query.to_dense()[np.ix_(rows, cols)],
    )
    errors = [tuned(each, steps=10)[1].error for each in (own, moved)]
    assert errors[0] == pytest.approx(errors[1], rel=1e-4)


@pytest.mark.slow
def test_where_there_is_nothing_to_learn_auto_stops_early_and_keeps_what_is_no_worse():
    _, report = tuned(random_ratings(20, 12), steps=None)
    assert report.error <= report.first_error
    assert report.steps == min(HORIZONS[0], report.kept + STALE_CHECKS * CHECK_EVERY)


def test_a_matrix_with_next_to_no_entries_is_left_alone():
    few = Ratings.from_dense(np.ones((FEWEST_TO_TUNE - 1, 1)))
    network = small_model()
    other, report = tune(network, few, squared_errors)
    assert other is network and report.steps == 0


def test_whoever_listens_hears_the_error_fall_and_can_stop_with_the_best_so_far():
    heard = []

    def stop_after_two(progress):
        heard.append(progress)
        return len(heard) == 2

    _, report = tuned(progress=stop_after_two, steps=100)
    assert [progress.step for progress in heard] == [10, 20]
    assert report.steps == 20
    assert report.kept == heard[-1].best_step


def test_the_size_alone_says_how_many_steps_are_planned():
    found = [usual_steps(random_ratings(size, size)) for size in (5, 100, 300, 500)]
    assert found == [160, 160, 80, 40]


def test_a_network_in_double_precision_comes_back_in_double_precision():
    network = small_model().double()
    other, _ = tune(network, MATRIX, squared_errors, Tuning(steps=10))
    assert {parameter.dtype for parameter in other.parameters()} == {torch.float64}


@pytest.mark.slow
def test_the_number_of_rounds_is_the_one_with_the_lowest_error_on_hidden_entries():
    settings = Tuning(steps=10, seed=1)
    _, plain = tuned(steps=10, seed=1)
    _, chosen = tune(small_model(), MATRIX, squared_errors, settings, rounds=(3, 60, 1))
    assert plain.rounds is None and chosen.rounds in (3, 60, 1) and chosen.error <= plain.error
    _, worst = tune(small_model(), MATRIX, squared_errors, settings, rounds=(1,))
    assert worst.rounds == 1 and worst.first_error != plain.first_error

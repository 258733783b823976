"""Meta-training to watch, on made-up ratings: it beats the support mean, obeys, and leaves a checkpoint that works."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

import metamf
from metamf.checkpoints.bundled import checkpoint_title, describe
from metamf.recipes import live
from metamf.recipes.live import MADE_UP, SHOWN_LINES, LiveData, LiveTraining, made_up_matrix

UPDATES = 30


@pytest.fixture(scope="module")
def data():
    return LiveData.load(MADE_UP)


@pytest.fixture(scope="module")
def trained(data):
    """A training of UPDATES updates, its reports, and the squared error on the shown matrix before and after."""
    training = LiveTraining(data)
    before = error_on(data.shown, training.estimates())
    found = reports(training, UPDATES)
    return training, found, before, error_on(data.shown, training.estimates())


def reports(training, updates):
    found = []
    for report in training.run():
        if report:
            found.append(report)
        if training.update >= updates:
            return found


def error_on(shown, values):
    return np.square(values[shown.query.rows, shown.query.cols] - shown.query.values).mean()


@pytest.mark.slow
def test_a_few_updates_bring_the_error_far_below_the_support_mean_and_the_checkpoint_that_learned_on_films(
    data, trained
):
    _, found, before, after = trained
    mean, (title, bundled) = data.support_mean_error(), data.bundled_error()
    assert title == "Trained on films" and bundled < mean
    assert found[-1].error < 0.6 * mean and found[-1].error < bundled < found[0].error
    assert after < 0.7 * before and data.shown.query.nnz > 30


@pytest.mark.slow
def test_reports_begin_with_the_random_weights_and_are_evenly_spaced_on_a_logarithmic_axis(data, trained, monkeypatch):
    assert [report.update for report in trained[1]][:4] == [0, 5, 10, 15] and np.isnan(trained[1][0].loss)
    monkeypatch.setattr(live, "GROWTH", 2)
    assert [report.update for report in reports(LiveTraining(data), 20)] == [0, 5, 10, 20]


@pytest.mark.slow
def test_another_learning_rate_holds_from_then_on(data):
    slow, changed = LiveTraining(data, 1e-6), LiveTraining(data, 1e-6)
    run = changed.run()
    while changed.update < 5:
        next(run)
    changed.change_learning_rate(1e-3)
    while changed.update < 15:
        next(run)
    reports(slow, 15)
    assert changed.rates == {0: 1e-6, 5: 1e-3}
    errors = [training.training.history[-1].validation_error for training in (changed, slow)]
    assert errors[0] < 0.99 * errors[1]
    assert changed.training.history[:1] == slow.training.history[:1]


def test_training_that_diverges_ends_and_keeps_the_best(data, tmp_path):
    training = LiveTraining(data, 1e3)
    list(training.run())
    assert training.diverged
    info = training.finish(tmp_path / "mine.safetensors")
    assert np.isfinite(info.errors["query_mse"]) and "diverged" in (tmp_path / "mine.md").read_text()


def test_the_checkpoint_holds_the_best_parameters_and_is_used_like_any_other(data, trained, tmp_path):
    training, found, _, _ = trained
    training.change_learning_rate(1e-2)
    info = training.finish(tmp_path / "mine.safetensors")
    assert describe(tmp_path / "mine.safetensors") == info
    best = min(found[1:], key=lambda report: report.error).update
    assert info.recipe["kept_update"] == best and info.errors["ratio"] < 0.95
    json.dumps(info.recipe)
    given = data.shown.support
    filled = metamf.MetaMFImputer(checkpoint=tmp_path / "mine.safetensors").fit_transform(given)
    assert error_on(data.shown, filled) < data.prepared.standardization.std**2
    card = (tmp_path / "mine.md").read_text()
    assert f"update\n{best} of {UPDATES}" in card and "made-up" in card and f"0.01 from update {UPDATES} on" in card


@pytest.mark.data
def test_on_real_ratings_it_comes_near_the_bundled_checkpoint_within_a_few_hundred_updates():
    torch.set_num_threads(1)
    data = LiveData.load("ml-100k")
    last = reports(LiveTraining(data), 300)[-1]
    assert last.error < 1.02 * data.bundled_error()[1] < data.support_mean_error()
    assert checkpoint_title("ml-100k") == data.bundled_error()[0]


@pytest.fixture(scope="module")
def unknown():
    """Made-up ratings whose truth is not told, with names."""
    ratings = made_up_matrix().ratings
    named = replace(ratings, row_labels=tuple(map(str, range(900))), col_labels=tuple(map(str, range(600))))
    return LiveData.of(MADE_UP, named)


def test_the_shown_matrix_is_held_out(unknown):
    """Its names are those of rows and columns that no matrix of the training has."""
    for side in ("row_labels", "col_labels"):
        assert not set(getattr(unknown.shown.support, side)) & set(getattr(unknown.prepared.train, side))


def test_half_of_the_shown_ratings_are_given_where_no_truth_is_known(unknown):
    given, hidden = unknown.shown.support, unknown.shown.query
    assert abs(given.nnz - hidden.nnz) <= 1 and given.shape == hidden.shape == (SHOWN_LINES, SHOWN_LINES)
    assert {1, 5} <= set(given.values) | set(hidden.values) <= {1, 2, 3, 4, 5}  # rating units


def test_a_data_set_that_is_not_there_says_how_to_get_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="metamf download ml-100k"):
        LiveData.load("ml-100k", tmp_path)

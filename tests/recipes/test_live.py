"""Meta-training to watch, on film nights: it finds tastes, obeys, and leaves a checkpoint that
works."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from made_up import made_up_ratings

import metamf
from metamf.checkpoints.bundled import checkpoint_title, describe
from metamf.datasets.examples import FILM_NIGHT
from metamf.datasets.film_nights import film_night
from metamf.recipes.drawn import FILM_NIGHTS
from metamf.recipes.live import SHOWN_LINES, LiveData, LiveTraining
from metamf.webapp.choices import DEFAULT
from metamf.webapp.run.curve import curves_of

UPDATES = 150  # up to 110 the tastes still come and go, between 0.4 and 0.7


@pytest.fixture(scope="module")
def data():
    return LiveData.load(FILM_NIGHTS)


@pytest.fixture(scope="module")
def trained(data):
    """A training of UPDATES updates, its reports, and the squared error on the shown matrix before
    and after."""
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


def tastes_found(estimates):
    """The correlation of estimated and true tastes of the shown night, after row and column means
    are taken away."""
    patterns = []
    for X in (estimates, film_night(0).tastes):
        patterns.append((X - X.mean(axis=0) - X.mean(axis=1, keepdims=True) + X.mean()).ravel())
    return np.corrcoef(*patterns)[0, 1]


@pytest.mark.slow
def test_some_updates_find_the_tastes_of_the_night_and_pass_the_methods_that_see_it_alone(
    data, trained
):
    training, found, before, after = trained
    lines = curves_of(FILM_NIGHT, DEFAULT.by, DEFAULT.model).lines
    simple = min(lines[key].at(DEFAULT.keep) for key in ("mf", "simple"))  # RMSE, stars
    assert found[-1].error < 0.97**2 * found[0].error
    assert after < 0.85 * before and after**0.5 < simple
    assert abs(tastes_found(LiveTraining(data).estimates())) < 0.5
    assert tastes_found(training.estimates()) > 0.6
    title, bundled = data.bundled_error()
    assert title == "Trained on film nights"
    assert bundled < found[-1].error < data.support_mean_error()


def test_the_shown_night_is_the_first_of_the_app(data):
    given, hidden = data.shown.support, data.shown.query
    night = film_night(0)
    assert given.shape == night.truth.shape and given.nnz + hidden.nnz == night.truth.size
    assert given.nnz == round(0.01 * DEFAULT.keep * night.truth.size)
    assert given.row_labels == night.names(0)[0]
    assert night.given(0.01 * DEFAULT.keep, 1.0)[given.rows, given.cols].all()


@pytest.mark.slow
def test_another_learning_rate_holds_from_then_on(data):
    training = LiveTraining(data, 1e-6)
    errors = []
    for report in training.run():
        errors.append(report.error)
        if training.update == 5:
            training.change_learning_rate(1e-3)
        elif training.update == 15:
            break
    assert training.rates == {0: 1e-6, 5: 1e-3}
    assert errors[1] == pytest.approx(errors[0], rel=1e-3)
    assert errors[-1] < 0.99 * errors[1]


def test_training_that_diverges_ends_and_keeps_the_best(data, tmp_path):
    training = LiveTraining(data, 1e3)
    list(training.run())
    assert training.diverged
    info = training.finish(tmp_path / "mine.safetensors")
    assert np.isfinite(info.errors["query_mse"])
    assert "diverged" in (tmp_path / "mine.md").read_text()


@pytest.mark.slow
def test_the_checkpoint_holds_the_best_parameters_and_is_used_like_any_other(
    data, trained, tmp_path
):
    training, found, _, _ = trained
    training.change_learning_rate(1e-2)
    info = training.finish(tmp_path / "mine.safetensors")
    assert describe(tmp_path / "mine.safetensors") == info
    best = min(found[1:], key=lambda report: report.error).update
    assert info.recipe["kept_update"] == best and info.errors["ratio"] < 0.95
    json.dumps(info.recipe)
    given = data.shown.support
    filled = metamf.MetaMFImputer(checkpoint=tmp_path / "mine.safetensors").fit_transform(given)
    assert error_on(data.shown, filled) < data.units.std**2
    card = (tmp_path / "mine.md").read_text()
    for words in (f"update\n{best} of {UPDATES}", "film nights", f"0.01 from update {UPDATES} on"):
        assert words in card


@pytest.mark.data
def test_on_real_ratings_it_comes_near_the_bundled_checkpoint_within_a_few_hundred_updates():
    torch.set_num_threads(1)
    data = LiveData.load("ml-100k")
    last = reports(LiveTraining(data), 300)[-1]
    assert last.error < 1.02 * data.bundled_error()[1] < data.support_mean_error()
    assert checkpoint_title("ml-100k") == data.bundled_error()[0]


@pytest.fixture(scope="module")
def unknown():
    """Made-up ratings in the place of a data set, with names."""
    ratings = made_up_ratings("ml-100k")
    names = [tuple(map(str, range(size))) for size in ratings.shape]
    return LiveData.of("ml-100k", replace(ratings, row_labels=names[0], col_labels=names[1]))


def test_half_of_the_ratings_of_a_block_that_is_held_out_are_shown(unknown):
    given, hidden = unknown.shown.support, unknown.shown.query
    trained = unknown.sampler.matrices[0]
    assert not set(given.row_labels) & set(trained.row_labels)
    assert not set(given.col_labels) & set(trained.col_labels)
    assert abs(given.nnz - hidden.nnz) <= 1
    assert given.shape == hidden.shape == (SHOWN_LINES, SHOWN_LINES)
    assert {1, 5} <= set(given.values) | set(hidden.values) <= {1, 2, 3, 4, 5}  # rating units


def test_a_data_set_that_is_not_there_says_how_to_get_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="metamf download ml-100k"):
        LiveData.load("ml-100k", tmp_path)

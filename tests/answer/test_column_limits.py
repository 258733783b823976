"""Known limits of single columns bound estimates, intervals and draws of every method."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from metamf import MetaMFImputer, Ratings, RatingScale
from metamf.answer.methods import method
from metamf.ratings.scale import ColumnLimits

LIMITS = ColumnLimits(np.array([0.0, 1.0, -np.inf]), np.array([np.inf, 10.0, 100.0]))


@pytest.fixture(scope="module")
def table() -> Ratings:
    """40 rows of an income, an item on 1 to 10 and a percentage, which crowd at their limits."""
    rng = np.random.default_rng(3)
    level = rng.standard_normal(40)
    item = np.clip(np.round(8 + 2 * level + rng.standard_normal(40)), 1, 10)
    percentage = np.clip(np.round(90 + 12 * level), None, 100)
    X = np.column_stack([(2000 * np.exp(level)).round(), item, percentage])
    X[rng.random(X.shape) < 0.25] = np.nan
    return Ratings.from_dense(X, limits=LIMITS)


def exceeds(values: np.ndarray) -> bool:
    return bool(((values < LIMITS.lower) | (values > LIMITS.upper)).any())


def test_estimates_and_ends_of_intervals_keep_to_them_also_in_some_cells_and_in_a_part(table):
    answer = MetaMFImputer().impute(table, interval=0.95)
    free = MetaMFImputer().impute(replace(table, limits=None), interval=0.95)
    assert not any(map(exceeds, (answer.mean, answer.lower, answer.upper)))
    assert exceeds(free.lower) and exceeds(free.upper)
    some = answer.interval_at(np.array([3, 5]), np.array([0, 2]))
    part = answer.part(slice(2, 9), slice(1, 3))
    assert some[0] == pytest.approx(answer.lower[[3, 5], [0, 2]])
    assert part.upper == pytest.approx(answer.upper[2:9, 1:3])


def test_draws_keep_to_them(table):
    imputer = MetaMFImputer().fit(table)
    for by, rounded in product(("columns", "posterior"), (False, True)):
        draws = imputer.draws(5, by=by, rounded=rounded)
        assert not any(map(exceeds, draws.arrays())), (by, rounded)


@pytest.mark.parametrize("how", ["universal", "mean", "normal", "col_means"])
def test_every_method_keeps_to_narrow_ones(table, how):
    narrow = ColumnLimits(np.array([0.0, 1.0, 0.0]), np.array([3000.0, 8.0, 90.0]))
    answer = method(how).predict(replace(table, limits=narrow), None)
    assert (answer.mean <= narrow.upper).all()


def test_a_transform_keeps_to_those_of_the_fit(table):
    narrow = replace(table, limits=ColumnLimits(np.full(3, 0.0), np.array([50.0, 8.0, 90.0])))
    filled = MetaMFImputer().fit(narrow).transform([[np.nan, np.nan, 100.0]])
    assert filled[0, 0] <= 50 and filled[0, 1] <= 8 and filled[0, 2] == 100


def test_they_go_with_a_scale():
    marks = Ratings.from_dense(
        [[1, 5, 9], [2, np.nan, 8], [np.nan, 6, np.nan]],
        scale=RatingScale(1, 10),
        limits=ColumnLimits(np.array([-np.inf, 4, 8]), np.array([np.inf, 6, 20])),
    )
    answer = MetaMFImputer().impute(marks, interval=0.9)
    assert (answer.lower >= [1, 4, 8]).all() and (answer.upper <= [10, 6, 10]).all()


def test_parts_of_a_matrix_keep_them(table):
    assert table.select(np.arange(5)).limits is LIMITS
    assert table.with_values(table.values + 1).limits is LIMITS
    part = table.submatrix(np.arange(4), np.array([2, 0]))
    assert part.limits.upper.tolist() == [100, np.inf]


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        ([0, 0], [1, 1], "limits has 2 columns for 3 columns"),
        ([0, 5, 0], [1, 4, 1], "column 1 has the limits 5 and 4: give the lower one first"),
        ([0, np.nan, 0], [1, 4, 1], "column 1 has the limits nan and 4"),
        ([0, 0, 0], [1, 1], "two arrays of one length"),
    ],
)
def test_wrong_limits_are_named(table, lower, upper, message):
    with pytest.raises(ValueError, match=message):
        replace(table, limits=ColumnLimits(np.array(lower, float), np.array(upper, float)))

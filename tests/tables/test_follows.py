"""A column follows from others where its numbers tell so by enough bits, and never by chance."""

import numpy as np
import pytest

from benchmarks.tables.made_up import LIKE_COLUMNS
from metamf.tables import propose
from metamf.tables.follows import follows


def marks(n=8, m=5, seed=0):
    return np.random.default_rng(seed).integers(0, 21, (n, m)).astype(float)


def found(X, decimals=None):
    at = follows(X, np.zeros(X.shape[1]) if decimals is None else np.array(decimals))
    return {j: why for j, (why, bits) in at.items() if bits >= 0}


X = marks(20)
GAPPY = np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X)
SUM, MEAN = "the sum of other columns", "the mean of other columns"
FOLLOWING = [
    *((marks(n), marks(n).sum(axis=1), SUM) for n in (6, 8, 20)),
    (X, X[:, 1:4].sum(axis=1), SUM),  # of a run of columns
    (X, np.where(np.isin(np.arange(20), [3, 9]), np.nan, X.sum(axis=1)), SUM),  # with gaps
    (GAPPY, np.round(np.nanmean(GAPPY, axis=1), 2), MEAN),  # of what is given
]


@pytest.mark.parametrize(("columns", "last", "why"), FOLLOWING)
def test_a_sum_and_a_mean_are_found(columns, last, why):
    decimals = [0] * 5 + [2 * (why == MEAN)]
    assert found(np.column_stack([columns, last]), decimals) == {5: why}


@pytest.mark.slow
@pytest.mark.parametrize("what", LIKE_COLUMNS)
def test_like_columns_are_no_sums_of_each_other(what):
    plans = [propose(LIKE_COLUMNS[what](seed)) for seed in range(20)]
    assert sum(any(column.role == "keep" for column in plan.columns) for plan in plans) <= 1


def test_what_few_numbers_tell_is_not_enough():
    X = marks(30, 2, seed=4) % 2
    assert not found(np.column_stack([X, 10 * X[:, 0] + 10]))

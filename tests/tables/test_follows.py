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


@pytest.mark.parametrize("n", [6, 8, 20])
def test_a_sum_is_found(n):
    X = marks(n)
    assert found(np.column_stack([X, X.sum(axis=1)])) == {5: "the sum of other columns"}


def test_a_sum_of_a_run_of_columns_is_found():
    X = marks(20)
    sums = X[:, 1:4].sum(axis=1)
    assert found(np.column_stack([X, sums])) == {5: "the sum of other columns"}


def test_a_mean_of_what_is_given_is_found():
    X = marks(20)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    mean = np.round(np.nanmean(X, axis=1), 2)
    decimals = [0] * 5 + [2]
    assert found(np.column_stack([X, mean]), decimals) == {5: "the mean of other columns"}


def test_gaps_of_the_sum_itself_do_no_harm():
    X = marks(20)
    total = X.sum(axis=1)
    total[[3, 9]] = np.nan
    assert found(np.column_stack([X, total])) == {5: "the sum of other columns"}


@pytest.mark.slow
@pytest.mark.parametrize("what", LIKE_COLUMNS)
def test_like_columns_are_no_sums_of_each_other(what):
    plans = [propose(LIKE_COLUMNS[what](seed)) for seed in range(20)]
    assert sum(any(column.role == "keep" for column in plan.columns) for plan in plans) <= 1


def test_what_few_numbers_tell_is_not_enough():
    X = marks(30, 2, seed=4) % 2
    assert not found(np.column_stack([X, 10 * X[:, 0] + 10]))

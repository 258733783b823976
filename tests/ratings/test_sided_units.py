"""Units by column and by row: what a column borrows from the others, and what comes back in its own units."""

import numpy as np
import pytest

from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, LinePrior, SidedUnits


def ratings_of(X):
    return Ratings.from_dense(np.asarray(X, dtype=float))


def measured(rng, units=(1.0, 1000.0, 0.01), rows=40):
    """A table whose columns measure the same in different units."""
    Z = rng.normal(size=(rows, len(units)))
    return ratings_of(Z * np.array(units) + 5 * np.array(units))


def test_columns_with_units_of_their_own_borrow_next_to_nothing():
    ratings = measured(np.random.default_rng(0))
    found = SidedUnits(By.COLUMN).of(ratings)
    X = ratings.values.reshape(40, 3)
    assert np.allclose(found.mean, X.mean(0), rtol=0.02)
    assert np.allclose(found.std, X.std(0, ddof=1), rtol=0.2)


def test_columns_that_are_alike_share_mean_and_spread():
    rng = np.random.default_rng(1)
    ratings = ratings_of(rng.normal(3, 1, size=(5, 200)))
    found = SidedUnits(By.COLUMN).of(ratings)
    own = ratings.values.reshape(5, 200).mean(0)
    assert found.std.std() < 0.1 < ratings.values.reshape(5, 200).std(0, ddof=1).std()
    assert found.mean.std() < own.std() / 3


def test_apply_and_undo_are_inverse_at_every_cell_for_both_sides():
    ratings = measured(np.random.default_rng(2))
    for by in By:
        units = SidedUnits(by).of(ratings)
        z = units.apply_at(ratings.values, ratings.rows, ratings.cols)
        assert np.allclose(units.undo_at(z, ratings.rows, ratings.cols), ratings.values)
        block = units.spread_block(slice(3, 9), slice(0, 2))
        rows, cols = np.mgrid[3:9, 0:2]
        assert np.array_equal(np.broadcast_to(block, (6, 2)), units.spread_at(rows, cols))


def test_a_column_without_entries_has_the_common_mean_and_spread():
    X = np.random.default_rng(3).normal(10, 2, size=(30, 6))
    X[:, 4] = np.nan
    found = SidedUnits(By.COLUMN).of(ratings_of(X))
    assert found.mean[4] == pytest.approx(np.nanmean(X), abs=0.5)
    assert found.std[4] == pytest.approx(2, rel=0.2)


def test_a_constant_column_among_others_is_read_as_zero_and_answers_with_its_value():
    X = np.random.default_rng(4).normal(size=(20, 3)) * [1, 100, 1]
    X[:, 2] = 7.0
    units = SidedUnits(By.COLUMN).of(ratings_of(X))
    z = units.apply_at(X[:, 2], np.arange(20), np.full(20, 2))
    assert np.isfinite(z).all() and np.abs(z).max() < 1
    assert units.undo_at(np.zeros(1), np.array([0]), np.array([2]))[0] == pytest.approx(7.0, abs=2.0)


def test_new_rows_have_the_units_that_the_same_rows_had():
    ratings = measured(np.random.default_rng(5), rows=12)
    for by in By:
        units = SidedUnits(by).of(ratings)
        again = units.of_new_rows(ratings)
        assert np.allclose(again.mean, units.mean) and np.allclose(again.std, units.std)


def test_without_each_is_the_rule_applied_to_each_copy():
    ratings = measured(np.random.default_rng(6), rows=6)
    kept = np.stack([np.delete(np.arange(ratings.nnz), out) for out in (0, 4, 9)])
    rule = SidedUnits(By.COLUMN)
    x, mean, std = rule.without_each(ratings, kept, 0, 1)
    for d, entries in enumerate(kept):
        part = ratings.select(entries)
        units = rule.of(part)
        assert np.allclose(x[d], units.apply_at(part.values, part.rows, part.cols))
        assert (mean[d], std[d]) == (units.mean[1], units.std[1])


def test_the_prior_of_variances_is_that_of_equal_variances_when_they_are_equal():
    n = np.full(400, 10.0)
    rng = np.random.default_rng(7)
    variance = 4 * rng.chisquare(9, 400) / 9
    prior = LinePrior.of(n, np.zeros(400), variance)
    assert prior.log_between < 0.02 and np.exp(prior.log_variance) == pytest.approx(4, rel=0.1)

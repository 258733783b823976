"""The units that a matrix is read in."""

import numpy as np
import pytest
from problems import STARS, ratings_matrix

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import (
    By,
    FixedUnits,
    OneValue,
    OwnUnits,
    ScaleUnits,
    SidedUnits,
    Standardization,
    unit_rule,
)

TRAINED = Standardization(3.6, 1.1)
SCALE_UNITS = ScaleUnits(0.6, 0.07, 14, 50)


def rule(X, trained=TRAINED, standardize="auto", scale=None):
    ratings = Ratings.from_dense(X, scale=scale and RatingScale(*scale))
    return unit_rule(ratings, trained, trained and STARS, SCALE_UNITS, standardize)


X = ratings_matrix()
LOW = np.minimum(X, 2)
FIXED, OWN = FixedUnits(TRAINED, STARS), OwnUnits()
RULES = [
    (dict(X=X), FIXED),
    (dict(X=X, scale=(1, 5, 1)), FIXED),
    (dict(X=X, standardize="matrix"), OWN),
    (dict(X=LOW), OWN),  # the range of its entries, 1 to 2, says nothing of a 5
    (dict(X=LOW, scale=(1, 5, 1)), FIXED),
    (dict(X=X, scale=(0.5, 5, 0.5)), OWN),
    (dict(X=10 * X), OWN),
    (dict(X=X - 3), OWN),
    (dict(X=20 * X, standardize="checkpoint", scale=(0, 100)), FIXED),
    (dict(X=X, trained=None), OWN),
    (dict(X=X, trained=None, scale=(1, 5, 1)), SCALE_UNITS),
    (dict(X=X, trained=None, standardize="matrix", scale=(1, 5, 1)), OWN),
]


@pytest.mark.parametrize(("made", "expected"), RULES)
def test_one_place_decides_by_which_rule_a_matrix_is_standardised(made, expected):
    assert rule(**made) == expected
    assert expected.scale_weighs_in == (expected == SCALE_UNITS)  # intervals are those of a scale


def test_units_of_the_training_data_are_refused_where_there_are_none():
    with pytest.raises(ValueError, match="no units of its own: use standardize='matrix' or 'auto'"):
        rule(X, None, "checkpoint", (1, 5, 1))


@pytest.mark.parametrize("value", [0.0, 3.0, -1e300, 1e-300])
def test_where_nothing_varies_every_estimate_is_the_one_value(value):
    units = OwnUnits().of(Ratings.from_dense(np.full((3, 2), value)))
    assert isinstance(units, OneValue) and (units.undo(np.array([-2.0, 0, 9])) == value).all()
    assert units.mean == pytest.approx(value) and units.spread == 0


def ratings_of(X):
    return Ratings.from_dense(np.asarray(X, dtype=float))


def measured(rng, units=(1.0, 1000.0, 0.01), rows=40):
    """A table whose columns measure the same in different units."""
    Z = rng.normal(size=(rows, len(units)))
    return ratings_of(Z * np.array(units) + 5 * np.array(units))


def test_columns_with_units_of_their_own_borrow_next_to_nothing_and_those_alike_share_theirs():
    ratings = measured(np.random.default_rng(0))
    found, values = SidedUnits(By.COLUMN).of(ratings), ratings.values.reshape(40, 3)
    np.testing.assert_allclose(found.mean, values.mean(0), rtol=0.02)
    np.testing.assert_allclose(found.std, values.std(0, ddof=1), rtol=0.2)
    values = np.random.default_rng(1).normal(3, 1, size=(5, 200))
    found = SidedUnits(By.COLUMN).of(ratings_of(values))
    assert found.std.std() < 0.1 < values.std(0, ddof=1).std()
    assert found.mean.std() < values.mean(0).std() / 3


def test_apply_and_undo_are_inverse_at_every_cell_for_both_sides():
    ratings = measured(np.random.default_rng(2))
    for by in By:
        units = SidedUnits(by).of(ratings)
        z = units.apply_at(ratings.values, ratings.rows, ratings.cols)
        assert np.allclose(units.undo_at(z, ratings.rows, ratings.cols), ratings.values)
        block = units.spread_block(slice(3, 9), slice(0, 2))
        rows, cols = np.mgrid[3:9, 0:2]
        assert np.array_equal(np.broadcast_to(block, (6, 2)), units.spread_at(rows, cols))


def test_a_constant_column_among_others_is_read_as_zero_and_answers_with_its_value():
    X = np.random.default_rng(4).normal(size=(20, 3)) * [1, 100, 1]
    X[:, 2] = 7.0
    units = SidedUnits(By.COLUMN).of(ratings_of(X))
    z = units.apply_at(X[:, 2], np.arange(20), np.full(20, 2))
    assert np.isfinite(z).all() and np.abs(z).max() < 1
    back = units.undo_at(np.zeros(1), np.array([0]), np.array([2]))
    assert back[0] == pytest.approx(7.0, abs=2.0)


def test_new_rows_have_the_units_that_the_same_rows_had():
    ratings = measured(np.random.default_rng(5), rows=12)
    for by in By:
        units = SidedUnits(by).of(ratings)
        again = units.of_new_rows(ratings)
        assert np.allclose(again.mean, units.mean) and np.allclose(again.std, units.std)


@pytest.mark.parametrize("by", By)
def test_units_of_lines_are_exact_in_powers_of_two(by):
    X = np.random.default_rng(0).standard_cauchy((20, 12))
    expected = SidedUnits(by).of(ratings_of(X))
    for a in (2.0**-21, 2.0**20):
        found = SidedUnits(by).of(ratings_of(a * X))
        np.testing.assert_array_equal(found.mean, a * expected.mean)
        np.testing.assert_array_equal(found.std, a * expected.std)

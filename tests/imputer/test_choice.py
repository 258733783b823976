"""Which cells share their units: the matrix's own entries decide."""

import numpy as np
import pytest
from measurements import relative_error, table_of_measurements

import metamf
from metamf.ratings.limits import ColumnLimits
from metamf.ratings.units import By, OwnUnits, ScaleUnits, SidedUnits


def test_columns_with_units_of_their_own_are_noticed_and_answered_in_their_units():
    X, whole = table_of_measurements()
    imputer = metamf.load_pretrained("universal", standardize="chosen").fit(X)
    assert imputer.unit_rule_ == SidedUnits(By.COLUMN)
    assert isinstance(imputer.scale_, ColumnLimits)
    assert relative_error(X, whole, imputer.transform(X)) < 0.75
    assert relative_error(X, whole, metamf.load_pretrained("universal", standardize="matrix").fit_transform(X)) > 5


def test_a_matrix_of_ratings_keeps_the_units_of_the_whole():
    X = np.random.default_rng(0).integers(1, 6, (20, 15)).astype(float)
    X[::2, ::3] = np.nan
    assert isinstance(metamf.load_pretrained("universal", standardize="chosen").fit(X).unit_rule_, OwnUnits)
    assert isinstance(metamf.load_pretrained("universal", scale=(1, 5)).fit(X).unit_rule_, ScaleUnits)


@pytest.mark.parametrize("largest", [1e-200, 1e200])
def test_numbers_at_the_ends_of_the_range_of_floats_keep_the_units_of_the_whole(largest):
    X = table_of_measurements(rows=20)[0] / 5000 * largest
    assert isinstance(metamf.load_pretrained("universal", standardize="chosen").fit(X).unit_rule_, OwnUnits)

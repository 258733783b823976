"""A matrix as a model reads it: which cells share their units, tuning, and estimates without one
entry."""

import numpy as np
import pytest
from measurements import relative_error, table_of_measurements

import metamf
from metamf import MetaMFImputer
from metamf.ratings.scale import ColumnLimits
from metamf.ratings.units import By, SidedUnits


@pytest.mark.parametrize(
    ("checkpoint", "parameters"),
    [
        ("universal", {"scale": (1, 5)}),
        ("universal", {"steps": 2}),
        ("ml-1m", {}),
        ("ml-1m", {"standardize": "matrix", "step_rule": "safe", "steps": 3}),
    ],
)
def test_estimates_without_an_entry_are_those_of_a_new_fit_without_it(X, checkpoint, parameters):
    imputer = MetaMFImputer(checkpoint, **parameters).fit(X)
    entries = [0, 7, imputer.ratings_.nnz - 1]
    tolerance = 1e-9 if checkpoint == "universal" else 1e-4  # its own precision: double, single
    for entry, estimate in zip(entries, imputer.estimates_without(entries, 4, 2)):
        without = X.copy()
        without[imputer.ratings_.rows[entry], imputer.ratings_.cols[entry]] = np.nan
        again = MetaMFImputer(checkpoint, **parameters).fit(without)
        assert estimate == pytest.approx(again.estimate([4], [2])[0], abs=tolerance)


def test_columns_with_units_of_their_own_are_noticed_and_answered_in_their_units():
    X, whole = table_of_measurements()
    imputer = metamf.load_pretrained("universal").fit(X)
    assert imputer.unit_rule_ == SidedUnits(By.COLUMN)
    assert isinstance(imputer.scale_, ColumnLimits)
    answer = imputer.impute(interval=0.9)
    assert relative_error(X, whole, answer.mean) < 0.75
    inside = (answer.lower <= whole) & (whole <= answer.upper)
    assert 0.75 < inside[np.isnan(X)].mean() <= 1
    one_unit = metamf.load_pretrained("universal", standardize="matrix").fit_transform(X)
    assert relative_error(X, whole, one_unit) > 5


@pytest.mark.slow
def test_a_tuned_network_is_better_and_is_saved_as_a_checkpoint_that_says_its_origin(tmp_path):
    X, whole = table_of_measurements(rows=60, seed=1)
    imputer = metamf.load_pretrained("universal", tune=20).fit(X)
    before = metamf.load_pretrained("universal").fit_transform(X)
    found = imputer.transform(X)
    assert relative_error(X, whole, found) < 0.97 * relative_error(X, whole, before)
    np.testing.assert_allclose(imputer.transform(X[:5]), found[:5], rtol=1e-5)
    again = metamf.MetaMFImputer(imputer.save_checkpoint(tmp_path / "mine.safetensors")).fit(X)
    np.testing.assert_allclose(again.transform(X), found, rtol=1e-4)
    tuning = again.info_.recipe["tuning"]
    assert (tuning["from"], tuning["report"]["kept"]) == ("universal", imputer.tuning_.kept)
    widths = [each.impute(interval=0.8).half_width for each in (again, imputer)]
    np.testing.assert_allclose(*widths, rtol=1e-3)
    assert again.info_.width_factor != 1

"""A matrix as a model has read it: estimates of it without one entry, at once or in parts."""

import numpy as np
import pytest
from measurements import table_of_measurements
from problems import ratings_matrix

import metamf
from metamf import MetaMFImputer


@pytest.fixture
def X():
    return ratings_matrix()


@pytest.mark.parametrize(
    ("checkpoint", "parameters"),
    [
        ("universal", {"scale": (1, 5)}),
        ("universal", {"steps": 2}),
        ("ml-1m", {}),
        ("ml-1m", {"standardize": "matrix", "step_rule": "safe", "steps": 3}),
        ("jester", {"clip": False}),
    ],
)
def test_estimates_without_an_entry_are_those_of_a_new_fit_without_it(X, checkpoint, parameters):
    imputer = MetaMFImputer(checkpoint, **parameters).fit(X)
    entries = [0, 7, imputer.ratings_.nnz - 1]
    found = imputer.estimates_without(entries, 4, 2)
    for entry, estimate in zip(entries, found):
        without = X.copy()
        without[imputer.ratings_.rows[entry], imputer.ratings_.cols[entry]] = np.nan
        again = MetaMFImputer(checkpoint, **parameters).fit(without)
        assert again.step_rule_ == imputer.step_rule_
        tolerance = 1e-9 if checkpoint == "universal" else 1e-4  # its own precision: double, single
        assert estimate == pytest.approx(again.predict([4], [2])[0], abs=tolerance)


def test_estimates_without_entries_are_the_same_in_parts(X, monkeypatch):
    imputer = MetaMFImputer().fit(X)
    whole = imputer.estimates_without(range(10), 0, 0)
    monkeypatch.setattr("metamf.imputer.adaptation.ENTRIES_AT_ONCE", 3 * imputer.ratings_.nnz)
    np.testing.assert_allclose(imputer.estimates_without(range(10), 0, 0), whole, atol=1e-9)
    assert imputer.estimates_without([], 0, 0).shape == (0,)


def test_estimates_without_an_entry_are_those_of_a_table_without_it():
    X, _ = table_of_measurements(rows=10)
    imputer = metamf.load_pretrained("universal", standardize="columns", clip=False).fit(X)
    row, col = np.argwhere(np.isnan(X))[0]
    entry = 3
    found = imputer.estimates_without([entry], row, col)[0]
    Y = X.copy()
    Y[imputer.ratings_.rows[entry], imputer.ratings_.cols[entry]] = np.nan
    again = metamf.load_pretrained("universal", standardize="columns", clip=False).fit(Y).predict([row], [col])[0]
    assert found == pytest.approx(again, rel=1e-6)

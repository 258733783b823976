"""Sensitivity to the constants chosen by hand: each is there, is tried at other values, and is put back."""

from pkgutil import resolve_name

import numpy as np
import pytest

from benchmarks.accuracy import sensitivity
from benchmarks.tables.matrices import hide
from metamf.universal import network as posterior

CONSTANTS = {name: values for _, constants in sensitivity.STUDIES.values() for name, values in constants.items()}


@pytest.mark.parametrize("constant", CONSTANTS)
def test_a_constant_is_there_and_tried_at_other_values(constant):
    values = {str(value) for value in CONSTANTS[constant]}
    assert len(values) == 2 and str(resolve_name(f"metamf.{constant}")) not in values


@pytest.fixture(scope="module")
def problems():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(14, 1)) + rng.normal(size=(1, 7)) + 0.3 * rng.normal(size=(14, 7))
    return {"made up": hide(X, 0.3, 0)}


def test_another_value_changes_the_answer_and_is_put_back(problems, monkeypatch):
    study = {"standardize": "columns"}, {"universal.network.OVERSTATED": (0.4, 1.6)}
    monkeypatch.setitem(sensitivity.STUDIES, "one", study)
    usual = posterior.OVERSTATED
    found = list(sensitivity.rows("one", problems, set()))
    assert posterior.OVERSTATED == usual and [row["tried"] for row in found] == [0.4, 1.6]
    assert all(row["error"] == "1.0000" and row["width"] != "1.0000" for row in found), "it is a constant of intervals"
    done = {("one", row["module"], row["constant"], str(row["tried"])) for row in found}
    assert list(sensitivity.rows("one", problems, done)) == []

"""A matrix as a model reads it: which cells share their units, tuning, and estimates without one entry."""

import numpy as np
import pytest
from measurements import relative_error, table_of_measurements
from problems import ratings_matrix

import metamf
from metamf import MetaMFImputer, Ratings
from metamf.ratings.limits import ColumnLimits
from metamf.ratings.units import By, OwnUnits, ScaleUnits, SidedUnits


@pytest.fixture
def X():
    return ratings_matrix()


@pytest.mark.parametrize(
    ("checkpoint", "parameters"),
    [
        ("universal", {"scale": (1, 5)}),
        ("universal", {"steps": 2, "members": None}),  # weights of members stay those of the whole matrix
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
        assert estimate == pytest.approx(again.estimate([4], [2])[0], abs=tolerance)


def test_columns_with_units_of_their_own_are_noticed_and_answered_in_their_units():
    X, whole = table_of_measurements()
    imputer = metamf.load_pretrained("universal").fit(X)
    assert imputer.unit_rule_ == SidedUnits(By.COLUMN)
    assert isinstance(imputer.scale_, ColumnLimits)
    assert relative_error(X, whole, imputer.transform(X)) < 0.75
    assert relative_error(X, whole, metamf.load_pretrained("universal", standardize="matrix").fit_transform(X)) > 5


def test_a_matrix_of_ratings_keeps_the_units_of_the_whole():
    X = np.random.default_rng(0).integers(1, 6, (20, 15)).astype(float)
    X[::2, ::3] = np.nan
    assert isinstance(metamf.load_pretrained("universal").fit(X).unit_rule_, OwnUnits)
    assert isinstance(metamf.load_pretrained("universal", scale=(1, 5)).fit(X).unit_rule_, ScaleUnits)


@pytest.fixture(scope="module")
def tuned():
    X, whole = table_of_measurements(rows=60, seed=1)
    return X, whole, metamf.load_pretrained("universal", tune=20, tune_seconds=None, members=None).fit(X)


@pytest.mark.slow
class TestTuning:
    def test_it_is_better_than_the_network_for_all_matrices(self, tuned):
        X, whole, imputer = tuned
        before = metamf.load_pretrained("universal", members=None).fit_transform(X)
        assert relative_error(X, whole, imputer.transform(X)) < 0.97 * relative_error(X, whole, before)
        assert imputer.tuning_.error < imputer.tuning_.first_error
        assert np.allclose(imputer.transform(X[:5]), imputer.transform(X)[:5])

    def test_it_is_saved_as_a_checkpoint_that_says_where_it_comes_from(self, tuned, tmp_path):
        X, _, imputer = tuned
        path = imputer.save_checkpoint(tmp_path / "mine.safetensors")
        again = metamf.MetaMFImputer(path, members=None).fit(X)
        assert np.allclose(again.transform(X), imputer.transform(X), rtol=1e-4)
        assert again.info_.recipe["tuning"]["from"] == "universal"
        assert again.info_.recipe["tuning"]["report"]["kept"] == imputer.tuning_.kept
        widths = [each.imputation(0.8).half_width for each in (again, imputer)]
        assert np.allclose(*widths, rtol=1e-3) and again.info_.width_factor != 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_the_choice_of_units_takes_numbers_of_less_precision_without_a_warning(X, dtype):
    ratings = Ratings.from_dense(X)
    few = ratings.with_values(ratings.values.astype(dtype))
    assert isinstance(MetaMFImputer().fit(few).unit_rule_, OwnUnits)

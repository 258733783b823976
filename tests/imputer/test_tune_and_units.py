"""The imputer on tables of measurements: estimates by column, and a network that is tuned to the table."""

import numpy as np
import pytest
from measurements import relative_error, table_of_measurements

import metamf


def test_estimates_stay_near_what_their_column_holds():
    X, _ = table_of_measurements(rows=12)
    estimates = metamf.load_pretrained("universal", standardize="chosen").fit_transform(X)
    span = np.nanmax(X, 0) - np.nanmin(X, 0)
    assert (estimates >= np.nanmin(X, 0) - span).all() and (estimates <= np.nanmax(X, 0) + span).all()


def test_one_table_whatever_its_units_has_one_answer():
    X, _ = table_of_measurements(rows=30)
    factor = np.array([7.0, 0.001, 3.0, 1.0, 100.0, 0.5])
    a, b = (metamf.load_pretrained("universal", standardize="columns").fit_transform(x) for x in (X, X * factor))
    assert np.allclose(a * factor, b, rtol=0.05)  # columns borrow next to nothing from each other


@pytest.mark.parametrize("standardize", ["columns", "rows"])
def test_fit_transform_is_fit_and_transform_in_every_kind_of_units(standardize):
    X, _ = table_of_measurements(rows=25)
    imputer = metamf.load_pretrained("universal", standardize=standardize)
    at_once = imputer.fit_transform(X)
    assert np.allclose(at_once, imputer.transform(X), rtol=1e-9, atol=1e-9)
    rows, cols = np.nonzero(np.isnan(X))
    assert np.allclose(imputer.predict(rows, cols), at_once[rows, cols])


@pytest.fixture(scope="module")
def tuned():
    X, whole = table_of_measurements(rows=80, seed=1)
    return X, whole, metamf.load_pretrained("universal", tune=40, tune_seconds=None).fit(X)


class TestTuning:
    def test_it_is_better_than_the_network_for_all_matrices(self, tuned):
        X, whole, imputer = tuned
        before = metamf.load_pretrained("universal", standardize="chosen").fit_transform(X)
        assert relative_error(X, whole, imputer.transform(X)) < 0.97 * relative_error(X, whole, before)
        assert imputer.tuning_.error < imputer.tuning_.first_error

    def test_the_bundled_network_stays_as_it_is(self, tuned):
        X, _, _ = tuned
        a = metamf.load_pretrained("universal").fit_transform(X)
        metamf.load_pretrained("universal", tune=10).fit(X)
        assert np.array_equal(a, metamf.load_pretrained("universal").fit_transform(X))

    def test_it_is_saved_as_a_checkpoint_that_says_where_it_comes_from(self, tuned, tmp_path):
        X, _, imputer = tuned
        path = imputer.save_checkpoint(tmp_path / "mine.safetensors")
        again = metamf.MetaMFImputer(path).fit(X)
        assert np.allclose(again.transform(X), imputer.transform(X), rtol=1e-4)
        assert again.info_.recipe["tuning"]["from"] == "universal"
        assert again.info_.recipe["tuning"]["report"]["kept"] == imputer.tuning_.kept
        widths = [each.impute(X, interval=0.8).half_width for each in (again, imputer)]
        assert np.allclose(*widths, rtol=1e-3) and imputer._adaptation.width_factor != 1

    def test_new_rows_are_folded_in(self, tuned):
        X, _, imputer = tuned
        assert np.allclose(imputer.transform(X[:5]), imputer.transform(X)[:5])

    def test_without_tuning_there_is_no_report(self):
        assert metamf.load_pretrained("universal").fit(table_of_measurements(rows=10)[0]).tuning_ is None

    @pytest.mark.parametrize("value", [0, -1, 2.5, True, "always"])
    def test_another_value_is_named(self, value):
        with pytest.raises(ValueError, match="tune must be None, 'auto' or a positive whole number"):
            metamf.load_pretrained("universal", tune=value).fit(table_of_measurements(rows=10)[0])

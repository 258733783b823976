"""Chained ridge regressions: scikit-learn's, in a tenth of the time."""

import warnings

import numpy as np
import pytest
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer
from sklearn.linear_model import BayesianRidge

from metamf.baselines.ridge import can_chain, fit_ridge


def table(N=80, M=6, hidden=0.2, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(N, 2)) @ rng.normal(size=(2, M)) + noise * rng.normal(size=(N, M))
    Z = (Z - Z.mean(0)) / Z.std(0)
    return Z, np.where(rng.random(Z.shape) < hidden, np.nan, Z)


def test_with_one_column_incomplete_it_is_scikit_learn_s_regression():
    Z, _ = table()
    given = Z.copy()
    given[:30, 2] = np.nan
    others = [0, 1, 3, 4, 5]
    expected = BayesianRidge().fit(Z[30:, others], Z[30:, 2])
    found = fit_ridge(given)
    np.testing.assert_allclose(found.weights[-1][others, 2], expected.coef_, rtol=2e-3, atol=1e-4)
    assert found.intercept[-1][2] == pytest.approx(expected.intercept_, abs=1e-4)
    assert (np.diagonal(found.weights, axis1=1, axis2=2) == 0).all()


@pytest.mark.parametrize("hidden", [0.1, 0.4])
def test_with_gaps_everywhere_it_is_scikit_learn_s_chain(hidden):
    Z, given = table(hidden=hidden)
    given = given[:, fit_ridge(given).order]  # scikit-learn takes columns that miss as much from left to right
    ends = {"min_value": np.nanmin(given, axis=0), "max_value": np.nanmax(given, axis=0)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = IterativeImputer(BayesianRidge(), **ends).fit_transform(given)
    found = fit_ridge(given).complete(given)
    missing = np.isnan(given)
    np.testing.assert_allclose(found[missing], expected[missing], atol=0.02)


def test_a_nearly_exact_line_is_followed():
    Z, given = table(noise=1e-3)
    missing = np.isnan(given)
    assert np.abs(fit_ridge(given).complete(given) - Z)[missing].mean() < 0.02


def test_rows_are_completed_each_for_itself_within_what_columns_hold():
    _, given = table()
    found = fit_ridge(given)
    whole = found.complete(given)
    np.testing.assert_allclose(found.complete(given[5:9]), whole[5:9])
    assert (whole >= np.nanmin(given, axis=0)).all() and (whole <= np.nanmax(given, axis=0)).all()


@pytest.mark.parametrize("Z", [np.zeros((5, 3)), [[1.0, np.nan], [np.nan, 2.0]], [[np.nan, 1.0, 2.0]] * 4, [[0.5]]])
def test_every_shape_gets_numbers(Z):
    Z = np.array(Z)
    assert np.isfinite(fit_ridge(Z).complete(Z)).all()


def test_large_matrices_are_not_chained():
    assert can_chain((1000, 40)) and not can_chain((10_000, 200))

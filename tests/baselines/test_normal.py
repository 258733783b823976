"""The normal distribution over columns: conditional means and variances, EM, and what it is drawn towards."""

import numpy as np
import pytest
import torch

from metamf.baselines.normal import ColumnNormal, NormalConfig, fit_normal


def entries(X):
    rows, cols = np.nonzero(~np.isnan(X))
    return torch.tensor(X[rows, cols]), torch.tensor(rows), torch.tensor(cols)


def correlated(N, M, rank=2, hidden=0.0, seed=0):
    """(N, M) rows of a factor model with unit variances, and the same with some entries hidden."""
    rng = np.random.default_rng(seed)
    loadings = rng.normal(size=(rank, M))
    X = rng.normal(size=(N, rank)) @ loadings + 0.5 * rng.normal(size=(N, M))
    X = (X - X.mean(0)) / X.std(0)
    return X, np.where(rng.random(X.shape) < hidden, np.nan, X)


def test_a_missing_cell_is_its_conditional_mean_with_its_conditional_variance():
    rng = np.random.default_rng(1)
    root = rng.normal(size=(4, 4))
    mu, S = rng.normal(size=4), root @ root.T + np.eye(4)
    X = np.array([[1.0, np.nan, -2.0, np.nan], [np.nan] * 4, [0.5, 0.1, 0.2, np.nan]])
    mean, variance = ColumnNormal(torch.tensor(mu), torch.tensor(S)).complete(*entries(X), 3)
    for n, row in enumerate(X):
        o, m = ~np.isnan(row), np.isnan(row)
        gain = S[np.ix_(m, o)] @ np.linalg.inv(S[np.ix_(o, o)])
        np.testing.assert_allclose(mean[n, m], mu[m] + gain @ (row[o] - mu[o]), atol=1e-5)
        np.testing.assert_allclose(variance[n, m], np.diag(S[np.ix_(m, m)] - gain @ S[np.ix_(o, m)]), atol=1e-5)
        np.testing.assert_allclose(mean[n, o], row[o], atol=1e-4)


def test_with_every_cell_observed_the_covariance_is_the_sample_s_drawn_towards_its_mean_correlation():
    X, _ = correlated(300, 5)
    found = fit_normal(*entries(X), X.shape, NormalConfig(2.0))
    R = np.corrcoef(X.T)
    common = max((R.sum() - 5) / 20, 0)
    target = np.where(np.eye(5, dtype=bool), 1, common)
    np.testing.assert_allclose(found.covariance, (300 * R + 10 * target) / 310, atol=2e-3)


def test_columns_that_go_together_are_predicted_from_each_other():
    truth, X = correlated(150, 8, hidden=0.4)
    mean, variance = fit_normal(*entries(X), X.shape).complete(*entries(X), len(X))
    hidden = np.isnan(X)
    error = (mean.numpy() - truth)[hidden]
    assert np.sqrt(np.mean(error**2)) < 0.75  # the column means: 1
    assert np.mean(error**2 / variance.numpy()[hidden]) == pytest.approx(1, abs=0.3)


def test_rows_with_a_level_of_their_own_are_found_from_next_to_nothing():
    rng = np.random.default_rng(2)
    truth = 0.9 * rng.normal(size=(60, 1)) + 0.4 * rng.normal(size=(60, 30))
    X = np.where(rng.random(truth.shape) < 0.85, np.nan, truth)
    mean, _ = fit_normal(*entries(X), X.shape).complete(*entries(X), 60)
    rows = ~np.isnan(X).all(1)
    error = (mean.numpy() - truth)[rows]
    assert np.sqrt(np.mean(error**2)) < 0.65


@pytest.mark.parametrize("bad", [{"shrinkage": 0.0}, {"iterations": -1}, {"tolerance": 0.0}])
def test_settings_that_make_no_sense_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        NormalConfig(**bad)

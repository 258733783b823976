"""The normal distribution over columns: conditional means and variances, EM, shrinkage."""

import numpy as np
import pytest
import torch

from metamf.network.tables.normal import Normals, fit_normals, left_out, standard


def dense(X):
    """A table with NaN in its gaps as entries, and where they are, (1, N, M) each."""
    given = ~np.isnan(X)
    entries = torch.tensor(np.where(given, X, 0.0))
    return entries.unsqueeze(0), torch.tensor(given).double().unsqueeze(0)


def fitted(X, shrinkage=0.5, **settings):
    Z, B = dense(X)
    return fit_normals(Z, B, standard(1, X.shape[1], Z), shrinkage, 100, 6, **settings)


def completed(X, normals):
    """(N, M) means and variances of all cells, each given the others of its row."""
    return (part[0].numpy() for part in left_out(*dense(X), normals))


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
    normals = Normals(torch.tensor(mu)[None], torch.tensor(S)[None], torch.ones(1, 1, 1))
    mean, variance = completed(X, normals)
    for n, row in enumerate(X):
        o, m = ~np.isnan(row), np.isnan(row)
        gain = S[np.ix_(m, o)] @ np.linalg.inv(S[np.ix_(o, o)])
        np.testing.assert_allclose(mean[n, m], mu[m] + gain @ (row[o] - mu[o]), atol=1e-5)
        np.testing.assert_allclose(
            variance[n, m], np.diag(S[np.ix_(m, m)] - gain @ S[np.ix_(o, m)]), atol=1e-5
        )


def test_an_entry_has_the_mean_that_the_others_of_its_row_give_it():
    _, X = correlated(30, 4, hidden=0.2)
    normals = fitted(X)
    mean, variance = completed(X, normals)
    for n, m in np.argwhere(~np.isnan(X))[::7]:
        without = X.copy()
        without[n, m] = np.nan
        alone = list(completed(without, normals))
        assert mean[n, m] == pytest.approx(alone[0][n, m], abs=1e-4)
        assert variance[n, m] == pytest.approx(alone[1][n, m], abs=1e-4)


def test_with_every_cell_observed_the_covariance_is_the_sample_s_drawn_towards_its_mean_correlation():
    X, _ = correlated(300, 5)
    R = np.corrcoef(X.T)
    common = max((R.sum() - 5) / 20, 0)
    target = np.where(np.eye(5, dtype=bool), 1, common)
    expected = (300 * R + 10 * target) / 310
    np.testing.assert_allclose(fitted(X, 2.0).covariance[0], expected, atol=2e-3)


def test_columns_that_go_together_are_predicted_from_each_other():
    truth, X = correlated(150, 8, hidden=0.4)
    mean, variance = completed(X, fitted(X))
    hidden = np.isnan(X)
    error = (mean - truth)[hidden]
    assert np.sqrt(np.mean(error**2)) < 0.75  # the column means: 1
    assert np.mean(error**2 / variance[hidden]) == pytest.approx(1, abs=0.3)


def test_a_tolerance_ends_em_near_where_it_would_end():
    _, X = correlated(150, 8, hidden=0.4)
    early, late = (next(completed(X, fitted(X, tolerance=each))) for each in (1e-3, 0.0))
    assert 0 < np.abs(early - late).max() < 0.02


def test_a_feature_that_says_nothing_has_no_correlation_and_others_are_drawn_towards_none():
    X, _ = correlated(100, 4)
    full, half, none = (
        fitted(X, useful=torch.tensor([each])).covariance[0, 3, :3] for each in (1.0, 0.5, 0.0)
    )
    assert torch.equal(none, torch.zeros(3).double())
    torch.testing.assert_close(half, full / 2, atol=0.02, rtol=0.05)

"""The normal distribution over columns (conditional means, EM, shrinkage), and the trees on its residuals."""

import numpy as np
import pytest
import torch
from sklearn.ensemble import ExtraTreesRegressor

from metamf import Ratings
from metamf.baselines.normal import TREES, ColumnNormal, NormalConfig, fit_normal, fit_residual_trees
from metamf.learning.episodes import canonical_lines


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


def bent(N=150, seed=0):
    """(N, 4) standardised columns, of which the last is the square of the first, and the cells that are observed."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(N, 4))
    z[:, 1] = z[:, 0] + 0.3 * rng.normal(size=N)
    z[:, 3] = (z[:, 0] ** 2 - 1) / np.sqrt(2)
    return z, rng.random(z.shape) > 0.2


def test_a_cell_left_out_has_the_mean_that_the_others_of_its_row_give_it():
    z, observed = bent(30)
    given = entries(np.where(observed, z, np.nan))
    normal = fit_normal(*given, z.shape)
    left_out = normal.left_out(*given, len(z)).numpy()
    completed = normal.complete(*given, len(z))[0].numpy()
    np.testing.assert_allclose(left_out[~observed], completed[~observed], rtol=1e-6)
    for n, m in np.argwhere(observed)[::7]:
        without = observed.copy()
        without[n, m] = False
        alone = normal.complete(*entries(np.where(without, z, np.nan)), len(z))[0].numpy()[n, m]
        assert abs(left_out[n, m] - alone) < 1e-4


def test_a_forest_is_that_of_scikit_learn():
    z, observed = bent()
    given = entries(np.where(observed, z, np.nan))
    normal = fit_normal(*given, z.shape)
    trees = fit_residual_trees(normal, *given, len(z))
    left_out = normal.left_out(*given, len(z)).numpy()
    grown = trees.complete(*given, len(z)).numpy() - left_out
    rows, order = canonical_lines(Ratings.from_dense(np.where(observed, z, np.nan)))
    known = np.where(observed, z, left_out)
    for seed, m in enumerate(order):
        features = known.copy()
        features[:, m] = left_out[:, m]
        features = features[:, order].round(5)
        own = rows[observed[rows, m]]
        forest = ExtraTreesRegressor(TREES, min_samples_leaf=5, max_features=0.7, random_state=seed)
        forest.fit(features[own], (z - left_out)[own, m].round(5))
        np.testing.assert_allclose(grown[:, m], forest.predict(features), rtol=0, atol=1e-12)


def test_trees_find_a_bend_that_the_normal_distribution_cannot_and_know_new_rows():
    z, observed = bent()
    given = entries(np.where(observed, z, np.nan))
    normal = fit_normal(*given, z.shape)
    trees = fit_residual_trees(normal, *given, len(z))
    new, _ = bent(80, seed=1)
    seen = np.ones(new.shape, dtype=bool)
    seen[:, 3] = False
    estimates = trees.complete(*entries(np.where(seen, new, np.nan)), len(new))[:, 3].numpy()
    straight = normal.complete(*entries(np.where(seen, new, np.nan)), len(new))[0][:, 3].numpy()
    assert np.mean((estimates - new[:, 3]) ** 2) < 0.7 * np.mean((straight - new[:, 3]) ** 2)
    one = fit_residual_trees(normal, *given, len(z), only=[3])
    assert [bool(forest) for forest in one.forests] == [False, False, False, True]
    np.testing.assert_array_equal(one.complete(*entries(np.where(seen, new, np.nan)), len(new))[:, 3], estimates)

"""scikit-learn's imputers as methods."""

from dataclasses import replace

import numpy as np
import pytest
from estimates import table
from problems import random_ratings

from metamf.baselines.sklearn_imputers import KNN, Iterative, KNNConfig
from metamf.ratings.matrix import Ratings


def test_knn_is_scikit_learns_on_columns_with_observations():
    from sklearn.impute import KNNImputer

    ratings = random_ratings(10, 6, 0.4)
    X = ratings.to_dense()
    X[:, 2] = np.nan
    found = table(KNN(KNNConfig(neighbours=3)), Ratings.from_dense(X)).numpy()
    seen = [0, 1, 3, 4, 5]
    np.testing.assert_allclose(found[:, seen], KNNImputer(n_neighbors=3).fit_transform(X[:, seen]))
    np.testing.assert_allclose(found[:, 2], np.nanmean(X))


@pytest.mark.parametrize("cls", [KNN, Iterative])
def test_imputers_keep_observed_cells_and_stay_in_their_range(cls):
    ratings = random_ratings(10, 8, 0.3)
    found, X = table(cls(), ratings).numpy(), ratings.to_dense()
    np.testing.assert_allclose(found[~np.isnan(X)], X[~np.isnan(X)])
    assert np.nanmin(X) <= found.min() and found.max() <= np.nanmax(X)


def test_iterative_uses_the_other_columns():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 1)) * np.array([1.0, -2.0, 0.5])
    truth = X.copy()
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:10, 0] = np.nan
    X[:, 1:][:10] = truth[:10, 1:]
    found = table(Iterative(replace(Iterative().config, penalty=0.1)), Ratings.from_dense(X)).numpy()
    assert np.abs(found[:10, 0] - truth[:10, 0]).mean() < 0.15 * np.abs(truth[:, 0]).mean()

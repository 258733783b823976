"""Links: columns and rows without entries are estimated by features that say something, and all
others stay."""

from dataclasses import replace

import numpy as np
import pytest
from problems import STARS, everything, small_universal

from metamf import MetaMFImputer
from metamf.ratings.matrix import Ratings
from metamf.testing import assert_equal_alone_and_in_batch, assert_permutation_equivariant

N, M, P, COLD = 60, 40, 3, 8


def told(seed=0):
    """Stars whose columns follow from features, without the ratings of the last columns; and the
    truth."""
    rng = np.random.default_rng(seed)
    features, tastes = rng.standard_normal((M, P)), rng.standard_normal((N, P))
    X = 3 + (tastes @ features.T + features[:, 0]) / 2 + 0.2 * rng.standard_normal((N, M))
    X[:, -COLD:] = np.nan
    truth = 3 + (tastes @ features.T + features[:, 0]) / 2
    return replace(Ratings.from_dense(X.clip(1, 5), scale=STARS), col_features=features), truth


def cold_error(ratings, truth):
    estimates = MetaMFImputer().fit(ratings).impute().mean
    return np.sqrt(np.mean((estimates - truth.clip(1, 5))[:, -COLD:] ** 2))


@pytest.mark.slow
def test_cold_columns_follow_their_features_and_useless_features_switch_themselves_off():
    ratings, truth = told()
    useless = np.random.default_rng(1).standard_normal((M, P))
    without, by_useless, by_features = (
        cold_error(replace(ratings, col_features=features), truth)
        for features in (None, useless, ratings.col_features)
    )
    assert by_features < 0.6 * without and abs(by_useless - without) < 0.05 * without
    constant = np.hstack([ratings.col_features, np.ones((M, 1))])
    assert cold_error(replace(ratings, col_features=constant), truth) == pytest.approx(
        by_features, rel=0.05
    )


@pytest.mark.slow
def test_what_has_entries_is_estimated_as_without_features():
    ratings, _ = told()
    with_them, without = (
        MetaMFImputer().fit(one).impute().mean
        for one in (ratings, replace(ratings, col_features=None))
    )
    np.testing.assert_array_equal(with_them[:, :-COLD], without[:, :-COLD])
    assert np.abs(with_them - without)[:, -COLD:].min() > 0


@pytest.mark.parametrize("axis", ["rows", "cols"])
def test_the_symmetries_hold(axis):
    model, (ratings, _) = small_universal(), told()
    ratings = replace(ratings, row_features=np.random.default_rng(2).standard_normal((N, 2)))
    ratings = ratings.select(ratings.rows > 4)
    ratings = ratings.with_values((ratings.values - 3) / 2)
    assert_permutation_equivariant(model, ratings, axis, np.random.default_rng(0), everything)
    plain = ratings.submatrix(np.arange(9), np.arange(7))
    plain = replace(plain, row_features=None, col_features=None)
    assert_equal_alone_and_in_batch(model, [ratings, plain], everything)


def test_a_new_row_without_entries_is_estimated_by_its_features_as_a_row_of_the_matrix():
    ratings, _ = told()
    X = ratings.to_dense()[:, :-COLD].T.copy()  # rows have the features
    X = np.vstack([X, np.full((2, N), np.nan)])
    features = np.vstack([ratings.col_features[:-COLD], [[1.0, 0, 0], [-1.0, 0, 0]]])
    imputer = MetaMFImputer(scale=STARS).fit(X, row_features=features)
    filled = imputer.impute().mean[-2:]
    again = imputer.transform(X[-2:], row_features=features[-2:])
    np.testing.assert_allclose(again, filled, rtol=1e-4)
    assert filled[0].mean() > filled[1].mean() + 0.3
    with pytest.raises(ValueError, match="must be finite numbers for 34 rows, got shape"):
        imputer.fit(X, row_features=features[:3])

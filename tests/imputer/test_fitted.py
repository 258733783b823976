"""Predictions of a fitted imputer at positions, and entries that it cannot leave out."""

import tracemalloc

import numpy as np
import pytest
from problems import ratings_matrix

from metamf import MetaMFImputer, Ratings


@pytest.fixture
def X():
    return ratings_matrix()


def test_predictions_equal_the_matrix_of_estimates(X):
    imputer = MetaMFImputer().fit(X)
    mean = imputer.impute(X).mean
    rows, cols = np.nonzero(np.isfinite(mean))
    np.testing.assert_allclose(imputer.predict(rows, cols), mean.ravel(), atol=1e-6)
    np.testing.assert_allclose(imputer.predict([3], np.arange(9)), mean[3], atol=1e-6)
    assert imputer.predict([], []).shape == (0,)


def test_predict_builds_no_n_by_m_matrix():
    rng = np.random.default_rng(0)
    N, M = 20_000, 10_000
    cells = rng.choice(N * M, 3000, replace=False)
    imputer = MetaMFImputer().fit(Ratings(cells // M, cells % M, rng.integers(1, 6, 3000), (N, M)))
    tracemalloc.start()
    out = imputer.predict(rng.integers(0, N, 1000), rng.integers(0, M, 1000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert out.shape == (1000,) and np.isfinite(out).all()
    assert peak < 10e6 < N * M / 8  # far below even one bit per cell


@pytest.mark.parametrize(
    ("rows", "cols", "error", "message"),
    [
        ([0, 12], [0, 0], IndexError, r"row 12 lies outside 0 \.\.\. 11"),
        ([0, -1], [0, 0], IndexError, r"row -1 lies outside 0 \.\.\. 11"),
        ([0], [9], IndexError, r"column 9 lies outside 0 \.\.\. 8"),
        ([0.0], [1], TypeError, "row positions are integers, got float64"),
        ([0], [True], TypeError, "column positions are integers, got bool"),
    ],
)
def test_positions_outside_the_matrix_are_named(X, rows, cols, error, message):
    with pytest.raises(error, match=message):
        MetaMFImputer().fit(X).predict(rows, cols)


def test_leaving_out_what_is_not_there_is_refused(X):
    imputer = MetaMFImputer().fit(X)
    with pytest.raises(IndexError, match="entry -1 lies outside"):
        imputer.estimates_without([-1], 0, 0)
    with pytest.raises(IndexError, match=r"row 12 lies outside 0 \.\.\. 11"):
        imputer.estimates_without([0], 12, 0)
    with pytest.raises(ValueError, match="leaves nothing to estimate from"):
        MetaMFImputer().fit([[1, np.nan]]).estimates_without([0], 0, 0)

"""What a fitted imputer answers: predictions at positions, and estimates without an entry."""

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


@pytest.mark.parametrize(
    ("checkpoint", "parameters"),
    [
        ("universal", {"scale": (1, 5)}),
        ("universal", {"steps": 2}),
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
        assert estimate == pytest.approx(again.predict([4], [2])[0], abs=tolerance)


def test_estimates_without_entries_are_the_same_in_parts(X, monkeypatch):
    imputer = MetaMFImputer().fit(X)
    whole = imputer.estimates_without(range(10), 0, 0)
    monkeypatch.setattr("metamf.imputer.adaptation.AT_ONCE", 3 * imputer.ratings_.nnz)
    np.testing.assert_allclose(imputer.estimates_without(range(10), 0, 0), whole, atol=1e-9)
    assert imputer.estimates_without([], 0, 0).shape == (0,)


def test_leaving_out_what_is_not_there_is_refused(X):
    imputer = MetaMFImputer().fit(X)
    with pytest.raises(IndexError, match="entry -1 lies outside"):
        imputer.estimates_without([-1], 0, 0)
    with pytest.raises(IndexError, match=r"row 12 lies outside 0 \.\.\. 11"):
        imputer.estimates_without([0], 12, 0)
    with pytest.raises(ValueError, match="leaves nothing to estimate from"):
        MetaMFImputer().fit([[1, np.nan]]).estimates_without([0], 0, 0)

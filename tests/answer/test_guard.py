"""The guard: where columns have units of their own, none is filled in worse than by its mean beyond chance."""

import numpy as np
import pytest

import metamf
from metamf.answer.domain_shift import adapted_sentences
from metamf.answer.filling import fill
from metamf.answer.guard import HiddenErrors, worse_than_mean


def mixed_frame(seed, rows=120):
    """Income, counts, a ratio, a score, dates as numbers, a constant and an age, and which of them are given."""
    rng = np.random.default_rng(seed)
    t = rng.normal(size=rows)
    e = rng.normal(size=(7, rows))
    columns = [
        np.exp(10 + 0.6 * t + 0.8 * e[0]),
        rng.poisson(np.exp(1 + 0.4 * t)).astype(float),
        1 / (1 + np.exp(-(t + e[1]))),
        np.clip(np.round(3 + t + e[2]), 1, 5),
        20260000 + np.round(100 * e[3]),
        np.full(rows, 7.0),
        np.round(40 + 6 * t + 10 * e[4]),
    ]
    X = np.column_stack(columns)
    return X, rng.random(X.shape) < 0.7


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::metamf.GuardWarning")
@pytest.mark.parametrize("seed", range(4))
def test_no_column_of_mixed_units_is_filled_in_worse_than_by_its_mean(seed):
    X, given = mixed_frame(seed)
    filled = metamf.load_pretrained().fit_transform(np.where(given, X, np.nan))
    for m in range(X.shape[1]):
        hidden = ~given[:, m]
        error = np.sqrt(np.mean((filled[hidden, m] - X[hidden, m]) ** 2))
        of_mean = np.sqrt(np.mean((X[given[:, m], m].mean() - X[hidden, m]) ** 2))
        assert error <= 1.1 * of_mean + 1e-9
        assert filled[:, m].min() >= min(0, X[given[:, m], m].min())


def test_columns_are_found_whose_estimates_are_worse_beyond_chance():
    rng = np.random.default_rng(0)
    cols = np.repeat([0, 1, 2], 40)
    of_mean = rng.normal(size=120)
    errors = np.where(cols == 0, 3 * of_mean, np.where(cols == 1, 0.5 * of_mean, of_mean))
    found = worse_than_mean([HiddenErrors(cols, errors, of_mean)], 3)
    assert list(found) == [0]
    assert found[0] == pytest.approx(3)


@pytest.mark.slow
def test_a_guarded_column_gets_its_mean_and_a_warning(monkeypatch):
    X, given = mixed_frame(0)
    X = np.where(given, X, np.nan)
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", lambda parts, M: {3: 2.5})
    with pytest.warns(metamf.GuardWarning, match="3: the estimates were worse"):
        imputer = metamf.load_pretrained().fit(X)
    assert imputer.guarded_ == {3: 2.5}
    missing = np.isnan(X[:, 3])
    expected = imputer.standardization_.mean[3]
    np.testing.assert_allclose(imputer.transform(X)[missing, 3], expected)
    assert metamf.load_pretrained(guard=False).fit(X).guarded_ == {}


def test_a_matrix_of_one_scale_is_not_guarded():
    X = np.where(np.random.default_rng(1).random((40, 12)) < 0.6, 3.0, np.nan)
    X[::3] += 1
    imputer = metamf.load_pretrained(scale=(1, 5)).fit(X)
    assert imputer.guarded_ == {}


def test_a_table_that_is_filled_in_is_guarded(monkeypatch):
    X, given = mixed_frame(0)
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", lambda parts, M: {3: 2.5})
    filled = fill(metamf.Ratings.from_dense(np.where(given, X, np.nan)))
    assert filled.imputer.guarded_ == {3: 2.5}
    np.testing.assert_allclose(filled.mean[:, 3], filled.imputer.standardization_.mean[3])
    assert any("mean was used" in sentence for sentence in adapted_sentences(filled.imputer))

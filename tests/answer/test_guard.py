"""The guard: where columns have units of their own, none is filled in worse than by its mean beyond
chance."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import in_an_empty_folder, run  # noqa: F401  fixtures

import metamf
from metamf.answer.domain_shift import adapted_sentences
from metamf.answer.guard import HiddenErrors, guard_of, worse_than_mean
from metamf.answer.methods import method
from metamf.ratings.units import By, SidedUnits

KINDS = "income", "count", "ratio", "score", "date", "constant", "age", "nearly empty"


def mixed_frame(seed, rows=120):
    """A column of each of ``KINDS``, and which entries are given."""
    rng = np.random.default_rng(seed)
    t = rng.normal(size=rows)
    e = rng.normal(size=(8, rows))
    X = np.column_stack(
        [
            np.exp(10 + 0.6 * t + 0.8 * e[0]),
            rng.poisson(np.exp(1 + 0.4 * t)).astype(float),
            1 / (1 + np.exp(-(t + e[1]))),
            np.clip(np.round(3 + t + e[2]), 1, 5),
            20260000 + np.round(100 * e[3]),
            np.full(rows, 7.0),
            np.round(40 + 6 * t + 10 * e[4]),
            np.round(170 + 8 * e[5]),
        ]
    )
    given = rng.random(X.shape) < 0.7
    given[:, -1] = np.arange(rows) % 20 == seed
    return X, given, np.where(given, X, np.nan)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::metamf.GuardWarning")
def test_no_column_of_mixed_units_is_filled_in_worse_than_by_its_mean():
    seeds = 4
    squares = np.zeros((2, len(KINDS)))
    for seed in range(seeds):
        X, given, known = mixed_frame(seed)
        filled = metamf.load_pretrained().fit_transform(known)
        mean, spread = np.nanmean(known, axis=0), np.nanstd(known, axis=0)
        found = np.stack([(np.square(each - X) * ~given).sum(axis=0) for each in (filled, mean)])
        assert (found[0] <= 1.1**2 * found[1] + 1e-9).all(), (seed, np.sqrt(found[0] / found[1]))
        squares += found / np.maximum(found[1], 1e-300)
        low, high = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
        assert (filled >= np.maximum(low - 1.1 * spread, np.where(low >= 0, 0, -np.inf))).all()
        assert (filled <= high + 1.1 * spread).all()
    assert (squares[0] <= 1.05**2 * seeds).all()


def test_columns_are_found_whose_estimates_are_worse_beyond_chance():
    rng = np.random.default_rng(0)
    cols = np.repeat([0, 1, 2], 40)
    of_mean = rng.normal(size=120)
    errors = np.where(cols == 0, 3 * of_mean, np.where(cols == 1, 0.5 * of_mean, of_mean))
    found = worse_than_mean(HiddenErrors(cols, errors - of_mean, -of_mean), 3)
    assert list(found) == [0]
    assert found[0] == pytest.approx(3)


def noise(rng, columns=2_000, each=30):
    """Departures of entries of columns of whole numbers, and of estimates that know nothing."""
    cols = np.repeat(np.arange(columns), each)
    values = (rng.integers(1, 6, len(cols)) - 3) / np.sqrt(2)
    return HiddenErrors(cols, 0.3 * rng.normal(size=len(cols)), values)


@pytest.mark.parametrize("each", [1, 3, 30])
def test_noise_in_thousands_of_columns_is_no_failure(each):
    tables = (noise(np.random.default_rng(seed), each=each) for seed in range(20))
    assert sum(bool(worse_than_mean(found, 2_000)) for found in tables) <= 1


def test_a_failure_is_found_among_thousands_of_columns():
    for seed in range(2):
        found = noise(np.random.default_rng(seed))
        found.estimates[found.cols == 1234] = -2 * found.values[found.cols == 1234]
        assert list(worse_than_mean(found, 2_000)) == [1234]


def test_one_warning_names_the_worst_columns(monkeypatch):
    frame = pd.DataFrame(mixed_frame(0, rows=40)[2], columns=KINDS)
    worse = {m: 1.2 + 0.1 * m for m in range(7)}
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", lambda found, M: worse)
    imputer = metamf.MetaMFImputer()
    with pytest.warns(metamf.GuardWarning) as caught:
        imputer.fit(frame)
    (said,) = (str(each.message) for each in caught if each.category is metamf.GuardWarning)
    assert said.startswith("age (1.8 x), constant (1.7 x), date (1.6 x)")
    assert "ratio (1.4 x) and 2 more: " in said
    assert imputer.guarded_ == {KINDS[m]: ratio for m, ratio in worse.items()}


UNITS = SidedUnits(By.COLUMN).of(
    metamf.Ratings.from_dense(np.random.default_rng(0).normal(size=(50, 4)))
)


def test_estimates_are_drawn_to_the_mean_as_far_as_hidden_entries_say():
    rng = np.random.default_rng(0)
    cols = np.repeat(np.arange(4), 500)
    values, noise = rng.normal(size=(2, 2000))
    said = 0.8 * values, noise, values + noise, 2 * values
    estimates = np.choose(cols, said)
    weight = guard_of(HiddenErrors(cols, estimates, values), UNITS, [3], np.full(4, 50)).weight
    assert weight[0] == 1
    assert weight[1] < 0.2
    assert weight[2] == pytest.approx(0.5, abs=0.1)
    assert weight[3] == 0
    some = HiddenErrors(cols[::50], estimates[::50], values[::50])
    few = guard_of(some, UNITS, [3], np.full(4, 50)).weight
    assert weight[1] < few[1] < few[0] <= weight[0]
    nothing = HiddenErrors(*np.empty((3, 0)))
    np.testing.assert_array_equal(guard_of(nothing, UNITS, [], np.full(4, 50)).weight, 1)


def test_a_column_with_far_fewer_entries_than_the_others_keeps_less():
    values = np.random.default_rng(0).normal(size=200)
    found = HiddenErrors(np.repeat([0, 1], 100), values, values)
    assert guard_of(found, UNITS, [], np.array([40, 40, 40, 4])).weight[3] == pytest.approx(0.4)
    assert guard_of(found, UNITS, [], np.full(4, 4)).weight[3] == 1


@pytest.mark.filterwarnings("ignore::metamf.GuardWarning")
def test_intervals_of_a_guarded_column_are_those_of_its_mean(monkeypatch):
    X, given, known = mixed_frame(0)
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", lambda found, M: {6: 2.0})
    imputer = metamf.MetaMFImputer().fit(known)
    answer = imputer.impute(interval=0.9)
    spread = SidedUnits(By.COLUMN).of(imputer.ratings_).std[6]
    expected = 1.6449 * spread * imputer.ensemble_.factor
    np.testing.assert_allclose(answer.half_width[:, 6], expected, rtol=1e-4)
    hidden = ~given[:, 6]
    inside = (answer.lower[hidden, 6] <= X[hidden, 6]) & (X[hidden, 6] <= answer.upper[hidden, 6])
    assert inside.mean() > 0.8


@pytest.mark.parametrize(
    "settings", [{"checkpoint": "universal"}, {"checkpoint": "ml-1m"}, {"guard": False}]
)
def test_a_network_that_somebody_names_and_one_without_the_guard_is_not_guarded(
    monkeypatch, settings
):
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", None)
    imputer = metamf.MetaMFImputer(**settings).fit(mixed_frame(0, rows=40)[2])
    assert imputer.guarded_ == {}


def test_a_report_names_guarded_columns(monkeypatch, run):
    frame = pd.DataFrame(mixed_frame(0, rows=40)[2], columns=KINDS)
    frame.to_csv("mixed.csv", index=False)
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", lambda found, M: {2: 2.5})
    monkeypatch.setattr("metamf.answer.methods.TUNED_BASELINES", ())
    monkeypatch.setattr("metamf.answer.methods.REPEATS_OF_FEW", 1)
    run("impute", "mixed.csv", "--out", "a.csv", "--report-json", "r.json")
    with open("r.json") as file:
        assert json.load(file)["guarded"] == {"ratio": 2.5}


def test_a_table_that_is_filled_in_is_guarded(monkeypatch):
    ratings = metamf.Ratings.from_dense(mixed_frame(0)[2])
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", lambda found, M: {3: 2.5})
    filled = method("universal").predict(ratings, None)
    assert filled.fitted.guarded == {3: 2.5}
    mean = SidedUnits(By.COLUMN).of(filled.given).mean[3]
    np.testing.assert_allclose(filled.mean[:, 3], mean)
    assert any("mean was used" in sentence for sentence in adapted_sentences(filled.fitted))

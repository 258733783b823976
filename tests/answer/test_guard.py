"""The guard: where columns have units of their own, none is filled in worse than by its mean beyond chance."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import in_an_empty_folder, run  # noqa: F401  fixtures

import metamf
from metamf.answer.domain_shift import adapted_sentences
from metamf.answer.filling import fill
from metamf.answer.guard import HiddenErrors, guard_of, hidden_errors, worse_than_mean
from metamf.answer.methods import contender
from metamf.checkpoints.bundled import open_checkpoint
from metamf.ratings.units import By, SidedUnits

KINDS = "income", "count", "ratio", "score", "date", "constant", "age", "nearly empty"
RATINGS = [word for name in KINDS for word in ("--ratings", name)]  # of the command


def mixed_frame(seed, rows=120):
    """A column of each of ``KINDS``, and which entries are given."""
    rng = np.random.default_rng(seed)
    t = rng.normal(size=rows)
    e = rng.normal(size=(8, rows))
    columns = [
        np.exp(10 + 0.6 * t + 0.8 * e[0]),
        rng.poisson(np.exp(1 + 0.4 * t)).astype(float),
        1 / (1 + np.exp(-(t + e[1]))),
        np.clip(np.round(3 + t + e[2]), 1, 5),
        20260000 + np.round(100 * e[3]),
        np.full(rows, 7.0),
        np.round(40 + 6 * t + 10 * e[4]),
        np.round(170 + 8 * e[5]),
    ]
    X = np.column_stack(columns)
    given = rng.random(X.shape) < 0.7
    given[:, -1] = np.arange(rows) % 20 == seed
    return X, given


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::metamf.GuardWarning")
def test_no_column_of_mixed_units_is_filled_in_worse_than_by_its_mean():
    seeds = 4
    squares = np.zeros((2, len(KINDS)))
    for seed in range(seeds):
        X, given = mixed_frame(seed)
        filled = metamf.load_pretrained().fit_transform(np.where(given, X, np.nan))
        mean = np.array([X[given[:, m], m].mean() for m in range(len(KINDS))])
        spread = np.array([X[given[:, m], m].std() for m in range(len(KINDS))])
        found = np.stack([(np.square(each - X) * ~given).sum(axis=0) for each in (filled, mean)])
        assert (found[0] <= 1.1**2 * found[1] + 1e-9).all(), (seed, np.sqrt(found[0] / found[1]))
        squares += found / np.maximum(found[1], 1e-300)
        low = np.array([X[given[:, m], m].min() for m in range(len(KINDS))])
        high = np.array([X[given[:, m], m].max() for m in range(len(KINDS))])
        assert (filled >= np.where(low >= 0, np.maximum(low - 1.1 * spread, 0), low - 1.1 * spread)).all()
        assert (filled <= high + 1.1 * spread).all()
    assert (squares[0] <= 1.05**2 * seeds).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::metamf.GuardWarning")
def test_the_page_and_the_command_fill_in_as_the_library_does(run):
    X, given = mixed_frame(3)
    table = np.where(given, X, np.nan)
    expected = metamf.load_pretrained().fit_transform(table)
    page = fill(metamf.Ratings.from_dense(table), contender("universal"), scale=None)
    np.testing.assert_array_equal(page.filled, expected)
    pd.DataFrame(table, columns=KINDS).to_csv("mixed.csv", index=False)
    found = run("impute", "mixed.csv", *RATINGS, "--out", "filled.csv", "-q")
    assert found.code == 0, found.said
    np.testing.assert_allclose(pd.read_csv("filled.csv").to_numpy(float), expected, rtol=1e-3)


def test_columns_are_found_whose_estimates_are_worse_beyond_chance():
    rng = np.random.default_rng(0)
    cols = np.repeat([0, 1, 2], 40)
    of_mean = rng.normal(size=120)
    errors = np.where(cols == 0, 3 * of_mean, np.where(cols == 1, 0.5 * of_mean, of_mean))
    found = worse_than_mean([HiddenErrors(cols, errors - of_mean, -of_mean)], 3)
    assert list(found) == [0]
    assert found[0] == pytest.approx(3)


def noise(rng, columns=2_000, each=30):
    """Departures of entries of columns of whole numbers, each hidden twice, and of estimates that know nothing."""
    cols = np.repeat(np.arange(columns), each)
    values = (rng.integers(1, 6, len(cols)) - 3) / np.sqrt(2)
    estimates = 0.3 * rng.normal(size=len(cols))
    return [HiddenErrors(cols, estimates + 0.02 * rng.normal(size=len(cols)), values) for _ in range(2)]


@pytest.mark.parametrize("each", [1, 3, 30])
def test_noise_in_thousands_of_columns_is_no_failure(each):
    found = [worse_than_mean(noise(np.random.default_rng(seed), each=each), 2_000) for seed in range(20)]
    assert sum(map(bool, found)) <= 1


def test_a_failure_is_found_among_thousands_of_columns():
    for seed in range(5):
        parts = noise(np.random.default_rng(seed))
        for part in parts:
            part.estimates[part.cols == 1234] = -2 * part.values[part.cols == 1234]
        assert list(worse_than_mean(parts, 2_000)) == [1234]


@pytest.mark.slow
def test_no_column_of_noise_is_warned_of():
    opened = open_checkpoint("universal")
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = np.where(rng.random((12, 2_000)) < 0.7, rng.integers(1, 6, (12, 2_000)), np.nan)
        ratings = metamf.Ratings.from_dense(X)
        found.append(worse_than_mean(hidden_errors(opened.network, ratings, opened.units(ratings), None), 2_000))
    assert sum(map(bool, found)) <= 1


@pytest.mark.parametrize("one_scale", [False, True])
def test_one_warning_names_the_worst_columns(monkeypatch, one_scale):
    X, given = mixed_frame(0, rows=40)
    frame = pd.DataFrame(np.where(given, X, np.nan), columns=KINDS)
    worse = {m: 1.2 + 0.1 * m for m in range(7)}
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", lambda parts, M: worse)
    imputer = metamf.load_pretrained(standardize="matrix" if one_scale else "columns")
    with pytest.warns(metamf.GuardWarning) as caught:
        imputer.fit(frame)
    (warning,) = (str(each.message) for each in caught if each.category is metamf.GuardWarning)
    assert warning.startswith("age (1.8 x), constant (1.7 x), date (1.6 x), score (1.5 x), ratio (1.4 x) and 2 more: ")
    assert warning.endswith("but stay, since the matrix has one scale" if one_scale else "so the means were used")
    assert imputer.guarded_ == ({} if one_scale else {KINDS[m]: ratio for m, ratio in worse.items()})


def test_estimates_are_drawn_to_the_mean_as_far_as_hidden_entries_say():
    rng = np.random.default_rng(0)
    ratings = metamf.Ratings.from_dense(rng.normal(size=(50, 4)))
    units = SidedUnits(By.COLUMN).of(ratings)
    cols = np.repeat(np.arange(4), 500)
    values = rng.normal(size=2000)
    noise = rng.normal(size=2000)
    estimates = np.select([cols == 0, cols == 1, cols == 2], [0.8 * values, noise, values + noise], 2 * values)
    weight = guard_of([HiddenErrors(cols, estimates, values)], units, [3], np.full(4, 50)).weight
    assert weight[0] == 1 and weight[1] < 0.2 and weight[2] == pytest.approx(0.5, abs=0.1) and weight[3] == 0
    few = guard_of([HiddenErrors(cols[::50], estimates[::50], values[::50])], units, [3], np.full(4, 50)).weight
    assert weight[1] < few[1] < few[0] < weight[0]
    guard = guard_of([], units, [], np.full(4, 50))
    np.testing.assert_array_equal(guard.weight, 1)


def test_intervals_of_a_guarded_column_are_those_of_its_mean(monkeypatch):
    X, given = mixed_frame(0)
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", lambda parts, M: {6: 2.0})
    imputer = metamf.load_pretrained(guard="quiet").fit(np.where(given, X, np.nan))
    answer = imputer.imputation(0.9)
    units = imputer.standardization_
    np.testing.assert_allclose(answer.half_width[:, 6], 1.6449 * units.std[6], rtol=1e-4)
    hidden = ~given[:, 6]
    inside = (answer.lower[hidden, 6] <= X[hidden, 6]) & (X[hidden, 6] <= answer.upper[hidden, 6])
    assert inside.mean() > 0.8


def test_a_matrix_of_one_scale_is_warned_of_and_not_changed(monkeypatch):
    rng = np.random.default_rng(1)
    X = np.where(rng.random((40, 12)) < 0.6, rng.integers(1, 6, (40, 12)), np.nan)
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", lambda parts, M: {3: 2.5})
    with pytest.warns(metamf.GuardWarning, match="3: the estimates were worse .* but stay, since the matrix has one"):
        imputer = metamf.load_pretrained(scale=(1, 5)).fit(X)
    assert imputer.guarded_ == {} and imputer.ensemble_ is None
    alone = metamf.load_pretrained(scale=(1, 5), guard=False).fit_transform(X)
    np.testing.assert_array_equal(imputer.transform(X), alone)


def test_the_paper_s_checkpoints_are_not_looked_at(monkeypatch):
    monkeypatch.setattr("metamf.answer.adaptation.hidden_errors", None)
    X, given = mixed_frame(0)
    assert metamf.load_pretrained("ml-1m").fit(np.where(given, X, np.nan)).guarded_ == {}


def test_a_report_names_guarded_columns(monkeypatch, run):
    X, given = mixed_frame(0, rows=40)
    pd.DataFrame(np.where(given, X, np.nan), columns=KINDS).to_csv("mixed.csv", index=False)
    monkeypatch.setattr("metamf.answer.adaptation.usual_members", lambda ratings, by: None)
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", lambda parts, M: {3: 2.5})
    monkeypatch.setattr("metamf.answer.methods.TUNED_BASELINES", ())
    monkeypatch.setattr("metamf.answer.methods.most_members", lambda ratings: None)
    said = run("impute", "mixed.csv", *RATINGS, "--out", "a.csv", "--report-json", "r.json", "--repeats", "1").said
    assert "score: the estimates were worse than its mean on hidden entries (2.5 x), so the mean was used." in said
    with open("r.json") as file:
        assert json.load(file)["guarded"] == {"score": 2.5}


def test_a_table_that_is_filled_in_is_guarded(monkeypatch):
    X, given = mixed_frame(0)
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", lambda parts, M: {3: 2.5})
    filled = fill(metamf.Ratings.from_dense(np.where(given, X, np.nan)))
    assert filled.imputer.guarded_ == {3: 2.5}
    np.testing.assert_allclose(filled.mean[:, 3], filled.imputer.standardization_.mean[3])
    assert any("mean was used" in sentence for sentence in adapted_sentences(filled.imputer))

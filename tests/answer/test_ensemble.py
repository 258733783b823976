"""Members next to the network: their weights, new rows, intervals, and the matrices that are too large for them."""

from dataclasses import replace

import numpy as np
import pytest

import metamf
from metamf import MetaMFImputer, Ratings
from metamf.answer import ensemble
from metamf.answer.ensemble import (
    MEMBERS,
    fit_ensemble,
    fit_members,
    most_members,
    quick_members,
    stacked_weights,
    usual_weights,
)
from metamf.ratings.features import FeatureCoding
from metamf.ratings.units import By, SidedUnits

pytestmark = pytest.mark.slow


def table(N=60, M=7, hidden=0.3, seed=0):
    """(N, M) columns in units of their own that vary together, and the same with some cells hidden."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 3)) @ rng.normal(size=(3, M)) + 0.4 * rng.normal(size=(N, M))
    X = X * 10.0 ** np.arange(M) + 3 * 10.0 ** np.arange(M)
    return X, np.where(rng.random(X.shape) < hidden, np.nan, X)


@pytest.fixture(scope="module", params=MEMBERS)
def fitted(request):
    X = table()[1]
    return X, MetaMFImputer(standardize="columns", members=request.param).fit(X)


def rmse(estimates, truth, hidden):
    return np.sqrt(np.mean((((estimates - truth) / truth.std(0))[hidden]) ** 2))


def test_the_ensemble_is_better_than_the_network_alone_and_the_report_says_by_how_much(fitted):
    X, imputer = fitted
    truth, hidden = table()[0], np.isnan(X)
    alone = MetaMFImputer(standardize="columns", members=None).fit_transform(X)
    assert rmse(imputer.transform(X), truth, hidden) < 0.95 * rmse(alone, truth, hidden)
    report = imputer.ensemble_
    names = {"network", "normal", "ridge", "attention"} | ({"trees"} if imputer.members == "trees" else set())
    assert set(report.weights) == set(report.errors) == names
    assert min(report.weights.values()) >= 0 and sum(report.weights.values()) == pytest.approx(1)
    assert report.hidden > 50 and report.error <= max(report.errors.values()) and report.error < 1


def test_rows_of_the_fit_and_single_cells_get_the_fit_s_estimates(fitted):
    X, imputer = fitted
    whole = MetaMFImputer(standardize="columns", members=imputer.members).fit_transform(X)
    np.testing.assert_allclose(imputer.transform(X), whole, rtol=1e-6)
    np.testing.assert_allclose(imputer.transform(X[5:8]), whole[5:8], rtol=1e-6)
    rows, cols = np.nonzero(np.isnan(X))
    np.testing.assert_allclose(imputer.estimate(rows, cols), whole[rows, cols], rtol=1e-6)
    np.testing.assert_allclose(imputer.imputation().filled, whole, rtol=1e-6)


def test_the_answer_is_the_weighted_sum_of_the_members(fitted):
    X, imputer = fitted
    result = MetaMFImputer(standardize="columns", members=imputer.members, clip=False, guard=False).impute(X)
    members = [
        result.trajectory.estimate(result.trajectory.T),
        *result.estimates.ensemble.members.completed(result.ratings)[0],
    ]
    weights = list(imputer.ensemble_.weights.values())
    size = np.nanmax(np.abs(X), axis=0)
    np.testing.assert_allclose(result.mean / size, np.tensordot(weights, members, 1) / size, atol=1e-6)


def test_intervals_hold_what_they_promise():
    inside = []
    for seed in range(6):
        truth, X = table(80, 8, seed=seed)
        imputer = MetaMFImputer(standardize="columns", members="normal").fit(X)
        for level in (0.5, 0.9):
            result = imputer.imputation(level)
            inside.append((np.abs(result.mean - truth) <= result.half_width)[np.isnan(X)].mean() - level)
            cells = np.array([0, 5]), np.array([1, 2])
            np.testing.assert_allclose(result.half_widths.at(*cells), result.half_width[cells])
    assert abs(np.mean(inside[0::2])) < 0.06 and abs(np.mean(inside[1::2])) < 0.04


def test_weights_of_three_members_are_the_most_probable_that_are_not_negative():
    rng = np.random.default_rng(1)
    for scale, usual in ((0.1, np.full(3, 1 / 3)), (1.0, np.full(3, 1 / 3)), (3.0, np.array([0.7, 0.2, 0.1]))):
        common = rng.normal(size=400)
        errors = np.array([common + scale * rng.normal(size=400), common * 0.5 + 0.3, rng.normal(size=400) * scale])
        weights = stacked_weights(errors, usual, 0.3)
        assert weights.min() >= 0 and weights.sum() == pytest.approx(1)
        prior = np.mean((weights @ errors) ** 2) / 0.3**2

        def loss(w, errors=errors, prior=prior, usual=usual):
            return np.sum((w @ errors) ** 2) + prior * np.sum((w - usual) ** 2)

        others = rng.dirichlet(np.ones(3), size=2000)
        lowest = min(map(loss, [*others, *(0.99 * weights + 0.01 * others)]))
        assert loss(weights) <= lowest * (1 + 1e-6)


def test_a_member_that_is_nearly_exact_is_followed_after_few_entries_and_members_alike_weigh_the_same():
    rng = np.random.default_rng(2)
    exact, *others = np.array([0.01, 1.0, 1.0])[:, None] * rng.normal(size=(3, 20))
    equal = np.full(3, 1 / 3)
    assert stacked_weights(np.array([exact, *others]), equal, 0.3)[0] > 0.99
    assert stacked_weights(np.array([exact, *others]), np.array([0.1, 0.8, 0.1]), 0.2)[0] > 0.99
    np.testing.assert_allclose(stacked_weights(np.array([others[0]] * 3), equal, 0.3), 1 / 3, atol=1e-9)
    np.testing.assert_allclose(stacked_weights(np.zeros((3, 20)), equal, 0.3), 1 / 3)


def test_without_hidden_entries_all_weigh_the_same():
    ratings = Ratings.from_dense(np.array([[1.0, 2.0], [2.0, np.nan]]))
    report = fit_ensemble(ratings, []).weighing
    usual = {"network": 0.25 / 3, "normal": 0.25 / 3, "ridge": 0.25 / 3, "attention": 0.75}
    assert report.weights == pytest.approx(usual) and np.isnan(report.error)
    report = fit_ensemble(ratings, [], "trees").weighing
    assert len(report.weights) == 5 and report.weights["trees"] == 0.0625 and not report.errors
    assert set(usual_weights(["network", "normal"])) == {0.5}


@pytest.mark.parametrize("limit", ["MOST_COLUMNS", "MOST_CELLS"])
def test_a_table_too_large_for_members_has_the_network_alone(monkeypatch, limit):
    X = table()[1]
    assert most_members(Ratings.from_dense(X)) == "trees"
    assert most_members(Ratings.from_dense(X[:, :1])) is most_members(Ratings.from_dense(X * 1e-300)) is None
    monkeypatch.setattr(ensemble, limit, 5)
    assert most_members(Ratings.from_dense(X)) is None
    imputer = MetaMFImputer(standardize="columns", members="normal").fit(X)
    assert imputer.ensemble_ is None
    np.testing.assert_array_equal(imputer.transform(X), MetaMFImputer(standardize="columns").fit_transform(X))


def test_members_are_used_without_being_asked_where_columns_have_units_of_their_own_and_it_is_quick(monkeypatch):
    X = table()[1]
    auto = MetaMFImputer().fit(X)
    assert set(auto.ensemble_.weights) == {"network", "normal", "ridge", "trees", "attention"}
    np.testing.assert_array_equal(auto.transform(X), MetaMFImputer(members="trees").fit_transform(X))
    assert MetaMFImputer(standardize="matrix").fit(X).ensemble_ is None
    assert MetaMFImputer("ml-1m").fit(X).ensemble_ is None
    few = np.where(np.arange(X.size).reshape(X.shape) < 15, X, np.nan)
    assert MetaMFImputer().fit(few).ensemble_ is None
    assert quick_members(Ratings.from_dense(X)) == "trees"
    assert quick_members(Ratings.from_dense(X[:25])) == "normal", "too few entries for trees"
    monkeypatch.setattr(ensemble, "MOST_SECONDS", 0.3)
    assert quick_members(Ratings.from_dense(X)) == "normal"
    monkeypatch.setattr(ensemble, "MOST_SECONDS", 0.01)
    assert MetaMFImputer().fit(X).ensemble_ is None


@pytest.mark.parametrize(
    ("shape", "members"),
    [((1_000, 20), "trees"), ((60, 80), "normal"), ((5_000, 20), "normal"), ((2_000, 60), None), ((30_000, 3), None)],
)
def test_long_and_wide_tables_have_no_members_that_take_long_without_being_asked(shape, members):
    assert quick_members(Ratings.from_dense(np.random.default_rng(0).normal(size=shape))) == members


_ = np.nan


@pytest.mark.parametrize(
    "X",
    [
        [[5, _, 1, _, 3]],
        [[5], [_], [1], [_]],
        [[_, _, _], [_, 4, _]],
        [[3, _, 3], [_, 3, _]],
        [[1e9, _], [_, -1e9]],
        (np.eye(9) * 1e300).tolist(),
        [[1, 1, _], [2, 2, 2], [_, 3, 3], [4, _, 4]] * 6,
    ],
)
@pytest.mark.parametrize(("checkpoint", "members"), [("universal", "normal"), ("ml-1m", "trees")])
def test_every_shape_gets_finite_estimates_and_keeps_what_was_observed(X, checkpoint, members):
    X = np.array(X, dtype=float)
    out = MetaMFImputer(checkpoint, members=members).fit_transform(X)
    assert np.isfinite(out).all()
    np.testing.assert_array_equal(out[~np.isnan(X)], X[~np.isnan(X)])


def test_an_estimate_without_an_entry_is_that_of_all_members_fitted_without_it(fitted):
    X, imputer = fitted
    row, col = np.argwhere(np.isnan(X))[0]
    ratings, report = imputer.ratings_, imputer.ensemble_
    entries = [*np.flatnonzero(ratings.rows == row)[:2], ratings.nnz - 1]
    progress = []
    found = imputer.estimates_without(entries, row, col, lambda *done: progress.append(done))
    guard = imputer._adaptation.guard
    assert progress == [(0, 3)] and 0.02 < report.weights["normal"] < 0.98
    for entry, estimate in zip(entries, found):
        without = ratings.select(np.arange(ratings.nnz) != entry)
        network = MetaMFImputer(standardize="columns", clip=False, members=None, guard=False)
        network = network.fit(without).estimate([row], [col])[0]
        beside = fit_members(without, imputer.members).completed(without)[0][:, row, col]
        mixed = np.dot(list(report.weights.values()), [network, *beside])
        mean = SidedUnits(By.COLUMN).of(without).mean[col]
        assert estimate == pytest.approx(mean + guard.weight[col] * (mixed - mean), rel=1e-6)


def test_a_tuned_network_is_weighed_by_entries_that_tuning_never_saw():
    X = table(20, 5)[1]
    imputer = MetaMFImputer(standardize="columns", members="normal", tune=1).fit(X)
    assert imputer.ensemble_.hidden == imputer.tuning_.checked
    alone = MetaMFImputer(standardize="columns", members=None, tune=1).fit(X)  # and its intervals are scaled by them
    assert alone._adaptation.width_factor != 1
    assert MetaMFImputer(standardize="columns").fit(X)._adaptation.width_factor == 1
    np.testing.assert_allclose(imputer.transform(X), imputer.imputation().filled, rtol=1e-6)


@pytest.mark.parametrize("members", [None, *MEMBERS])
def test_members_read_what_describes_rows_and_what_says_nothing_switches_itself_off(members):
    rng, N, M = np.random.default_rng(0), 80, 6
    group = np.append(rng.integers(0, 3, N - 2), [0, 2])
    truth = (group - 1.0)[:, None] * [2, 2, 1, 1, 2, 0.5] + 0.5 * rng.normal(size=(N, 1))
    X = np.where(rng.random((N, M)) < 0.5, np.nan, truth + 0.3 * rng.normal(size=(N, M)))
    X[-2:], words = np.nan, np.array(["low", "middle", "high"])[group]
    imputer = MetaMFImputer(members=members).fit(X, row_features=words)
    filled = imputer.imputation().filled
    assert (filled[-1] > filled[-2] + 0.5 * (truth[-1] - truth[-2])).all()  # they have no entry
    np.testing.assert_allclose(imputer.transform(X[-3:], row_features=words[-3:]), filled[-3:], rtol=1e-4)

    def error(features):
        of = Ratings.from_dense(X) if features is None else replace(Ratings.from_dense(X), row_features=features)
        return rmse(fit_members(of, members).completed(of)[0][-1][:-2], truth[:-2], np.isnan(X[:-2]))

    if members is not None:
        useless, words = (FeatureCoding.of(some)(some) for some in (rng.permutation(words), words))
        assert error(words) < 0.9 * error(None) and error(useless) < 1.02 * error(None)


def test_members_without_being_asked_in_tables_of_one_unit_unless_an_entry_is_out_of_all_proportion():
    rng = np.random.default_rng(0)
    signal = 50 + 5 * rng.normal(size=(40, 2)) @ rng.normal(size=(2, 6))
    X = np.where(rng.random(signal.shape) < 0.8, signal, np.nan)
    names = {"network", "normal", "ridge", "trees", "attention"}
    assert set(metamf.load_pretrained().fit(X).ensemble_.weights) == names
    assert metamf.load_pretrained(scale=(0, 100)).fit(X).ensemble_ is None
    beyond = X.copy()
    beyond[tuple(np.argwhere(~np.isnan(X))[0])] = 1e12
    assert metamf.load_pretrained().fit(beyond).ensemble_ is None


def test_what_members_add_depends_neither_on_the_order_of_rows_and_columns_nor_on_the_unit():
    X = table()[1]
    rng = np.random.default_rng(3)
    rows, cols = (rng.permutation(size) for size in X.shape)
    fitted = MetaMFImputer(clip=False).fit(X)
    moved = MetaMFImputer(clip=False).fit(0.3 * X[np.ix_(rows, cols)] + 7)
    assert fitted.ensemble_.weights["attention"] > 0.1
    size = np.nanstd(X, axis=0)[cols]
    beside, beside_moved = (each.imputation().estimates.ensemble.members for each in (fitted, moved))
    of_each = beside.completed(fitted.ratings_)[0]
    assert np.abs((of_each[beside.names.index("trees")] - of_each[0])[:, cols] / size).max() > 0.1
    for member, again in zip(of_each, beside_moved.completed(moved.ratings_)[0]):
        np.testing.assert_allclose((again - 7) / 0.3 / size, member[np.ix_(rows, cols)] / size, atol=1e-5)
    expected = fitted.imputation().mean[np.ix_(rows, cols)] / size
    np.testing.assert_allclose((moved.imputation().mean - 7) / 0.3 / size, expected, atol=1e-5)

"""The one hiding, and what is chosen by it: units, weights, factors, and the model of a table."""

import numpy as np
import pytest
import torch
from measurements import relative_error, table_of_measurements
from torch_threads import three_threads  # noqa: F401  a fixture

from metamf import MetaMFImputer, Ratings
from metamf.answer.crossfit import (
    CHECKED_LEVELS,
    ENOUGH_HIDDEN,
    TABLE,
    CrossFit,
    Said,
    deciding_part,
    divisions_of,
    factor_of,
    joint_half_widths,
    lines_differ,
    lines_lie_apart,
    normal_factor,
    possible_rules,
    said_by_network,
    said_by_table,
)
from metamf.answer.table_model import fit_table, is_table, usefulness
from metamf.checkpoints.bundled import open_checkpoint
from metamf.ratings.units import By, OwnUnits, SidedUnits

pytestmark = pytest.mark.filterwarnings("ignore::metamf.GuardWarning")


def survey(rows=60, columns=10, seed=0, missing=0.3):
    """Answers on 1 to 5 with two factors behind them: with gaps, and whole."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(rows, 2)) @ rng.normal(size=(2, columns)) + rng.normal(size=columns) / 2
    whole = np.clip(np.round(3 + 0.7 * z + 0.6 * rng.normal(size=z.shape)), 1, 5)
    return np.where(rng.random(whole.shape) < missing, np.nan, whole), whole


# -- divisions


def test_no_entry_is_hidden_twice_and_every_entry_is_given_or_hidden():
    ratings = Ratings.from_dense(survey()[0])
    divisions = divisions_of(ratings)
    hidden = np.concatenate([each.query.rows * 10 + each.query.cols for each in divisions])
    assert len(divisions) == 2 and len(np.unique(hidden)) == len(hidden)
    assert all(each.support.nnz + each.query.nnz == ratings.nnz for each in divisions)
    assert divisions_of(Ratings.from_dense(np.ones((1, 10)))) == []  # too few decide nothing


def test_the_order_of_rows_and_columns_makes_no_difference():
    X, _ = survey()
    order = [np.random.default_rng(1).permutation(size) for size in X.shape]
    moved = MetaMFImputer().fit_transform(X[np.ix_(*order)])
    np.testing.assert_allclose(moved, MetaMFImputer().fit_transform(X)[np.ix_(*order)], atol=2e-5)


def test_of_a_long_matrix_whole_rows_decide():
    ratings = Ratings.from_dense(np.arange(12_000.0).reshape(1000, 12))
    part = deciding_part(ratings, whole_rows=True)
    assert part.shape == (192, 12) and len(divisions_of(part)) == 2
    narrow = deciding_part(Ratings.from_dense(np.arange(4_000.0).reshape(1000, 4)), whole_rows=True)
    assert sum(each.query.nnz for each in divisions_of(narrow)) == ENOUGH_HIDDEN
    assert deciding_part(ratings) is ratings  # no table


def test_candidates_of_a_small_table_are_fitted_on_one_core(three_threads):
    """Where several share single operations of a small table, each waits for the others."""
    threads = []

    def candidate(divisions):
        threads.append(torch.get_num_threads())
        return Said(np.zeros(sum(each.query.nnz for each in divisions)), None)

    CrossFit.of(divisions_of(Ratings.from_dense(survey()[0])), {TABLE: candidate})
    assert threads == [1] and torch.get_num_threads() == 3


# -- reductions


def crossed(network, table, values, division=None):
    """What a network and a table model say of one column of mean 0 and spread 1."""
    n = len(values)
    zeros = np.zeros(n)
    division = np.arange(n) % 2 if division is None else division
    said = {"whole": Said(network, None), TABLE: Said(table, None)}
    return CrossFit(zeros.astype(int), division, zeros, zeros + 1, values, said)


USUAL = 0.85, 0.2


def test_a_nearly_exact_model_is_followed_after_few_entries_and_without_evidence_the_usual_weight():
    rng = np.random.default_rng(0)
    values = rng.normal(size=12)
    noise = values + rng.normal(size=12)
    assert crossed(noise, values + 0.01 * noise, values).weight("whole", USUAL) > 0.97
    assert crossed(values + 0.01 * noise, noise, values).weight("whole", USUAL) < 0.05
    nothing, same = np.empty(0), np.ones(9)
    assert crossed(nothing, nothing, nothing).weight("whole", USUAL) == 0.85
    assert crossed(same, same, 2 * same).weight("whole", USUAL) == pytest.approx(0.85)


def test_one_entry_far_off_does_not_decide_for_all():
    rng = np.random.default_rng(0)
    values = rng.normal(size=40)
    network = values + rng.normal(size=40)
    table = values + 0.1 * rng.normal(size=40)
    values[0] = network[0] = 20
    assert crossed(network, table, values).weight("whole", USUAL) > 0.7


def test_an_honest_weight_is_that_of_the_other_entries():
    rng = np.random.default_rng(0)
    values = rng.normal(size=40)
    network = values + 0.3 * rng.normal(size=40)
    table = values + rng.normal(size=40)
    found = crossed(network, table, values)
    weights = found.honest_weights("whole", USUAL)
    some = found.division == 0
    np.testing.assert_array_equal(weights[some], found.weight("whole", USUAL, ~some))
    one = crossed(network, table, values, np.zeros(40, int))
    assert len(np.unique(one.honest_weights("whole", USUAL))) == 2


def test_other_units_are_taken_only_beyond_chance():
    rng = np.random.default_rng(0)
    values = rng.normal(size=200)
    rough = values + rng.normal(size=200)
    columns = rough + 0.01 * rng.normal(size=200)
    said = {"whole": rough, "columns": columns, "rows": values}
    said = {name: Said(each, None) for name, each in said.items()}
    found = CrossFit(*np.zeros((3, 200)), np.ones(200), values, said)
    assert found.best_units(["whole", "columns"]) == "whole"
    assert found.best_units(["whole", "columns", "rows"]) == "rows"


def test_the_factor_makes_intervals_cover_and_is_drawn_towards_one():
    ratios = np.abs(np.random.default_rng(0).normal(size=20_000)) / 0.5
    by_level = ratios / normal_factor(np.array(CHECKED_LEVELS)[:, None])
    assert factor_of(by_level) == pytest.approx(2, rel=0.03)
    assert 1.1 < factor_of(by_level[:, :50]) < 1.8


def test_intervals_of_the_table_model_have_the_tails_of_its_errors():
    ratings = Ratings.from_dense(table_of_measurements()[0])
    half_widths = said_by_table(fit_table(ratings), divisions_of(ratings)).half_widths
    ratio = half_widths[CHECKED_LEVELS.index(0.95)] / half_widths[CHECKED_LEVELS.index(0.5)]
    np.testing.assert_allclose(ratio, 2.306 / 0.7064, rtol=1e-3)  # the t table, 8 degrees


def test_half_widths_lie_between_those_of_both_whatever_their_size():
    assert [joint_half_widths(weight, 2.0, 5.0) for weight in (0.0, 1.0)] == [2, 5]
    assert 2 < joint_half_widths(0.5, 2.0, 5.0) < 5
    assert joint_half_widths(0.5, 2e200, 2e200) == pytest.approx(2e200)  # its square is no float


# -- units


def test_columns_may_have_units_where_they_differ_and_not_where_they_are_alike():
    X, _ = table_of_measurements()
    rules = possible_rules(Ratings.from_dense(X), OwnUnits())
    assert next(iter(rules)) is By.COLUMN, "columns that lie apart come first"
    turned = possible_rules(Ratings.from_dense(X.T), OwnUnits())
    assert next(iter(turned)) is By.ROW
    near = Ratings.from_dense(
        X / np.nanstd(X, axis=0) - np.nanmean(X / np.nanstd(X, axis=0), axis=0)
    )
    assert not lines_lie_apart(near, By.COLUMN)
    stars = Ratings.from_dense(np.random.default_rng(0).integers(1, 6, (40, 8)))
    assert list(possible_rules(stars, OwnUnits())) == [None]
    assert not lines_differ(stars, By.COLUMN)


def test_all_divisions_are_read_as_one_batch():
    X, _ = table_of_measurements()
    divisions = divisions_of(Ratings.from_dense(X))
    network = open_checkpoint("universal").network
    rule = SidedUnits(By.COLUMN)
    together = said_by_network(network, rule, 16, "auto", divisions)
    alone = [said_by_network(network, rule, 16, "auto", [each]) for each in divisions]
    for found, expected in zip(together, zip(*alone)):
        np.testing.assert_allclose(found, np.concatenate(expected, axis=-1), rtol=1e-3)


# -- what fills in a table


@pytest.mark.slow
def test_a_known_scale_is_limits_and_not_another_model():
    X, whole = survey(100, 12)
    hidden = np.isnan(X)
    scaled = MetaMFImputer(scale=(1, 5)).fit(X).impute(interval=0.9)

    def error(estimates):
        return np.sqrt(np.mean((estimates - whole)[hidden] ** 2))

    assert error(scaled.mean) <= 1.005 * error(MetaMFImputer().fit_transform(X))
    assert error(scaled.mean) < error(MetaMFImputer("universal", scale=(1, 5)).fit_transform(X))
    assert scaled.lower.min() >= 1 and scaled.upper.max() <= 5


def test_a_table_has_a_model_of_its_columns_and_a_named_network_stays_alone():
    X, _ = survey()
    imputer = MetaMFImputer().fit(X)
    assert set(imputer.ensemble_.weights) == {"network", "table"}
    assert sum(imputer.ensemble_.weights.values()) == pytest.approx(1)
    assert imputer.adaptation_.reads_table
    # factors are offered only where they made the estimates
    assert not any(hasattr(imputer, name) for name in ("U_", "V_", "components_"))
    with pytest.raises(ValueError, match="takes no steps"):
        imputer.impute().trajectory  # noqa: B018
    for name in ("universal", "ml-1m"):
        alone = MetaMFImputer(name).fit(X)
        assert alone.ensemble_ is None
        assert alone.U_.shape[0] == len(X)
        assert alone.impute().trajectory.T > 0


def test_sparse_ratings_and_wide_ones_keep_the_network_alone():
    rng = np.random.default_rng(0)
    stars = np.where(rng.random((40, 30)) < 0.1, rng.integers(1, 6, (40, 30)), np.nan)
    assert MetaMFImputer().fit(stars).ensemble_ is None
    assert not is_table(Ratings.from_dense(np.ones((400, 300))))


def test_the_fitted_matrix_is_imputed_and_new_rows_are_filled_in_without_a_refit():
    X, _ = survey(80)
    imputer = MetaMFImputer().fit(X)
    filled = imputer.transform(X)
    np.testing.assert_array_equal(imputer.impute().filled, imputer.fit_transform(X))
    np.testing.assert_allclose(imputer.transform(X[:5]), filled[:5], atol=1e-5)
    with pytest.raises(ValueError, match="not fitted"):
        MetaMFImputer().impute(interval=0.9)


@pytest.mark.slow
def test_features_of_rows_are_columns_of_the_normal_distribution():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 120)
    X = 3 + 2.0 * group[:, None] + 0.5 * rng.normal(size=(120, 5))
    given = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    given[:20] = np.nan
    told, silent = (
        np.mean((MetaMFImputer().fit(given, row_features=features).impute().mean - X)[:20] ** 2)
        for features in (group[:, None], None)
    )
    assert told < 0.5 * silent


def test_a_feature_that_says_nothing_is_of_no_use():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    F = np.column_stack([X[:, 0], rng.normal(size=100)])
    useful = usefulness(Ratings.from_dense(X), F)
    assert useful[0] > 0.9
    assert useful[1] < 0.5


def test_an_estimate_without_an_entry_is_nearly_that_of_a_new_table():
    X, _ = survey()
    imputer = MetaMFImputer().fit(X)
    entry = int(np.flatnonzero(imputer.ratings_.rows == 4)[0])
    (found,) = imputer.estimates_without([entry], 4, 2)
    X[4, imputer.ratings_.cols[entry]] = np.nan
    assert found == pytest.approx(MetaMFImputer().fit(X).estimate([4], [2])[0], abs=0.15)


# -- numbers that spoil others, and columns of which nothing is known


@pytest.mark.parametrize("power", [1e120, 1e-200])
def test_a_column_of_extreme_numbers_spoils_no_other(power):
    X, whole = table_of_measurements()
    usual = MetaMFImputer().fit_transform(X)
    X[:, 2] *= power
    found = MetaMFImputer().fit_transform(X)
    others = [0, 1, 3, 4, 5]
    np.testing.assert_allclose(found[:, others], usual[:, others], rtol=0.1)
    found[:, 2] /= power
    X[:, 2] /= power
    assert relative_error(X, whole, found) < 0.75


def test_a_column_without_an_entry_among_unlike_units_stays_empty_and_is_named():
    X, _ = table_of_measurements()
    X[:, 2] = np.nan
    ratings = Ratings.from_dense(X, col_labels=("a", "b", "income", "d", "e", "f"))
    with pytest.warns(UserWarning, match="column income is given"):
        answer = MetaMFImputer().impute(ratings, interval=0.9)
    assert np.isnan(answer.mean[:, 2]).all()
    assert np.isfinite(np.delete(answer.mean, 2, axis=1)).all()
    assert not answer.clipped[:, 2].any()
    with pytest.warns(UserWarning, match="stay empty"):
        draws = MetaMFImputer().fit(ratings).draws(2)
    assert np.isnan(draws.tables()[1][:, 2]).all()


@pytest.mark.parametrize("seed", [0, 7, 13])
def test_in_a_small_frame_of_unlike_units_each_column_has_its_own_and_an_empty_one_stays_empty(
    seed,
):
    """Too few entries are hidden in it to say so (seeds 7 and 13)."""
    rng = np.random.default_rng(seed)
    f = rng.normal(size=40)
    X = np.column_stack([2 * f, 100 + 10 * f, f, f]) + rng.normal(size=(40, 4)) * [0.5, 5, 1, 1]
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 3] = np.nan
    with pytest.warns(UserWarning, match="column 3 is given"):
        answer = MetaMFImputer().impute(X, interval=0.9)
    assert np.isnan(answer.mean[:, 3]).all()
    of_third = answer.half_width[np.isnan(X[:, 2]), 2]
    assert of_third.max() < 2 * np.nanstd(X[:, 2])


def test_one_row_of_unknown_units_stays_as_it_is():
    with pytest.warns(UserWarning, match="column 1 is given"):
        filled = MetaMFImputer().fit_transform([[35.0, np.nan, 2_000.0]])
    assert np.isnan(filled[0, 1])
    assert np.isfinite(MetaMFImputer(scale=(1, 5)).fit_transform([[3.0, np.nan, 4.0]])).all()


def test_a_column_without_an_entry_among_ratings_is_filled_in(X):
    X[:, 3] = np.nan
    assert np.isfinite(MetaMFImputer().fit_transform(X)).all()

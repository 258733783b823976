"""Draws: what is given stays, what is drawn can stand there, and what is pooled follows Rubin's
rules; means of columns where what is missing lies lower or higher."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from metamf import Ratings, RatingScale, load_pretrained
from metamf.answer.draws import centres, pooled
from metamf.answer.shift import column_means, turning_shift
from metamf.baselines.normal_draws import truncated


@pytest.fixture
def rng():
    return np.random.default_rng(4)


def survey(rng, rows=60, given=0.7):
    """Answers 1 to 5 to six questions that one trait moves, and what of them is given."""
    trait = rng.normal(size=(rows, 1))
    X = np.clip(np.round(3 + 0.8 * trait + 0.6 * rng.normal(size=(rows, 6))), 1, 5)
    return X, np.where(rng.random(X.shape) < given, X, np.nan)


def draws_of(X, *args, scale=(1, 5), **settings):
    """Draws do without the table model, and so does a test."""
    return load_pretrained("universal", scale=scale).fit(X).draws(*args, **settings)


def sparse_ratings(rng, rows=40, columns=30, given=0.2):
    X = 3.4 + 0.5 * rng.normal(size=(rows, 1)) + rng.normal(size=(rows, columns))
    X = np.clip(np.round(X), 1, 5)
    return np.where(rng.random(X.shape) < given, X, np.nan)


@pytest.mark.parametrize("by", ["columns", "posterior"])
def test_given_cells_are_the_same_in_all_tables_and_the_others_differ_within_the_scale(rng, by):
    _, X = survey(rng)
    tables = np.stack(list(load_pretrained(scale=(1, 5)).fit(X).draws(5, by=by).tables()))
    given = ~np.isnan(X)
    assert (tables[:, given] == X[given]).all()
    assert (tables[:, ~given].std(axis=0) > 0).all()
    assert 1 <= tables.min() and tables.max() <= 5


@pytest.mark.slow
def test_the_way_to_draw_follows_from_the_table(rng):
    own_units = survey(rng)[1] * np.array([1, 1000, 0.01, 1, 50, 7])
    assert draws_of(survey(rng)[1], 2).by == "columns"
    assert draws_of(sparse_ratings(rng), 2).by == "posterior"
    assert draws_of(own_units, 2, scale=None).by == "columns"
    with pytest.raises(ValueError, match="ml-1m"):
        load_pretrained("ml-1m", scale=(1, 5)).fit(sparse_ratings(rng)).draws(2, by="posterior")


@pytest.mark.slow
@pytest.mark.parametrize("by", ["columns", "posterior"])
def test_the_order_of_rows_makes_no_difference_and_the_seed_does(rng, by):
    _, X = survey(rng)
    order = rng.permutation(len(X))
    imputer = load_pretrained(scale=(1, 5))
    one = next(imputer.fit(X).draws(2, 3, by=by).arrays())
    np.testing.assert_array_equal(one, next(imputer.draws(2, 3, by=by).arrays()))
    assert (one != next(imputer.draws(2, 4, by=by).arrays())).any()
    moved = next(imputer.fit(X[order]).draws(2, 3, by=by).arrays())
    np.testing.assert_allclose(moved, one[order], atol=1e-5)


def test_the_mean_of_posterior_draws_is_the_estimate(rng):
    X = sparse_ratings(rng)
    imputer = load_pretrained(scale=(1, 5)).fit(X)
    draws = imputer.draws(200, by="posterior")
    estimates = imputer.estimate(draws.rows, draws.cols)
    error = draws.values.std(axis=0, ddof=1) / np.sqrt(draws.m)
    inside = (1.05 < estimates) & (estimates < 4.95)
    z = (draws.values.mean(axis=0) - estimates)[inside] / error[inside]
    assert np.abs(z).max() < 5
    assert 0.8 < z.std() < 1.2


def test_centres_give_truncated_distributions_their_means(rng):
    wanted = np.array([1.2, 3.0, 4.9])
    found = centres(wanted, np.full(3, 0.9), np.full(3, 1.0), np.full(3, 5.0))
    drawn = truncated(found, 0.9, 1.0, 5.0, rng.random((400_000, 3)))
    assert 1 <= drawn.min() and drawn.max() <= 5
    np.testing.assert_allclose(drawn.mean(0), wanted, atol=0.01)


@pytest.mark.slow
def test_rounded_draws_stand_on_the_steps_of_their_columns(rng):
    X = survey(rng)[1]
    scale = RatingScale(1, 5, 1)
    on_scale = draws_of(X, 3, scale=scale, rounded=True, by="columns")
    assert set(np.unique(on_scale.values)) <= {1, 2, 3, 4, 5}
    imputer = load_pretrained(standardize="columns").fit(X * [1, 1, 1, 0.1, 0.1, 0.1])
    own = imputer.draws(3, rounded=True)
    tenths = own.values[:, own.cols >= 3] * 10
    np.testing.assert_allclose(tenths, np.round(tenths), atol=1e-9)


@pytest.mark.slow
def test_draws_of_columns_stay_near_what_they_hold(rng):
    income = np.exp(rng.normal(10, 1, 80))
    X = np.column_stack([income, np.log(income) + rng.normal(0, 0.3, 80), np.full(80, 7.0)])
    X[rng.random(X.shape) < 0.3] = np.nan
    draws = draws_of(X, 10, scale=None)
    assert draws.values.min() >= 0
    assert (draws.values[:, draws.cols == 2] == 7).all()
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    assert (draws.values <= (2 * high - low)[draws.cols]).all()


def test_frames_give_frames_and_one_below_the_other(rng):
    names = [f"p{n}" for n in range(20)]
    X = pd.DataFrame(survey(rng, rows=20)[1], columns=list("abcdef"), index=names)
    draws = draws_of(X, 3)
    for table in draws.tables():
        assert (list(table.columns), list(table.index)) == (list(X.columns), names)
    long = draws.long()
    assert list(long.columns) == ["imputation", *X.columns]
    assert list(long["imputation"]) == [1] * 20 + [2] * 20 + [3] * 20
    assert list(long.index[:20]) == names


def test_at_gives_the_draws_of_one_cell(rng):
    _, X = survey(rng)
    draws = draws_of(X, 4)
    row, col = np.argwhere(np.isnan(X))[3]
    assert list(draws.at(row, col)) == [table[row, col] for table in draws.arrays()]
    row, col = np.argwhere(~np.isnan(X))[0]
    assert list(draws.at(row, col)) == [X[row, col]] * 4
    with pytest.raises(IndexError, match="60"):
        draws.at(60, 0)


def test_pooling_by_hand_of_a_number_and_of_several():
    # Five tables, estimates 10, 12, 11, 13, 14, variances 4, 5, 4, 5, 7; 30 degrees of freedom in a
    # complete table. Q = 12; W = 5; B = 2.5; T = 5 + 6 / 5 * 2.5 = 8; lambda = 3 / 8; r = 3 / 5.
    # old df = 4 / (9 / 64) = 28.4444; observed = 31 / 33 * 30 * 5 / 8 = 17.6136; both: 10.8776.
    estimates, variances = np.array([10.0, 12, 11, 13, 14]), np.array([4.0, 5, 4, 5, 7])
    found = pooled(estimates, variances, 30)
    assert (found.estimate, found.standard_error) == (12, pytest.approx(8**0.5))
    assert found.df == pytest.approx(10.8776, abs=1e-3)
    assert found.missing_information == pytest.approx((0.6 + 2 / 13.8776) / 1.6, abs=1e-4)
    # the t table, between 10 and 11 degrees
    assert found.upper - 12 == pytest.approx(2.2039 * 8**0.5, abs=2e-3)
    assert 12 - found.lower == pytest.approx(found.upper - 12)
    several = pooled(estimates[:, None] * [1, -2], variances[:, None] * [1, 4], 30)
    np.testing.assert_allclose(several.upper, [found.upper, -2 * found.lower])
    np.testing.assert_allclose(several.missing_information, found.missing_information)


def test_a_table_without_gaps_is_each_of_its_draws(rng):
    X, _ = survey(rng)
    draws = draws_of(X, 3)
    assert all((table == X).all() for table in draws.tables())
    assert "no cell is missing" in repr(draws)
    mean = draws.pool(lambda table: (table[:, 0].mean(), table[:, 0].var(ddof=1) / len(table)))
    assert mean.missing_information == 0
    assert mean.standard_error == pytest.approx(X[:, 0].std(ddof=1) / np.sqrt(60))


def test_a_wrong_number_of_draws_is_named_and_too_many_for_the_memory_are_refused(rng):
    imputer = load_pretrained("universal", scale=(1, 5)).fit(survey(rng)[1])
    for m in (0, 1, -3, 2.5, "20", True):
        with pytest.raises(ValueError, match=f"from 2 on, got {m!r}"):
            imputer.draws(m)
    with pytest.raises(ValueError, match="at most"):
        imputer.draws(10**8)


def test_a_statistic_that_returns_something_else_is_an_error(rng):
    draws = draws_of(survey(rng)[1], 2)
    for wrong in (0.0, (0.0, "much"), (np.zeros(6), 1.0), (0.0, -1.0), (np.nan, 1.0), (1.0, 2, 3)):
        with pytest.raises(ValueError, match="statistic must return|one shape"):
            draws.pool(lambda table, wrong=wrong: wrong)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["columns", "posterior"])
def test_a_shift_moves_what_is_missing_by_shares_of_a_spread(rng, by):
    X = rng.normal(size=(100, 5)) + rng.normal(size=(100, 1))
    X[rng.random(X.shape) < 0.4] = np.nan
    imputer = load_pretrained(standardize="columns" if by == "columns" else "matrix").fit(X)
    usual = imputer.draws(10, by=by)
    lower = imputer.draws(10, by=by, shift=-0.5)
    moved = (lower.values - usual.values).mean() / np.nanstd(X)
    assert -0.55 < moved < -0.4


def test_what_is_given_beside_draws_is_no_longer_drawn(rng):
    whole, X = survey(rng)
    more = np.where(np.arange(len(X))[:, None] < 30, whole, X)
    draws = draws_of(X, 3)
    beside = draws.beside(Ratings.from_dense(more))
    for before, after in zip(draws.arrays(), beside.arrays()):
        np.testing.assert_array_equal(after, np.where(np.isnan(more), before, more))
    assert beside.rows.min() >= 30


def likert(rng):
    """100 people x 12 questions that one trait moves, 1 to 5, 30 % missing at random."""
    X = 3 + 0.8 * rng.normal(size=(100, 1)) + 0.6 * rng.normal(size=(100, 12))
    X = np.clip(np.round(X), 1, 5)
    return X, rng.random(X.shape) < 0.7


def normal(rng):
    """100 x 5, correlations of .5, three columns missing with odds that follow the first."""
    X = rng.multivariate_normal(np.zeros(5), 0.5 + 0.5 * np.eye(5), 100)
    given = np.ones(X.shape, dtype=bool)
    given[:, 1:4] = rng.random((100, 3)) > 1 / (1 + np.exp(0.6 - X[:, :1]))
    return X, given


def statistics(table):
    """Of the second and third column: a mean, a slope, and a correlation as Fisher's z; and the
    variances of these."""
    n = len(table)
    x = table[:, 1] - table[:, 1].mean()
    y = table[:, 2] - table[:, 2].mean()
    slope = x @ y / (x @ x)
    noise = ((y - slope * x) ** 2).sum() / (n - 2)
    z = np.arctanh(x @ y / np.sqrt((x @ x) * (y @ y)))
    variances = [x @ x / (n - 1) / n, noise / (x @ x), 1 / (n - 3)]
    return np.array([table[:, 1].mean(), slope, z]), np.array(variances)


@pytest.mark.slow
@pytest.mark.parametrize(("world", "scale"), [(likert, (1, 5)), (normal, None)])
def test_intervals_of_five_tables_cover_and_those_of_one_do_not(world, scale):
    # Draws with half the fault of one table (bias .09, coverage .80) pass both worlds with a chance
    # below 1 %.
    every = [statistics(world(np.random.default_rng([44, r]))[0])[0] for r in range(2_000)]
    truth = np.mean(every, axis=0)
    of_one, of_draws = [], []  # (3, 2) each: bias, and whether the interval covers
    for r in range(30):
        X, given = world(np.random.default_rng([r, 5]))
        imputer = load_pretrained("universal", scale=scale)  # draws do without the table model
        complete, _ = statistics(X)
        estimate, variance = statistics(imputer.fit_transform(np.where(given, X, np.nan)))
        half = scipy.stats.t.ppf(0.975, 98) * np.sqrt(variance)
        inside = np.abs(estimate - truth) <= half
        of_one.append(np.stack([estimate - complete, inside], axis=1))
        found = imputer.draws(5, r, by="columns").pool(statistics, df=98, level=0.95)
        inside = (found.lower <= truth) & (truth <= found.upper)
        of_draws.append(np.stack([found.estimate - complete, inside], axis=1))
    one = np.mean(of_one, axis=0)
    draws = np.mean(of_draws, axis=0)
    # a standard error over 30 repeats is .021 at most
    assert np.abs(draws[:, 0]).max() < 0.06
    assert draws[:, 1].min() > 0.87
    assert one[2, 1] < 0.87
    assert one[2, 0] > 0.06


@pytest.mark.slow
def test_an_answer_can_be_shifted(rng):
    X = survey(rng)[1] * [1, 1000, 0.01, 1, 50, 7]
    imputer = load_pretrained(standardize="columns", clip=False)
    usual, lower = imputer.impute(X), imputer.impute(X, shift=-0.5)
    spread = imputer.fit(X).standardization_.std
    moved = lower.mean - usual.mean
    np.testing.assert_allclose(moved, np.broadcast_to(-0.5 * spread, X.shape), rtol=1e-6)
    np.testing.assert_array_equal(lower.filled[~np.isnan(X)], X[~np.isnan(X)])
    with pytest.raises(ValueError, match="shift"):
        imputer.impute(X, shift=np.nan)


def test_a_column_moves_by_its_share_of_missing_cells_and_stays_on_the_scale():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    X[:10, 1] = np.nan
    X[:20, 2] = np.nan
    imputer = load_pretrained(clip=False).fit(X)
    answer = imputer.impute()
    moved = column_means(answer, -0.5) - column_means(answer)
    spread = imputer.standardization_.spread_block(slice(0, 40), slice(0, 4))
    share = np.isnan(X).mean(axis=0)
    np.testing.assert_allclose(moved, np.broadcast_to(-0.5 * spread, X.shape)[0] * share, atol=1e-6)
    stars = np.where(np.isnan(X), np.nan, 3 + np.clip(np.round(X), -2, 2))
    means = column_means(load_pretrained(scale=(1, 5)).fit(stars).impute(), 100.0)
    assert means[3] < 5
    assert means[2] == pytest.approx((np.nansum(stars[:, 2]) + 20 * 5) / 40)


def test_the_shift_at_which_an_order_turns():
    shifts = np.linspace(-1, 1, 21)
    bent = 2.1 + 3 * np.abs(shifts + 0.1)
    for one, other, expected in (
        (3 + 0 * shifts, 2.7 + shifts, 0.3),
        (3 + shifts, 2.75 + 0 * shifts, -0.25),
        (3 + 0 * shifts, bent, 0.2),
    ):
        assert turning_shift(shifts, one, other) == pytest.approx(expected)
    assert turning_shift(shifts, 3 + shifts, 2 + shifts) is None

"""The estimator with the universal checkpoint: intervals, units, folding in."""

import pickle
import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from problems import STARS, ratings_matrix

import metamf
import metamf.universal.intervals
from metamf import MetaMFImputer, RatingScale
from metamf.datasets import synthetic
from metamf.ratings.units import OwnUnits, Standardization

PaperImputer = partial(MetaMFImputer, "ml-1m")  # the default is universal


@pytest.fixture
def X():
    return ratings_matrix()


def test_intervals_lie_around_the_estimates_and_widen_with_the_level(X):
    results = [MetaMFImputer("universal", clip=False).impute(X, interval=level) for level in (0.5, 0.8, 0.95)]
    for result, level in zip(results, (0.5, 0.8, 0.95)):
        assert result.level == level and result.lower.shape == result.upper.shape == X.shape
        np.testing.assert_allclose((result.lower + result.upper) / 2, result.mean)
        np.testing.assert_array_equal(result.mean, results[0].mean)
    widths = [result.upper - result.lower for result in results]
    assert (widths[0] > 0).all() and (widths[0] < widths[1]).all() and (widths[1] < widths[2]).all()
    assert np.ptp(widths[0]) > 0.01  # each cell has its own
    clipped = MetaMFImputer("universal").impute(X, interval=0.95)
    np.testing.assert_array_equal(clipped.mean, np.clip(results[2].mean, 1, 5))
    np.testing.assert_array_equal(clipped.lower, np.minimum(results[2].lower, clipped.mean))
    np.testing.assert_array_equal(clipped.upper, np.maximum(results[2].upper, clipped.mean))


def left_out_by_force(X) -> np.ndarray:
    """The error at each observed entry of a matrix that lacks it, in predictive standard deviations."""
    found = []
    for n, m in np.argwhere(~np.isnan(X)):
        without = X.copy()
        without[n, m] = np.nan
        result = MetaMFImputer("universal", clip=False).impute(without, interval=0.9)
        found.append(abs(X[n, m] - result.mean[n, m]) / result.half_width[n, m])
    return np.array(found)


@pytest.mark.parametrize("kind", ["stars", "zeros and ones", "nearly no noise"])
def test_left_out_residuals_are_about_those_of_matrices_that_lack_the_entry(kind):
    rng = np.random.default_rng(0)
    X = {
        "stars": lambda: rng.integers(1, 6, (14, 10)).astype(float),
        "zeros and ones": lambda: (rng.random((14, 10)) < rng.random(10)).astype(float),
        "nearly no noise": lambda: rng.normal(size=(14, 1)) + rng.normal(size=10) + 0.02 * rng.normal(size=(14, 10)),
    }[kind]()
    X[rng.random(X.shape) < 0.5] = np.nan
    imputer = MetaMFImputer("universal").fit(X)
    found = imputer._adaptation
    scores = found.adapted.found.left_out(found.batch).numpy()
    exact = left_out_by_force(X)
    exact *= np.median(scores) / np.median(exact)  # their widths are in other units
    assert np.corrcoef(scores, exact)[0, 1] > 0.75


@pytest.mark.parametrize("kind", ["zeros and ones", "Cauchy", "next to no noise"])
def test_a_matrix_s_own_entries_tell_how_wide_its_intervals_have_to_be(monkeypatch, kind):
    rng = np.random.default_rng(0)
    effects = rng.normal(size=(300, 1)) + rng.normal(size=40)
    full = {
        "zeros and ones": (rng.random((300, 40)) < 0.1 + 0.8 * rng.random(40)).astype(float),
        "Cauchy": effects + 0.3 * rng.standard_cauchy((300, 40)),
        "next to no noise": effects + 0.01 * rng.normal(size=(300, 40)),
    }[kind]
    given = rng.random(full.shape) < 0.5
    off = []
    for weight in (metamf.universal.intervals.LARGEST_OWN_WEIGHT, 0.0):
        monkeypatch.setattr(metamf.universal.intervals, "LARGEST_OWN_WEIGHT", weight)
        result = MetaMFImputer("universal", clip=False, standardize="matrix").impute(
            np.where(given, full, np.nan), interval=0.5
        )
        inside = np.abs(full - result.mean) <= result.half_width
        off.append(abs(inside[~given].mean() - 0.5))
    assert off[0] < 0.6 * off[1]


def test_without_a_level_there_are_no_intervals(X):
    result = MetaMFImputer("universal").impute(X)
    assert (result.level, result.half_width, result.lower, result.upper) == (None, None, None, None)
    np.testing.assert_array_equal(result.mean, MetaMFImputer("universal").impute(X, interval=0.9).mean)


def test_a_checkpoint_without_intervals_says_which_one_has_them(X):
    with pytest.raises(ValueError, match="checkpoint 'ml-1m' gives no intervals: use checkpoint='universal'"):
        MetaMFImputer("ml-1m").impute(X, interval=0.9)


@pytest.mark.parametrize("level", [0.0, 1.0, 90, -0.5])
def test_a_level_out_of_range_is_named(X, level):
    with pytest.raises(ValueError, match=f"interval levels lie between 0.01 and 0.99, got {level}"):
        MetaMFImputer("universal").impute(X, interval=level)


def test_an_offset_does_not_swallow_the_intervals(X):
    small, far = (MetaMFImputer("universal", clip=False).impute(X + b, interval=0.9) for b in (0, 1e9))
    np.testing.assert_allclose(far.upper - far.lower, small.upper - small.lower, rtol=1e-3)


def test_the_universal_checkpoint_has_no_units_of_its_own(X):
    imputer = MetaMFImputer("universal").fit(X)
    assert imputer.step_rule_ == "exact" and imputer.scale_ == RatingScale(1, 5)
    own = Standardization.of(X[~np.isnan(X)])
    assert (imputer.standardization_.mean, imputer.standardization_.std) == pytest.approx((own.mean, own.std))
    assert MetaMFImputer("universal", standardize="matrix").fit(X).standardization_ == imputer.standardization_
    with pytest.raises(ValueError, match="the checkpoint has no units of its own: use standardize='matrix'"):
        MetaMFImputer("universal", standardize="checkpoint").fit(X)


def test_a_scale_can_be_given_with_an_array(X):
    expected = MetaMFImputer("universal").impute(metamf.Ratings.from_dense(X, scale=STARS), interval=0.9)
    for scale in ((1, 5), STARS):
        found = metamf.load_pretrained("universal", scale=scale).impute(X, interval=0.9)
        for part in ("mean", "lower", "upper"):
            np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))
    assert MetaMFImputer(scale=(0, 10)).fit(X).scale_ == RatingScale(0, 10)


def test_what_was_observed_limits_estimates_and_a_known_scale_intervals_too():
    X = np.array([[2.0, 3.0, np.nan], [3.0, np.nan, 4.0], [np.nan, 4.0, 3.0]])
    unknown, known = (MetaMFImputer("universal", scale=scale).impute(X, interval=0.95) for scale in (None, (1, 5)))
    assert unknown.mean.min() >= 2 and unknown.mean.max() <= 4
    assert unknown.lower.min() < 1 and unknown.upper.max() > 5
    assert known.lower.min() >= 1 and known.upper.max() <= 5 and known.mean.max() <= 5
    for result in (unknown, known):
        assert (result.lower <= result.mean).all() and (result.mean <= result.upper).all()


def test_a_known_scale_gives_equal_ratings_an_interval():
    cells = {"rows": [0, 0, 1], "cols": [0, 1, 1], "values": [4.0, 4, 4], "shape": (3, 4)}
    unknown, known = (metamf.Ratings(**cells, scale=scale) for scale in (None, STARS))
    imputer = MetaMFImputer("universal", clip=False)
    nothing, some = (imputer.impute(ratings, interval=0.9) for ratings in (unknown, known))
    assert (nothing.half_width == 0).all() and (nothing.mean == 4).all()
    assert (some.half_width > 0.5).all() and (some.half_width < 4).all() and (abs(some.mean - 4) < 0.6).all()
    own = MetaMFImputer("universal", standardize="matrix").fit(known)
    assert own.unit_rule_ == OwnUnits() and own.standardization_.mean == 4


@pytest.mark.parametrize(("factor", "shift"), [(1e-6, 3.0), (25.0, -25.0), (1e6, 1e6)])
def test_ratings_and_their_scale_change_units_together(X, factor, shift):
    star = metamf.Ratings.from_dense(X, scale=STARS)
    moved = replace(
        star.with_values(star.values * factor + shift),
        scale=RatingScale(*(end * factor + shift for end in (STARS.minimum, STARS.maximum))),
    )
    first, second = (MetaMFImputer("universal").impute(ratings, interval=0.8) for ratings in (star, moved))
    np.testing.assert_allclose((second.mean - shift) / factor, first.mean, atol=1e-3)
    np.testing.assert_allclose(second.half_width / factor, first.half_width, rtol=1e-3)


def test_the_universal_checkpoint_takes_at_least_one_step(X):
    path = MetaMFImputer("universal", steps=1).impute(X).trajectory
    assert path.T == 1
    with pytest.raises(ValueError, match="takes at least 1 step, got 0"):
        MetaMFImputer("universal", steps=0).fit(X)


def test_the_universal_checkpoint_folds_rows_in_and_predicts_positions(X):
    imputer = MetaMFImputer("universal")
    expected = imputer.fit_transform(X)
    alone = np.concatenate([imputer.transform(X[n : n + 1]) for n in range(12)])
    np.testing.assert_allclose(alone, expected, atol=1e-4)
    result = imputer.impute(X)
    np.testing.assert_allclose(result.filled, expected, atol=1e-6)
    np.testing.assert_allclose(imputer.predict([0, 11], [8, 0]), result.mean[[0, 11], [8, 0]], atol=1e-6)
    assert np.isfinite(imputer.transform(np.full((1, 9), np.nan))).all()


def test_a_fitted_universal_imputer_survives_pickle(X):
    imputer = MetaMFImputer("universal").fit(X)
    copy = pickle.loads(pickle.dumps(imputer))
    np.testing.assert_array_equal(copy.transform(X), imputer.transform(X))


def test_a_dense_matrix_on_which_the_paper_s_steps_diverge_is_not_a_problem():
    X = ratings_matrix(300, 300, density=0.95)
    truth = synthetic(np.random.default_rng(0), 300, 300, density=0.95, scale=STARS).truth
    hidden = np.isnan(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        universal, paper = (MetaMFImputer(name).fit(X).predict(*np.nonzero(hidden)) for name in ("universal", "ml-1m"))
    error, of_paper = (np.mean((estimate - truth[hidden]) ** 2) for estimate in (universal, paper))
    assert error < 0.8 * of_paper and error < 0.3 * np.var(truth[hidden])


@pytest.mark.gpu
def test_a_gpu_gives_the_estimator_s_answers(X):
    def answers(device):
        imputer = MetaMFImputer("universal", device=device)
        result = imputer.impute(X, interval=0.9)
        rows, cols = np.array([0, 3]), np.array([2, 1])
        yield from (result.mean, result.lower, result.upper, result.intervals.at(rows, cols))
        yield from (imputer.fit_transform(X), imputer.transform(X[:3]), imputer.predict(rows, cols))
        yield pickle.loads(pickle.dumps(imputer)).transform(X[:3])

    for on_cpu, on_gpu in zip(answers("cpu"), answers("cuda")):
        np.testing.assert_allclose(on_gpu, on_cpu, rtol=0, atol=1e-6)


@pytest.mark.data
def test_the_bundled_checkpoint_predicts_a_data_set_that_it_never_saw():
    """The official split u1 of ML-100K."""
    given, asked = metamf.datasets.load_official_split("ml-100k")
    imputer = MetaMFImputer("universal").fit(given)
    assert np.sqrt(np.mean((imputer.predict(asked.rows, asked.cols) - asked.values) ** 2)) < 0.9
    result = imputer.impute(given, interval=0.9)
    inside = np.abs(asked.values - result.mean[asked.rows, asked.cols]) <= result.half_width[asked.rows, asked.cols]
    assert 0.88 < inside.mean() < 0.92


def test_an_imputation_with_intervals_survives_pickle(X):
    result = MetaMFImputer().impute(X, interval=0.8)
    copy = pickle.loads(pickle.dumps(result))
    for name in ("mean", "lower", "upper", "half_width"):
        np.testing.assert_array_equal(getattr(copy, name), getattr(result, name))
    cells = np.array([0, 3]), np.array([8, 1])
    np.testing.assert_array_equal(copy.intervals.at(*cells), result.intervals.at(*cells))

"""Intervals: around the estimates, as wide as hidden entries ask for, in the units of their column."""

import pickle

import numpy as np
import pytest
import scipy.stats
from measurements import table_of_measurements
from problems import STARS, ratings_matrix

import metamf
import metamf.universal.intervals
from metamf import MetaMFImputer, Ratings
from metamf.imputer.intervals import CHECKED_LEVELS, HeldOut, factor_of, width_factor


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


def test_without_a_level_there_are_no_intervals_and_other_levels_are_named(X):
    imputer = MetaMFImputer("universal")
    result = imputer.impute(X)
    assert (result.level, result.half_width, result.lower, result.upper) == (None, None, None, None)
    np.testing.assert_array_equal(result.mean, imputer.impute(X, interval=0.9).mean)
    for level in (0.0, 1.0, 90):
        with pytest.raises(ValueError, match=f"interval levels lie between 0.01 and 0.99, got {level}"):
            imputer.impute(X, interval=level)
    with pytest.raises(ValueError, match="interval must be None or a number between 0.01 and 0.99, got '0.9'"):
        imputer.impute(X, interval="0.9")
    with pytest.raises(ValueError, match="checkpoint 'ml-1m' gives no intervals: use checkpoint='universal'"):
        MetaMFImputer("ml-1m").impute(X, interval=0.9)


@pytest.mark.parametrize("kind", ["zeros and ones", "Cauchy", "next to no noise"])
def test_a_matrix_s_own_entries_decide_how_wide_its_intervals_have_to_be(monkeypatch, kind):
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
        imputer = MetaMFImputer("universal", clip=False, standardize="matrix")
        result = imputer.impute(np.where(given, full, np.nan), interval=0.5)
        inside = np.abs(full - result.mean) <= result.half_width
        off.append(abs(inside[~given].mean() - 0.5))
    assert off[0] < 0.6 * off[1]


def test_a_known_scale_gives_equal_ratings_an_interval():
    cells = {"rows": [0, 0, 1], "cols": [0, 1, 1], "values": [4.0, 4, 4], "shape": (3, 4)}
    unknown, known = (Ratings(**cells, scale=scale) for scale in (None, STARS))
    imputer = MetaMFImputer("universal", clip=False)
    nothing, some = (imputer.impute(ratings, interval=0.9) for ratings in (unknown, known))
    assert (nothing.half_width == 0).all() and (nothing.mean == 4).all()
    assert (some.half_width > 0.5).all() and (some.half_width < 4).all() and (abs(some.mean - 4) < 0.6).all()


def test_intervals_come_in_the_units_of_their_column():
    X, whole = table_of_measurements()
    result = metamf.load_pretrained("universal", standardize="chosen").impute(X, interval=0.9)
    missing = np.isnan(X)
    inside = (result.lower <= whole) & (whole <= result.upper)
    assert 0.75 < inside[missing].mean() <= 1
    width = np.median(result.upper - result.lower, axis=0)
    assert width[1] > 1000 * width[2]


def test_an_imputation_with_intervals_survives_pickle(X):
    result = MetaMFImputer().impute(X, interval=0.8)
    copy = pickle.loads(pickle.dumps(result))
    for name in ("mean", "lower", "upper", "half_width"):
        np.testing.assert_array_equal(getattr(copy, name), getattr(result, name))
    cells = np.array([0, 3]), np.array([8, 1])
    np.testing.assert_array_equal(copy.intervals.at(*cells), result.intervals.at(*cells))


def ratios(scale, n):
    """Errors over half-widths that are right for normal errors of standard deviation 1 / scale."""
    errors = np.abs(np.random.default_rng(0).normal(size=n)) * scale
    return {level: errors / scipy.stats.norm.ppf((1 + level) / 2) for level in CHECKED_LEVELS}


def test_intervals_are_widened_by_as_much_as_they_miss_and_few_hidden_entries_are_half_believed():
    for scale in (1.0, 1.5, 0.5):
        assert factor_of(ratios(scale, 20_000)) == pytest.approx(scale, abs=0.03)
    assert factor_of(ratios(4.0, 50)) == pytest.approx(2.0, abs=0.5)
    part = Ratings.from_dense(np.ones((2, 2)))
    assert width_factor([HeldOut(part, part, np.ones(4), None)]) == width_factor([]) == 1.0  # none are given

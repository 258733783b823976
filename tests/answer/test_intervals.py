"""Intervals: around the estimates, as wide as hidden entries ask for, in the units of their column."""

import numpy as np
import pytest
import torch
from measurements import table_of_measurements
from problems import STARS, ratings_matrix

import metamf
import metamf.network.universal.intervals
from metamf import MetaMFImputer, Ratings
from metamf.checkpoints.bundled import find_checkpoint
from metamf.checkpoints.files import load_checkpoint
from metamf.ratings.batch import RatingsBatch


@pytest.fixture
def X():
    return ratings_matrix()


def test_intervals_lie_around_the_estimates_and_widen_with_the_level(X):
    free = MetaMFImputer("universal", clip=False).fit(X)
    results = [free.imputation(level) for level in (0.5, 0.8, 0.95)]
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
    imputer = MetaMFImputer("universal", members=None, guard=False)
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


@pytest.mark.slow
def test_left_out_scores_are_about_those_of_matrices_that_lack_the_entry():
    X = (np.random.default_rng(0).random((14, 10)) < np.random.default_rng(1).random(10)).astype(float)
    X[np.random.default_rng(2).random(X.shape) < 0.5] = np.nan
    exact = []
    for at in np.argwhere(~np.isnan(X)):
        without = X.copy()
        without[tuple(at)] = np.nan
        result = MetaMFImputer("universal", clip=False, members=None, guard=False).impute(without, interval=0.9)
        exact.append(abs(X[tuple(at)] - result.mean[tuple(at)]) / result.half_width[tuple(at)])
    batch = RatingsBatch.of([Ratings.from_dense(X)])
    batch = batch.with_values((batch.x - batch.x.mean()) / batch.x.std(correction=0))
    with torch.inference_mode():
        scores = load_checkpoint(find_checkpoint("universal"))[0].adapt(batch).left_out(batch).numpy()
    assert np.corrcoef(scores, exact)[0, 1] > 0.75


@pytest.mark.slow
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
    for weight in (metamf.network.universal.intervals.LARGEST_OWN_WEIGHT, 0.0):
        monkeypatch.setattr(metamf.network.universal.intervals, "LARGEST_OWN_WEIGHT", weight)
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
    result = metamf.load_pretrained("universal").impute(X, interval=0.9)
    missing = np.isnan(X)
    inside = (result.lower <= whole) & (whole <= result.upper)
    assert 0.75 < inside[missing].mean() <= 1
    width = np.median(result.upper - result.lower, axis=0)
    assert width[1] > 1000 * width[2]

"""Intervals around the estimates. How wide they are: network/universal/test_intervals; in the units
of their column: test_adaptation."""

import numpy as np
import pytest
from problems import STARS

from metamf import MetaMFImputer, Ratings


def test_intervals_lie_around_the_estimates_and_widen_with_the_level(X):
    free = MetaMFImputer("universal", clip=False).fit(X)
    results = [free.impute(interval=level) for level in (0.5, 0.8, 0.95)]
    for result in results:
        np.testing.assert_allclose((result.lower + result.upper) / 2, result.mean)
        np.testing.assert_array_equal(result.mean, free.impute().mean)
    assert [result.level for result in results] == [0.5, 0.8, 0.95]
    widths = [result.half_width for result in results]
    assert (0 < widths[0]).all() and (np.diff(widths, axis=0) > 0).all()
    assert np.ptp(widths[0]) > 0.01  # each cell has its own


def test_without_a_level_there_are_no_intervals_and_other_levels_are_named(X):
    imputer = MetaMFImputer("universal")
    result = imputer.impute(X)
    assert (result.level, result.half_width, result.lower, result.upper) == (None, None, None, None)
    for level in (0.0, 1.0, 90):
        with pytest.raises(ValueError, match=f"lie between 0.01 and 0.99, got {level}"):
            imputer.impute(X, interval=level)
    with pytest.raises(ValueError, match="must be None or a number between .* got '0.9'"):
        imputer.impute(X, interval="0.9")
    with pytest.raises(ValueError, match="'ml-1m' gives no intervals: use checkpoint='universal'"):
        MetaMFImputer("ml-1m").impute(X, interval=0.9)


def test_a_known_scale_gives_equal_ratings_an_interval():
    imputer = MetaMFImputer("universal", clip=False)
    unknown, known = (
        imputer.impute(Ratings([0, 0, 1], [0, 1, 1], [4.0, 4, 4], (3, 4), scale=scale), 0.9)
        for scale in (None, STARS)
    )
    assert (unknown.half_width == 0).all() and (unknown.mean == 4).all()
    assert (0.5 < known.half_width).all() and (known.half_width < 4).all()
    assert (abs(known.mean - 4) < 0.6).all()

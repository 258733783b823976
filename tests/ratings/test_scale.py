"""Rating scales, the guess which one a set of ratings comes from, and where none is known limits near
what was observed in each column."""

import pickle

import numpy as np
import pytest
from problems import STARS

from metamf.ratings.limits import (
    OutsideScaleError,
    check_on_scale,
    limits_near,
    limits_near_on,
)
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale, guess_scale

GUESSES = {
    (1, 5, 1): ([1, 2, 5, 3], [2, 3, 4], [3, 3, 3]),
    (0, 5, 1): ([0, 4, 5],),
    (0.5, 5, 0.5): ([0.5, 3, 4.5],),
    (0.5, 10, 0.5): ([0.5, 9.5],),
    (0, 1, 1): ([0, 1, 1],),
    (-1, 1, 2): ([-1, 1],),
    (1, 10, 1): ([1, 9, 10],),
    (0, 10, 1): ([0, 7, 10],),
    (1, 7, 1): ([1, 2, 7],),
    (0, 20, 1): ([8, 15],),
    (0, 100, 1): ([0, 35, 90],),
    (-5, 5, 1): ([-3, 0, 5],),
    (-10, 10, 1): ([-9, 0, 8],),
    (-100, 100, 1): ([-80, 0, 75],),
    (-10, 10, None): ([-9.81, 0.13, 9.7],),
    (0, 1, None): ([0.02, 0.5, 0.99],),
    (0, 5, None): ([0.5, 3.25, 4.75],),
    (1, 5, None): ([1.2, 3.3, 4.9],),
    (0, 100, None): ([0.7, 55.1, 98.2],),
    None: ([1990, 2005], [3.14, 2.72], [-1000, 1000], [], [2, 2], [0.31, 0.7]),
}


@pytest.mark.parametrize("scale", GUESSES)
def test_the_rating_scale_is_recognised_if_the_ratings_reach_well_into_it(scale):
    expected = None if scale is None else RatingScale(*scale)
    for values in GUESSES[scale]:
        assert guess_scale(np.array(values, dtype=float)) == expected


def test_values_are_clipped_to_the_scale_and_keep_their_shape():
    clipped = RatingScale(1, 5).clip(np.array([[0.2, 3.3], [5.0, 9.0]]))
    np.testing.assert_array_equal(clipped, [[1, 3.3], [5, 5]])


def ratings_of(X):
    return Ratings.from_dense(np.asarray(X, dtype=float))


def test_a_column_stays_near_what_was_observed_in_it_within_the_range_of_all():
    limits = limits_near(ratings_of([[0.5, -100, 1], [2.8, 100, 1], [1.0, 0, np.nan]]))
    np.testing.assert_allclose(limits.lower, [0.5 - 2.3 / 2, -100, -100])
    np.testing.assert_allclose(limits.upper, [2.8 + 2.3 / 2, 100, 100])  # one value: the matrix's
    found = limits.clip_at(np.array([99.0, 99.0]), np.array([0, 0]), np.array([0, 1]))
    np.testing.assert_allclose(found, [2.8 + 2.3 / 2, 99])


def test_many_entries_bring_the_limits_near():
    X = np.random.default_rng(0).uniform(10, 20, size=(1000, 1))
    limits = limits_near(ratings_of(X))
    assert 9.9 < limits.lower[0] <= X.min() and X.max() <= limits.upper[0] < 20.1


def test_nothing_observed_has_no_limits():
    with pytest.raises(ValueError, match="limits of columns need an observed entry"):
        limits_near(Ratings([], [], [], (2, 2)))


def test_on_a_scale_a_column_of_many_entries_stays_near_them_and_the_others_keep_the_scale():
    groups, marks = np.tile([1.0, 2.0, 3.0], 4), np.linspace(40, 90, 12)
    few, one_value = np.where(np.arange(12) < 9, marks, np.nan), np.full(12, 50.0)
    X = ratings_of(np.column_stack([groups, few, one_value]))
    limits = limits_near_on(X, RatingScale(0, 100))
    assert limits.lower == pytest.approx([1, 0, 1])
    assert limits.upper == pytest.approx([3 + 2 / 11, 100, np.nanmax(few)])
    assert limits_near_on(ratings_of(groups[:, None]), RatingScale(1, 3)).lower.tolist() == [1.0]


def test_a_rating_outside_is_named_with_its_cell_and_the_error_comes_back_from_a_worker_whole():
    beyond = Ratings.from_dense([[1, np.nan, 3], [np.nan, 9, 5], [0.5, 2, np.nan]])
    said = r"in cell \(1, 1\) .* 1 to 5 \(2 such ratings in all\): ask Ada"
    with pytest.raises(OutsideScaleError, match=said) as found:
        check_on_scale(beyond, STARS, "ask Ada")
    error = pickle.loads(pickle.dumps(found.value))
    assert str(error) == str(found.value)
    assert (error.row, error.col, error.value, error.number, error.scale) == (1, 1, 9.0, 2, STARS)

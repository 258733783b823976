"""Limits of estimates where no scale is known: near what was observed in each column."""

import pickle

import numpy as np
import pytest
from problems import STARS, ratings_matrix

from metamf.ratings.limits import ColumnLimits, OutsideScaleError, check_on_scale, with_scale
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale


def ratings_of(X):
    return Ratings.from_dense(np.asarray(X, dtype=float))


class TestColumnLimits:
    def test_a_column_stays_near_what_was_observed_in_it(self):
        limits = ColumnLimits.of(ratings_of([[0.5, -100], [2.8, 100], [1.0, 0]]))
        assert limits.lower[0] == pytest.approx(0.5 - 2.3 / 2)
        assert limits.upper[0] == pytest.approx(2.8 + 2.3 / 2)
        assert limits.clip(np.array([[-3169.0, 1652.0]]))[0] == pytest.approx([0.5 - 2.3 / 2, 100])

    def test_many_entries_bring_the_limits_near(self):
        X = np.random.default_rng(0).uniform(10, 20, size=(1000, 1))
        limits = ColumnLimits.of(ratings_of(X))
        assert 9.9 < limits.lower[0] <= X.min() and X.max() <= limits.upper[0] < 20.1

    def test_a_column_of_one_value_borrows_the_limits_of_the_matrix(self):
        limits = ColumnLimits.of(ratings_of([[1, 5], [2, 5], [4, 5]]))
        assert (limits.lower[1], limits.upper[1]) == (1, 5)

    def test_cells_are_limited_by_their_column(self):
        limits = ColumnLimits.of(ratings_of([[1, 50], [2, 90]]))
        assert limits.clip_at(np.array([99.0, 99.0]), np.array([0, 0]), np.array([0, 1])).tolist() == [3.0, 90.0]

    def test_they_do_not_leave_the_range_of_all_that_is_observed(self):
        limits = ColumnLimits.of(ratings_of([[1, 2], [5, 3]]))
        assert (limits.lower.min(), limits.upper.max()) == (1, 5)

    def test_nothing_observed_has_no_limits(self):
        with pytest.raises(ValueError, match="limits of columns need an observed entry"):
            ColumnLimits.of(Ratings([], [], [], (2, 2)))

    def test_on_a_scale_a_column_of_many_entries_stays_near_them_and_the_others_keep_the_scale(self):
        groups, marks = np.tile([1.0, 2.0, 3.0], 4), np.linspace(40, 90, 12)
        few, one_value = np.where(np.arange(12) < 9, marks, np.nan), np.full(12, 50.0)
        limits = ColumnLimits.on_scale(ratings_of(np.column_stack([groups, few, one_value])), RatingScale(0, 100))
        assert limits.lower == pytest.approx([1, 0, 1]) and limits.upper == pytest.approx(
            [3 + 2 / 11, 100, np.nanmax(few)]
        )
        assert ColumnLimits.on_scale(ratings_of(groups[:, None]), RatingScale(1, 3)).lower.tolist() == [1.0]


BEYOND = Ratings.from_dense([[1, np.nan, 3], [np.nan, 9, 5], [0.5, 2, np.nan]])


def test_a_rating_outside_the_scale_is_named_with_its_cell():
    X = ratings_matrix()
    X[2, 1] = 5.5
    with pytest.raises(ValueError, match=r"rating 5.5 in cell \(2, 1\) lies outside the scale 1 to 5: correct it, or"):
        with_scale(Ratings.from_dense(X), (1, 5))
    check_on_scale(Ratings.from_dense(X), RatingScale(1, 6))
    assert with_scale(Ratings.from_dense(X), (1, 6)).scale == RatingScale(1.0, 6.0)
    assert with_scale(Ratings.from_dense(X), None).scale is None
    for scale in ((1,), "1:5", 5, ("1", "5")):
        with pytest.raises(ValueError, match=r"scale must be a pair \(minimum, maximum\), a RatingScale or None"):
            with_scale(Ratings.from_dense(X), scale)


def test_the_error_says_how_many_there_are_and_what_to_do_and_comes_back_from_a_worker_whole():
    with pytest.raises(
        OutsideScaleError, match=r"in cell \(1, 1\) .* 1 to 5 \(2 such ratings in all\): ask Ada"
    ) as found:
        check_on_scale(BEYOND, STARS, "ask Ada")
    error = pickle.loads(pickle.dumps(found.value))
    assert str(error) == str(found.value)
    assert (error.row, error.col, error.value, error.number, error.scale) == (1, 1, 9.0, 2, STARS)

"""Limits of estimates where no scale is known: near what was observed in each column."""

import numpy as np
import pytest

from metamf.ratings.limits import ColumnLimits
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

"""The result of an imputation: estimates, provenance, trajectory, one row per cell; immutable."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from metamf import Imputation, MetaMFImputer, Ratings, RatingScale, Trajectory
from metamf.answer.result import Intervals
from metamf.ratings.units import Standardization


@pytest.fixture
def result() -> Imputation:
    """2 x 3, K = 1, one step; estimates are 3 + 2 u v."""
    U = np.array([[[0.0], [0.0]], [[1.0], [2.0]]])  # (T + 1, N, K)
    V = np.array([[[0.0], [0.0], [0.0]], [[0.5], [-0.25], [1.0]]])  # (T + 1, M, K)
    ratings = Ratings([0, 1], [1, 2], [2.0, 5.0], (2, 3), ("ann", "bo"), ("x", "y", "z"))
    return Imputation(ratings, Trajectory(U, V, Standardization(3, 2)), RatingScale(1, 5), "by hand", "paper")


def test_estimates_are_clipped_and_observed_cells_keep_their_value(result):
    np.testing.assert_allclose(result.trajectory.estimate(1), [[4, 2.5, 5], [5, 2, 7]])
    np.testing.assert_allclose(result.mean, [[4, 2.5, 5], [5, 2, 5]])
    np.testing.assert_allclose(result.filled, [[4, 2, 5], [5, 2, 5]])


def test_provenance_tells_observed_imputed_and_clipped_apart(result):
    np.testing.assert_array_equal(
        result.provenance, [["imputed", "observed", "imputed"], ["imputed", "imputed", "observed"]]
    )
    wider = Imputation(result.ratings.select([0]), result.trajectory, RatingScale(1, 4), "by hand", "paper")
    np.testing.assert_array_equal(
        wider.provenance, [["imputed", "observed", "clipped"], ["clipped", "imputed", "clipped"]]
    )
    assert wider.mean.max() == 4 and replace(wider, scale=None).mean.max() == 7
    assert repr(result).startswith("Imputation(Ratings(2 x 3, 2 observed, 33.3 %), checkpoint='by hand', step_rule=")


def test_without_labels_cells_are_named_by_position_and_labels_may_be_tuples(result):
    bare = Ratings([0, 1], [1, 2], [2.0, 5.0], (2, 3))
    frame = Imputation(bare, result.trajectory, None, "by hand", "paper").to_frame()
    assert frame.row.tolist() == [0, 0, 0, 1, 1, 1] and frame.column.tolist() == [0, 1, 2, 0, 1, 2]
    pairs = Ratings([0, 1], [1, 2], [2.0, 5.0], (2, 3), (("a", 1), ("b", 2)), ((1, 1), (1, 2), (1, 3)))
    frame = Imputation(pairs, result.trajectory, None, "by hand", "paper").to_frame()
    assert frame.row[3] == ("b", 2) and frame.column[2] == (1, 3) and len(frame) == 6


@pytest.mark.parametrize("name", ["mean", "filled", "provenance"])
def test_a_result_cannot_be_changed(result, name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(result, name)[0, 0] = getattr(result, name)[0, 1]
    for factor in (result.trajectory.U, result.trajectory.V):
        with pytest.raises(ValueError, match="read-only"):
            factor[0] = 1
    with pytest.raises(AttributeError):
        result.scale = None


class Widths:
    """Half-widths by hand, in standardised units."""

    def __init__(self, values):
        self.values = values

    def at(self, rows, cols):
        return self.values[rows, cols]

    block = at


@pytest.fixture
def with_intervals(result) -> Imputation:
    halves = Widths(np.array([[0.25, 0.25, 0.5], [1.0, 0.05, 1.5]]))
    return replace(result, intervals=Intervals(0.8, Standardization(0.0, 2.0), halves))


def test_intervals_are_symmetric_around_the_estimate_before_it_is_clipped(with_intervals):
    np.testing.assert_allclose(with_intervals.lower, [[3.5, 2, 4], [3, 1.9, 4]])  # 7 - 3, not 5 - 3
    np.testing.assert_allclose(with_intervals.upper, [[4.5, 3, 6], [7, 2.1, 10]])  # nobody knows that 5 is the end
    with_intervals = replace(with_intervals, ratings=replace(with_intervals.ratings, scale=with_intervals.scale))
    np.testing.assert_allclose(with_intervals.lower, [[3.5, 2, 4], [3, 1.9, 4]])  # 7 - 3, not 5 - 3
    np.testing.assert_allclose(with_intervals.upper, [[4.5, 3, 5], [5, 2.1, 5]])
    free = replace(with_intervals, scale=None)
    np.testing.assert_allclose(free.upper - free.lower, 2 * with_intervals.half_width)
    assert (free.lower < free.mean).all() and free.upper.max() == 10


def test_one_row_per_cell_has_the_interval(with_intervals, result):
    frame = with_intervals.to_frame()
    pd.testing.assert_frame_equal(frame.drop(columns=["lower", "upper"]), result.to_frame())
    assert frame.lower.tolist() == with_intervals.lower.ravel().tolist()
    assert frame.upper.tolist() == with_intervals.upper.ravel().tolist()
    assert result.lower is None and result.upper is None


def test_impute_reports_what_it_ran():
    X = np.array([[5, 1, np.nan], [4, np.nan, 2], [np.nan, 1, 1]])
    frame = pd.DataFrame(X, index=["a", "b", "c"], columns=["x", "y", "z"])
    result = MetaMFImputer("ml-100k", steps=4).impute(frame)
    assert (result.checkpoint, result.step_rule, result.trajectory.T) == ("ml-100k", "paper", 4)
    assert result.trajectory.U.shape[:2] == (5, 3) and result.trajectory.V.shape[:2] == (5, 3)
    assert result.scale == RatingScale(1, 5, 1)
    np.testing.assert_array_equal(result.provenance == "observed", frame.notna())
    assert not np.array_equal(result.trajectory.U[0], result.trajectory.U[4])
    table = result.to_frame()
    assert table.row.tolist() == list("aaabbbccc")
    np.testing.assert_array_equal(table.value[table.provenance == "observed"], X[~np.isnan(X)])

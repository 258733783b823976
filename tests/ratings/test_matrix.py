"""Ratings: what goes in comes out, mistakes are named, and nothing can change it afterwards."""

import numpy as np
import pytest
import scipy.sparse
from problems import random_ratings

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization

X = np.array([[np.nan, 4.0, 1.0], [np.nan, np.nan, np.nan], [5.0, 0.0, np.nan]])


def test_dense_round_trip_keeps_zeros_and_missing_cells():
    ratings = Ratings.from_dense(X, row_labels=["a", "b", "c"])
    np.testing.assert_array_equal(ratings.to_dense(), X)
    assert (ratings.shape, ratings.nnz, ratings.row_labels) == ((3, 3), 4, ("a", "b", "c"))
    assert ratings.density == pytest.approx(4 / 9)
    assert ratings.row_counts.tolist() == [2, 0, 2] and ratings.col_counts.tolist() == [1, 2, 1]
    assert ratings.row_starts.tolist() == [0, 2, 2, 4]
    assert repr(ratings) == "Ratings(3 x 3, 4 observed, 44.4 %)"


def test_entries_are_sorted_whatever_their_order():
    ratings = Ratings([2, 0, 2], [1, 2, 0], [1, 2, 3], (3, 3))
    assert ratings.rows.tolist() == [0, 2, 2] and ratings.cols.tolist() == [2, 0, 1]
    assert ratings.values.tolist() == [2.0, 3.0, 1.0] and ratings.values.dtype == np.float64


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([0], [0], [1.0], (0, 3)), r"at least one row and one column, got \(0, 3\)"),
        (([0, 1], [0], [1.0], (2, 2)), "differ in length"),
        (([5], [0], [1.0], (2, 2)), r"row 5 lies outside a matrix of shape \(2, 2\)"),
        (([0], [-1], [1.0], (2, 2)), "column -1 lies outside"),
        (([0], [1], [np.nan], (2, 2)), r"the rating at \(0, 1\) is nan; leave missing entries out"),
        (([1, 0, 1], [1, 0, 1], [1.0, 2.0, 3.0], (2, 2)), r"cell \(1, 1\) is given twice"),
        (([0.5], [1], [1.0], (2, 2)), "rows must hold integer positions, got dtype float64"),
        (([[0]], [1], [1.0], (2, 2)), "rows must be one-dimensional"),
        (([0], [1], [1.0], (2, 2), ["a"]), "row_labels has 1 names for 2 rows"),
        (([0], [1], [1.0], (2, 2), None, ["a"]), "col_labels has 1 names for 2 cols"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        Ratings(*arguments)


BUILDS = [
    lambda values: Ratings([0], [1], values[0, 1:], (1, 2)),
    Ratings.from_dense,
    lambda values: Ratings.from_scipy(scipy.sparse.coo_matrix(values)),
]


@pytest.mark.parametrize("build", BUILDS, ids=["positions", "dense", "scipy"])
@pytest.mark.filterwarnings("error")
def test_complex_ratings_are_refused(build):
    with pytest.raises(ValueError, match="must be real numbers, got dtype complex128"):
        build(np.array([[0.0, 4.0 + 1.0j]]))


def test_a_dense_matrix_has_two_dimensions():
    with pytest.raises(ValueError, match=r"two dimensions, got an array of shape \(3,\)"):
        Ratings.from_dense(X[0])


def test_ratings_cannot_be_changed():
    rows, cols, values = np.array([0, 1]), np.array([1, 0]), np.array([3.0, 4.0])
    ratings = Ratings(rows, cols, values, (2, 2))
    rows[0] = cols[0] = 1
    values[0] = 99.0  # the caller's array is the caller's
    assert ratings.to_dense()[0, 1] == 3.0
    for array in (ratings.rows, ratings.cols, ratings.values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        ratings.shape = (5, 5)


def test_submatrix_takes_rows_and_columns_in_the_order_given():
    ratings = Ratings.from_dense(X, row_labels="abc", col_labels="xyz", scale=RatingScale(0, 5))
    part = ratings.submatrix(np.array([2, 0]), np.array([1, 0]))
    np.testing.assert_array_equal(part.to_dense(), X[np.ix_([2, 0], [1, 0])])
    assert (part.row_labels, part.col_labels, part.scale) == (("c", "a"), ("y", "x"), ratings.scale)


def test_many_submatrices_are_found_at_once():
    ratings, rng = random_ratings(20, 15, 0.4), np.random.default_rng(0)
    row_ids, col_ids = (
        np.stack([rng.permutation(size)[:6] for _ in range(4)]) for size in ratings.shape
    )
    entries, rows, cols = ratings.locate(row_ids, col_ids)
    X = ratings.to_dense()
    for d in range(4):
        mine = rows // 6 == d
        block = np.full((6, 6), np.nan)
        block[rows[mine] - 6 * d, cols[mine] - 6 * d] = ratings.values[entries[mine]]
        np.testing.assert_array_equal(block, X[np.ix_(row_ids[d], col_ids[d])])
    assert (np.diff(rows) >= 0).all()


def test_select_and_with_values():
    ratings = Ratings.from_dense(X, scale=RatingScale(0, 5))
    assert ratings.select(ratings.values > 0).values.tolist() == [4.0, 1.0, 5.0]
    other = ratings.with_values(ratings.values * 10)
    assert other.values.tolist() == [40.0, 10.0, 50.0, 0.0] and other.scale is None


@pytest.mark.parametrize(
    "values, mean", [([], 0.0), ([3.0], 3.0), ([0.1] * 7, 0.1), ([1e8 + 1] * 3, 1e8 + 1)]
)
def test_without_spread_the_divisor_is_one(values, mean):
    units = Standardization.of(np.array(values))
    assert units.std == 1.0 and units.mean == pytest.approx(mean)


def test_an_array_that_may_change_is_copied():
    values = np.array([1.0, 5.0])
    seen = values.view()
    seen.flags.writeable = False  # but its owner may still change it
    ratings = Ratings(np.array([0, 1]), np.array([0, 0]), seen, (2, 1))
    values[0] = 3
    assert ratings.values.tolist() == [1, 5]

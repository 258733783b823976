"""Who agrees with what was expected and with each other, on matrices where the answer is known."""

import numpy as np
import pytest

from metamf.ratings.matrix import Ratings
from metamf.webapp.teach.rooms.agreement import Agreement, held_out_estimates

NaN = np.nan
X = np.array(
    [
        [5, 4, 1, NaN, 5],
        [5, 4, 1, 2, NaN],
        [1, 2, 5, 4, NaN],
        [3, NaN, NaN, NaN, 3],
    ]
)


@pytest.fixture
def found():
    expected = np.full(X.shape, 3.0)
    expected[1] = [5, 3, 1, 2, 4]
    return Agreement(X, expected)


def test_a_person_s_departure_is_the_root_mean_square_of_at_least_three_surprises(found):
    assert found.surprise[0, :3].tolist() == [2, 1, -2]
    np.testing.assert_allclose(found.departure, [np.sqrt(13 / 4), 0.5, np.sqrt(10 / 4), NaN])


def test_the_distance_of_two_people_is_over_what_both_have_rated(found):
    assert found.distance.to_dict() == {(0, 1): 0, (0, 2): pytest.approx(10 / 3), (1, 2): 3}
    assert found.shared[0, 2] == 3, "and of the fourth person two, which say nothing"
    wide = np.hstack([X, np.full((4, 7), NaN)])
    assert Agreement(wide, wide).distance.empty, "of twelve columns it takes five in common"


def test_a_column_s_spread_needs_three_ratings(found):
    spreads = [np.std([5, 5, 1, 3]), np.std([4, 4, 2]), np.std([1, 1, 5]), NaN, NaN]
    np.testing.assert_allclose(found.spread, spreads)


@pytest.mark.parametrize("X", [np.empty((0, 4)), np.full((3, 4), NaN), np.full((1, 4), 3.0)])
def test_nothing_is_said_of_nobody(X):
    found = Agreement(X, np.zeros(X.shape))
    assert found.distance.empty and len(found.departure) == len(X)


def test_the_error_of_the_mean_is_that_of_the_mean_of_the_others():
    ratings = np.array([[1.0, 5.0, 2.0, 5.0]])
    off = ratings - (ratings.sum() - ratings) / 3
    assert Agreement(ratings, ratings).typical_error_of_the_mean == pytest.approx(
        np.sqrt(np.mean(off**2))
    )


def test_each_rating_is_estimated_without_itself_and_once():
    ratings, asked = Ratings.from_dense(X), []

    def estimate(part):
        asked.append(part.nnz)
        filled = np.full(part.shape, 100.0)  # says what it was given, and 100 elsewhere
        filled[part.rows, part.cols] = part.values
        return filled

    found = held_out_estimates(ratings, estimate, folds=4)
    assert (found == 100).all(), "no rated cell got its own rating back"
    assert asked == [14, 10, 10, 11, 11]  # all; then without 4, 4, 3 and 3

"""Rating scales, and the guess which one a set of ratings comes from."""

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    "ends, message",
    [
        ((5, 1), "finite minimum < maximum, got 5 and 1"),
        ((1, 1), "finite minimum < maximum"),
        ((float("nan"), 1), "finite minimum < maximum"),
        ((0, float("inf")), "finite minimum < maximum"),
        ((1, 5, 0), "step .* got 0"),
        ((1, 5, 4.5), "step .* got 4.5"),
        ((1, 5, float("nan")), "step .* got nan"),
    ],
)
def test_what_is_not_a_scale_is_refused(ends, message):
    with pytest.raises(ValueError, match=message):
        RatingScale(*ends)


def test_values_are_clipped_to_the_scale_and_keep_their_shape():
    clipped = RatingScale(1, 5).clip(np.array([[0.2, 3.3], [5.0, 9.0]]))
    np.testing.assert_array_equal(clipped, [[1, 3.3], [5, 5]])

"""Ratings outside the stated scale: an error, the nearest end of the scale, or left out."""

import numpy as np
import pytest
from problems import STARS

from metamf.evaluate.filling import within_scale
from metamf.ratings.limits import OutsideScaleError
from metamf.ratings.matrix import Ratings

BEYOND = Ratings.from_dense([[9.0, 4.0, np.nan], [0.5, np.nan, 2.0]], scale=STARS)


@pytest.mark.parametrize(("outside", "left"), [("nearest", [5, 4, 1, 2]), ("hide", [4, 2])])
def test_they_are_moved_or_left_out_as_asked(outside, left):
    found = within_scale(BEYOND, outside)
    assert found.values.tolist() == left and found.shape == BEYOND.shape and found.scale == STARS
    assert BEYOND.values.tolist() == [9, 4, 0.5, 2]


def test_they_are_an_error_that_says_what_else_could_become_of_them():
    with pytest.raises(OutsideScaleError, match="rating 9 in cell .*or say outside='nearest' or outside='hide'"):
        within_scale(BEYOND)


@pytest.mark.parametrize("outside", ["error", "nearest", "hide"])
def test_ratings_that_all_lie_on_their_scale_come_back_as_they_are(outside):
    inside = Ratings.from_dense([[1.0, 5.0]], scale=STARS)
    assert within_scale(inside, outside) is inside

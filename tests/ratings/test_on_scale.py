"""Ratings on a stated scale: the first one outside is named, with what to do."""

import pickle

import numpy as np
import pytest
from problems import STARS, ratings_matrix

import metamf.evaluate
from metamf.ratings.limits import OutsideScaleError, check_on_scale, outside_scale, with_scale
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale

BEYOND = Ratings.from_dense([[1, np.nan, 3], [np.nan, 9, 5], [0.5, 2, np.nan]])


def test_a_rating_outside_the_scale_is_named_with_its_cell():
    X = ratings_matrix()
    X[2, 1] = 5.5
    with pytest.raises(ValueError, match=r"rating 5.5 in cell \(2, 1\) lies outside the scale 1 to 5: correct it, or"):
        with_scale(Ratings.from_dense(X), (1, 5))
    check_on_scale(Ratings.from_dense(X), RatingScale(1, 6))
    assert with_scale(Ratings.from_dense(X), (1, 6)).scale == RatingScale(1.0, 6.0)
    assert with_scale(Ratings.from_dense(X), None).scale is None
    for scale in ((1,), "1:5", 5):
        with pytest.raises(ValueError, match=r"scale must be a pair \(minimum, maximum\), a RatingScale or None"):
            with_scale(Ratings.from_dense(X), scale)


def test_the_ends_of_a_scale_lie_on_it_and_without_a_scale_everything_does():
    assert outside_scale(BEYOND, RatingScale(0.5, 9)).tolist() == outside_scale(BEYOND, None).tolist() == [False] * 6
    assert sorted(BEYOND.values[outside_scale(BEYOND, STARS)]) == [0.5, 9]
    check_on_scale(BEYOND, None)


def test_the_error_says_how_many_there_are_and_what_to_do_and_comes_back_from_a_worker_whole():
    with pytest.raises(
        OutsideScaleError, match=r"in cell \(1, 1\) .* 1 to 5 \(2 such ratings in all\): ask Ada"
    ) as found:
        check_on_scale(BEYOND, STARS, "ask Ada")
    error = pickle.loads(pickle.dumps(found.value))
    assert str(error) == str(found.value)
    assert (error.row, error.col, error.value, error.number, error.scale) == (1, 1, 9.0, 2, STARS)


def test_filling_has_the_same_error():
    assert metamf.evaluate.OutsideScaleError is OutsideScaleError


def test_a_scale_of_texts_is_named():
    with pytest.raises(ValueError, match=r"scale must be a pair of numbers \(minimum, maximum\), got \('1', '5'\)"):
        with_scale(Ratings([0], [0], [3.0], (1, 1)), ("1", "5"))

"""The units that a matrix is read in."""

import pytest
from problems import STARS, ratings_matrix

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization, units_for


def test_units_are_those_of_the_training_data_only_where_the_scale_fits():
    trained = Standardization(3.6, 1.1)
    assert units_for(Ratings.from_dense(ratings_matrix(), scale=STARS), trained, STARS) == trained
    wide = Ratings.from_dense(20 * ratings_matrix(), scale=RatingScale(0, 100))
    assert units_for(wide, trained, STARS).mean == pytest.approx(wide.values.mean())

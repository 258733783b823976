"""A method in standardised units, asked for ratings."""

import numpy as np
import pytest
from problems import ratings_matrix

from metamf.baselines.mean import Mean
from metamf.baselines.predicting import predictor
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization


@pytest.mark.parametrize("units", [Standardization(0.0, 1.0), Standardization(3.5, 1.1)])
def test_estimates_come_in_rating_units_and_in_the_shape_of_the_cells(units):
    ratings = Ratings.from_dense(ratings_matrix())
    predict = predictor(Mean(), ratings, units)
    estimates = predict(np.arange(12)[:, None], np.arange(9)[None])
    assert estimates.shape == (12, 9) and estimates.dtype == np.float64
    np.testing.assert_allclose(estimates, ratings.values.mean(), rtol=1e-6)
    assert predict(np.array(3), np.array(2)).shape == ()

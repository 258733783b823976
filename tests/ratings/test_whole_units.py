"""Units of a whole matrix: which rule decides, and what follows from it."""

import numpy as np
import pytest
from problems import STARS, ratings_matrix

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import FixedUnits, OneValue, OwnUnits, ScaleUnits, Standardization, unit_rule

TRAINED = Standardization(3.6, 1.1)


SCALE_UNITS = ScaleUnits(0.6, 0.07, 14, 50)


RATINGS = Ratings.from_dense(ratings_matrix(), scale=STARS)


WIDE = Ratings.from_dense(20 * ratings_matrix(), scale=RatingScale(0, 100))


def test_units_are_those_of_the_training_data_only_where_the_scale_fits():
    assert unit_rule(RATINGS, TRAINED, STARS).of(RATINGS) == TRAINED
    assert unit_rule(WIDE, TRAINED, STARS).of(WIDE).mean == pytest.approx(WIDE.values.mean())


@pytest.mark.parametrize(
    ("ratings", "trained", "standardize", "rule"),
    [
        (RATINGS, TRAINED, "auto", FixedUnits(TRAINED)),
        (RATINGS, TRAINED, "matrix", OwnUnits()),
        (WIDE, TRAINED, "auto", OwnUnits()),
        (WIDE, TRAINED, "checkpoint", FixedUnits(TRAINED)),
        (RATINGS, None, "auto", SCALE_UNITS),
        (RATINGS, None, "matrix", OwnUnits()),
        (Ratings.from_dense(ratings_matrix()), None, "auto", OwnUnits()),
    ],
)
def test_one_place_decides_by_which_rule_a_matrix_is_standardised(ratings, trained, standardize, rule):
    scale = None if trained is None else STARS
    assert unit_rule(ratings, trained, scale, SCALE_UNITS, standardize) == rule


def test_units_of_the_training_data_are_refused_where_there_are_none():
    with pytest.raises(ValueError, match="no units of its own: use standardize='matrix' or 'auto'"):
        unit_rule(RATINGS, None, None, SCALE_UNITS, "checkpoint")


@pytest.mark.parametrize("rule", [FixedUnits(TRAINED), OwnUnits(), SCALE_UNITS], ids=lambda rule: type(rule).__name__)
def test_the_moments_of_many_matrices_are_the_units_of_each(rule):
    values = np.random.default_rng(0).integers(1, 6, (3, 4, 7)).astype(float)
    mean, std = rule.moments(values, STARS)
    assert mean.shape == std.shape == (3, 4)
    for at in np.ndindex(3, 4):
        units = rule.of(Ratings(np.zeros(7, int), np.arange(7), values[at], (1, 7), scale=STARS))
        assert (mean[at], std[at]) == pytest.approx((units.mean, units.std), rel=1e-12)


@pytest.mark.parametrize("value", [0.0, 3.0, -1e300, 1e-300])
def test_where_nothing_varies_every_estimate_is_the_one_value(value):
    units = OwnUnits().of(Ratings.from_dense(np.full((3, 2), value)))
    assert isinstance(units, OneValue) and (units.undo(np.array([-2.0, 0, 9])) == value).all()
    mean, std = OwnUnits().moments(np.full((2, 5), value), None)
    assert (std == 0).all() and mean == pytest.approx(value)

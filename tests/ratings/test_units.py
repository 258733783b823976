"""The units that a matrix is read in."""

import numpy as np
from problems import STARS

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import By, FixedUnits, OneValue, OwnUnits, ScaleUnits, SidedUnits, Standardization

TRAINED = Standardization(3.6, 1.1)
SCALE_UNITS = ScaleUnits(0.6, 0.07, 14, 50)


def test_a_rule_says_what_follows_from_it():
    """Nobody outside asks for the class of a rule: what it says of itself decides."""
    rules = FixedUnits(TRAINED), OwnUnits(), SCALE_UNITS, SidedUnits(By.COLUMN), SidedUnits(By.ROW)
    assert [rule.by for rule in rules] == [None, None, None, By.COLUMN, By.ROW]
    assert [rule.scale_weighs_in for rule in rules] == [False, False, True, False, False]
    assert [rule.gives_way for rule in rules] == [False, True, False, False, False]
    unknown = Ratings.from_dense(np.array([[1.0, 40], [2, np.nan], [3, 60]]))
    assert [rule.limits(unknown, STARS) for rule in (*rules[:3], rules[4])] == [STARS, *[RatingScale(1, 60)] * 3]
    assert rules[3].limits(unknown, STARS).lower.tolist() == [1, 20]


def test_spread_is_zero_only_where_nothing_varies():
    assert Standardization(3.0, 2.0).spread == 2 and OneValue(3.0, 1.0).spread == 0

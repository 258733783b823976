"""Intervals, computed where they are asked for, in rating units."""

import numpy as np
from measurements import table_of_measurements

import metamf


def test_intervals_come_in_the_units_of_their_column():
    X, whole = table_of_measurements()
    result = metamf.load_pretrained("universal", standardize="chosen").impute(X, interval=0.9)
    missing = np.isnan(X)
    inside = (result.lower <= whole) & (whole <= result.upper)
    assert 0.75 < inside[missing].mean() <= 1
    width = np.median(result.upper - result.lower, axis=0)
    assert width[1] > 1000 * width[2]

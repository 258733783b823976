"""Observed numbers that look like marks for "missing"."""

import numpy as np
import pytest

from metamf.tables.reading.markers import suspected_markers

STARS = np.tile([1.0, 2, 3, 4, 5], 20)


@pytest.mark.parametrize(
    ("beside", "suspected"),
    [
        ([], ()),
        ([99, 99], ((99, 2),)),
        ([99], ()),  # one cell may be a slip
        ([-9, -9], ((-9, 2),)),
        ([12, 12], ()),  # not far enough from the others
        ([97, 98, 99], ((97, 1), (98, 1), (99, 1))),
    ],
)
def test_numbers_far_from_all_others_are_suspected(beside, suspected):
    assert suspected_markers(np.concatenate([STARS, beside])) == suspected


def test_zero_is_suspected_where_it_is_the_smallest_and_most_cells_hold_it():
    assert suspected_markers(np.concatenate([STARS, np.zeros(101)])) == ((0.0, 101),)
    assert suspected_markers(np.concatenate([STARS, np.zeros(99)])) == ()
    assert suspected_markers(np.concatenate([STARS, [-1], np.zeros(300)])) == ()

"""A ring of the focus that is thin, faint or cut off is noticed."""

import numpy as np
import pytest
from rings import ring_fault

Y, X = np.mgrid[:60, :200]


def box(inset, thick=2):
    """A ring as a rectangle, ``inset`` pixels from the edge."""
    depth = np.minimum.reduce([Y, X, 59 - Y, 199 - X]) - inset
    return (depth >= 0) & (depth < thick)


def contrast(ring, ratio=5.0):
    """The contrasts of a drawing with what was there before: ``ratio`` where it is, none elsewhere."""
    return np.where(ring, ratio, 1.0)


@pytest.mark.parametrize(
    "ring",
    [box(0), box(8, 3), np.abs(np.hypot(Y - 30, X - 100) - 12) < 1.5, box(8) | box(20, 30)],
    ids=["at the edge", "outside", "around a thumb", "with another ground"],
)
def test_a_ring_around_a_control_is_seen(ring):
    assert ring_fault(contrast(ring)) == ""


def test_a_ring_between_pixels_is_as_thick_as_it_is():
    between = np.maximum(contrast(box(4, 3), 2.2), contrast(box(5, 1), 5.0))  # half of a pixel, one, half of one
    assert ring_fault(between) == ""
    assert ring_fault(contrast(box(4, 2), 2.2)) == "no ring"  # it is faint


@pytest.mark.parametrize(
    "ring, why",
    [
        (box(0) & False, "no ring"),
        (box(4, 1), "its left is 1 pixels thick, with a contrast of 5.0"),
        (box(4) & (Y > 6), "its top is 0 pixels thick, with a contrast of 1.0"),
        (box(4) & (X < 190), "its right is 0 pixels thick, with a contrast of 1.0"),
        ((abs(Y - 30) < 3) & (abs(X - 100) < 9), "no ring around it, but a mark of 19 x 7 pixels"),
    ],
)
def test_what_is_less_than_a_ring_is_said(ring, why):
    assert ring_fault(contrast(ring)) == why


def test_a_side_that_is_not_on_the_screen_is_not_asked_for():
    cut = contrast(box(4) & (Y < 50))
    assert ring_fault(cut, ("left", "top", "right")) == ""
    assert ring_fault(cut).startswith("its bottom is 0")

"""A sum drawn as steps."""

import numpy as np
import pytest

from metamf.figures.terms import sum_of_terms


def test_every_term_begins_where_the_one_before_has_ended():
    values = np.array([1.0, -3.0, 0.5])
    [bars] = sum_of_terms(["a", "b", "c"], values, "sum").data
    ends = np.asarray(bars.base) + np.asarray(bars.x)
    assert list(bars.y) == ["a", "b", "c", "sum"] and bars.base[0] == 0
    np.testing.assert_array_equal(bars.base[1:3], ends[:2])
    assert (bars.base[3], ends[3]) == (0, values.sum()) and ends[2] == values.sum()
    assert bars.text == ("+1.000", "−3.000", "+0.500", "−1.500")


@pytest.mark.parametrize("value", [-2.0, 2.0])
def test_what_a_relu_leaves_is_one_more_bar(value):
    [bars] = sum_of_terms(["a"], np.array([value]), "sum", lowest=0).data
    assert list(bars.y)[-1] == "after ReLU" and bars.x[-1] == max(value, 0)


def test_a_sum_of_nothing_but_zeros_has_a_width():
    low, high = sum_of_terms(["a"], np.zeros(1), "sum").layout.xaxis.range
    assert low < 0 < high

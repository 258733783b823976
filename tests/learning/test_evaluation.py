"""Statistics over splits, against their formulas."""

import math

import numpy as np
import pandas as pd
import pytest

from metamf.learning.evaluation import mean_over_splits, paired_differences, paired_t_test

ROWS = pd.DataFrame(
    [
        {"data": "a", "method": "ours", "split": 0, "value": 1.0},
        {"data": "a", "method": "ours", "split": 1, "value": 2.0},
        {"data": "a", "method": "ours", "split": 2, "value": 4.0},
        {"data": "a", "method": "mean", "split": 0, "value": 1.5},
        {"data": "a", "method": "mean", "split": 1, "value": 2.25},
        {"data": "a", "method": "once", "split": 2, "value": 3.0},
    ]
)


def test_averages_and_standard_errors():
    table = mean_over_splits(ROWS, "value", ["data", "method"])
    ours = table.loc["a", "ours"]
    assert ours["mean"] == pytest.approx(7 / 3) and ours.splits == 3
    assert ours.standard_error == pytest.approx(np.std([1, 2, 4], ddof=1) / math.sqrt(3))
    assert math.isnan(table.loc["a", "once"].standard_error)


def test_methods_are_compared_on_the_splits_that_both_have():
    table = paired_differences(ROWS, "value", "ours")
    assert table.index.tolist() == ["mean", "once"]
    assert table.difference.tolist() == [pytest.approx(0.375), -1.0]
    assert table.splits.tolist() == [2, 1]
    t = 0.375 / (np.std([0.5, 0.25], ddof=1) / math.sqrt(2))  # one degree of freedom: Cauchy
    assert table.p["mean"] == pytest.approx(1 - 2 * math.atan(t) / math.pi)
    assert math.isnan(table.p["once"])


def test_no_test_without_two_pairs():
    assert math.isnan(paired_t_test(pd.Series([1.0]), pd.Series([2.0])))
    with pytest.raises(KeyError):
        paired_differences(ROWS, "value", "als")

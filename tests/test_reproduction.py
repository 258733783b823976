"""The paper's printed numbers, ours next to them, and the statistics over splits behind ours."""

import math

import numpy as np
import pandas as pd
import pytest

from metamf import reproduction as paper
from metamf.learning.evaluation import mean_over_splits, paired_differences, paired_t_test
from metamf.reproduction import Measure


def row(method, split, query, data="jester", preset="", setting="", mean=1.0, support=0.5):
    return {
        "data": data,
        "split": split,
        "method": method,
        "setting": setting,
        "preset": preset,
        "seed": 0,
        "blocks": 200,
        "query_mse": query,
        "support_mse": support,
        "mean_query_mse": mean,
        "query_mse_10": 2 * query,
        "support_mse_10": support,
        "mean_query_mse_10": mean,
    }


def table(*rows):
    return pd.DataFrame(list(rows))


def of_jester(rows, method, measure=None):
    """The row of a method on Jester, next to the paper's Table 1."""
    found = paper.with_printed(rows, measure or Measure(), "Table 1")
    return found.set_index(["data", "method"]).loc["jester", method]


def test_ratios_are_taken_on_each_split():
    rows = table(row("mf", 0, 0.5, mean=1.0), row("mf", 1, 1.5, mean=2.0))
    found = of_jester(rows, "mf")
    assert found["mean"] == pytest.approx((0.5 + 0.75) / 2) and found.splits == 2
    assert found.paper == pytest.approx(1.005 / 1.004)
    assert found.paper_error == pytest.approx(0.014 / 1.004)
    assert found.distance == pytest.approx((0.625 - 1.005 / 1.004) / (0.014 / 1.004))


def test_the_switches_choose_the_blocks_the_scale_and_the_preset():
    ours = [row("ours", 0, 0.4, preset="tuned"), row("ours", 0, 0.6, preset="paper")]
    rows = table(*ours, row("mf", 0, 0.7, mean=2.0))

    def value(measure, method):
        return of_jester(rows, method, measure)["mean"]

    assert value(Measure(ratio=False), "ours") == 0.4
    assert value(Measure(ratio=False, preset="paper"), "ours") == 0.6
    assert value(Measure(ratio=False, blocks=10), "ours") == 0.8
    assert value(Measure(), "mf") == value(Measure(preset="paper"), "mf") == 0.35


def test_seeds_of_a_split_count_once():
    seeds = [row("ours", split, e, preset="tuned") for split, e in ((0, 0.4), (0, 0.6), (1, 0.8))]
    rows = table(*seeds, *(row("mf", split, 0.9) for split in (0, 1)))
    found = of_jester(rows, "ours")
    assert (found["mean"], found.splits) == (pytest.approx((0.5 + 0.8) / 2), 2)
    assert len(paper.equal_to_best(rows, Measure())) == 2


def test_what_is_not_measured_or_not_printed_is_there_without_a_number():
    found = paper.with_printed(paper.measured("never run"), Measure(), "Table 1")
    assert len(found) == 27 and found["mean"].isna().all() and (found.splits == 0).all()
    found = of_jester(table(row("als", 0, 0.5)), "als")
    assert np.isnan(found.paper) and np.isnan(found.distance)


def test_bold_is_what_a_paired_test_does_not_tell_from_the_best():
    level = np.array([0.0, 0.3, 0.6, 0.9])  # splits differ far more than methods do
    near, far = [0.01, -0.01, 0.01, 0.0], [0.10, 0.11, 0.09, 0.10]
    errors = {"ours": 1 + level, "eml": 1 + level + near, "mf": 1 + level + far}
    of_splits = [
        (m, split, value) for m, values in errors.items() for split, value in enumerate(values)
    ]
    rows = table(*(row(*one, preset="tuned") for one in of_splits))
    best = paper.equal_to_best(rows, Measure()).best.droplevel("data")
    assert best.to_dict() == {"ours": True, "eml": True, "mf": False}


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

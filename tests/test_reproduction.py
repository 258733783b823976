"""The paper's printed numbers, and ours next to them."""

import numpy as np
import pytest
from paper_rows import row, table

from metamf import reproduction as paper
from metamf.reproduction import Measure


def test_ratios_are_taken_on_each_split():
    rows = table(row("mf", 0, 0.5, mean=1.0), row("mf", 1, 1.5, mean=2.0))
    found = paper.with_printed(rows, Measure(), "Table 1").set_index(["data", "method"]).loc[("jester", "mf")]
    assert found["mean"] == pytest.approx((0.5 + 0.75) / 2) and found.splits == 2
    assert found.paper == pytest.approx(1.005 / 1.004) and found.paper_error == pytest.approx(0.014 / 1.004)
    assert found.distance == pytest.approx((0.625 - 1.005 / 1.004) / (0.014 / 1.004))


def test_the_switches_choose_the_blocks_the_scale_and_the_preset():
    rows = table(row("ours", 0, 0.4, preset="tuned"), row("ours", 0, 0.6, preset="paper"), row("mf", 0, 0.7, mean=2.0))

    def value(measure, method):
        return paper.with_printed(rows, measure, "Table 1").set_index(["data", "method"])["mean"]["jester", method]

    assert value(Measure(ratio=False), "ours") == 0.4
    assert value(Measure(ratio=False, preset="paper"), "ours") == 0.6
    assert value(Measure(ratio=False, blocks=10), "ours") == 0.8
    assert value(Measure(), "mf") == value(Measure(preset="paper"), "mf") == 0.35


def test_seeds_of_a_split_count_once():
    seeds = [
        row("ours", 0, 0.4, preset="tuned"),
        row("ours", 0, 0.6, preset="tuned"),
        row("ours", 1, 0.8, preset="tuned"),
    ]
    rows = table(*seeds, *(row("mf", split, 0.9) for split in (0, 1)))
    found = paper.with_printed(rows, Measure(), "Table 1").set_index(["data", "method"]).loc[("jester", "ours")]
    assert (found["mean"], found.splits) == (pytest.approx((0.5 + 0.8) / 2), 2)
    assert len(paper.equal_to_best(rows, Measure())) == 2


def test_what_is_not_measured_or_not_printed_is_there_without_a_number():
    found = paper.with_printed(paper.measured("never run"), Measure(), "Table 1")
    assert len(found) == 27 and found["mean"].isna().all() and (found.splits == 0).all()
    found = paper.with_printed(table(row("als", 0, 0.5)), Measure(), "Table 1").set_index(["data", "method"])
    assert np.isnan(found.paper["jester", "als"]) and np.isnan(found.distance["jester", "als"])


def test_bold_is_what_a_paired_test_does_not_tell_from_the_best():
    level = np.array([0.0, 0.3, 0.6, 0.9])  # splits differ far more than methods do
    errors = {"ours": level, "eml": level + [0.01, -0.01, 0.01, 0.0], "mf": level + [0.10, 0.11, 0.09, 0.10]}
    rows = table(*(row(m, s, 1 + v, preset="tuned") for m, values in errors.items() for s, v in enumerate(values)))
    best = paper.equal_to_best(rows, Measure()).best.droplevel("data")
    assert best.to_dict() == {"ours": True, "eml": True, "mf": False}

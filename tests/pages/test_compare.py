"""The page Compare: which methods it lists, and what it says of the best one."""

from opened import PAGES, charts, healthy, no_data_sets, opened, text  # noqa: F401  a fixture

import metamf
from metamf.checkpoints.bundled import checkpoint_title
from metamf.tasks import comparison


def test_compare_lists_checkpoints_and_baselines_and_marks_the_best():
    at = healthy(opened(PAGES[2]))
    said = text(at)
    for name in metamf.list_pretrained():
        assert checkpoint_title(name) in said
    assert "MF" in said and "Mean" in said and said.count(" best ") == 1 and "is computing" not in said
    assert len(charts(at)) == 1 + len(metamf.list_pretrained()) + len(comparison.AT_FIRST)


def test_compare_offers_every_method():
    at = opened(PAGES[2])
    said = text(healthy(at.button_group(key="methods").set_value(list(comparison.BASELINES)).run()))
    assert all(spec.label in said for spec in comparison.BASELINES.values())
    assert len(charts(at)) == 1 + len(metamf.list_pretrained()) + len(comparison.BASELINES)


def test_compare_says_plainly_when_a_simple_method_wins():
    at = healthy(opened(PAGES[2], data="Two tastes"))
    assert "A simple method wins here" in text(at)
    at = healthy(opened(PAGES[2], data="Popular few"))
    assert "A simple method wins here" not in text(at)

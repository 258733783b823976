"""Intervals on the page Fill in, where the checkpoint gives them."""

import re

from opened import charts, healthy, no_data_sets, opened, shown_run, text  # noqa: F401  a fixture

PAPER = "ml-1m"


def test_the_first_page_draws_intervals_where_the_checkpoint_gives_them():
    at = healthy(opened(model="Universal"))
    [strip] = charts(at)
    assert strip.proto.id.endswith("intervals") and strip.proto.alt
    said = re.search(r"(\d+) of 224 hidden cells inside, 90\s% expected", text(at))
    assert 150 < int(said[1]) <= 224 and f"{100 * int(said[1]) / 224:.0f}" in text(at)
    run = shown_run(at)
    assert run["lower"] and run["upper"] and run["level"] == 0.9
    healthy(at.radio(key="model").set_value(PAPER).run())
    assert "MovieLens 1M gives no intervals; Universal does" in text(at) and "inside" not in text(at)
    assert not charts(at) and shown_run(at)["lower"] is None

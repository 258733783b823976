"""Intervals on the page Fill in, where the checkpoint gives them."""

import json
import re

from opened import charts, healthy, no_data_sets, opened, text  # noqa: F401  a fixture

PAPER = "ml-1m"


def test_the_first_page_draws_intervals_where_the_checkpoint_gives_them():
    at = healthy(opened(t=4, model="Universal"))
    drawn = {chart.proto.id.split("-")[-1]: json.loads(chart.proto.spec) for chart in charts(at)}
    assert {"widths", "intervals"} <= drawn.keys()
    said = re.search(r"(\d+) of 224 hidden cells inside, 90\s% expected", text(at))
    assert 150 < int(said[1]) <= 224 and f"{100 * int(said[1]) / 224:.0f}" in text(at)
    hover = [cell for row in drawn["filled"]["data"][1]["hovertext"] for cell in row]
    assert sum("90\u00a0% interval: " in cell for cell in hover) == 224 and sum("given" in cell for cell in hover) == 56
    healthy(at.slider(key="t").set_value(2).run())
    filled = next(chart for chart in charts(at) if chart.proto.id.endswith("-filled"))
    assert "interval" not in filled.proto.spec  # those of the last sweep are calibrated, no others
    healthy(at.radio(key="model").set_value(PAPER).run())
    assert "MovieLens 1M gives no intervals; Universal does" in text(at) and "inside" not in text(at)
    assert not any(chart.proto.id.endswith(("-widths", "-intervals")) for chart in charts(at))

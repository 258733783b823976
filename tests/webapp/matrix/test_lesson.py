"""The lesson on a step that is too long."""

import json
import re

import pytest
from opened import PAGES, charts, healthy, no_data_sets, opened, text  # noqa: F401  a fixture

from metamf.webapp.matrix import lesson
from metamf.webapp.matrix.state import AppState

PAPER = "ml-1m"


def test_the_lesson_is_one_click_away_and_out_of_the_way_elsewhere():
    at = healthy(opened(PAGES[1], keep=100))
    assert "fixed step" not in text(at)
    healthy(at.button(key="lesson").click().run())
    state = AppState.read(at.session_state.to_dict())
    assert (state.data, state.model, state.keep) == ("Full house", PAPER, AppState().keep)
    said = text(at)
    overflow = int(re.search(r"step (\d+) leaves no numbers at all", said)[1])
    assert "With the paper's fixed step the error goes from 1." in said and "times as long" in said
    drawn = {chart.proto.id.split("-")[-1]: json.loads(chart.proto.spec) for chart in charts(at)}
    assert {"fixed_step", "safe_step", "rules"} <= drawn.keys() and len(charts(at)) == 12
    assert drawn["rules"]["layout"]["yaxis"]["type"] == "log"
    assert at.slider(key="t").value == 10 and "no numbers are left" in said
    healthy(at.slider(key="t").set_value(overflow - 1).run())
    assert "no numbers are left" not in text(at)
    with pytest.raises(KeyError):
        at.button(key="lesson")
    healthy(at.switch_page(PAGES[0]).run())
    assert "the page Watch shows both rules" in text(at)
    healthy(at.radio(key="model").set_value("universal").run())
    assert "diverge" not in text(at)


def test_numbers_of_any_size_are_written_as_a_person_would():
    written = [lesson.written(value) for value in (1.234, 912.3, 7.31e45, 4e-49, 0.00142, 0.0111)]
    assert written == ["1.23", "912", "7 × 10⁴⁵", "4 × 10⁻⁴⁹", "0.0014", "0.011"]

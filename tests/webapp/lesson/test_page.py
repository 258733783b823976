"""The page of a step: the address, a presenter's keys, a prediction and its verdict."""

import pytest
from opened import healthy, no_data_sets, text  # noqa: F401  a fixture
from opened_lesson import lesson

from metamf.webapp.lesson.steps import LAST, STEPS


def test_next_and_back_write_the_step_into_the_address_and_a_link_opens_it():
    at = lesson()
    for _ in range(2):
        healthy(at.button(key="lesson-next").click().run())
    assert at.query_params["lesson"] in ("3", ["3"]) and STEPS[2].title in text(at)
    at.query_params["lesson_t"] = "7"  # as the player of a step writes it
    at.query_params["notes"] = "1"
    healthy(at.button(key="lesson-previous").click().run())
    assert STEPS[1].title in text(at)
    assert "lesson_t" not in at.query_params and "notes" in at.query_params
    assert STEPS[5].title in text(lesson(at, lesson=6))
    assert STEPS[5].title in text(lesson(at, lesson="nonsense"))


@pytest.mark.parametrize("key, shown", [("lesson-previous", 2), ("lesson-next", 4)])
def test_a_key_counts_where_the_browser_still_holds_the_step_before(key, shown):
    at = lesson(lesson=3)
    [control] = [group for group in at.get("button_group") if group.key == "lesson_step"]
    control.set_value(2)
    assert f"Step {shown} of {LAST}" in text(healthy(at.button(key=key).click().run()))


def test_a_prediction_is_judged_and_kept_while_one_looks_elsewhere():
    at = lesson(lesson=2)
    healthy(at.radio(key="predict-alone").set_value(0).run())
    healthy(at.button(key="lesson-reveal").click().run())
    assert "Not this time." in text(at) and at.radio(key="predict-alone").disabled
    at = lesson(lesson(at, lesson=3), lesson=2)
    assert "Not this time." in text(at) and at.radio(key="predict-alone").value == 0
    healthy(at.button(key="lesson-again").click().run())
    assert "Not this time." not in text(at) and at.radio(key="predict-alone").value is None

"""The step control: its buttons, its slider and its clock."""

import json

from opened import PAGES, charts, healthy, no_data_sets, opened, text  # noqa: F401  a fixture

from metamf.checkpoints.bundled import checkpoint_title

PAPER = "ml-1m"
MAP = checkpoint_title(PAPER)  # its name in the URL


def test_the_steps_move_by_buttons_and_change_what_is_drawn():
    at = healthy(opened(steps=10, model=MAP, t=5))
    assert at.slider(key="t").value == 5 and not at.session_state.playback.playing
    before = [chart.proto.spec for chart in charts(at)]
    healthy(at.button(key="forward").click().run())
    assert at.slider(key="t").value == 6
    after = [chart.proto.spec for chart in charts(at)]
    assert before[0] == after[0] and before[1] != after[1] and before[2] != after[2]
    healthy(at.button(key="back").click().run())
    healthy(at.button(key="back").click().run())
    assert at.slider(key="t").value == 4
    healthy(at.slider(key="t").set_value(0).run())
    assert at.button(key="back").disabled and not at.button(key="forward").disabled
    healthy(at.slider(key="t").set_value(10).run())
    assert at.button(key="forward").disabled


def test_a_click_counts_from_the_step_that_was_drawn_not_from_a_slider_that_is_behind():
    at = healthy(opened(steps=10, model=MAP, t=6))
    healthy(at.button(key="back").click().run())
    assert at.slider(key="t").value == 5
    at.slider(key="t").set_value(6)  # what a browser says that has not yet moved its slider
    healthy(at.button(key="back").click().run())
    assert at.slider(key="t").value == 4
    healthy(at.button(key="forward").click().run())
    assert at.slider(key="t").value == 5


def test_the_slider_may_go_back_at_once_to_the_step_that_a_click_left():
    at = healthy(opened(steps=10, model=MAP, t=6))
    healthy(at.button(key="back").click().run())
    healthy(at.slider(key="t").set_value(6).run())  # alone, so it is a visitor's hand and no echo
    assert at.slider(key="t").value == 6 and "after step 6 of 10" in text(at)


def test_play_starts_again_at_the_end_and_stops_at_a_touch():
    at = healthy(opened(t=9))
    healthy(at.button(key="forward").click().run())
    healthy(at.button(key="play").click().run())
    assert at.session_state.playback.playing and at.slider(key="t").value == 0
    healthy(at.slider(key="t").set_value(2).run())
    assert not at.session_state.playback.playing and at.slider(key="t").value == 2


def test_nothing_plays_before_the_picture_of_the_step_is_on_the_screen():
    at = healthy(opened(sweeps=2))
    for shown in (0, 1):
        healthy(at.run())  # whatever else the visitor does meanwhile
        assert at.slider(key="t").value == shown and f"after sweep {shown} of 2" in text(at)
        at.session_state.playback.seen(shown)  # what the browser reports
        healthy(at.run())
    assert at.slider(key="t").value == 2 and "after sweep 2 of 2" in text(at)
    assert not at.session_state.playback.playing


def test_the_clock_waits_for_a_figure_that_says_its_step():
    for page, picture in ((PAGES[0], "filled"), (PAGES[1], "now-UV")):
        at = healthy(opened(page, t=3))
        [drawn] = [chart.proto for chart in charts(at) if chart.proto.id.endswith(f"-{picture}")]
        assert json.loads(drawn.spec)["layout"]["meta"] == {"step": 3}
        [clock] = [element for element in at.get("bidi_component") if element.proto.component_name == "metamf_clock"]
        data = json.loads(clock.proto.json)
        assert data["picture"] == picture and data["step"] == 3


def test_the_step_stays_where_it_is_when_something_else_changes_and_the_end_stays_the_end():
    at = healthy(opened(t=3, model=checkpoint_title("universal")))
    healthy(at.number_input(key="seed").set_value(2).run())
    assert at.slider(key="t").value == 3 and "after sweep 3 of 4" in text(at)
    healthy(at.selectbox(key="data").select("Two tastes").run())
    assert at.slider(key="t").value == 3 and "Two tastes" in text(at)
    healthy(at.radio(key="model").set_value(PAPER).run())
    assert at.slider(key="t").value == 3 and at.slider(key="t").max == 10 and "after step 3 of 10" in text(at)
    healthy(at.slider(key="t").set_value(10).run())
    healthy(at.slider(key="steps").set_value(25).run())
    assert at.slider(key="t").value == 25 and "after step 25 of 25" in text(at)
    healthy(at.slider(key="t").set_value(20).run())
    healthy(at.slider(key="steps").set_value(5).run())
    assert at.slider(key="t").value == 5 and "after step 5 of 5" in text(at)


def test_pages_share_the_step():
    at = healthy(opened(t=3))
    healthy(at.switch_page(PAGES[1]).run())
    assert at.slider(key="t").value == 3 and "U(3)" in text(at)

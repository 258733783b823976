"""The page Lesson: its steps and their URL, and trips to other pages."""

import re
from dataclasses import fields

import pytest
from opened import charts, healthy, html, opened, players, text

from metamf.webapp.choices import AppState
from metamf.webapp.teach.lesson.steps import LAST, STEPS, TRAIN

pytestmark = pytest.mark.slow

PAGE = "pages/lesson.py"


def lesson(at=None, **query):
    """The page, opened, or gone on with by another link."""
    at = opened(PAGE) if at is None else at
    for name, value in query.items():
        at.query_params[name] = str(value)
    return healthy(at.run())


def chosen(at):
    """The choices of the sidebar in the session."""
    names = [field.name for field in fields(AppState) if field.name in at.session_state]
    return AppState.read({name: at.session_state[name] for name in names})


def tiles(at):
    """The names of the rows of the matrices drawn as tiles."""
    html = [element.proto.body for element in at.get("html") if "<figure" in element.proto.body]
    return [re.findall(r'--y:-?\d+">(\w+)</b>', one) for one in html]


@pytest.fixture(scope="module")
def visited():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("METAMF_DATA", "/nowhere")
        yield opened(PAGE)


@pytest.mark.parametrize("number", range(1, LAST + 1))
def test_each_step_asks_and_reveals(visited, number):
    step, at = STEPS[number - 1], lesson(visited, lesson=number)
    assert f"Step {number} of {LAST}" in text(at) and step.title in text(at)
    assert (players(at) or tiles(at)) and not charts(at)
    assert "The answer:" not in text(at)
    while "lesson-again" not in [button.key for button in at.button]:
        healthy(at.button(key="lesson-reveal").click().run())
    assert text(at).count("The answer:") == len(step.questions)


@pytest.mark.parametrize("step, trial", [(step, trial) for step in STEPS for trial in step.trials])
def test_a_trial_is_a_link_to_another_page_with_its_choices(visited, step, trial):
    at = lesson(visited, lesson=STEPS.index(step) + 1)
    assert trial.do in text(at)
    if trial.page == TRAIN:
        assert "train" in [link.proto.page for link in at.get("page_link")]
        return
    healthy(at.button(key=f"lesson-try-{step.trials.index(trial)}").click().run())
    assert not at.warning  # a widget with two values
    shown = chosen(at)
    for name in ("data", "keep", "by", "seed", "model", "steps"):
        assert getattr(shown, name) == getattr(trial.asked, name), name
    for name, value in trial.query.items():
        assert at.query_params[name] in (value, [value])


def test_a_link_leaves_no_earlier_choice_of_the_visitor_behind():
    at = opened("pages/inside.py", race_eta=10, keep=35, model="Trained on jokes")
    at = lesson(at.switch_page(PAGE).run(), lesson=4)
    at.session_state["race_eta"] = 10.0
    healthy(at.button(key="lesson-try-0").click().run())
    assert at.select_slider(key="race_eta").value == 1
    assert chosen(at).keep == 30


@pytest.mark.parametrize("key, shown", [("lesson-previous", 2), ("lesson-next", 4)])
def test_a_key_counts_where_the_browser_still_holds_the_step_before(key, shown):
    at = lesson(lesson=3)
    at.button_group(key="lesson_step").set_value(2)
    assert f"Step {shown} of {LAST}" in text(healthy(at.button(key=key).click().run()))


def test_notes_take_the_place_of_picture_and_question_in_a_window_of_their_own():
    at = lesson(lesson=2)
    assert all(note not in text(at) for note in STEPS[1].notes)
    at = lesson(lesson(lesson=2), lesson=2, notes=1)
    assert all(note in text(at) for note in STEPS[1].notes)
    assert not players(at) and not any(radio.key.startswith("predict-") for radio in at.radio)


def test_a_prediction_is_judged_and_kept_on_the_other_steps():
    def marked():
        """The marks of the options once the answer is shown."""
        return re.findall(r'<li class="([^"]*)">', html(at))

    at = lesson(lesson=2)
    healthy(at.radio(key="predict-2").set_value(0).run())
    healthy(at.button(key="lesson-reveal").click().run())
    shown = marked()
    assert "Not this time." in text(at)
    assert shown[0] == "chosen" and sorted(shown) == ["", "chosen", "right"]
    at = lesson(lesson(at, lesson=3), lesson=2)
    assert "Not this time." in text(at) and marked() == shown
    healthy(at.button(key="lesson-again").click().run())
    assert "Not this time." not in text(at) and at.radio(key="predict-2").value is None


def test_pictures_hold_back_the_answer():
    at = lesson(lesson=1)
    [player] = players(at)
    asked = player["run"]["mark"]
    assert asked["text"] == "?"
    row, col = player["run"]["rows"][asked["row"]], player["run"]["cols"][asked["col"]]
    assert f"What would {row} give to “{col}”?" in text(at)
    healthy(at.button(key="lesson-reveal").click().run())
    [player] = players(at)
    assert player["run"]["mark"] == asked | {"text": text(at).split("The answer: ")[1][0]}
    at = lesson(lesson=2)
    [player] = players(at)
    assert player["run"]["errors"]["hidden"] is None and not player["run"]["levels"]
    healthy(at.button(key="lesson-reveal").click().run())
    [player] = players(at)
    assert player["run"]["errors"]["hidden"] and player["run"]["levels"][0]["name"] == "the mean"
    at = lesson(lesson=5)
    assert players(at)[0]["options"]["start"]  # at step 0, until the answer is asked for
    healthy(at.button(key="lesson-reveal").click().run())
    assert not players(at)[0]["options"]["start"]


def test_the_names_are_shuffled_before_the_class_and_snap_back():
    at = lesson(lesson=3)
    [order] = tiles(at)
    healthy(at.button(key="lesson-shuffle").click().run())
    [shuffled] = tiles(at)
    assert shuffled != order and sorted(shuffled) == sorted(order)
    healthy(at.button(key="lesson-reveal").click().run())
    assert tiles(at) == [order, order]
    assert "The model: no estimate changes" in text(at)
    assert re.search(r"MF: [1-9]\d* of \d+ estimates change", text(at))


def test_ten_minutes_are_three_steps_and_the_way_to_a_room():
    at = lesson(**{"class": 10, "lesson": 1})
    seen = []
    for place in (1, 2, 3):
        assert f"Step {place} of 3" in text(at)
        seen.append(at.query_params["lesson"])
        if place < 3:
            healthy(at.button(key="lesson-next").click().run())
    assert at.button(key="lesson-next").disabled
    assert [int(step[0]) for step in seen] == [1, 6, 4]
    assert "Now you: a room" in [link.proto.label for link in at.get("page_link")]


def test_each_step_is_one_click_away_on_the_page_teach():
    links = [link.proto for link in healthy(opened("pages/teach.py")).get("page_link")]
    titles = {link.query_string: link.label for link in links if link.page == "lesson"}
    for number, step in enumerate(STEPS, 1):
        assert step.title in titles[f"lesson={number}"]

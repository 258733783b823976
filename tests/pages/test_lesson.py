"""The page Lesson: its steps, what it opens, and the game of ten cells."""

from dataclasses import fields

import pytest
from opened import charts, healthy, no_data_sets, opened, players, text  # noqa: F401  a fixture
from opened_lesson import PAGE, lesson

from metamf.webapp.lesson.steps import LAST, STEPS
from metamf.webapp.matrix.choices import AppState


def chosen(at):
    """The choices of the sidebar, as the session holds them."""
    names = [field.name for field in fields(AppState) if field.name in at.session_state]
    return AppState.read({name: at.session_state[name] for name in names})


@pytest.fixture(scope="module")
def visited():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("METAMF_DATA", "/nowhere")
        yield opened(PAGE)


@pytest.mark.parametrize("number", range(1, LAST + 1))
def test_each_step_asks_and_reveals(visited, number):
    step, at = STEPS[number - 1], lesson(visited, lesson=number)
    said = text(at)
    assert f"Step {number} of {LAST}" in said and step.title in said
    assert players(at) and not charts(at)  # the app's own picture
    assert "The answer:" not in said
    healthy(at.button(key="lesson-reveal").click().run())
    assert "The answer:" in text(at) and (charts(at) or players(at))


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.key)
def test_what_is_to_be_tried_is_there_and_leads_back(visited, step):
    at = lesson(visited, lesson=STEPS.index(step) + 1)
    before = chosen(at)
    healthy(at.button(key="lesson-try").click().run())
    assert not at.warning  # a widget with two values
    shown = chosen(at)
    wanted = step.trial.asked
    for name in ("data", "keep", "by", "seed", "model", "steps"):
        assert getattr(shown, name) == getattr(wanted, name), name
    assert step.trial.label in text(at) and step.trial.do in text(at)
    for name, value in step.trial.query.items():
        assert at.query_params[name] in (value, [value])
    healthy(at.button(key="lesson-back").click().run())
    assert step.title in text(at)
    assert chosen(at) == before


def test_speakers_notes_are_shown_on_demand():
    at = lesson(lesson=4)
    assert STEPS[3].notes[0] not in text(at)
    assert STEPS[3].notes[0] in text(lesson(at, notes=1))
    healthy(at.toggle(key="lesson_notes").set_value(False).run())
    assert STEPS[3].notes[0] not in text(at) and "notes" not in at.query_params
    healthy(at.toggle(key="lesson_notes").set_value(True).run())
    healthy(at.button(key="lesson-next").click().run())
    assert STEPS[4].notes[0] in text(at)


def test_ten_cells_are_guessed_and_scored_on_any_matrix():
    at = lesson(cells=5)
    for number in range(1, 11):
        assert f"Cell {number} of 10" in text(at)
        healthy(at.radio(key=f"cells-guess-1-{number - 1}").set_value(4.0).run())
        healthy(at.button(key="cells-reveal").click().run())
        assert "The true rating:" in text(at)
        healthy(at.button(key="cells-next").click().run())
    assert "On 10 cells," in text(at) and "always the mean" in text(at)
    healthy(at.selectbox(key="data").set_value("Jokes").run())
    assert "Cell 1 of 10" in text(at) and len(at.slider) > 1  # a continuous scale


def test_a_guess_is_not_taken_over_into_a_game_on_other_given_cells():
    def guess():
        return next(radio for radio in at.radio if radio.label == "Your guess")

    at = lesson(cells=5)
    healthy(guess().set_value(4.0).run())
    healthy(at.slider(key="keep").set_value(30).run())
    assert guess().value is None and at.button(key="cells-reveal").disabled


def test_an_address_that_names_no_cells_opens_the_lesson():
    assert STEPS[0].title in text(lesson(cells="x"))


def test_the_lesson_leads_to_the_ten_cells_and_they_lead_back_to_its_step():
    at = lesson(lesson=7)
    healthy(at.button(key="lesson-cells").click().run())
    assert "Cell 1 of 10" in text(at) and at.query_params["cells"] == "1" and "lesson" not in at.query_params
    healthy(at.button(key="cells-back").click().run())
    assert STEPS[6].title in text(at) and at.query_params["lesson"] == "7" and "cells" not in at.query_params


def test_without_hidden_cells_there_is_nothing_to_guess():
    at = lesson(opened(PAGE, data="Your own grid", keep=100), cells=1)
    assert "No rated cell is hidden" in text(at) and "Cell 1" not in text(at)

"""The section on starts: what it says and draws, and how the example of a long step begins and ends."""

import re

import numpy as np
import pytest
from addresses import arrived
from opened import charts, healthy, no_data_sets, opened, text  # noqa: F401  a fixture
from tasks_of_tests import made_up_matrix

from metamf.tasks.run import run
from metamf.tasks.starts import race
from metamf.tasks.task import divide
from metamf.webapp.inside import race_words
from metamf.webapp.matrix import sources
from metamf.webapp.matrix.choices import AppState

PAGE = "pages/inside.py"


@pytest.fixture(scope="module")
def example():
    return run(divide(made_up_matrix(), 0.5, "at random", 1), "ml-1m", 10)


def raw(at):
    return " ".join(element.proto.body for element in at.get("html") if "mf-note" in element.proto.body)


def named(at):
    return [chart.proto.id.split("-")[-1] for chart in charts(at)]


def test_the_page_opens_with_the_race_and_its_answer():
    at = healthy(opened(PAGE))
    said = text(at)
    assert named(at) == ["race", "lengths"] and all(chart.proto.alt for chart in charts(at))
    assert re.search(
        r"After 10 steps, the smallest error on the 224 hidden cells is that of the learned prior: \d", said
    )
    assert "saddle point" in said and "T = 10 steps" in said and "error on the hidden cells per step" in said.lower()


def test_a_longer_step_breaks_and_the_way_back_is_one_click():
    at = opened(PAGE)
    at = healthy(at.button(key="try Make the step 30 times as long").click().run())
    assert at.select_slider(key="race_eta").value == 30
    assert "The steps are too long" in text(at) and "leaves no numbers at all" in text(at)
    at = healthy(at.toggle(key="race_safe").set_value(True).run())
    assert "The steps are too long" not in text(at) and "Safe steps: row n moves" in text(at)
    at = healthy(at.button(key="race_back").click().run())
    assert at.select_slider(key="race_eta").value == 1 and not at.toggle(key="race_safe").value
    assert "The steps are too long" not in text(at)


def test_the_address_holds_the_race():
    at = healthy(
        opened(PAGE, experiment="A race of starts", race_eta="10", race_lambda="0", race_seed="7", race_safe="true")
    )
    assert (at.select_slider(key="race_eta").value, at.select_slider(key="race_lambda").value) == (10, 0)
    assert at.number_input(key="race_seed").value == 7 and at.toggle(key="race_safe").value
    assert "The link asks for something" not in text(at)
    hostile = healthy(
        arrived("inside", dict(experiment="<b>", race_eta="NaN", race_lambda="-1", race_seed="x", race_safe="maybe"))
    )
    assert hostile.select_slider(key="race_eta").value == 1 and named(hostile) == ["race", "lengths"]
    assert 'race_eta "NaN" (1 is shown instead)' in text(hostile) and "<b>" not in raw(hostile)
    assert "The link asks for" not in text(healthy(hostile.select_slider(key="race_eta").set_value(3.0).run()))


def test_a_link_to_a_section_of_the_paper_asks_nothing_of_this_page():
    at = healthy(opened(PAGE, section="Figure 5"))
    assert "The link asks for something" not in text(at) and named(at)[0] == "race"


def test_the_lesson_has_a_way_back_to_what_was_on_the_screen():
    at = healthy(opened(PAGE, keep=70, seed=3, data="Two tastes", model="MovieLens 100K", race_eta=3))
    healthy(at.button(key="too_long").click().run())
    state = AppState.read(at.session_state.to_dict())
    assert (state.data, state.model, state.keep, state.steps) == ("Full house", "ml-1m", AppState().keep, 10)
    assert "In step 1, η = 0.011 is" in text(at) and "leaves no numbers at all" in text(at)
    assert "With safe steps the error on the hidden cells goes to 0." in text(at)
    assert "of random numbers (3 starts on average): these ratings need no prior" in text(at)
    with pytest.raises(KeyError):
        at.button(key="too_long")
    healthy(at.button(key="too_long_back").click().run())
    state = AppState.read(at.session_state.to_dict())
    assert (state.data, state.model, state.keep, state.seed) == ("Two tastes", "ml-100k", 70, 3)
    assert at.select_slider(key="race_eta").value == 3 and at.button(key="too_long")
    with pytest.raises(KeyError):
        at.button(key="too_long_back")


def test_the_universal_model_races_with_the_paper_s_steps():
    at = healthy(opened(PAGE, model="Universal"))
    assert "makes sweeps, which have no step size" in text(at) and "MovieLens 1M" in text(at) and len(charts(at)) == 2


def test_without_hidden_cells_nobody_wins():
    at = opened(PAGE, data="Your own grid", keep=100)
    assert "No rating is hidden" in text(healthy(at)) and named(at) == ["lengths"]


@pytest.mark.parametrize("name, beyond_chance", [("Almost empty", True), ("Film club", False)])
def test_a_winner_is_called_beyond_chance_only_where_it_is(name, beyond_chance):
    found = race(run(divide(sources.example(name), 0.5, "at random", 1), "ml-1m", 10))
    said = race_words.verdict(found)
    assert said.startswith("After 10 steps, the smallest error on") and "is that of the learned prior" in said
    assert ("That is more than chance explains." in said) == beyond_chance == found.lead.ahead
    assert ("Chance alone may explain that." in said) != beyond_chance


def test_the_words_name_the_step_that_overshoots(example):
    broken = race(example, step_size=0.4)
    assert f"is {0.4 / broken.longest[0]:.1f} times the longest step" in race_words.why(broken)
    end = int(np.flatnonzero(np.isfinite(broken.learned.given[0]))[-1])
    assert f"step {end + 1} leaves no numbers at all" in race_words.verdict(broken)
    assert "learned prior without numbers" in race_words.alt_of_curves(broken)

"""The race of starts: its verdict, its controls, and the example of a step that is too long."""

import re

import numpy as np
import pytest
from opened import charts, healthy, no_data_sets, opened, text  # noqa: F401  a fixture

from metamf.evaluate.run import run
from metamf.evaluate.task import divide
from metamf.webapp.inside.race import alt_of_curves, race, verdict, why
from metamf.webapp.matrix import choices

PAGE = "pages/inside.py"


def named(at):
    return [chart.proto.id.split("-")[-1] for chart in charts(at)]


@pytest.mark.parametrize("name, beyond_chance", [("Film club", True), ("Hot or mild", False)])
def test_a_lead_counts_only_beyond_chance(name, beyond_chance):
    found = race(run(divide(choices.example(name), 0.5, "at random", 1), "ml-1m", 10))
    said = verdict(found)
    assert said.startswith("After 10 steps, the learned prior has the smallest error on")
    assert ("This is more than chance explains." in said) == beyond_chance == found.lead.ahead
    assert ("may be due to chance." in said) != beyond_chance


def test_the_step_that_overshoots_is_named():
    broken = race(run(divide(choices.example("Film club"), 0.5, "at random", 1), "ml-1m", 10), step_size=0.4)
    assert f"is {0.4 / broken.longest[0]:.1f} times the longest step" in why(broken)
    end = int(np.flatnonzero(np.isfinite(broken.learned.given[0]))[-1])
    assert f"step {end + 1} overflows" in verdict(broken)
    assert "learned prior diverged" in alt_of_curves(broken)


def test_the_page_opens_with_the_race_and_its_answer():
    at = healthy(opened(PAGE, data="Film club"))
    assert named(at) == ["race", "lengths"] and all(chart.proto.alt for chart in charts(at))
    assert re.search(r"After 10 steps, the learned prior has the smallest error on the 224 hidden cells, \d", text(at))
    assert "saddle point" in text(at) and "T = 10 steps" in text(at)


def test_a_longer_step_diverges_and_one_click_leads_back():
    at = opened(PAGE, data="Film club")
    at = healthy(at.button(key="try Make the step 100 times as long").click().run())
    assert at.select_slider(key="race_eta").value == 100
    assert "The steps are too long" in text(at) and "overflows" in text(at)
    at = healthy(at.toggle(key="race_safe").set_value(True).run())
    assert "The steps are too long" not in text(at) and "A safe step for row n" in text(at)
    at = healthy(at.button(key="race_back").click().run())
    assert at.select_slider(key="race_eta").value == 1 and not at.toggle(key="race_safe").value
    assert "The steps are too long" not in text(at)


def test_the_universal_model_races_with_the_paper_s_steps():
    at = healthy(opened(PAGE, model="Universal", section="Figure 5"))  # of another page, which is ignored
    assert "makes sweeps, which have no step size" in text(at) and "MovieLens 1M" in text(at) and len(charts(at)) == 2
    assert "This link uses" not in text(at)


def test_without_hidden_cells_nobody_wins():
    at = opened(PAGE, data="Your own grid", keep=100)
    assert "No rating is hidden" in text(healthy(at)) and named(at) == ["lengths"]

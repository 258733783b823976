"""The section on starts: what it says and draws, and its address."""

import re

from addresses import arrived
from opened import charts, healthy, no_data_sets, opened, text  # noqa: F401  a fixture

PAGE = "pages/inside.py"


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


def test_the_universal_model_races_with_the_paper_s_steps():
    at = healthy(opened(PAGE, model="Universal"))
    assert "makes sweeps, which have no step size" in text(at) and "MovieLens 1M" in text(at) and len(charts(at)) == 2


def test_without_hidden_cells_nobody_wins():
    at = opened(PAGE, data="Your own grid", keep=100)
    assert "No rating is hidden" in text(healthy(at)) and named(at) == ["lengths"]

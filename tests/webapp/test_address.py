"""Links: every control comes back from the URL, and what no control takes changes nothing."""

import re

import pytest
from addresses import address, after, arrived, changed, controls, sent
from opened import healthy, no_data_sets, shown_run, text  # noqa: F401  a fixture

from metamf import datasets
from metamf.webapp.explore.choices import GRID
from metamf.webapp.inside.symmetry import OTHER, PASTED

pytestmark = pytest.mark.slow

SMALL = {"data": GRID, "keep": "60"}  # five rows and four columns: quick
SHARED = SMALL | {"experiment": "No shared rows or columns"}
NETWORK = SMALL | {"experiment": "Inside the network"}
ALONE = SMALL | {"experiment": "MF alone"}
SIDEBAR = ["data", "keep", "by", "seed", "model", "steps", "lecture"]
# A page, the URL that opens it, the controls that are changed there, all at once, and to what, where that matters.
SCENES = [
    ("", {}, [*SIDEBAR, "factors"], {"data": "Jokes", "model": "Trained on jokes"}),
    ("compare", SMALL | {"model": "Universal"}, ["sweeps"], {}),
    ("compare", SMALL, ["methods", "maps", "map_methods"], {"methods": "Average of all ratings"}),
    ("inside", SMALL | {"model": "ml-1m"}, ["race_eta", "race_lambda", "race_safe", "race_seed"], {}),
    ("inside", SHARED, ["change", "shuffle"], {"change": "Halve"}),
    ("inside", SHARED | {"change": OTHER}, ["other"], {"other": "Jokes"}),
    ("inside", SHARED | {"change": OTHER, "other": PASTED}, ["pasted"], {"pasted": "a\tb\n5\t\n2\t1\n\t3\n"}),
    ("inside", ALONE, ["mf", "mf_start", "mf_seed"], {}),
    ("inside", ALONE | {"mf": "mine"}, ["mf_rank", "mf_penalty"], {}),
    ("inside", NETWORK, ["stage", "channel", "cell_row", "cell_col"], {}),
    ("train", {}, ["learn_from", "rate", "weights"], {}),
    ("lesson", {"lesson": "2"}, ["lesson_step"], {"lesson_step": "4"}),
]


@pytest.mark.parametrize("page, query, keys, wanted", SCENES, ids=lambda part: part if isinstance(part, str) else "")
def test_what_a_visitor_has_chosen_comes_back_from_the_url(page, query, keys, wanted, monkeypatch):
    if page == "train":
        monkeypatch.setattr(datasets, "available", lambda name: True)  # there is something to choose from
    at = arrived(page, query)
    there = controls(at)
    before = {key: sent(there[key]) for key in keys}
    at = after(at, {key: changed(there[key], wanted.get(key)) for key in keys})
    shown = {key: sent(control) for key, control in controls(at).items()}
    assert [key for key in keys if shown[key] == before[key]] == []  # that could not be changed
    again = arrived(page, address(at))
    assert {key: sent(control) for key, control in controls(again).items()} == shown


def test_the_matrix_that_was_typed_comes_back():
    at = arrived("", {"data": GRID})
    at.session_state.grid_desk.take([["", "Tea & Co", "Ümit?"], ["Ada_~!t", "5", ""], ["Ben", "2.5", "-1"]])
    healthy(at.run())
    link = address(at)
    assert link["grid"] == "Tea & Co_Ümit?~Ada!l!t!ut_5_~Ben_2.5_-1"
    again = arrived("", link)
    assert again.session_state.grid_desk.sheet == at.session_state.grid_desk.sheet
    assert list(shown_run(again)["cols"]) == ["Tea & Co", "Ümit?"]
    healthy(again.selectbox(key="data").set_value("Old and new").run())
    assert "grid" not in again.query_params
    lost = arrived("", {"data": GRID, "grid": "a_b~<img src=x>_5"})
    assert "The link holds a grid that cannot be read" in str(
        [mount.proto.json for mount in lost.get("bidi_component")]
    )


def test_predictions_and_guesses_come_back():
    at = arrived("lesson", {"lesson": "2"})
    healthy(at.radio(key="predict-2").set_value(1).run())
    healthy(at.button(key="lesson-reveal").click().run())
    again = arrived("lesson", address(at))
    html = "".join(element.proto.body for element in again.get("html"))
    assert len(re.findall('<li class="(?:right )?chosen">', html)) == 1 and "The answer:" in text(again)
    at = arrived("lesson", {"cells": "5"})
    for number in range(2):
        healthy(at.radio(key=f"cells-guess-1-{number}").set_value(4.0).run())
        healthy(at.button(key="cells-reveal").click().run())
        if not number:
            healthy(at.button(key="cells-next").click().run())
    link = address(at)
    assert link["guessed"] == "4_4!"
    again = arrived("lesson", link)
    assert "Cell 2 of" in text(again) and "The true rating:" in text(again)
    assert again.radio(key="cells-guess-1-1").value == 4.0


HOSTILE = {  # what no control takes, and a page that has many
    "999999999": "",
    "-1": "compare",
    "nan": "inside",
    "1e999": "train",
    "<script>alert(1)</script>": "results",
    "²\x00": "lesson",
    "x" * 3000: "compare",
}


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: repr(value[:9]))
def test_a_hostile_link_falls_back(value):
    page, query = HOSTILE[value], {"inside": {"experiment": "MF alone", "mf": "mine"}}.get(HOSTILE[value], {})
    names = [key for _, _, keys, _ in SCENES for key in keys] + ["predicted", "revealed", "grid", "edits", "t", "cell"]
    at = arrived(page, dict.fromkeys(names, value) | query)
    assert at.session_state["data"] == "Film night" and at.session_state["keep"] in range(5, 101)
    assert "<script>" not in "".join(element.proto.body for element in at.get("html"))


def test_a_link_of_an_older_or_a_short_form_is_written_as_it_is_today():
    at = arrived("", {"model": "jester", "lecture": "yes"})
    assert address(at)["model"] == ["Trained on jokes"] and at.toggle(key="lecture").value
    assert at.query_params["model"] == "Trained on jokes"  # a browser keeps it, and a reload opens it again

"""The address is the state: every control of every page comes back from it, and what it cannot say is said."""

import re

import pytest
from addresses import address, after, arrived, changed, controls, sent
from opened import healthy, no_data_sets, players, shown_run, text  # noqa: F401  a fixture

from metamf import datasets
from metamf.webapp import address as of_app
from metamf.webapp.inside.symmetry import OTHER, PASTED
from metamf.webapp.matrix.choices import GRID

SMALL = {"data": GRID, "keep": "60"}  # five rows and four columns: quick
SHARED = {"experiment": "No shared rows or columns"}
# A page, the address by which it is opened, the controls that are changed there (all at once; None: all of them), and
# to what, where that matters.
SCENES = {
    "the sidebar": ("", {}, None, {"data": "Jokes", "model": "Jester"}),
    "sweeps": ("watch", SMALL | {"model": "Universal"}, ["sweeps"], {}),
    "methods": ("compare", SMALL, ["methods", "mf", "mf_start", "mf_seed"], {"methods": "Mean"}),
    "maps": ("compare", SMALL | {"mf": "mine"}, ["maps", "map_methods", "mf_rank", "mf_penalty"], {}),
    "the race": ("inside", SMALL, ["race_eta", "race_lambda", "race_safe", "race_seed"], {}),
    "a change": ("inside", SMALL | SHARED, ["change", "shuffle"], {"change": "Halve"}),
    "another matrix": ("inside", SMALL | SHARED | {"change": OTHER}, ["other"], {"other": "Jokes"}),
    "pasted cells": (
        "inside",
        SMALL | SHARED | {"change": OTHER, "other": PASTED},
        ["pasted"],
        {"pasted": "a\tb\n5\t\n2\t1\n\t3\n"},
    ),
    "the network": (
        "inside",
        SMALL | {"experiment": "Inside the network"},
        ["stage", "channel", "cell_row", "cell_col"],
        {},
    ),
    "a training": ("train", {}, ["learn_from", "rate", "weights"], {}),
    "a step": ("lesson", {"lesson": "2"}, ["lesson_step", "lesson_notes"], {"lesson_step": "4"}),
    "the paper": ("paper", {}, ["scale", "on", "preset", "section"], {"section": "Table 5"}),
}
# Controls that no address holds, as patterns of their keys, each with the reason.
WITHOUT = {
    r"table_.*": "settings: with a file in tests/webapp/your_table/test_settings.py; all others are about the file",
    r"file_.*": "about a file that a visitor has brought",
    r"room_.*": "of a room",
    r"top|left": "tested with a large file in tests/webapp/matrix/test_sources.py: no example is as large",
    r"rate_now": "of a training that runs, which lives as long as the visit",
    r"predict-.*": "a test of its own below: a prediction belongs to a step",
    r"cells-guess-.*": "a test of its own below: a guess counts when it is revealed",
}
# What is drawn in the browser, by the name of the component, and where its address is tested.
COMPONENTS = {
    "metamf_player": "tests/webapp/player/js/linked.test.mjs, tests/webapp/matrix/test_what_if.py, browser/test_app.py",
    "metamf_sheet": "below",
    "metamf_corner": "the toggle of lecture mode in the sidebar is the same switch",
    "metamf_glossary": "it holds nothing",
    "metamf_training": "of a training that runs",
}
NOTE = "This link uses settings that are not available here"


def without(key):
    return any(re.fullmatch(pattern, key) for pattern in WITHOUT)


@pytest.mark.parametrize("scene", SCENES)
def test_what_a_visitor_has_chosen_comes_back_from_the_address(scene, monkeypatch):
    page, query, keys, wanted = SCENES[scene]
    if page == "train":
        monkeypatch.setattr(datasets, "available", lambda name: True)  # there is something to choose from
    at = arrived(page, query)
    assert ("press Play" in text(at)) == (page in ("", "watch")) and ("press Play" not in text(at) or players(at))
    there = controls(at)
    keys = [key for key in there if not without(key)] if keys is None else keys
    states = {key: changed(there[key], wanted.get(key)) for key in keys}
    before = {key: sent(there[key]) for key in keys}
    at = after(at, states)
    shown = {key: sent(control) for key, control in controls(at).items()}
    assert [key for key in keys if shown[key] == before[key]] == []  # that could not be changed
    again = arrived(page, address(at))
    assert {key: sent(control) for key, control in controls(again).items()} == shown
    assert NOTE not in text(again)
    assert [key for key in there if key not in known() and not without(key)] == []
    drawn = {mount.proto.component_name for mount in at.get("bidi_component")}
    assert drawn <= COMPONENTS.keys()


def known():
    """The controls that some scene changes, by hand or by the address; the first one changes all that it has."""
    sidebar = {"data", "keep", "by", "seed", "model", "steps", "lecture"}
    return sidebar.union(*([*(keys or ()), *query] for _, query, keys, _ in SCENES.values()))


def test_the_matrix_that_was_typed_comes_back():
    names = {"rows": ["Ada_~!t", "Ben"], "cols": ["Tea & Co", "Ümit?"]}
    at = arrived("", {"data": GRID})
    at.session_state.grid_desk.take(names | {"cells": [["5", ""], ["2.5", "-1"]]})
    healthy(at.run())
    link = address(at)
    assert link["grid"] == "Tea & Co_Ümit?~Ada!l!t!ut_5_~Ben_2.5_-1"
    again = arrived("", link)
    assert again.session_state.grid_desk.sheet == at.session_state.grid_desk.sheet
    assert list(shown_run(again)["cols"]) == ["Tea & Co", "Ümit?"]
    healthy(again.selectbox(key="data").set_value("Film club").run())
    assert "grid" not in again.query_params
    lost = arrived("", {"data": GRID, "grid": "a_b~<img src=x>_5"})
    assert "The link holds a grid that cannot be read" in str(
        [mount.proto.json for mount in lost.get("bidi_component")]
    )


def test_what_was_predicted_and_guessed_comes_back():
    at = arrived("lesson", {"lesson": "2"})
    healthy(at.radio(key="predict-alone").set_value(1).run())
    healthy(at.button(key="lesson-reveal").click().run())
    again = arrived("lesson", address(at))
    assert again.radio(key="predict-alone").value == 1 and "The answer:" in text(again)
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
    "<script>alert(1)</script>": "paper",
    "²\x00": "lesson",
    "x" * 3000: "watch",
}


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: repr(value[:9]))
def test_a_hostile_link_falls_back_and_a_note_tells_so(value):
    page, query = HOSTILE[value], {"compare": {"mf": "mine"}}.get(HOSTILE[value], {})
    names = [*of_app._texts, "keep", "seed", "lecture", "predicted", "revealed", "grid", "edits", "t", "cell"]
    at = arrived(page, dict.fromkeys(names, value) | query)
    assert at.session_state["data"] == "Film club" and at.session_state["keep"] in range(5, 101)
    assert f"{NOTE}: " in text(at) and "keep" in text(at).split("not available here")[1]
    assert "<script>" not in "".join(element.proto.body for element in at.get("html"))


def test_the_note_goes_when_the_visitor_changes_what_it_is_about():
    at = arrived("inside", dict(experiment="<b>", race_eta="NaN", race_lambda="-1", race_safe="maybe", race_seed="7"))
    assert 'race_eta "NaN"' in text(at) and "race_seed" not in text(at).split(NOTE)[1]
    assert NOTE not in text(healthy(at.select_slider(key="race_eta").set_value(3.0).run()))


def test_a_link_of_an_older_or_a_short_form_is_written_as_it_is_today():
    at = arrived("", {"model": "jester", "lecture": "yes"})
    assert address(at)["model"] == ["Jester"] and at.toggle(key="lecture").value
    assert at.query_params["model"] == "Jester"  # a browser keeps it, and a reload opens it again
    assert NOTE not in text(at)


def test_a_sentence_names_each_misfit_once_and_not_all_of_many():
    found = {"keep": ["50"], "by": ["at random"], "maps": ["Mean", "MF"], "race_safe": ["false"]}
    same = {"keep": ["50.0"], "by": ["AT RANDOM"], "maps": ["MF", "Mean"], "race_safe": ["False"]}
    assert of_app.misfits(same, found) == ""
    sentence = of_app.misfits({"keep": ["51"], "maps": ["MF", "x"]}, found)
    assert sentence == f'{NOTE}: keep "51" and maps "MF", "x". Other values are shown instead.'
    many = {f"p{k}": ["1" * 500] * 90 for k in range(20)}
    assert len(of_app.misfits(many, dict.fromkeys(many, ["2"]))) < 2000

"""Links: every control comes back from the URL, and what no control takes changes nothing."""

import pytest
from addresses import address, after, arrived, changed, controls, sent
from opened import no_data_sets  # noqa: F401  a fixture

from metamf import datasets
from metamf.webapp.inside.symmetry import OTHER

pytestmark = pytest.mark.slow

SMALL = {"keep": "60"}
SHARED = SMALL | {"experiment": "No shared rows or columns"}
NETWORK = SMALL | {"experiment": "Inside the network"}
SIDEBAR = ["data", "keep", "by", "seed", "model", "steps"]
# A page, the URL that opens it, the controls that are changed there, all at once, and to what,
# where that matters.
SCENES = [
    ("", {}, [*SIDEBAR, "factors"], {"data": "Jokes", "model": "Trained on jokes"}),
    ("compare", SMALL | {"model": "Universal"}, ["sweeps"], {}),
    ("compare", SMALL, ["all", "maps"], {}),
    (
        "inside",
        SMALL | {"model": "Trained on films"},
        ["race_eta", "race_lambda", "race_safe"],
        {},
    ),
    ("inside", SMALL, ["race_trained", "race_safe_trained"], {}),
    ("inside", SHARED, ["change", "shuffle"], {"change": "Halve"}),
    ("inside", SHARED | {"change": OTHER}, ["other"], {"other": "Hot or mild"}),
    ("inside", NETWORK, ["stage", "channel", "cell_row", "cell_col"], {}),
    ("train", {}, ["learn_from", "rate", "weights"], {}),
    ("lesson", {"lesson": "2"}, ["lesson_step"], {"lesson_step": "4"}),
]


@pytest.mark.parametrize(
    "page, query, keys, wanted", SCENES, ids=lambda part: part if isinstance(part, str) else ""
)
def test_what_a_visitor_has_chosen_comes_back_from_the_url(page, query, keys, wanted, monkeypatch):
    if page == "train":
        monkeypatch.setattr(
            datasets, "available", lambda name: True
        )  # there is something to choose from
    at = arrived(page, query)
    there = controls(at)
    before = {key: sent(there[key]) for key in keys}
    at = after(at, {key: changed(there[key], wanted.get(key)) for key in keys})
    shown = {key: sent(control) for key, control in controls(at).items()}
    assert [key for key in keys if shown[key] == before[key]] == []  # that could not be changed
    again = arrived(page, address(at))
    assert {key: sent(control) for key, control in controls(again).items()} == shown


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
    page = HOSTILE[value]
    names = [key for _, _, keys, _ in SCENES for key in keys] + ["edits", "t", "cell"]
    at = arrived(page, dict.fromkeys(names, value))
    if page in ("", "compare", "inside"):  # which have the sidebar
        assert at.session_state["data"] == "Film night"
        assert at.session_state["keep"] in range(5, 101)
    assert "<script>" not in "".join(element.proto.body for element in at.get("html"))


def test_lecture_mode_is_asked_for_by_any_word_for_yes():
    assert arrived("", {"lecture": "yes"}).session_state["lecture"]

"""The sidebar: its fields follow the checkpoint that is chosen."""

from html import unescape

import pytest
from opened import PAGES, healthy, no_data_sets, opened, shown_run, text  # noqa: F401  a fixture


def test_the_rounds_are_called_what_they_are():
    at = healthy(opened())
    assert shown_run(at)["round"] == "step"
    assert at.slider(key="steps").label == "MAP steps T"
    with pytest.raises(KeyError):
        at.slider(key="sweeps")
    healthy(at.radio(key="model").set_value("universal").run())
    assert shown_run(at)["round"] == "sweep"
    assert at.slider(key="sweeps").label == "Sweeps T"
    said = unescape(" ".join(caption for caption in at.radio(key="model").proto.captions))
    assert "The paper's model" in said and "The same idea carried further" in said


def test_the_first_words_tell_what_the_app_is_for_and_where_to_start():
    at = healthy(opened())
    first = text(at).split("Which ratings")[0]
    assert "fills them in, step by step" in first and "Start here:" in first


def test_an_example_is_described_below_its_name_on_every_page():
    at = healthy(opened(PAGES[1], data="Two tastes"))
    assert "a checkerboard. All averages are alike" in text(at)

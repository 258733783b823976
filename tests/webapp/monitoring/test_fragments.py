"""Fragments that run alone are counted with their errors; those that a whole run draws are the frame's."""

from types import SimpleNamespace

import pytest

from metamf.webapp.monitoring import fragments, observing


class Figures:
    """What would be counted."""

    def __init__(self):
        self.runs, self.errors = [], []

    def ran_fragment(self, name, seconds):
        self.runs.append((name, seconds >= 0))

    def failed(self, name, kind):
        self.errors.append((name, kind))


@pytest.fixture
def figures(monkeypatch):
    made = Figures()
    monkeypatch.setattr(observing, "_metrics", made)
    monkeypatch.setattr(observing, "on", True)
    monkeypatch.setattr(fragments.st, "fragment", lambda draw, run_every: draw)
    return made


@pytest.mark.parametrize(("these", "counted"), [(["a fragment"], [("Room: phone", True)]), (None, [])])
def test_a_run_is_counted_where_the_fragment_runs_alone(figures, monkeypatch, these, counted):
    monkeypatch.setattr(fragments, "get_script_run_ctx", lambda: SimpleNamespace(fragment_ids_this_run=these))
    drawn = []
    fragments.fragment(drawn.append, "Room: phone")("Ada")
    assert drawn == ["Ada"] and figures.runs == counted


def test_an_error_is_counted_and_goes_on(figures, monkeypatch):
    def fails():
        raise KeyError("Ada")

    monkeypatch.setattr(fragments, "get_script_run_ctx", lambda: SimpleNamespace(fragment_ids_this_run=["it"]))
    with pytest.raises(KeyError):
        fragments.fragment(fails, "Room: phone")()
    assert figures.errors == [("Room: phone", "KeyError")] and figures.runs == [("Room: phone", True)]


def test_where_nobody_observes_it_is_drawn_and_not_timed(figures, monkeypatch):
    monkeypatch.setattr(observing, "on", False)
    monkeypatch.setattr(fragments, "get_script_run_ctx", lambda: SimpleNamespace(fragment_ids_this_run=["it"]))
    fragments.fragment(lambda: None, "Room: phone")()
    assert figures.runs == []


def test_streamlit_is_told_how_often_it_runs_by_itself(monkeypatch):
    told = []
    monkeypatch.setattr(fragments.st, "fragment", lambda draw, run_every: told.append((draw.__name__, run_every)))
    fragments.fragment(observing.ran, "Train", 0.5)
    assert told == [("ran", 0.5)]  # under the function's own name, by which Streamlit knows it again

"""Fragments that run alone are counted with their errors; those that a whole run draws are the frame's."""

from types import SimpleNamespace

import pytest

from metamf.checkpoints.info import CheckpointError
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


@pytest.mark.parametrize(
    ("error", "said"),
    [(CheckpointError("/srv/models/a"), "The model cannot be read"), (MemoryError(), "too little memory")],
)
@pytest.mark.parametrize("on", [True, False])
def test_a_fragment_that_cannot_go_on_says_so_in_the_words_of_the_frame(figures, monkeypatch, error, said, on):
    def fails():
        raise error

    notes = []
    monkeypatch.setattr(observing, "on", on)
    monkeypatch.setattr(fragments.look, "note", lambda sentence, kind: notes.append((sentence, kind)))
    monkeypatch.setattr(fragments, "get_script_run_ctx", lambda: SimpleNamespace(fragment_ids_this_run=["it"]))
    fragments.fragment(fails, "Compare: MF")()
    [(sentence, kind)] = notes
    assert said in sentence and kind == "warning" and "/srv" not in sentence
    assert figures.errors == [("Compare: MF", type(error).__name__)]


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

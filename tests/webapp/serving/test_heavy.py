"""Heavy work of a page: its turn, what is said meanwhile, how a visitor ends it, and what is said then."""

import os
import threading

import pytest
from opened import text
from streamlit.runtime.scriptrunner import StopException
from streamlit.testing.v1 import AppTest

from metamf.webapp.serving import heavy
from metamf.webapp.serving.heavy_process import HeavyProcess
from metamf.webapp.serving.turns import Turns


class Place:
    """A place on the page; notes what is written into it."""

    def __init__(self, said):
        self.said = said

    def markdown(self, text):
        self.said.append(text)

    def empty(self):
        self.said.append("")


@pytest.fixture(autouse=True)
def process(monkeypatch):
    """A line and a process of the test's own."""
    process = HeavyProcess()
    monkeypatch.setattr(heavy, "PROCESS", process)
    monkeypatch.setattr(heavy, "TURNS", Turns())
    yield process
    process.end()


def test_who_waits_is_told_how_many_are_before_and_the_line_is_gone_when_the_turn_comes(monkeypatch):
    said, waits = [], threading.Event()
    monkeypatch.setattr(heavy.st, "empty", lambda: (waits.set(), Place(said))[1])

    def work():
        with heavy.turn():
            said.append("my turn")

    with heavy.turn():
        other = threading.Thread(target=work)
        other.start()
        assert waits.wait(10)
    other.join(10)
    assert "one other is before you" in said[0] and said[-2:] == ["", "my turn"]
    with heavy.turn():  # nobody before: nothing is said
        assert said[-1] == "my turn"


def page(seconds):
    import time

    import streamlit as st

    from metamf.webapp.serving import heavy

    try:
        st.text(f"The answer is {heavy.compute('a sleep', divmod, 17, 5)}, after 1.5 s.")
        heavy.compute("a sleep", time.sleep, seconds)
        st.text("It is over.")
    except heavy.EndedError as error:
        heavy.show_end(error)


def opened_page(seconds):
    return AppTest.from_function(page, args=(seconds,), default_timeout=60)


@pytest.mark.parametrize("silent, offered", [(60, 0), (0.1, 1)])
def test_a_page_gets_what_the_process_returns_and_nothing_is_left_of_the_waiting(silent, offered, monkeypatch):
    """What is over soon moves nothing; later a button to end it is there, once."""
    buttons, button = [], heavy.st.button
    monkeypatch.setattr(heavy.st, "button", lambda label, **more: (buttons.append(label), button(label, **more))[1])
    monkeypatch.setattr(heavy, "_SILENT", silent)
    app = opened_page(1.5).run()
    assert set(buttons) == ({"Stop"} if offered else set())
    assert [line.value for line in app.text] == ["The answer is (3, 2), after 1.5 s.", "It is over."]
    assert not app.button and not app.markdown and not app.exception


def test_what_takes_too_long_or_dies_is_said_in_a_sentence_and_can_be_tried_again(monkeypatch, process):
    monkeypatch.setattr(heavy, "SECONDS", 1)
    app = opened_page(600).run()
    assert "took longer than" in text(app) and app.button[0].label == "Try again"
    monkeypatch.setattr(heavy, "SECONDS", 120)
    monkeypatch.setattr(heavy._Place, "say", lambda self, seconds: process.pid and os.kill(process.pid, 9))
    app = app.button[0].click().run()
    assert "no memory left" in text(app)
    assert not app.exception


def test_stop_ends_the_process_and_nothing_begins_again_before_the_visitor_says_so(monkeypatch, process):
    """The click of the button ends the run that waits, as any click does; the next run knows what was stopped."""
    app = opened_page(0.1).run()
    heard = []

    def click(self, seconds):  # what Streamlit does with the run when a click comes
        heard.append(process.pid)
        heavy.stop("a sleep")
        raise StopException

    monkeypatch.setattr(heavy._Place, "say", click)
    app.args = (600,)
    app = app.run()
    assert heard and process.pid is None
    calls = []
    monkeypatch.setattr(HeavyProcess, "call", lambda self, *given, **more: calls.append(given) or (3, 2))
    app = app.run()
    assert "You stopped this" in text(app) and calls == []
    app = app.button[0].click().run()
    assert len(calls) == 2 and not app.button

"""Heavy work of a page in its turn: what is said while it waits, and the cores that it has."""

import threading

from metamf.ratings.threads import helper_threads, run_with_helpers
from metamf.webapp.serving import heavy
from metamf.webapp.serving.turns import Turns


class Place:
    """A place on the page; notes what is written into it."""

    def __init__(self, said):
        self.said = said

    def markdown(self, text):
        self.said.append(text)

    def empty(self):
        self.said.append("")


def test_who_waits_is_told_how_many_are_before_and_the_line_is_gone_when_the_turn_comes(monkeypatch):
    said, waits = [], threading.Event()
    monkeypatch.setattr(heavy, "TURNS", Turns())
    monkeypatch.setattr(heavy.st, "empty", lambda: (waits.set(), Place(said))[1])

    def work():
        with heavy.turn():
            said.append("my turn")

    monkeypatch.setattr(heavy, "cores", lambda: 3)
    with heavy.turn():
        assert run_with_helpers(helper_threads) == 3
        other = threading.Thread(target=work)
        other.start()
        assert waits.wait(10)
    other.join(10)
    assert "one other is before you" in said[0] and said[-2:] == ["", "my turn"]
    with heavy.turn():  # nobody before: nothing is said
        assert said[-1] == "my turn"

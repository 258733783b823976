"""A few pages are drawn at once, the others in the order in which they came; one that takes long holds up nobody."""

import threading
import time
from contextlib import contextmanager

import pytest

from metamf.webapp import frame
from metamf.webapp.serving.abreast import Abreast

SOON = 5  # seconds after which a test fails instead of waiting


class Page(threading.Thread):
    """A page that is drawn until it is told to end."""

    def __init__(self, line, begun=None):
        super().__init__(daemon=True)
        self.line, self.order = line, begun
        self.begun, self.end = threading.Event(), threading.Event()
        waiting = line.waiting()
        self.start()
        until(lambda: self.begun.is_set() or line.waiting() > waiting)

    def run(self):
        with self.line.place():
            if self.order is not None:
                self.order.append(self)
            self.begun.set()
            self.end.wait(SOON)

    def ends(self):
        self.end.set()
        self.join(SOON)


def until(true):
    late = time.monotonic() + SOON
    while not true():
        assert time.monotonic() < late
        time.sleep(0.002)


def test_two_at_once_and_the_others_as_they_came():
    line, order = Abreast(places=2, longest=60), []
    pages = [Page(line, order) for _ in range(5)]
    assert order == pages[:2] and line.waiting() == 3
    for ended, begun in ((1, 2), (0, 3), (2, 4)):
        pages[ended].ends()
        assert pages[begun].begun.wait(SOON)
    assert order == pages and line.waiting() == 0
    pages[3].ends()
    pages[4].ends()
    assert line.drawn() == 0


def test_a_page_that_takes_long_loses_its_place_to_the_one_that_waits():
    line = Abreast(places=1, longest=0.1)
    slow, second = Page(line), Page(line)
    assert second.begun.wait(SOON) and slow.is_alive()
    slow.ends()
    assert line.drawn() == 1  # the second one's place: the first one had none left to give away
    second.ends()
    assert line.drawn() == 0


def test_a_place_that_nobody_waits_for_is_kept():
    line = Abreast(places=1, longest=0.01)
    with line.place():
        time.sleep(0.05)
        assert line.drawn() == 1
    assert line.drawn() == 0


def test_a_page_that_is_away_lends_its_place_and_does_not_wait_for_it_again():
    line = Abreast(places=1, longest=60)
    with line.away():  # without a place there is nothing to lend
        assert line.drawn() == 0
    with line.place():
        with line.away():
            second = Page(line)
            assert second.begun.is_set() and line.drawn() == 1
        third = Page(line)
        assert line.drawn() == 2 and line.waiting() == 1  # it went on beside the second one
        second.ends()
        assert line.waiting() == 1
    assert third.begun.wait(SOON)
    third.ends()
    with line.away():
        assert line.drawn() == 0


def test_who_has_lost_a_place_lends_none():
    line = Abreast(places=1, longest=0.1)
    with line.place():
        second = Page(line)
        assert second.begun.wait(SOON)
        with line.away():
            assert line.drawn() == 1
        assert line.drawn() == 1
        second.ends()


def test_an_error_gives_the_place_back():
    line = Abreast(places=1, longest=60)
    with pytest.raises(KeyError), line.place():
        raise KeyError
    with line.place():
        assert line.waiting() == 0


def test_with_a_class_here_the_frame_draws_a_page_in_its_place(monkeypatch):
    seen = []

    class Line:
        @contextmanager
        def place(self):
            seen.append("in")
            yield
            seen.append("out")

    monkeypatch.setattr(frame, "ABREAST", Line())
    monkeypatch.setattr(frame.start, "begun", True)
    monkeypatch.setattr(frame, "_draw", lambda: seen.append("drawn"))
    monkeypatch.setattr(frame.ASIDE, "crowded", False)
    frame.draw()
    assert seen == ["drawn"]
    monkeypatch.setattr(frame.ASIDE, "crowded", True)
    frame.draw()
    assert seen == ["drawn", "in", "drawn", "out"]

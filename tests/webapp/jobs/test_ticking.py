"""A thread that ends with what it looks after."""

import gc
import threading
import weakref

from metamf.webapp.jobs.ticking import every_now_and_then


class Watched:
    def __init__(self, answers=None):
        self.answers, self.looks, self.ended = answers, 0, threading.Event()

    def look(self):
        self.looks += 1
        if self.looks == self.answers:
            self.ended.set()
        return self.looks != self.answers


def test_it_goes_on_until_nothing_is_left_to_look_after():
    before = set(threading.enumerate())
    watched = Watched(answers=3)
    every_now_and_then(watched.look, 0.001)
    assert watched.ended.wait(10)
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert watched.looks == 3


class Stumbling(Watched):
    def look(self):
        wanted = super().look()
        if self.looks == 1:
            raise OSError("a secret")
        return wanted


def test_a_look_that_fails_is_logged_and_the_next_one_comes(caplog):
    watched = Stumbling(answers=3)
    every_now_and_then(watched.look, 0.001)
    assert watched.ended.wait(10)
    assert "OSError" in caplog.text and "a secret" not in caplog.text


def test_it_keeps_nothing_alive_that_nobody_uses():
    before = set(threading.enumerate())
    watched = Watched()
    gone = weakref.ref(watched)
    every_now_and_then(watched.look, 0.001)
    [thread] = set(threading.enumerate()) - before
    del watched
    thread.join(10)
    gc.collect()
    assert not thread.is_alive() and gone() is None

"""Heavy work in turns: one after the other, in order, and whoever leaves the line is not waited for."""

import threading

import pytest

from metamf.webapp.serving.turns import Turns


class LeftError(Exception):
    """The visitor has closed the page."""


@pytest.fixture
def turns():
    return Turns()


def waits(turns, name, order, places, leaves=False):
    """A thread that has got into the line."""
    in_line = threading.Event()

    def say(place):
        places.setdefault(name, []).append(place)
        in_line.set()
        if leaves:
            raise LeftError

    def work():
        try:
            with turns.turn(say, every=0.01):
                order.append(name)
        except LeftError:
            order.append(f"{name} left")

    thread = threading.Thread(target=work)
    thread.start()
    assert in_line.wait(10)
    return thread


def test_they_come_one_after_the_other_and_know_their_place(turns):
    order, places = [], {}
    with turns.turn():
        threads = [waits(turns, name, order, places) for name in "abc"]
        assert not order and turns.busy() == (1, 3)
    for thread in threads:
        thread.join(10)
    assert order == ["a", "b", "c"] and turns.busy() == (0, 0)
    assert [places[name][0] for name in "abc"] == [1, 2, 3] and places["c"] == sorted(places["c"], reverse=True)


def test_who_leaves_the_line_is_not_waited_for_and_an_error_gives_the_turn_back(turns):
    order, places = [], {}
    with pytest.raises(ZeroDivisionError), turns.turn():
        gone = waits(turns, "a", order, places, leaves=True)
        gone.join(10)
        stays = waits(turns, "b", order, places)
        assert places["b"][0] == 1
        raise ZeroDivisionError
    stays.join(10)
    assert order == ["a left", "b"] and turns.busy() == (0, 0)


def test_who_has_the_turn_has_it_for_all_that_belongs_to_it(turns):
    with turns.turn(), turns.turn():
        assert turns.busy() == (1, 0)
    assert turns.busy() == (0, 0)

"""The page of a server that is full."""

import pytest
from opened import healthy, no_data_sets, opened, players, text  # noqa: F401  a fixture

from metamf.webapp.serving import at_the_door, descriptors
from metamf.webapp.serving.door import Door


@pytest.fixture
def here(monkeypatch):
    """Who is there; one visitor is inside, which is as many as the server takes, and one waits."""
    here = {"somebody", "next"}
    door = Door(1, lambda visitor: visitor in here or visitor not in ("somebody", "next"))
    assert (door.ask("somebody"), door.ask("next")) == (0, 1)
    monkeypatch.setattr(at_the_door, "door", lambda: door)
    return here


def test_who_waits_sees_the_place_in_the_line_and_comes_in_by_itself(here):
    at = healthy(opened())
    assert "This server is full" in text(at) and "1 visitor came before you" in text(at) and not players(at)
    here.remove("next")
    healthy(at.run())
    assert "You are next" in text(at) and not players(at)
    here.remove("somebody")
    healthy(at.run())
    assert players(at) and "This server is full" not in text(at)
    here.add("somebody")  # nobody who is inside is asked again
    assert players(healthy(at.run()))


def test_a_visitor_whose_place_was_taken_during_an_interruption_waits_like_others(here, monkeypatch):
    here -= {"somebody", "next"}
    at = healthy(opened())
    assert players(at)
    monkeypatch.setattr(at_the_door.door(), "_present", here.__contains__)  # the browser is not connected
    here.add("somebody")
    assert at_the_door.door().ask("somebody") == 0
    monkeypatch.setattr(at_the_door.door(), "_present", lambda visitor: True)  # it is again
    healthy(at.run())
    assert "You are next" in text(at) and not players(at)


@pytest.mark.parametrize("said, places", [("", 32), ("100", 32), ("2", 2)])
def test_no_more_are_let_in_than_descriptors_allow(monkeypatch, said, places):
    monkeypatch.setenv(at_the_door.LIMIT, said)
    monkeypatch.setattr(descriptors, "visitors", lambda: 32)
    assert at_the_door._door_of_process.__wrapped__().places == places

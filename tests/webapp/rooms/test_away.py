"""While the rooms cannot be reached, every screen says so, keeps what it can, and goes on by itself afterwards."""

import pytest
from opened import APP, healthy, no_data_sets, text  # noqa: F401  a fixture
from streamlit.testing.v1 import AppTest

from metamf.webapp.rooms import here
from metamf.webapp.rooms.desk import Desk
from metamf.webapp.rooms.room import Room, Scale
from metamf.webapp.rooms.store import MemoryStore, RoomsAwayError


class Shaky(MemoryStore):
    """A store that can be away."""

    away = False

    def get(self, code):
        if self.away:
            raise RoomsAwayError
        return super().get(code)


@pytest.fixture
def rooms(monkeypatch):
    store = Shaky()
    desk = Desk(store)
    monkeypatch.setattr(here, "_desk_of_process", lambda: desk)
    key = desk.open("Films", ["Alien", "Psycho"], Scale(1, 5), {})
    desk.change(key, Room.start)
    yield store, desk, key
    store.remove(desk.code(key))


@pytest.mark.parametrize("side", ["lecturer", "student"])
def test_a_screen_says_that_rooms_are_away_and_comes_back(rooms, side):
    store, desk, key = rooms
    secret = desk.join(desk.code(key), "Ada")
    address = {here.LECTURER: key} if side == "lecturer" else {here.CODE: desk.code(key), here.ME: secret}
    at = AppTest.from_file(APP, default_timeout=60).switch_page("pages/room.py")
    for name, value in address.items():
        at.query_params[name] = value
    assert "Ada" in text(healthy(at.run())) and "cannot be reached" not in text(at)
    store.away = True
    assert "cannot be reached for the moment" in text(healthy(at.run()))
    store.away = False
    assert "Ada" in text(healthy(at.run())) and "cannot be reached" not in text(at)

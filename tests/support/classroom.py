"""A room with its lecturer and a few phones, each a session of its own; and rooms without pages."""

import opened as pages
import pytest
from opened import APP, healthy
from streamlit.testing.v1 import AppTest

from metamf.webapp.rooms import here
from metamf.webapp.rooms.room import Room, Scale

PAGE = "pages/room.py"
HOSTILE = "<img src=x onerror=alert(1)>"
HOSTILE_IN_A_TAG = '"><script>alert(1)</script>'


@pytest.fixture(autouse=True)
def no_rooms():
    here._desk_of_process.cache_clear()
    yield
    for code in list(here.desk()._store._rooms):
        here.desk()._store.remove(code)
    here._desk_of_process.cache_clear()


def press(at, label):
    [button] = [button for button in at.button if button.label == label]
    return healthy(button.click().run())


def text(at):
    return " ".join(pages.text(at).split())


def opened(**address):
    at = AppTest.from_file(APP, default_timeout=60).switch_page(PAGE)
    for name, value in address.items():
        at.query_params[name] = value
    return healthy(at.run())


def in_address(at, name):
    value = at.query_params[name]
    return value if isinstance(value, str) else value[0]


@pytest.fixture
def lecturer():
    items = ["Alien", "Psycho", HOSTILE, "Titanic"]
    return opened(lecturer=here.desk().open("Our films", items, Scale(1, 5), {}))


def key_of(at):
    return at.session_state.room_key


def code_of(at):
    return key_of(at).partition(".")[0]


def raw(at):
    return " ".join(element.proto.body for element in at.get("html"))


def phone(code, name="", **address):
    at = opened(room=code, **address)
    if name is not None:
        at.text_input[0].set_value(name)
        press(at, "Come in")
    return healthy(at)


def rate(at, item, value):
    return healthy(at.button_group(key=f"room_rate_{item}").set_value(value).run())


def ratings(lecturer):
    return {s.name: dict(s.ratings) for s in here.desk().hosted(key_of(lecturer)).students}


def class_of(lecturer, ratings_of):
    """Rates without pages; the secret in each student's address."""
    desk, key = here.desk(), key_of(lecturer)
    desk.change(key, Room.start)
    secrets = {name: desk.join(code_of(lecturer), name) for name in ratings_of}
    for name, given in ratings_of.items():
        for item, value in given.items():
            desk.rate(code_of(lecturer), secrets[name], item, value)
    healthy(lecturer.run())
    return secrets


HER = HOSTILE[:20]


SOME = {"Ada": {0: 5, 1: 4, 2: 1}, HER: {0: 5, 1: 5, 3: 1}, "Cy": {0: 1, 1: 2, 2: 5, 3: 4}}


@pytest.fixture
def room():
    room = Room.new("Films", ["Alien", HOSTILE_IN_A_TAG, "Psycho"], Scale(1, 5), "d")
    for n, name in enumerate(["Ada", "<b>Bo</b>", "Cy"]):
        room = room.join(f"id{n}", name)
    room = room.start()
    for student, item, value in [(0, 0, 5), (0, 1, 1), (0, 2, 3), (1, 0, 1), (1, 1, 5), (1, 2, 3), (2, 0, 4)]:
        room = room.rate(f"id{student}", item, value)
    return room

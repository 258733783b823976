"""A room with its lecturer and a few phones, each a session of its own; and rooms without pages."""

import threading
from concurrent.futures import ThreadPoolExecutor

import opened as pages
import pytest
import streamlit as st
from opened import healthy

from metamf.webapp.teach.rooms import session
from metamf.webapp.teach.rooms.room import Room
from metamf.webapp.teach.rooms.service import RoomService
from metamf.webapp.teach.rooms.store import MemoryStore

PAGE = "pages/room.py"
HOSTILE = "<img src=x onerror=alert(1)>"
HOSTILE_IN_A_TAG = '"><script>alert(1)</script>'
HER = HOSTILE[:20]
WHO = {"session": "a", "address": "b", "network": "b"}
SOME = {"Ada": {0: 5, 1: 4, 2: 1}, HER: {0: 5, 1: 5, 3: 1}, "Cy": {0: 1, 1: 2, 2: 5, 3: 4}}


@pytest.fixture(autouse=True)
def rooms(monkeypatch):
    """The rooms of this test, whose visitors come from this machine without cookies."""
    monkeypatch.setattr(type(st.context), "cookies", {})
    monkeypatch.setattr(type(st.context), "ip_address", None)
    service = RoomService(MemoryStore())
    monkeypatch.setattr(session, "service", lambda: service)
    return service


def press(at, label):
    [button] = [button for button in at.button if button.label == label]
    return healthy(button.click().run())


def text(at):
    return " ".join(pages.text(at).split())


def raw(at):
    return " ".join(element.proto.body for element in at.get("html"))


def opened(**address):
    return healthy(pages.opened(PAGE, **address))


@pytest.fixture
def lecturer(rooms):
    return opened(
        lecturer=rooms.open("Our films", ["Alien", "Psycho", HOSTILE, "Titanic"], range(1, 6), WHO)
    )


def key_of(at):
    return at.session_state.room_key


def code_of(at):
    return key_of(at).partition(".")[0]


def phone(code, name="", **address):
    at = opened(room=code, **address)
    if name is not None:
        at.text_input[0].set_value(name)
        press(at, "Join")
    return at


def rate(at, item, value):
    return healthy(at.button_group(key=f"room_rate_{item}").set_value(value).run())


def ratings(lecturer):
    return {
        s.name: dict(s.ratings)
        for s in session.service().hosted(key_of(lecturer)).students.values()
    }


def class_of(lecturer, ratings_of):
    """Rates without pages and returns each student's secret."""
    rooms, key = session.service(), key_of(lecturer)
    rooms.change(key, Room.start)
    secrets = {name: rooms.join(code_of(lecturer), name) for name in ratings_of}
    for name, given in ratings_of.items():
        for item, value in given.items():
            rooms.rate(code_of(lecturer), secrets[name], item, value)
    healthy(lecturer.run())
    return secrets


def together(act, n):
    """Calls ``act(k)`` for k from 0 to n - 1 in threads that start at the same moment."""
    begin = threading.Barrier(n)

    def one(k):
        begin.wait()
        act(k)

    with ThreadPoolExecutor(n) as threads:
        list(threads.map(one, range(n), timeout=60))


@pytest.fixture
def room():
    room = Room.new("Films", ["Alien", HOSTILE_IN_A_TAG, "Psycho"], range(1, 6), "d")
    for n, name in enumerate(["Ada", "<b>Bo</b>", "Cy"]):
        room = room.join(f"id{n}", name)
    room = room.start()
    for student, given in enumerate([(5, 1, 3), (1, 5, 3), (4,)]):
        for item, value in enumerate(given):
            room = room.rate(f"id{student}", item, value)
    return room

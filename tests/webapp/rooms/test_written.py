"""Rooms as texts: what this version wrote comes back, and what another one wrote is none, never an error."""

import json

import pytest

from metamf.webapp.rooms.room import Room, Scale
from metamf.webapp.rooms.written import room_as_text, room_from_text


def a_room():
    room = Room.new("Films", ["Alien", "Psycho"], Scale(1, 5), "digest").join("a", "Ada").start().rate("a", 0, 4)
    return room.reveal({"a": {0: 2.5, 1: 3}})


@pytest.mark.parametrize("room", [a_room(), a_room().close(), Room.new("", ["Öl", "🎬"], Scale(-3, 3), "")])
def test_a_room_comes_back_from_its_text(room):
    assert room_from_text(room_as_text(room)) == room


def changed(**values):
    return json.dumps(json.loads(room_as_text(a_room())) | values)


def student(**values):
    [ada] = json.loads(room_as_text(a_room()))["students"]
    return changed(students=[ada | values])


def without(key):
    values = json.loads(room_as_text(a_room()))
    del values[key]
    return json.dumps(values)


OTHERS = [
    *("", "null", "7", '"a room"', "[]", "{}", "[" * 100_000, "{" * 10, "\0", "1" * 5000),
    *map(without, json.loads(room_as_text(a_room()))),
    changed(mood="good"),
    *(changed(title=value) for value in (None, 5, ["Films"])),
    *(
        changed(scale=value)
        for value in (None, 5, [], [1], [1, 5, 2], [5, 1], [1, 10**9], ["1", "5"], [1.0, 5.0], "15")
    ),
    *(
        changed(items=value)
        for value in (None, 5, "ab", ["Alien"], [[0]], [["0", "Alien"]], [[0, 1]], [[[], "Alien"]], [])
    ),
    *(changed(lecturer=value) for value in (None, 5)),
    *(changed(students=value) for value in (None, 5, "a", ["a"], [[]], [{}], {"a": 1})),
    *(changed(phase=value) for value in (None, 5, "voting", [])),
    *(changed(door=value) for value in (None, 0, "open")),
    *(changed(came=value) for value in (None, "1", 1.5, True, float("inf"))),
    *(changed(version=value) for value in (None, "1", 1.5)),
    *(student(id=value) for value in (None, 5, [])),
    *(student(name=value) for value in (None, 5)),
    *(
        student(ratings=value)
        for value in (None, 5, {"0": 4}, [[0]], [[7, 4]], [[0, 6]], [[0, "4"]], [[0, 4.5]], [[[], 4]])
    ),
    *(student(expected=value) for value in (None, [[0]], [["0", 2.5]], [[0, "2"]], [[0, float("nan")]], [[0, 1e400]])),
    student(mood="good"),
]


@pytest.mark.parametrize("text", OTHERS, ids=range(len(OTHERS)))
def test_what_another_version_wrote_is_not_a_room(text):
    assert room_from_text(text) is None

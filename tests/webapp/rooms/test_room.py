"""A room as a value: who may do what in which phase, names and limits, and the way through text."""

import json

import pytest

from metamf.webapp.rooms import room as rooms
from metamf.webapp.rooms.room import (
    CLOSED,
    MOST_ITEMS,
    MOST_STUDENTS,
    OPEN,
    RATING_NOW,
    REVEALED,
    Room,
    RoomError,
    Scale,
)

STARS = Scale(1, 5)


def a_room(phase=OPEN, students=2, items=("Alien", "Psycho", "Titanic")):
    room = Room.new("Films", items, STARS, "digest")
    for n in range(students):
        room = room.join(f"id{n}", f"S{n}")
    if phase in (RATING_NOW, REVEALED):
        room = room.start().rate("id0", 0, 5).rate("id0", 1, 2).rate("id1", 0, 1)
    if phase == REVEALED:
        room = room.reveal({"id0": {0: 3.5, 1: 2.5}})
    return room.close() if phase == CLOSED else room


ACTS = {
    "join": lambda room: room.join("new", "Zoë"),
    "rate": lambda room: room.rate("id0", 0, 4),
    "start": Room.start,
    "reveal": lambda room: room.reveal({}),
    "close": Room.close,
}
ALLOWED = {
    OPEN: {"join", "start", "close"},
    RATING_NOW: {"join", "rate", "reveal", "close"},
    REVEALED: {"start", "close"},
    CLOSED: {"close"},
}


@pytest.mark.parametrize("phase", rooms.PHASES)
@pytest.mark.parametrize("act", ACTS)
def test_each_phase_allows_what_belongs_to_it(phase, act):
    room = a_room(phase)
    if act in ALLOWED[phase]:
        assert ACTS[act](room).version > room.version
    else:
        with pytest.raises(RoomError):
            ACTS[act](room)


def test_a_rating_is_given_changed_and_taken_back():
    room = a_room(RATING_NOW)
    assert room.rate("id0", 0, 3).student("id0").ratings == {1: 2, 0: 3}
    assert room.rate("id0", 0, None).student("id0").ratings == {1: 2}
    assert room.rate("id0", 0, 5) is room, "the same rating again changes nothing that would be drawn"
    assert room.n_ratings == 3


@pytest.mark.parametrize("value", [0, 6, 2.5, "5", 99, -1])
def test_a_rating_that_is_not_on_the_scale_is_refused(value):
    with pytest.raises(RoomError, match="from 1 to 5"):
        a_room(RATING_NOW).rate("id0", 0, value)


def test_a_rating_of_a_stranger_or_of_what_is_not_on_the_list_is_refused():
    with pytest.raises(RoomError, match="not in this room"):
        a_room(RATING_NOW).rate("stranger", 0, 3)
    with pytest.raises(RoomError, match="off the list"):
        a_room(RATING_NOW).without_item(1).rate("id0", 1, 3)


def test_who_comes_again_is_the_same_student():
    room = a_room()
    assert room.join("id0", "another name") is room and len(room.students) == 2


def test_names_are_optional_tidy_bounded_and_no_two_alike():
    room = a_room(students=0)
    for n, name in enumerate(
        ["", "Ada", "Ada", " \u202eA\x00da\n ", "x" * 500, "\u3164", "<b>Bo</b>", "Z" + "\u0301" * 40]
    ):
        room = room.join(f"id{n}", name)
    names = [student.name for student in room.students]
    assert names[:4] == ["Student 1", "Ada", "Ada 2", "Ada 3"]
    assert names[4] == "x" * rooms.LONGEST_NAME and names[5] == "Student 6"
    assert names[6] == "<b>Bo</b>", "text stays text: whoever shows it escapes it"
    assert len(names[7]) <= 3


def test_the_number_of_a_nameless_student_is_not_given_again():
    room = a_room(students=0).join("a").join("b").without_student("b").join("c")
    assert [student.name for student in room.students] == ["Student 1", "Student 3"]


def test_a_removed_student_item_or_rating_leaves_nothing_behind():
    room = a_room(REVEALED)
    gone = room.without_student("id0")
    assert "id0" not in gone.to_text() and "S0" not in gone.to_text()
    gone = room.without_item(0)
    assert gone.student("id0").ratings == {1: 2} and gone.student("id0").expected == {1: 2.5}
    assert [item.id for item in gone.items] == [1, 2]
    assert room.without_rating("id0", 0).student("id0").ratings == {1: 2}
    assert room.without_rating("stranger", 0) is room


def test_a_student_who_was_removed_by_mistake_comes_back_with_the_ratings():
    room = a_room(RATING_NOW)
    back = room.without_student("id0").without_item(1).with_student_back(room.student("id0"))
    assert back.student("id0").ratings == {0: 5} and back.student("id0").name == "S0"
    assert back.with_student_back(room.student("id0")) is back
    renamed = room.without_student("id0").join("new", "S0").with_student_back(room.student("id0"))
    assert [student.name for student in renamed.students] == ["S1", "S0", "S0 2"]


def test_two_things_at_least_stay_on_the_list():
    with pytest.raises(RoomError, match="at least 2"):
        a_room(items=("a", "b")).without_item(0)


def test_the_door_can_be_closed_and_the_room_is_bounded():
    with pytest.raises(RoomError, match="door"):
        a_room().set_door(False).join("new")
    assert a_room().set_door(False).set_door(True).join("new").student("new")
    with pytest.raises(RoomError, match="full"):
        a_room(students=MOST_STUDENTS).join("one more")


@pytest.mark.parametrize(
    "items, why",
    [
        (["only one"], "this list has 1"),
        ([f"film {n}" for n in range(MOST_ITEMS + 1)], "this list has 41"),
        (["Alien", " Alien "], "twice"),
        (["Alien", "x" * 61], "longer than 60"),
        (["", " ", "\u200b"], "this list has 0"),
    ],
)
def test_a_list_that_is_too_long_too_short_or_ambiguous_is_refused(items, why):
    with pytest.raises(RoomError, match=why):
        Room.new("Films", items, STARS, "digest")


@pytest.mark.parametrize("low, high", [(1, 1), (0, 11), (5, 1)])
def test_a_scale_that_no_phone_has_room_for_is_refused(low, high):
    with pytest.raises(RoomError, match="needs 2 to 11 values"):
        Scale(low, high)


def test_what_was_expected_is_forgotten_when_ratings_are_taken_again():
    room = a_room(REVEALED)
    assert room.student("id0").expected == {0: 3.5, 1: 2.5} and room.student("id1").expected == {}
    assert not any(student.expected for student in room.start().students)


def test_closing_empties_the_room():
    closed = a_room(REVEALED).close()
    assert closed.items == () and closed.students == () and closed.lecturer == "" and closed.title == ""


@pytest.mark.parametrize("phase", rooms.PHASES)
def test_a_room_survives_the_way_through_text(phase):
    room = a_room(phase, items=("Öl", "🎬", "x"))
    assert Room.from_text(room.to_text()) == room


def changed(**values):
    return json.dumps(json.loads(a_room(REVEALED).to_text()) | values)


@pytest.mark.parametrize(
    "text",
    [
        *("", "null", "7", '"a room"', "[]", "{}", "[" * 100_000, "{" * 10, "\0", "1" * 5000),
        *(changed(format=value) for value in (None, 5, "another")),
        *(changed(mood="good"), changed(scale=[5, 1]), changed(scale=5), changed(items=[[0]]), changed(items=None)),
        *(changed(students=value) for value in (None, 5, "a", [[]], [{}], [["a", "b", 5, 5]])),
    ],
    ids=range(24),
)
def test_what_another_version_wrote_is_not_a_room(text):
    assert Room.from_text(text) is None


@pytest.mark.parametrize(
    "typed, name",
    [
        ("  Zoë \n\t Müller ", "Zoë Müller"),
        ("e\u0301", "é"),
        ("\u202egnp.exe", "gnp.exe"),
        ("a\u200bb\ufeff", "ab"),
        ("ไท่ย ก็ดี", "ไท่ย ก็ดี"),
        ("山田 太郎", "山田 太郎"),
        ("\ud800x", "x"),
        ("Z" + "\u0335" * 50, "Z\u0335\u0335"),
    ],
)
def test_a_name_is_one_line_of_ordinary_characters(typed, name):
    assert rooms.tidy(typed) == name and rooms.tidy(name) == name


def test_a_phone_shows_stars_thumbs_and_numbers():
    labels = {name: [rooms.rating_label(scale, v) for v in scale.values][:2] for name, scale in rooms.SCALES.items()}
    assert list(labels.values()) == [["1 ★", "2 ★"], ["1", "2"], ["0", "1"], ["👎 0", "👍 1"]]

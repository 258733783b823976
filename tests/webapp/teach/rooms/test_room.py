"""A room as a value: who may do what in which phase, names and limits, and the way through text."""

from dataclasses import replace

import pytest

from metamf.webapp.teach.rooms import room as rooms
from metamf.webapp.teach.rooms.room import (
    MOST_ITEMS,
    MOST_STUDENTS,
    OPEN,
    RATING_NOW,
    REVEALED,
    STARS,
    Room,
    RoomError,
)


def a_room(phase=OPEN, students=2, items=("Alien", "Psycho", "Titanic")):
    room = Room.new("Films", items, STARS, "digest")
    for n in range(students):
        room = room.join(f"id{n}", f"S{n}")
    if phase in (RATING_NOW, REVEALED):
        room = room.start().rate("id0", 0, 5).rate("id0", 1, 2).rate("id1", 0, 1)
    if phase == REVEALED:
        room = room.reveal({"id0": {0: 3.5, 1: 2.5}})
    return room


def test_each_phase_allows_students_what_belongs_to_it():
    for phase in (OPEN, REVEALED):
        with pytest.raises(RoomError, match="does not take ratings"):
            a_room(phase).rate("id0", 0, 4)
    with pytest.raises(RoomError, match="has revealed"):
        a_room(REVEALED).join("new", "Zoë")
    assert "new" in a_room(RATING_NOW).join("new", "Zoë").students
    again = a_room(REVEALED).start()
    assert not any(student.expected for student in again.students.values())


def test_a_rating_is_given_changed_and_taken_back():
    room = a_room(RATING_NOW)
    assert room.rate("id0", 0, 3).students["id0"].ratings == {1: 2, 0: 3}
    assert room.rate("id0", 0, None).students["id0"].ratings == {1: 2}
    assert room.rate("id0", 0, 5) == room  # nothing is drawn anew
    assert room.n_ratings == 3


@pytest.mark.parametrize(
    "id, item, value, why",
    [
        *(("id0", 0, value, "from 1 to 5") for value in (0, 6, 2.5, "5")),
        ("stranger", 0, 3, "not in this room"),
        ("id1", 1, 3, "off the list"),
    ],
)
def test_a_rating_that_cannot_be_is_refused(id, item, value, why):
    with pytest.raises(RoomError, match=why):
        a_room(RATING_NOW).without_item(1).rate(id, item, value)


def test_names_are_optional_bounded_and_no_two_alike():
    room = a_room(students=0)
    for n, name in enumerate(["", "Ada", "Ada", " \u202eA\x00da\n ", "x" * 500, "\u3164"]):
        room = room.join(f"id{n}", name)
    names = [student.name for student in room.students.values()]
    long = "x" * rooms.LONGEST_NAME
    assert names == ["Student 1", "Ada", "Ada 2", "Ada 3", long, "Student 6"]
    room = a_room(students=0).join("a").join("b").without_student("b").join("c")
    assert [student.name for student in room.students.values()] == ["Student 1", "Student 3"]


def test_a_removed_student_item_or_rating_leaves_nothing_behind():
    room = a_room(REVEALED)
    gone = room.without_student("id0")
    assert "id0" not in gone.to_text() and "S0" not in gone.to_text()
    gone = room.without_item(0)
    assert gone.students["id0"].ratings == {1: 2} and gone.students["id0"].expected == {1: 2.5}
    assert [*gone.items] == [1, 2]
    assert room.without_rating("id0", 0).students["id0"].ratings == {1: 2}
    assert room.without_rating("stranger", 0) is room


def test_a_student_who_was_removed_by_mistake_comes_back_with_the_ratings():
    room = a_room(RATING_NOW)
    gone = room.without_student("id0")
    back = gone.without_item(1).with_student_back("id0", room.students["id0"])
    assert back.students["id0"].ratings == {0: 5} and back.students["id0"].name == "S0"
    renamed = gone.join("new", "S0").with_student_back("id0", room.students["id0"])
    assert [student.name for student in renamed.students.values()] == ["S1", "S0", "S0 2"]


def test_the_door_can_be_closed_the_room_is_bounded_and_two_things_at_least_stay_on_the_list():
    with pytest.raises(RoomError, match="door"):
        replace(a_room(), door=False).join("new")
    with pytest.raises(RoomError, match="full"):
        a_room(students=MOST_STUDENTS).join("one more")
    with pytest.raises(RoomError, match="at least 2"):
        a_room(items=("a", "b")).without_item(0)


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


def test_a_room_survives_the_way_through_text_and_what_another_version_wrote_is_none():
    for phase in (OPEN, RATING_NOW, REVEALED):
        room = a_room(phase, items=("Öl", "🎬", "x"))
        assert Room.from_text(room.to_text()) == room
    another = a_room().to_text().replace("came: int", "came: float")
    for text in (None, "", "[]", "tag\n{}", another):
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

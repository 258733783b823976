"""Who may do what: the lecturer by a key, students by a secret, and nobody by guessing."""

import math
from unittest.mock import Mock

import pytest

from metamf.webapp.teach.rooms.room import Room, RoomError
from metamf.webapp.teach.rooms.service import (
    WRONG_CODES,
    RoomService,
    Throttle,
    digest,
    new_secret,
)
from metamf.webapp.teach.rooms.store import (
    ALPHABET,
    LENGTH,
    MemoryStore,
    RoomGoneError,
    RoomsAwayError,
    parse_code,
)

THINGS = ["Alien", "Psycho"]


def visitor(session="a", address="b", network=None):
    return {"session": session, "address": address, "network": network or address}


@pytest.fixture
def rooms():
    return RoomService(MemoryStore())


@pytest.fixture
def key(rooms):
    return rooms.open("Films", THINGS, range(1, 6), visitor())


@pytest.fixture
def code(key):
    return key.partition(".")[0]


def test_codes_have_34_bits_of_letters_that_are_not_taken_for_each_other_and_secrets_128():
    assert LENGTH * math.log2(len(ALPHABET)) > 34
    assert not set(ALPHABET) & set("AEIOUL01")
    assert len({new_secret() for _ in range(300)}) == 300
    assert 6 * len(new_secret()) >= 128


@pytest.mark.parametrize("typed", ["bktm-wxrd", " bktm wxrd ", "BKTM–WXRD", "ｂｋｔｍｗｘｒｄ"])
def test_a_code_is_read_however_it_is_typed(typed):
    assert parse_code(typed) == "BKTMWXRD"


@pytest.mark.parametrize(
    "typed", ["", "BKTM", "BKTMWXRDX", "AKTMWXRD", "<script>", "ß" * 8, "B" * 10**6]
)
def test_what_cannot_be_a_code_is_no_guess(rooms, typed):
    for _ in range(10):
        with pytest.raises(RoomError, match="8 letters"):
            rooms.find(typed, visitor())


def tried(throttle, who, at_most=1000):
    """How many attempts are allowed in a row."""
    for n in range(at_most):
        if throttle.wait(who):
            return n
        throttle.count(who)


def test_a_budget_comes_back_with_time_and_is_not_saved_up():
    now = [1000.0]
    throttle = Throttle(WRONG_CODES, 60, lambda: now[0])
    assert tried(throttle, visitor("a")) == 5
    assert 0 < throttle.wait(visitor("a")) <= 60
    of_the_address = sum(tried(throttle, visitor(f"{n}")) for n in range(40))
    assert of_the_address == 55
    of_the_network = sum(tried(throttle, visitor(f"{n}", f"{n}", "b")) for n in range(40, 100))
    assert of_the_network == 60
    now[0] += 59
    assert tried(throttle, visitor("a")) == 0
    for seconds in (1, 3600):
        now[0] += seconds
        assert tried(throttle, visitor("a")) == 5


def guess(rooms, who, code="BBBBBBBB"):
    with pytest.raises(RoomError) as caught:
        rooms.find(code, who)
    return str(caught.value)


def test_after_too_many_wrong_codes_a_right_one_is_not_answered_either(rooms, code):
    assert all("no room" in guess(rooms, visitor()) for _ in range(5))
    assert guess(rooms, visitor()).startswith("Too many wrong codes. Please try again in ")
    assert guess(rooms, visitor(), code).startswith("Too many wrong codes")
    assert rooms.find(code, visitor("another")) == code


def test_a_student_in_the_room_is_not_shut_out_by_the_wrong_codes_of_others(rooms, key, code):
    secret = rooms.join(code, "Ada")
    for n in range(60):
        guess(rooms, visitor(str(n)))
    assert rooms.find(code, visitor("me"), secret) == code
    for wrong in ("", "x", key.partition(".")[2]):
        with pytest.raises(RoomError, match="Too many wrong codes"):
            rooms.find(code, visitor("me"), wrong)


def test_while_the_rooms_are_away_no_code_counts_as_wrong(rooms, monkeypatch):
    monkeypatch.setattr(rooms.store, "get", Mock(side_effect=RoomsAwayError))
    for _ in range(6):
        with pytest.raises(RoomsAwayError):
            rooms.find("BKTMWXRD", visitor())


def test_a_student_s_secret_opens_nothing_of_the_lecturer_s_and_the_reverse(rooms, key, code):
    lecturers = key.partition(".")[2]
    secret = rooms.join(code, "Ada")
    for wrong in (f"{code}.{secret}", f"{code}.", code, "", ".", f"{code}.{digest(lecturers)}"):
        for act in (rooms.hosted, rooms.close, lambda wrong: rooms.change(wrong, Room.start)):
            with pytest.raises(RoomGoneError):
                act(wrong)
    room, student = rooms.seated(code, lecturers)
    assert student is None and room.phase == "open"
    assert secret not in room.to_text() and lecturers not in room.to_text()


def test_a_reload_is_the_same_student_and_another_phone_another(rooms, key, code):
    secret = rooms.join(code, "Ada")
    rooms.change(key, Room.start)
    rooms.rate(code, secret, 0, 4)
    room, again = rooms.seated(code, secret)
    assert again.name == "Ada" and again.ratings == {0: 4} and len(room.students) == 1
    assert rooms.join(code, "Ada") != secret
    assert [student.name for student in rooms.hosted(key).students.values()] == ["Ada", "Ada 2"]
    rooms.change(key, lambda room: room.without_student(digest(secret)))
    assert rooms.seated(code, secret)[1] is None
    with pytest.raises(RoomError, match="not in this room"):
        rooms.rate(code, secret, 0, 4)


def test_a_room_keeps_of_an_address_a_digest_with_a_key(rooms):
    def opener(rooms, who):
        return rooms.hosted(rooms.open("Films", THINGS, range(1, 6), who)).opener

    found = opener(rooms, visitor("me", "school"))
    assert found == opener(rooms, visitor("she", "school"))
    assert found != opener(rooms, visitor("me", "elsewhere"))
    assert found != opener(RoomService(MemoryStore()), visitor("me", "school"))

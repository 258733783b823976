"""Who may do what: the lecturer by a key, students by a secret, and nobody by guessing."""

import json
import threading
import time

import pytest

from metamf.webapp.rooms import codes
from metamf.webapp.rooms.desk import Desk
from metamf.webapp.rooms.room import Room, RoomError, Scale
from metamf.webapp.rooms.store import MemoryStore, RoomGoneError, RoomsAwayError

WHO = {"session": "a", "address": "b"}


@pytest.fixture
def desk():
    return Desk(MemoryStore())


@pytest.fixture
def key(desk):
    key = desk.open("Films", ["Alien", "Psycho"], Scale(1, 5), WHO)
    yield key
    desk._store.remove(desk.code(key))


def together(act, n):
    threads = [threading.Thread(target=act, args=(k,)) for k in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)


def test_a_student_s_secret_opens_nothing_of_the_lecturer_s(desk, key):
    code = desk.code(key)
    secret = desk.join(code, "Ada")
    for wrong in (f"{code}.{secret}", f"{code}.", code, "", ".", f"{code}.{codes.digest(key.partition('.')[2])}"):
        with pytest.raises(RoomGoneError):
            desk.hosted(wrong)
        with pytest.raises(RoomGoneError):
            desk.change(wrong, Room.start)
        with pytest.raises(RoomGoneError):
            desk.close(wrong)
    assert desk.hosted(key).phase == "open"


def test_the_lecturer_s_secret_seats_nobody(desk, key):
    _, student = desk.seated(desk.code(key), key.partition(".")[2])
    assert student is None


def test_the_room_s_state_holds_no_secret(desk, key):
    secret = desk.join(desk.code(key), "Ada")
    state = json.dumps(desk.hosted(key).to_json())
    assert secret not in state and key.partition(".")[2] not in state


def test_a_reload_is_the_same_student_and_another_phone_another(desk, key):
    code = desk.code(key)
    secret = desk.join(code, "Ada")
    desk.change(key, Room.start)
    desk.rate(code, secret, 0, 4)
    room, again = desk.seated(code, secret)
    assert again.name == "Ada" and again.ratings == {0: 4} and len(room.students) == 1
    assert desk.join(code, "Ada") != secret
    assert [student.name for student in desk.hosted(key).students] == ["Ada", "Ada 2"]


def test_a_removed_student_rates_no_more(desk, key):
    code = desk.code(key)
    secret = desk.join(code, "Ada")
    desk.change(key, Room.start)
    desk.change(key, lambda room: room.without_student(codes.digest(secret)))
    assert desk.seated(code, secret)[1] is None
    with pytest.raises(RoomError, match="not in this room"):
        desk.rate(code, secret, 0, 4)


def test_wrong_codes_are_counted_and_then_a_right_one_is_not_answered_either(desk, key):
    right = codes.hyphenated(desk.code(key))
    assert desk.find(right, WHO) == desk.code(key)
    for n in range(5):
        with pytest.raises(RoomError, match="no room"):
            desk.find("BBBBBBB" + codes.ALPHABET[n], WHO)
    for guess in ("BBBBBBBZ", right):
        with pytest.raises(RoomError, match="Too many wrong codes. Try again in 1[0-2] seconds"):
            desk.find(guess, WHO)
    assert desk.find(right, {"session": "another", "address": "b"}) == desk.code(key)


def test_a_student_is_not_shut_out_by_the_wrong_codes_of_others_behind_the_same_address(desk, key):
    code = desk.code(key)
    secret = desk.join(code, "Ada")
    for n in range(60):
        with pytest.raises(RoomError, match="no room"):
            desk.find("BBBBBBBB", {"session": str(n), "address": "b"})
    assert desk.find(code, WHO, secret) == code
    for wrong in ("", "x", key.partition(".")[2]):
        with pytest.raises(RoomError, match="Too many wrong codes"):
            desk.find(code, WHO, wrong)
    with pytest.raises(RoomError, match="Too many wrong codes"):
        desk.find("BBBBBBBB", WHO, secret)


def test_what_cannot_be_a_code_is_answered_without_being_counted(desk, key):
    for _ in range(50):
        with pytest.raises(RoomError, match="8 letters"):
            desk.find("hello", WHO)
    assert desk.find(desk.code(key), WHO)


def test_a_visitor_opens_a_handful_of_rooms(desk):
    keys = [desk.open("Films", ["Alien", "Psycho"], Scale(1, 5), WHO) for _ in range(5)]
    with pytest.raises(RoomError, match="Too many rooms"):
        desk.open("Films", ["Alien", "Psycho"], Scale(1, 5), WHO)
    for key in keys:
        desk.close(key)


def test_rooms_that_are_opened_at_the_same_moment_do_not_pass_the_throttle_together():
    class Slow(MemoryStore):
        def add(self, *about):
            time.sleep(0.05)
            return super().add(*about)

    desk, begin, keys, refused = Desk(Slow()), threading.Barrier(12), [], []

    def visitor(n):
        begin.wait()
        try:
            keys.append(desk.open("Films", ["Alien", "Psycho"], Scale(1, 5), {"session": "a"}))
        except RoomError as error:
            refused.append(str(error))

    together(visitor, 12)
    assert len(keys) == 5 and len(refused) == 7
    for key in keys:
        desk.close(key)


def test_a_room_for_which_there_is_no_place_is_not_counted_as_opened():
    desk, rooms = Desk(MemoryStore(most=0)), {"session": "a", "address": "b"}
    for _ in range(30):
        with pytest.raises(RoomError, match="All 0 rooms"):
            desk.open("Films", ["Alien", "Psycho"], Scale(1, 5), rooms)


def test_an_address_has_five_rooms_open_whatever_its_sessions(desk):
    def opened(address, n):
        return desk.open("Films", ["Alien", "Psycho"], Scale(1, 5), {"session": f"{n}", "address": address})

    keys = [opened("school", n) for n in range(5)]
    with pytest.raises(RoomError, match="From here 5 rooms are open already"):
        opened("school", 5)
    keys.append(opened("elsewhere", 6))
    desk.close(keys.pop(0))
    keys.append(opened("school", 7))
    for key in keys:
        desk.close(key)


def test_while_the_rooms_hang_ten_phones_are_told_at_once_and_no_code_counts_as_wrong():
    class Hanging(MemoryStore):
        def get(self, code):
            time.sleep(0.5)
            raise RoomsAwayError

    desk, begin, told = Desk(Hanging()), threading.Barrier(10), []

    def phone(n):
        begin.wait()
        with pytest.raises(RoomsAwayError):
            desk.find("BKTMWXRD", {"session": f"{n}", "address": "classroom"})
        told.append(n)

    before = time.monotonic()
    together(phone, 10)
    assert len(told) == 10 and time.monotonic() - before < 2  # one after the other they would wait for five seconds
    assert desk._wrong_codes.take({"session": "0", "address": "classroom"}) == 0
    desk._wrong_codes.give_back({"session": "0", "address": "classroom"})
    for _ in range(6):
        with pytest.raises(RoomsAwayError):
            desk.find("BKTMWXRD", {"session": "0", "address": "classroom"})


def test_a_list_that_is_refused_opens_no_room(desk):
    with pytest.raises(RoomError, match="this has 1"):
        desk.open("Films", ["Alien"], Scale(1, 5), WHO)
    assert len(desk._store) == 0


def test_a_new_key_makes_the_one_before_worthless(desk, key):
    new = desk.new_key(key)
    assert desk.hosted(new).title == "Films" and desk.code(new) == desk.code(key)
    with pytest.raises(RoomGoneError):
        desk.hosted(key)


def test_closing_deletes_everything_and_ends_the_code(desk, key):
    code = desk.code(key)
    secret = desk.join(code, "Ada")
    desk.close(key)
    assert len(desk._store) == 0
    for ask in (lambda: desk.hosted(key), lambda: desk.seated(code, secret), lambda: desk.join(code, "Bo")):
        with pytest.raises(RoomGoneError):
            ask()
    with pytest.raises(RoomError, match="no room"):
        desk.find(code, WHO)

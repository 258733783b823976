"""The store of one process: expiry by a clock that does not jump, limits, and forty phones at once."""

import json
import random
import threading
import time

import pytest

from metamf.webapp.rooms.desk import Desk
from metamf.webapp.rooms.room import Room, RoomError, Scale
from metamf.webapp.rooms.store import LIFETIME, MOST_OF_ONE, UNUSED, MemoryStore, RoomGoneError

WHO = {"session": "a", "address": "b"}


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(clock):
    store = MemoryStore(clock, most=3)
    yield store
    for code in list(store._rooms):
        store.remove(code)  # and its timer


def a_room():
    return Room.new("Films", ["Alien", "Psycho"], Scale(1, 5), "digest")


def test_a_room_is_kept_changed_and_deleted(store):
    code = store.add(a_room())
    assert store.get(code).title == "Films"
    assert store.change(code, Room.start).phase == store.get(code).phase == "rating"
    store.remove(code)
    assert store.get(code) is None
    store.remove(code)
    with pytest.raises(RoomGoneError):
        store.change(code, Room.start)


def test_a_change_that_fails_leaves_the_room_as_it_was(store):
    code = store.add(a_room())
    before = store.get(code)
    with pytest.raises(RoomError):
        store.change(code, lambda room: room.rate("stranger", 0, 5))
    assert store.get(code) is before


def test_a_room_is_deleted_after_four_hours_and_after_one_if_nobody_came(store, clock):
    used, unused = store.add(a_room()), store.add(a_room())
    store.change(used, lambda room: room.join("a").without_student("a"))
    clock.now += UNUSED - 1
    assert store.get(used) and store.get(unused)
    clock.now += 1
    assert store.get(used) and store.get(unused) is None
    clock.now += LIFETIME - UNUSED
    with pytest.raises(RoomGoneError):
        store.change(used, Room.start)
    assert len(store) == 0


def test_a_room_that_nobody_asks_for_is_deleted_by_itself(monkeypatch):
    monkeypatch.setattr("metamf.webapp.rooms.store.UNUSED", 0.01)
    monkeypatch.setattr("metamf.webapp.rooms.store.LIFETIME", -0.98)  # the timer comes a second later
    store = MemoryStore()
    store.add(a_room())
    [timer] = [kept.timer for kept in store._rooms.values()]
    timer.join(30)
    assert not store._rooms


def test_a_clock_on_the_wall_that_jumps_changes_nothing(monkeypatch):
    store = MemoryStore()
    code = store.add(a_room())
    for jump in (1e9, -1e9):
        monkeypatch.setattr(time, "time", lambda jump=jump: 1.8e9 + jump)
        assert store.get(code) is not None
    store.remove(code)


def joined(room):
    return room.join("a")


def test_there_are_a_given_number_of_rooms_and_no_more(store):
    first, *_ = [store.add(joined(a_room())) for _ in range(3)]
    with pytest.raises(RoomError, match="All 3 rooms"):
        store.add(a_room())
    store.remove(first)
    assert store.add(a_room()) != first


def test_the_oldest_room_that_nobody_came_into_gives_way(store):
    used, oldest, other = [store.add(a_room()) for _ in range(3)]
    store.change(used, joined)
    new = store.add(a_room())
    assert store.get(oldest) is None and all(store.get(code) for code in (used, other, new))
    store.change(other, joined)
    store.add(a_room())
    assert store.get(new) is None and store.get(used) and store.get(other)


def test_one_address_opens_a_few_rooms_and_the_others_are_left_to_others():
    store = MemoryStore()
    codes = [store.add(a_room(), "one") for _ in range(MOST_OF_ONE)]
    with pytest.raises(RoomError, match="From here 5 rooms are open already"):
        store.add(a_room(), "one")
    codes += [store.add(a_room(), "another"), store.add(a_room()), store.add(a_room())]
    store.remove(codes[0])
    codes.append(store.add(a_room(), "one"))
    assert len(store) == 8 and not store.get(codes[0])
    for code in codes:
        store.remove(code)


def test_forty_phones_at_once_lose_nothing():
    desk = Desk(MemoryStore())
    key = desk.open("Films", [f"film {n}" for n in range(12)], Scale(1, 5), WHO)
    desk.change(key, Room.start)
    code, given, errors, versions = desk.code(key), {}, [], []
    begin = threading.Barrier(41)

    def phone(n):
        rng = random.Random(n)
        begin.wait()
        try:
            found = desk.find(code.lower(), {"session": f"{n}", "address": "classroom"})
            secret = desk.join(found, f"phone {n}")
            mine = {}
            for _ in range(30):  # more than films: minds are changed
                item, value = rng.randrange(12), rng.choice([1, 2, 3, 4, 5, None])
                desk.rate(found, secret, item, value)
                mine[item] = value
                room, me = desk.seated(found, secret)  # as the phone looks again
                assert me.ratings.get(item) == value
            given[f"phone {n}"] = {item: value for item, value in mine.items() if value is not None}
        except Exception as error:
            errors.append(error)

    def lecturer():
        begin.wait()
        while len(given) + len(errors) < 40:
            room = desk.hosted(key)
            json.dumps(room.to_json())
            versions.append(room.version)
            time.sleep(0.001)

    threads = [threading.Thread(target=phone, args=(n,)) for n in range(40)] + [threading.Thread(target=lecturer)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors and len(given) == 40
    room = desk.hosted(key)
    assert {student.name: dict(student.ratings) for student in room.students} == given
    assert versions == sorted(versions)
    desk.close(key)
    with pytest.raises(RoomGoneError):
        desk.seated(code, "any")

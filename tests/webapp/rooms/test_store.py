"""Stores: the same promises in memory and in Redis, expiry, limits, many phones at once, and a Redis that is away."""

import os
import random
import signal
import time

import pytest
from classroom import together
from redis_servers import redis_server, start_redis  # noqa: F401  a fixture

from metamf.webapp.rooms.access_codes import address_tag
from metamf.webapp.rooms.room import Room, RoomError, Scale
from metamf.webapp.rooms.service import RoomService
from metamf.webapp.rooms.store import (
    ADDRESS_KEY,
    LIFETIME,
    MOST_OF_ONE,
    UNUSED,
    MemoryStore,
    RedisStore,
    RoomGoneError,
    RoomsAwayError,
)


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def client(redis_server):  # noqa: F811
    redis = pytest.importorskip("redis")
    client = redis.Redis.from_url(redis_server[1], decode_responses=True)
    client.flushall()
    return client


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.slow)])
def stores(request):
    """Two stores of the same rooms, as two replicas have them, or one twice."""
    if request.param == "memory":
        store = MemoryStore(most=8)
        yield store, store
        store.clear()
    else:
        request.getfixturevalue("client")
        yield tuple(RedisStore(request.getfixturevalue("redis_server")[1], 8, patience=0.3) for _ in range(2))


def a_room():
    return Room.new("Films", ["Alien", "Psycho"], Scale(1, 5), "digest")


def test_a_room_is_kept_changed_and_deleted(stores):
    one, other = stores
    code = one.add(a_room())
    assert other.get(code) == a_room()
    assert other.change(code, lambda room: room.join("me", "Ada")) == one.get(code)
    one.change(code, Room.start)
    assert other.change(code, lambda room: room.rate("me", 0, 5)).student("me").ratings == {0: 5}
    before = one.get(code)
    with pytest.raises(RoomError, match="not in this room"):
        other.change(code, lambda room: room.rate("stranger", 0, 5))
    assert one.get(code) == before
    for _ in range(2):
        other.remove(code)
    assert one.get(code) is None
    with pytest.raises(RoomGoneError):
        one.change(code, Room.start)


def test_rooms_are_limited_those_of_one_address_and_all_also_at_the_same_moment(stores):
    one, other = stores
    codes, refused = [], []

    def visitor(n):
        try:
            codes.append(stores[n % 2].add(a_room(), "school"))
        except RoomError as error:
            refused.append(str(error))

    together(visitor, 10)
    assert len(set(codes)) == MOST_OF_ONE and len(refused) == 5 and "5 open rooms from here" in refused[0]
    one.remove(codes[0])
    assert other.add(a_room(), "school") and one.add(a_room(), "another") and one.add(a_room())
    with pytest.raises(RoomError, match="5 open rooms from here"):
        one.add(a_room(), "school")
    one.add(a_room())
    with pytest.raises(RoomError, match="All 8 rooms"):
        other.add(a_room())


def test_many_phones_at_once_lose_nothing(stores):
    one, other = map(RoomService, stores)
    phones = 40 if one.store is other.store else 8
    key = one.open("Films", [f"film {n}" for n in range(12)], Scale(1, 5), {})
    one.change(key, Room.start)
    code, given, versions = key.partition(".")[0], {}, []

    def phone(n):
        rooms, rng, mine = (one, other)[n % 2], random.Random(n), {}
        secret = rooms.join(rooms.find(code.lower(), {"session": f"{n}", "address": "classroom"}), f"phone {n}")
        for _ in range(15):  # more than films: some change their mind
            item, value = rng.randrange(12), rng.choice([1, 2, 3, 4, 5, None])
            rooms.rate(code, secret, item, value)
            mine[item] = value
            assert rooms.seated(code, secret)[1].ratings.get(item) == value
            versions.append(rooms.hosted(key).version)
        given[f"phone {n}"] = {item: value for item, value in mine.items() if value is not None}

    together(phone, phones)
    room = other.hosted(key)
    assert {student.name: dict(student.ratings) for student in room.students} == given and len(given) == phones
    assert room.version >= max(versions)


# -- memory -----------------------------------------------------------------------------------------------------------


def test_a_room_is_deleted_after_four_hours_and_after_one_if_nobody_came(monkeypatch):
    clock = Clock()
    store = MemoryStore(clock)
    used, unused = store.add(a_room()), store.add(a_room())
    store.change(used, lambda room: room.join("a").without_student("a"))
    clock.now += UNUSED - 1
    monkeypatch.setattr(time, "time", lambda: 1e12)  # the clock on the wall changes nothing
    assert store.get(used) and store.get(unused)
    clock.now += 1
    assert store.get(used) and store.get(unused) is None
    clock.now += LIFETIME - UNUSED
    with pytest.raises(RoomGoneError):
        store.change(used, Room.start)
    assert len(store) == 0


def test_a_room_that_nobody_asks_for_is_deleted_by_itself():
    store, end = MemoryStore(lifetime=0.05), time.monotonic() + 30
    store.add(a_room())
    while len(store) and time.monotonic() < end:
        time.sleep(0.01)
    assert len(store) == 0


# -- Redis ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def shared(client, redis_server):  # noqa: F811
    return RedisStore(redis_server[1], patience=0.3)


@pytest.mark.slow
def test_redis_deletes_a_room_after_four_hours_and_after_one_if_nobody_came(shared, client):
    code = shared.add(a_room())

    def left():
        return client.pttl("metamf:room:" + code) / 1000

    assert UNUSED - 60 < left() <= UNUSED
    shared.change(code, Room.start)
    assert left() <= UNUSED
    shared.change(code, lambda room: room.join("a").without_student("a"))
    assert LIFETIME - 60 < left() <= LIFETIME
    shared.change(code, lambda room: room.join("b"))
    assert left() <= LIFETIME  # once only


@pytest.mark.slow
def test_redis_keeps_of_an_address_a_digest_with_a_key(shared, client, monkeypatch):
    code = shared.add(a_room(), "192.0.2.7")
    key, tag = client.get("metamf:address-key"), client.get("metamf:room:" + code).partition("\n")[0]
    assert tag == address_tag(key, "192.0.2.7") != address_tag("", "192.0.2.7") and len(key) >= 22
    assert 0 < client.ttl("metamf:address-key") <= LIFETIME
    assert not [name for name in client.scan_iter() if "192.0.2.7" in str(client.get(name))]
    monkeypatch.setenv(ADDRESS_KEY, "of the operator")
    code = shared.add(a_room(), "192.0.2.7")
    tag = client.get("metamf:room:" + code).partition("\n")[0]
    assert tag == address_tag("of the operator", "192.0.2.7")


@pytest.mark.slow
def test_a_room_of_another_version_is_a_closed_one_and_stays_as_it_is(shared, client):
    code = shared.add(a_room())
    text = client.get("metamf:room:" + code).replace("came: int", "came: float")
    client.set("metamf:room:" + code, text, keepttl=True)
    assert shared.get(code) is None
    with pytest.raises(RoomGoneError):
        shared.change(code, Room.start)
    assert client.get("metamf:room:" + code) == text


@pytest.mark.slow
def test_while_redis_hangs_phones_are_told_within_one_timeout_and_nothing_is_lost(shared, redis_server):  # noqa: F811
    code, waited = shared.add(a_room()), []
    redis_server[0].send_signal(signal.SIGSTOP)

    def phone(n):
        before = time.monotonic()
        with pytest.raises(RoomsAwayError, match="cannot be reached at the moment"):
            [lambda: shared.get(code), lambda: shared.add(a_room()), lambda: shared.change(code, Room.start)][n % 3]()
        waited.append(time.monotonic() - before)

    try:
        together(phone, 10)
    finally:
        redis_server[0].send_signal(signal.SIGCONT)
    assert max(waited) < 1.5, waited  # 0.3 s each; one after the other they would be three
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            assert shared.get(code).title == "Films"
            return
        except RoomsAwayError:
            time.sleep(0.05)
    raise AssertionError("Redis came back, and the rooms did not")


@pytest.mark.slow
def test_a_redis_that_was_killed_comes_back_empty_and_rooms_are_opened_again(tmp_path):
    pytest.importorskip("redis")
    socket = str(tmp_path / "socket")
    server = start_redis(socket)
    store = RedisStore(f"unix://{socket}", patience=5)
    code = store.add(a_room())
    server.kill()
    server.wait()
    for _ in range(2):  # first the connection breaks, then there is none to be had
        for ask in (lambda: store.get(code), lambda: store.add(a_room()), lambda: store.change(code, Room.start)):
            with pytest.raises(RoomsAwayError):
                ask()
    os.unlink(socket)
    server = start_redis(socket)
    try:
        assert store.get(code) is None
        assert store.get(store.add(a_room())) == a_room()
    finally:
        server.kill()
        server.wait()

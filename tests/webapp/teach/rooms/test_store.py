"""Stores: the same promises in memory and in Redis, expiry, limits, many phones at once, and a
Redis that is away."""

import os
import random
import shutil
import signal
import socket
import subprocess
import time
from functools import partial

import pytest
from classroom import WHO, together

from metamf.webapp.teach.rooms import store
from metamf.webapp.teach.rooms.room import Room, RoomError
from metamf.webapp.teach.rooms.service import RoomService
from metamf.webapp.teach.rooms.store import (
    LIFETIME,
    MOST_OF_ONE,
    MemoryStore,
    RedisStore,
    RoomGoneError,
    RoomsAwayError,
)


def start_redis(path):
    """The process of a Redis that answers at a Unix socket; skips the test where there is none to
    be had."""
    if shutil.which("redis-server") is None:
        pytest.skip("needs redis-server (Debian: apt-get install redis-server)")
    server = subprocess.Popen(
        ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
    )
    end = time.monotonic() + 60
    while not _listens(path) and time.monotonic() < end:
        time.sleep(0.01)
    return server


def _listens(path):
    """Whether somebody takes connections there; the file alone is there a moment before."""
    with socket.socket(socket.AF_UNIX) as asks:
        return asks.connect_ex(path) == 0


@pytest.fixture(scope="module")
def redis_server(tmp_path_factory):
    """A Redis for all tests of a module, which may stop it for a while, and its address."""
    path = str(tmp_path_factory.mktemp("redis") / "socket")
    server = start_redis(path)
    yield server, f"unix://{path}"
    server.send_signal(signal.SIGCONT)
    server.kill()
    server.wait()


@pytest.fixture
def client(redis_server):
    redis = pytest.importorskip("redis")
    client = redis.Redis.from_url(redis_server[1], decode_responses=True)
    client.flushall()
    return client


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.slow)])
def stores(request, monkeypatch):
    """Two stores of the same rooms, as two replicas have them, or one twice."""
    monkeypatch.setattr(store, "MOST_ROOMS", 8)
    if request.param == "memory":
        return [MemoryStore()] * 2
    request.getfixturevalue("client")
    return [RedisStore(request.getfixturevalue("redis_server")[1]) for _ in range(2)]


def a_room(opener=""):
    return Room.new("Films", ["Alien", "Psycho"], range(1, 6), "digest", opener)


def test_a_room_is_kept_changed_and_deleted(stores):
    one, other = stores
    code = one.add(a_room())
    assert other.get(code) == a_room()
    assert other.change(code, lambda room: room.join("me", "Ada")) == one.get(code)
    one.change(code, Room.start)
    assert other.change(code, lambda room: room.rate("me", 0, 5)).students["me"].ratings == {0: 5}
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
            codes.append(stores[n % 2].add(a_room("school")))
        except RoomError as error:
            refused.append(str(error))

    together(visitor, 10)
    assert len(set(codes)) == MOST_OF_ONE and len(refused) == 5
    assert "5 open rooms from here" in refused[0]
    one.remove(codes[0])
    assert other.add(a_room("school")) and one.add(a_room("another"))
    with pytest.raises(RoomError, match="5 open rooms from here"):
        one.add(a_room("school"))
    for _ in range(2):
        one.add(a_room("another"))
    with pytest.raises(RoomError, match="All 8 rooms"):
        other.add(a_room("a third"))


def test_many_phones_at_once_lose_nothing(stores):
    one, other = map(RoomService, stores)
    phones = 40 if one.store is other.store else 8
    key = one.open("Films", [f"film {n}" for n in range(12)], range(1, 6), WHO)
    one.change(key, Room.start)
    code, given = key.partition(".")[0], {}

    def phone(n):
        rooms, rng, mine = (one, other)[n % 2], random.Random(n), {}
        secret = rooms.join(rooms.find(code.lower(), WHO | {"session": f"{n}"}), f"phone {n}")
        for _ in range(15):  # more than films: some change their mind
            item, value = rng.randrange(12), rng.choice([1, 2, 3, 4, 5, None])
            rooms.rate(code, secret, item, value)
            mine[item] = value
            assert rooms.seated(code, secret)[1].ratings.get(item) == value
        given[f"phone {n}"] = {item: value for item, value in mine.items() if value is not None}

    together(phone, phones)
    room = other.hosted(key)
    assert {student.name: student.ratings for student in room.students.values()} == given
    assert len(given) == phones


def test_a_room_is_deleted_when_its_time_is_over(monkeypatch):
    monkeypatch.setattr(store, "LIFETIME", 0.05)
    rooms, end = MemoryStore(), time.monotonic() + 30
    code = rooms.add(a_room())
    while rooms.rooms and time.monotonic() < end:
        time.sleep(0.01)
    assert rooms.get(code) is None
    with pytest.raises(RoomGoneError):
        rooms.change(code, Room.start)


@pytest.fixture
def shared(client, redis_server, monkeypatch):
    monkeypatch.setattr(store, "PATIENCE", 0.3)
    return RedisStore(redis_server[1])


def asks(rooms, code):
    """What pages ask of a store."""
    return (
        partial(rooms.get, code),
        partial(rooms.add, a_room()),
        partial(rooms.change, code, Room.start),
    )


@pytest.mark.slow
def test_redis_deletes_a_room_four_hours_after_the_opening_and_keeps_one_of_another_version(
    shared, client
):
    code = shared.add(a_room())
    key = f"metamf:room:{code}"
    assert LIFETIME - 60 < client.ttl(key) <= LIFETIME
    client.expire(key, 100)
    shared.change(code, lambda room: room.join("a"))
    assert client.ttl(key) <= 100
    text = client.get(key).replace("came: int", "came: float")
    client.set(key, text, keepttl=True)
    assert shared.get(code) is None
    with pytest.raises(RoomGoneError):
        shared.change(code, Room.start)
    assert client.get(key) == text


@pytest.mark.slow
def test_while_redis_hangs_phones_are_told_within_one_timeout_and_nothing_is_lost(
    shared, redis_server
):
    code, waited = shared.add(a_room()), []
    asked = [partial(RoomService(shared).find, code, WHO)] * 7 + [*asks(shared, code)]
    redis_server[0].send_signal(signal.SIGSTOP)

    def phone(n):
        before = time.monotonic()
        with pytest.raises(RoomsAwayError, match="cannot be reached at the moment"):
            asked[n]()
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
def test_a_redis_that_was_killed_comes_back_empty_and_rooms_are_opened_again(tmp_path, monkeypatch):
    pytest.importorskip("redis")
    path = str(tmp_path / "socket")
    server = start_redis(path)
    monkeypatch.setattr(store, "PATIENCE", 5)
    rooms = RedisStore(f"unix://{path}")
    code = rooms.add(a_room())
    server.kill()
    server.wait()
    for _ in range(2):  # first the connection breaks, then there is none to be had
        for ask in asks(rooms, code):
            with pytest.raises(RoomsAwayError):
                ask()
    os.unlink(path)
    server = start_redis(path)
    try:
        assert rooms.get(code) is None
        assert rooms.get(rooms.add(a_room())) == a_room()
    finally:
        server.kill()
        server.wait()

"""Rooms in Redis: the same promises as in memory, for several processes, and what happens when Redis is away."""

import os
import random
import signal
import threading
import time

import pytest
from redis_servers import redis_server, start_redis  # noqa: F401  a fixture

from metamf.webapp.rooms import here
from metamf.webapp.rooms.desk import Desk
from metamf.webapp.rooms.room import Room, RoomError, Scale
from metamf.webapp.rooms.store import LIFETIME, MOST_OF_ONE, UNUSED, MemoryStore, RoomGoneError, RoomsAwayError

pytestmark = pytest.mark.slow
WHO = {"session": "a", "address": "b"}


@pytest.fixture
def stores(redis_server, monkeypatch):
    """Two stores on one Redis, as two replicas have them."""
    redis_store = pytest.importorskip("metamf.webapp.rooms.redis_store")
    monkeypatch.setattr(redis_store, "PATIENCE", 0.3)
    one, other = (redis_store.RedisStore(redis_server[1], most=3) for _ in range(2))
    one._redis.flushall()
    return one, other


def together(act, n):
    threads = [threading.Thread(target=act, args=(k,)) for k in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


def a_room():
    return Room.new("Films", ["Alien", "Psycho"], Scale(1, 5), "digest")


def test_a_room_of_one_replica_is_changed_and_deleted_on_another(stores):
    one, other = stores
    code = one.add(a_room())
    assert other.get(code) == a_room()
    assert other.change(code, lambda room: room.join("me", "Ada")) == one.get(code)
    one.change(code, Room.start)
    assert other.change(code, lambda room: room.rate("me", 0, 5)).student("me").ratings == {0: 5}
    other.remove(code)
    assert one.get(code) is None and len(one) == 0
    with pytest.raises(RoomGoneError):
        one.change(code, Room.start)


def test_a_change_that_fails_leaves_the_room_as_it_was(stores):
    code = stores[0].add(a_room())
    with pytest.raises(RoomError, match="not in this room"):
        stores[1].change(code, lambda room: room.rate("stranger", 0, 5))
    assert stores[0].get(code) == a_room()


def test_redis_deletes_a_room_after_four_hours_and_after_one_if_nobody_came(stores):
    one, other = stores
    code = one.add(a_room())

    def left():
        return one._redis.pttl("metamf:room:" + code) / 1000

    assert UNUSED - 60 < left() <= UNUSED
    one.change(code, Room.start)
    assert left() <= UNUSED
    other.change(code, lambda room: room.join("a").without_student("a"))
    assert LIFETIME - 60 < left() <= LIFETIME
    one.change(code, lambda room: room.join("b"))
    assert left() <= LIFETIME  # once only


def test_there_are_a_given_number_of_rooms_and_no_more(stores):
    one, other = stores
    codes = [one.add(joined(a_room())), other.add(joined(a_room())), one.add(joined(a_room()))]
    assert len(set(codes)) == 3
    with pytest.raises(RoomError, match="All 3 rooms"):
        other.add(a_room())


def joined(room):
    return room.join("a")


def test_the_oldest_room_that_nobody_came_into_gives_way(stores):
    one, other = stores
    used, oldest, third = one.add(a_room()), other.add(a_room()), one.add(a_room())
    one._redis.pexpire("metamf:room:" + oldest, 1000 * (UNUSED - 60))  # a minute older
    other.change(used, joined)
    new = other.add(a_room())
    assert one.get(oldest) is None and all(one.get(code) for code in (used, third, new)) and len(one) == 3


def test_a_text_of_another_version_never_gives_way(stores):
    one, _ = stores
    for n in range(3):
        one._redis.set(f"metamf:room:{n}", '{"a room": "of tomorrow", "came": 0}', ex=60)
    with pytest.raises(RoomError, match="All 3 rooms"):
        one.add(a_room())
    assert len(one) == 3


def test_one_address_opens_a_few_rooms_on_all_replicas_together_and_at_the_same_moment(redis_server):
    redis_store = pytest.importorskip("metamf.webapp.rooms.redis_store")
    stores = [redis_store.RedisStore(redis_server[1]) for _ in range(2)]
    stores[0]._redis.flushall()
    begin, codes, refused = threading.Barrier(10), [], []

    def visitor(n):
        begin.wait()
        try:
            codes.append(stores[n % 2].add(a_room(), "school"))
        except RoomError as error:
            refused.append(str(error))

    together(visitor, 10)
    assert len(set(codes)) == MOST_OF_ONE and len(refused) == 5
    assert stores[0].add(a_room(), "another") and stores[1].add(a_room())
    stores[0].change(codes[0], joined)
    left = [stores[0]._redis.ttl(prefix + codes[0]) for prefix in ("metamf:room:", "metamf:opener:")]
    assert abs(left[0] - left[1]) <= 1 and left[0] > UNUSED
    stores[1].remove(codes[1])
    assert stores[0].add(a_room(), "school")
    with pytest.raises(RoomError, match="From here 5 rooms are open already"):
        stores[1].add(a_room(), "school")


def test_a_room_of_another_version_is_a_closed_one_and_stays_as_it_is(stores):
    one, _ = stores
    code = one.add(a_room())
    text = one._redis.get("metamf:room:" + code)[:-1] + ',"mood":"good"}'
    one._redis.set("metamf:room:" + code, text, keepttl=True)
    assert one.get(code) is None
    with pytest.raises(RoomGoneError):
        one.change(code, Room.start)
    with pytest.raises(RoomError, match="no room"):
        Desk(one).find(code, WHO)
    assert one._redis.get("metamf:room:" + code) == text


def test_while_redis_hangs_ten_phones_are_told_within_one_timeout(stores, redis_server):
    one, _ = stores
    desk, told, begin = Desk(one), [], threading.Barrier(10)
    code = one.add(a_room())
    redis_server[0].send_signal(signal.SIGSTOP)
    try:

        def phone(n):
            begin.wait()
            before = time.monotonic()
            with pytest.raises(RoomsAwayError):
                desk.find(code, {"session": f"{n}", "address": "classroom"})
            told.append(time.monotonic() - before)

        together(phone, 10)
    finally:
        redis_server[0].send_signal(signal.SIGCONT)
    assert len(told) == 10 and max(told) < 1.5, told  # 0.3 s each; one after the other they would be three


def test_phones_on_two_replicas_at_once_lose_nothing(stores):
    one, other = map(Desk, stores)
    key = one.open("Films", [f"film {n}" for n in range(6)], Scale(1, 5), WHO)
    one.change(key, Room.start)
    code, given = one.code(key), {}
    begin = threading.Barrier(8)

    def phone(n):
        desk, rng, mine = (one, other)[n % 2], random.Random(n), {}
        begin.wait()
        secret = desk.join(code, f"phone {n}")
        for _ in range(10):
            item, value = rng.randrange(6), rng.choice([1, 2, 3, 4, 5])
            desk.rate(code, secret, item, value)
            mine[item] = value
        given[f"phone {n}"] = mine

    together(phone, 8)
    room = other.hosted(key)
    assert {student.name: dict(student.ratings) for student in room.students} == given and len(given) == 8


def test_while_redis_is_away_it_is_said_and_nothing_is_lost(stores, redis_server):
    one, _ = stores
    code = one.add(a_room())
    redis_server[0].send_signal(signal.SIGSTOP)
    for ask in (lambda: one.get(code), lambda: one.add(a_room()), lambda: one.change(code, Room.start)):
        with pytest.raises(RoomsAwayError, match="cannot be reached for the moment"):
            ask()
    redis_server[0].send_signal(signal.SIGCONT)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            assert one.get(code).title == "Films"
            return
        except RoomsAwayError:
            time.sleep(0.05)
    raise AssertionError("Redis came back, and the rooms did not")


def test_a_redis_that_was_killed_comes_back_empty_and_rooms_are_opened_again(tmp_path, monkeypatch):
    redis_store = pytest.importorskip("metamf.webapp.rooms.redis_store")
    monkeypatch.setattr(redis_store, "PATIENCE", 5)
    socket = str(tmp_path / "socket")
    server = start_redis(socket)
    store = redis_store.RedisStore(f"unix://{socket}")
    code = store.add(a_room())
    server.kill()
    server.wait()
    for _ in range(2):  # first the connection breaks, then there is none to be had
        for ask in (lambda: store.get(code), lambda: store.add(a_room()), lambda: store.change(code, Room.start)):
            with pytest.raises(RoomsAwayError, match="cannot be reached for the moment"):
                ask()
    os.unlink(socket)
    server = start_redis(socket)
    try:
        assert store.get(code) is None
        with pytest.raises(RoomGoneError, match="This room is closed"):
            store.change(code, Room.start)
        assert store.get(store.add(a_room())) == a_room()
    finally:
        server.kill()
        server.wait()


def test_the_address_of_a_redis_decides_where_rooms_are(redis_server, monkeypatch):
    kinds = []
    for url in ("", redis_server[1]):
        monkeypatch.setenv(here.REDIS, url)
        kinds.append(type(here._desk_of_process.__wrapped__()._store).__name__)
    assert kinds == [MemoryStore.__name__, "RedisStore"]

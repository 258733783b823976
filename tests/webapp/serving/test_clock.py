"""The clock on the wall is set, by hours or days: nobody's room, turn or computation ends by that."""

import re
import time
from pathlib import Path

import pytest
from tiny_jobs import until

import metamf.webapp
from metamf.webapp.jobs.pool import Pool
from metamf.webapp.jobs.states import State
from metamf.webapp.rooms.access_codes import WRONG_CODES, Throttle
from metamf.webapp.rooms.room import Room, Scale
from metamf.webapp.rooms.store import MemoryStore

WHO = {"session": "a", "address": "b"}


@pytest.mark.parametrize("seconds", [10**6, -(10**6)])
def test_a_clock_that_is_set_ends_nothing(monkeypatch, seconds):
    store, throttle, pool = MemoryStore(), Throttle(WRONG_CODES), Pool(seconds=60, absence=1, tick=0.01)
    try:
        code = store.add(Room.new("Films", ["Alien", "Psycho"], Scale(1, 5), "x"))
        for _ in range(5):
            throttle.take(WHO)
        job = pool.submit("me", "tiny_jobs:count", {})
        before, real = throttle.take(WHO), time.time
        monkeypatch.setattr(time, "time", lambda: real() + seconds)
        so_far = len(until(pool, "me", job, State.RUNNING).rows)
        until(pool, "me", job, State.RUNNING, rows=so_far + 50)  # a row takes a millisecond, the pool looks every ten
        assert store.get(code) is not None
        assert 0 < throttle.take(WHO) <= before
    finally:
        pool.close()


def test_nothing_but_the_log_asks_for_the_time_of_day():
    folder = Path(metamf.webapp.__file__).parent
    asking = {
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*.py")
        if re.search(r"\btime\.time\(|datetime\.now\(|date\.today\(", file.read_text("utf-8"))
    }
    assert asking == {"monitoring/events.py"}

"""The rooms of one server process."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from metamf.webapp.rooms import here
from metamf.webapp.rooms.store import MemoryStore


@pytest.fixture
def no_desk():
    here._desk_of_process.cache_clear()
    yield
    here._desk_of_process.cache_clear()


def test_visitors_who_come_first_at_the_same_time_stand_at_the_same_desk(monkeypatch, no_desk):
    monkeypatch.setattr(here, "MemoryStore", lambda: time.sleep(0.05) or MemoryStore())
    with ThreadPoolExecutor(2) as visitors:
        one, other = visitors.map(lambda _: here.desk(), range(2))
    assert one is other

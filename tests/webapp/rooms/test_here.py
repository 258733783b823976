"""The rooms of one server process."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import streamlit as st

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


def test_all_addresses_of_one_network_of_version_6_are_one_visitor(monkeypatch):
    known = []
    for address in ("2001:db8:1:2::1", "2001:db8:1:2:a:b:c:d", "192.0.2.7", None):
        monkeypatch.setattr(type(st.context), "ip_address", address)
        known.append(here.who()["address"])
    assert known == ["2001:db8:1:2::/64", "2001:db8:1:2::/64", "192.0.2.7", "this machine"]

"""What a collection of garbage after a run of a page walks through, and what it still frees."""

import gc
import sys
import types
import weakref

import pytest
from streamlit import config

from metamf.webapp import collection


class Node:
    pass


def circle():
    one, other = Node(), Node()
    one.other, other.one = other, one
    return weakref.ref(one)


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    monkeypatch.setattr(collection, "modules_apart", 0)
    yield
    gc.unfreeze()


def test_modules_are_set_apart_and_a_collection_is_short():
    before = len(gc.get_objects())
    collection.set_modules_apart()
    assert gc.get_freeze_count() > 0.9 * before and len(gc.get_objects()) < 0.05 * before


def test_what_visits_make_is_freed_before_and_after():
    gc.disable()
    try:
        early = circle()
        collection.set_modules_apart()
        late = circle()
        assert early() is None and late() is not None
        gc.collect()
        assert late() is None
    finally:
        gc.enable()


def test_it_happens_again_only_when_modules_were_imported(monkeypatch):
    collection.set_modules_apart()
    kept, count = [{} for _ in range(1000)], gc.get_freeze_count()
    collection.set_modules_apart()
    assert gc.get_freeze_count() <= count
    monkeypatch.setitem(sys.modules, "imported_late", types.ModuleType("imported_late"))
    collection.set_modules_apart()
    assert gc.get_freeze_count() > count and len(kept) == 1000


def test_what_is_made_is_collected_every_now_and_then_and_nothing_where_nothing_was_made(monkeypatch):
    looks = []
    monkeypatch.setattr(collection, "every_now_and_then", lambda check, seconds: looks.append((check, seconds)))
    collector = collection.Collector()
    collector.begin()
    [(look, seconds)] = looks
    assert seconds == collection.EVERY and look()
    made = circle()
    gc.collect(0)  # as Python does where many objects were made
    gc.disable()
    try:
        late = circle()
        assert look() and made() is None and late() is None
        later = circle()
        assert look() and later() is not None  # until something is made again
    finally:
        gc.enable()


def test_streamlit_leaves_it_to_this_module():
    assert config.get_option("runner.postScriptGC") is False

"""What a collection of garbage after a run of a page walks through, and what it still frees."""

import gc
import sys
import types
import weakref

import pytest

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

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


def test_one_collection_comes_for_many_runs_and_one_for_a_run_after_it(monkeypatch):
    collected, timers = [], []

    class Timer:
        def __init__(self, seconds, function):
            timers.append((seconds, function))

        def start(self):
            if len(timers) == 3:
                raise RuntimeError("can't start new thread")

    monkeypatch.setattr(collection.threading, "Timer", Timer)
    monkeypatch.setattr(collection, "waiting", False)
    monkeypatch.setattr(collection.gc, "collect", lambda: collected.append(True))
    for _ in range(5):
        collection.collect_soon()
    assert [seconds for seconds, _ in timers] == [collection.EVERY] and not collected
    timers[0][1]()
    assert len(collected) == 1
    collection.collect_soon()
    assert len(timers) == 2 and len(collected) == 1
    timers[1][1]()
    collection.collect_soon()  # where no thread can be started, at once
    assert len(collected) == 3


def test_streamlit_leaves_it_to_this_module():
    assert config.get_option("runner.postScriptGC") is False

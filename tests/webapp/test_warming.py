"""What the first page does without is made ready once, in the background, and by one thread at a time."""

import threading

import pytest
import torch
from opened import healthy, no_data_sets, opened  # noqa: F401  a fixture

from metamf.ratings import threads
from metamf.webapp import warming
from metamf.webapp.serving import heavy


@pytest.fixture(autouse=True)
def cold(monkeypatch):
    monkeypatch.setattr(warming, "begun", False)
    monkeypatch.setattr(warming, "ready", False)


def test_it_begins_once_and_keeps_no_process_alive(monkeypatch):
    started = []
    monkeypatch.setattr(threading.Timer, "start", lambda timer: started.append(timer))
    warming.begin()
    warming.begin()
    [timer] = started
    assert timer.function is warming.make_ready and timer.interval == warming.AFTER and timer.daemon


def test_a_page_that_runs_meanwhile_waits_until_all_is_imported(monkeypatch):
    order, importing, drawn = [], threading.Event(), threading.Event()

    def slowly(module):
        importing.set()
        drawn.wait(1)
        order.append("imported")

    def visit():
        healthy(opened())
        order.append("drawn")
        drawn.set()

    monkeypatch.setattr(warming, "begun", True)
    monkeypatch.setattr(warming, "_MODULES", ("a module",))
    monkeypatch.setattr(warming, "import_module", slowly)
    background = threading.Thread(target=warming.make_ready)
    background.start()
    importing.wait(5)
    visit()
    background.join()
    assert order == ["imported", "drawn"] and warming.ready


def test_nothing_that_computes_later_changes_torchs_number_of_threads(monkeypatch):
    """A visitor's thread that first called torch in the moment of such a change would keep one thread for good."""
    changes = []
    monkeypatch.setattr(warming, "_MODULES", ())
    threads._single_threaded_pool.cache_clear()
    warming.make_ready()
    monkeypatch.setattr(torch, "set_num_threads", changes.append)
    threads.run_on_few_cores(int, 1)
    threads.run_with_helpers(threads.helper_threads)
    with heavy.turn():
        threads.run_with_helpers(threads.helper_threads)
    assert changes == []

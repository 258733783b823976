"""What the first page does without is made ready once, in the background, and by one thread at a time."""

import threading

import pytest
from opened import healthy, no_data_sets, opened  # noqa: F401  a fixture

from metamf.webapp import warming


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

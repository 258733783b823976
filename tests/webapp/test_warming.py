"""What the first page does without is made ready once, in the background."""

import threading

from metamf.webapp import warming


def test_it_begins_once_and_keeps_no_process_alive(monkeypatch):
    started = []
    monkeypatch.setattr(warming, "begun", False)
    monkeypatch.setattr(threading.Timer, "start", lambda timer: started.append(timer))
    warming.begin()
    warming.begin()
    [timer] = started
    assert timer.function is warming.make_ready and timer.interval == warming.AFTER and timer.daemon

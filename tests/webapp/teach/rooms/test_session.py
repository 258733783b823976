"""Tickets of lecturers who come at once: nobody's request fails, and a ticket is good for one."""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from starlette.requests import Request

from metamf.webapp.teach.rooms import session


class State(threading.local):
    """What ``st.session_state`` is to a lecturer's thread."""

    room_ticket = ""
    room_key = "BCDFGHJK.secret"

    def get(self, name):
        return getattr(self, name)


@pytest.mark.slow
def test_tickets_that_come_and_go_at_once_fail_nobody_and_are_good_for_one_request(monkeypatch):
    """Threads change places as often as Python lets them, as on a machine with many visitors."""
    state = State()
    html = []
    drawn = SimpleNamespace(session_state=state, context=SimpleNamespace(url=""), html=html.append)
    monkeypatch.setattr(session, "st", drawn)
    monkeypatch.setattr(session, "_TICKET_SECONDS", 0.001)
    [route] = session.routes()
    end = time.monotonic() + 2
    shared = [""]
    cookies = []

    def ask(ticket):
        scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "scheme": "https"}
        answer = route.endpoint(Request(scope | {"path_params": {"ticket": ticket}}))
        assert answer.status_code == 204
        if "set-cookie" in answer.headers:
            cookies.append(ticket)

    def lecture(_):
        while time.monotonic() < end:
            state.room_ticket = ""
            session.draw_cookie()
            shared[0] = state.room_ticket
            ask(shared[0])

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lecture, range(6)))
    finally:
        sys.setswitchinterval(interval)
    assert len(cookies) == len(set(cookies)) > 0

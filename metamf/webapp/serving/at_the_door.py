"""The page that a visitor sees while the server is full, and the one door of this process."""

from __future__ import annotations

import os
from functools import cache
from threading import Lock

import streamlit as st

from metamf.webapp import look, shared_pool
from metamf.webapp.monitoring import observing
from metamf.webapp.monitoring.fragments import fragment
from metamf.webapp.serving import descriptors
from metamf.webapp.serving.door import LIMIT, Door, limit
from metamf.wording import counted

PASS = "let_in"  # in the session of a visitor who is inside: asked without the door, whose lock all runs would wait for
LOOKS_AGAIN, LATER = 5, 30  # seconds, of those who are next and of those behind them
NEXT = 20  # who are next
_making = Lock()


def let_in() -> bool:
    """Whether the visitor is inside; draws the page of those who wait, which looks again by itself, if not."""
    visitor, place = shared_pool.visitor(), _place()
    if not place:
        st.session_state[PASS] = None if visitor is None else door().pass_of(visitor)
        return True
    observing.refused("full", waiting=door().waiting())
    st.set_page_config(page_title="Please wait – MetaMF")
    look.title(
        "This server is full",
        f"It serves {counted(door().places, 'visitor')} at once, so that it stays quick for each of them.",
    )
    fragment(_wait, "The door", LOOKS_AGAIN if place <= NEXT else LATER)()
    return False


def door() -> Door:
    """The door; one, however many come first at the same time."""
    with _making:
        return _door_of_process()


@cache
def _door_of_process() -> Door:
    return Door(min(limit(os.environ.get(LIMIT, "")), descriptors.visitors()), shared_pool.present)


def _wait() -> None:
    place = _place()
    if not place:
        st.rerun()
    before = "You are next" if place == 1 else f"{counted(place - 1, 'visitor')} came before you"
    sentence = f"{before}. This page opens by itself as soon as somebody leaves."
    st.html(f'<p class="mf-finding" role="status">{sentence}</p>')


def _place() -> int:
    visitor = shared_pool.visitor()
    return 0 if visitor is None else door().ask(visitor)

"""The rooms of this server, and who is visiting. No room is in a cache of Streamlit's or in a log.

Rooms are in the memory of this process, or, where the environment variable METAMF_REDIS holds the address of a Redis,
there: then all replicas of a server have the same rooms.
"""

from __future__ import annotations

import os
from functools import cache
from threading import Lock

import streamlit as st

from metamf.webapp import look
from metamf.webapp.monitoring.fragments import fragment
from metamf.webapp.rooms import codes
from metamf.webapp.rooms.desk import Desk
from metamf.webapp.rooms.store import MemoryStore, RoomsAwayError, RoomStore
from metamf.webapp.serving.places import REDIS

CODE, ME, LECTURER = "room", "me", "lecturer"  # parameters of the address
TRIES_AGAIN = 3  # seconds
_making = Lock()


def desk() -> Desk:
    """The desk that all visitors of this process stand at; one, however many come first at the same time."""
    with _making:
        return _desk_of_process()


@cache
def _desk_of_process() -> Desk:
    return Desk(_store(os.environ.get(REDIS, "")))


def _store(url: str) -> RoomStore:
    if not url:
        return MemoryStore()
    from metamf.webapp.rooms.redis_store import RedisStore  # a package that only replicas need

    return RedisStore(url)


def wait_for_rooms(error: RoomsAwayError) -> None:
    """Says that the rooms cannot be reached, and draws the page again every few seconds until they can."""
    look.note(str(error), "warning")
    runs: list[None] = []

    def again() -> None:
        if runs:
            st.rerun()
        runs.append(None)

    fragment(again, "Room: away", TRIES_AGAIN)()


def who() -> dict[str, str]:
    """The visitor as a throttle counts: this session, and the address or network that the connection comes from."""
    session = st.session_state.setdefault("room_session", codes.new_secret())
    address = st.context.ip_address  # None for a visitor on the server's own machine
    return {"session": session, "address": codes.network(address) if isinstance(address, str) else "this machine"}


def is_student() -> bool:
    """Whether the visit is a student's, who sees the room and nothing around it."""
    return CODE in st.query_params


def lecturer_key() -> str | None:
    """The key of the lecturer's room: from the address, or from this session if the visitor was on another page."""
    key = st.query_params.get(LECTURER) or st.session_state.get("room_key")
    if key is not None:
        st.session_state.room_key = key
        if st.query_params.get(LECTURER) != key:
            st.query_params[LECTURER] = key
    return key

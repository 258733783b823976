"""The rooms of this server process, and who is visiting. No room is in a cache of Streamlit's or in a log."""

from __future__ import annotations

from functools import cache
from threading import Lock

import streamlit as st

from metamf.webapp.rooms import codes
from metamf.webapp.rooms.desk import Desk
from metamf.webapp.rooms.store import MemoryStore

CODE, ME, LECTURER = "room", "me", "lecturer"  # parameters of the address
_making = Lock()


def desk() -> Desk:
    """The desk that all visitors of this process stand at; one, however many come first at the same time."""
    with _making:
        return _made()


@cache
def _made() -> Desk:
    return Desk(MemoryStore())


def who() -> dict[str, str]:
    """The visitor as a throttle counts: this session, and the address that the connection comes from."""
    session = st.session_state.setdefault("room_session", codes.new_secret())
    return {"session": session, "address": st.context.ip_address or "this machine"}


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

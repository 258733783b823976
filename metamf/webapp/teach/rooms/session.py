"""The visitor's side of the rooms: the rooms of this process, who is visiting, and which room is
the lecturer's.

Rooms are in the memory of this process or, where METAMF_REDIS holds the address of a Redis, there,
so that all replicas of a server have the same rooms. They are in no cache of Streamlit and in no
log.

The lecturer's key leaves the address at once: it moves to this session and to a cookie that no
script can read, under which a reload finds it again. A script of Streamlit cannot set such a
cookie. So the page draws an image whose address holds a ticket that is good for one request, and
the response to that request sets the cookie.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from urllib.parse import urlsplit

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from metamf.webapp import address, look
from metamf.webapp.teach.rooms.room import RoomError
from metamf.webapp.teach.rooms.service import RoomService, network, new_secret, split_key
from metamf.webapp.teach.rooms.store import LIFETIME, MemoryStore, RedisStore, RoomsAwayError

# parameters of the address
CODE = "room"
ME = "me"
LECTURER = "lecturer"
REDIS = "METAMF_REDIS"
RETRY_SECONDS = 3
TICKETS = "room-key"  # path of the addresses that set a cookie
_TICKET_SECONDS = 60  # in which the browser asks for the image
_tickets: dict[str, tuple[str, float]] = {}  # ticket -> lecturer's key, and when it was made


@cache
def service() -> RoomService:
    """Returns the rooms of this process; ``routes`` calls it first, since two visitors at once
    would get two."""
    url = os.environ.get(REDIS)
    return RoomService(RedisStore(url) if url else MemoryStore())


def who() -> dict[str, str]:
    """Returns the visitor as the limits count: this session, its address, and the network of
    that."""
    session = st.session_state.setdefault("room_session", new_secret())
    ip = st.context.ip_address or "this machine"
    return {"session": session, "address": network(ip), "network": network(ip, 48)}


def is_student() -> bool:
    """Whether the visitor is a student, who sees the room and nothing around it."""
    return CODE in st.query_params


@contextmanager
def waiting_for_rooms() -> Iterator[None]:
    """Says that the rooms cannot be reached, if so, and draws the page again every few seconds
    until they can."""
    try:
        yield
    except RoomsAwayError as error:
        look.note(str(error), "warning")
        runs: list[None] = []

        def again() -> None:
            if runs:
                st.rerun()
            runs.append(None)

        st.fragment(again, run_every=RETRY_SECONDS)()
        st.stop()


@contextmanager
def noting_errors() -> Iterator[None]:
    """Keeps a ``RoomError`` for the note that the next run draws."""
    try:
        yield
    except RoomError as error:
        st.session_state.room_note = str(error)


def draw_note() -> None:
    """Draws what was noted, once."""
    if note := st.session_state.pop("room_note", ""):
        look.note(note, "warning")


def lecturer_key() -> str | None:
    """Returns the key of the lecturer's room from a link, this session, or the cookie; the address
    keeps the code."""
    state = st.session_state
    in_address = st.query_params.get(LECTURER, "")
    code, secret = split_key(in_address)
    if secret:
        keep_key(in_address)
    elif code and split_key(state.get("room_key", ""))[0] != code:
        secret = st.context.cookies.get(_cookie(code), "")
        if secret:
            state.room_key = f"{code}.{secret}"
        else:
            state.room_note = (
                "This browser has no key to that room. Open it by the link that you "
                "saved for yourself."
            )
            del st.query_params[LECTURER]
    key = state.get("room_key")
    if key is not None and st.query_params.get(LECTURER) != split_key(key)[0]:
        st.query_params[LECTURER] = split_key(key)[0]
    return key


def keep_key(key: str) -> None:
    """Makes ``key`` the one of this session, and of this browser once ``draw_cookie`` has been
    drawn."""
    st.session_state.room_key = key
    st.session_state.room_ticket = ""
    st.query_params[LECTURER] = split_key(key)[0]


def forget_key(why: str) -> None:
    """Forgets the lecturer's key and everything else that this session has of the room, and notes
    why."""
    for name in ("room_key", "room_ticket", "room_drawn", "room_removed"):
        st.session_state.pop(name, None)
    st.query_params.pop(LECTURER, None)
    st.session_state.room_note = why


def draw_cookie() -> None:
    """Draws the invisible image that lets the browser keep the lecturer's key, which has opened the
    room."""
    state = st.session_state
    if state.get("room_ticket") == "":
        state.room_ticket = new_secret()
        _tickets[state.room_ticket] = state.room_key, time.monotonic()
        for ticket, (_, made) in list(_tickets.items()):  # other lecturers add some meanwhile
            if _is_over(made):
                _tickets.pop(ticket, None)
    if ticket := state.get("room_ticket"):
        folder = urlsplit(st.context.url or "").path.rstrip("/").rpartition("/")[0]
        st.html(f'<img src="{folder}/{TICKETS}/{ticket}" alt="" width="0" height="0">')


def routes() -> list[Route]:
    """Returns the route of the requests that ``draw_cookie`` makes, for ``st.App``, before the
    first visitor comes."""
    service()
    return [Route(address.path(f"{TICKETS}/{{ticket}}"), _set_cookie)]


def _set_cookie(request: Request) -> Response:
    """Sets the cookie of the key that the ticket stands for, once."""
    response = Response(status_code=204, headers={"Cache-Control": "no-store"})
    key, made = _tickets.pop(request.path_params["ticket"], ("", 0.0))
    if key and not _is_over(made):
        code, secret = split_key(key)
        secure = request.url.scheme == "https"
        response.set_cookie(
            _cookie(code), secret, LIFETIME, httponly=True, samesite="lax", secure=secure
        )
    return response


def _is_over(made: float) -> bool:
    return time.monotonic() - made > _TICKET_SECONDS


def _cookie(code: str) -> str:
    return f"metamf_room_{code}"

"""A student's view of a room on a phone: a name, a card for each thing, and the estimates after the
reveal."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from html import escape

import streamlit as st

from metamf.webapp import look
from metamf.webapp.teach.rooms import session
from metamf.webapp.teach.rooms.room import (
    LONGEST_NAME,
    OPEN,
    RATING_NOW,
    REVEALED,
    Room,
    RoomError,
    Student,
    rating_label,
)
from metamf.webapp.teach.rooms.store import RoomGoneError, RoomsAwayError

POLL_SECONDS = 3  # between two looks of a phone at its room
_LEADS = {
    OPEN: "You are in. Your lecturer will start in a moment.",
    RATING_NOW: "Tap a number to rate, and tap it again to take it back. Skip what you do not know.",
    REVEALED: "What the model guessed about you from the rest of the class.",
}


def student_view() -> None:
    """Draws the room that the address names, or says why it cannot."""
    secret = st.query_params.get(session.ME, "")
    try:
        with session.waiting_for_rooms():
            code = session.service().find(st.query_params[session.CODE], session.who(), secret)
            room, student = session.service().seated(code, secret)
    except RoomError as error:
        look.title("No room here", str(error))
        st.button("Type the code", on_click=st.query_params.clear, type="primary")
        return
    if student is None:
        look.title(room.title, f"{len(room.items)} things to rate")
        if secret:
            look.note("You are not in this room any more. You can join again.", "warning")
        _join(code)
        return
    look.title(room.title, _LEADS[room.phase])
    st.html(f'<p class="room-me">You are <b>{escape(student.name)}</b></p>')
    st.fragment(_watch, run_every=POLL_SECONDS)(code, secret, room.phase)
    if room.phase == REVEALED:
        _expected(room.items, student)
    else:
        st.fragment(_cards)(code, secret)


def _join(code: str) -> None:
    session.draw_note()
    with st.form("room_come_in", border=False):
        # The same for everybody at any time: Streamlit forgets what is typed into a field that
        # comes back changed.
        name = st.text_input("Your name, or a made-up one", max_chars=LONGEST_NAME, key="room_name")
        look.small(
            "You may leave it empty. Everybody in the room sees it, and it is deleted with the "
            "room."
        )
        if st.form_submit_button("Join", type="primary", width="stretch"):
            with session.noting_errors():
                st.query_params[session.ME] = session.service().join(code, name)
                st.query_params[session.CODE] = code
            st.rerun()


def _seated(code: str, secret: str, phase: str = "") -> tuple[Room, Student]:
    """The room and the student; runs the page again if either has gone, or another phase than
    ``phase`` has begun."""
    with suppress(RoomGoneError):
        room, student = session.service().seated(code, secret)
        if student is not None and phase in ("", room.phase):
            return room, student
    st.rerun()


def _watch(code: str, secret: str, phase: str) -> None:
    with suppress(RoomsAwayError):  # the screen stays as it is
        _seated(code, secret, phase)


def _cards(code: str, secret: str) -> None:
    """One card for each thing; a tap is sent at once and redraws these cards only."""
    with session.waiting_for_rooms():
        room, student = _seated(code, secret)
    st.html(
        f'<p class="room-done" role="status">{len(student.ratings)} of {len(room.items)} rated</p>'
    )
    session.draw_note()
    for item, name in room.items.items():
        key = f"room_rate_{item}"
        st.session_state.setdefault(key, student.ratings.get(item))
        with st.container(border=True, key=f"room_card_{item}"):
            st.html(f'<p class="room-item">{escape(name)}</p>')
            st.pills(
                look.as_hidden_label(name),
                room.scale,
                format_func=lambda value: rating_label(room.scale, value),
                key=key,
                on_change=_rate,
                args=(code, secret, item, key),
                disabled=room.phase != RATING_NOW,
                label_visibility="collapsed",
            )


@session.noting_errors()
def _rate(code: str, secret: str, item: int, key: str) -> None:
    session.service().rate(code, secret, item, st.session_state[key])


def _expected(items: Mapping[int, str], student: Student) -> None:
    """Draws what the model expected of the student, the largest surprise first."""
    if not student.expected:
        look.note(
            "There are no estimates for you, because you joined after the model had computed them."
        )
        return
    if sentence := own_surprise(items, student):
        with st.container(key="room_surprise"):
            look.finding(sentence)
    rows = ""
    for item, name in items.items():
        words = f"estimate <b>{student.expected[item]:.1f}</b>"
        if item in student.ratings:
            given = student.ratings[item]
            words = f"you gave <b>{given}</b>, estimate {student.expected[item]:.1f}"
        rows += f"<li><span>{escape(name)}</span><span>{words}</span></li>"
    st.html(f'<ul class="room-expected">{rows}</ul>')
    look.small("These estimates come from a few ratings of a few people and are often wrong.")


def own_surprise(items: Mapping[int, str], student: Student) -> str:
    """Returns the sentence on a student's own largest surprise; '' without one."""
    expected = student.expected
    off = {item: abs(given - expected[item]) for item, given in student.ratings.items()}
    item = max(off, key=off.__getitem__, default=None)
    if item is None or off[item] < 0.5:
        return ""
    return (
        f"Your largest surprise: you gave {items[item]} {student.ratings[item]}; the model guessed "
        f"{expected[item]:.1f}."
    )

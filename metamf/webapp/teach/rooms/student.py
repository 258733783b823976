"""A student's view of a room on a phone: a name, a card for each thing, and the estimates after the reveal."""

from __future__ import annotations

from contextlib import suppress
from html import escape

import streamlit as st

from metamf.webapp import look
from metamf.webapp.teach.rooms import session
from metamf.webapp.teach.rooms.results import own_surprise
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
    REVEALED: "What the model guessed of you from the other ratings of the class.",
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
    look.title(room.title, _LEADS[room.phase] if student else f"{len(room.items)} things to rate")
    if student is None:
        if secret:
            look.note("You are not in this room any more. You can join again.", "warning")
        _join(code)
        return
    st.html(f'<p class="room-me">You are <b>{escape(student.name)}</b></p>')
    st.fragment(_watch, run_every=POLL_SECONDS)(code, secret, room.phase)
    if room.phase == REVEALED:
        _expected(room, student)
    else:
        st.fragment(_cards)(code, secret)


def _join(code: str) -> None:
    session.draw_note()
    with st.form("room_come_in", border=False):
        # The same for everybody at any time: Streamlit forgets what is typed into a field that comes back changed.
        name = st.text_input("Your name, or a made-up one", max_chars=LONGEST_NAME, key="room_name")
        look.small("You may leave it empty. Everybody in the room sees it, and it is deleted with the room.")
        if st.form_submit_button("Join", type="primary", width="stretch"):
            with session.noting_errors():
                st.query_params[session.ME] = session.service().join(code, name)
                st.query_params[session.CODE] = code
            st.rerun()


def _watch(code: str, secret: str, phase: str) -> None:
    """Draws nothing; runs the page again when the room's phase has changed or the student is no longer in it."""
    with suppress(RoomsAwayError):  # the screen stays as it is
        try:
            room, student = session.service().seated(code, secret)
        except RoomGoneError:
            st.rerun()
        if room.phase != phase or student is None:
            st.rerun()


def _cards(code: str, secret: str) -> None:
    """One card for each thing; a tap is sent at once and redraws these cards only."""
    try:
        with session.waiting_for_rooms():
            room, student = session.service().seated(code, secret)
    except RoomGoneError:
        st.rerun()
    if student is None:
        st.rerun()
    st.html(f'<p class="room-done" role="status">{len(student.ratings)} of {len(room.items)} rated</p>')
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


def _expected(room: Room, student: Student) -> None:
    if not student.expected:
        look.note("There are no estimates for you, because you joined after the model had computed them.")
        return
    rows = ""
    for item, name in room.items.items():
        given = student.ratings.get(item)
        estimate = f"{student.expected[item]:.1f}"
        words = f"estimate <b>{estimate}</b>" if given is None else f"you gave <b>{given}</b>, estimate {estimate}"
        rows += f"<li><span>{escape(name)}</span><span>{words}</span></li>"
    st.html(f'<ul class="room-expected">{rows}</ul>')
    look.small("These estimates come from a few ratings of a few people and are often wrong.")
    if sentence := own_surprise(room.items, student):
        # The last on the page and held at the lower edge: a phone that had scrolled through the cards shows it at once.
        with st.container(key="room_surprise"):
            look.finding(sentence)

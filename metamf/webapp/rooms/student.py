"""A student's view of a room, on a phone: a name, one card per thing, and after the reveal what was expected."""

from __future__ import annotations

from html import escape

import streamlit as st

from metamf.webapp import look
from metamf.webapp.monitoring.fragments import fragment
from metamf.webapp.rooms import here
from metamf.webapp.rooms.findings import own_surprise
from metamf.webapp.rooms.lists import rating_label
from metamf.webapp.rooms.room import LONGEST_NAME, OPEN, RATING_NOW, REVEALED, Item, Room, RoomError, Student
from metamf.webapp.rooms.store import RoomGoneError, RoomsAwayError

LOOKS_AGAIN = 3  # seconds between two looks of a phone at its room
_PREFIX = "room_rate_"


def student_view() -> None:
    """Draws the view of the room that the address names; the entrance's note if there is none."""
    try:
        secret = st.query_params.get(here.ME, "")
        code = here.desk().find(st.query_params[here.CODE], here.who(), secret)
        room, student = here.desk().seated(code, secret)
    except RoomsAwayError as error:
        here.wait_for_rooms(error)
        return
    except RoomError as error:
        _no_room(str(error))
        return
    look.title(room.title, _LEADS[room.phase] if student else f"{len(room.items)} things to rate")
    if student is None:
        if secret:
            look.note("You are not in this room any more. You can join again.", "warning")
        _join(code, room)
        return
    st.html(f'<p class="room-me">You are <b>{escape(student.name)}</b></p>')
    fragment(_watch, "Room: phone", LOOKS_AGAIN)(code, secret, room.phase)
    if room.phase == REVEALED:
        _expected(room, student)
    else:
        fragment(_cards, "Room: cards")(code, secret)


_LEADS = {
    OPEN: "You are in. The lecturer will start in a moment.",
    RATING_NOW: "Tap a number: it is sent at once. Tap it again to take it back. Leave out what you do not know.",
    REVEALED: "What the model expected of you: each rating from other ratings, those of the class and your own.",
}


def _no_room(why: str) -> None:
    look.title("No room here", why)
    st.button("Type the code", on_click=_leave, type="primary")


def _leave() -> None:
    for name in (here.CODE, here.ME):
        st.query_params.pop(name, None)


def _join(code: str, room: Room) -> None:
    with st.form("room_come_in", border=False):
        # The same for everybody at any time: Streamlit forgets what is typed into a field that comes back changed.
        name = st.text_input("Your name, or a made-up one", max_chars=LONGEST_NAME, key="room_name")
        look.small("It may be left empty. Everybody in the room sees it, and it is deleted with the room.")
        if st.form_submit_button("Come in", type="primary", width="stretch"):
            try:
                st.query_params[here.ME] = here.desk().join(code, name)
            except RoomError as error:
                look.note(str(error), "warning")
            else:
                st.query_params[here.CODE] = code
                st.rerun()


def _watch(code: str, secret: str, phase: str) -> None:
    """Draws nothing; draws the page anew when the room has come into another phase, or the student is out of it."""
    try:
        room, student = here.desk().seated(code, secret)
    except RoomsAwayError:
        return  # the screen stays as it is
    except RoomGoneError:
        st.rerun()
    if room.phase != phase or student is None:
        st.rerun()


def _cards(code: str, secret: str) -> None:
    """One card per thing; a tap is sent at once, and draws these cards alone."""
    try:
        room, student = here.desk().seated(code, secret)
    except RoomsAwayError as error:
        here.wait_for_rooms(error)
        return
    except RoomGoneError:
        st.rerun()
    if student is None:
        st.rerun()
    done = len(student.ratings)
    st.html(f'<p class="room-done" role="status">{done} of {len(room.items)} rated</p>')
    if note := st.session_state.pop("room_note", ""):
        look.note(note, "warning")
    for item in room.items:
        _card(code, secret, room, student, item)


def _card(code: str, secret: str, room: Room, student: Student, item: Item) -> None:
    key = f"{_PREFIX}{item.id}"
    if key not in st.session_state:
        st.session_state[key] = student.ratings.get(item.id)
    with st.container(border=True, key=f"room_card_{item.id}"):
        st.html(f'<p class="room-item">{escape(item.name)}</p>')
        st.pills(
            look.as_hidden_label(item.name),
            room.scale.values,
            format_func=lambda value: rating_label(room.scale, value),
            key=key,
            on_change=_rated,
            args=(code, secret, item.id, key),
            disabled=room.phase != RATING_NOW,
            label_visibility="collapsed",
        )


def _rated(code: str, secret: str, item: int, key: str) -> None:
    try:
        here.desk().rate(code, secret, item, st.session_state[key])
    except RoomError as error:
        st.session_state.room_note = str(error)


def _expected(room: Room, student: Student) -> None:
    names = {item.id: item.name for item in room.items}
    if not student.expected:
        look.note("Nothing was expected of you: you came in after the model had looked.")
        return
    if sentence := own_surprise(names, dict(student.ratings), dict(student.expected)):
        look.finding(sentence)
    rows = []
    for item in room.items:
        if item.id not in student.expected:
            continue
        guess, given = student.expected[item.id], student.ratings.get(item.id)
        own = (
            f"you gave <b>{given}</b>, we expected {guess:.1f}"
            if given is not None
            else f"we think you would give <b>{guess:.1f}</b>"
        )
        rows.append(f"<li><span>{escape(item.name)}</span><span>{own}</span></li>")
    st.html(f'<ul class="room-expected">{"".join(rows)}</ul>')
    look.small("An estimate from a few ratings of a few people: it is often wrong.")

"""The page Room before one is in a room: students type a code, lecturers open a room."""

from __future__ import annotations

import streamlit as st

from metamf.webapp import look
from metamf.webapp.rooms import here
from metamf.webapp.rooms.lists import LISTS, OWN, SCALES
from metamf.webapp.rooms.room import FEWEST_ITEMS, LONGEST_TITLE, MOST_ITEMS, MOST_STUDENTS, RoomError
from metamf.webapp.rooms.store import LIFETIME
from metamf.wording import counted

_MOST_TYPED = 4000  # characters of a list


def entrance() -> None:
    """Draws the entrance."""
    look.title(
        "A class's own matrix",
        "A class rates a list of films, or of anything, on its phones. The screen fills in live, and then shows what "
        "the model expected of everybody.",
    )
    if note := st.session_state.pop("room_note", ""):
        look.note(note, "warning")
    students, lecturers = st.columns([1, 1.6], gap="large")
    with students:
        _join()
    with lecturers:
        _open()


def _join() -> None:
    look.panel("Join a room", "with a code")
    with st.form("room_join", border=False):
        st.text_input(
            "Code", key="room_code", max_chars=20, placeholder="BKTM-WXRD", help="It stands on the lecturer's screen"
        )
        if st.form_submit_button("Join", type="primary"):
            try:
                st.query_params[here.CODE] = here.desk().find(st.session_state.room_code, here.who())
            except RoomError as error:
                look.note(str(error), "warning")
            else:
                st.rerun()


def _open() -> None:
    look.panel("Open a room", "for a class")
    session = st.session_state
    session.setdefault("room_list", next(iter(LISTS)))
    if "room_items" not in session:
        _take_list()
    st.selectbox("Begin with", [*LISTS, OWN], key="room_list", on_change=_take_list)
    with st.form("room_open", border=False):
        st.text_input("What is rated", key="room_title", max_chars=LONGEST_TITLE)
        st.text_area(
            f"One thing per line, {FEWEST_ITEMS} to {MOST_ITEMS} of them",
            key="room_items",
            height=240,
            max_chars=_MOST_TYPED,
        )
        st.radio("Scale", list(SCALES), key="room_scale", horizontal=True)
        if st.form_submit_button("Open the room", type="primary"):
            _opened()
    look.small(
        f"A room holds up to {MOST_STUDENTS} students and lives in memory alone, for "
        f"{counted(LIFETIME // 3600, 'hour')} at most. Nothing is written to a disk or a log. Closing it deletes all."
    )


def _take_list() -> None:
    session = st.session_state
    session.room_items = "\n".join(LISTS.get(session.room_list, ()))
    session.room_title = session.room_list if session.room_list in LISTS else ""


def _opened() -> None:
    session = st.session_state
    names = session.room_items.splitlines()
    try:
        key = here.desk().open(session.room_title, names, SCALES[session.room_scale], here.who())
    except RoomError as error:
        look.note(str(error), "warning")
        return
    session.room_key = key
    st.query_params[here.LECTURER] = key
    st.rerun()

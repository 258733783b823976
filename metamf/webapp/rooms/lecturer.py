"""The lecturer's screen: code and QR, the matrix that fills in live, the reveal, and the way on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from html import escape

import streamlit as st

from metamf.webapp import look
from metamf.webapp.monitoring.fragments import fragment
from metamf.webapp.rooms import expectations, here, joining, onward, removing
from metamf.webapp.rooms.findings import findings
from metamf.webapp.rooms.room import OPEN, RATING_NOW, REVEALED, Room, RoomError
from metamf.webapp.rooms.store import RoomGoneError, RoomsAwayError
from metamf.webapp.rooms.table import legend, matrix_table
from metamf.wording import counted

LOOKS_AGAIN = 1.5  # seconds between two looks of the lecturer's screen at the room
REVEALED_LOOKS_AGAIN = 30  # then only to see whether the room is still there
_LEADS = {
    OPEN: "Students come in by the code. Start when all are there; who comes later can still join.",
    RATING_NOW: "The class rates. Every rating stands here within two seconds.",
    REVEALED: "What the model expected of everybody, each rating from other ratings, and who disagrees.",
}


def lecturer_view(key: str) -> None:
    """Draws the room of that key, or says that it is closed."""
    try:
        room = here.desk().hosted(key)
    except RoomsAwayError as error:
        here.wait_for_rooms(error)
        return
    except RoomGoneError as error:
        forget()
        st.session_state.room_note = str(error)
        st.rerun()
    look.title(room.title, _LEADS[room.phase])
    if note := st.session_state.pop("room_note", ""):
        look.note(note, "warning")
    _controls(key, room)
    if room.phase == REVEALED:
        fragment(_live, "Room: revealed", REVEALED_LOOKS_AGAIN)(key, room.phase)
        return
    side, main = st.columns([1, 2.7], gap="large")
    with side:
        joining.panel(here.desk().code(key))
    with main:
        fragment(_live, "Room: table", LOOKS_AGAIN)(key, room.phase)


def forget() -> None:
    """Forgets the lecturer's key and all that this session made of the room."""
    for name in ("room_key", "room_drawn", "room_removed"):
        st.session_state.pop(name, None)
    st.query_params.pop(here.LECTURER, None)


# -- controls ---------------------------------------------------------------------------------------------------------


def _controls(key: str, room: Room) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="room_controls"):
        if room.phase == OPEN:
            _button("Start rating", "play_arrow", key, Room.start, primary=True)
        if room.phase == RATING_NOW:
            st.toggle(
                "Fill in the empty cells",
                key="room_fill",
                persist_state="session",
                help="The model's estimates from the ratings so far; they follow as ratings come in",
            )
            st.button("Reveal", icon=":material/visibility:", type="primary", on_click=_reveal, args=(key,))
        if room.phase == REVEALED:
            if room.n_ratings:  # all students may have been taken out
                onward.buttons(room)
            _button("Rate again", "undo", key, Room.start)
        else:
            word = "Close the door" if room.door else "Open the door"
            _button(word, "door_front", key, lambda room: room.set_door(not room.door))
        st.toggle("Names", True, key="room_names", persist_state="session", help="Off: numbers instead of nicknames")
        with st.popover("More", icon=":material/more_horiz:"):
            _more(key)


def _more(key: str) -> None:
    titles = expectations.models()
    st.selectbox("Model that fills in", list(titles), format_func=titles.get, key="room_model", persist_state="session")
    look.small(
        "The address of this page is the key of your room: after a reload it opens the room again, on any computer. "
        "Keep it to yourself. If somebody may have read it from the screen, make a new one."
    )
    st.button("New address for me", icon=":material/key:", on_click=_new_key, args=(key,), key="room_new_key")
    look.small("Closing deletes all names and ratings now. Otherwise they are deleted four hours after the opening.")
    st.button(
        "Close the room and delete everything", icon=":material/delete:", on_click=_close, args=(key,), key="room_close"
    )


def _button(label: str, icon: str, key: str, act: Callable[[Room], Room], primary: bool = False) -> None:
    kind = "primary" if primary else "secondary"
    st.button(label, icon=f":material/{icon}:", type=kind, on_click=change, args=(key, act))


def change(key: str, act: Callable[[Room], Room]) -> None:
    """Changes the room; what is refused is noted."""
    try:
        here.desk().change(key, act)
    except RoomError as error:
        st.session_state.room_note = str(error)


def _reveal(key: str) -> None:
    """Computes the model's expectations before the room is touched: phones do not wait for it."""
    try:
        room = here.desk().hosted(key)
        expected = expectations.by_id(room, expectations.expected(room, st.session_state.get("room_model")))
        here.desk().change(key, lambda room: room.reveal(expected))
    except RoomError as error:
        st.session_state.room_note = str(error)


def _new_key(key: str) -> None:
    try:
        st.session_state.room_key = st.query_params[here.LECTURER] = here.desk().new_key(key)
    except RoomError as error:
        st.session_state.room_note = str(error)


def _close(key: str) -> None:
    try:
        with suppress(RoomGoneError):  # closed before, by another window
            here.desk().close(key)
    except RoomError as error:
        st.session_state.room_note = str(error)
        return
    forget()
    st.session_state.room_note = "The room is closed. All that was in it is deleted."


# -- what fills in ----------------------------------------------------------------------------------------------------


def _live(key: str, phase: str) -> None:
    """Numbers and matrix; drawn again every second or two, and made again only if the room has another version."""
    try:
        room = here.desk().hosted(key)
    except RoomsAwayError as error:
        look.note(str(error), "warning")  # above what was drawn last
        for part in st.session_state.get("room_drawn", (None, ()))[1]:
            st.html(part)
        return
    except RoomGoneError:
        st.rerun()
    if room.phase != phase:
        st.rerun()
    st.html(
        f'<p class="room-count"><b>{counted(len(room.students), "student")}</b>'
        f"<b>{counted(room.n_ratings, 'rating')}</b> of {len(room.students) * len(room.items)}</p>"
    )
    for part in _drawn(room):
        st.html(part)
    removing.panel(key, room, change)


def _drawn(room: Room) -> tuple[str, ...]:
    session = st.session_state
    said = (session.get(name) for name in ("room_fill", "room_names", "room_model"))
    wanted = (room.version, room.lecturer, *said)
    kept = session.get("room_drawn")
    if kept is None or kept[0] != wanted:
        kept = session.room_drawn = wanted, tuple(_parts(room))
    return kept[1]


def _parts(room: Room) -> list[str]:
    session = st.session_state
    names = session.get("room_names", True)
    if not room.students:
        return ['<p class="room-empty">Nobody is here yet. The matrix grows with every student.</p>']
    if room.phase == REVEALED:
        found = expectations.agreement(room)
        cards = "".join(
            f"<div><h2>{escape(heading)}</h2><p>{escape(sentence)}</p></div>"
            for heading, sentence in findings(room, found, names)
        )
        table = matrix_table(room, found.expected, found, names) + legend(room.scale, True, True)
        return [f'<div class="room-reveal"><div>{table}</div><div class="room-findings">{cards}</div></div>']
    filled, note = None, []
    if room.phase == RATING_NOW and session.get("room_fill", False):
        try:
            filled = expectations.filled(room, session.get("room_model"))
        except RoomError as error:
            note = [f'<p class="mf-small">{escape(str(error))}</p>']
    return [*note, matrix_table(room, filled, None, names), legend(room.scale, filled is not None, False)]

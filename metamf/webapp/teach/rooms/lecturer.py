"""The lecturer's screen: QR code, the matrix that fills in live, the reveal, removing, and the way
to other pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title, usual_checkpoints
from metamf.tables import write
from metamf.webapp import choices, files, look
from metamf.webapp.data import box, own
from metamf.webapp.data.own import Upload
from metamf.webapp.teach.rooms import results, session
from metamf.webapp.teach.rooms.entrance import qr_panel
from metamf.webapp.teach.rooms.room import OPEN, RATING_NOW, REVEALED, Room, RoomError, rating_label
from metamf.webapp.teach.rooms.service import split_key
from metamf.webapp.teach.rooms.store import RoomGoneError, RoomsAwayError
from metamf.wording import counted

POLL_SECONDS = 1.5  # between two looks of the lecturer's screen at the room
REVEALED_POLL_SECONDS = 30  # then only to notice when the room is gone
_KEEP = (
    80  # percent of the ratings that the other pages give to the model; the others show its errors
)
_LEADS = {
    OPEN: "Students join with the code. Start when everybody is here; latecomers can still join.",
    RATING_NOW: "Your class is rating. Each rating appears here within two seconds.",
    REVEALED: "What the model guessed, and who surprised it.",
}


def lecturer_view(key: str) -> None:
    """Draws the room of that key, or says that it is closed."""
    try:
        with session.waiting_for_rooms():
            room = session.service().hosted(key)
    except RoomGoneError as error:
        session.forget_key(str(error))
        st.rerun()
    look.title(room.title, _LEADS[room.phase])
    session.draw_cookie()
    session.draw_note()
    with st.container(horizontal=True, vertical_alignment="center", key="room_controls"):
        _controls(key, room)
    if room.phase == REVEALED:
        st.fragment(_live, run_every=REVEALED_POLL_SECONDS)(key, room.phase)
        return
    side, main = st.columns([1, 2.7], gap="medium")
    with side:
        qr_panel(split_key(key)[0])
    with main:
        st.fragment(_live, run_every=POLL_SECONDS)(key, room.phase)


def _controls(key: str, room: Room) -> None:
    def button(label: str, icon: str, act: Callable[..., None], *about: Any, **how: Any) -> None:
        st.button(label, icon=f":material/{icon}:", on_click=act, args=(key, *about), **how)

    if room.phase == OPEN:
        button("Start rating", "play_arrow", _change, Room.start, type="primary")
    if room.phase == RATING_NOW:
        help = "Shows the model's estimates, which follow as ratings come in"
        name = "Fill in the empty cells"
        st.toggle(name, key="room_fill", persist_state="session", help=help)
        button("Reveal", "visibility", _reveal, type="primary")
    if room.phase == REVEALED:
        if room.n_ratings:  # the lecturer may have removed all students
            box.to_explore(partial(_take, room, _model()), "room")
            make = partial(as_csv, room)
            icon = ":material/download:"
            files.offer("Ratings as CSV", make, "room.csv", key="room_csv", icon=icon)
        button("Rate again", "undo", _change, Room.start)
    else:
        word = "No new students" if room.door else "Let students in"
        button(word, "door_front", _change, partial(replace, door=not room.door))
    help = "Turn off to show numbers instead"
    st.toggle("Names", True, key="room_names", persist_state="session", help=help)
    with st.popover("More", icon=":material/more_horiz:"):
        st.selectbox(
            "Model",
            sorted(usual_checkpoints(), key=lambda name: name != results.PAPER),
            format_func=checkpoint_title,
            key="room_model",
            persist_state="session",
        )
        look.small(
            "This browser finds the room again after a reload. To open it on another computer, "
            "copy this link, which lets anybody do what you can do. The eye shows it."
        )
        link = f"{(st.context.url or '').partition('?')[0]}?{session.LECTURER}={key}"
        st.text_input("Your link", link, type="password", key=f"room_link_{key[-4:]}")
        button("Replace the link", "key", _new_key)
        look.small(
            "Closing the room deletes all names and ratings now instead of four hours after the "
            "opening."
        )
        button("Close the room and delete everything", "delete", _close)


@session.noting_errors()
def _change(key: str, act: Callable[[Room], Room]) -> None:
    session.service().change(key, act)


@session.noting_errors()
def _reveal(key: str) -> None:
    """Computes the estimates before it changes the room, so that phones do not wait for it."""
    expected = results.expected(session.service().hosted(key), _model())
    session.service().change(key, lambda room: room.reveal(expected))


@session.noting_errors()
def _new_key(key: str) -> None:
    session.keep_key(session.service().new_key(key))


@session.noting_errors()
def _close(key: str) -> None:
    with suppress(RoomGoneError):  # another window has closed it
        session.service().close(key)
    session.forget_key("The room is closed, and everything in it is deleted.")


def _model() -> str:
    """The checkpoint that fills in."""
    return st.session_state.get("room_model") or results.PAPER


def _take(room: Room, model: str) -> None:
    """Makes the matrix the session's own table, which Explore shows filled in by the same model."""
    own.bring(Upload("room.csv", as_csv(room)))
    choices.explore_own(_KEEP)
    st.session_state.model = model


def as_csv(room: Room) -> bytes:
    """Returns the ratings as CSV, one line for each student; names that a spreadsheet would execute
    are escaped."""
    return write.to_csv_wide(results.ratings(room))


def _live(key: str, phase: str) -> None:
    """Draws numbers and matrix; they are made again only if something has changed."""
    state = st.session_state
    try:
        room = session.service().hosted(key)
    except RoomsAwayError as error:
        look.note(str(error), "warning")  # above what was drawn last
        if "room_drawn" in state:
            st.html(state.room_drawn[1])
        return
    except RoomGoneError:
        st.rerun()
    if room.phase != phase:
        st.rerun()
    students = len(room.students)
    st.html(
        f'<p class="room-count"><b>{counted(students, "student")}</b>'
        f"<b>{counted(room.n_ratings, 'rating')}</b> of {students * len(room.items)}</p>"
    )
    wanted = (room, bool(state.get("room_fill")), state.get("room_names", True), _model())
    if "room_drawn" not in state or state.room_drawn[0] != wanted:
        state.room_drawn = wanted, table_of(*wanted)
    st.html(state.room_drawn[1])
    if room.phase == REVEALED or state.get("room_fill"):
        look.small(results.about_the_model(_model()))
    _removing(key, room)


def table_of(room: Room, fills: bool, named: bool, model: str) -> str:
    """Returns the matrix as HTML; with the findings once it is revealed, else filled in where the
    lecturer wants it."""
    names = results.row_names(room, named)
    if not names:
        return (
            '<p class="room-empty">Nobody is here yet. Each student will be a row of the '
            "matrix.</p>"
        )
    if room.phase == REVEALED:
        found = results.agreement(room)
        table = results.matrix_table(room, names, found.expected, found)
        cards = "".join(
            f"<div><h2>{escape(heading)}</h2><p>{escape(sentence)}</p></div>"
            for heading, sentence in results.findings(room, found, names).items()
        )
        findings = f'<div class="room-findings">{cards}</div>'
        return f'<div class="room-reveal"><div>{table}</div>{findings}</div>'
    if not fills or room.phase != RATING_NOW:
        return results.matrix_table(room, names)
    try:
        return results.matrix_table(room, names, results.filled(room, model))
    except RoomError as error:
        note = f'<p class="mf-small">{escape(str(error))}</p>'
        return note + results.matrix_table(room, names)


# -- removing


def _removing(key: str, room: Room) -> None:
    if "room_removed" in st.session_state:
        with st.container(horizontal=True, vertical_alignment="center"):
            look.small(f"You removed {st.session_state.room_removed[1].name} with all ratings.")
            icon = ":material/undo:"
            st.button("Undo", icon=icon, on_click=_bring_back, args=(key,), key="room_bring_back")
    with st.popover("Remove", icon=":material/person_remove:", type="tertiary"):
        students = {id: student.name for id, student in room.students.items()}
        _pills("A student, with all ratings", students, "room_out_student", key, _without_student)
        _pills("A thing, with all its ratings", room.items, "room_out_item", key, Room.without_item)
        chosen = st.selectbox(
            "A single rating by", students, None, lambda id: students.get(id, ""), key="room_out_of"
        )
        if chosen is not None and chosen in room.students:
            given = {
                item: f"{room.items[item]}: {rating_label(room.scale, value)}"
                for item, value in room.students[chosen].ratings.items()
            }
            without = partial(_without_rating, chosen)
            _pills("Which rating", given, "room_out_rating", key, without)


def _pills(
    label: str,
    options: Mapping[Any, str],
    name: str,
    key: str,
    without: Callable[[Room, Any], Room],
) -> None:
    """Draws a pill for each option; a click removes what it stands for."""

    def clicked() -> None:
        option = st.session_state[name]
        st.session_state[name] = None
        if option is not None:
            _change(key, lambda room: without(room, option))

    if options:
        st.pills(
            label,
            list(options),
            format_func=lambda option: look.as_markdown(options.get(option, "")),
            key=name,
            on_change=clicked,
        )


def _without_student(room: Room, id: str) -> Room:
    if id in room.students:  # kept with what was rated since the page was drawn
        st.session_state.room_removed = id, room.students[id]
    return room.without_student(id)


def _without_rating(id: str, room: Room, item: int) -> Room:
    return room.without_rating(id, item)


def _bring_back(key: str) -> None:
    if removed := st.session_state.pop("room_removed", ()):
        _change(key, lambda room: room.with_student_back(*removed))

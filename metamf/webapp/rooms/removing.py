"""Taking out what does not belong into a room: a student, a thing or a rating, by one click each."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from metamf.webapp import look
from metamf.webapp.rooms.lists import rating_label
from metamf.webapp.rooms.room import Room

RoomChange = Callable[[str, Callable[[Room], Room]], None]


def panel(key: str, room: Room, change: RoomChange) -> None:
    """Draws the panel; ``change(key, act)`` changes the room."""
    removed = st.session_state.get("room_removed")
    if removed is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            look.small(f"{removed.name} is out of the room, with all ratings.")
            st.button("Undo", icon=":material/undo:", on_click=_bring_back, args=(key, change), key="room_bring_back")
    with st.expander("Take something out", icon=":material/person_remove:"):
        students = {student.id: student.name for student in room.students}
        _pills("A student, with all ratings", students, "room_out_student", _out_student, key, room, change)
        things = {item.id: item.name for item in room.items}
        _pills("A thing, with all its ratings", things, "room_out_item", _out_item, key, room, change)
        chosen = st.selectbox(
            "A single rating of",
            list(students),
            None,
            format_func=students.get,
            key="room_out_of",
            placeholder="Student",
        )
        student = None if chosen is None else room.student(chosen)
        if student is not None:
            given = {i: f"{things[i]}: {rating_label(room.scale, v)}" for i, v in student.ratings.items()}
            _pills("Which one", given, "room_out_rating", _out_rating, key, room, change)


def _pills(said: str, options: dict, name: str, act: Callable, key: str, room: Room, change: RoomChange) -> None:
    """One pill for each option; the pill that is clicked is gone in the next moment."""
    if options:
        st.pills(
            said,
            list(options),
            format_func=lambda option: look.as_markdown(options.get(option, "")),
            key=name,
            on_change=act,
            args=(key, room, change),
        )


def _clicked(name: str):
    value, st.session_state[name] = st.session_state[name], None
    return value


def _out_student(key: str, _room: Room, change: RoomChange) -> None:
    id = _clicked("room_out_student")

    def out(now: Room) -> Room:
        st.session_state.room_removed = now.student(id)  # with what was rated since the page was drawn
        return now.without_student(id)

    if id is not None:
        change(key, out)


def _out_item(key: str, _room: Room, change: RoomChange) -> None:
    item = _clicked("room_out_item")
    if item is not None:
        change(key, lambda room: room.without_item(item))


def _out_rating(key: str, _room: Room, change: RoomChange) -> None:
    item, student = _clicked("room_out_rating"), st.session_state.room_out_of
    if item is not None and student is not None:
        change(key, lambda room: room.without_rating(student, item))


def _bring_back(key: str, change: RoomChange) -> None:
    student = st.session_state.pop("room_removed", None)
    if student is not None:
        change(key, lambda room: room.with_student_back(student))

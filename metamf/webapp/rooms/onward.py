"""The ways on for a room's matrix: the other pages, or a file."""

from __future__ import annotations

import numpy as np
import streamlit as st

from metamf.tables import write
from metamf.webapp.matrix import grid
from metamf.webapp.matrix.choices import DEFAULT, GRID, UPLOAD
from metamf.webapp.matrix.typed import LARGEST
from metamf.webapp.rooms import expectations
from metamf.webapp.rooms.room import Room
from metamf.webapp.uploads import Upload

_KEEP = 80  # percent of the ratings that the other pages give to the model; the others show its errors


def buttons(room: Room) -> None:
    """Draws the buttons to the other pages and of the file."""
    for name, page, icon in (("Fill in", "fill_in", "grid_on"), ("Watch", "watch", "play_circle")):
        label = f"Take it to {name}"
        if st.button(
            label, icon=f":material/{icon}:", type="primary", on_click=take, args=(room,), key=f"room_to_{page}"
        ):
            st.switch_page(f"pages/{page}.py", query_params={})  # its own keep what the sidebar says
    st.download_button(
        "Ratings as CSV", lambda: as_csv(room), "room.csv", "text/csv", icon=":material/download:", on_click="ignore"
    )


def as_csv(room: Room) -> bytes:
    """The ratings of a room as CSV: one line per student; names that a spreadsheet would run are escaped."""
    ratings = expectations.ratings(room)
    return write.to_csv_wide(write.Filled(ratings, np.full(ratings.shape, np.nan)))


def take(room: Room) -> None:
    """Puts the matrix of a room in the place of the session's own grid, or where it is too large of its own file."""
    session, ratings = st.session_state, expectations.ratings(room)
    if max(ratings.shape) <= LARGEST:
        grid.desk().bring(ratings)
        session.data = GRID
    else:
        session.upload, session.data = Upload("room.csv", as_csv(room)), UPLOAD
        session.pop("upload_read", None)
    session.setdefault("share_before", session.get("keep", DEFAULT.keep))  # the sidebar gives it back with other data
    session.keep = _KEEP

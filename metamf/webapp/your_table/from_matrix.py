"""The way from the first page to "Your table": the visitor's own matrix, to be filled in whole and downloaded there."""

from __future__ import annotations

import math

import streamlit as st

from metamf.tables.limits import WEB
from metamf.webapp import look
from metamf.webapp.matrix import grid
from metamf.webapp.matrix.choices import FILE
from metamf.webapp.uploads import Upload
from metamf.webapp.your_table import state as table_state


def brought() -> Upload | None:
    """The file that the visitor brought to the first page and that can be filled in whole, at the first visit of this
    one; None if there is none."""
    read = st.session_state.get("upload_read")
    if read is None or math.prod(read.matrix.ratings.shape) > WEB.matrix or not table_state.untouched():
        return None
    table_state.bring(st.session_state.upload, FILE)
    return table_state.upload()


def offers() -> None:
    """Draws a button for each matrix that the visitor brought to the first page."""
    if "upload" in st.session_state:
        _offer("file", st.session_state.upload, FILE)
    if (typed := grid.desk()).touched and typed.matrix.ratings.nnz:
        _offer("grid", table_state.as_file(typed.matrix.ratings, "grid.csv"))


def _offer(what: str, file: Upload, fields: str = "") -> None:
    st.button(
        f"Take {look.as_markdown(file.name)} from the first page",
        icon=":material/move_to_inbox:",
        on_click=table_state.bring,
        args=(file, fields),
        type="primary",
        key=f"table_take_{what}",
    )

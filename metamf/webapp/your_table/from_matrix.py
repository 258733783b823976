"""From the first page to "Your table": the visitor's own matrix, to be filled in whole and downloaded there."""

from __future__ import annotations

from functools import partial

import streamlit as st

from metamf.webapp.matrix import grid
from metamf.webapp.uploads import Upload
from metamf.webapp.your_table import state as table_state


def offers() -> None:
    """Draws a button for each matrix that the visitor brought to the first page."""
    session = st.session_state
    if "upload" in session:
        _offer("file", session.upload, session.get("file_markers", ""), session.get("file_duplicates", "refuse"))
    if (typed := grid.desk()).touched and typed.matrix.ratings.nnz:
        _offer("grid", table_state.as_file(typed.matrix.ratings, "grid.csv"))


def _offer(what: str, file: Upload, markers: str = "", duplicates: str = "refuse") -> None:
    take = partial(table_state.bring, file, markers, duplicates)
    st.button(
        f"Take {file.name} from the first page",
        icon=":material/move_to_inbox:",
        on_click=take,
        type="primary",
        key=f"table_take_{what}",
    )

"""The link from a matrix page to Your table."""

from __future__ import annotations

import streamlit as st

from metamf.tables.limits import WEB
from metamf.tasks.task import Matrix
from metamf.webapp.matrix.state import GRID, UPLOAD, AppState


def link(matrix: Matrix) -> None:
    """Draws a link to Your table, for an upload or a typed grid that can be filled in whole there."""
    N, M = matrix.ratings.shape
    if AppState.read(st.session_state).data in (UPLOAD, GRID) and N * M <= WEB.matrix:
        st.page_link(
            "pages/your_table.py",
            icon=":material/download:",
            label="Fill in every missing cell, with intervals, and download it: Your table",
        )

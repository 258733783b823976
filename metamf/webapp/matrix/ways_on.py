"""The links from a matrix page to what can be done with the same ratings elsewhere."""

from __future__ import annotations

import streamlit as st

from metamf.tables.limits import WEB
from metamf.tasks.task import Matrix
from metamf.webapp.lesson.away import LESSON
from metamf.webapp.matrix.choices import GRID, UPLOAD, AppState

CELLS = "cells"  # in the address of the game of ten hidden cells; its value is the seed of the choice


def to_your_table(matrix: Matrix) -> None:
    """Draws a link to Your table, for an upload or a typed grid that can be filled in whole there."""
    N, M = matrix.ratings.shape
    if AppState.read(st.session_state).data in (UPLOAD, GRID) and N * M <= WEB.matrix:
        st.page_link(
            "pages/your_table.py",
            icon=":material/download:",
            label="Fill in every missing cell, with intervals, and download it: Your table",
        )


def to_ten_cells() -> None:
    """Draws the link to the game on the matrix and with the model that are chosen now."""
    st.page_link(
        LESSON,
        label="Guess ten hidden cells: you against the model",
        icon=":material/casino:",
        query_params={CELLS: "1"},
    )

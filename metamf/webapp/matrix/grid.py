"""The sheet into which a visitor types an own matrix, names included; the picture follows every number.

What was typed stays in the session. While it is not a matrix (two columns of one name, a word in a cell) a sentence
says so, and the picture shows the last matrix that it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from metamf.ratings.matrix import Ratings
from metamf.tasks.task import Matrix
from metamf.webapp.matrix.typed import LARGEST, Sheet, TypedError, own_matrix

_FOLDER = Path(__file__).parent
EXAMPLE = Sheet(
    ("Ada", "Ben", "Cleo", "Dev", "Ema"),
    ("Tea", "Coffee", "Juice", "Water"),
    (("5", "4", "", "1"), ("4", "", "2", "1"), ("", "5", "1", ""), ("1", "2", "5", ""), ("", "1", "4", "5")),
)


@dataclass
class GridDesk:
    """What a session knows of its sheet: a plain object, tested without Streamlit.

    Attributes
    ----------
    sheet : Sheet
        As it was typed last.
    matrix : Matrix
        The last matrix that it was.
    note : str
        Why the sheet is not one now; '' if it is.
    brought : int
        How many matrices have come from other pages: what is edited in one is not edited in the next.
    """

    sheet: Sheet = EXAMPLE
    matrix: Matrix = field(default_factory=EXAMPLE.matrix)
    note: str = ""
    brought: int = 0

    @property
    def touched(self) -> bool:
        """Whether the visitor has typed anything."""
        return self.sheet != EXAMPLE

    def bring(self, ratings: Ratings) -> None:
        """Takes a matrix of at most ``LARGEST`` rows and columns from another page."""
        self.matrix, self.note = own_matrix(ratings), ""
        self.sheet = Sheet.of(ratings)
        self.brought += 1

    def take(self, typed: Any) -> None:
        """Takes the sheet that a browser has sent."""
        try:
            self.sheet = Sheet.sent(typed)
            self.matrix, self.note = self.sheet.matrix(), ""
        except TypedError as error:
            self.note = str(error)


def desk() -> GridDesk:
    """The session's."""
    if "grid_desk" not in st.session_state:
        st.session_state.grid_desk = GridDesk()
    return st.session_state.grid_desk


def draw() -> Matrix:
    """Draws the sheet and returns the matrix in it."""
    held = desk()
    with st.expander("Your grid: type names and numbers, or paste them from a spreadsheet", expanded=True):
        data = {"sheet": held.sheet.data(), "note": held.note, "largest": LARGEST}
        _component()(key="grid", data=data, on_typed_change=_typed)
    return held.matrix


def _typed() -> None:
    if (sheet := st.session_state.grid.get("typed")) is not None:
        desk().take(sheet)


@cache
def _component():
    return st.components.v2.component(
        "metamf_sheet",
        css=(_FOLDER / "sheet.css").read_text("utf-8"),
        js=(_FOLDER / "sheet.js").read_text("utf-8"),
    )

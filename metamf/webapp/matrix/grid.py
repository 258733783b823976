"""The sheet into which a visitor types an own matrix, names included; the picture follows every number.

What was typed stays in the session. While it is not a matrix (two columns of one name, a word in a cell) a sentence
says so, and the picture shows the last matrix that it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import streamlit as st

from metamf.evaluate.task import Matrix
from metamf.ratings.matrix import Ratings
from metamf.webapp import look
from metamf.webapp.matrix.typed import LARGEST, Sheet, TypedError, own_matrix
from metamf.webapp.player.bundle import Component

PARAMETER = "grid"  # name in the address
EXAMPLE = Sheet(
    ("Ada", "Ben", "Cleo", "Dev", "Ema"),
    ("Tea", "Coffee", "Juice", "Water"),
    (("5", "4", "", "1"), ("4", "", "2", "1"), ("", "5", "1", ""), ("1", "2", "5", ""), ("", "1", "4", "5")),
)


@dataclass
class GridDesk:
    """State of a session's sheet: a plain object, tested without Streamlit.

    Attributes
    ----------
    sheet : Sheet
        Its contents as they were typed last.
    matrix : Matrix
        The last matrix that it was.
    note : str
        Why the sheet is not one now; '' if it is.
    brought : int
        Number of matrices that have come from other pages: what is edited in one is not edited in the next.
    from_room : bool
        Whether it holds ratings of a class, which no address gives away.
    """

    sheet: Sheet = EXAMPLE
    matrix: Matrix = field(default_factory=EXAMPLE.matrix)
    note: str = ""
    brought: int = 0
    from_room: bool = False
    _in_address: str = ""

    @classmethod
    def linked(cls, text: str) -> GridDesk:
        """A sheet that an address says; the first one, with a note, where it says none."""
        desk = cls()
        if text:
            try:
                sheet = Sheet.from_text(text)
                desk.sheet, desk.matrix, desk._in_address = sheet, sheet.matrix(), sheet.to_text()
            except TypedError as error:
                desk.note = f"The link holds a grid that cannot be read, and an example is shown. {error}"
        return desk

    @property
    def in_address(self) -> str:
        """The last sheet that was a matrix, as an address says it; '' where it needs none or can hold none."""
        return "" if self.from_room or not self.touched else self._in_address

    @property
    def touched(self) -> bool:
        """Whether the visitor has typed anything."""
        return self.sheet != EXAMPLE

    def bring(self, ratings: Ratings) -> None:
        """Takes a matrix of at most ``LARGEST`` rows and columns from another page."""
        self.matrix, self.note = own_matrix(ratings), ""
        self.sheet = Sheet.of(ratings)
        self.brought += 1
        self.from_room = True

    def take(self, typed: Any) -> None:
        """Takes the sheet that a browser has sent."""
        try:
            self.sheet = Sheet.sent(typed)
            self.matrix, self.note = self.sheet.matrix(), ""
            self._in_address = self.sheet.to_text()
        except TypedError as error:
            self.note = str(error)


def desk() -> GridDesk:
    """The session's."""
    if "grid_desk" not in st.session_state:
        st.session_state.grid_desk = GridDesk.linked(st.query_params.get(PARAMETER, ""))
    return st.session_state.grid_desk


def draw() -> Matrix:
    """Draws the sheet and returns the matrix in it."""
    held = desk()
    with st.expander("Your grid: type names and numbers, or paste them from a spreadsheet", expanded=True):
        data = {"sheet": held.sheet.data(), "note": held.note, "largest": LARGEST}
        _component()(key="grid", data=data, on_typed_change=_typed)
        if held.in_address:
            look.small("The address of this page holds the grid, so that a link opens it.")
        elif held.touched and not held.note:  # one of which a note says that it is not a matrix yet
            why = "it holds ratings of a class" if held.from_room else "it is too large"
            look.small(f"The address does not hold this grid, since {why}: a link to this page opens an example.")
    asked = st.query_params
    if held.in_address and asked.get(PARAMETER) != held.in_address:
        asked[PARAMETER] = held.in_address
    elif not held.in_address and PARAMETER in asked:
        del asked[PARAMETER]
    return held.matrix


def _typed() -> None:
    if (sheet := st.session_state.grid.get("typed")) is not None:
        desk().take(sheet)


@cache
def _component() -> Component:
    return Component("metamf_sheet", "sheet")

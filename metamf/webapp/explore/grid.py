"""The sheet into which a visitor types an own matrix, names included; the picture follows every number.

What was typed stays in the session. While it is not a matrix (two columns of one name, a word in a cell) a sentence
says so, and the picture shows the last matrix that it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any
from urllib.parse import quote_plus

import numpy as np
import streamlit as st

from metamf.answer.division import Matrix
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import guess_scale
from metamf.webapp import address, look
from metamf.webapp.explore.edits import EditError, checked
from metamf.webapp.player.bundle import mount
from metamf.wording import name_of, shown

LARGEST = 30  # rows and columns; what can be typed
IN_ADDRESS = 4000  # characters of an address that a sheet may take: some 30 x 30 with names; servers take 8,000
_LONGEST_NAME = 60  # characters
# rows, and cells of a row: characters that an address need not escape
_BETWEEN = "~"
_WITHIN = "_"
_ESCAPES = (("!", "!u"), (_BETWEEN, "!t"), (_WITHIN, "!l"))  # of those in names and texts


class TypedError(ValueError):
    """The typed text is not a matrix; the message is a sentence for the person who typed it."""


@dataclass(frozen=True)
class Sheet:
    """A sheet as it was typed, line by line: the names of the columns behind an empty text, then each row, its name
    first. Where there is no name, or no number, the text is empty."""

    lines: tuple[tuple[str, ...], ...]

    @classmethod
    def sent(cls, value: Any) -> Sheet:
        """The sheet of the lines that a browser has sent; raises TypedError if it is none, or too large."""
        if not isinstance(value, list | tuple) or not all(isinstance(line, list | tuple) for line in value):
            raise TypedError("This is not a sheet.")
        lines = tuple(map(tuple, value))
        N = len(lines) - 1
        M = len(lines[0]) - 1 if lines else 0
        if not (1 <= N <= LARGEST and 1 <= M <= LARGEST):
            raise TypedError(f"A sheet has 1 to {LARGEST} rows and columns, not {N} × {M}.")
        if {len(line) for line in lines} != {M + 1} or not all(isinstance(text, str) for text in chain(*lines)):
            raise TypedError("This is not a sheet.")
        return cls(lines)

    @classmethod
    def of(cls, ratings: Ratings) -> Sheet:
        """The sheet of a matrix."""
        sides = (ratings.row_labels, ratings.n_rows, "row"), (ratings.col_labels, ratings.n_cols, "column")
        rows, cols = (tuple(name_of(labels, k, side) for k in range(size)) for labels, size, side in sides)
        cells = (("" if np.isnan(x) else f"{x:.12g}" for x in row) for row in ratings.to_dense())
        return cls((("", *cols), *((name, *texts) for name, texts in zip(rows, cells))))

    @classmethod
    def from_text(cls, text: str) -> Sheet:
        """The sheet of an address, as ``to_text`` writes it; raises ``TypedError`` for any other text."""
        if len(text) > IN_ADDRESS:
            raise TypedError(f"A link holds a sheet of at most {IN_ADDRESS:,} characters, not {len(text):,}.")
        cols, *lines = ([_plain(part) for part in line.split(_WITHIN)] for line in text.split(_BETWEEN))
        return cls.sent([["", *cols], *lines])

    def to_text(self) -> str:
        """The sheet for an address: names of the columns, then each row with its name; '' if it is too large."""
        lines = [self.lines[0][1:], *self.lines[1:]]
        text = _BETWEEN.join(_WITHIN.join(map(_escaped, line)) for line in lines)
        return text if len(quote_plus(text)) <= IN_ADDRESS else ""

    def matrix(self) -> Matrix:
        """The matrix; raises ``TypedError`` for a cell without a number, or two rows or columns of one name."""
        rows = _names([name for name, *_ in self.lines[1:]], "row")
        cols = _names(self.lines[0][1:], "column")
        X = np.full((len(rows), len(cols)), np.nan)
        for n, (_, *texts) in enumerate(self.lines[1:]):
            for m, text in enumerate(texts):
                if text.strip():
                    X[n, m] = _number(text, f"{rows[n]}, {cols[m]}")
        ratings = Ratings.from_dense(X, row_labels=rows, col_labels=cols, scale=guess_scale(X[~np.isnan(X)]))
        return own_matrix(ratings)


def _escaped(text: str) -> str:
    for plain, escape in _ESCAPES:
        text = text.replace(plain, escape)
    return text


def _plain(text: str) -> str:
    for plain, escape in reversed(_ESCAPES):
        text = text.replace(escape, plain)
    return text


def own_matrix(ratings: Ratings) -> Matrix:
    """Ratings of the visitor's own as a matrix to look at."""
    return Matrix("Your own grid", "Type names and numbers, or delete them: everything follows.", ratings)


def _names(texts: Sequence[str], side: str) -> tuple[str, ...]:
    names = tuple(" ".join(text.split()) or f"{side} {k}" for k, text in enumerate(texts, 1))
    for name in names:
        if len(name) > _LONGEST_NAME:
            raise TypedError(f"{shown(name)} is longer than {_LONGEST_NAME} characters: shorten it.")
    if twice := next((name for k, name in enumerate(names) if name in names[:k]), None):
        raise TypedError(f"Two {side}s are called {shown(twice)}: give one of them another name.")
    return names


def _number(text: str, where: str) -> float:
    try:
        return checked(text, None)
    except EditError as error:
        raise TypedError(f"{where}: {error}") from None


PARAMETER = "grid"  # name in the address
EXAMPLE = Sheet(
    (
        ("", "Tea", "Coffee", "Juice", "Water"),
        ("Ada", "5", "4", "", "1"),
        ("Ben", "4", "", "2", "1"),
        ("Cleo", "", "5", "1", ""),
        ("Dev", "1", "2", "5", ""),
        ("Ema", "", "1", "4", "5"),
    )
)


@dataclass
class GridDesk:
    """State of a session's sheet.

    ``sheet`` is what was typed last, ``matrix`` the last matrix that it was, and ``note`` why it is none now, or ''.
    ``brought`` counts the matrices from other pages, whose edits differ. A sheet ``from_room`` holds ratings of a
    class, which no address reveals; ``in_address`` is the last that was a matrix, '' where it needs or can have none.
    """

    sheet: Sheet = EXAMPLE
    matrix: Matrix = field(default_factory=EXAMPLE.matrix)
    note: str = ""
    brought: int = 0
    from_room: bool = False
    in_address: str = ""

    @classmethod
    def linked(cls, text: str) -> GridDesk:
        """The sheet of an address; the example, with a note, where it cannot be read."""
        desk = cls()
        if text:
            try:
                desk._show(Sheet.from_text(text))
            except TypedError as error:
                desk.note = f"The link holds a grid that cannot be read, and an example is shown. {error}"
        return desk

    @property
    def touched(self) -> bool:
        """Whether the visitor has typed anything."""
        return self.sheet != EXAMPLE

    def bring(self, ratings: Ratings) -> None:
        """Takes a matrix of at most ``LARGEST`` rows and columns from a room."""
        self.sheet = Sheet.of(ratings)
        self.matrix = own_matrix(ratings)
        self.note = ""
        self.brought = self.brought + 1
        self.from_room = True
        self.in_address = ""

    def take(self, typed: Any) -> None:
        """Takes the sheet that a browser has sent."""
        try:
            self.sheet = Sheet.sent(typed)
            self._show(self.sheet)
        except TypedError as error:
            self.note = str(error)

    def _show(self, sheet: Sheet) -> None:
        self.matrix = sheet.matrix()
        self.sheet = sheet
        self.note = ""
        self.in_address = sheet.to_text() if self.touched and not self.from_room else ""


def desk() -> GridDesk:
    """The session's."""
    if "grid_desk" not in st.session_state:
        st.session_state.grid_desk = GridDesk.linked(st.query_params.get(PARAMETER, ""))
    return st.session_state.grid_desk


def draw() -> Matrix:
    """Draws the sheet and returns the matrix in it."""
    held = desk()
    with st.expander("Your grid: type names and numbers, or paste them from a spreadsheet", expanded=True):
        data = {"lines": held.sheet.lines, "note": held.note, "largest": LARGEST}
        mount("sheet", key="grid", data=data, on_typed_change=_typed)
        if held.in_address:
            look.small("The address of this page holds the grid, so that a link opens it.")
        elif held.touched and not held.note:  # one of which a note says that it is not a matrix yet
            why = "it holds ratings of a class" if held.from_room else "it is too large"
            look.small(f"The address does not hold this grid, since {why}: a link to this page opens an example.")
    address.write(PARAMETER, held.in_address)
    return held.matrix


def _typed() -> None:
    if (sheet := st.session_state.grid.get("typed")) is not None:
        desk().take(sheet)

"""The ratings that a cell leans on: those that would move its estimate most, for the inspector of the player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from metamf.evaluate.run import View
from metamf.webapp.matrix.shown import ShownView
from metamf.wording import name_of

if TYPE_CHECKING:
    from metamf.evaluate.influence import Influence

ASKED = "lean_asked"  # in the session, from the first question on
LEANS = 6  # ratings that are named


class Asked(NamedTuple):
    """The question what a cell leans on, and which run was on the screen.

    Attributes
    ----------
    run : the identity of the run, of its replay
    row, col : the cell, in the window
    """

    run: str
    row: int
    col: int


def ask(view: ShownView, cell: Sequence[int]) -> None:
    """Keeps the question of a browser, to be answered by the next run of the page; a cell that is not drawn is none."""
    row, col = cell
    if 0 <= row < view.window.height and 0 <= col < view.window.width:
        st.session_state[ASKED] = Asked(view.replay()["id"], int(row), int(col))


def answer(view: ShownView) -> dict[str, Any] | None:
    """The answer to the question that was asked last; None where it was about another run."""
    asked: Asked = st.session_state[ASKED]
    if asked.run != view.replay()["id"]:
        return None
    return view.once(("lean", asked.row, asked.col), lambda: of_cell(view, asked.row, asked.col))


def of_cell(view: View, row: int, col: int) -> dict[str, Any]:
    """The ratings that the estimate of a cell of the window leans on, as the player takes them."""
    window, given = view.window, view.run.task.given
    nothing = {"cell": [row, col], "items": [], "examined": 0, "note": ""}
    if given.nnz < 2:
        return nothing | {"note": "There is one rating alone, and every estimate leans on it."}
    from metamf.evaluate.influence import influence_at_once

    found = influence_at_once(given, view.run.checkpoint, view.run.T, row + window.top, col + window.left)
    items = [_item(view, found, k) for k in range(min(LEANS, found.examined)) if found.change[k]]
    note = "" if items else "No single rating moves it."
    return nothing | {"items": items, "examined": found.examined, "note": note}


def _item(view: View, found: Influence, k: int) -> list[Any]:
    given, window = view.run.task.given, view.window
    entry = found.entries[k]
    row, col = int(given.rows[entry]), int(given.cols[entry])
    labels = view.run.task.matrix.ratings
    return [
        row - window.top,
        col - window.left,
        float(found.change[k]),
        float(given.values[entry]),
        name_of(labels.row_labels, row, "row"),
        name_of(labels.col_labels, col, "column"),
    ]

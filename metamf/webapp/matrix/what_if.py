"""The player with what only the server can answer: an edited rating, and the ratings that a cell leans on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from metamf.tasks.view import View
from metamf.webapp import look
from metamf.webapp.matrix.edits import EditDesk, desk
from metamf.webapp.matrix.shown import ShownView
from metamf.webapp.player.component import Scene, player
from metamf.wording import name_of

if TYPE_CHECKING:
    from metamf.filling.influence import Influence

LEANS = 6  # ratings that are named; chosen by hand


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


def draw(view: ShownView, scene: Scene) -> None:
    """Draws the player; what is edited in it is made before the next run of the page."""
    base = view.replay()
    held, session = desk(), st.session_state

    def edit(action: dict[str, Any]) -> None:
        held.take(in_matrix(action, view), view.data_task)

    def lean(cell: Sequence[int]) -> None:
        row, col = cell
        if 0 <= row < view.window.height and 0 <= col < view.window.width:
            session.lean_asked = Asked(base["id"], int(row), int(col))

    data = base | {"edits": said(held, view), "lean": _answer(view, base["id"])}
    options = {"lecture": bool(session.get(look.LECTURE))}
    player(data, scene=scene, key="player", on_edit=edit, on_lean=lean, options=options)
    view.say_rest()


def in_matrix(action: dict[str, Any], view: View) -> dict[str, Any]:
    """An edit whose row and column count in the window, as one of the matrix."""
    first = {"row": view.window.top, "col": view.window.left}
    moved = {name: action[name] + at for name, at in first.items() if isinstance(action.get(name), int)}
    return action | moved


def said(held: EditDesk, view: View) -> dict[str, Any]:
    """The edits as the player knows them, those in the window by their place there."""
    window, scale, edits = view.window, view.matrix.ratings.scale, held.edits
    return {
        "made": [
            [edit.row - window.top, edit.col - window.left, edit.value]
            for edit in edits.made
            if 0 <= edit.row - window.top < window.height and 0 <= edit.col - window.left < window.width
        ],
        "count": len(edits.made),
        "can_undo": bool(edits.past),
        "can_redo": bool(edits.future),
        "scale": None if scale is None else [scale.minimum, scale.maximum, scale.step],
        "seen": held.seen,
        "note": held.note,
    }


def _answer(view: ShownView, run: str) -> dict[str, Any] | None:
    asked = st.session_state.get("lean_asked")
    if asked is None or asked.run != run:
        return None
    return view.once(("lean", asked.row, asked.col), lambda: leaning(view, asked.row, asked.col))


def leaning(view: View, row: int, col: int) -> dict[str, Any]:
    """What the estimate of a cell of the window leans on, as the player knows it."""
    window, given = view.window, view.run.task.given
    answer = {"cell": [row, col], "items": [], "examined": 0, "note": ""}
    if given.nnz < 2:
        return answer | {"note": "There is one rating alone, and every estimate leans on it."}
    from metamf.filling.influence import influence_at_once

    found = influence_at_once(given, view.run.checkpoint, view.run.T, row + window.top, col + window.left)
    items = [_item(view, found, k) for k in range(min(LEANS, found.examined)) if found.change[k]]
    note = "" if items else "No single rating moves it."
    return answer | {"items": items, "examined": found.examined, "note": note}


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

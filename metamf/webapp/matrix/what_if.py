"""Edits of ratings ("what if?") that a visitor makes in the player, kept in the session for each matrix and in the
address, and the player that follows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from metamf.evaluate.run import View
from metamf.evaluate.task import Task
from metamf.ratings.matrix import Ratings
from metamf.webapp import look
from metamf.webapp.experiments.edits import EDITS_IN_ADDRESS, EditError, Edits
from metamf.webapp.matrix.choices import EDIT_DESK
from metamf.webapp.matrix.view import ShownView
from metamf.webapp.player.component import Scene, player
from metamf.wording import counted, name_of

if TYPE_CHECKING:
    from metamf.evaluate.influence import Influence

PARAMETER = "edits"  # name in the address
_MATRICES = 20  # matrices whose edits a session keeps
ASKED = "lean_asked"  # in the session: identity of the run, row and column in the window that were asked about
LEANS = 6  # ratings that are named


def ask_influence(view: ShownView, cell: Sequence[int]) -> None:
    """Keeps the question of a browser, to be answered by the next run of the page; a cell that is not drawn is none."""
    row, col = cell
    if 0 <= row < view.window.height and 0 <= col < view.window.width:
        st.session_state[ASKED] = view.replay()["id"], int(row), int(col)


def influence_of_asked(view: ShownView) -> dict[str, Any] | None:
    """The answer to the question that was asked last; None where it was about another run."""
    run, row, col = st.session_state[ASKED]
    if run != view.replay()["id"]:
        return None
    return view.once(("lean", row, col), lambda: influence_of(view, row, col))


def influence_of(view: View, row: int, col: int) -> dict[str, Any]:
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


@dataclass
class EditDesk:
    """State of a session's edits: a plain object, tested without Streamlit.

    ``source`` identifies the matrix on the screen, ``by_source`` has the edits of each matrix, ``seen`` is the number
    of the latest edit that a browser has sent, so that one that comes twice is made once, and ``note`` a sentence on
    the latest edit or the address, or ''.
    """

    source: str | None = None
    by_source: dict[str, Edits] = field(default_factory=dict)
    seen: int = 0
    note: str = ""

    @property
    def edits(self) -> Edits:
        """The edits of the matrix on the screen."""
        return self.by_source.get(self.source or "", Edits())

    def show(self, source: str, ratings: Ratings, address: str) -> Edits:
        """The edits of the matrix ``source``: of the first one those that the address names."""
        if source == self.source:
            return self.edits
        linked = address if self.source is None else ""
        self.source, self.note = source, ""
        if linked:
            edits, self.note = Edits.from_text(linked, ratings)
            self._keep(edits)
        return self.edits

    def take(self, action: Mapping[str, Any], task: Task) -> None:
        """Makes an edit that a browser asks for, once; what cannot be done is noted."""
        number = action.get("id")
        if not isinstance(number, int) or number <= self.seen:
            return
        self.seen, self.note = number, ""
        try:
            self._keep(self.edits.after(action, task))
        except EditError as error:
            self.note = str(error)
        else:
            made = len(self.edits.made)
            if made > EDITS_IN_ADDRESS:
                self.note = (
                    f"{counted(made, 'cell')} are edited; the address holds the first {EDITS_IN_ADDRESS} of them."
                )

    def _keep(self, edits: Edits) -> None:
        self.by_source.pop(self.source or "", None)
        if len(self.by_source) >= _MATRICES:
            del self.by_source[next(iter(self.by_source))]
        self.by_source[self.source or ""] = edits


def desk() -> EditDesk:
    """The session's."""
    return st.session_state.setdefault(EDIT_DESK, EditDesk())


def edits_of(source: str, ratings: Ratings) -> Edits:
    """The edits of the matrix ``source`` on the screen, which the address follows."""
    asked = st.query_params.get(PARAMETER, "")
    edits = desk().show(source, ratings, asked)
    written = edits.to_text() if edits.made else ""
    if written and asked != written:
        st.query_params[PARAMETER] = written
    elif not written and PARAMETER in st.query_params:
        del st.query_params[PARAMETER]
    return edits


def draw(view: ShownView, scene: Scene) -> None:
    """Draws the player; what is edited in it is made before the next run of the page."""
    held, session = desk(), st.session_state

    def edit(action: dict[str, Any]) -> None:
        held.take(in_matrix(action, view), view.data_task)

    influence = influence_of_asked(view) if ASKED in session else None
    data = view.replay() | {"edits": edits_in_window(held, view), "lean": influence}
    options = {"lecture": bool(session.get(look.LECTURE))}
    player(data, scene=scene, key="player", on_edit=edit, on_lean=partial(ask_influence, view), options=options)
    view.say_rest()


def in_matrix(action: dict[str, Any], view: View) -> dict[str, Any]:
    """An edit whose row and column count in the window, as one of the matrix."""
    first = {"row": view.window.top, "col": view.window.left}
    moved = {name: action[name] + at for name, at in first.items() if isinstance(action.get(name), int)}
    return action | moved


def edits_in_window(held: EditDesk, view: View) -> dict[str, Any]:
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

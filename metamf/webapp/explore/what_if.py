"""Edits of ratings ("what if?") that a visitor makes in the player, kept in the session for each matrix and in the
address, and the player that follows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from metamf.answer.division import Task
from metamf.figures.window import Window, names_of
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp import address
from metamf.webapp.explore.edits import EDITS_IN_ADDRESS, EditError, Edits
from metamf.webapp.explore.run import Run
from metamf.webapp.explore.view import PageView, task_of
from metamf.webapp.player.component import Scene, player

PARAMETER = "edits"  # name in the address
DESK = "edit_desk"  # in the session: the ratings that the visitor edited
_MATRICES = 20  # matrices whose edits a session keeps
_ASKED = "lean_asked"  # in the session: identity of the run, row and column in the window that were asked about
_LEANS = 6  # ratings that are named
_SAVED = "figures_saved"  # in the session: kind and number of the latest file of figures that was asked for


def influence_of(run: Run, window: Window, row: int, col: int) -> dict[str, Any]:
    """The most influential ratings of a cell of the window, in the player's format."""
    given = run.task.given
    nothing = {"cell": [row, col], "items": [], "examined": 0, "note": ""}
    if given.nnz < 2:
        return nothing | {"note": "There is only one rating, and every estimate rests on it."}
    from metamf.answer.influence import influence_at_once

    found = influence_at_once(given, run.method, run.T, row + window.top, col + window.left)
    items = []
    for entry, change in zip(found.entries[:_LEANS], found.change[:_LEANS]):
        if change:
            n = int(given.rows[entry])
            m = int(given.cols[entry])
            value = float(given.values[entry])
            items.append([n - window.top, m - window.left, float(change), value, *names_of(given, n, m)])
    note = "" if items else "No single rating moves it."
    return nothing | {"items": items, "examined": found.examined, "note": note}


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
        self.source = source
        self.note = ""
        if linked:
            edits, self.note = Edits.from_text(linked, ratings)
            self._keep(edits)
        return self.edits

    def take(self, action: Mapping[str, Any], task: Task) -> None:
        """Makes an edit that a browser asks for, once; what cannot be done is noted."""
        number = action.get("id")
        if not isinstance(number, int) or number <= self.seen:
            return
        self.seen = number
        self.note = ""
        try:
            self._keep(self.edits.after(action, task))
        except EditError as error:
            self.note = str(error)
        else:
            made = len(self.edits.made)
            if made > EDITS_IN_ADDRESS:
                self.note = f"{made:,} cells are edited; the address holds the first {EDITS_IN_ADDRESS} of them."

    def _keep(self, edits: Edits) -> None:
        self.by_source.pop(self.source or "", None)
        if len(self.by_source) >= _MATRICES:
            del self.by_source[next(iter(self.by_source))]
        self.by_source[self.source or ""] = edits


def desk() -> EditDesk:
    """The session's."""
    return st.session_state.setdefault(DESK, EditDesk())


def edits_of(source: str, ratings: Ratings) -> Edits:
    """The edits of the matrix ``source`` on the screen, which the address follows."""
    edits = desk().show(source, ratings, st.query_params.get(PARAMETER, ""))
    address.write(PARAMETER, edits.to_text() if edits.made else "")
    return edits


def draw(view: PageView, scene: Scene) -> None:
    """Draws the player; what is edited in it, or asked of it, is done before or in the next run of the page."""
    held = desk()
    session = st.session_state
    data = view.replay()

    def edit(actions: list[dict[str, Any]]) -> None:
        for action in actions:
            held.take(in_matrix(action, view.window), task_of(view.key, view.matrix))

    def ask(cell: Sequence[int]) -> None:
        row, col = map(int, cell)
        if view.window.holds(row, col):  # one that is not drawn is no question
            session[_ASKED] = data["id"], row, col

    run, *asked = session.get(_ASKED, (None,))
    lean = None
    if run == data["id"]:
        lean = view.once(("lean", *asked), lambda: influence_of(view.run, view.window, *asked))
    more = {"edits": edits_in_window(held, view.window, view.matrix.ratings.scale), "lean": lean}
    options = {"save": list(session.get(_SAVED, ())), "opening": True}
    player(data | more, scene=scene, key="player", on_edit=edit, on_lean=ask, options=options)
    view.say_rest()


def save_figures(kind: str) -> None:
    """Has the player save its figures, in the run of the page that follows; ``kind`` is 'svg' or 'png'."""
    _, number = st.session_state.get(_SAVED, ("", 0))
    st.session_state[_SAVED] = kind, number + 1


def in_matrix(action: dict[str, Any], window: Window) -> dict[str, Any]:
    """An edit whose row and column count in the window, as one of the matrix."""
    first = {"row": window.top, "col": window.left}
    moved = {name: action[name] + at for name, at in first.items() if isinstance(action.get(name), int)}
    return action | moved


def edits_in_window(held: EditDesk, window: Window, scale: RatingScale | None) -> dict[str, Any]:
    """The edits as the player knows them, those in the window by their place there."""
    edits = held.edits
    made = [(row - window.top, col - window.left, value) for row, col, value in edits.made]
    return {
        "made": [[row, col, value] for row, col, value in made if window.holds(row, col)],
        "count": len(edits.made),
        "can_undo": bool(edits.past),
        "can_redo": bool(edits.future),
        "scale": None if scale is None else [scale.minimum, scale.maximum, scale.step],
        "seen": held.seen,
        "note": held.note,
    }

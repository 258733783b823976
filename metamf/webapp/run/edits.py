"""Ratings of a task that a person changes, hides or adds, with undo and redo; the matrix itself
never changes. A session keeps them for each matrix, and the address holds those on the screen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from metamf.answer.division import Task
from metamf.figures.window import LARGEST_DRAWN
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp import address
from metamf.wording import counted, shown, with_minus

EDITS_IN_ADDRESS = 50  # cells whose edits an address holds; some 600 characters
MOST_EDITS = 1000  # cells that can be edited in a session
_UNDONE = 100  # states that undo reaches back to
# characters that an address need not escape
_BETWEEN = "~"
_WITHIN = "_"
_HIDDEN = "x"
_EDIT = re.compile(r"(\d{1,7})_(\d{1,7})_(x|-?\d{1,20}(?:\.\d{1,20})?(?:e-?\d{1,3})?)", re.ASCII)
_LONGEST = 100 * EDITS_IN_ADDRESS  # characters of an address that are read
_MATRICES = 20  # matrices whose edits a session keeps
_LAST = "The last given rating cannot be hidden."


class EditError(ValueError):
    """An edit that cannot be made; the message is a sentence for the person who wanted it."""


class Edit(NamedTuple):
    """The rating given in one cell, from 0, instead of that of the data, in rating units; None
    where it is hidden."""

    row: int
    col: int
    value: float | None


@dataclass(frozen=True)
class Edits:
    """The edits of a task, at most one for each cell, in the order in which the cells were first
    edited.

    ``past`` and ``future`` hold the values of ``made`` to which undo and redo go, the next one
    last.
    """

    made: tuple[Edit, ...] = ()
    past: tuple[tuple[Edit, ...], ...] = ()
    future: tuple[tuple[Edit, ...], ...] = ()

    def set(self, row: int, col: int, value: float) -> Edits:
        """Gives a cell the rating ``value``, whether or not the data have one there."""
        return self._with_edit(Edit(row, col, float(value)))

    def hide(self, row: int, col: int) -> Edits:
        return self._with_edit(Edit(row, col, None))

    def restore(self, row: int, col: int) -> Edits:
        return self._next(tuple(edit for edit in self.made if edit[:2] != (row, col)))

    def reset(self) -> Edits:
        """Takes all edits back, which can be undone."""
        return self._next(())

    def undo(self) -> Edits:
        """The edits before the latest change; the same if there was none."""
        if not self.past:
            return self
        return Edits(self.past[-1], self.past[:-1], (*self.future, self.made))

    def redo(self) -> Edits:
        """The edits before the latest undo; the same if nothing was undone since the latest
        change."""
        if not self.future:
            return self
        return Edits(self.future[-1], (*self.past, self.made), self.future[:-1])

    def after(self, action: Mapping[str, Any], task: Task) -> Edits:
        """The edits after an ``action`` that a browser asks for on the ``task`` of the data.

        ``op`` is 'set', 'hide', 'restore', 'undo', 'redo' or 'reset'. The first three have ``row``
        and ``col``, from 0, and the first a ``value``, a number or its text. Raises ``EditError``
        for any other action, a cell outside the matrix, a value that is not a rating on its scale,
        or if too many cells would be edited or none given.
        """
        op = action.get("op")
        if op in ("undo", "redo", "reset"):
            return getattr(self, op)()
        if op not in ("set", "hide", "restore"):
            raise EditError(f"{shown(str(op))} is not an action on a rating.")
        row, col = _cell(action.get("row"), action.get("col"), task.given.shape)
        given = _value_at(task.given, row, col)
        if op == "set":
            value = checked(action.get("value"), task.matrix.ratings.scale)
            changed = self.restore(row, col) if value == given else self.set(row, col, value)
        elif op == "hide" and given is not None:
            changed = self.hide(row, col)
        else:  # what the data do not give is hidden by taking the edit back
            changed = self.restore(row, col)
        if len(changed.made) > MOST_EDITS:
            raise EditError(
                f"{counted(MOST_EDITS, 'cell')} are edited already. Go back to the data to start "
                "again."
            )
        hidden = sum(edit.value is None for edit in changed.made)  # of the given ones
        if task.given.nnz <= hidden == len(changed.made):
            raise EditError(_LAST)
        return changed

    def apply(self, task: Task) -> Task:
        """Returns the task with other given ratings and other hidden cells.

        A rating that is set is given. A given one that is hidden counts for the error, by its true
        value where the truth is known, or else by its rating. Edits outside the matrix have no
        effect. Raises ``EditError`` if no rating would be left.
        """
        N, M = task.given.shape
        made = [edit for edit in self.made if edit.row < N and edit.col < M]
        if not made:
            return task
        cells = np.array([edit.row * M + edit.col for edit in made])
        values = np.array([np.nan if edit.value is None else edit.value for edit in made])
        is_set = ~np.isnan(values)
        given = _changed(task.given, cells, cells[is_set], values[is_set])
        if not given.nnz:
            raise EditError(_LAST)
        leaving = task.given.select(np.isin(_places(task.given), cells[~is_set]))
        truth = task.matrix.truth
        true = leaving.values if truth is None else truth[leaving.rows, leaving.cols]
        return replace(
            task, given=given, hidden=_changed(task.hidden, cells[is_set], _places(leaving), true)
        )

    def to_text(self) -> str:
        """The first ``EDITS_IN_ADDRESS`` edits for an address, rows and columns from 1:
        '2_5_4.5~3_1_x'."""
        texts = []
        for row, col, value in self.made[:EDITS_IN_ADDRESS]:
            written = _HIDDEN if value is None else repr(value).removesuffix(".0")
            texts.append(f"{row + 1}{_WITHIN}{col + 1}{_WITHIN}{written}")
        return _BETWEEN.join(texts)

    @classmethod
    def from_text(cls, text: str, ratings: Ratings) -> tuple[Edits, str]:
        """The edits of ``ratings`` that an address names by any text, and a sentence on those left
        out, or ''."""
        parts = text[:_LONGEST].split(_BETWEEN) if text else []
        edits = cls()
        reasons = []
        for part in parts[:EDITS_IN_ADDRESS]:
            try:
                edits = edits._with_edit(_read(part, ratings))
            except EditError as error:
                reasons.append(str(error))
        if len(parts) > EDITS_IN_ADDRESS or len(text) > _LONGEST:
            reasons.append(f"A link holds the edits of {EDITS_IN_ADDRESS} cells.")
        note = ""
        if reasons:
            verb = "is" if len(edits.made) == 1 else "are"
            note = (
                f"{counted(len(edits.made), 'edit')} from the link {verb} shown; the others were "
                f"skipped: {reasons[0]}"
            )
        if len(reasons) > 1:
            note += f" ({len(reasons)} such reasons in all)"
        return cls(edits.made), note

    def _with_edit(self, edit: Edit) -> Edits:
        made = {old[:2]: old for old in self.made} | {edit[:2]: edit}
        return self._next(tuple(made.values()))

    def _next(self, made: tuple[Edit, ...]) -> Edits:
        return self if made == self.made else Edits(made, (*self.past, self.made)[-_UNDONE:])


def checked(value: Any, scale: RatingScale | None) -> float:
    """``value`` as a rating; raises ``EditError`` if it is not a number, or not on ``scale``, if
    one is known."""
    try:
        number = float(str(value).strip().replace("\N{MINUS SIGN}", "-").replace(",", "."))
    except ValueError:
        number = np.nan
    if isinstance(value, bool) or not np.isfinite(number):
        raise EditError(f"{shown(str(value))} is not a number.")
    if scale is None:
        if abs(number) > LARGEST_DRAWN:
            raise EditError(
                f"{with_minus(f'{number:g}')} is too large: the largest rating is "
                f"{LARGEST_DRAWN:g}."
            )
        return number
    steps = 0.0 if scale.step is None else (number - scale.minimum) / scale.step
    if not scale.minimum <= number <= scale.maximum or abs(steps - round(steps)) > 1e-9:
        ends = with_minus(f"{scale.minimum:g} to {scale.maximum:g}")
        step = "" if scale.step is None else f" in steps of {scale.step:g}"
        raise EditError(
            f"{with_minus(f'{number:g}')} is not a rating here: ratings go from {ends}{step}."
        )
    return number


def _cell(row: Any, col: Any, shape: tuple[int, int]) -> tuple[int, int]:
    for at, size in ((row, shape[0]), (col, shape[1])):
        if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < size:
            raise EditError(f"The cell is outside the matrix of {shape[0]:,} × {shape[1]:,} cells.")
    return row, col


def _read(part: str, ratings: Ratings) -> Edit:
    found = _EDIT.fullmatch(part)
    if found is None:
        raise EditError(f"{shown(part)} is not an edit.")
    row, col = _cell(int(found[1]) - 1, int(found[2]) - 1, ratings.shape)
    return Edit(row, col, None if found[3] == _HIDDEN else checked(found[3], ratings.scale))


def _value_at(ratings: Ratings, row: int, col: int) -> float | None:
    found = np.flatnonzero((ratings.rows == row) & (ratings.cols == col))
    return float(ratings.values[found[0]]) if found.size else None


def _places(ratings: Ratings) -> np.ndarray:
    """(nnz,) row * M + column of the observed cells."""
    return ratings.rows * ratings.n_cols + ratings.cols


def _changed(ratings: Ratings, gone: np.ndarray, new: np.ndarray, values: np.ndarray) -> Ratings:
    """The ratings without those in the cells ``gone``, and with ``values`` in the cells ``new``, as
    ``_places``."""
    kept = ~np.isin(_places(ratings), gone)
    cells = np.concatenate([_places(ratings)[kept], new])
    values = np.concatenate([ratings.values[kept], values])
    return replace(
        ratings, rows=cells // ratings.n_cols, cols=cells % ratings.n_cols, values=values
    )


@dataclass
class EditDesk:
    """State of a session's edits: a plain object, tested without Streamlit.

    ``source`` identifies the matrix on the screen, ``by_source`` has the edits of each matrix,
    ``seen`` is the number of the latest edit that a browser has sent, so that one that comes twice
    is made once, and ``note`` a sentence on the latest edit or the address, or ''. ``followed`` has
    the edits that a page has made by itself, until they are taken over.
    """

    source: str | None = None
    by_source: dict[str, Edits] = field(default_factory=dict)
    seen: int = 0
    note: str = ""
    followed: tuple[Edit, ...] | None = None

    @property
    def edits(self) -> Edits:
        """The edits of the matrix on the screen."""
        return self.by_source.get(self.source or "", Edits())

    def show(self, source: str, ratings: Ratings, linked: str) -> Edits:
        """The edits of the matrix ``source``: of the first one those that the address names,
        ``linked``; what a page has made by itself can be undone in one step."""
        followed = self.followed
        if followed is None and source == self.source:
            return self.edits
        first = self.source is None
        self.source = source
        self.note = ""
        self.followed = None
        if followed is not None:
            before = self.edits
            if followed != before.made:
                self._keep(Edits(followed, (*before.past, before.made)))
        elif first and linked:
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
            return
        made = len(self.edits.made)
        if made > EDITS_IN_ADDRESS:
            self.note = (
                f"{made:,} cells are edited; the address holds the first {EDITS_IN_ADDRESS} of "
                "them."
            )

    def _keep(self, edits: Edits) -> None:
        self.by_source.pop(self.source or "", None)
        if len(self.by_source) >= _MATRICES:
            del self.by_source[next(iter(self.by_source))]
        self.by_source[self.source or ""] = edits


def desk() -> EditDesk:
    """The session's."""
    return st.session_state.setdefault("edit_desk", EditDesk())


def edits_of(source: str, ratings: Ratings) -> Edits:
    """The edits of the matrix ``source`` on the screen, which the address follows."""
    edits = desk().show(source, ratings, st.query_params.get("edits", ""))
    address.write("edits", edits.to_text() if edits.made else "")
    return edits

"""The chosen cell of Your table: its estimate with the interval, and the ratings that matter for it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
import streamlit as st

from metamf.evaluate.filling import Filling
from metamf.evaluate.influence import Influence, candidates, influence
from metamf.wording import counted, name_of, rounded, with_minus

_READ_UNASKED = 400_000  # ratings that are read for an influence looked for unasked: about a second on one core
_SHOWN = 6  # number of ratings that matter in the list


@dataclass(frozen=True)
class Cell:
    """A cell, ready to be drawn.

    Attributes
    ----------
    name : the names of its row and column
    origin : 'in your file' or 'estimated'
    tiles : name, number and meaning of its rating, its estimate and its interval
    notes : sentences on the estimate
    work : number of ratings that a search for those that matter reads; None where the method cannot be asked
    """

    name: str
    origin: str
    tiles: list[tuple[str, str, str]]
    notes: list[str]
    work: int | None


def cell_of(filling: Filling, row: int, col: int) -> Cell:
    """The cell in ``row`` and ``col`` of a filled table."""
    ratings, label = filling.ratings, filling.method.label
    name = f"{name_of(ratings.row_labels, row, 'row')} × {name_of(ratings.col_labels, col, 'column')}"
    estimate = filling.mean[row, col]
    said = f"{estimate:.6g}" if filling.settings.round_to_scale else rounded(estimate)
    tiles = [("Estimate", said, f"by {label}")]
    entries = np.flatnonzero((ratings.rows == row) & (ratings.cols == col))
    for entry in entries:
        says = "hidden from the method" if filling.hidden[entry] else "as in your file"
        tiles.insert(0, ("Your rating", f"{ratings.values[entry]:.6g}", says))
    notes = []
    if filling.clipped[row, col]:
        notes.append("The estimate lay beyond the scale, or beyond what its column holds, and was cut there.")
    if filling.rounded[row, col]:
        notes.append("The estimate was rounded to the nearest step of the scale.")
    if filling.lower is None:
        notes.append(f"{label} gives no intervals; Universal does.")
    else:
        low, high, percent = filling.lower[row, col], filling.upper[row, col], round(100 * filling.level)
        meaning = f"about {percent} of 100 such intervals hold the rating"
        tiles.append((f"{percent} % interval", f"{rounded(low)} to {rounded(high)}", meaning))
    can_be_asked = filling.method.info is not None and filling.given.nnz >= 2
    work = len(candidates(filling.given, row, col)) * filling.given.nnz if can_be_asked else None
    return Cell(name, "in your file" if entries.size else "estimated", tiles, notes, work)


def what_matters(filling: Filling, row: int, col: int, work: int) -> tuple[str, str] | None:
    """The observed ratings that move the estimate most: a table, as HTML, and a sentence below it. A long search begins
    on demand; None before that."""
    long, seconds = work > _READ_UNASKED, max(2, round(work / _READ_UNASKED))
    if long and not st.button("Find them", key="table_influence", help=f"It takes about {seconds} seconds"):
        return None
    bar = st.progress(0.0, "Leaving out one rating after the other …") if long else st.empty()

    def show(done: int, total: int) -> None:
        if long:
            bar.progress(done / total)

    found = influence(filling.imputer, row, col, show)
    bar.empty()
    return _lines(filling, found)


def _lines(filling: Filling, found: Influence) -> tuple[str, str]:
    ratings = filling.given
    if not len(found.entries):
        return "", "There is no other rating in this row or this column."
    lines = ""
    for entry, change in list(zip(found.entries, found.change))[:_SHOWN]:
        row = name_of(ratings.row_labels, ratings.rows[entry], "row")
        col = name_of(ratings.col_labels, ratings.cols[entry], "column")
        lines += (
            f'<tr><td class="place">{escape(row)} × {escape(col)}</td><td class="n">{ratings.values[entry]:.6g}</td>'
            f'<td class="n">{with_minus(f"{change:+.2f}")}</td></tr>'
        )
    return (
        '<table class="mf-table mf-behind"><thead><tr><th scope="col">Rating</th><th scope="col" class="n">value</th>'
        f'<th scope="col" class="n">moves it by</th></tr></thead><tbody>{lines}</tbody></table>',
        f"Each of {counted(found.examined, 'rating')} was left out once, and the cell estimated again without it.",
    )

"""The filled table, a part at a time, and the map of interval widths: made once per filling and part, then drawn."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from metamf.evaluate.domain_shift import adapted_sentences
from metamf.evaluate.filling import Filling
from metamf.evaluate.influence import Influence, candidates, influence
from metamf.figures.window import LARGEST_WINDOW, Axes, Window
from metamf.ratings.matrix import Ratings
from metamf.webapp import address, look
from metamf.webapp.player import component, still
from metamf.webapp.player.still import Still
from metamf.webapp.your_table.state import FillingKey, keep, recall, remember
from metamf.wording import counted, name_of, percent, rounded, with_minus

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


PART = 40  # rows and columns of the table that are shown at once
_TOP, _LEFT = address.control("table_top"), address.control("table_left")
_OBSERVED = "background-color: rgba(128, 128, 128, 0.16)"
_CLIPPED = "background-color: rgba(213, 94, 0, 0.22)"
_HIDDEN = "background-color: rgba(230, 190, 0, 0.24)"
_OBSERVED_TEXT = "{:.6g}"


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a filled table, ready to be drawn.

    Attributes
    ----------
    top, left : its first row and column, counted from 0
    heading : number of estimated cells, and name of the method
    cells : the numbers of the cells, by which they are sorted, their texts and colours; the column "name" holds the
        names of the rows
    columns : the settings with which Streamlit draws each column
    legend : meaning of colours and signs, and the steps that were taken to suit the table
    first : row and column of the cell that is shown before one is chosen: one that is estimated, if there is one
    widths : the map of the widths of the intervals, as the player draws it; None where the method gives none, or every
        cell that is shown is observed
    """

    top: int
    left: int
    heading: str
    cells: Styler
    columns: dict
    legend: str
    first: tuple[int, int]
    widths: dict[str, Any] | None


def cells(filling: Filling, key: FillingKey) -> None:
    """Draws the table, the chosen cell beside it, and the widths of the intervals below."""
    shape = filling.mean.shape
    with st.container():
        corner = _corner(shape)
    part = remember("part", (key, corner), lambda: _part(filling, *corner))
    table, side = st.columns([1.65, 1], gap="large")
    with table:
        look.panel("Filled in", part.heading)
        cell = _table(part, shape)
        look.small(part.legend)
    with side:
        _one_cell(filling, *cell, key)
    if part.widths is not None:
        component.draw_apart(part.widths, "table-widths")
        shown = "" if max(shape) <= LARGEST_WINDOW else f" Shown are {LARGEST_WINDOW} rows and columns at most."
        look.small(f"The stronger the colour, the less sure it is; cells that hold your ratings are left empty.{shown}")


def _corner(shape: tuple[int, int]) -> tuple[int, int]:
    """First row and column of what is shown of a large table, counted from 0."""
    if max(shape) <= PART:
        return 0, 0
    note, row, col = st.columns([3, 1, 1], vertical_alignment="bottom")
    with note:
        look.small(f"All of the table is filled in; {PART} rows and columns of it are shown. The downloads have all.")
    top = row.number_input("First row", 1, shape[0], 1, **_TOP)
    left = col.number_input("First column", 1, shape[1], 1, **_LEFT)
    return top - 1, left - 1


def _table(part: Part, shape: tuple[int, int]) -> tuple[int, int]:
    """Draws the part and gives row and column of the chosen cell."""
    event = st.dataframe(
        part.cells,
        hide_index=True,
        column_config=part.columns,
        on_select="rerun",
        selection_mode="single-cell",
        key=f"table_grid_{part.top}_{part.left}",
        height=min(38 + 35 * len(part.cells.index), 460),
    )
    for row, name in event.selection.cells:
        if name != "name":
            st.session_state.table_cell = part.top + row, part.left + int(name)
    row, col = st.session_state.get("table_cell", part.first)
    return (row, col) if row < shape[0] and col < shape[1] else part.first


def _one_cell(filling: Filling, row: int, col: int, key: FillingKey) -> None:
    this = (key, row, col)
    cell = remember("cell", this, lambda: cell_of(filling, row, col))
    look.panel(cell.name, cell.origin)
    look.tiles(cell.tiles)
    for sentence in cell.notes:
        look.small(sentence)
    if cell.work is None:
        return
    look.panel("Which ratings matter", "for this estimate")
    matters = recall("influence", this) or what_matters(filling, row, col, cell.work)
    if matters is not None:
        lines, sentence = keep("influence", this, matters)
        if lines:
            st.html(lines)
        look.small(sentence)


def _part(filling: Filling, top: int, left: int) -> Part:
    ratings, cells = filling.ratings, filling.mean.size
    window = Window.of(ratings.shape, top, left, PART)
    observed, hidden = _inside(ratings, window), _inside(ratings.select(filling.hidden), window)
    mean, clipped = (X[window.rows, window.cols] for X in (filling.mean, filling.clipped))
    colours = np.where(np.isnan(observed), np.where(clipped, _CLIPPED, ""), _OBSERVED)
    colours = np.where(np.isnan(hidden), colours, _HIDDEN)
    names = [str(j) for j in range(window.width)]
    frame = pd.DataFrame(np.where(np.isnan(observed), mean, observed), columns=names)
    frame.insert(0, "name", _names(ratings.row_labels, window.rows))
    style = pd.DataFrame(colours, columns=names).reindex(columns=frame.columns, fill_value="")
    shown = frame.style.apply(lambda _: style, axis=None).format(_OBSERVED_TEXT, subset=names)
    estimate = _estimate_in_steps if filling.settings.round_to_scale else _estimate
    for j, name in enumerate(names):
        unknown = np.isnan(observed[:, j])
        for text, there in (
            (estimate, unknown & ~clipped[:, j]),
            (lambda x: f"{estimate(x)} ↧", unknown & clipped[:, j]),
        ):
            shown.format(text, subset=(np.flatnonzero(there), [name]))
        for i in np.flatnonzero(~np.isnan(hidden[:, j])):
            both = f"{_OBSERVED_TEXT.format(observed[i, j])} {estimate(mean[i, j])}"
            shown.format(lambda _, both=both: both, subset=([i], [name]))
    columns = {"name": st.column_config.TextColumn("", pinned=True)}
    for name, label in zip(names, _names(ratings.col_labels, window.cols)):
        columns[name] = st.column_config.NumberColumn(label, width="small")
    missing = np.argwhere(np.isnan(observed))
    i, j = missing[0] if len(missing) else (0, 0)
    return Part(
        window.top,
        window.left,
        f"by {filling.method.label}: {cells - ratings.nnz:,} of {counted(cells, 'cell')} estimated",
        shown,
        columns,
        _legend(filling),
        (int(window.top + i), int(window.left + j)),
        None if filling.lower is None else _widths(filling, Window.of(ratings.shape, top, left)),
    )


def _estimate(x: float) -> str:
    return f"≈ {rounded(x)}"


def _estimate_in_steps(x: float) -> str:
    return f"≈ {x:.6g}"


def _legend(filling: Filling) -> str:
    parts = ["on grey: as in your file", "≈ estimated"]
    if n := int(filling.hidden.sum()):
        parts.append(f"on yellow: your rating, hidden from the method, and its estimate ({n:,})")
    if n := int(filling.clipped.sum()):
        parts.append(f"↧ on orange: cut at the end of the scale, or of what its column holds ({n:,})")
    if filling.rounded.any():
        parts[1] += ", rounded as your ratings are"
    suited = adapted_sentences(filling.imputer) if filling.imputer else []
    return " ".join([*suited, "; ".join(parts) + ". Click a cell to see its interval."])


def _widths(filling: Filling, window: Window) -> dict[str, Any] | None:
    ratings, scale = filling.ratings, filling.ratings.scale
    widths, observed = (filling.upper - filling.lower)[window.rows, window.cols], _inside(ratings, window)
    widths = np.where(np.isnan(observed), widths, np.nan)
    if np.isnan(widths).all():
        return None
    detail = f"width of the {percent(filling.level)} interval"
    one = Still.widths("How sure it is", detail, widths, None if scale is None else (scale.minimum, scale.maximum))
    rows, cols = (
        None if labels is None else labels[inside]
        for labels, inside in ((ratings.row_labels, window.rows), (ratings.col_labels, window.cols))
    )
    axes = Axes(rows, cols, window.top, window.left)
    return still.scene_of("Your table", [one], axes, given=observed, shape=ratings.shape)


def _inside(ratings: Ratings, window: Window) -> np.ndarray:
    """(n, m) the observed ratings in the window, NaN elsewhere."""
    rows, cols = (np.arange(part.start, part.stop) for part in (window.rows, window.cols))
    return ratings.submatrix(rows, cols).to_dense()


def _names(labels: tuple | None, inside: slice) -> list[str]:
    return [name_of(labels, i, "") for i in range(inside.start, inside.stop)]

"""The filled table, the chosen cell with its interval and the ratings behind it, and the map of interval widths."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from metamf.figures.maps import rating_map
from metamf.figures.window import LARGEST_WINDOW, Axes, Window
from metamf.filling import influence as trust
from metamf.filling.fill_in import Filling
from metamf.ratings.matrix import Ratings
from metamf.webapp import look
from metamf.webapp.your_table import state as table_state
from metamf.wording import counted, name_of, rounded

TABLE_WINDOW = 40  # rows and columns of the table that are shown at once
_AT_ONCE = 400_000  # entries up to which the ratings behind an estimate are looked for unasked: a second
_SHOWN = 6
_OBSERVED = "background-color: rgba(128, 128, 128, 0.16)"
_MARKED = "background-color: rgba(213, 94, 0, 0.22)"
_HELD_OUT = "background-color: rgba(230, 190, 0, 0.24)"


def cells(filling: Filling, key: tuple) -> None:
    """``key``: what ``filling`` was made from."""
    ratings = filling.ratings
    with st.container():
        top, left = _corner(ratings.shape)
    table, side = st.columns([1.65, 1], gap="large")
    with table:
        look.panel("Filled in", _detail(filling))
        chosen = _table(filling, Window.of(ratings.shape, top, left, TABLE_WINDOW))
        _legend(filling)
    with side:
        _cell(filling, *chosen, key)
    if filling.lower is not None:
        _widths(filling, Window.of(ratings.shape, top, left))


def _corner(shape: tuple[int, int]) -> tuple[int, int]:
    """First row and column of what is shown of a large table, counted from 0."""
    if max(shape) <= TABLE_WINDOW:
        return 0, 0
    note, row, col = st.columns([3, 1, 1], vertical_alignment="bottom")
    with note:
        look.small(
            f"All of the table is filled in; {TABLE_WINDOW} rows and columns of it are shown. The downloads have all."
        )
    top = row.number_input("First row", 1, shape[0], 1, key="table_top", persist_state="session")
    left = col.number_input("First column", 1, shape[1], 1, key="table_left", persist_state="session")
    return top - 1, left - 1


def _detail(filling: Filling) -> str:
    cells = filling.mean.size
    return f"by {filling.method.label}: {cells - filling.ratings.nnz:,} of {counted(cells, 'cell')} estimated"


def _table(filling: Filling, window: Window) -> tuple[int, int]:
    """Draws the window of the table and gives the chosen cell, at first one that is estimated."""
    observed = _part(filling.ratings, window)
    values = np.where(np.isnan(observed), filling.mean[window.rows, window.cols], observed)
    marked = (filling.clipped | filling.rounded)[window.rows, window.cols]
    rows, cols = _names(filling, window)
    texts = [
        [
            f"{x:.6g}" if x == o else f"≈ {rounded(x)}{' ↧' if clipped else ''}"
            for x, o, clipped in zip(values[i], observed[i], filling.clipped[window.top + i, window.cols])
        ]
        for i in range(window.height)
    ]
    hidden = _part(filling.ratings.select(filling.hidden), window)
    for i, j in np.argwhere(~np.isnan(hidden)):
        texts[i][j] += f" ≈ {rounded(filling.mean[window.top + i, window.left + j])}"
    frame = pd.DataFrame(texts, columns=[str(j) for j in range(window.width)])
    frame.insert(0, "name", rows)
    style = np.where(~np.isnan(observed), _OBSERVED, np.where(marked, _MARKED, ""))
    style = np.where(~np.isnan(hidden), _HELD_OUT, style)
    style = pd.DataFrame(style, columns=frame.columns[1:]).reindex(columns=frame.columns, fill_value="")
    config = {"name": st.column_config.TextColumn("", pinned=True)}
    config |= {
        str(j): st.column_config.TextColumn(name, width="small", alignment="right") for j, name in enumerate(cols)
    }
    event = st.dataframe(
        frame.style.apply(lambda _: style, axis=None),
        hide_index=True,
        column_config=config,
        on_select="rerun",
        selection_mode="single-cell",
        key=f"table_grid_{window.top}_{window.left}",
        height=min(38 + 35 * window.height, 460),
    )
    picked = [(row, int(name)) for row, name in event.selection.cells if name != "name"]
    if picked:
        st.session_state.table_cell = window.top + picked[0][0], window.left + picked[0][1]
    cell = st.session_state.get("table_cell")
    if cell is None or not all(0 <= at < size for at, size in zip(cell, filling.ratings.shape)):
        missing = np.argwhere(np.isnan(observed))
        i, j = missing[0] if len(missing) else (0, 0)
        cell = int(window.top + i), int(window.left + j)
    return cell


def _legend(filling: Filling) -> None:
    parts = ["observed: on grey, as in your file", "≈ estimated"]
    if n := int(filling.hidden.sum()):
        parts.append(f"on yellow: your rating, hidden from the method, and its estimate ({n:,})")
    if n := int(filling.clipped.sum()):
        parts.append(f"↧ on orange: cut at the end of the scale ({n:,})")
    if n := int(filling.rounded.sum()):
        parts.append(f"on orange: rounded to the scale ({n:,})")
    look.small("; ".join(parts) + ". Click a cell to see its interval.")


# -- one cell ---------------------------------------------------------------------------------------------------------


def _cell(filling: Filling, row: int, col: int, key: tuple) -> None:
    ratings = filling.ratings
    at = np.flatnonzero((ratings.rows == row) & (ratings.cols == col))
    name = " × ".join(
        name_of(labels, i, what)
        for labels, i, what in ((ratings.row_labels, row, "row"), (ratings.col_labels, col, "column"))
    )
    look.panel(name, "observed" if at.size else "estimated")
    estimate = rounded(filling.mean[row, col])
    hidden = bool(at.size and filling.hidden[at[0]])
    says = "hidden from the method" if hidden else "as in your file"
    tiles = [("Observed", f"{ratings.values[at[0]]:.6g}", says)] if at.size else []
    tiles.append(("Estimate", estimate, f"by {filling.method.label}"))
    if filling.lower is not None:
        low, high = rounded(filling.lower[row, col]), rounded(filling.upper[row, col])
        tiles.append(
            (
                f"{100 * filling.level:.0f} % interval",
                f"{low} to {high}",
                f"about {round(100 * filling.level)} of 100 such intervals hold the rating",
            )
        )
    look.tiles(tiles)
    if filling.clipped[row, col]:
        look.small("The estimate lay beyond the end of the scale and was cut there.")
    if filling.rounded[row, col]:
        look.small("The estimate was rounded to the nearest step of the scale.")
    if filling.lower is None:
        look.small(f"{filling.method.label} gives no intervals; MetaMF universal does.")
    _behind(filling, row, col, key)


def _behind(filling: Filling, row: int, col: int, key: tuple) -> None:
    """The observed cells that move the estimate most."""
    ratings = filling.given
    if filling.imputer is None or ratings.nnz < 2:
        return
    work = len(trust.candidates(ratings, row, col)) * ratings.nnz
    key = (*key, row, col)
    found = table_state.recall("influence", key)
    look.panel("Which ratings matter", "for this estimate")
    if found is None:
        if work > _AT_ONCE and not st.button(
            "Find them", key="table_influence", help=f"It takes about {max(2, round(work / 4e5))} seconds"
        ):
            return
        bar = st.progress(0.0, "Leaving out one rating after the other …") if work > _AT_ONCE else None
        show = None if bar is None else lambda done, total: bar.progress(done / total)
        found = table_state.remember("influence", key, lambda: trust.influence(filling.imputer, row, col, show))
        if bar is not None:
            bar.empty()
    if not len(found.entries):
        look.small("There is no other rating in this row or this column.")
        return
    lines = ""
    for entry, change in list(zip(found.entries, found.change))[:_SHOWN]:
        place = " × ".join(
            (
                name_of(ratings.row_labels, ratings.rows[entry], "row"),
                name_of(ratings.col_labels, ratings.cols[entry], "column"),
            )
        )
        sign = f"{change:+.2f}".replace("-", "−")
        lines += (
            f'<tr><td class="place">{escape(place)}</td><td class="n">{ratings.values[entry]:.6g}</td>'
            f'<td class="n">{sign}</td></tr>'
        )
    st.html(
        '<table class="mf-table mf-behind"><thead><tr><th scope="col">Rating</th><th scope="col" class="n">value</th>'
        f'<th scope="col" class="n">moves it by</th></tr></thead><tbody>{lines}</tbody></table>'
    )
    look.small(
        f"Each of {counted(found.examined, 'rating')} was left out once, and the cell estimated again without it."
    )


# -- widths -----------------------------------------------------------------------------------------------------------


def _widths(filling: Filling, window: Window) -> None:
    widths = (filling.upper - filling.lower)[window.rows, window.cols]
    widths = np.where(np.isnan(_part(filling.ratings, window)), widths, np.nan)
    if np.isnan(widths).all():
        return
    ratings = filling.ratings
    look.panel("Where it is sure, and where not", f"width of the {100 * filling.level:.0f} % interval")
    part = lambda labels, at: None if labels is None else labels[at]  # noqa: E731
    axes = Axes(part(ratings.row_labels, window.rows), part(ratings.col_labels, window.cols), window.top, window.left)
    low, high = float(np.nanmin(widths)), float(np.nanmax(widths))
    high = high if high > low else low + 1.0
    height = int(np.clip(90 + 18 * window.height, 220, 460))
    notes = np.full(widths.shape, "wide: width of the interval")
    chart = rating_map(widths, low, high, axes, notes=notes, height=height)
    look.figure(chart, "table_widths", "Heatmap of the width of each estimated cell's interval.")
    look.rating_legend(low, high)
    shown = "" if max(ratings.shape) <= LARGEST_WINDOW else f" Shown are {LARGEST_WINDOW} rows and columns at most."
    look.small(f"Bright cells are uncertain; observed cells are left empty.{shown}")


def _part(ratings: Ratings, window: Window) -> np.ndarray:
    """(n, m) the observed ratings in the window, NaN elsewhere."""
    rows, cols = (np.arange(part.start, part.stop) for part in (window.rows, window.cols))
    return ratings.submatrix(rows, cols).to_dense()


def _names(filling: Filling, window: Window) -> tuple[list[str], list[str]]:
    ratings = filling.ratings
    sides = ((ratings.row_labels, window.rows), (ratings.col_labels, window.cols))
    return tuple([name_of(labels, i, "") for i in range(part.start, part.stop)] for labels, part in sides)

"""The filled table, a part at a time, the chosen cell, and maps of the table and of the widths of
its intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from metamf.answer.answer import Answer
from metamf.answer.domain_shift import adapted_sentences, guard_sentences
from metamf.figures.window import LARGEST_WINDOW, Axes, Window, names_of
from metamf.ratings.matrix import Ratings
from metamf.tables.table import Table
from metamf.webapp import caches, look
from metamf.webapp.player import component, still
from metamf.webapp.player.still import Still
from metamf.webapp.your_table.filling import FillingKey
from metamf.wording import name_of, percent, with_minus

GUARDED = "(mean)"  # behind the name of a column that the guard drew to its mean
PART = 40  # rows and columns of the table that are shown at once
_GIVEN = "background-color: rgba(128, 128, 128, 0.16)"
_CLIPPED = "background-color: rgba(213, 94, 0, 0.22)"
_HIDDEN = "background-color: rgba(230, 190, 0, 0.24)"


def cells(table: Table, answer: Answer, key: FillingKey) -> None:
    """Draws the table, the chosen cell next to it, and the maps below."""
    look.heading("Every cell")
    shape = answer.shape
    with st.container():
        window, words = look.choose_window(shape, PART, "table_")
    if words is not None:
        with words:
            look.small(f"{PART} rows and columns are shown; the downloads have all.")
    grid, side = st.columns([1.65, 1], gap="medium")
    with grid:
        frame, columns = caches.once_large(
            "part", (key, window), lambda: _part(table, answer, window)
        )
        row, col = _table(answer, window, frame, columns)
        look.small(_legend(answer))
    with side:
        _one_cell(table, answer, row, col)
    around = Window.of(shape, window.top, window.left)
    maps = caches.once_large("maps", (key, around), lambda: _maps(answer, around))
    component.draw_apart(maps, "table-maps", "maps")
    sentences = ["A dot marks what is given."]
    if answer.half_widths is not None:
        sentences.append("A stronger colour is a wider interval: a less certain estimate.")
    if max(shape) > LARGEST_WINDOW:
        sentences.append(f"At most {LARGEST_WINDOW} rows and columns are shown.")
    look.small(" ".join(sentences))


def _table(
    answer: Answer, window: Window, frame: Styler, columns: dict[str, Any]
) -> tuple[int, int]:
    """Draws the part and returns row and column of the chosen cell, at first an estimated one."""
    event = st.dataframe(
        frame,
        hide_index=True,
        column_config=columns,
        on_select="rerun",
        selection_mode="single-cell",
        key=f"table_grid_{window.top}_{window.left}",
        height=min(38 + 35 * window.height, 460),
    )
    for row, name in event.selection.cells:
        if name != "name":
            st.session_state.table_cell = window.top + row, window.left + int(name)
    row, col = st.session_state.get("table_cell", answer.shape)
    if row < answer.shape[0] and col < answer.shape[1]:
        return row, col
    missing = np.argwhere(np.isnan(answer.part(window.rows, window.cols).ratings.to_dense()))
    i, j = missing[0] if len(missing) else (0, 0)
    return int(window.top + i), int(window.left + j)


def _one_cell(table: Table, answer: Answer, row: int, col: int) -> None:
    """Draws what is given in a cell, its estimate and its interval."""
    cell = answer.part(slice(row, row + 1), slice(col, col + 1))
    names = " × ".join(names_of(answer.ratings, row, col))
    look.panel(names, "in your file" if cell.ratings.nnz else "estimated")

    def text(value: float) -> str:
        return with_minus(table.written(np.array([value]), col)[0])

    tiles = [("Estimate", text(cell.mean.item()), f"by {answer.method}")]
    for given, hidden in zip(cell.ratings.values, cell.hidden):
        origin = "hidden from the method" if hidden else "as in your file"
        tiles.insert(0, ("Given", text(given), origin))
    notes = []
    if cell.clipped.any():
        notes.append("The estimate was beyond the limits of its column, and was cut there.")
    if cell.lower is None or cell.upper is None or cell.level is None:
        notes.append(f"{answer.method} gives no intervals; Universal does.")
    else:
        share = round(100 * cell.level)
        ends = f"{text(cell.lower.item())} to {text(cell.upper.item())}"
        meaning = f"about {share} of 100 such intervals hold the true value"
        tiles.append((f"{share} % interval", ends, meaning))
    look.tiles(tiles)
    for sentence in notes:
        look.small(sentence)


def _part(table: Table, answer: Answer, window: Window) -> tuple[Styler, dict[str, Any]]:
    """The cells of a part, with texts and colours, and the settings of its columns.

    The column "name" holds the names of the rows; cells are sorted by their numbers.
    """
    part = answer.part(window.rows, window.cols)
    given = part.ratings.to_dense()
    hidden = ~np.isnan(part.ratings.select(part.hidden).to_dense())
    missing = np.isnan(given)
    colours = np.where(missing, np.where(part.clipped, _CLIPPED, ""), _GIVEN)
    colours = np.where(hidden, _HIDDEN, colours)
    names = [str(j) for j in range(window.width)]
    frame = pd.DataFrame(np.where(missing, part.mean, given), columns=names)
    frame.insert(0, "name", _names(answer.ratings.row_labels, window.rows))
    style = pd.DataFrame(colours, columns=names).reindex(columns=frame.columns, fill_value="")
    shown = frame.style.apply(lambda _: style, axis=None)
    for j, name in enumerate(names):
        col = window.left + j
        texts = table.written(frame[name].to_numpy(), col)
        estimates = table.written(part.mean[:, j], col)
        for i, text in enumerate(texts):
            if missing[i, j]:
                text = f"≈ {text} ↧" if part.clipped[i, j] else f"≈ {text}"
            elif hidden[i, j]:
                text = f"{text} ≈ {estimates[i]}"
            shown.format(lambda _, text=text: text, subset=([i], [name]))
    columns = {"name": st.column_config.TextColumn("", pinned=True)}
    guarded = guard_sentences(answer.fitted.guarded) if answer.fitted else {}
    labels = answer.ratings.col_labels
    for j, (name, label) in enumerate(zip(names, _names(labels, window.cols)), window.left):
        sentence = guarded.get(j if labels is None else labels[j])
        label = f"{label} {GUARDED}" if sentence else label
        columns[name] = st.column_config.NumberColumn(label, width="small", help=sentence)
    return shown, columns


def _legend(answer: Answer) -> str:
    parts = ["Cells on grey are given, and ≈ marks an estimate."]
    if n := int(answer.hidden.sum()):
        parts.append(
            f"Cells on yellow are given, but hidden from the method; their estimate is next to "
            f"them ({n:,})."
        )
    if n := int(answer.clipped.sum()):
        parts.append(f"↧ on orange marks an estimate cut at a limit of its column ({n:,}).")
    suited = adapted_sentences(answer.fitted) if answer.fitted else []
    return " ".join([*suited, *parts, "Click a cell to see its interval."])


def _maps(answer: Answer, window: Window) -> dict[str, Any]:
    ratings = answer.ratings
    scale = ratings.scale
    part = answer.part(window.rows, window.cols)
    given = part.ratings.to_dense()
    values = part.filled
    what = "given and estimated"
    centres, spreads = _centres_and_spreads(ratings, window)
    if scale is None:
        values = (values - centres) / spreads
        given = (given - centres) / spreads
        what = "given and estimated, in spreads from the mean of the column"
    ends = float(np.nanmin(values)), float(np.nanmax(values))
    if scale is not None:
        ends = min(ends[0], scale.minimum), max(ends[1], scale.maximum)
    maps = [Still("All values", what, values, *ends, noun="value")]
    if part.lower is not None and part.upper is not None and part.level is not None:
        widths = np.where(np.isnan(given), (part.upper - part.lower) / spreads, np.nan)
        whole = (0.0, 0.0)
        detail = f"width of the {percent(part.level)} interval, in spreads of the column"
        if not np.isnan(widths).all():
            maps.append(Still("How sure it is", detail, widths, *whole, "width", noun="width"))
    return still.scene_of(
        "Your table", maps, Axes.of(ratings, window), given=given, shape=ratings.shape, ends=ends
    )


def _centres_and_spreads(ratings: Ratings, window: Window) -> tuple[np.ndarray, np.ndarray]:
    """(m,) means and standard deviations of the given values of the columns in the window; 0 and 1
    where there are none, or all are one."""
    X = pd.DataFrame(ratings.to_dense()[:, window.cols])
    spreads = X.std(ddof=0)
    return X.mean().fillna(0.0).to_numpy(), spreads.where(spreads > 0, 1.0).to_numpy()


def _names(labels: tuple | None, inside: slice) -> list[str]:
    return [name_of(labels, i, "") for i in range(inside.start, inside.stop)]

"""The filled table, a part at a time, the chosen cell, and maps of the table and of the widths of its intervals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from metamf.answer.answer import Answer
from metamf.answer.domain_shift import adapted_sentences, guard_sentences
from metamf.answer.influence import Influence, candidates, influence
from metamf.figures.window import LARGEST_WINDOW, Axes, Window, names_of
from metamf.tables.roles import RATING
from metamf.tables.table import TableReport
from metamf.webapp import look, waiting
from metamf.webapp.engine import EngineError
from metamf.webapp.player import component, still
from metamf.webapp.player.still import Still
from metamf.webapp.session import keep, recall, remember
from metamf.webapp.your_table.state import FillingKey
from metamf.webapp.your_table.uploads import GUARDED
from metamf.wording import counted, name_of, percent, rounded, with_minus

_READ_UNASKED = 400_000  # ratings that are read for an influence looked for unasked: about a second on one core
_READ_BY_MEMBERS = 20_000  # ratings that are read in the time in which members are fitted to a small table
_SHOWN = 6  # number of ratings that matter in the list


PART = 40  # rows and columns of the table that are shown at once
_OBSERVED = "background-color: rgba(128, 128, 128, 0.16)"
_CLIPPED = "background-color: rgba(213, 94, 0, 0.22)"
_HIDDEN = "background-color: rgba(230, 190, 0, 0.24)"
_OBSERVED_TEXT = "{:.6g}"


def cells(answer: Answer, key: FillingKey) -> None:
    """Draws the table, the chosen cell next to it, and the maps below."""
    ratings = answer.ratings
    shape = answer.shape
    with st.container():
        window, words = look.choose_window(shape, PART, "table_")
    if words is not None:
        with words:
            look.small(
                f"All of the table is filled in; {PART} rows and columns of it are shown. The downloads have all."
            )
    table, side = st.columns([1.65, 1], gap="large")
    with table:
        total = math.prod(shape)
        look.panel("Filled in", f"by {answer.method}: {total - ratings.nnz:,} of {counted(total, 'cell')} estimated")
        frame, columns = remember("part", (key, window), lambda: _part(answer, window))
        row, col = _table(answer, window, frame, columns)
        look.small(_legend(answer))
    with side:
        _one_cell(answer, row, col, key)
    around = Window.of(shape, window.top, window.left)
    component.draw_apart(remember("maps", (key, around), lambda: _maps(answer, around)), "table-maps", "maps")
    cut = "" if max(shape) <= LARGEST_WINDOW else f" At most {LARGEST_WINDOW} rows and columns are shown."
    sure = "" if answer.half_widths is None else " A stronger colour is a wider interval: a less certain estimate."
    look.small(f"A dot marks your own ratings. Save any map as an image.{sure}{cut}")


def mark_guarded(answer: Answer, report: TableReport) -> None:
    """Keeps which columns of a wide table the guard drew to their mean, for their chips. These are drawn before there
    is an answer, so the page starts again where it is about other columns than the one before."""
    guarded = guard_sentences(answer.imputer) if answer.imputer else {}
    labels = answer.ratings.col_labels
    rated = report.roles.of(RATING) if report.roles else []
    columns = tuple(j for m, j in enumerate(rated) if (m if labels is None else labels[m]) in guarded)
    if columns != st.session_state.get("table_guarded", ()):
        st.session_state.table_guarded = columns
        st.rerun()


def _table(answer: Answer, window: Window, frame: Styler, columns: dict[str, Any]) -> tuple[int, int]:
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


def _one_cell(answer: Answer, row: int, col: int, key: FillingKey) -> None:
    """Draws the rating, estimate and interval of a cell, and the ratings that matter for it."""
    cell = answer.part(slice(row, row + 1), slice(col, col + 1))
    ratings = answer.ratings
    label = answer.method
    look.panel(" × ".join(names_of(ratings, row, col)), "in your file" if cell.ratings.nnz else "estimated")
    estimate = cell.mean.item()
    shown = f"{estimate:.6g}" if answer.round_to_scale else rounded(estimate)
    tiles = [("Estimate", shown, f"by {label}")]
    for given, hidden in zip(cell.ratings.values, cell.hidden):
        origin = "hidden from the method" if hidden else "as in your file"
        tiles.insert(0, ("Your rating", f"{given:.6g}", origin))
    notes = []
    if cell.clipped.any():
        notes.append("The estimate was beyond the scale, or beyond the range of its column, and was cut there.")
    if cell.rounded.any():
        notes.append("The estimate was rounded to the nearest step of the scale.")
    if cell.lower is None or cell.upper is None or cell.level is None:
        notes.append(f"{label} gives no intervals; Universal does.")
    else:
        low = cell.lower.item()
        high = cell.upper.item()
        share = round(100 * cell.level)
        meaning = f"about {share} of 100 such intervals hold the rating"
        tiles.append((f"{share} % interval", f"{rounded(low)} to {rounded(high)}", meaning))
    look.tiles(tiles)
    for sentence in notes:
        look.small(sentence)
    if answer.imputer is None or answer.given.nnz < 2:  # it cannot be asked what matters
        return
    look.panel("Influential ratings", "for this estimate")
    found = recall("influence", (key, row, col)) or _influence(answer, row, col)
    if found is not None:
        _draw_influence(answer, keep("influence", (key, row, col), found))


def _influence(answer: Answer, row: int, col: int) -> Influence | None:
    """The observed ratings that move the estimate most; a long search begins on demand, and is None before that."""
    assert answer.imputer is not None
    read = answer.given.nnz + (0 if answer.imputer.ensemble_ is None else _READ_BY_MEMBERS)
    work = len(candidates(answer.given, row, col)) * read
    if work <= _READ_UNASKED:
        return influence(answer.imputer, row, col)
    seconds = max(2, round(work / _READ_UNASKED))
    if not st.button("Show influential ratings", key="table_influence", help=f"Takes about {seconds} seconds"):
        return None
    try:
        return waiting.compute(("influence", row, col), influence, answer.imputer, row, col)
    except EngineError as error:
        waiting.show_end(error)
        return None


def _draw_influence(answer: Answer, found: Influence) -> None:
    ratings = answer.given
    if not len(found.entries):
        look.small("There is no other rating in this row or this column.")
        return
    lines = []
    for entry, change in zip(found.entries[:_SHOWN], found.change):
        names = names_of(ratings, ratings.rows[entry], ratings.cols[entry])
        lines.append((" × ".join(names), f"{ratings.values[entry]:.6g}", with_minus(f"{change:+.2f}")))
    st.html(look.number_table(("Rating", "value", "moves it by"), lines, "mf-table mf-behind"))
    look.small(
        f"Each of {counted(found.examined, 'rating')} was left out once, and the cell estimated again without it."
    )


def _part(answer: Answer, window: Window) -> tuple[Styler, dict[str, Any]]:
    """The cells of a part, with texts and colours, and the settings of its columns.

    The column "name" holds the names of the rows; cells are sorted by their numbers.
    """
    part = answer.part(window.rows, window.cols)
    mean = part.mean
    clipped = part.clipped
    observed = part.ratings.to_dense()
    hidden = part.ratings.select(part.hidden).to_dense()
    colours = np.where(np.isnan(observed), np.where(clipped, _CLIPPED, ""), _OBSERVED)
    colours = np.where(np.isnan(hidden), colours, _HIDDEN)
    names = [str(j) for j in range(window.width)]
    frame = pd.DataFrame(np.where(np.isnan(observed), mean, observed), columns=names)
    frame.insert(0, "name", _names(answer.ratings.row_labels, window.rows))
    style = pd.DataFrame(colours, columns=names).reindex(columns=frame.columns, fill_value="")
    shown = frame.style.apply(lambda _: style, axis=None).format(_OBSERVED_TEXT, subset=names)
    in_steps = answer.round_to_scale

    def estimate(x: float) -> str:
        return f"≈ {x:.6g}" if in_steps else f"≈ {rounded(x)}"

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
    guarded = guard_sentences(answer.imputer) if answer.imputer else {}
    labels = answer.ratings.col_labels
    for j, (name, label) in enumerate(zip(names, _names(labels, window.cols)), window.left):
        sentence = guarded.get(j if labels is None else labels[j])
        label = f"{label} {GUARDED}" if sentence else label
        columns[name] = st.column_config.NumberColumn(label, width="small", help=sentence)
    return shown, columns


def _legend(answer: Answer) -> str:
    parts = ["Cells on grey hold your ratings, and ≈ marks an estimate"]
    if answer.rounded.any():
        parts[0] += ", rounded as your ratings are"
    if n := int(answer.hidden.sum()):
        parts.append(f"Cells on yellow hold a rating of yours, hidden from the method, and its estimate ({n:,})")
    if n := int(answer.clipped.sum()):
        parts.append(f"↧ on orange marks an estimate cut at the end of the scale or of the range of its column ({n:,})")
    suited = adapted_sentences(answer.imputer) if answer.imputer else []
    return " ".join([*suited, *(f"{part}." for part in parts), "Click a cell to see its interval."])


def _maps(answer: Answer, window: Window) -> dict[str, Any]:
    ratings = answer.ratings
    scale = ratings.scale
    part = answer.part(window.rows, window.cols)
    given = part.ratings.to_dense()
    values = part.filled
    ends = float(np.nanmin(values)), float(np.nanmax(values))
    if scale is not None:
        ends = min(ends[0], scale.minimum), max(ends[1], scale.maximum)
    maps = [Still("All ratings", "given and estimated", values, *ends, noun="rating")]
    if part.lower is not None and part.upper is not None and part.level is not None:
        widths = np.where(np.isnan(given), part.upper - part.lower, np.nan)
        whole = (0.0, 0.0) if scale is None else (scale.minimum, scale.maximum)
        detail = f"width of the {percent(part.level)} interval"
        if not np.isnan(widths).all():
            maps.append(Still("How sure it is", detail, widths, *whole, "width", noun="width"))
    return still.scene_of("Your table", maps, Axes.of(ratings, window), given=given, shape=ratings.shape, ends=ends)


def _names(labels: tuple | None, inside: slice) -> list[str]:
    return [name_of(labels, i, "") for i in range(inside.start, inside.stop)]

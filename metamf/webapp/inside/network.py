"""Inside the network: the matrix through the exchangeable layers, one channel at a time, to U(0) and V(0)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.figures.lines import sum_of_terms
from metamf.figures.window import Axes
from metamf.ratings.matrix import Ratings
from metamf.webapp import address, look, numbers
from metamf.webapp.experiments.layers import NetworkReading, read_layers
from metamf.webapp.inside import network_words, parts
from metamf.webapp.look import Picture
from metamf.webapp.matrix.shown import ShownView
from metamf.webapp.player import component, still
from metamf.webapp.player.still import Still
from metamf.wording import name_of, with_minus

INPUT, PRIOR = "Ratings", "U(0), V(0)"
CHANNEL = 20  # at first; some of its cells are zero and some are not, in both layers with a ReLU
HEIGHT = 400  # pixels
_STAGE, _CHANNEL, _ROW, _COL = map(address.control, ("stage", "channel", "cell_row", "cell_col"))
_TERMS = ("its own value", "mean of its row", "mean of its column", "overall mean", "bias")
_AVERAGED = {
    "row": ("own values", "term of the row", "columns it crosses", "overall mean", "bias"),
    "column": ("own values", "term of the column", "rows it crosses", "overall mean", "bias"),
}
SideName = Literal["row", "column"]


def draw(view: ShownView) -> None:
    """Draws the section."""
    parts.question("What does the network do with a rating, and how does it become a prior?")
    run = parts.paper_run(view)
    if run is None:
        look.note("No bundled checkpoint has the paper's layers.", "warning")
        return
    if run is not view.run:
        look.small(
            "Universal reads otherwise: it begins with effects and counts of rows and columns, adds each layer to the "
            "one before, and bends smoothly instead of cutting at zero. Shown is the paper's network, "
            f"{checkpoint_title(run.checkpoint)}."
        )
    units = run.imputation.trajectory.standardization
    reading = view.once(("layers", run.checkpoint), lambda: read_layers(run.task.given, units, run.checkpoint))
    stage, channel, n, m = _controls(reading, run.task.given)
    if stage == len(reading.layers) + 1:
        _prior(view, reading, channel, n, m)
    else:
        _layer(view, reading, stage, channel, n, m)
    look.small(
        "Try one channel after the other; then layer after layer with the same cell; then a cell that nobody rated. "
        "The page Watch goes on from U(0) and V(0)."
    )


def _controls(reading: NetworkReading, given: Ratings) -> tuple[int, int, int, int]:
    """Draws the controls; returns the stage (0: the ratings), channel, row and column, counted from 0."""
    last = len(reading.layers)
    stages = [INPUT, *(f"Layer {number}" for number in range(1, last + 1)), PRIOR]
    first_n, first_m = int(given.rows[0]), int(given.cols[0])
    one, two, three, four = st.columns([2, 1.6, 0.8, 0.8], gap="medium", vertical_alignment="bottom")
    stage = one.select_slider("How far", stages, stages[1], **_STAGE)
    channels = reading.layers[-1].channels
    channel = two.slider("Channel", 1, channels, min(CHANNEL, channels), disabled=stage == INPUT, **_CHANNEL)
    n = three.number_input("Row", 1, given.n_rows, first_n + 1, **_ROW)
    m = four.number_input("Column", 1, given.n_cols, first_m + 1, **_COL)
    return stages.index(stage), channel - 1, n - 1, m - 1


def _layer(view: ShownView, reading: NetworkReading, stage: int, channel: int, n: int, m: int) -> None:
    """One channel of the ratings, or of a layer, and the terms of the chosen cell."""
    names = f"{_name(reading.ratings, 'row', n)}, {_name(reading.ratings, 'column', m)}"
    look.finding(network_words.of_cell(reading, stage, channel, n, m, names))
    place, beside = st.columns([1.5, 1], gap="large")
    data = view.once(("channel", stage, channel, n, m), lambda: _data(view, reading, stage, channel, n, m))
    with place:
        component.draw_apart(data, "channel", "pick", on_choose=partial(_choose, view))
        look.small(f"Click a cell, or press Enter on it, to choose it. {network_words.silent(reading, stage)}")
    with beside:
        if stage:
            _terms(reading, stage, channel, n, m, names).draw()
        else:
            look.small(
                "The network reads ratings in standardised units: minus a mean, divided by a standard deviation. It "
                "sees nothing of the empty cells, and no name and no number of a row or a column."
            )


def _choose(view: ShownView, cell: Sequence[int]) -> None:
    """Takes the cell that the visitor has chosen in the map; ``cell``: its row and column in the window."""
    session, (i, j) = st.session_state, cell
    if 0 <= i < view.window.height and 0 <= j < view.window.width:
        session.cell_row, session.cell_col = view.window.top + i + 1, view.window.left + j + 1


def _channel(view: ShownView, reading: NetworkReading, stage: int, channel: int) -> np.ndarray:
    """One channel at the cells of the window, NaN where they are not observed."""
    X = np.full(reading.ratings.shape, np.nan)
    X[reading.ratings.rows, reading.ratings.cols] = reading.channel(stage, channel, after=True)
    return X[view.window.rows, view.window.cols]


def _data(view: ShownView, reading: NetworkReading, stage: int, channel: int, n: int, m: int) -> dict[str, Any]:
    """The map of one channel as the player draws it, with a frame around the chosen cell."""
    window, task = view.window, view.run.task
    name = f"Layer {stage}, channel {channel + 1}" if stage else "The ratings"
    last = stage == len(reading.layers)
    detail = "in standardised units" if not stage else "nothing is cut" if last else "after ReLU: negative sums are 0"
    limit = float(np.abs(reading.channel(stage, channel, after=True)).max())
    one = Still.signed(name, detail, _channel(view, reading, stage, channel), limit)
    i, j = n - window.top, m - window.left
    mark = (i, j) if 0 <= i < window.height and 0 <= j < window.width else None
    return still.scene_of(task.matrix.name, [one], view.axes(), given=view.given, shape=task.given.shape, mark=mark)


def _terms(reading: NetworkReading, stage: int, channel: int, n: int, m: int, names: str) -> Picture:
    """The bars of the terms of the chosen cell."""
    values = np.array([term[channel] for term in reading.layers[stage - 1].at(n, m, reading.entry(n, m))])
    last = stage == len(reading.layers)
    chart = sum_of_terms(_TERMS, values, "sum", lowest=None if last else 0, height=HEIGHT)
    what, detail = f"Terms of {names} in channel {channel + 1} of layer {stage}", f"{names}, channel {channel + 1}"
    alt, below = f"{what}: {_said(_TERMS, values)}.", network_words.formula(stage)
    table = _table_of_terms(f"{what}, Eq. (4).", _TERMS, values, "sum")
    return Picture("What each term adds", detail, chart, "terms", alt, below=below, table=table)


def _table_of_terms(caption: str, terms: Sequence[str], values: np.ndarray, total: str) -> str:
    lines = [[name, with_minus(f"{value:+.6f}")] for name, value in zip((*terms, total), (*values, values.sum()))]
    return numbers.table(caption, ["term", "adds"], lines)


def _said(terms: Sequence[str], values: np.ndarray) -> str:
    """The terms of a sum, and the sum, in words."""
    said = ", ".join(f"{term} {with_minus(f'{value:+.3f}')}" for term, value in zip(terms, values))
    return f"{said}; sum {with_minus(f'{values.sum():.3f}')}"


def _prior(view: ShownView, reading: NetworkReading, channel: int, n: int, m: int) -> None:
    """How the averages of rows and columns become the prior means."""
    row, col = _name(reading.ratings, "row", n), _name(reading.ratings, "column", m)
    look.finding(network_words.of_prior(reading, channel, n, row))
    maps = view.once("averages", lambda: _averages(view, reading))
    for side in ("row", "column"):  # row by row, so that a phone keeps the order
        for place, unit in zip(st.columns(2, gap="large"), ("channel", "factor")):
            with place:
                component.draw_apart(maps[f"prior-{side}-{unit}"], f"prior-{side}-{unit}")
    for place, side, name, average in zip(
        st.columns(2, gap="large"), ("row", "column"), (row, col), (reading.row_average(n), reading.col_average(m))
    ):
        values = np.array([term[channel] for term in average])
        chart = sum_of_terms(_AVERAGED[side], values, "average", height=280)
        what = f"Average of {name} in channel {channel + 1}"
        alt = f"{what}: {_said(_AVERAGED[side], values)}."
        detail = f"channel {channel + 1}, over all its cells"
        with place:
            table = _table_of_terms(f"{what}, Eq. (5).", _AVERAGED[side], values, "average")
            Picture(f"Average of {name}", detail, chart, f"average-{side}", alt, table=table).draw()
    st.latex(network_words.EQUATION_4)


def _averages(view: ShownView, reading: NetworkReading) -> dict[str, dict[str, Any]]:
    """Averages of rows, U(0), averages of columns and V(0), as the player draws them, by their keys."""
    axes, window, maps = view.axes(), view.window, {}
    sides = (
        ("row", axes.row_labels, axes.top, window.rows, reading.row_averages, reading.U0, "U"),
        ("column", axes.col_labels, axes.left, window.cols, reading.col_averages, reading.V0, "V"),
    )
    for side, labels, first, part, averages, factor, letter in sides:
        for name, X, unit, origin in (
            (f"Averages of the {side}s", averages, "channel", "over all cells, in the last layer"),
            (f"{letter}(0)", factor, "factor", f"f_{letter} of each line of the averages"),
        ):
            one = Still.signed(name, f"{len(X):,} × {X.shape[1]}, {origin}", X[part], float(np.abs(X).max()))
            of_lines = Axes(labels, None, first, 0, side, unit)
            maps[f"prior-{side}-{unit}"] = still.scene_of(view.matrix.name, [one], of_lines, shape=X.shape)
    return maps


def _name(ratings: Ratings, side: SideName, at: int) -> str:
    return name_of(ratings.row_labels if side == "row" else ratings.col_labels, at, side)

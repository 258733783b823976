"""Inside the network: the matrix through the exchangeable layers, one channel at a time, to U(0) and V(0)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.figures.maps import signed_map
from metamf.figures.terms import sum_of_terms
from metamf.figures.window import Axes
from metamf.ratings.matrix import Ratings
from metamf.tasks.layers import NetworkReading, read_layers
from metamf.webapp import address, legends, look
from metamf.webapp.inside import network_words, parts
from metamf.webapp.look import Picture
from metamf.webapp.matrix.shown import ShownView
from metamf.wording import name_of, with_minus

INPUT, PRIOR = "Ratings", "U(0), V(0)"
CHANNEL = 20  # at first; chosen by hand: some of its cells are zero and some are not, in both layers with a ReLU
HEIGHT = 400  # pixels; chosen by hand
_STAGE, _CHANNEL, _ROW, _COL = map(address.control, ("stage", "channel", "cell_row", "cell_col"))
_TERMS = ("its own value", "mean of its row", "mean of its column", "overall mean", "bias")
_AVERAGED = {
    "row": ("own values", "term of the row", "columns it crosses", "overall mean", "bias"),
    "column": ("own values", "term of the column", "rows it crosses", "overall mean", "bias"),
}
Side = Literal["row", "column"]


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
    X = _channel(view, reading, stage, channel)
    with place:
        picture = view.once(("channel", stage, channel, n, m), lambda: _map(view, reading, X, stage, channel, n, m))
        look.panel(picture.name, picture.detail)
        st.plotly_chart(
            look.for_the_room(picture.chart),
            key="channel-map",
            config=look.CONFIG,
            alt=picture.alt,
            on_select=_picked,
            selection_mode="points",
        )
        st.html(picture.legend)
        look.small(f"Click a cell to choose it. {network_words.silent(reading, stage)}")
    tables = [parts.grid(f"{picture.name}, {picture.detail}.", X, *_names(view))]
    with beside:
        if stage:
            picture, table = _terms(reading, stage, channel, n, m, names)
            picture.draw()
            tables.append(table)
        else:
            look.small(
                "The network reads ratings in standardised units: minus a mean, divided by a standard deviation. It "
                "sees nothing of the empty cells, and no name and no number of a row or a column."
            )
    parts.numbers(*tables)


def _picked() -> None:
    """The visitor has clicked a cell of the map."""
    session = st.session_state
    if points := session["channel-map"]["selection"]["points"]:
        session.cell_row, session.cell_col = int(points[0]["y"]), int(points[0]["x"])


def _channel(view: ShownView, reading: NetworkReading, stage: int, channel: int) -> np.ndarray:
    """One channel at the cells of the window, NaN where they are not observed."""
    X = np.full(reading.ratings.shape, np.nan)
    X[reading.ratings.rows, reading.ratings.cols] = reading.channel(stage, channel, after=True)
    return X[view.window.rows, view.window.cols]


def _map(view: ShownView, reading: NetworkReading, X: np.ndarray, stage: int, channel: int, n: int, m: int) -> Picture:
    """The map of one channel, with a dot on each observed cell and a frame around the chosen one."""
    values = reading.channel(stage, channel, after=True)
    limit = float(np.abs(values).max())
    chart = signed_map(X, limit, view.axes(), given=view.is_given, height=HEIGHT)
    for colour, width in (("rgba(20,20,20,1)", 5), ("rgba(255,255,255,1)", 2)):
        corners = {"x0": m + 0.5, "x1": m + 1.5, "y0": n + 0.5, "y1": n + 1.5}
        chart.add_shape(type="rect", **corners, line={"color": colour, "width": width})
    _make_clickable(chart, view)
    name = f"Layer {stage}, channel {channel + 1}" if stage else "The ratings"
    last = stage == len(reading.layers)
    detail = "in standardised units" if not stage else "nothing is cut" if last else "after ReLU: negative sums are 0"
    alt = (
        f"Heatmap of {name.lower()} at {len(values):,} observed cells, from {with_minus(f'{values.min():.2f}')} to "
        f"{with_minus(f'{values.max():.2f}')}; {int((values == 0).sum()):,} of them are zero."
    )
    legend = legends.of_differences(limit, "negative", "positive")
    return Picture(name, detail, chart, "channel-map", alt, legend)


def _make_clickable(chart: go.Figure, view: ShownView) -> None:
    """Puts an invisible point on each cell, since the cells of a heatmap cannot be chosen in Streamlit."""
    window = view.window
    y, x = np.mgrid[window.top + 1 : window.top + window.height + 1, window.left + 1 : window.left + window.width + 1]
    chart.update_traces(unselected={"marker": {"opacity": 1}}, selector={"type": "scatter"})
    chart.add_scatter(
        x=x.ravel(),
        y=y.ravel(),
        mode="markers",
        marker={"size": 18, "symbol": "square", "opacity": 0},
        unselected={"marker": {"opacity": 0}},
        hoverinfo="none",
        showlegend=False,
    )


def _terms(reading: NetworkReading, stage: int, channel: int, n: int, m: int, names: str) -> tuple[Picture, str]:
    """The bars of the terms of the chosen cell, and the table of their numbers."""
    values = np.array([term[channel] for term in reading.layers[stage - 1].at(n, m, reading.entry(n, m))])
    last = stage == len(reading.layers)
    chart = sum_of_terms(_TERMS, values, "sum", lowest=None if last else 0, height=HEIGHT)
    alt = f"Terms of {names} in channel {channel + 1} of layer {stage}: {_said(_TERMS, values)}."
    detail = f"{names}, channel {channel + 1}"
    picture = Picture("What each term adds", detail, chart, "terms", alt, below=network_words.formula(stage))
    lines = [[name, with_minus(f"{value:+.6f}")] for name, value in zip((*_TERMS, "sum"), (*values, values.sum()))]
    caption = f"Terms of {names} in channel {channel + 1} of layer {stage}, Eq. (3)."
    return picture, parts.table(caption, ["term", "adds"], lines)


def _said(terms: Sequence[str], values: np.ndarray) -> str:
    """The terms of a sum, and the sum, in words."""
    said = ", ".join(f"{term} {with_minus(f'{value:+.3f}')}" for term, value in zip(terms, values))
    return f"{said}; sum {with_minus(f'{values.sum():.3f}')}"


def _prior(view: ShownView, reading: NetworkReading, channel: int, n: int, m: int) -> None:
    """How the averages of rows and columns become the prior means."""
    row, col = _name(reading.ratings, "row", n), _name(reading.ratings, "column", m)
    look.finding(network_words.of_prior(reading, channel, n, row))
    maps = view.once("averages", lambda: _averages(view, reading))
    for side in (maps[:2], maps[2:]):  # row by row, so that a phone keeps the order
        look.draw_in(st.columns(2, gap="large"), [picture for picture, _ in side])
    for place, side, name, average in zip(
        st.columns(2, gap="large"), ("row", "column"), (row, col), (reading.row_average(n), reading.col_average(m))
    ):
        values = np.array([term[channel] for term in average])
        chart = sum_of_terms(_AVERAGED[side], values, "average", height=280)
        alt = f"Average of {name} in channel {channel + 1}: {_said(_AVERAGED[side], values)}."
        detail = f"channel {channel + 1}, over all its cells"
        with place:
            Picture(f"Average of {name}", detail, chart, f"average-{side}", alt).draw()
    st.latex(network_words.EQUATION_4)
    parts.numbers(*(table for _, table in maps))


def _averages(view: ShownView, reading: NetworkReading) -> list[tuple[Picture, str]]:
    """Averages of rows, U(0), averages of columns, V(0): their maps, and the tables of their numbers."""
    axes, found = view.axes(), []
    for side, labels, first, names, window, averages, factor, letter in (
        ("row", axes.row_labels, axes.top, _names(view)[0], view.window.rows, reading.row_averages, reading.U0, "U"),
        (
            "column",
            axes.col_labels,
            axes.left,
            _names(view)[1],
            view.window.cols,
            reading.col_averages,
            reading.V0,
            "V",
        ),
    ):
        for name, X, unit, origin in (
            (f"Averages of the {side}s", averages, "channel", "over all cells, in the last layer"),
            (f"{letter}(0)", factor, "factor", f"f_{letter} of each line of the averages"),
        ):
            limit = float(np.abs(X).max())
            chart = signed_map(X[window], limit, Axes(labels, None, first, 0, side, unit), height=HEIGHT)
            alt = f"Heatmap of {name}: {len(X)} {side}s, {X.shape[1]} {unit}s, numbers up to {limit:.2f} in size."
            legend = legends.of_differences(limit, "negative", "positive")
            picture = Picture(name, f"{len(X):,} × {X.shape[1]}, {origin}", chart, f"prior-{side}-{unit}", alt, legend)
            columns = [f"{unit} {k + 1}" for k in range(X.shape[1])]
            found.append((picture, parts.grid(f"{name}.", X[window], names, columns)))
    return found


def _names(view: ShownView) -> tuple[list[str], list[str]]:
    """The names of the rows and of the columns that are drawn."""
    ratings, window = view.run.task.matrix.ratings, view.window
    return (
        [_name(ratings, "row", window.top + i) for i in range(window.height)],
        [_name(ratings, "column", window.left + j) for j in range(window.width)],
    )


def _name(ratings: Ratings, side: Side, at: int) -> str:
    return name_of(ratings.row_labels if side == "row" else ratings.col_labels, at, side)

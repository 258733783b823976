"""Inside the network: the matrix through the exchangeable layers, one channel at a time, to U(0) and V(0)."""

from __future__ import annotations

import numpy as np
import streamlit as st

from metamf.checkpoints.bundled import checkpoint_title
from metamf.figures.maps import signed_map
from metamf.figures.terms import sum_of_terms
from metamf.figures.window import Axes
from metamf.ratings.matrix import Ratings
from metamf.tasks.layers import NetworkReading, read_layers
from metamf.tasks.run import TaskRun
from metamf.webapp import look
from metamf.webapp.inside import network_words, parts
from metamf.webapp.look import Picture
from metamf.webapp.matrix.page import ShownView
from metamf.wording import name_of, with_minus

INPUT, PRIOR = "Ratings", "U(0), V(0)"
HEIGHT = 400  # pixels
_TERMS = ("its own value", "mean of its row", "mean of its column", "overall mean", "bias")
_AVERAGED = ("own values", "term of the row", "columns it crosses", "overall mean", "bias")


def draw(view: ShownView) -> None:
    """Draws the section."""
    parts.question("What does the network do with a rating, and how does it become a prior?")
    found = parts.paper_run(view)
    if found is None:
        look.note("No bundled checkpoint has the paper's layers.", "warning")
        return
    run, checkpoint = found
    if run is not view.run:
        look.small(
            "Universal reads otherwise: it begins with effects and counts of rows and columns, adds each layer to the "
            "one before, and bends smoothly instead of cutting at zero. Shown is the paper's network, "
            f"{checkpoint_title(checkpoint)}."
        )
    units = run.imputation.trajectory.standardization
    reading = view.once(("layers", checkpoint), lambda: read_layers(run.task.given, units, checkpoint))
    stage, channel, n, m = _controls(reading, run.task.given)
    if stage == len(reading.layers) + 1:
        _prior(view, run, reading, channel, n, m)
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
    bound = {"bind": "query-params"}
    one, two, three, four = st.columns([2, 1.6, 0.8, 0.8], gap="medium", vertical_alignment="bottom")
    stage = one.select_slider("How far", stages, stages[1], key="stage", **bound)
    channels = reading.layers[-1].channels
    channel = two.slider("Channel", 1, channels, 1, key="channel", disabled=stage == INPUT, **bound)
    n = three.number_input("Row", 1, given.n_rows, first_n + 1, key="cell_row", **bound)
    m = four.number_input("Column", 1, given.n_cols, first_m + 1, key="cell_col", **bound)
    return stages.index(stage), channel - 1, n - 1, m - 1


def _layer(view: ShownView, reading: NetworkReading, stage: int, channel: int, n: int, m: int) -> None:
    """One channel of the ratings, or of a layer, and the terms of the chosen cell."""
    names = _names(reading.ratings, n, m)
    look.finding(network_words.of_cell(reading, stage, channel, n, m, names))
    last = stage == len(reading.layers)
    place, beside = st.columns([1.5, 1], gap="large")
    with place:
        view.once(("channel", stage, channel, n, m), lambda: _map(view, reading, stage, channel, n, m)).draw()
    if stage:
        values = np.array([term[channel] for term in reading.layers[stage - 1].at(n, m, reading.entry(n, m))])
        chart = sum_of_terms(_TERMS, values, "sum", lowest=None if last else 0, height=HEIGHT)
        said = ", ".join(f"{name} {with_minus(f'{value:+.3f}')}" for name, value in zip(_TERMS, values))
        total = with_minus(f"{values.sum():.3f}")
        alt = f"Terms of {names} in channel {channel + 1} of layer {stage}: {said}; sum {total}."
        detail = f"{names}, channel {channel + 1}"
        with beside:
            Picture("What each term adds", detail, chart, "terms", alt, below=network_words.formula(stage)).draw()
        lines = [[name, with_minus(f"{value:+.6f}")] for name, value in zip((*_TERMS, "sum"), (*values, values.sum()))]
        parts.numbers(f"Terms of {names} in channel {channel + 1} of layer {stage}, Eq. (3).", ["term", "adds"], lines)
    else:
        with beside:
            look.small(
                "The network reads ratings in standardised units: minus a mean, divided by a standard deviation. It "
                "sees nothing of the empty cells, and no name and no number of a row or a column."
            )


def _map(view: ShownView, reading: NetworkReading, stage: int, channel: int, n: int, m: int) -> Picture:
    """The map of one channel on the observed cells, the chosen cell in a frame."""
    ratings, window = reading.ratings, view.window
    values = reading.channel(stage, channel, after=True)
    X = np.full(ratings.shape, np.nan)
    X[ratings.rows, ratings.cols] = values
    limit = float(np.abs(values).max())
    chart = signed_map(X[window.rows, window.cols], limit, view.axes(), height=HEIGHT)
    corner = {"x0": m + 0.5, "x1": m + 1.5, "y0": n + 0.5, "y1": n + 1.5, "type": "rect"}
    chart.add_shape(corner, line={"color": "rgba(128,128,128,1)", "width": 5})
    chart.add_shape(corner, line={"color": "rgba(255,255,255,1)", "width": 2})
    name = "The ratings" if not stage else f"Layer {stage}, channel {channel + 1}"
    cut = "after ReLU" if 0 < stage < len(reading.layers) else "in standardised units" if not stage else "no activation"
    zero = int((values == 0).sum())
    alt = (
        f"Heatmap of {name.lower()} at {len(values):,} observed cells, from {with_minus(f'{values.min():.2f}')} to "
        f"{with_minus(f'{values.max():.2f}')}; {zero:,} of them are zero."
    )
    legend = look.signed_legend(limit, "negative", "positive")
    return Picture(name, cut, chart, "channel-map", alt, legend)


def _prior(view: ShownView, run: TaskRun, reading: NetworkReading, channel: int, n: int, m: int) -> None:
    """How the averages of rows and columns become the prior means."""
    row, col = (_name(reading.ratings, side, at) for side, at in (("row", n), ("column", m)))
    look.finding(network_words.of_prior(reading, channel, n, row))
    look.draw_in(st.columns(4, gap="medium"), view.once("averages", lambda: _averages(view, reading)))
    places = st.columns(2, gap="large")
    for place, name, average in (
        (places[0], row, reading.row_average(n)),
        (places[1], col, reading.col_average(m)),
    ):
        values = np.array([term[channel] for term in average])
        terms = list(_AVERAGED)
        if name == col:
            terms[1:3] = ["term of the column", "rows it crosses"]
        said = ", ".join(f"{term} {with_minus(f'{value:+.3f}')}" for term, value in zip(terms, values))
        alt = f"Average of {name} in channel {channel + 1}: {said}; sum {with_minus(f'{values.sum():.3f}')}."
        with place:
            chart = sum_of_terms(terms, values, "average", height=280)
            detail = f"channel {channel + 1}, over all its cells"
            Picture(f"Average of {name}", detail, chart, f"average-{'col' if name == col else 'row'}", alt).draw()
    st.latex(network_words.EQUATION_4)
    head = ["", "average in this channel", *(f"factor {k + 1}" for k in range(reading.U0.shape[1]))]
    lines = [
        [name, *(with_minus(f"{value:.3f}") for value in (average[channel], *factors))]
        for name, average, factors in (
            *_lines(reading.ratings, "row", reading.row_averages, reading.U0),
            *_lines(reading.ratings, "column", reading.col_averages, reading.V0),
        )
    ]
    parts.numbers(f"Averages in channel {channel + 1}, and the prior means that f_U and f_V make of all.", head, lines)


def _averages(view: ShownView, reading: NetworkReading) -> list[Picture]:
    """Averages of rows, U(0), averages of columns, V(0)."""
    axes, pictures = view.axes(), []
    for side, labels, first, window, averages, factor, letter in (
        ("row", axes.row_labels, axes.top, view.window.rows, reading.row_averages, reading.U0, "U"),
        ("column", axes.col_labels, axes.left, view.window.cols, reading.col_averages, reading.V0, "V"),
    ):
        for name, X, unit, names in (
            (f"Averages of the {side}s", averages, "channel", True),
            (f"{letter}(0)", factor, "factor", False),
        ):
            limit = float(np.abs(X).max())
            sides = Axes(labels, None, first, 0, side, unit, names, True)
            chart = signed_map(X[window], limit, sides, height=HEIGHT)
            detail = f"{len(X):,} × {X.shape[1]}"
            alt = f"Heatmap of {name}: {len(X)} {side}s, {X.shape[1]} {unit}s, numbers up to {limit:.2f} in size."
            legend = look.signed_legend(limit, "negative", "positive")
            pictures.append(Picture(name, detail, chart, f"prior-{side}-{unit}", alt, legend))
    return pictures


def _lines(ratings: Ratings, side: str, averages: np.ndarray, factor: np.ndarray):
    for at in range(min(len(averages), parts.LONGEST_TABLE)):
        yield _name(ratings, side, at), averages[at], factor[at]


def _names(ratings: Ratings, n: int, m: int) -> str:
    return f"{_name(ratings, 'row', n)}, {_name(ratings, 'column', m)}"


def _name(ratings: Ratings, side: str, at: int) -> str:
    return name_of(ratings.row_labels if side == "row" else ratings.col_labels, at, side)

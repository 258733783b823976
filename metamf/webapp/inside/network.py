"""The layers on the page Inside: what each one, Eq. (4), makes of every cell, and how U(0), V(0) come of it.

In channel c, before its activation, layer l computes at an observed cell (n, m)

    own + row mean + column mean + overall mean + bias,

four averages of the channels below, each times a matrix of weights of its own. The terms are read from the modules of
the network itself; nothing in the model knows of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from metamf.checkpoints.bundled import in_sentence, open_checkpoint
from metamf.figures.lines import sum_of_terms
from metamf.figures.window import Axes, Window, names_of
from metamf.network.exchangeable import ExchangeableLayer
from metamf.network.prior import PriorNetwork
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization
from metamf.webapp import address, look
from metamf.webapp.explore.view import PageView
from metamf.webapp.inside.race import paper_run
from metamf.webapp.look import Picture
from metamf.webapp.player import component, still
from metamf.webapp.player.still import Still
from metamf.wording import counted, name_of, with_minus

Side = Literal["row", "column"]


class Terms(NamedTuple):
    """The terms of Eq. (4), (C,) each: at one cell, whose ``own`` is zero if it is not observed, or averaged over all
    cells of a row or column. Their sum is what the layer computes before its activation, or what Eq. (5) hands to f_U
    or f_V."""

    own: np.ndarray
    row: np.ndarray
    column: np.ndarray
    matrix: np.ndarray
    bias: np.ndarray


class LayerReading(NamedTuple):
    """What one layer computes of one matrix in standardised units: its terms at all observed entries (nnz, C), rows
    (N, C) and columns (M, C), and their sum ``after`` (nnz, C) the activation, which the last layer lacks."""

    terms: Terms
    after: np.ndarray

    def at(self, n: int, m: int, entry: int | None) -> Terms:
        """The terms at cell (n, m); ``entry``: its position among the observed entries, None if it is not observed."""
        own, row, column, matrix, bias = self.terms
        return Terms(np.zeros_like(bias) if entry is None else own[entry], row[n], column[m], matrix, bias)


@dataclass(frozen=True, eq=False)
class NetworkReading:
    """The prior network's way from the ratings of one matrix to the prior means."""

    ratings: Ratings
    x: np.ndarray  # (nnz,) the ratings in standardised units, the one channel that the first layer reads
    layers: tuple[LayerReading, ...]
    row_averages: np.ndarray  # (N, C) averages of the last layer over all cells of a row, Eq. (5)
    col_averages: np.ndarray  # (M, C) and of a column
    U0: np.ndarray  # (N, K) the prior means that f_U and f_V make of them
    V0: np.ndarray  # (M, K)

    def entry(self, n: int, m: int) -> int | None:
        """The position of cell (n, m) among the observed entries; None if it is not observed."""
        found = np.flatnonzero((self.ratings.rows == n) & (self.ratings.cols == m))
        return int(found[0]) if len(found) else None

    def channel(self, layer: int, channel: int) -> np.ndarray:
        """(nnz,) one channel of a layer at the observed entries; layer 0: the input."""
        return self.x if layer == 0 else self.layers[layer - 1].after[:, channel]

    def average(self, side: Side, at: int) -> Terms:
        """The average over all cells of row or column ``at`` in the last layer, term by term."""
        own, row, column, matrix, bias = self.layers[-1].terms
        by_row = side == "row"
        own = own[(self.ratings.rows if by_row else self.ratings.cols) == at].sum(axis=0)
        if by_row:
            return Terms(own / self.ratings.n_cols, row[at], column.mean(axis=0), matrix, bias)
        return Terms(own / self.ratings.n_rows, row.mean(axis=0), column[at], matrix, bias)


def read_layers(ratings: Ratings, units: Standardization, checkpoint: str) -> NetworkReading:
    """The way of a matrix, in rating units, through the prior network of one of the paper's checkpoints, which reads it
    in ``units``."""
    network = open_checkpoint(checkpoint).network
    assert network.prior_network is not None
    values = units.apply(ratings.values.astype(np.float64))
    batch = RatingsBatch.of([ratings.with_values(values)], network.dtype)
    return read_network(network.prior_network, batch, ratings)


@torch.inference_mode()
def read_network(network: PriorNetwork, batch: RatingsBatch, ratings: Ratings) -> NetworkReading:
    """The same for a network and the ``batch`` of one matrix in standardised units; ``ratings`` in rating units."""
    z = batch.x.unsqueeze(1)  # (nnz, 1)
    layers = []
    exchangeable = cast(Sequence[ExchangeableLayer], network.layers)
    for index, layer in enumerate(exchangeable):
        reading = _read_layer(layer, z, batch, last=index == len(exchangeable) - 1)
        layers.append(reading)
        below = z
        z = torch.from_numpy(reading.after)
    averages, _ = exchangeable[-1].averages(below, batch)
    return NetworkReading(
        ratings,
        batch.x.numpy(),
        tuple(layers),
        averages.row.numpy(),
        averages.col.numpy(),
        network.f_U(averages.row).numpy(),
        network.f_V(averages.col).numpy(),
    )


def _read_layer(layer: ExchangeableLayer, z: torch.Tensor, batch: RatingsBatch, last: bool) -> LayerReading:
    """The terms of one layer, Eq. (4), the sums that they make, and the activation."""
    terms = layer(z, batch)
    before = terms.at_observed(batch)  # (nnz, C')
    matrix_mean = batch.by_row.sum(z).sum(0) / max(1, len(z))  # (C,)
    matrix = matrix_mean @ layer.matrix  # (C',)
    column = terms.col - matrix - layer.bias  # the layer adds both to the columns
    found = (terms.entry, terms.row, column, matrix, layer.bias, before if last else torch.relu(before))
    *terms_of_cells, after = (tensor.detach().numpy() for tensor in found)
    return LayerReading(Terms(*terms_of_cells), after)


# -- the page ---------------------------------------------------------------------------------------------------------

INPUT = "Ratings"
PRIOR = "U(0), V(0)"
CHANNEL = 20  # shown first; in both layers with a ReLU, some of its cells are zero and some are not
HEIGHT = 400  # pixels
TERMS = ("its own value", "mean of its row", "mean of its column", "overall mean", "bias")
_AVERAGED = {
    "row": ("own values", "term of the row", "columns it crosses", "overall mean", "bias"),
    "column": ("own values", "rows it crosses", "term of the column", "overall mean", "bias"),
}
EQUATION_5 = (
    r"u_n^{(0)} = f_U\Big( \tfrac{1}{M} \textstyle\sum_m z_{nm} \Big), \qquad"
    r" v_m^{(0)} = f_V\Big( \tfrac{1}{N} \textstyle\sum_n z_{nm} \Big) \qquad \text{Eq. (5)}"
)


def draw(view: PageView) -> None:
    look.heading("How does the network turn ratings into a prior?")
    run = paper_run(view)
    if run is not view.run:
        differs = "Universal starts from effects and counts, adds each layer to the one before, and has no ReLU."
        if view.run.answer.step_rule == "nmf":
            differs = "The chosen one has the same layers and makes positive what it proposes (softplus)."
        look.small(f"The paper's network, of {in_sentence(run.method)}. {differs}")
    units = run.answer.trajectory.standardization
    reading = view.once(("layers", run.method), lambda: read_layers(run.task.given, units, run.method))
    stage, channel, n, m = _controls(reading, view.window)
    if stage == len(reading.layers) + 1:
        _prior(view, reading, channel, n, m)
    else:
        _layer(view, reading, stage, channel, n, m)


def _controls(reading: NetworkReading, window: Window) -> tuple[int, int, int, int]:
    """Draws the controls; returns the stage (0: the ratings), channel, row and column, counted from 0."""
    stages = [INPUT, *(f"Layer {number}" for number in range(1, len(reading.layers) + 1)), PRIOR]
    given = reading.ratings
    channels = reading.row_averages.shape[1]
    one, two, three, four = st.columns([1.6, 1.4, 1, 1.2], gap="medium", vertical_alignment="bottom")
    stage = one.select_slider("Up to", stages, stages[1], **address.control("stage"))
    first = min(CHANNEL, channels)
    channel = two.slider("Channel", 1, channels, first, disabled=stage == INPUT, **address.control("channel"))
    n = _line(three, "row", given.row_labels, window.rows, int(given.rows[0]))
    m = _line(four, "column", given.col_labels, window.cols, int(given.cols[0]))
    return stages.index(stage), channel - 1, n, m


def _line(place: DeltaGenerator, side: str, labels: Sequence[str] | None, shown: slice, first: int) -> int:
    """Draws the choice of one of the rows, or columns, that are shown, by its name; returns its position, from 0."""
    key = f"cell_{side[:3]}"
    lines = range(shown.start, shown.stop)
    if st.session_state.get(key, shown.start) not in lines:
        del st.session_state[key]  # of another matrix
    name = partial(name_of, labels, noun=side)
    index = lines.index(first) if first in lines else 0
    return place.selectbox(side.capitalize(), lines, index, format_func=name, **address.control(key))


def _layer(view: PageView, reading: NetworkReading, stage: int, channel: int, n: int, m: int) -> None:
    """Draws one channel of the ratings or of a layer, and the terms of the chosen cell."""
    names = ", ".join(names_of(reading.ratings, n, m))
    look.finding(about_cell(reading, stage, channel, n, m, names))
    place, beside = st.columns([1.5, 1], gap="large")
    data = view.once(("channel", stage, channel, n, m), lambda: _data(view, reading, stage, channel, n, m))
    with place:
        component.draw_apart(data, "channel", "pick", on_choose=partial(_choose, view))
        look.small(f"Click a cell, or press Enter on it, to choose it. {silent(reading, stage)}")
    with beside:
        if stage:
            read = "the ratings" if stage == 1 else f"the channels of layer {stage - 1}"
            below = (
                f"Eq. (4): the cell's own value and three averages of {read}, each with its own weights, and a bias."
            )
            what = f"Terms of {names} in channel {channel + 1} of layer {stage}"
            values = _values(reading.layers[stage - 1].at(n, m, reading.entry(n, m)), channel)
            lowest = None if stage == len(reading.layers) else 0
            chart = sum_of_terms(TERMS, values, "sum", lowest=lowest, height=HEIGHT)
            alt, table = _in_words(what, "Eq. (4)", TERMS, values, "sum")
            detail = f"channel {channel + 1}"
            Picture("The terms of the cell", detail, chart, "terms", alt, below=below, table=table).draw()
        else:
            look.small(
                "The network reads standardised ratings: minus a mean, divided by a standard deviation. It sees "
                "neither the empty cells nor any name or number of a row or column."
            )


def _choose(view: PageView, cell: Sequence[int]) -> None:
    """Takes the cell chosen in the map; ``cell`` counts in the window."""
    i, j = cell
    if view.window.holds(i, j):
        st.session_state.cell_row = view.window.top + i
        st.session_state.cell_col = view.window.left + j


def _data(view: PageView, reading: NetworkReading, stage: int, channel: int, n: int, m: int) -> dict[str, Any]:
    """The map of one channel, with a frame around the chosen cell."""
    window = view.window
    values = reading.channel(stage, channel)
    X = np.full(reading.ratings.shape, np.nan)
    X[reading.ratings.rows, reading.ratings.cols] = values
    name = f"Layer {stage}, channel {channel + 1}" if stage else "The ratings"
    last = stage == len(reading.layers)
    detail = "standardised" if not stage else "no ReLU in the last layer" if last else "after ReLU: negative sums are 0"
    one = Still.signed(name, detail, window.part(X), float(np.abs(values).max()))
    cell = (n - window.top, m - window.left)
    return view.scene([one], mark=cell if window.holds(*cell) else None)


def _values(terms: Terms, channel: int) -> np.ndarray:
    return np.array([term[channel] for term in terms])


def _in_words(what: str, equation: str, terms: Sequence[str], values: np.ndarray, total: str) -> tuple[str, str]:
    """The alternative text of the terms of a sum, and the table of their numbers."""
    said = ", ".join(f"{term} {with_minus(f'{value:+.3f}')}" for term, value in zip(terms, values))
    lines = [[name, with_minus(f"{value:+.6f}")] for name, value in zip((*terms, total), (*values, values.sum()))]
    table = look.table(f"{what}, {equation}.", ["term", "adds"], lines)
    return f"{what}: {said}; sum {with_minus(f'{values.sum():.3f}')}.", table


def _prior(view: PageView, reading: NetworkReading, channel: int, n: int, m: int) -> None:
    """Draws how the averages of rows and columns become the prior means."""
    row, col = names_of(reading.ratings, n, m)
    C = reading.row_averages.shape[1]
    K = reading.U0.shape[1]
    look.finding(
        f"{row}: averaged over all {counted(reading.ratings.n_cols, 'cell')} of the row, channel {channel + 1} is "
        f"{_signed(reading.row_averages[n, channel])}. One small network, f_U, turns the {C} averages of any row into "
        f"its {K} factors in U(0). Another, f_V, does the same for columns."
    )
    maps = view.once("averages", lambda: _averages(view, reading))
    for side in ("row", "column"):  # row by row, so that a phone keeps the order
        for place, unit in zip(st.columns(2, gap="large"), ("channel", "factor")):
            with place:
                component.draw_apart(maps[f"prior-{side}-{unit}"], f"prior-{side}-{unit}")
    sides: tuple[tuple[Side, str, int], ...] = (("row", row, n), ("column", col, m))
    for place, (side, name, at) in zip(st.columns(2, gap="large"), sides):
        values = _values(reading.average(side, at), channel)
        terms = _AVERAGED[side]
        chart = sum_of_terms(terms, values, "average", height=280)
        alt, table = _in_words(f"Average of {name} in channel {channel + 1}", "Eq. (5)", terms, values, "average")
        with place:
            detail = f"channel {channel + 1}, over all its cells"
            Picture(f"Average of {name}", detail, chart, f"average-{side}", alt, table=table).draw()
    st.latex(EQUATION_5)


def _averages(view: PageView, reading: NetworkReading) -> dict[str, dict[str, Any]]:
    """Averages of rows, U(0), averages of columns and V(0), as the player draws them, by their keys."""
    axes = view.axes
    window = view.window
    maps = {}
    sides = (
        ("row", axes.row_labels, axes.top, window.rows, reading.row_averages, reading.U0, "U"),
        ("column", axes.col_labels, axes.left, window.cols, reading.col_averages, reading.V0, "V"),
    )
    for side, labels, first, part, averages, factor, letter in sides:
        for name, X, unit, origin in (
            (f"Averages of the {side}s", averages, "channel", "over all cells, in the last layer"),
            (f"{letter}(0)", factor, "factor", f"f_{letter} of each {side}'s averages"),
        ):
            one = Still.signed(name, f"{len(X):,} × {X.shape[1]}, {origin}", X[part], float(np.abs(X).max()))
            of_lines = Axes(labels, None, first, 0, side, unit)
            maps[f"prior-{side}-{unit}"] = still.scene_of(view.matrix.name, [one], of_lines, shape=X.shape)
    return maps


def about_cell(reading: NetworkReading, stage: int, channel: int, n: int, m: int, names: str) -> str:
    """The sentences on the value that a layer gives a cell, and on its largest term."""
    entry = reading.entry(n, m)
    if stage == 0:
        if entry is None:
            return f"{names}: this rating is not given, so the network reads nothing here."
        rating = reading.ratings.values[entry]
        return f"{names}: the network reads the rating {rating:g} as {_signed(reading.x[entry])} standardised units."
    terms = _values(reading.layers[stage - 1].at(n, m, entry), channel)
    most = int(np.abs(terms).argmax())
    total = terms.sum()
    last = stage == len(reading.layers)
    text = f"{names}: the five terms add up to {_signed(total)}. The largest is {TERMS[most]}, {_signed(terms[most])}."
    if entry is None:
        where = "enters the averages of Eq. (5)" if last else "is not read by the next layer"
        return f"{text} The rating is not given, so the cell has no value of its own, and its sum {where}."
    if last:
        return f"{text} The last layer has no ReLU. Its averages become the prior."
    return f"{text} {'It is negative, so ReLU sets it to zero.' if total < 0 else 'It is positive, so ReLU keeps it.'}"


def silent(reading: NetworkReading, stage: int) -> str:
    """How many channels of a layer are zero at every given cell; '' if none is, or there is no ReLU."""
    if not 0 < stage < len(reading.layers):
        return ""
    zero = (reading.layers[stage - 1].after == 0).all(axis=0)  # (C,)
    return f"{zero.sum()} of {len(zero)} channels are dead here." if zero.any() else ""


def _signed(value: float) -> str:
    return with_minus(f"{value:+.2f}")

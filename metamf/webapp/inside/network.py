"""The layers on the page Inside: what each one, Eq. (4), makes of every cell, and how U(0), V(0)
come of it.

In channel c, before its activation, layer l computes at an observed cell (n, m)

    own + column mean + row mean + overall mean + bias,

four averages of the channels below, each times a matrix of weights of its own. The terms are read
from the modules of the network itself; nothing in the model knows of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import streamlit as st
import torch

from metamf.checkpoints.bundled import in_sentence, open_checkpoint
from metamf.figures.lines import sum_of_terms
from metamf.figures.window import Axes, names_of
from metamf.network.exchangeable import ExchangeableLayer
from metamf.network.meta_mf import MetaMF
from metamf.network.prior import PriorNetwork
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization
from metamf.webapp import address, look
from metamf.webapp.inside.race import paper_run
from metamf.webapp.look import Picture
from metamf.webapp.player import component, still
from metamf.webapp.player.still import Still
from metamf.webapp.run.matrix_page import View, kept
from metamf.wording import counted, name_of, with_minus

Side = Literal["row", "column"]


class Terms(NamedTuple):
    """The terms of Eq. (4), (C,) each: at one cell, whose ``own`` is zero if it is not observed, or
    averaged over all cells of a row or column. Their sum is what the layer computes before its
    activation, or what Eq. (5) hands to f_U or f_V."""

    own: np.ndarray
    column: np.ndarray
    row: np.ndarray
    matrix: np.ndarray
    bias: np.ndarray


class LayerReading(NamedTuple):
    """What one layer computes of one matrix in standardised units: its terms at all observed
    entries (nnz, C), rows (N, C) and columns (M, C), and their sum ``after`` (nnz, C) the
    activation, which the last layer lacks."""

    terms: Terms
    after: np.ndarray

    def at(self, n: int, m: int, entry: int | None) -> Terms:
        """The terms at cell (n, m); ``entry``: its position among the observed entries, None if it
        is not observed."""
        own, column, row, matrix, bias = self.terms
        here = np.zeros_like(bias) if entry is None else own[entry]
        return Terms(here, column[m], row[n], matrix, bias)


@dataclass(frozen=True, eq=False)
class NetworkReading:
    """The prior network's way from the ratings of one matrix to the prior means."""

    ratings: Ratings
    x: np.ndarray  # (nnz,) the ratings in standardised units: the channel of the first layer
    layers: tuple[LayerReading, ...]
    row_averages: np.ndarray  # (N, C) averages of the last layer over all cells of a row, Eq. (5)
    col_averages: np.ndarray  # (M, C) and of a column
    U0: np.ndarray  # (N, K) the prior means that f_U and f_V make of them
    V0: np.ndarray  # (M, K)

    def entry(self, n: int, m: int) -> int | None:
        """The position of cell (n, m) among the observed entries; None if it is not observed."""
        found = np.flatnonzero((self.ratings.rows == n) & (self.ratings.cols == m))
        return int(found[0]) if len(found) else None

    def average(self, side: Side, at: int) -> Terms:
        """The average over all cells of row or column ``at`` in the last layer, term by term."""
        own, column, row, matrix, bias = self.layers[-1].terms
        if side == "row":
            here = own[self.ratings.rows == at].sum(axis=0) / self.ratings.n_cols
            return Terms(here, column.mean(axis=0), row[at], matrix, bias)
        here = own[self.ratings.cols == at].sum(axis=0) / self.ratings.n_rows
        return Terms(here, column[at], row.mean(axis=0), matrix, bias)


@torch.inference_mode()
def read_network(network: PriorNetwork, ratings: Ratings, units: Standardization) -> NetworkReading:
    """The way of a matrix, in rating units, through a prior network, which reads it in
    ``units``."""
    values = units.apply(ratings.values.astype(np.float64))
    batch = RatingsBatch.of([ratings.with_values(values)], next(network.parameters()).dtype)
    layers = []
    exchangeable = cast(Sequence[ExchangeableLayer], network.layers)
    z = below = batch.x.unsqueeze(1)  # (nnz, 1)
    for layer in exchangeable:
        below = z
        terms = layer(z, batch)
        z = terms.at_observed(batch)  # (nnz, C')
        if layer is not exchangeable[-1]:
            z = torch.relu(z)
        matrix = below.sum(0) / max(1, len(below)) @ layer.matrix  # (C',)
        column = terms.col - matrix - layer.bias  # the layer adds both to the columns
        parts = (terms.entry, column, terms.row, matrix, layer.bias)
        layers.append(LayerReading(Terms(*(part.numpy() for part in parts)), z.numpy()))
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


# -- the page

INPUT = "Ratings"
PRIOR = "U(0), V(0)"
CHANNEL = 20  # shown first; in both layers with a ReLU, some of its cells are zero and some are not
HEIGHT = 400  # pixels
# in the order in which Eq. (4) is printed
TERMS = ("its own value", "mean of its column", "mean of its row", "overall mean", "bias")
# the same where a sentence names one of them
_NAMED = (
    "its own value",
    "the mean of its column",
    "the mean of its row",
    "the overall mean",
    "the layer's bias",
)
_AVERAGED = {
    "row": ("own values", "columns it crosses", "term of the row", "overall mean", "bias"),
    "column": ("own values", "term of the column", "rows it crosses", "overall mean", "bias"),
}
EQUATION_5 = (
    r"u_n^{(0)} = f_U\Big( \tfrac{1}{M} \textstyle\sum_m z_{nm} \Big), \qquad"
    r" v_m^{(0)} = f_V\Big( \tfrac{1}{N} \textstyle\sum_n z_{nm} \Big) \qquad \text{Eq. (5)}"
)


def layers(view: View) -> None:
    """Draws the controls, and the ratings, a layer or the prior means, as they are chosen."""
    look.heading("How does the network turn ratings into a prior?")
    run = paper_run(view)
    if run is not view.run:
        differs = (
            "Universal starts from effects and counts, adds each layer to the one before, and has "
            "no ReLU."
        )
        if view.run.answer.step_rule == "nmf":
            differs = (
                "The chosen one has the same layers and makes positive what it proposes (softplus)."
            )
        look.small(f"The paper's network, of {in_sentence(run.method)}. {differs}")
    prior = cast(MetaMF, open_checkpoint(run.method).network).prior
    units = run.answer.trajectory.standardization
    given = run.task.given
    reading = kept(view, ("layers", run.method), lambda: read_network(prior, given, units))

    stages = [INPUT, *(f"Layer {number}" for number in range(1, len(reading.layers) + 1)), PRIOR]
    places = st.columns([1.6, 1.4, 1, 1.2], gap="medium", vertical_alignment="bottom")
    stage = places[0].select_slider("Up to", stages, stages[1], **address.control("stage"))
    channels = reading.row_averages.shape[1]
    channel = places[1].slider(
        "Channel",
        1,
        channels,
        min(CHANNEL, channels),
        disabled=stage == INPUT,
        **address.control("channel"),
    )
    cell = []
    sides = (
        ("row", given.row_labels, view.window.rows, given.rows),
        ("column", given.col_labels, view.window.cols, given.cols),
    )
    for place, (side, labels, shown, rated) in zip(places[2:], sides):
        key = f"cell_{side[:3]}"
        lines = range(shown.start, shown.stop)
        if st.session_state.get(key, shown.start) not in lines:
            del st.session_state[key]  # of another matrix
        first = lines.index(int(rated[0])) if rated[0] in lines else 0
        name = partial(name_of, labels, noun=side)
        choice = place.selectbox(
            side.capitalize(), lines, first, format_func=name, **address.control(key)
        )
        cell.append(choice)
    n, m = cell
    if stage == PRIOR:
        _prior(view, reading, channel - 1, n, m)
    else:
        _layer(view, reading, stages.index(stage), channel - 1, n, m)


def _layer(view: View, reading: NetworkReading, stage: int, channel: int, n: int, m: int) -> None:
    """Draws one channel of the ratings or of a layer, and the terms of the chosen cell."""
    names = ", ".join(names_of(reading.ratings, n, m))
    look.finding(about_cell(reading, stage, channel, n, m, names))
    place, beside = st.columns([1.5, 1], gap="medium")
    make = partial(_map, view, reading, stage, channel, n, m)
    with place:
        data = kept(view, ("channel", stage, channel, n, m), make)
        component.draw_apart(data, "channel", "pick", on_choose=partial(_choose, view))
        look.small(f"Click a cell, or press Enter on it, to choose it. {silent(reading, stage)}")
    with beside:
        if not stage:
            look.small(
                "The network reads standardised ratings: minus a mean, divided by a standard "
                "deviation. It sees neither the empty cells nor any name or number of a row or "
                "column."
            )
            return
        read = "the ratings" if stage == 1 else f"the channels of layer {stage - 1}"
        below = (
            f"Eq. (4): the cell's own value and three averages of {read}, each with its own "
            "weights, and the layer's bias. Each bar starts where the last one ended."
        )
        name = f"channel {channel + 1}"
        values = _values(reading.layers[stage - 1].at(n, m, reading.entry(n, m)), channel)
        what = f"Terms of {names} in {name} of layer {stage}, Eq. (4)"
        lowest = None if stage == len(reading.layers) else 0
        chart = sum_of_terms(TERMS, values, "sum", lowest=lowest, height=HEIGHT)
        table = _numbers(what, TERMS, values, "sum")
        alt = _in_words(what, TERMS, values)
        Picture("The terms of the cell", name, chart, "terms", alt, table, below).draw()


def _choose(view: View, cell: Sequence[int]) -> None:
    """Takes the cell chosen in the map; ``cell`` counts in the window."""
    i, j = cell
    if view.window.holds(i, j):
        st.session_state.cell_row = view.window.top + i
        st.session_state.cell_col = view.window.left + j


def _map(
    view: View, reading: NetworkReading, stage: int, channel: int, n: int, m: int
) -> dict[str, Any]:
    """The map of one channel, with a frame around the chosen cell."""
    name = "The ratings"
    detail = "standardised"
    values = reading.x
    if stage:
        name = f"Layer {stage}, channel {channel + 1}"
        last = stage == len(reading.layers)
        detail = "no ReLU in the last layer" if last else "after ReLU: negative sums are 0"
        values = reading.layers[stage - 1].after[:, channel]
    X = np.full(reading.ratings.shape, np.nan)
    X[reading.ratings.rows, reading.ratings.cols] = values
    window = view.window
    one = Still.signed(name, detail, window.part(X), float(np.abs(values).max()))
    cell = (n - window.top, m - window.left)
    return view.scene([one], mark=cell if window.holds(*cell) else None)


def _values(terms: Terms, channel: int) -> np.ndarray:
    return np.array([term[channel] for term in terms])


def _in_words(what: str, terms: Sequence[str], values: np.ndarray) -> str:
    """The alternative text of the terms of a sum."""
    said = ", ".join(f"{term} {with_minus(f'{value:+.3f}')}" for term, value in zip(terms, values))
    return f"{what}: {said}; sum {with_minus(f'{values.sum():.3f}')}."


def _numbers(what: str, terms: Sequence[str], values: np.ndarray, total: str) -> str:
    """The table of the terms of a sum."""
    named = zip((*terms, total), (*values, values.sum()))
    lines = [[name, with_minus(f"{value:+.6f}")] for name, value in named]
    return look.table(f"{what}.", ["term", "adds"], lines)


def _prior(view: View, reading: NetworkReading, channel: int, n: int, m: int) -> None:
    """Draws how the averages of rows and columns become the prior means."""
    row, col = names_of(reading.ratings, n, m)
    C = reading.row_averages.shape[1]
    K = reading.U0.shape[1]
    look.finding(
        f"{row}: averaged over all {counted(reading.ratings.n_cols, 'cell')} of the row, channel "
        f"{channel + 1} is {_signed(reading.row_averages[n, channel])}. One small network, f_U, "
        f"turns the {C} averages of any row into its {K} factors in U(0). Another, f_V, does the "
        "same for columns."
    )
    axes = view.axes
    rows = ("row", axes.row_labels, axes.top, view.window.rows)
    cols = ("column", axes.col_labels, axes.left, view.window.cols)
    sides = (
        (*rows, reading.row_averages, reading.U0, "U"),
        (*cols, reading.col_averages, reading.V0, "V"),
    )
    for side, labels, first, part, averages, factors, letter in sides:
        maps = (
            (averages, "channel", f"Averages of the {side}s", "over all cells, in the last layer"),
            (factors, "factor", f"{letter}(0)", f"f_{letter} of each {side}'s averages"),
        )
        for place, (X, unit, name, origin) in zip(st.columns(2, gap="medium"), maps):
            detail = f"{len(X):,} × {X.shape[1]}, {origin}"
            one = Still.signed(name, detail, X[part], float(np.abs(X).max()))
            of_lines = Axes(labels, None, first, 0, side, unit)
            data = still.scene_of(view.matrix.name, [one], of_lines, shape=X.shape)
            with place:
                component.draw_apart(data, f"prior-{side}-{unit}")
    choices: tuple[tuple[Side, str, int], ...] = (("row", row, n), ("column", col, m))
    for place, (side, name, at) in zip(st.columns(2, gap="medium"), choices):
        values = _values(reading.average(side, at), channel)
        terms = _AVERAGED[side]
        what = f"Average of {name} in channel {channel + 1}, Eq. (5)"
        chart = sum_of_terms(terms, values, "average", height=280)
        alt = _in_words(what, terms, values)
        table = _numbers(what, terms, values, "average")
        detail = f"channel {channel + 1}, over all its cells"
        with place:
            Picture(f"Average of {name}", detail, chart, f"average-{side}", alt, table).draw()
    st.latex(EQUATION_5)


def about_cell(
    reading: NetworkReading, stage: int, channel: int, n: int, m: int, names: str
) -> str:
    """The sentences on the value that a layer gives a cell, and on its largest term."""
    entry = reading.entry(n, m)
    if stage == 0:
        if entry is None:
            return f"{names}: this rating is not given, so the network reads nothing here."
        return (
            f"{names}: the network reads the rating {reading.ratings.values[entry]:g} as "
            f"{_signed(reading.x[entry])} standardised units."
        )
    terms = _values(reading.layers[stage - 1].at(n, m, entry), channel)
    most = int(np.abs(terms).argmax())
    last = stage == len(reading.layers)
    if entry is None:
        where = "enters the averages of Eq. (5)" if last else "is not read by the next layer"
        end = f"The rating is not given, so the cell has no value of its own, and its sum {where}."
    elif last:
        end = "The last layer has no ReLU. Its averages become the prior."
    elif terms.sum() < 0:
        end = "The sum is negative, so ReLU sets it to zero."
    else:
        end = "The sum is not negative, so ReLU keeps it."
    return (
        f"{names}: in channel {channel + 1}, the five terms add up to {_signed(terms.sum())}. The "
        f"largest in size is that of {_NAMED[most]}, {_signed(terms[most])}. {end}"
    )


def silent(reading: NetworkReading, stage: int) -> str:
    """How many channels of a layer are zero at every given cell; '' if none is, or there is no
    ReLU."""
    if not 0 < stage < len(reading.layers):
        return ""
    zero = (reading.layers[stage - 1].after == 0).all(axis=0)  # (C,)
    if not zero.any():
        return ""
    return f"{zero.sum()} of {len(zero)} channels are zero at every given cell."


def _signed(value: float) -> str:
    return with_minus(f"{value:+.2f}")

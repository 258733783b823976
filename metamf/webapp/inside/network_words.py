"""The sentences on the layers of the network, made from the numbers of one cell."""

from __future__ import annotations

import numpy as np

from metamf.webapp.experiments.layers import NetworkReading
from metamf.wording import counted, with_minus

_ADDS = ("its own value", "the mean of its row", "the mean of its column", "the mean of all cells", "the bias")
EQUATION_4 = (
    r"u_n^{(0)} = f_U\Big( \tfrac{1}{M} \textstyle\sum_m z_{nm} \Big), \qquad"
    r" v_m^{(0)} = f_V\Big( \tfrac{1}{N} \textstyle\sum_n z_{nm} \Big) \qquad \text{Eq. (5)}"
)


def of_cell(reading: NetworkReading, stage: int, channel: int, n: int, m: int, names: str) -> str:
    """The value that a layer gives a cell, and the term that adds most."""
    entry = reading.entry(n, m)
    if stage == 0:
        if entry is None:
            return f"{names}: nobody rated this cell, so the network reads nothing there."
        rating, x = reading.ratings.values[entry], reading.x[entry]
        return (
            f"{names}: the rating {rating:g} is read as {_signed(x)} standardised units. It starts from nothing else."
        )
    layer = reading.layers[stage - 1]
    terms = np.array([term[channel] for term in layer.at(n, m, entry)])
    most = int(np.abs(terms).argmax())
    total = terms.sum()
    text = f"{names}: the five terms add up to {_signed(total)}; most comes from {_ADDS[most]}, {_signed(terms[most])}."
    if entry is None:
        where = "enters the averages of Eq. (5)" if stage == len(reading.layers) else "is not read by the next layer"
        return f"{text} Nobody rated this cell, so it has no value of its own, and its sum {where}."
    if stage == len(reading.layers):
        return f"{text} The last layer cuts nothing; its averages become the prior."
    return (
        f"{text} {'It is negative, so ReLU makes it zero.' if total < 0 else 'It is positive, so ReLU lets it pass.'}"
    )


def of_prior(reading: NetworkReading, channel: int, n: int, name: str) -> str:
    """How the averages of a row become its prior."""
    C, K = reading.row_averages.shape[1], reading.U0.shape[1]
    return (
        f"{name}: averaged over all {counted(reading.ratings.n_cols, 'cell')} of the row, channel {channel + 1} is "
        f"{_signed(reading.row_averages[n, channel])}. A small network, f_U, the same for every row, turns the {C} "
        f"averages of a row into its {K} factors in U(0); f_V does so for columns."
    )


def silent(reading: NetworkReading, stage: int) -> str:
    """How many channels of a layer are zero at every observed cell; '' if none is, or nothing is cut at zero."""
    if not 0 < stage < len(reading.layers):
        return ""
    layer = reading.layers[stage - 1]
    count = int((layer.after == 0).all(axis=0).sum())
    return f"Channels that are zero at every cell of this matrix: {count} of {layer.channels}." if count else ""


def formula(stage: int) -> str:
    """One sentence on where the terms of a layer come from."""
    below = "the ratings" if stage == 1 else f"the channels of layer {stage - 1}"
    return (
        f"Four averages of {below}, over the cell itself, its row, its column and all cells, each times its own "
        "weights, Eq. (4)."
    )


def _signed(value: float) -> str:
    return with_minus(f"{value:+.2f}")

"""A sum drawn as steps: every term begins where the one before has ended, and the last bar is their sum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from metamf.figures.style import ABOVE, AXIS, BELOW, GREY, MARK, TRANSPARENT, rgba
from metamf.wording import with_minus


def sum_of_terms(
    names: Sequence[str], values: np.ndarray, total: str, *, lowest: float | None = None, height: int = 400
) -> go.Figure:
    """Bars of the terms of a sum and of the sum.

    Parameters
    ----------
    names : names of the n terms
    values : (n,) the terms
    total : name of their sum
    lowest : bound, such as 0 for a ReLU, below which the sum is cut: one more bar shows what is left of it; or None
    height : height in pixels
    """
    ends = np.cumsum(values)
    sums = [ends[-1]] + ([] if lowest is None else [max(ends[-1], lowest)])
    labels = [*names, total] + ([] if lowest is None else ["after ReLU"])
    lengths, base = np.concatenate([values, sums]), np.concatenate([ends - values, np.zeros(len(sums))])
    colours = [rgba(ABOVE if value > 0 else BELOW, 0.85) for value in values] + [rgba(GREY)] * len(sums)
    figure = go.Figure()
    figure.add_bar(
        y=labels,
        x=lengths,
        base=base,
        orientation="h",
        marker={"color": colours},
        text=[with_minus(f"{value:+.3f}") for value in values] + [with_minus(f"{value:.3f}") for value in sums],
        textposition="outside",
        cliponaxis=False,
        hoverinfo="skip",
    )
    figure.add_vline(x=0, line=MARK | {"dash": "solid"})
    reach = np.concatenate([base, base + lengths])
    room = 0.22 * max(float(np.ptp(reach)), 1e-6)
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 8, "b": 30},
        showlegend=False,
        bargap=0.3,
        **TRANSPARENT,
        xaxis=AXIS | {"range": [float(reach.min()) - room, float(reach.max()) + room], "nticks": 6},
        yaxis=AXIS | {"autorange": "reversed", "showgrid": False, "automargin": True, "tickfont": {"size": 14}},
    )
    return figure

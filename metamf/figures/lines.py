"""Figures of lines and points: errors per step, and intervals around estimates.

Whatever differs in colour differs in shape, too.
"""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from metamf.figures.style import ABOVE, AXIS, BELOW, GREY, LEGEND_ABOVE, MARK, TRANSPARENT, rgba

_BAND, _INSIDE, _OUTSIDE = rgba(GREY, 0.45), rgba(BELOW), rgba(ABOVE)


def error_curves(
    given: np.ndarray, hidden: np.ndarray | None, t: int, what: str = "step", *, height: int = 300
) -> go.Figure:
    """Curves of the error per step; step ``t`` is marked.

    Parameters
    ----------
    given : (T + 1,) errors on the given cells, in rating units
    hidden : (T + 1,) errors on the hidden cells, in rating units; None where no cell is hidden
    t : the step to mark
    what : word for a step
    height : height in pixels
    """
    figure = go.Figure()
    steps = np.arange(len(given))
    curves = [(given, "given cells", BELOW, "circle", "solid")]
    curves += [] if hidden is None else [(hidden, "hidden cells", ABOVE, "diamond", "dash")]
    for values, name, colour, symbol, dash in curves:
        line = {"color": rgba(colour, 1), "width": 2, "dash": dash}
        figure.add_scatter(x=steps, y=values, name=name, mode="lines", line=line, hovertemplate="%{y:.3f}")
        figure.add_scatter(
            x=[t],
            y=[values[t]],
            mode="markers",
            showlegend=False,
            hoverinfo="skip",
            marker={"size": 11, "symbol": symbol, "color": rgba(colour, 1)},
        )
    figure.add_vline(x=t, line=MARK)
    top = 1.08 * max(np.nanmax(values) for values, *_ in curves)
    last = max(len(given) - 1, 1)
    x = {"dtick": max(1, -(-last // 10)), "range": [-0.04 * last, 1.04 * last]}
    return laid_out(figure, height, what, x, {"range": [0, top if top > 0 else 1], "nticks": 5})


def interval_strip(
    estimate: np.ndarray, lower: np.ndarray, upper: np.ndarray, truth: np.ndarray, *, height: int = 300
) -> go.Figure:
    """The interval of each cell and its true rating, inside or outside of it; cells are sorted by their estimate.

    Parameters
    ----------
    estimate, lower, upper, truth : (n,) estimates, ends of their intervals and true ratings, in rating units
    height : height in pixels
    """
    order = np.lexsort((upper - lower, estimate))
    x = np.arange(len(order))
    estimate, lower, upper, truth = (values[order] for values in (estimate, lower, upper, truth))
    inside = (lower <= truth) & (truth <= upper)
    gap = np.full(len(order), np.nan)
    figure = go.Figure()
    figure.add_scatter(
        x=np.repeat(x, 3),
        y=np.column_stack([lower, upper, gap]).ravel(),
        mode="lines",
        name="interval",
        line={"width": 3, "color": _BAND},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=x,
        y=estimate,
        mode="lines",
        name="estimate",
        hoverinfo="skip",
        line={"width": 1.5, "color": rgba(GREY)},
    )
    for name, where, colour, symbol in (
        ("true rating", inside, _INSIDE, "circle"),
        ("outside", ~inside, _OUTSIDE, "x"),
    ):
        figure.add_scatter(
            x=x[where],
            y=truth[where],
            mode="markers",
            name=name,
            marker={"size": 5 if symbol == "circle" else 7, "symbol": symbol, "color": colour},
            customdata=np.column_stack([estimate, lower, upper])[where],
            hovertemplate="true %{y:.2f}<br>estimate %{customdata[0]:.2f}<br>"
            "interval %{customdata[1]:.2f} to %{customdata[2]:.2f}<extra></extra>",
        )
    x = {"showticklabels": False, "range": [-1, len(order)]}
    return laid_out(figure, height, "hidden cells, lowest estimate first", x, {"nticks": 6}, hovermode="closest")


def laid_out(
    figure: go.Figure, height: int, title: str, x: dict, y: dict, *, left: int = 44, hovermode: str = "x unified"
) -> go.Figure:
    """``figure`` with the layout that all figures of lines share; ``title`` stands below the x axis.

    Parameters
    ----------
    height, left : height of the figure and width of its left margin, in pixels
    x, y : settings of the axes
    """
    figure.update_layout(
        height=height,
        margin={"l": left, "r": 12, "t": 30, "b": 36},
        hovermode=hovermode,
        **TRANSPARENT,
        legend=LEGEND_ABOVE,
        xaxis=AXIS | {"title": {"text": title, "standoff": 6}, "showgrid": False} | x,
        yaxis=AXIS | {"title": None} | y,
        overwrite=True,  # there is nothing yet to merge it with, and to look for that takes Plotly most of the time
    )
    return figure

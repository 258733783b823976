"""Figures of lines and points: errors per step, intervals around estimates, and the errors of two step rules.

What is told by colour is told by shape, too.
"""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from metamf.figures.style import ABOVE, AXIS, BELOW, GREY, LEGEND_ABOVE, MARK, TRANSPARENT, rgba

_BAND, _INSIDE, _OUTSIDE = rgba(GREY, 0.45), rgba(BELOW), rgba(ABOVE)


def error_curves(
    given: np.ndarray, hidden: np.ndarray | None, t: int, what: str = "step", *, height: int = 300
) -> go.Figure:
    """Errors per step, (T + 1,) on the given and, where some were hidden, on the hidden cells; step ``t`` is marked.

    what : what a step is called
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
    step = max(1, int(np.ceil((len(given) - 1) / 10)))
    figure.update_layout(
        height=height,
        margin={"l": 44, "r": 12, "t": 30, "b": 36},
        hovermode="x unified",
        **TRANSPARENT,
        legend=LEGEND_ABOVE,
        xaxis={
            "title": {"text": what, "standoff": 6},
            "dtick": step,
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            "range": [-0.04 * max(len(given) - 1, 1), 1.04 * max(len(given) - 1, 1)],
        },
        yaxis={"title": None, "fixedrange": True, "range": [0, top if top > 0 else 1], "zeroline": False, "nticks": 5},
    )
    return figure


def interval_strip(
    estimate: np.ndarray, lower: np.ndarray, upper: np.ndarray, truth: np.ndarray, *, height: int = 300
) -> go.Figure:
    """Cells (n,) by rising estimate: the interval of each, and the true rating inside or outside of it."""
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
    figure.update_layout(
        height=height,
        margin={"l": 44, "r": 8, "t": 30, "b": 34},
        hovermode="closest",
        **TRANSPARENT,
        legend=LEGEND_ABOVE,
        xaxis=AXIS
        | {
            "title": {"text": "hidden cells, lowest estimate first", "standoff": 6},
            "showgrid": False,
            "showticklabels": False,
            "range": [-1, len(order)],
        },
        yaxis=AXIS | {"title": None, "nticks": 6},
    )
    return figure


def rule_curves(
    fixed: np.ndarray, safe: np.ndarray, overflow: int | None, t: int, T: int, *, height: int = 300
) -> go.Figure:
    """The error per step of the fixed and of the safe step size, on a logarithmic axis; step ``t`` of T is marked.

    fixed : ends before step ``overflow``, at which its numbers end, or holds all of them and ``overflow`` is None
    """
    figure = go.Figure()
    for values, name, colour, symbol, dash in (
        (safe, "safe step", _INSIDE, "circle", "solid"),
        (fixed, "fixed step", _OUTSIDE, "x", "dash"),
    ):
        figure.add_scatter(
            x=np.arange(len(values)),
            y=values,
            name=name,
            mode="lines+markers",
            hovertemplate="%{y:.3g}",
            line={"width": 2, "color": colour, "dash": dash},
            marker={"size": 7, "symbol": symbol, "color": colour},
        )
    figure.add_vline(x=t, line=MARK)
    if overflow is not None:
        figure.add_annotation(
            x=overflow - 1,
            y=float(np.log10(fixed[-1])),
            text=f"overflow at step {overflow}",
            showarrow=False,
            xanchor="left",
            xshift=10,
        )
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 12, "t": 30, "b": 36},
        hovermode="x unified",
        **TRANSPARENT,
        legend=LEGEND_ABOVE,
        xaxis=AXIS
        | {
            "title": {"text": "step", "standoff": 6},
            "dtick": max(1, -(-T // 10)),
            "showgrid": False,
            "range": [-0.04 * T, 1.04 * T],
        },
        yaxis=AXIS | {"title": None, "type": "log", "exponentformat": "power", "nticks": 6},
    )
    return figure

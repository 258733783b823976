"""Figures of lines and points: intervals around estimates, and the errors of step rules, one of which may diverge.

Transparent, with text in the theme's colour, as in the maps; what is told by colour is told by shape, too.
"""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from metamf.figures.style import ABOVE, BELOW

_PLAIN = {"paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)", "dragmode": False}
_GRID = {"gridcolor": "rgba(128, 128, 128, 0.2)", "zeroline": False, "fixedrange": True}
_LEGEND = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "title": None}
_BAND, _INSIDE, _OUTSIDE = "rgba(128, 138, 150, 0.45)", f"rgb{BELOW}", f"rgb{ABOVE}"


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
        line={"width": 1.5, "color": "rgba(128, 138, 150, 1)"},
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
        **_PLAIN,
        legend=_LEGEND,
        xaxis=_GRID
        | {
            "title": {"text": "hidden cells, lowest estimate first", "standoff": 6},
            "showgrid": False,
            "showticklabels": False,
            "range": [-1, len(order)],
        },
        yaxis=_GRID | {"title": None, "nticks": 6},
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
    figure.add_vline(x=t, line={"width": 1, "dash": "dot", "color": "rgba(128, 128, 128, 0.7)"})
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
        **_PLAIN,
        legend=_LEGEND,
        xaxis=_GRID
        | {
            "title": {"text": "step", "standoff": 6},
            "dtick": max(1, -(-T // 10)),
            "showgrid": False,
            "range": [-0.04 * T, 1.04 * T],
        },
        yaxis=_GRID | {"title": None, "type": "log", "exponentformat": "power", "nticks": 6},
    )
    return figure

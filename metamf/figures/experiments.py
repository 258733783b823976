"""Figures of the paper's experiments: bars and curves with intervals, the paper's number beside ours.

An interval is one standard error to each side. Bars start at a reference, the error of Mean, so that their length is
what a method gains on it; a diamond is the paper's number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from metamf.figures.style import AXIS, BLUE, GREEN, GREY, LEGEND_BELOW, PURPLE, TRANSPARENT, VERMILLION, rgba

OURS, OTHER, PAPER = rgba(BLUE), rgba(GREY, 0.75), rgba(VERMILLION)
_STYLES = ((OURS, "circle"), (rgba(GREEN), "square"), (rgba(PURPLE), "triangle-up"), (rgba(GREY), "x"))
_POWERS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100]  # labels of an axis of ratios


class Bar(NamedTuple):
    """A measured error beside the paper's; NaN where there is no such number."""

    label: str  # text beside the bar
    value: float  # measured error, and its standard error
    error: float
    paper: float  # the same as the paper prints them
    paper_error: float
    ours: bool = False  # whether the method is ours, which has a colour of its own


class Curve(NamedTuple):
    """Errors over some quantity."""

    name: str  # name of the curve
    x: Sequence[float]  # its points
    value: Sequence[float]
    error: Sequence[float]  # their standard errors, NaN where there is one split
    paper: Sequence[float] = ()  # the paper's numbers at the same places, NaN where it prints none
    updates: Sequence[int] | None = None  # where x is an error, too: the number of updates before each point


def diamond(colour: str = PAPER) -> dict[str, Any]:
    """The marker of a number of the paper."""
    return {"symbol": "diamond-open", "size": 9, "color": colour, "line": {"width": 1.8}}


def interval_bars(bars: Sequence[Bar], start: float, *, form: str = ".3f", log: bool = False) -> go.Figure:
    """One line for each bar, from ``start`` to its value; the first on top."""
    labels = [bar.label for bar in bars]
    value, error, paper, paper_error = (np.array([bar[i] for bar in bars], dtype=float) for i in (1, 2, 3, 4))
    figure = go.Figure()
    figure.add_bar(
        y=labels,
        x=value - start,
        base=start,
        orientation="h",
        name="measured",
        width=0.62,
        marker={"color": [OURS if bar.ours else OTHER for bar in bars]},
        error_x={"array": np.nan_to_num(error), "thickness": 1.4, "width": 4, "color": "gray"},
        customdata=np.stack([value, error], 1),
        hovertemplate=f"%{{y}}: %{{customdata[0]:{form}}} ± %{{customdata[1]:{form}}}<extra>measured</extra>",
    )
    if not np.isnan(paper).all():
        figure.add_scatter(
            y=labels,
            x=paper,
            mode="markers",
            name="the paper",
            marker=diamond(),
            error_x={"array": np.nan_to_num(paper_error), "thickness": 1, "width": 0, "color": PAPER},
            hovertemplate=f"%{{y}}: %{{x:{form}}}<extra>the paper</extra>",
        )
    figure.add_vline(x=start, line={"width": 1, "color": "gray"})
    figure.update_layout(
        height=58 + 23 * len(bars),
        margin={"l": 4, "r": 10, "t": 4, "b": 30},
        showlegend=False,
        **TRANSPARENT,
        xaxis=AXIS | {"title": None} | ({"type": "log"} | _labelled(_POWERS) if log else {"nticks": 6}),
        yaxis={"autorange": "reversed", "fixedrange": True, "title": None, "ticks": "", "automargin": True},
    )
    return figure


def interval_curves(
    curves: Sequence[Curve], x_title: str, *, log: bool = False, ticks: Sequence[float] | None = None
) -> go.Figure:
    """Lines with intervals over ``x``; ``log``: x grows by factors; ``ticks``: where it is labelled."""
    figure = go.Figure()
    for curve, (colour, symbol) in zip(curves, _STYLES):
        value, paper = np.asarray(curve.value, float), np.asarray(curve.paper, float)
        if np.isnan(value).all() and np.isnan(paper).all():
            continue
        after = f"after %{{customdata}}: %{{x:.3f}} and %{{y:.3f}}<extra>{curve.name}</extra>"
        figure.add_scatter(
            x=curve.x,
            y=value,
            name=curve.name,
            mode="lines+markers",
            line={"color": colour, "width": 2},
            marker={"size": 7, "symbol": symbol, "color": colour},
            error_y={"array": np.nan_to_num(np.asarray(curve.error, float)), "thickness": 1, "width": 3},
            customdata=curve.updates,
            hovertemplate="%{y:.3f}" if curve.updates is None else after,
        )
        if not np.isnan(paper).all():
            figure.add_scatter(
                x=curve.x,
                y=paper,
                name=f"{curve.name}, the paper",
                mode="markers",
                hovertemplate="%{y:.3f}",
                marker=diamond(PAPER if len(curves) == 1 else colour),
            )
    figure.update_layout(
        height=290,
        margin={"l": 44, "r": 8, "t": 8, "b": 84},
        hovermode="x unified",
        **TRANSPARENT,
        legend=LEGEND_BELOW,
        xaxis=AXIS
        | {"title": {"text": x_title, "standoff": 10}, "type": "log" if log else "linear"}
        | ({} if ticks is None else _labelled(ticks)),
        yaxis=AXIS | {"title": None, "nticks": 6},
    )
    return figure


def _labelled(ticks: Sequence[float]) -> dict:
    return {"tickmode": "array", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}

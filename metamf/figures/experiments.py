"""Figures of the paper's experiments: bars and curves with intervals, the paper's number beside ours; their alt texts.

An interval is one standard error to each side. Bars start at a reference, the error of Mean, so that their length is
what a method gains on it; a diamond is the paper's number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from metamf.figures.style import AXIS, BLUE, GREEN, GREY, LEGEND_BELOW, PURPLE, TRANSPARENT, VERMILLION, rgba
from metamf.wording import counted, rounded

OURS, OTHER, PAPER = rgba(BLUE), rgba(GREY, 0.75), rgba(VERMILLION)
CURVES = (OURS, rgba(GREEN), rgba(PURPLE), rgba(GREY))
_MARKERS = ("circle", "square", "triangle-up", "x")
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
    paper: Sequence[float]  # the paper's numbers at the same places, NaN where it prints none


class Trail(NamedTuple):
    """Points in their order."""

    name: str  # name of the trail
    x: Sequence[float]  # its points
    y: Sequence[float]
    error: Sequence[float]  # standard errors of y, NaN where there is one split
    number: Sequence[float]  # number of each point, such as that of the updates before it


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
        customdata=np.stack([value, error], 1),
        hovertemplate=f"%{{y}}: %{{customdata[0]:{form}}} ± %{{customdata[1]:{form}}}<extra>measured</extra>",
    )
    figure.add_scatter(
        y=labels,
        x=value,
        mode="markers",
        marker={"size": 1, "color": "rgba(128, 128, 128, 1)"},
        hoverinfo="skip",
        showlegend=False,
        error_x={"array": np.nan_to_num(error), "thickness": 1.4, "width": 4, "color": "gray"},
    )
    if not np.isnan(paper).all():
        figure.add_scatter(
            y=labels,
            x=paper,
            mode="markers",
            name="the paper",
            marker={"symbol": "diamond-open", "size": 9, "color": PAPER, "line": {"width": 1.8}},
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
    for curve, colour, marker in zip(curves, CURVES, _MARKERS):
        if np.isnan(np.asarray(curve.value, float)).all() and np.isnan(np.asarray(curve.paper, float)).all():
            continue
        figure.add_scatter(
            x=curve.x,
            y=curve.value,
            name=curve.name,
            mode="lines+markers",
            line={"color": colour, "width": 2},
            marker={"size": 7, "symbol": marker, "color": colour},
            error_y={"array": np.nan_to_num(np.asarray(curve.error, float)), "thickness": 1, "width": 3},
            hovertemplate="%{y:.3f}",
        )
        if not np.isnan(np.asarray(curve.paper, float)).all():
            figure.add_scatter(
                x=curve.x,
                y=curve.paper,
                name=f"{curve.name}, the paper",
                mode="markers",
                hovertemplate="%{y:.3f}",
                marker={
                    "symbol": "diamond-open",
                    "size": 9,
                    "color": PAPER if len(curves) == 1 else colour,
                    "line": {"width": 1.8},
                },
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


def interval_trails(trails: Sequence[Trail], paper: tuple[float, float], titles: tuple[str, str]) -> go.Figure:
    """Points in their order, each hovered with its number; a diamond at the paper's point, and little beyond it."""
    figure = go.Figure()
    for trail, colour, marker in zip(trails, CURVES, _MARKERS):
        figure.add_scatter(
            x=trail.x,
            y=trail.y,
            name=trail.name,
            mode="lines+markers",
            customdata=trail.number,
            line={"color": colour, "width": 2},
            marker={"size": 7, "symbol": marker, "color": colour},
            error_y={"array": np.nan_to_num(np.asarray(trail.error, float)), "thickness": 1, "width": 3},
            hovertemplate="after %{customdata}: %{x:.3f} and %{y:.3f}<extra>" + trail.name + "</extra>",
        )
    figure.add_scatter(
        x=paper[:1],
        y=paper[1:],
        name="the paper",
        mode="markers",
        marker={"symbol": "diamond-open", "size": 10, "color": PAPER, "line": {"width": 1.8}},
        hovertemplate="%{x:.3f} and %{y:.3f}<extra>the paper</extra>",
    )
    low = min((min(trail.y) for trail in trails), default=paper[1] - 0.3)
    shown = [[-0.03, 1.1], [low - 0.05, max(1.5, paper[1] + 0.1)]]
    axes = [AXIS | {"title": {"text": t, "standoff": 4}, "nticks": 6, "range": r} for t, r in zip(titles, shown)]
    figure.update_layout(
        height=310,
        margin={"l": 52, "r": 8, "t": 8, "b": 84},
        xaxis=axes[0],
        yaxis=axes[1],
        **TRANSPARENT,
        legend=LEGEND_BELOW,
    )
    return figure


def _labelled(ticks: Sequence[float]) -> dict:
    return {"tickmode": "array", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}


def text_of_bars(title: str, bars: Sequence[tuple[str, float]]) -> str:
    """Returns the text of bars: their number, the shortest and the longest.

    Parameters
    ----------
    title : name of the figure
    bars : label and value of each bar; a value that is not a number counts as not drawn
    """
    drawn = [(label, value) for label, value in bars if np.isfinite(value)]
    if not drawn:
        return f"{title}: no bar is drawn."
    low, high = (extreme(drawn, key=lambda bar: bar[1]) for extreme in (min, max))
    ends = f"from {low[0]}, {rounded(low[1])}, to {high[0]}, {rounded(high[1])}"
    return f"{title}: {counted(len(drawn), 'bar')}, {ends}."


def text_of_curves(title: str, curves: Sequence[tuple[str, Sequence[float], Sequence[float]]]) -> str:
    """Returns the text of curves: where each begins, where it ends, and its smallest number.

    Parameters
    ----------
    title : name of the figure
    curves : name, places and values of each curve, of the same length; what is not a number is left out
    """
    parts = []
    for name, places, values in curves:
        points = [(x, y) for x, y in zip(places, values) if np.isfinite(y)]
        if points:
            (first, start), (last, end) = points[0], points[-1]
            least = min(points, key=lambda point: point[1])
            ends = f"{rounded(start)} at {first:g} to {rounded(end)} at {last:g}"
            parts.append(f"{name} from {ends}, smallest {rounded(least[1])} at {least[0]:g}")
    return f"{title}: {'; '.join(parts) or 'no curve is drawn'}."

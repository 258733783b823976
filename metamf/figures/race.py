"""Figures of the race of starts: error per step of each start, and how long a step may be.

Whatever differs in colour differs in dashes and symbols, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from metamf.figures.lines import laid_out
from metamf.figures.style import ABOVE, BLUE, GREEN, GREY, PURPLE, VERMILLION, rgba

STYLES = (  # colour, dash and symbol of the first, the second, ... curve
    (VERMILLION, "solid", "circle"),
    (BLUE, "dash", "diamond"),
    (PURPLE, "dashdot", "square"),
    (GREY, "dot", "x"),
    (GREEN, "longdash", "triangle-up"),
)


_FONT = {"size": 14}  # pixels: readable from the last row


class RaceCurve(NamedTuple):
    """The error of one start per step, in rating units.

    Attributes
    ----------
    name : name in the legend
    middle : (T + 1,) the error, NaN from where there is none
    low, high : (T + 1,) smallest and largest error of several starts; None for one start
    """

    name: str
    middle: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None


def race_curves(curves: Sequence[RaceCurve], *, height: int = 400) -> go.Figure:
    """Errors per step, a band where there are several starts; a cross where the numbers end before the last step.

    Parameters
    ----------
    curves : the starts, in the order of ``STYLES``
    height : height in pixels
    """
    figure, T = go.Figure(), len(curves[0].middle) - 1
    for curve, (colour, dash, symbol) in zip(curves, STYLES):
        steps = np.flatnonzero(np.isfinite(curve.middle))
        if curve.low is not None and curve.high is not None:
            _add_band(figure, steps, curve.low[steps], curve.high[steps], rgba(colour, 0.18))
        figure.add_scatter(
            x=steps,
            y=curve.middle[steps],
            name=curve.name,
            mode="lines+markers",
            hovertemplate="%{y:.3f}",
            line={"width": 2.5 if curve is curves[0] else 2, "color": rgba(colour), "dash": dash},
            marker={"size": 7 if T <= 20 else 4, "symbol": symbol, "color": rgba(colour)},
        )
        if len(steps) and steps[-1] < T:
            figure.add_scatter(
                x=[steps[-1]],
                y=[curve.middle[steps[-1]]],
                mode="markers",
                marker={"size": 15, "symbol": "x-thin", "line": {"width": 3, "color": rgba(colour)}},
                hoverinfo="skip",
                showlegend=False,
            )
    return laid_out(figure, height, "step", _steps(T), {"nticks": 6}, left=52).update_layout(font=_FONT)


def step_lengths(longest: np.ndarray, step_size: float, T: int, *, height: int = 400) -> go.Figure:
    """The longest step that does not overshoot, beside the step that is taken; logarithmic.

    Parameters
    ----------
    longest : (t + 1,) longest step that does not overshoot, at every step, as far as the factors are finite
    step_size : eta
    T : the number of steps
    height : height in pixels
    """
    figure, steps = go.Figure(), np.arange(len(longest))
    top = 3 * max(step_size, float(longest.max()))
    _add_band(figure, steps, longest, np.full(len(steps), top), rgba(ABOVE, 0.1))
    figure.add_scatter(
        x=steps,
        y=longest,
        name="longest step that does not overshoot",
        mode="lines+markers",
        hovertemplate="%{y:.2g}",
        line={"width": 2, "color": rgba(BLUE)},
        marker={"size": 7 if T <= 20 else 4, "symbol": "circle", "color": rgba(BLUE)},
    )
    figure.add_scatter(
        x=[0, T],
        y=[step_size, step_size],
        name="the step that is taken, η",
        mode="lines",
        hovertemplate="%{y:.2g}",
        line={"width": 2.5, "color": rgba(VERMILLION), "dash": "dash"},
    )
    low = 0.4 * min(step_size, max(float(longest.min()), step_size / 1e6))  # a fall of six decades says it all
    y = {"type": "log", "range": [float(np.log10(low)), float(np.log10(top))], "exponentformat": "power", "nticks": 6}
    return laid_out(figure, height, "step", _steps(T), y, left=66).update_layout(font=_FONT)


def _steps(T: int) -> dict:
    last = max(T, 1)
    return {"dtick": max(1, -(-last // 10)), "range": [-0.04 * last, 1.04 * last]}


def _add_band(figure: go.Figure, steps: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str) -> None:
    """Fills what lies between two curves."""
    figure.add_scatter(
        x=np.concatenate([steps, steps[::-1]]),
        y=np.concatenate([low, high[::-1]]),
        fill="toself",
        fillcolor=colour,
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
    )

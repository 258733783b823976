"""Plotly figures of lines, points and bars from plain arrays; nothing here knows of Streamlit.

What differs in colour differs in shape, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from metamf.figures.style import (
    ABOVE,
    AXIS,
    BELOW,
    BLUE,
    GREEN,
    GREY,
    LEGEND_ABOVE,
    MARK,
    PURPLE,
    TRANSPARENT,
    VERMILLION,
    rgba,
)
from metamf.wording import with_minus

_BAND = rgba(GREY, 0.45)
_INSIDE = rgba(BELOW)
_OUTSIDE = rgba(ABOVE)
_STYLES = (  # colour, dash and symbol of the first, the second, ... curve
    (VERMILLION, "solid", "circle"),
    (BLUE, "dash", "diamond"),
    (PURPLE, "dashdot", "square"),
    (GREY, "dot", "x"),
    (GREEN, "longdash", "triangle-up"),
)
_FONT = {"size": 14}  # pixels: readable from the last row
# Type and height of a figure in a lecture room, relative to the usual size.
TYPE = 1.5
HEIGHT = 1.3
_USUAL = 12  # pixels: Plotly's default size of type


def interval_strip(
    estimate: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    truth: np.ndarray,
    *,
    height: int = 300,
) -> go.Figure:
    """The interval of each cell and its true rating, inside or outside of it; cells are sorted by
    their estimate.

    ``estimate``, ``lower``, ``upper`` and ``truth`` (n,) are in rating units.
    """
    order = np.lexsort((upper - lower, estimate))
    x = np.arange(len(order))
    estimate, lower, upper, truth = (values[order] for values in (estimate, lower, upper, truth))
    inside = (lower <= truth) & (truth <= upper)
    figure = go.Figure()
    figure.add_scatter(
        x=np.repeat(x, 3),
        y=np.column_stack([lower, upper, np.full(len(order), np.nan)]).ravel(),
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
    return _laid_out(
        figure, height, "hidden cells, lowest estimate first", x, {"nticks": 6}, hovermode="closest"
    )


def race_curves(errors: Mapping[str, np.ndarray], *, height: int = 400) -> go.Figure:
    """Errors per step from several kinds of starts, (S, T + 1) each for S starts, NaN from where
    there is none.

    Of several starts the mean is drawn, and a band from the smallest to the largest. A cross marks
    where the numbers end before the last step.
    """
    figure = go.Figure()
    T = len(next(iter(errors.values()))[0]) - 1
    for (name, of_starts), (colour, dash, symbol) in zip(errors.items(), _STYLES):
        mean = of_starts.mean(axis=0)
        many = len(of_starts) > 1
        steps = np.flatnonzero(np.isfinite(mean))
        if many:
            low, high = of_starts.min(axis=0), of_starts.max(axis=0)
            _add_band(figure, steps, low[steps], high[steps], rgba(colour, 0.18))
        label = f"{name}, {len(of_starts)} times" if many else name
        marker = {"size": 7 if T <= 20 else 4, "symbol": symbol, "color": rgba(colour)}
        width = 2 if figure.data else 2.5
        _add_line(figure, steps, mean[steps], label, colour, "%{y:.3f}", dash, width, marker=marker)
        if len(steps) and steps[-1] < T:
            figure.add_scatter(
                x=[steps[-1]],
                y=[mean[steps[-1]]],
                mode="markers",
                marker={
                    "size": 15,
                    "symbol": "x-thin",
                    "line": {"width": 3, "color": rgba(colour)},
                },
                hoverinfo="skip",
                showlegend=False,
            )
    return _laid_out(figure, height, "step", _steps(T), {"nticks": 6}, left=52).update_layout(
        font=_FONT
    )


def share_curves(
    lines: Mapping[str, tuple[np.ndarray, ...]], at: float, *, height: int = 300
) -> go.Figure:
    """Errors by the percentage of the ratings that are given, with a mark at one; the last line is
    the thickest.

    A line has four arrays (n,): percentages, errors, and lower and upper ends of its band.
    """
    figure = go.Figure()
    styles = [*_STYLES[: len(lines)]][::-1]
    for (name, (percent, error, low, high)), (colour, dash, _) in zip(lines.items(), styles):
        _add_band(figure, percent, low, high, rgba(colour, 0.1))
        _add_line(figure, percent, error, name, colour, "%{y:.2f}", dash)
    figure.data[-1].line.width = 3
    figure.add_vline(x=at, line=MARK)
    x = {"range": [5, 100], "ticksuffix": " %", "nticks": 6}
    y = {"rangemode": "tozero", "nticks": 6}
    return _laid_out(figure, height, "of the ratings given", x, y)


def step_lengths(
    band: np.ndarray, name: str, eta_name: str, step_size: float, T: int, *, height: int = 400
) -> go.Figure:
    """The shortest and the longest step size of the rows and columns, (t, 2) as far as the factors
    are finite, next to the step size eta of all T steps; logarithmic. ``name``: of the band."""
    figure = go.Figure()
    steps = np.arange(1, len(band) + 1)
    _add_band(figure, steps, band[:, 0], band[:, 1], rgba(BLUE, 0.18))
    for ends, shown in zip(band.T, (True, False)):
        _add_line(figure, steps, ends, name, BLUE, "%{y:.2g}", showlegend=shown)
    eta = [step_size, step_size]
    _add_line(figure, [0, T], eta, eta_name, VERMILLION, "%{y:.2g}", "dash", 2.5)
    top = 3 * max(step_size, float(band.max()))
    low = 0.4 * min(step_size, max(float(band.min()), step_size / 1e6))  # six decades are enough
    ticks = _log_ticks(low, top)
    y = {"type": "log", "range": [float(np.log10(low)), float(np.log10(top))], "tickvals": ticks}
    y["ticktext"] = [f"{tick:g}" for tick in ticks]
    return _laid_out(figure, height, "step", _steps(T), y, left=66).update_layout(font=_FONT)


def objective_bars(likelihood: np.ndarray, prior: np.ndarray, *, height: int = 300) -> go.Figure:
    """The two parts of the objective of Eqs. (1) to (3) at each step, (T + 1,) each, stacked."""
    figure = go.Figure()
    steps = np.arange(len(likelihood))
    parts = (
        ("likelihood: given ratings missed", likelihood, VERMILLION, ""),
        ("prior: distance from the start", prior, BLUE, "/"),
    )
    for name, values, colour, pattern in parts:
        figure.add_bar(
            x=steps,
            y=values,
            name=name,
            marker={"color": rgba(colour, 0.85), "pattern": {"shape": pattern}},
            hovertemplate="%{y:.3f}",
        )
    x = _steps(len(steps) - 1) | {"range": [-0.6, len(steps) - 0.4]}
    y = {"nticks": 5, "rangemode": "tozero"}
    laid_out = _laid_out(figure, height, "step", x, y, left=52)
    return laid_out.update_layout(barmode="stack", bargap=0.25)


def _log_ticks(low: float, top: float) -> list[float]:
    """Powers of ten between two positive numbers, and 2 and 5 times these where there are fewer
    than three."""
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(top))) + 1)
    for factors in ((1,), (1, 2, 5)):
        ticks = [float(f"{factor}e{power}") for power in powers for factor in factors]
        shown = [tick for tick in ticks if low <= tick <= top]
        if len(shown) >= 3:
            break
    return shown


def _steps(T: int) -> dict:
    last = max(T, 1)
    return {"dtick": max(1, -(-last // 10)), "range": [-0.04 * last, 1.04 * last]}


def _add_line(
    figure: go.Figure,
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
    name: str,
    colour: tuple[int, int, int],
    hover: str,
    dash: str = "solid",
    width: float = 2,
    **more: Any,
) -> None:
    figure.add_scatter(
        x=x,
        y=y,
        name=name,
        mode="lines+markers" if "marker" in more else "lines",
        hovertemplate=hover,
        line={"width": width, "color": rgba(colour), "dash": dash},
        **more,
    )


def _add_band(
    figure: go.Figure, steps: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str
) -> None:
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


def sum_of_terms(
    names: Sequence[str],
    values: np.ndarray,
    total: str,
    *,
    lowest: float | None = None,
    height: int = 400,
) -> go.Figure:
    """Bars of the terms of a sum, ``values`` (n,), and of the sum; where it is cut below
    ``lowest``, such as at 0 by a ReLU, one more bar shows what is left of it."""
    ends = np.cumsum(values)
    labels = [*names, total]
    sums = [ends[-1]]
    if lowest is not None:
        labels.append("after ReLU")
        sums.append(max(ends[-1], lowest))
    colours = [rgba(ABOVE if value > 0 else BELOW, 0.85) for value in values]
    texts = [with_minus(f"{value:+.3f}") for value in values]
    lengths = np.concatenate([values, sums])
    base = np.concatenate([ends - values, np.zeros(len(sums))])
    figure = go.Figure()
    figure.add_bar(
        y=labels,
        x=lengths,
        base=base,
        orientation="h",
        marker={"color": colours + [rgba(GREY)] * len(sums)},
        text=texts + [with_minus(f"{value:.3f}") for value in sums],
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
        yaxis=AXIS
        | {
            "autorange": "reversed",
            "showgrid": False,
            "automargin": True,
            "tickfont": {"size": 14},
        },
    )
    return figure


def larger(chart: go.Figure) -> go.Figure:
    """A copy of ``chart`` for a lecture room: type and margins grow by ``TYPE``, the height by
    ``HEIGHT``."""
    found = go.Figure(chart)
    layout = found.layout
    for side in "lrtb":
        if layout.margin[side] is not None:
            layout.margin[side] *= TYPE
    if layout.height is not None:
        layout.height *= HEIGHT
    # the theme of the page gives each a size
    fonts = [layout.font, layout.hoverlabel.font, layout.legend.font]
    fonts += [axis.tickfont for axis in (*found.select_xaxes(), *found.select_yaxes())]
    fonts += [note.font for note in found.select_annotations()]
    for font in fonts:
        font.size = TYPE * (font.size or _USUAL)
    for trace in found.data:
        font = getattr(trace, "textfont", None)
        if font is not None and font.size is not None:
            font.size *= TYPE
    return found


def _laid_out(
    figure: go.Figure,
    height: int,
    title: str,
    x: dict,
    y: dict,
    *,
    left: int = 44,
    hovermode: str = "x unified",
) -> go.Figure:
    """``figure`` with the layout that all figures of lines share; ``title`` is below the x axis."""
    figure.update_layout(
        height=height,
        margin={"l": left, "r": 12, "t": 30, "b": 36},
        hovermode=hovermode,
        **TRANSPARENT,
        legend=LEGEND_ABOVE,
        xaxis=AXIS | {"title": {"text": title, "standoff": 6}, "showgrid": False} | x,
        yaxis=AXIS | {"title": None} | y,
        # there is nothing yet to merge it with, and to look for that takes Plotly most of the time
        overwrite=True,
    )
    return figure

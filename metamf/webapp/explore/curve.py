"""The curve: error on hidden ratings against the share of ratings given, with the slider of the share under it.

The errors are means over draws of the given ratings, measured by ``benchmarks.accuracy.curve`` and kept in curve.csv.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np
import streamlit as st

from metamf import datasets
from metamf.answer.methods import plain_name
from metamf.webapp.explore.choices import DATA_SETS, AppState
from metamf.webapp.player.bundle import mount
from metamf.wording import counted, listed, rounded

PATH = Path(__file__).with_name("curve.csv")
_FEWEST = 5  # percent of the ratings that can be given
REAL = {"ml-100k": "MovieLens 100K block"}  # by model: the data set whose curve stands beside that of an example
OTHERS = "MovieLens 1M block"  # that of the other models
_LINES = {  # by method: name, class of the style sheet
    "mean": "average",
    "mf": "MF alone",
    "simple": "best simple method",
    "model": "this model",
}


class Line(NamedTuple):
    """A method's errors: ``percent``, ``rmse`` and the 10 % and 90 % quantiles ``low`` and ``high``, each (n,)."""

    percent: np.ndarray
    rmse: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def at(self, percent: float) -> float:
        """The error at a share, between two measured ones on the line that joins them; nan beyond the last one."""
        return float(np.interp(percent, self.percent, self.rmse, np.nan, np.nan))


class Curves(NamedTuple):
    """The lines of a matrix by method, the number of draws, and the best simple method of each share."""

    lines: Mapping[str, Line]
    draws: int
    simple: tuple[str, ...]


def curves_of(matrix: str, model: str) -> Curves | None:
    """The lines of an example matrix or a data set, by its name; None where none were measured with the model."""
    rows = [row for row in _rows() if row["matrix"] == matrix]
    if not any(row["method"] == model for row in rows):
        return None
    lines = {}
    for key in _LINES:
        own = [row for row in rows if row["method"] == (model if key == "model" else key)]
        lines[key] = Line(*(np.array([float(row[name]) for row in own]) for name in ("percent", "rmse", "low", "high")))
    simple = tuple(dict.fromkeys(plain_name(row["key"]) for row in rows if row["method"] == "simple"))
    return Curves(lines, int(rows[0]["draws"]), simple)


@cache
def _rows() -> list[dict[str, str]]:
    with PATH.open(newline="") as file:
        return list(csv.DictReader(file))


def picture(title: str, curves: Curves, percent: float, span: tuple[float, float], legend: bool = False) -> str:
    """The curves as HTML: a heading, lines with a mark at a share and two errors there, and a legend.

    ``span`` is the range of errors drawn; x is linear from 5 to 100 %, over the whole width, as a slider below it is.
    The SVG is stretched to its place, so everything that must not be stretched is HTML above it.
    """
    low, high = span

    def x(values: np.ndarray | float) -> np.ndarray:
        return (np.asarray(values) - _FEWEST) / (100 - _FEWEST) * 100

    def y(values: np.ndarray | float) -> np.ndarray:
        return (high - np.clip(values, low, high)) / (high - low) * 100

    def points(percents: np.ndarray, values: np.ndarray) -> str:
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x(percents), y(values)))

    ticks = np.arange(np.ceil(low * 5) / 5, high, 0.2)
    lines = [f'<path d="M0 {y(tick):.1f}H100"/>' for tick in ticks]
    lines.append(f'<path class="here" d="M{x(percent):.1f} 0V100"/>')
    for key, line in curves.lines.items():
        band = f"{points(line.percent, line.low)} {points(line.percent[::-1], line.high[::-1])}"
        lines.append(f'<polygon class="{key}" points="{band}"/>')
    for key, line in curves.lines.items():
        lines.append(f'<polyline class="{key}" points="{points(line.percent, line.rmse)}"/>')
    errors = {key: curves.lines[key].at(percent) for key in reversed(_LINES) if key in curves.lines}
    errors = {key: error for key, error in errors.items() if not np.isnan(error)}
    above = [f'<span style="top:{y(tick):.1f}%">{tick:.1f}</span>' for tick in ticks]
    lower = min(errors.keys() & {"model", "simple"}, key=errors.__getitem__, default=None)
    for key, error in errors.items():
        number = f"<b>{rounded(error)}</b>" if key in ("model", "simple") else ""
        place = f"left:{x(percent):.1f}%;top:{y(error):.1f}%"
        side = f"{'under' if key == lower else ''} {'before' if percent > 80 else ''}"
        above.append(f'<i class="{key} {side}" style="{place}">{number}</i>')
    alt = listed([f"{_LINES[key]} {rounded(error)}" for key, error in errors.items()] or ["not measured"])
    below = "".join(
        f'<span><svg viewBox="0 0 18 8" aria-hidden="true"><polyline class="{key}" points="0,4 18,4"/></svg>'
        f"{_LINES[key]}</span>"
        for key in reversed(_LINES)
        if legend
    )
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><div class="plot" role="img" '
        f'aria-label="Typical error on hidden ratings with {percent:g} % given: {escape(alt)}.">'
        f'<svg viewBox="0 0 100 100" preserveAspectRatio="none">{"".join(lines)}</svg>{"".join(above)}</div>'
        f"{below}</figure>"
    )


def span_of(*several: Curves) -> tuple[float, float]:
    """The range of errors of all lines, in steps of .1."""
    lines = [line for curves in several for line in curves.lines.values()]
    low = min(line.rmse.min() for line in lines)
    high = max(line.rmse.max() for line in lines)
    return float(np.floor(low * 10 - 0.5) / 10), float(np.ceil(high * 10 + 0.5) / 10)


def draw(state: AppState, slider: Callable[[], int]) -> None:
    """Draws the curves of the chosen matrix and of real ratings beside each other, and a slider below the first.

    Of a matrix that nobody measured there is the slider alone. A model that is told the genre was measured so.
    """
    model = state.told or state.model
    curves, real = curves_of(state.data, model), None
    if curves is not None and state.data not in DATA_SETS:
        real = curves_of(real_data := REAL.get(model, OTHERS), model)
    here, *beside = st.columns(2 if real else 1, gap="medium")
    above = here.container()
    with here:
        keep = slider()  # in the first run of a visit only the widget knows what the address asks for
    if curves is not None:
        with above:
            span = span_of(*filter(None, (curves, real)))
            html = picture(_title(state.data, curves), curves, keep, span, legend=real is None)
            mount("curve", key="curve", data={"html": html})
    if real is not None:
        with beside[0]:
            html = picture(_title(real_data, real), real, keep, span, legend=True)
            mount("curve", key="curve_real", data={"html": html})


def _title(data: str, curves: Curves) -> str:
    if data in DATA_SETS:
        return f"Typical error: {datasets.ARCHIVES[DATA_SETS[data]].title}, real ratings"
    return f"Typical error: {data}, mean of {counted(curves.draws, 'draw')}"

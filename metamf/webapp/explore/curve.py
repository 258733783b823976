"""The curve: error on hidden ratings against the share of the ratings that the model sees, in the world that is shown.

Errors are means over many draws of that world, for both ways of being given, measured by ``benchmarks.accuracy.curve``
and kept in curve.csv.
"""

from __future__ import annotations

import csv
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metamf.answer.methods import plain_name
from metamf.datasets.examples import NIGHTS
from metamf.webapp.explore.choices import DEFAULT, AppState
from metamf.webapp.explore.words import Measured, Off
from metamf.webapp.player.bundle import mount
from metamf.wording import counted, listed, rounded

PATH = Path(__file__).with_name("curve.csv")
FEWEST = 5  # percent of the ratings that can be given
_TICKS = 10, 30, 50, 70, 90  # percent
_MOST_TICKS = 5  # of errors
LINES = {  # by method, in the order in which they are drawn: the name, and the class of the style sheet
    "training_mean": "average of the training tables",
    "mf": "matrix factorization",
    "simple": "best simple method",
    "model": "the model",
}


class Line(NamedTuple):
    """A method's errors in rating units, each (n,): at ``percent`` of the ratings the mean over draws ``rmse``, the
    10 % and 90 % quantiles ``low`` and ``high``, and the mean ``bias``, estimate minus truth."""

    percent: np.ndarray
    rmse: np.ndarray
    low: np.ndarray
    high: np.ndarray
    bias: np.ndarray

    def at(self, percent: float) -> float:
        """The error at a share, between two measured ones on the line that joins them; nan beyond the measured ones."""
        return self.off_at(percent).rmse

    def off_at(self, percent: float) -> Off:
        """The error and the bias at a share, likewise."""
        found = (np.interp(percent, self.percent, values, np.nan, np.nan) for values in (self.rmse, self.bias))
        return Off(*map(float, found))


class Curves(NamedTuple):
    """The lines of a world by method, the number of draws, and the best simple methods, one or more."""

    lines: dict[str, Line]
    draws: int
    simple: tuple[str, ...]


@cache
def curves_of(matrix: str, by: str, model: str) -> Curves | None:
    """The lines of a world, by its name in the list of matrices, where ratings are given in the way ``by``; None where
    the model was not measured so."""
    rows = [row for row in _rows() if row["matrix"] == matrix and row["given"] == by]
    if not any(row["method"] == model for row in rows):
        return None
    lines = {}
    for key in LINES:
        own = [row for row in rows if row["method"] == (model if key == "model" else key)]
        if own:
            lines[key] = Line(*(np.array([float(row[name] or "nan") for row in own]) for name in Line._fields))
    simple = dict.fromkeys(plain_name(row["key"]) for row in rows if row["method"] == "simple")
    return Curves(lines, int(rows[0]["draws"]), tuple(simple))


@cache
def _rows() -> list[dict[str, str]]:
    with PATH.open(newline="") as file:
        return list(csv.DictReader(file))


def measured(state: AppState) -> Curves | None:
    """The lines of what the visitor has chosen; None where nobody measured it."""
    if state.steps != DEFAULT.steps or state.sweeps != DEFAULT.sweeps:
        return None
    return curves_of(state.data, state.by, state.told or state.model)


def draw(state: AppState) -> None:
    """Draws the curves of what is chosen, with a mark at the share; nothing where nobody measured it."""
    if (curves := measured(state)) is not None:
        mount("curve", key="curve", data={"html": picture(curves, state.keep, state.data)})


def over_draws(state: AppState) -> Measured | None:
    """What the model and the best simple method do at the share that is chosen, over many draws."""
    if measured(state) is None:
        return None
    return over_many(state.data, state.by, state.told or state.model, state.keep)


def over_many(matrix: str, by: str, model: str, percent: float) -> Measured | None:
    """The same for any world and model; None where nobody measured them."""
    curves = curves_of(matrix, by, model)
    if curves is None or "simple" not in curves.lines:
        return None
    ours, simple = (curves.lines[key].off_at(percent) for key in ("model", "simple"))
    if np.isnan(ours.rmse + simple.rmse):
        return None
    return Measured(counted(curves.draws, f"other {_noun(matrix)}"), ours, simple)


def _noun(matrix: str) -> str:
    return "night" if matrix in NIGHTS else "draw"


def picture(curves: Curves, percent: float, title: str) -> str:
    """The curves as HTML: what is drawn, the lines with a mark at a share, and a legend with the errors there.

    x is linear from 5 to 100 %, over the width of a slider below; y begins at zero. The SVG is stretched to its place,
    so all text is HTML in the gutters next to it.
    """
    ticks = _ticks(max(float(max(line.rmse.max(), line.high.max())) for line in curves.lines.values()))
    top = ticks[-1]

    def x(values: np.ndarray | float) -> np.ndarray:
        return (np.asarray(values) - FEWEST) / (100 - FEWEST) * 100

    def y(values: np.ndarray | float) -> np.ndarray:
        return 100 - np.asarray(values) / top * 100

    def points(percents: np.ndarray, values: np.ndarray) -> str:
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x(percents), y(values)))

    shapes = [f'<path d="M0 {y(tick):.1f}H100"/>' for tick in ticks]
    shapes.append(f'<path class="here" d="M{x(percent):.1f} 0V100"/>')
    for key, line in curves.lines.items():
        band = f"{points(line.percent, line.low)} {points(line.percent[::-1], line.high[::-1])}"
        shapes.append(f'<polygon class="{key}" points="{band}"/>')
    for key, line in curves.lines.items():
        shapes.append(f'<polyline class="{key}" points="{points(line.percent, line.rmse)}"/>')
    beside = [f'<span class="y" style="top:{y(tick):.1f}%">{tick:g}</span>' for tick in ticks]
    beside += [f'<span class="x" style="left:{x(tick):.1f}%">{tick} %</span>' for tick in _TICKS]
    legend = []
    said = []
    for key in reversed(curves.lines):
        error = curves.lines[key].at(percent)
        number = "" if np.isnan(error) else rounded(error)
        if number:
            beside.append(f'<i class="{key}" style="left:{x(percent):.1f}%;top:{y(error):.1f}%"></i>')
            said.append(f"{LINES[key]} {number}")
        swatch = f'<svg viewBox="0 0 18 8" aria-hidden="true"><polyline class="{key}" points="0,4 18,4"/></svg>'
        legend.append(f"<li>{swatch} {LINES[key]} <b>{number}</b></li>")
    alt = f"RMSE in stars with {percent:g} % given: {listed(said or ['not measured'])}."
    return (
        f"<figure><figcaption>{escape(title)}: RMSE, in stars, by the share given. Mean of "
        f"{counted(curves.draws, _noun(title))}; shade: middle 80 %.</figcaption>"
        f'<div class="plot" role="img" aria-label="{escape(alt)}">'
        f'<svg viewBox="0 0 100 100" preserveAspectRatio="none">{"".join(shapes)}</svg>{"".join(beside)}</div>'
        f"<ul>{''.join(legend)}</ul></figure>"
    )


def _ticks(highest: float) -> list[float]:
    """At most ``_MOST_TICKS`` round numbers from zero to the first beyond ``highest``."""
    power = 10.0 ** np.floor(np.log10(highest / _MOST_TICKS))
    step = next(step for step in (power, 2 * power, 5 * power, 10 * power) if highest <= (_MOST_TICKS - 1) * step)
    return [float(tick) for tick in np.arange(0, highest + step, step).round(6)]

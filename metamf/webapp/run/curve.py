"""The curve: error on hidden ratings against the share of the ratings that the model sees, in the
world that is shown.

Errors are means over many draws of that world, for both ways of being given, measured by
``benchmarks.accuracy.film_nights`` and kept in curve.csv.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metamf.answer.division import SELECTIONS
from metamf.checkpoints.bundled import describe
from metamf.datasets.examples import FILM_NIGHT, NIGHTS
from metamf.webapp import look
from metamf.webapp.choices import DEFAULT, AppState
from metamf.webapp.look import Picture
from metamf.webapp.run.sentences import Measured, Off
from metamf.wording import counted, listed, percent_of_any_size, rounded

PATH = Path(__file__).with_name("curve.csv")
FEWEST = 5  # percent of the ratings that can be given
HEIGHT = 300  # pixels
LINES = {
    "training_mean": "average of the training tables",
    "mf": "matrix factorization",
    "simple": "best simple method",
    "model": "the model",
}


class Line(NamedTuple):
    """A method's errors in rating units, each (n,): at ``percent`` of the ratings the mean over
    draws ``rmse``, the 10 % and 90 % quantiles ``low`` and ``high``, and the mean ``bias``,
    estimate minus truth."""

    percent: np.ndarray
    rmse: np.ndarray
    low: np.ndarray
    high: np.ndarray
    bias: np.ndarray

    def at(self, percent: float) -> float:
        """The error at a share, between two measured ones on the line that joins them; nan beyond
        the measured ones."""
        return self.off_at(percent).rmse

    def off_at(self, percent: float) -> Off:
        """The error and the bias at a share, likewise."""
        rmse = np.interp(percent, self.percent, self.rmse, np.nan, np.nan)
        bias = np.interp(percent, self.percent, self.bias, np.nan, np.nan)
        return Off(float(rmse), float(bias))


class Curves(NamedTuple):
    """The lines of a world by method, and the number of draws."""

    lines: dict[str, Line]
    draws: int


@cache
def curves_of(matrix: str, by: str, model: str) -> Curves | None:
    """The lines of a world, by its name in the list of matrices, where ratings are given in the way
    ``by``; None where the model was not measured so."""
    lines = {}
    draws = 0
    for key in LINES:
        method = model if key == "model" else key
        rows = _rows().get((matrix, by, method), [])
        if rows:
            columns = [[float(row[name] or "nan") for row in rows] for name in Line._fields]
            lines[key] = Line(*map(np.array, columns))
            draws = int(rows[0]["draws"])
    return Curves(lines, draws) if "model" in lines else None


@cache
def _rows() -> dict[tuple[str, str, str], list[dict[str, str]]]:
    """The rows of the file by world, way of being given, and method."""
    found = defaultdict(list)
    with PATH.open(newline="") as file:
        for row in csv.DictReader(file):
            found[row["matrix"], row["given"], row["method"]].append(row)
    return dict(found)


def measured(state: AppState) -> Curves | None:
    """The lines of what the visitor has chosen; None where nobody measured it."""
    if state.steps != DEFAULT.steps or state.sweeps != DEFAULT.sweeps:
        return None
    return curves_of(state.data, state.by, state.feature_model or state.model)


def draw_share_curves(state: AppState) -> None:
    """Draws the curves of what is chosen, with a mark at the share; nothing where nobody measured
    it."""
    if (curves := measured(state)) is not None:
        picture(curves, state.keep, state.data, "curve").draw()
        if said := about_rise(curves, state.feature_model or state.model):
            look.small(said)


def about_rise(curves: Curves, model: str) -> str:
    """Returns what to think of a model that is further off with most ratings given than with
    fewest; '' where it is not."""
    own = curves.lines["model"].rmse
    if own[-1] <= own[0]:
        return ""
    domain = describe(model).learned_from
    seen = ""
    if domain is not None:
        low, high = (percent_of_any_size(share) for share in domain.density)
        seen = f" in tables of which {low if low == high else f'{low} to {high}'} was given"
    return (
        "The more ratings it sees, the worse it gets: it learned where to start and how far to step"
        f"{seen}, not in this world."
    )


def over_draws(state: AppState) -> Measured | None:
    """What the model and the best simple method do at the share that is chosen, over many draws."""
    return measured(state) and over_many(
        state.data, state.by, state.feature_model or state.model, state.keep
    )


def over_many(matrix: str, by: str, model: str, percent: float) -> Measured | None:
    """The same for any world and model; None where nobody measured them."""
    curves = curves_of(matrix, by, model)
    if curves is None or "simple" not in curves.lines:
        return None
    ours = curves.lines["model"].off_at(percent)
    simple = curves.lines["simple"].off_at(percent)
    if np.isnan(ours.rmse + simple.rmse):
        return None
    return Measured(counted(curves.draws, f"other {_noun(matrix)}"), ours, simple)


def _noun(matrix: str) -> str:
    return "night" if matrix in NIGHTS else "draw"


def over_nights(model: str) -> dict[str, dict[str, list[float]]]:
    """Returns the errors of a model and of matrix factorization over many film nights at each
    measured ``percent``, by the way in which ratings are given; only ways that were measured."""
    found: dict[str, dict[str, list[float]]] = {}
    for by in SELECTIONS:
        curves = curves_of(FILM_NIGHT, by, model)
        if curves is None or "mf" not in curves.lines:
            continue
        mf = curves.lines["mf"]
        own = curves.lines["model"]
        found[by] = {
            "percent": mf.percent.tolist(),
            "model": [own.at(percent) for percent in mf.percent],
            "mf": mf.rmse.tolist(),
        }
    return found


def picture(curves: Curves, percent: float, title: str, key: str) -> Picture:
    """The curves as a figure, with a mark at a share and the errors there in the legend."""
    from metamf.figures.lines import share_curves  # with Plotly

    shown = {}
    said = []
    for method, line in curves.lines.items():
        name = LINES[method]
        error = line.at(percent)
        if not np.isnan(error):
            name = f"{name} {rounded(error)}"
            said.append(name)
        shown[name] = line[:4]
    alt = f"RMSE in stars with {percent:g} % given: {listed(said or ['not measured'])}."
    rows = [
        [f"{share:g} %", *(rounded(line.at(share)) for line in curves.lines.values())]
        for share in next(iter(curves.lines.values())).percent
    ]
    head = ["given", *(LINES[method] for method in curves.lines)]
    caption = f"RMSE in stars, mean of {counted(curves.draws, _noun(title))}"
    return Picture(
        title,
        f"{caption}; shade: middle 80 %",
        share_curves(shown, percent, height=HEIGHT),
        key,
        alt,
        look.table(f"{caption}.", head, rows),
    )

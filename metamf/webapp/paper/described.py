"""Figures of the page Paper in words and numbers: their alternative texts, and the tables behind their curves."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from metamf.figures.experiments import Bar, Curve, text_of_bars, text_of_curves
from metamf.webapp import numbers


def of_bars(title: str, bars: Sequence[Bar]) -> str:
    """Returns the alternative text of bars; where nothing is measured yet, that of the paper's numbers."""
    if any(isfinite(bar.value) for bar in bars):
        return text_of_bars(title, [(bar.label, bar.value) for bar in bars])
    return text_of_bars(f"{title}, as the paper prints them", [(bar.label, bar.paper) for bar in bars])


def of_curves(title: str, what: str, curves: Sequence[Curve]) -> tuple[str, str]:
    """Returns the alternative text of curves, and the table of their numbers beside the paper's.

    Parameters
    ----------
    title : name of the figure
    what : name of the quantity along its axis
    curves : the curves
    """
    series = [(curve.name, curve.x, curve.value) for curve in curves]
    series += [(f"{c.name}, the paper", c.x, c.paper) for c in curves if any(map(isfinite, c.paper))]
    places = sorted({x for _, xs, _ in series for x in xs})
    columns = [dict(zip(xs, values)) for _, xs, values in series]
    lines = [[f"{x:g}", *(_number(column.get(x)) for column in columns)] for x in places]
    measured = series[: len(curves)] if any(isfinite(y) for curve in curves for y in curve.value) else series
    return text_of_curves(title, measured), numbers.table(f"{title}.", [what, *(name for name, *_ in series)], lines)


def _number(value: float | None) -> str:
    return "–" if value is None or not isfinite(value) else f"{value:.3f}"

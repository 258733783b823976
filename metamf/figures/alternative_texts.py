"""Alternative texts of figures: how many numbers a figure shows, from where to where, and where the largest is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metamf.wording import counted, rounded


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

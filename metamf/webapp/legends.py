"""The legends of maps as HTML: which colour stands for which number."""

from __future__ import annotations

from html import escape

import numpy as np

from metamf.figures.style import ABOVE, BELOW, RATING_COLOURS, WIDTH, WIDTH_ALPHA, rgba
from metamf.wording import with_minus

_CELL = f'<em style="background:{RATING_COLOURS[3]}">{{}}</em>'
_GIVEN = f'<span class="mf-key">{_CELL.format("<u></u>")}given</span>'
_WHOLE = 0.995  # of the scale from which a width counts as the whole, and of a width as equal; chosen by hand


def of_ratings(low: float, high: float, dotted: bool = False) -> str:
    """The legend of a map of ratings as HTML: its colours from ``low`` to ``high``, and the dot if the map has dots."""
    colours = ", ".join(RATING_COLOURS)
    lowest, highest = (with_minus(f"{end:.4g}") for end in (low, high))
    return (
        f'<div class="mf-legend"><span>{lowest}</span>'
        f'<i style="background:linear-gradient(90deg,{colours})"></i><span>{highest}</span>'
        f"{_GIVEN if dotted else ''}</div>"
    )


def of_widths(low: float, high: float, ends: tuple[float, float] | None) -> str:
    """The legend of a map of interval widths as HTML: its colours from ``low`` to ``high``, or words if all are alike.

    What an interval as wide as the whole scale means is said in words, too.

    Parameters
    ----------
    low, high : float
        The smallest and the largest width, in rating units.
    ends : (float, float) or None
        The ends of the rating scale; None where it is not known.
    """
    whole = np.inf if ends is None else ends[1] - ends[0]
    if low >= _WHOLE * whole:
        lowest, highest = (with_minus(f"{end:.4g}") for end in ends)
        said = f"It knows nothing here: every interval is the whole scale, {lowest} to {highest}."
        return f'<div class="mf-legend">{said}</div>'
    if high - low < (1 - _WHOLE) * high:
        return f'<div class="mf-legend">Every interval is {low:.3g} wide.</div>'
    pale, strong = (rgba(WIDTH, alpha) for alpha in (WIDTH_ALPHA, 1))
    said = f"<span>{whole:.4g} is the whole scale: there it knows nothing</span>" if high >= _WHOLE * whole else ""
    return (
        f'<div class="mf-legend"><span>sure, {low:.3g} wide</span>'
        f'<i style="background:linear-gradient(90deg,{pale},{strong})"></i>'
        f"<span>{high:.3g} wide, unsure</span>{said}</div>"
    )


def of_differences(limit: float, below: str, above: str) -> str:
    """The legend of a map of differences as HTML: its colours from ``-limit`` to ``limit``, a word at each end."""
    low, high = (f"rgb({r}, {g}, {b})" for r, g, b in (BELOW, ABOVE))
    return (
        f'<div class="mf-legend"><span>{escape(below)} −{limit:.3g}</span>'
        f'<i style="background:linear-gradient(90deg,{low},transparent,{high})"></i>'
        f"<span>+{limit:.3g} {escape(above)}</span></div>"
    )

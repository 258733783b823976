"""The legends of figures as HTML: which colour stands for which number, and which line for which name."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np

from metamf.figures.style import GREY, WIDTH, WIDTH_ALPHA, rgba
from metamf.wording import with_minus

if TYPE_CHECKING:
    import plotly.graph_objects as go

_WHOLE = 0.995  # share of the scale from which a width counts as the whole, and of a width as equal; chosen by hand
_THICKEST = 3  # pixels of a line in a legend; chosen by eye
_DASHES = {  # as Plotly draws them
    "solid": "",
    "dot": 'stroke-dasharray="2 2"',
    "dash": 'stroke-dasharray="7 4"',
    "longdash": 'stroke-dasharray="10 4"',
    "dashdot": 'stroke-dasharray="7 3 2 3"',
    "longdashdot": 'stroke-dasharray="10 3 2 3"',
}
_SYMBOLS = {  # paths about the point (12, 6)
    "circle": "M8 6a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",
    "diamond": "M12 1L17 6L12 11L7 6Z",
    "square": "M8 2H16V10H8Z",
    "triangle": "M12 1.5L17 10H7Z",
    "x": "M8 2L16 10M16 2L8 10",
}


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


def of_curves(chart: go.Figure) -> str:
    """The legend of a figure of lines as HTML: its names with line and symbol; empty where there is one curve or none.

    Plotly's own legend breaks into lines by the type that it met first, which in lecture mode is another than it draws.
    """
    curves = [trace for trace in chart.data if trace.type == "scatter" and trace.name and trace.showlegend is not False]
    if len(curves) < 2 or chart.layout.showlegend is False:
        return ""
    keys = (f'<span class="mf-key">{_sample(curve)}{escape(curve.name)}</span>' for curve in curves)
    return f'<div class="mf-legend">{"".join(keys)}</div>'


def _sample(curve: go.Scatter) -> str:
    """A piece of a curve, 24 by 12 pixels: an image, since Streamlit takes drawings out of HTML."""
    mode, drawn = curve.mode or "lines", ""
    if "lines" in mode:
        width, dashes = min(curve.line.width or 2, _THICKEST), _DASHES[curve.line.dash or "solid"]
        drawn = f'<path d="M0 6H24" stroke="{_colour(curve.line)}" stroke-width="{width}" {dashes}/>'
    if "markers" in mode:
        symbol, _, variant = (curve.marker.symbol or "circle").partition("-")
        colour = _colour(curve.marker)
        fill = "none" if variant == "open" or symbol == "x" else colour
        drawn += f'<path d="{_SYMBOLS[symbol]}" fill="{fill}" stroke="{colour}" stroke-width="1.5"/>'
    image = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 12" fill="none">{drawn}</svg>'
    return f'<img alt="" width="24" height="12" src="data:image/svg+xml,{quote(image)}">'


def _colour(drawn: go.scatter.Line | go.scatter.Marker) -> str:
    """The colour of lines or markers; grey where each has its own."""
    return escape(drawn.color) if isinstance(drawn.color, str) else rgba(GREY)

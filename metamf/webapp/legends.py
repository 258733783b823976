"""The legends of figures as HTML: which line stands for which name."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from metamf.figures.style import GREY, rgba

if TYPE_CHECKING:
    import plotly.graph_objects as go

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

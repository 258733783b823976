"""The style that all figures share: colours, frame, axes and legend.

Figures are transparent and leave the colour of their text to the page, so that they read on light
and on dark.
"""

from __future__ import annotations

# viridis without its darkest and brightest ends, where text on a cell, or the cell on the page,
# would not be seen
RATING_COLOURS = (
    "#472d7b",
    "#3b528b",
    "#2c728e",
    "#21918c",
    "#28ae80",
    "#5ec962",
    "#addc30",
    "#f2e51d",
)
# Colours that differ for every common colour vision: Okabe and Ito, "Color universal design"
# (2008).
BLUE, VERMILLION, GREEN, PURPLE = (0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167)
BELOW, ABOVE = BLUE, VERMILLION  # negative and positive values
GREY = (128, 138, 150)  # of what is neither; chosen by eye: seen on light and on dark paper


def rgba(colour: tuple[int, int, int], alpha: float = 1) -> str:
    """A colour as CSS writes it; ``alpha`` from 0, transparent, to 1."""
    return f"rgba({colour[0]}, {colour[1]}, {colour[2]}, {alpha})"


_CLEAR = "rgba(0,0,0,0)"
TRANSPARENT = {
    "paper_bgcolor": _CLEAR,
    "plot_bgcolor": _CLEAR,
    "modebar": {"bgcolor": _CLEAR, "color": rgba(GREY), "activecolor": rgba(BLUE)},
    "dragmode": False,
}
AXIS = {"gridcolor": rgba((128, 128, 128), 0.2), "zeroline": False, "fixedrange": True}
LEGEND_ABOVE = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "title": None}
MARK = {
    "width": 1,
    "dash": "dot",
    "color": rgba((128, 128, 128), 0.7),
}  # the line at the step that is shown

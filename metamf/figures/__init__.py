"""Plotly figures from plain arrays."""

from metamf.figures.lines import error_curves
from metamf.figures.maps import rating_map, signed_map
from metamf.figures.window import Axes, Window

__all__ = ["Axes", "Window", "error_curves", "rating_map", "signed_map"]

"""Plotly figures from plain arrays."""

from metamf.figures.maps import error_curves, rating_map, signed_map
from metamf.figures.window import Axes, Window

__all__ = ["Axes", "Window", "error_curves", "rating_map", "signed_map"]

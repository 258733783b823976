"""Plotly figures from plain arrays, and the part of a large matrix that is drawn."""

from metamf.figures.window import Axes, Window

__all__ = ["Axes", "Window"]

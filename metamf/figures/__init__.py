"""Plotly figures from plain arrays.

Plotly is imported with the first figure: windows and colours do without.
"""

from typing import TYPE_CHECKING

from metamf.figures.window import Axes, Window

if TYPE_CHECKING:
    from metamf.figures.lines import error_curves
    from metamf.figures.maps import rating_map, signed_map
else:

    def __getattr__(name):
        """Imports a function that makes figures when it is asked for."""
        if name == "error_curves":
            from metamf.figures.lines import error_curves

            return error_curves
        if name in ("rating_map", "signed_map"):
            from metamf.figures import maps

            return getattr(maps, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Axes", "Window", "error_curves", "rating_map", "signed_map"]

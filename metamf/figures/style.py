"""Colours and frames that all figures share."""

from __future__ import annotations

RATING_COLOURS = ("#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#f2e51d")
BELOW, ABOVE = (0, 114, 178), (213, 94, 0)  # Okabe and Ito's blue and vermillion, also of the two error curves
EMPTY = "rgba(128, 128, 128, 0.13)"
_TRANSPARENT = {"paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)", "dragmode": False}


def _rgba(colour: tuple[int, int, int], alpha: float) -> str:
    return f"rgba({colour[0]}, {colour[1]}, {colour[2]}, {alpha})"

"""Half-widths of intervals, computed where they are asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metamf.checkpoints.models import HalfWidths
from metamf.ratings.units import Standardization


@dataclass(frozen=True, eq=False)
class Intervals:
    """Half-widths of the intervals of a level, computed where they are asked for: a large matrix has them for a window,
    or for some cells, without an N x M array.

    Parameters
    ----------
    level : float
        The share of unobserved ratings that is to lie inside.
    standardization : Standardization
        The size of a standardised unit in rating units.
    half_widths : HalfWidths
        Half-widths in standardised units, from the adapted posterior.
    factor : float
        Factor by which they are multiplied: of a tuned network, that which entries call for that tuning never saw.
    """

    level: float
    standardization: Standardization
    half_widths: HalfWidths
    factor: float = 1.0

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """(n,) half-widths at the cells of integer positions ``rows`` and ``cols``, (n,) each, in rating units."""
        return self.factor * self.standardization.spread_at(rows, cols) * self.half_widths.at(rows, cols)

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        """(n, m) half-widths at all cells of some rows and columns, in rating units."""
        return self.factor * self.standardization.spread_block(rows, cols) * self.half_widths.block(rows, cols)

"""Estimates for what is exported."""

import numpy as np

from metamf import Ratings
from metamf.tables.writing.filled import Filled


def fill(table, offset=0.25, **more) -> Filled:
    """Estimates that cannot be mistaken for observed values: row + column / 100 + offset."""
    N, M = (table if isinstance(table, Ratings) else table.ratings).shape
    return Filled(table, np.arange(N)[:, None] + np.arange(M) / 100 + offset, **more)

"""Exports: estimates to write, and exports read back."""

from types import SimpleNamespace

import numpy as np

from metamf import Ratings
from metamf.tables import Table


def ratings_of(table: Table | Ratings) -> Ratings:
    return table if isinstance(table, Ratings) else table.ratings


def estimated(table, mean, clipped=(), hidden=(), **more):
    """An answer with estimates of the cells of a table, of which some were ``clipped``, and some observed ones
    ``hidden``: pairs of row and column."""
    ratings = ratings_of(table)
    cut, away = np.zeros(ratings.shape, dtype=bool), np.zeros(ratings.shape, dtype=bool)
    for cells, chosen in ((cut, clipped), (away, hidden)):
        for cell in chosen:
            cells[cell] = True
    intervals = {"lower": None, "upper": None, "level": None, "method": ""} | more
    hidden = away[ratings.rows, ratings.cols]
    return SimpleNamespace(mean=np.asarray(mean, float), clipped=cut, hidden=hidden, **intervals)


def fill(table, offset=0.25, **more):
    """The table, and estimates that cannot be mistaken for observed values: row + column / 100 +
    offset."""
    N, M = ratings_of(table).shape
    return table, estimated(table, np.arange(N)[:, None] + np.arange(M) / 100 + offset, **more)


def values(table, answer) -> np.ndarray:
    """(N, M) the observed ratings, and the estimates elsewhere."""
    ratings, X = ratings_of(table), answer.mean.copy()
    X[ratings.rows, ratings.cols] = ratings.values
    return X

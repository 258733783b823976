"""How far to trust single estimates for one's own matrix: influential cells, limits of training.

``influence`` leaves out one observed cell after the other and looks at what that does to one estimate. ``departures``
says in words where a matrix lies outside what a checkpoint learned from. (Errors on held-out cells: ``holdout``.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from metamf.imputer.estimator import MetaMFImputer
from metamf.ratings.matrix import Ratings

_CANDIDATES = 400
_AT_ONCE = 200_000  # entries of all copies that are read before progress is reported
_WORK = 8_000_000  # entries that one question about influence reads at most: half a minute on one core


# -- which cells matter -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Influence:
    """What moves the estimate of one cell most, in rating units, not clipped.

    entries : positions into ``ratings.values``, the largest change first
    change : the estimate, minus the estimate if that entry were not observed
    examined : how many entries were left out, one at a time, to find these
    """

    estimate: float
    entries: np.ndarray
    change: np.ndarray
    examined: int


def influence(
    ratings: Ratings,
    row: int,
    col: int,
    checkpoint: str = "universal",
    progress: Callable[[int, int], None] | None = None,
) -> Influence:
    """Leaves out observed entries one at a time, and estimates cell (``row``, ``col``) from all others.

    Every answer is that of a new imputation, in units of its own; whether those are the checkpoint's or the matrix's,
    and how steps are bounded, is decided once, for the whole matrix. In matrices of up to 400 entries each is left
    out, in larger ones those of the same row and column, at most 400 and fewer in very large ones: those that share
    most cells with the row or column asked for. ``progress(done, total)`` is called as copies of the matrix are done.

    Raises
    ------
    ValueError
        for fewer than two observed entries.
    IndexError
        for a cell outside the matrix.
    """
    if ratings.nnz < 2:
        raise ValueError(f"{ratings.nnz} observed entry: leaving one out leaves nothing to estimate from")
    if not (0 <= row < ratings.n_rows and 0 <= col < ratings.n_cols):
        raise IndexError(f"cell ({row}, {col}) lies outside the {ratings.n_rows} x {ratings.n_cols} matrix")
    imputer = MetaMFImputer(checkpoint, clip=False).fit(ratings)
    estimate = float(imputer.predict([row], [col])[0])
    entries = candidates(ratings, row, col)
    step = max(1, _AT_ONCE // ratings.nnz)
    without = np.empty(len(entries))
    for start in range(0, len(entries), step):
        if progress is not None:
            progress(start, len(entries))
        part = slice(start, start + step)
        without[part] = imputer.estimates_without(entries[part], row, col)
    change = estimate - without
    order = np.argsort(-np.abs(change), kind="stable")
    return Influence(estimate, entries[order], change[order], len(entries))


def candidates(ratings: Ratings, row: int, col: int) -> np.ndarray:
    """The entries that ``influence`` leaves out: all, or those of the row and the column that share most with it."""
    if ratings.nnz <= _CANDIDATES:
        return np.arange(ratings.nnz)
    same_row, same_col = ratings.rows == row, ratings.cols == col
    in_row, in_col = np.zeros(ratings.n_cols, bool), np.zeros(ratings.n_rows, bool)
    in_row[ratings.cols[same_row]], in_col[ratings.rows[same_col]] = True, True
    row_overlap = np.bincount(ratings.rows[in_row[ratings.cols]], minlength=ratings.n_rows)
    col_overlap = np.bincount(ratings.cols[in_col[ratings.rows]], minlength=ratings.n_cols)
    entries = np.flatnonzero(same_row | same_col)
    shared = np.where(same_row[entries], col_overlap[ratings.cols[entries]], row_overlap[ratings.rows[entries]])
    at_most = min(_CANDIDATES, max(10, _WORK // ratings.nnz))
    return entries[np.sort(np.argsort(-shared, kind="stable")[:at_most])]

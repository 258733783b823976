"""Observed ratings that matter for one estimate: those whose absence would move it most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metamf.answer.adaptation import Adaptation, adapt
from metamf.answer.inputs import read_positions
from metamf.checkpoints.bundled import one_unit
from metamf.ratings.matrix import Ratings

_CANDIDATES = 400  # ratings that one question leaves out at most; six are shown
_FEWEST = 10  # ratings that it leaves out even in a very large matrix
# ratings that one question reads at most, in all copies of the matrix; nobody waits minutes
_WORK = 8_000_000
AT_ONCE = 150_000  # the same for an answer that comes at once


@dataclass(frozen=True, eq=False)
class Influence:
    """The ratings that move the ``estimate`` of one cell most, in rating units, not clipped to a
    scale."""

    estimate: float
    entries: np.ndarray  # (n,) positions into the values of the ratings, the largest change first
    change: np.ndarray  # (n,) the estimate, minus that without the rating

    @property
    def examined(self) -> int:
        """The number of ratings that were left out in turn."""
        return len(self.entries)


def influence(fitted: Adaptation, row: int, col: int, work: int = _WORK) -> Influence:
    """Leaves out observed ratings one at a time, and estimates a cell from all others, by all
    models that were fitted.

    In a matrix of up to 400 ratings each is left out; in a larger one those of the same row and
    column, at most 400 and fewer in very large ones: those that share most cells with the row or
    column asked for.

    ``work`` limits how many ratings are read, in all copies of the matrix that lack one; at least
    ten are left out. ``ValueError`` for fewer than two ratings, ``IndexError`` for a cell outside
    the matrix.
    """
    ratings = fitted.ratings
    at = (
        read_positions("row", [row], ratings.n_rows),
        read_positions("column", [col], ratings.n_cols),
    )
    entries = candidates(ratings, row, col, work)
    estimate = float(fitted.at(*at)[0])
    change = estimate - fitted.estimates_without(entries, row, col)
    order = np.argsort(-np.abs(change), kind="stable")
    return Influence(estimate, entries[order], change[order])


def influence_at_once(
    ratings: Ratings, checkpoint: str, steps: int, row: int, col: int
) -> Influence:
    """``influence`` on the answer of a checkpoint after ``steps`` rounds, reading ``AT_ONCE``
    ratings at most."""
    fitted = adapt(ratings, checkpoint, steps=steps, standardize=one_unit(checkpoint, ratings))
    return influence(fitted, row, col, work=AT_ONCE)


def candidates(ratings: Ratings, row: int, col: int, work: int = _WORK) -> np.ndarray:
    """The positions of the entries that ``influence`` leaves out."""
    if ratings.nnz <= _CANDIDATES and ratings.nnz**2 <= work:
        return np.arange(ratings.nnz)
    same_row = ratings.rows == row
    same_col = ratings.cols == col
    in_row = np.zeros(ratings.n_cols, bool)
    in_col = np.zeros(ratings.n_rows, bool)
    in_row[ratings.cols[same_row]] = True
    in_col[ratings.rows[same_col]] = True
    row_overlap = np.bincount(
        ratings.rows[in_row[ratings.cols]], minlength=ratings.n_rows
    )  # columns shared with row
    col_overlap = np.bincount(
        ratings.cols[in_col[ratings.rows]], minlength=ratings.n_cols
    )  # rows shared with col
    entries = np.flatnonzero(same_row | same_col)
    shared = np.where(
        same_row[entries], col_overlap[ratings.cols[entries]], row_overlap[ratings.rows[entries]]
    )
    at_most = min(_CANDIDATES, max(_FEWEST, work // ratings.nnz))
    return entries[np.sort(np.argsort(-shared, kind="stable")[:at_most])]

"""How far to trust single estimates for one's own matrix: influential cells, limits of training.

``influence`` leaves out one observed cell after the other and looks at what that does to one estimate. ``departures``
says in words where a matrix lies outside what a checkpoint learned from. (Errors on held-out cells: ``holdout``.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from metamf.checkpoints.bundled import open_checkpoint
from metamf.imputer.estimator import MetaMFImputer
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings

_CANDIDATES = 400
_AT_ONCE = 200_000  # entries of all copies that are read at a time
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
        without[part] = _without_each(ratings, entries[part], row, col, imputer)
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


def _without_each(ratings: Ratings, entries: np.ndarray, row: int, col: int, imputer: MetaMFImputer) -> np.ndarray:
    """(D,) estimates of the cell from D copies of the matrix, each without one entry, as one batch."""
    D, (N, M) = len(entries), ratings.shape
    kept = np.arange(ratings.nnz - 1)
    kept = kept + (kept >= entries[:, None])  # (D, nnz - 1)
    values = ratings.values.astype(np.float64)[kept]
    units = imputer.info_.standardization
    if units is not None and imputer.standardization_ == units:
        mean, std = np.full((D, 1), units.mean), np.full((D, 1), units.std)
    elif imputer.scale_units_ is not None:
        mean, std = (moment[:, None] for moment in imputer.scale_units_.moments(values, ratings.scale))
    else:
        mean, std = values.mean(1, keepdims=True), values.std(1, keepdims=True)
        std[std <= 1e-12 * np.abs(values).max()] = 0  # one value everywhere: every estimate is that value
    x = (values - mean) / np.where(std > 0, std, 1)
    copies = np.arange(D)[:, None]
    rows, cols = ratings.rows[kept] + N * copies, ratings.cols[kept] + M * copies
    batch = RatingsBatch.from_arrays(x.ravel(), rows.ravel(), cols.ravel(), np.full(D, N), np.full(D, M))
    model, info = open_checkpoint(imputer.checkpoint)
    safe = {} if info.round_name == "sweep" else {"safe": imputer.step_rule_ == "safe"}
    with torch.inference_mode():
        adapted = model.adapt(batch, **safe)
        z = adapted.predict(torch.arange(D) * N + row, torch.arange(D) * M + col).numpy()
    return mean[:, 0] + std[:, 0] * z


# -- what a checkpoint has learned from -------------------------------------------------------------------------------

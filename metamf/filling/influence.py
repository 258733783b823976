"""How far to trust single estimates for one's own matrix: influential cells, limits of training.

``influence`` leaves out one observed cell after the other and looks at what that does to one estimate. ``departures``
says in words where a matrix lies outside what a checkpoint learned from. (Errors on held-out cells: ``holdout``.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from metamf.checkpoints.checkpoint import CheckpointInfo, find_checkpoint, load_checkpoint
from metamf.imputer.estimator import MetaMFImputer
from metamf.learning.curriculum import MixedSampler
from metamf.ratings.matrix import Ratings, RatingsBatch
from metamf.universal.network import Universal

_CANDIDATES = 400
_AT_ONCE = 200_000  # entries of all copies that are read at a time
_WORK = 8_000_000  # entries that one question about influence reads at most: half a minute on one core
_BLOCK = 30  # rows and columns that the paper's models learned on
_DENSITY = {"ml-100k": 0.063, "ml-1m": 0.042, "jester": 0.725}  # share of the cells that the data sets observe


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
    model, _ = load_checkpoint(find_checkpoint(imputer.checkpoint))
    safe = {} if isinstance(model, Universal) else {"safe": imputer.step_rule_ == "safe"}
    with torch.inference_mode():
        adapted = model.adapt(batch, **safe)
        z = adapted.predict(torch.arange(D) * N + row, torch.arange(D) * M + col).numpy()
    return mean[:, 0] + std[:, 0] * z


# -- what a checkpoint has learned from -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Domain:
    """Lowest and highest number of rows and columns, and share of observed cells, that training had."""

    rows: tuple[int, int]
    cols: tuple[int, int]
    density: tuple[float, float]


def learned_from(info: CheckpointInfo) -> Domain:
    """From the checkpoint's recipe: matrices of all sizes and densities, or blocks of 30 x 30, half of them given."""
    observed = [_DENSITY[name] for name in info.data.split(", ") if name in _DENSITY] or [0.5]
    if info.standardization is None:
        smallest, (rows, cols) = MixedSampler.smallest, MixedSampler.largest
        low, high = MixedSampler.shares
        return Domain((smallest, rows), (smallest, cols), (low * min(observed), high * max(observed)))
    return Domain((_BLOCK, _BLOCK), (_BLOCK, _BLOCK), (min(observed) / 2, max(observed) / 2))


def departures(ratings: Ratings, info: CheckpointInfo) -> list[str]:
    """Clauses, one for each way in which the matrix lies outside what the checkpoint learned from; maybe none.

    A size beyond the trained ones by a factor of 1.6, or a density beyond them by a factor of 2, counts as outside.
    """
    domain, found = learned_from(info), []
    for size, (low, high), what in zip(ratings.shape, (domain.rows, domain.cols), ("row", "column")):
        if not low / 1.6 <= size <= 1.6 * high:
            learned = f"{low:,} to {high:,}" if low < high else f"{low:,}"
            found.append(f"it has {size:,} {what}{'' if size == 1 else 's'}, and training had {learned}")
    low, high = domain.density
    if not low / 2 <= ratings.density <= 2 * high:
        learned = f"{_percent(low)} to {_percent(high)}" if low < high else f"about {_percent(low)}"
        found.append(f"{_percent(ratings.density)} of its cells are observed, and training had {learned}")
    return found + _scale_departures(ratings, info)


def _scale_departures(ratings: Ratings, info: CheckpointInfo) -> list[str]:
    values = ratings.values
    found = []
    if info.scale is not None:
        low, high = (values.min(), values.max()) if ratings.scale is None else (
            ratings.scale.minimum, ratings.scale.maximum)  # fmt: skip
        if low < info.scale.minimum or high > info.scale.maximum:
            found.append(
                f"its ratings run from {low:g} to {high:g}, and training had {info.scale.minimum:g} to "
                f"{info.scale.maximum:g}: they are brought to a common unit"
            )
    distinct = len(np.unique(values))
    if distinct < 3:
        found.append(f"it holds {'one value' if distinct == 1 else 'two different values'} only, and training had five "
                     "or more")  # fmt: skip
    elif (spread := values.std()) > 0 and (far := np.abs(values - values.mean()).max() / spread) > 6:
        found.append(f"some numbers lie far from the rest, {far:.0f} standard deviations: these are no usual ratings")
    return found


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"

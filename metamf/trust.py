"""How far to trust estimates for one's own matrix: errors on held-out cells, influential cells, limits of training.

``holdout_report`` hides observed cells again and again and lets all methods predict them. ``influence`` leaves out one
observed cell after the other and looks at what that does to one estimate. ``departures`` says in words where a matrix
lies outside what a checkpoint learned from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.stats
import torch

from metamf.checkpoints import CheckpointInfo, find_checkpoint, load_checkpoint
from metamf.curriculum import MixedSampler
from metamf.filling import Method
from metamf.imputer import MetaMFImputer
from metamf.ratings import Ratings, RatingsBatch
from metamf.universal import Universal

FEWEST = 10  # observed cells from which some can be held out
_SIGNIFICANCE = 0.05
_CANDIDATES = 400
_AT_ONCE = 200_000  # entries of all copies that are read at a time
_WORK = 8_000_000  # entries that one question about influence reads at most: half a minute on one core
_BLOCK = 30  # rows and columns that the paper's models learned on
_DENSITY = {"ml-100k": 0.063, "ml-1m": 0.042, "jester": 0.725}  # share of the cells that the data sets observe


# -- errors on held-out cells -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MethodErrors:
    """Of one method, per repeat (R,), in rating units; ``covered`` is the share of cells inside their interval."""

    method: Method
    rmse: np.ndarray
    mae: np.ndarray
    covered: np.ndarray | None


@dataclass(frozen=True, eq=False)
class HoldoutReport:
    """``errors`` with the smallest mean RMSE first; ``held_out`` of ``observed`` cells were hidden in each repeat."""

    errors: tuple[MethodErrors, ...]
    level: float
    held_out: int
    observed: int

    @property
    def repeats(self) -> int:
        return len(self.errors[0].rmse)

    def surely_smaller(self, one: MethodErrors, other: MethodErrors) -> bool:
        """Whether the RMSE of ``one`` is smaller by more than chance explains.

        One-sided paired t-test over repeats, with the variance of Nadeau and Bengio (2003), 1 / R + test / training
        cells, since repeats share their training cells; divided among the methods compared (Bonferroni).
        """
        gain = other.rmse - one.rmse
        R = len(gain)
        if R < 2 or gain.mean() <= 0:
            return False
        spread = gain.std(ddof=1) * np.sqrt(1 / R + self.held_out / (self.observed - self.held_out))
        limit = scipy.stats.t.ppf(1 - _SIGNIFICANCE / max(1, len(self.errors) - 1), R - 1)
        return bool(gain.mean() > limit * spread)

    @property
    def reference(self) -> MethodErrors | None:
        """The better of the row and the column means."""
        return next((found for found in self.errors if found.method.reference), None)

    @property
    def recommended(self) -> MethodErrors:
        """The method with the smallest error; one that gives intervals, where that is a twentieth larger at most, and
        chance explains it."""
        best = self.errors[0]
        near = (e for e in self.errors if e.rmse.mean() <= 1.05 * best.rmse.mean() and e.method.gives_intervals)
        equals = (e for e in near if not self.surely_smaller(best, e))
        return next(equals, best)

    def verdict(self) -> str:
        """In plain words: which method to use here, and whether any beats the row and the column means."""
        best, use, means = self.errors[0], self.recommended, self.reference
        text = f"Use {_name(use)} here: its typical error (RMSE) on held-out cells is {_number(use.rmse.mean())}"
        if use is not best:
            text += (
                f", which is as good as the {_number(best.rmse.mean())} of {_name(best)} within chance, and it comes "
                "with intervals"
            )
        text += "."
        if means is None:
            return text
        level = f"{_number(means.rmse.mean())} of {_name(means)}"
        winners = [e for e in self.errors if not e.method.reference and self.surely_smaller(e, means)]
        if use in winners:
            gain = 1 - use.rmse.mean() / means.rmse.mean()
            return f"{text} That beats the {level} by {100 * gain:.0f} %, more than chance explains."
        if winners:
            return f"{text} {_name(winners[0], True)} beats the {level} by more than chance explains."
        if use is means:
            return f"{text} No method does better: the others are not worth their effort on this table."
        return f"{text} No method surely beats the {level}: the difference may be chance."


def holdout_report(
    ratings: Ratings,
    methods: Sequence[Method],
    level: float,
    repeats: int = 5,
    share: float = 0.1,
    *,
    rng: np.random.Generator,
    progress: Callable[[int, int, str], None] | None = None,
) -> HoldoutReport:
    """Hides a ``share`` of the observed cells ``repeats`` times; all methods predict the same ones from the others.

    Estimates and intervals are clipped to ``ratings.scale`` where it is known, and not rounded. Until every cell was
    held out once, none is a second time. ``progress(done, total, label)`` is called before each fit, and at the end.

    Raises
    ------
    ValueError
        for fewer than FEWEST observed cells, no method, or a share that leaves nothing on either side.
    """
    if ratings.nnz < FEWEST:
        raise ValueError(f"{ratings.nnz} observed cells are too few to hold some out: it takes {FEWEST} at least")
    count = max(1, round(share * ratings.nnz))
    if not methods or repeats < 1 or not 0 < share < 1 or count >= ratings.nnz:
        raise ValueError(
            f"give methods, repeats >= 1 and 0 < share < 1; got {len(methods)} methods, {repeats} and {share}"
        )
    limit = (lambda values: values) if ratings.scale is None else ratings.scale.clip
    found = np.full((len(methods), 3, repeats), np.nan)
    for r, hidden in enumerate(_held_out(ratings.nnz, count, repeats, rng)):
        given = ratings.select(np.delete(np.arange(ratings.nnz), hidden))
        rows, cols, truth = ratings.rows[hidden], ratings.cols[hidden], ratings.values[hidden]
        for k, method in enumerate(methods):
            if progress is not None:
                progress(r * len(methods) + k, repeats * len(methods), method.label)
            mean, half = method.predict(given, rows, cols, level if method.gives_intervals else None)
            error = limit(mean) - truth
            found[k, :2, r] = np.sqrt(np.mean(error**2)), np.abs(error).mean()
            if half is not None:
                found[k, 2, r] = np.mean((limit(mean - half) <= truth) & (truth <= limit(mean + half)))
    if progress is not None:
        progress(repeats * len(methods), repeats * len(methods), "")
    errors = [
        MethodErrors(method, rmse, mae, covered if method.gives_intervals else None)
        for method, (rmse, mae, covered) in zip(methods, found)
    ]
    return HoldoutReport(tuple(sorted(errors, key=lambda e: e.rmse.mean())), level, count, ratings.nnz)


def _held_out(nnz: int, count: int, repeats: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    per_round = nnz // count
    for r in range(repeats):
        if r % per_round == 0:
            order = rng.permutation(nnz)
        at = r % per_round * count
        yield np.sort(order[at : at + count])


def _name(errors: MethodErrors, first: bool = False) -> str:
    label = errors.method.label
    if errors.method.reference:
        label = f"the {label.lower()}"
    return label[:1].upper() + label[1:] if first else label


def _number(value: float) -> str:
    return f"{value:.3g}"


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

    Every answer is that of a new imputation, in units of its own. In matrices of up to 400 entries each is left
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

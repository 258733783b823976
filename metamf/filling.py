"""A rating matrix filled in by any method, with an interval per cell where the method gives one, put on its scale.

One interface over the bundled checkpoints, the methods of ``metamf.baselines`` that need no meta-training, and the
means of rows and columns, which every method has to beat. All values in rating units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch

from metamf.baselines import METHODS
from metamf.checkpoints import CheckpointInfo, find_checkpoint, list_pretrained, load_checkpoint
from metamf.imputer import MetaMFImputer
from metamf.ratings import Ratings, RatingsBatch, RatingScale, Standardization
from metamf.tables import Table, write
from metamf.universal import Universal

_QUICK = ("mean", "damped_bias", "crossed_effects")  # answer at any size
_LARGEST_FIT = 20_000  # observed entries above which only the quick ones are offered
_OFFERED = ("crossed_effects", "damped_bias", "mf", "mean")


class Estimates(NamedTuple):
    """At some cells, before anything is clipped; ``half_width`` of the intervals, None without them."""

    mean: np.ndarray
    half_width: np.ndarray | None = None


@dataclass(frozen=True)
class Method:
    """A way to estimate: ``predict(given, rows, cols, level)`` at positions that broadcast.

    gives_intervals : whether ``level`` may be a number;  reference : one of the two means that others have to beat
    info : what a checkpoint says of itself, None for other methods
    """

    key: str
    label: str
    explanation: str
    predict: Callable[[Ratings, np.ndarray, np.ndarray, float | None], Estimates]
    gives_intervals: bool = False
    reference: bool = False
    info: CheckpointInfo | None = None


def method(key: str) -> Method:
    """A bundled checkpoint by name or any by path, a method of ``METHODS``, 'row_means' or 'col_means'.

    Raises
    ------
    ValueError
        for a method that has to be meta-trained first.
    FileNotFoundError, CheckpointError
        for a name that is none of these, or a file that is no checkpoint.
    """
    if key in REFERENCES:
        return REFERENCES[key]
    if key in METHODS:
        spec = METHODS[key]
        if spec.kind == "meta-learned":
            raise ValueError(f"{key!r} has to be meta-trained: name a checkpoint, such as {list_pretrained()[0]!r}")
        return Method(key, spec.label, spec.explanation, _by_baseline(key))
    model, info = load_checkpoint(find_checkpoint(key))
    return Method(key, f"MetaMF {info.name}", f"Meta-trained on {info.data}, none of whose rows or columns are here.",
                  _by_checkpoint(key), isinstance(model, Universal), info=info)  # fmt: skip


def offered(ratings: Ratings) -> tuple[Method, ...]:
    """All bundled checkpoints and the simple methods that answer for ``ratings`` within seconds; references last."""
    simple = [key for key in _OFFERED if key in _QUICK or ratings.nnz <= _LARGEST_FIT and _small_enough(key, ratings)]
    checkpoints = sorted(map(method, list_pretrained()), key=lambda found: not found.gives_intervals)
    return (*checkpoints, *map(method, simple), *REFERENCES.values())


@dataclass(frozen=True, eq=False)
class Filling:
    """Estimates for all cells (N, M), after clipping and rounding; at observed cells the estimate, not the rating.

    lower, upper : ends of the intervals of ``level``, None without them
    clipped : cells that are not observed whose estimate was cut at an end of the scale
    rounded : cells that are not observed whose estimate was moved to the nearest step of the scale
    """

    ratings: Ratings
    method: Method
    mean: np.ndarray
    lower: np.ndarray | None
    upper: np.ndarray | None
    level: float | None
    clipped: np.ndarray
    rounded: np.ndarray

    def of(self, table: Table) -> write.Filled:
        """What ``metamf.tables.write`` takes: the table that was read, filled in."""
        provenance = np.where(self.clipped, write.CLIPPED, write.IMPUTED).astype(np.uint8)
        provenance[self.ratings.rows, self.ratings.cols] = write.OBSERVED
        return write.Filled(table, self.mean, self.lower, self.upper, self.level, provenance, self.method.label)


def fill(
    ratings: Ratings,
    key: str = "universal",
    level: float | None = 0.9,
    scale: RatingScale | None = None,
    clip: bool = True,
    round_to_scale: bool = False,
) -> Filling:
    """Every cell by the method of that ``key``.

    level : of the intervals, read by methods that give them;  scale : of the ratings, None: not known
    clip : cut estimates and intervals at the ends of the scale
    round_to_scale : move estimates, not intervals, to the nearest step of the scale

    Raises
    ------
    ValueError
        if nothing is observed, for a level outside 0.01 to 0.99, or where rounding is asked for without steps.
    """
    if round_to_scale and (scale is None or scale.step is None):
        raise ValueError("estimates can only be rounded to a scale with steps: give scale=RatingScale(low, high, step)")
    how = method(key)
    ratings = replace(ratings, scale=scale)
    level = level if how.gives_intervals else None
    raw, half = how.predict(ratings, np.arange(ratings.n_rows)[:, None], np.arange(ratings.n_cols), level)
    limit = scale.clip if clip and scale is not None else lambda values: values
    mean = limit(raw)
    rounded = to_steps(mean, scale) if round_to_scale else mean
    moved = {"clipped": mean != raw, "rounded": ~np.isclose(rounded, mean, rtol=0, atol=1e-9)}
    for cells in moved.values():
        cells[ratings.rows, ratings.cols] = False
    ends = (None, None) if half is None else (limit(raw - half), limit(raw + half))
    return Filling(ratings, how, rounded, *ends, level, **moved)


def to_steps(values: np.ndarray, scale: RatingScale) -> np.ndarray:
    """The nearest value of a scale with steps, the upper one of two; beyond its ends the steps go on."""
    return scale.minimum + scale.step * np.floor((values - scale.minimum) / scale.step + 0.5)


def _by_checkpoint(key: str):
    def predict(given: Ratings, rows, cols, level: float | None) -> Estimates:
        result = MetaMFImputer(key, clip=False).impute(given, interval=level)
        if np.ndim(rows) == 1:  # some cells: no N x M array
            mean = result.trajectory.estimate_at(rows, cols)[-1]
            return Estimates(mean, None if level is None else result.intervals.at(rows, cols))
        return Estimates(result.mean[rows, cols], None if level is None else result.half_width[rows, cols])

    return predict


def _by_baseline(key: str):
    def predict(given: Ratings, rows, cols, level: None) -> Estimates:
        units = Standardization.of(given.values)
        rows, cols = np.broadcast_arrays(rows, cols)
        adapted = METHODS[key].build().adapt(RatingsBatch.of([given.with_values(units.apply(given.values))]))
        with torch.inference_mode():
            z = adapted.predict(*(torch.from_numpy(at.flatten()) for at in (rows, cols)))
        return Estimates(units.undo(z.numpy().astype(np.float64)).reshape(rows.shape))

    return predict


def _small_enough(key: str, ratings: Ratings) -> bool:
    limit = METHODS[key].cells
    return limit is None or ratings.n_rows * ratings.n_cols <= limit


def _by_means(of_rows: bool):
    def predict(given: Ratings, rows, cols, level: None) -> Estimates:
        side, counts = (given.rows, given.row_counts) if of_rows else (given.cols, given.col_counts)
        total = np.bincount(side, given.values, len(counts))
        means = np.where(counts > 0, total / np.maximum(counts, 1), given.values.mean())
        return Estimates(means[np.broadcast_arrays(rows, cols)[0 if of_rows else 1]])

    return predict


REFERENCES = {
    "row_means": Method("row_means", "Row means", "The mean of what is observed in the cell's row.",
                        _by_means(True), reference=True),
    "col_means": Method("col_means", "Column means", "The mean of what is observed in the cell's column.",
                        _by_means(False), reference=True),
}  # fmt: skip

"""A rating matrix filled in by any method, with an interval per cell where the method gives one, put on its scale.

One interface over the bundled checkpoints, the methods of ``metamf.baselines`` that need no meta-training, and the
means of rows and columns, which every method has to beat. All values in rating units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import torch

from metamf.baselines import METHODS
from metamf.checkpoints.baselines import load_trained, trained_on
from metamf.checkpoints.checkpoint import CheckpointInfo, find_checkpoint, list_pretrained, load_checkpoint
from metamf.imputer.estimator import MetaMFImputer
from metamf.ratings.matrix import Ratings, RatingsBatch, RatingScale, Standardization
from metamf.ratings.units import units_for
from metamf.tables import Table
from metamf.tables.writing import text as write
from metamf.universal.network import Universal

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
    info, settings : what a checkpoint says of itself, None for other methods; its settings, where not the default ones
    """

    key: str
    label: str
    explanation: str
    predict: Callable[[Ratings, np.ndarray, np.ndarray, float | None], Estimates]
    gives_intervals: bool = False
    reference: bool = False
    info: CheckpointInfo | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


def method(key: str, **settings) -> Method:
    """A bundled checkpoint by name or any by path, a method of ``METHODS`` (meta-learned ones with their bundled
    parameters, those of ML-1M if there are such), 'row_means' or 'col_means'.

    ``settings``: standardize, steps, step_rule and device of ``MetaMFImputer``, for checkpoints.

    Raises
    ------
    ValueError
        for a method without bundled parameters that has to be meta-trained, or settings of one that is no checkpoint.
    FileNotFoundError, CheckpointError
        for a name that is none of these, or a file that is no checkpoint.
    """
    if settings and (key in REFERENCES or key in METHODS):
        raise ValueError(f"{', '.join(settings)}: settings of checkpoints, and {key!r} is none")
    if key in REFERENCES:
        return REFERENCES[key]
    if key in METHODS:
        spec = METHODS[key]
        data = sorted(trained_on(key), key="ml-1m".__ne__) if spec.kind == "meta-learned" else [None]
        if not data:
            raise ValueError(f"{key!r} has to be meta-trained: name a checkpoint, such as {list_pretrained()[0]!r}")
        return Method(key, spec.label, spec.explanation, _by_baseline(key, data[0]))
    model, info = load_checkpoint(find_checkpoint(key))
    return Method(key, f"MetaMF {info.name}", f"Meta-trained on {info.data}, none of whose rows or columns are here.",
                  _by_checkpoint(key, settings), isinstance(model, Universal), False, info, settings)  # fmt: skip


def offered(ratings: Ratings) -> tuple[Method, ...]:
    """All bundled checkpoints and the simple methods that answer for ``ratings`` within seconds; references last."""
    simple = [key for key in _OFFERED if key in _QUICK or ratings.nnz <= _LARGEST_FIT and _small_enough(key, ratings)]
    checkpoints = sorted(map(method, list_pretrained()), key=lambda found: not found.gives_intervals)
    return (*checkpoints, *map(method, simple), *REFERENCES.values())


@dataclass(frozen=True, eq=False)
class Filling:
    """Estimates for all cells (N, M), after clipping and rounding; at observed cells the estimate, not the rating.

    ratings : all that are observed;  held_out : (nnz,) which of them were hidden from the method
    lower, upper : ends of the intervals of ``level``, None without them
    clipped : cells that are not observed whose estimate was cut at an end of the scale
    rounded : cells that are not observed whose estimate was moved to the nearest step of the scale
    settings : what ``fill`` was told beside ratings, method and scale
    """

    ratings: Ratings
    method: Method
    mean: np.ndarray
    lower: np.ndarray | None
    upper: np.ndarray | None
    level: float | None
    clipped: np.ndarray
    rounded: np.ndarray
    held_out: np.ndarray
    settings: Mapping[str, Any]

    @property
    def given(self) -> Ratings:
        """What the method saw."""
        return self.ratings.select(~self.held_out) if self.held_out.any() else self.ratings

    def of(self, table: Table) -> write.Filled:
        """What ``metamf.tables.writing.text`` takes: the table that was read, filled in."""
        provenance = np.where(self.clipped, write.CLIPPED, write.IMPUTED).astype(np.uint8)
        codes = np.where(self.held_out, write.HELD_OUT, write.OBSERVED)
        provenance[self.ratings.rows, self.ratings.cols] = codes
        return write.Filled(table, self.mean, self.lower, self.upper, self.level, provenance, self.method.label)


def fill(
    ratings: Ratings,
    how: str | Method = "universal",
    level: float | None = 0.9,
    scale: RatingScale | None = None,
    clip: bool = True,
    round_to_scale: bool = False,
    hold_out: float = 0.0,
    seed: int = 0,
) -> Filling:
    """Every cell by the method ``how``, or by the one of that key.

    level : of the intervals, read by methods that give them;  scale : of the ratings, None: not known
    clip : cut estimates and intervals at the ends of the scale
    round_to_scale : move estimates, not intervals, to the nearest step of the scale
    hold_out, seed : the share of the observed cells that is hidden from the method, and the seed that draws them

    Raises
    ------
    ValueError
        if nothing is observed, for a level outside 0.01 to 0.99, where rounding is asked for without steps, or for a
        share that is not below 1 or leaves nothing observed.
    """
    if not ratings.nnz:
        raise ValueError(f"no cell of the {ratings.n_rows} x {ratings.n_cols} matrix is observed: give at least one")
    if round_to_scale and (scale is None or scale.step is None):
        raise ValueError("estimates can only be rounded to a scale with steps: give one, such as 1 to 5 in steps of 1")
    how = method(how) if isinstance(how, str) else how
    ratings = replace(ratings, scale=scale)
    level = level if how.gives_intervals else None
    held_out = hidden_entries(ratings.nnz, hold_out, np.random.default_rng(seed))
    given = ratings.select(~held_out) if hold_out else ratings
    raw, half = how.predict(given, np.arange(ratings.n_rows)[:, None], np.arange(ratings.n_cols), level)
    limit = scale.clip if clip and scale is not None else lambda values: values
    mean = limit(raw)
    rounded = to_steps(mean, scale) if round_to_scale else mean
    moved = {"clipped": mean != raw, "rounded": ~np.isclose(rounded, mean, rtol=0, atol=1e-9)}
    for cells in moved.values():
        cells[ratings.rows, ratings.cols] = False
    ends = (None, None) if half is None else (limit(raw - half), limit(raw + half))
    settings = {"level": level, "clip": clip, "round_to_scale": round_to_scale, "hold_out": hold_out, "seed": seed}
    return Filling(ratings, how, rounded, *ends, level, **moved, held_out=held_out, settings=settings)


def hidden_entries(nnz: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """(nnz,) True for a ``share`` of the entries, one at least; for none where it is zero."""
    hidden = np.zeros(nnz, dtype=bool)
    if share:
        count = max(1, round(share * nnz))
        if not 0 < share < 1 or count >= nnz:
            raise ValueError(f"a share of {share} of {nnz} observed cells leaves none to estimate from: hide fewer")
        hidden[rng.permutation(nnz)[:count]] = True
    return hidden


def to_steps(values: np.ndarray, scale: RatingScale) -> np.ndarray:
    """The nearest value of a scale with steps, the upper one of two; beyond its ends the steps go on."""
    return scale.minimum + scale.step * np.floor((values - scale.minimum) / scale.step + 0.5)


def _by_checkpoint(key: str, settings: Mapping[str, Any]):
    def predict(given: Ratings, rows, cols, level: float | None) -> Estimates:
        result = MetaMFImputer(key, clip=False, **settings).impute(given, interval=level)
        if np.ndim(rows) == 1:  # some cells: no N x M array
            mean = result.trajectory.estimate_at(rows, cols)[-1]
            return Estimates(mean, None if level is None else result.intervals.at(rows, cols))
        return Estimates(result.mean[rows, cols], None if level is None else result.half_width[rows, cols])

    return predict


def _by_baseline(key: str, data: str | None):
    def predict(given: Ratings, rows, cols, level: None) -> Estimates:
        rows, cols = np.broadcast_arrays(rows, cols)
        if data is None:
            model, units = METHODS[key].build(), Standardization.of(given.values)
        else:  # as the checkpoint that was meta-trained on the same data
            model, units = load_trained(key, data), units_for(given, load_checkpoint(find_checkpoint(data))[1])
        adapted = model.adapt(RatingsBatch.of([given.with_values(units.apply(given.values))]))
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

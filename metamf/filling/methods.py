"""The methods that fill in a matrix, behind one interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from metamf.baselines import METHODS
from metamf.baselines.predicting import predictor
from metamf.checkpoints.baselines import load_trained, trained_on
from metamf.checkpoints.bundled import describe, list_pretrained
from metamf.checkpoints.info import CheckpointInfo
from metamf.imputer.estimator import MetaMFImputer
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization, unit_rule

_REPEATS = 5  # fits that a report on held-out cells asks of a large matrix
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
    info = describe(key)
    return Method(
        key,
        f"MetaMF {info.name}",
        f"Meta-trained on {info.data}, none of whose rows or columns are here.",
        _by_checkpoint(key, settings),
        info.gives_intervals,
        False,
        info,
        settings,
    )


def offered(ratings: Ratings) -> tuple[Method, ...]:
    """All bundled checkpoints and the simple methods that answer for ``ratings`` within seconds; references last."""
    simple = [key for key in _OFFERED if METHODS[key].feasible(ratings, _REPEATS)]
    checkpoints = sorted(map(method, list_pretrained()), key=lambda found: not found.gives_intervals)
    return (*checkpoints, *map(method, simple), *REFERENCES.values())


def _by_checkpoint(key: str, settings: Mapping[str, Any]):
    def predict(given: Ratings, rows, cols, level: float | None) -> Estimates:
        result = MetaMFImputer(key, clip=False, **settings).impute(given, interval=level)
        if np.ndim(rows) == 1:  # some cells: no N x M array
            mean = result.trajectory.estimate_at(rows, cols)[-1]
            return Estimates(mean, None if result.intervals is None else result.intervals.at(rows, cols))
        half_width = result.half_width
        return Estimates(result.mean[rows, cols], None if half_width is None else half_width[rows, cols])

    return predict


def _by_baseline(key: str, data: str | None):
    def predict(given: Ratings, rows, cols, level: None) -> Estimates:
        if data is None:
            model, units = METHODS[key].build(), Standardization.of(given.values)
        else:  # as the checkpoint that was meta-trained on the same data
            info = describe(data)
            model, units = load_trained(key, data), unit_rule(given, info.standardization, info.scale).of(given)
        return Estimates(predictor(model, given, units)(rows, cols))

    return predict


def _by_means(of_rows: bool):
    def predict(given: Ratings, rows, cols, level: None) -> Estimates:
        side, counts = (given.rows, given.row_counts) if of_rows else (given.cols, given.col_counts)
        total = np.bincount(side, given.values, len(counts))
        means = np.where(counts > 0, total / np.maximum(counts, 1), given.values.mean())
        return Estimates(means[np.broadcast_arrays(rows, cols)[0 if of_rows else 1]])

    return predict


REFERENCES = {
    "row_means": Method(
        "row_means", "Row means", "The mean of what is observed in the cell's row.", _by_means(True), reference=True
    ),
    "col_means": Method(
        "col_means",
        "Column means",
        "The mean of what is observed in the cell's column.",
        _by_means(False),
        reference=True,
    ),
}

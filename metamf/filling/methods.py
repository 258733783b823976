"""The methods that fill in a matrix, behind one interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from metamf.baselines import METHODS, SIMPLE
from metamf.baselines.predicting import predictor
from metamf.checkpoints.baselines import data_set_for, trained_predictor
from metamf.checkpoints.bundled import checkpoint_title, describe, list_pretrained
from metamf.checkpoints.info import CheckpointInfo
from metamf.filling.repeats import REPEATS_OF_MANY
from metamf.imputer.estimator import MetaMFImputer
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardize


class Estimates(NamedTuple):
    """Estimates at some cells, in rating units, before anything is clipped.

    Attributes
    ----------
    mean : ndarray
        The estimates.
    half_width : ndarray or None
        Half-widths of the intervals, of the same shape; None without intervals.
    imputer : MetaMFImputer or None
        The fitted checkpoint, if one estimated them: it answers further questions about the same matrix.
    """

    mean: np.ndarray
    half_width: np.ndarray | None = None
    imputer: MetaMFImputer | None = None


ADDS_TUNING = "+tuned"  # part of the name of a tuned network
Predict = Callable[[Ratings, np.ndarray, np.ndarray, float | None], Estimates]


@dataclass(frozen=True)
class Method:
    """A way to estimate the cells of a matrix.

    Attributes
    ----------
    key : str
        The name by which ``method`` knows it.
    label : str
        The name for people.
    explanation : str
        One sentence on it.
    predict : callable
        ``predict(given, rows, cols, level)``: the ``Estimates`` at integer positions that broadcast, from the given
        ``Ratings``, with intervals of ``level`` or, for None, without. Of the library's own methods it can be pickled.
    gives_intervals : bool
        Whether ``level`` may be a number.
    reference : bool
        Whether it is one of the averages that the others have to beat.
    info : CheckpointInfo or None
        A checkpoint's own account of itself; None for other methods.
    settings : mapping
        The parameters of a checkpoint's ``MetaMFImputer`` that differ from their defaults; of a method that chooses its
        settings, the parameters of ``metamf.filling.rivals.rival``.
    chooses : bool
        Whether it chooses its settings on the given cells (``metamf.filling.rivals``).
    """

    key: str
    label: str
    explanation: str
    predict: Predict
    gives_intervals: bool = False
    reference: bool = False
    info: CheckpointInfo | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    chooses: bool = False

    @property
    def tuned(self) -> bool:
        """Whether it tunes its network to each matrix."""
        return self.settings.get("tune") is not None

    @property
    def name(self) -> str:
        """The name among the methods of one comparison: the key, and what is added to the checkpoint, as in
        'universal+tuned+normal'."""
        return f"{self.key}{ADDS_TUNING if self.tuned else ''}{self._members}"

    @property
    def name_untuned(self) -> str:
        """The name of the same without tuning."""
        return f"{self.key}{self._members}"

    @property
    def _members(self) -> str:
        members = self.settings.get("members")
        return "" if members is None else f"+{members}"


def method(key: str, **settings: Any) -> Method:
    """A method by its key. No checkpoint is opened before ``predict`` is called: its header says what it is.

    Parameters
    ----------
    key : str
        The name of a bundled checkpoint or the path of any; or the key of a method in ``metamf.baselines.METHODS``, of
        which the meta-learned ones have bundled parameters, those of ML-1M if there are such; or 'row_means' or
        'col_means'.
    **settings
        For a checkpoint, the parameters of ``MetaMFImputer`` but for clip and scale, such as steps, tune and members.

    Raises
    ------
    ValueError
        If the method has to be meta-trained and has no bundled parameters, or has no settings.
    FileNotFoundError, CheckpointError
        If ``key`` is not one of these, or the file is not a checkpoint.
    """
    if settings and (key in REFERENCES or key in METHODS):
        raise ValueError(f"{', '.join(settings)}: these are settings of checkpoints, and {key!r} is not a checkpoint")
    if key in REFERENCES:
        return REFERENCES[key]
    if key in METHODS:
        return _baseline(key)
    try:
        info = describe(key)
    except FileNotFoundError as error:
        others = (other for other in (*METHODS, *REFERENCES) if other != "ours")  # that is what checkpoints hold
        raise FileNotFoundError(f"{error}; or the name of a method: {', '.join(others)}") from error
    return Method(
        key,
        _title(info, settings),
        f"Meta-trained on {info.data}, none of whose rows or columns are here.",
        partial(_by_checkpoint, key, settings),
        gives_intervals=info.gives_intervals,
        info=info,
        settings=settings,
    )


def offered(ratings: Ratings) -> tuple[Method, ...]:
    """The methods that answer for ``ratings`` within seconds: all bundled checkpoints, those with intervals first, then
    the simple methods that are feasible, those of one average last, then the two references."""
    checkpoints = [method(key) for key in list_pretrained()]
    with_intervals = [how for how in checkpoints if how.gives_intervals]
    without = [how for how in checkpoints if not how.gives_intervals]
    simple = [_baseline(key) for key in SIMPLE if METHODS[key].feasible(ratings, REPEATS_OF_MANY)]
    averages = [*(how for how in simple if how.reference), *REFERENCES.values()]
    return (*with_intervals, *without, *(how for how in simple if not how.reference), *averages)


def _title(info: CheckpointInfo, settings: Mapping[str, Any]) -> str:
    title = checkpoint_title(info.name)
    if (members := settings.get("members")) is not None:
        title += f" with {METHODS['normal'].label}{' and trees' if members == 'trees' else ''}"
    return title if settings.get("tune") is None else f"{title}, tuned"


def _by_checkpoint(
    key: str, settings: Mapping[str, Any], given: Ratings, rows: np.ndarray, cols: np.ndarray, level: float | None
) -> Estimates:
    imputer = MetaMFImputer(key, **{"clip": False, "standardize": units_for(given)} | dict(settings)).fit(given)
    result = imputer.imputation(level)
    if np.ndim(rows) == 1:  # some cells: no N x M array
        mean = imputer.predict(rows, cols)
        half_width = None if result.intervals is None else result.intervals.at(rows, cols)
    else:
        mean = result.mean[rows, cols]
        half_width = None if result.half_width is None else result.half_width[rows, cols]
    return Estimates(mean, half_width, imputer)


def units_for(given: Ratings) -> Standardize:
    """How a checkpoint standardises a table: where no rating scale is known, the table's own entries decide."""
    return "chosen" if given.scale is None else "auto"


def _baseline(key: str) -> Method:
    spec = METHODS[key]
    data = None
    if spec.kind == "meta-learned":
        data = data_set_for(key)
        if data is None:
            raise ValueError(f"{key!r} has to be meta-trained: name a checkpoint, such as {list_pretrained()[0]!r}")

    return Method(key, spec.label, spec.explanation, partial(_by_baseline, key, data), reference=key == "mean")


def _by_baseline(
    key: str, data: str | None, given: Ratings, rows: np.ndarray, cols: np.ndarray, level: float | None
) -> Estimates:
    """Estimates by a method of ``METHODS``; a meta-learned one as it was meta-trained on ``data``."""
    estimate = predictor(METHODS[key].build(), given) if data is None else trained_predictor(key, data, given)
    return Estimates(estimate(rows, cols))


def _by_row_means(given: Ratings, rows: np.ndarray, cols: np.ndarray, level: float | None) -> Estimates:
    rows, _ = np.broadcast_arrays(rows, cols)
    return Estimates(_means(given, given.rows, given.row_counts)[rows])


def _by_col_means(given: Ratings, rows: np.ndarray, cols: np.ndarray, level: float | None) -> Estimates:
    _, cols = np.broadcast_arrays(rows, cols)
    return Estimates(_means(given, given.cols, given.col_counts)[cols])


def _means(given: Ratings, side: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The mean of what is given in each row, or column; in an empty one, the mean of all given ratings."""
    total = np.bincount(side, given.values, len(counts))
    return np.where(counts > 0, total / np.maximum(counts, 1), given.values.mean())


REFERENCES = {
    "row_means": Method(
        "row_means", "Row means", "The mean of what is observed in the cell's row.", _by_row_means, reference=True
    ),
    "col_means": Method(
        "col_means",
        "Column means",
        "The mean of what is observed in the cell's column.",
        _by_col_means,
        reference=True,
    ),
}

"""The methods that fill in a matrix, behind one interface.

Number of times ratings are hidden for a verdict, where nobody asks for another number.

Methods that a person would otherwise use on a table, and all methods that a verdict on it compares.

Each rival's settings are chosen on given cells: a part of them is hidden, and the settings that predict it best are
used. MF by gradient descent is not among them, since ALS is the same model, fitted exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from metamf.baselines import METHODS, SIMPLE
from metamf.baselines.crossed_effects import fit_variances
from metamf.baselines.method import MethodSpec, choose, matrix_units, predictor
from metamf.checkpoints.bundled import checkpoint_title, data_set_for, describe, list_pretrained, trained_predictor
from metamf.checkpoints.info import CheckpointInfo
from metamf.imputer.ensemble import MEMBERS, most_members
from metamf.imputer.estimator import MetaMFImputer
from metamf.learning.episodes import EpisodeBatch, divide_entries
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, SidedUnits, Standardization, Standardize


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
        settings, the parameters of ``metamf.evaluate.methods.tuned_baseline``.
    chooses : bool
        Whether it chooses its settings on the given cells (``metamf.evaluate.methods``).
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


REPEATS_OF_FEW, REPEATS_OF_MANY = 20, 5
_FEW = 2_000  # observed ratings up to which they are hidden more often


def usual_repeats(nnz: int) -> int:
    """Returns how many times ratings are hidden where ``nnz`` are observed: more often where fits take moments."""
    return REPEATS_OF_FEW if nnz <= _FEW else REPEATS_OF_MANY


TUNED_BASELINES = (
    "damped_bias",
    "normal",
    "knn",
    "soft_impute",
    "als",
    "crossed_effects",
    "iterative",
)  # cheap ones first
_HIDDEN = 0.15  # share of the given cells by which settings are chosen
_FEWEST = 20  # given cells from which settings are chosen
_MOST_SETTINGS = 6  # that are tried


def has_own_units(ratings: Ratings) -> bool:
    """Whether the columns of a table without a rating scale are measured in units of their own."""
    if ratings.scale is not None:
        return False
    return MetaMFImputer("universal", standardize="chosen").fit(ratings).unit_rule_.by is By.COLUMN


def compared(ratings: Ratings, repeats: int, own_units: bool = False) -> tuple[Method, ...]:
    """The methods that a verdict compares, in the order in which they are measured: those that take moments first.

    Parameters
    ----------
    ratings : Ratings
        The table.
    repeats : int
        Number of fits of each method.
    own_units : bool
        Whether columns are measured in units of their own: then the rivals work in these.
    """
    averages = (method("mean"), *REFERENCES.values())
    checkpoints = [how for how in offered(ratings) if how.info is not None]
    first = [how for how in checkpoints if how.gives_intervals]
    rivals = [tuned_baseline(key, own_units) for key in TUNED_BASELINES if METHODS[key].feasible(ratings, repeats)]
    return (
        *averages,
        *first,
        *rivals[:1],
        *(how for how in checkpoints if how not in first),
        *rivals[1:],
        *with_members(ratings),
    )


def with_members(ratings: Ratings) -> list[Method]:
    """The network with the most members beside it for which a table is small enough, if there is any."""
    beside = most_members(ratings)
    return [] if beside is None else [contender(f"universal+{beside}")]


def contender(name: str, own_units: bool = False, seconds: float | None = 60.0) -> Method:
    """A method of a comparison by its ``Method.name``.

    Parameters
    ----------
    name : str
        Key of a method, or a bundled checkpoint with additions, such as 'universal+tuned+normal'.
    own_units : bool
        Whether columns are measured in units of their own: then a rival works in these.
    seconds : float or None
        Time limit of tuning, if the name asks for it.

    Raises
    ------
    FileNotFoundError, CheckpointError
        If there is no such method.
    """
    if name in TUNED_BASELINES:
        return tuned_baseline(name, own_units)
    checkpoint, *added = name.split("+")
    if not added or checkpoint not in list_pretrained():
        return method(name)
    settings: dict[str, Any] = {"tune": "auto", "tune_seconds": seconds} if ADDS_TUNING[1:] in added else {}
    for members in MEMBERS:
        if members in added:
            settings["members"] = members
    return method(checkpoint, **settings)


def tuned_baseline(key: str, own_units: bool = False) -> Method:
    """A method of ``metamf.baselines.METHODS`` that is fitted to each matrix.

    Its settings are chosen at its first fit, on a hidden part of what is given there, and kept: in a verdict later
    divisions hide other cells of the same table, so what a rival has seen too much of is in its favour.
    """
    spec = METHODS[key]
    predict, settings = partial(_by_rival, key, own_units, []), {"own_units": own_units}
    return Method(key, spec.label, spec.explanation, predict, settings=settings, chooses=True)


def _by_rival(
    key: str, own_units: bool, chosen: list, given: Ratings, rows: np.ndarray, cols: np.ndarray, level: float | None
) -> Estimates:
    """Estimates by a rival; ``chosen`` holds its settings from the first fit on."""
    spec = METHODS[key]
    units = SidedUnits(By.COLUMN).of(given) if own_units else matrix_units(given)
    support = given.with_values(units.apply_at(given.values.astype(np.float64), given.rows, given.cols))
    if not chosen:
        chosen.append(_best_settings(spec, support))
    z = predictor(spec.build(chosen[0]), support, Standardization(0.0, 1.0))(rows, cols)
    return Estimates(units.undo_at(z, *np.broadcast_arrays(rows, cols)))


def _best_settings(spec: MethodSpec, support: Ratings) -> Any:
    """The settings that predict a hidden part of ``support``, in standardised units, best; None: the default ones."""
    if support.nnz < _FEWEST:
        return None
    if spec.key == "crossed_effects":
        return fit_variances(RatingsBatch.of([support]))
    if not spec.grid:
        return None
    grid = _spread_out(spec.grid)
    part = divide_entries(support, 1 - _HIDDEN, np.random.default_rng(0))
    return choose(spec.build, grid, EpisodeBatch.of([part])).config


def _spread_out(grid: Sequence) -> list:
    """Some settings all over a grid."""
    if len(grid) <= _MOST_SETTINGS:
        return list(grid)
    return [grid[i] for i in np.linspace(0, len(grid) - 1, _MOST_SETTINGS).astype(int)]

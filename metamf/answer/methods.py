"""The methods that fill in a matrix, behind one interface: bundled checkpoints, baselines, and
averages to beat.

Tuned baselines are what a person would otherwise use on a table: their settings are those that
predict a hidden part of the given cells best. MF by gradient descent is not among them, since ALS
is the same model, fitted exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from metamf.answer.adaptation import UNIVERSAL, adapt
from metamf.answer.answer import Answer
from metamf.answer.crossfit import lines_differ
from metamf.answer.inputs import check_parameters
from metamf.baselines import METHODS, SIMPLE
from metamf.baselines.crossed_effects import fit_variances
from metamf.baselines.method import MethodSpec, choose, matrix_units, predictor
from metamf.checkpoints.bundled import (
    checkpoint_title,
    data_set_for,
    describe,
    list_pretrained,
    trained_predictor,
    usual_checkpoints,
)
from metamf.checkpoints.info import CheckpointInfo
from metamf.learning.episodes import EpisodeBatch, divide_entries
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.limits import limits_of
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, SidedUnits

TUNED_BASELINES = (
    "damped_bias",
    "normal",
    "knn",
    "soft_impute",
    "als",
    "crossed_effects",
    "iterative",
)  # cheap first
# how often a verdict hides ratings of a small and of a large table
REPEATS_OF_FEW = 20
REPEATS_OF_MANY = 5
_FEW = 2_000  # observed ratings of a small table
_HIDDEN = 0.15  # share of the given cells by which settings are chosen
_FEWEST = 20  # given cells from which settings are chosen
_MOST_SETTINGS = 6  # that are tried
_IN_SENTENCES = {  # plain names, for people who know no statistics
    "mean": "the average of the known ratings",
    "row_means": "the average of the row",
    "col_means": "the average of the column",
    "damped_bias": "row and column averages",
    "crossed_effects": "row and column effects",
    "normal": "a linear model of the columns",
    "knn": "the most similar rows",
    "iterative": "a regression for each column",
    "soft_impute": "a low-rank fit (SoftImpute)",
    "als": "matrix factorization (ALS)",
    "mf": "matrix factorization",
}


Predict = Callable[[Ratings, float | None], Answer]


@dataclass(frozen=True)
class Method:
    """A way to estimate the cells of a matrix.

    ``predict(given, level)`` gives the ``Answer`` to the given ``Ratings``, with intervals of
    ``level`` or, for None, without. Of the library's own methods it can be pickled.
    """

    key: str  # by which ``method`` knows it
    label: str  # the name for people
    explanation: str  # one sentence on it
    predict: Predict
    gives_intervals: bool = False  # whether ``level`` may be a number
    reference: bool = False  # whether it is one of the averages that the others have to beat
    info: CheckpointInfo | None = None  # description of a checkpoint; None for other methods
    # The parameters of ``adapt`` that differ from their defaults, or those of ``tuned_baseline``
    settings: Mapping[str, Any] = field(default_factory=dict)
    chooses: bool = False  # whether it chooses its settings on the given cells

    @property
    def tuned(self) -> bool:
        """Whether it tunes its network to each matrix."""
        return self.settings.get("tune") is not None

    @property
    def name(self) -> str:
        """The name in one comparison: the key, and whether its network is tuned."""
        return f"{self.key}+tuned" if self.tuned else self.key

    @property
    def in_sentence(self) -> str:
        """The label inside a sentence: 'the average of the row', 'Universal'."""
        return _IN_SENTENCES.get(self.key, self.label)


def plain_name(key: str) -> str:
    """A method of ``metamf.baselines.METHODS`` inside a sentence."""
    return _IN_SENTENCES.get(key, METHODS[key].label)


def label_of(key: str) -> str:
    """A method of ``metamf.baselines.METHODS`` as people read it in a list: the one name that all
    pages use."""
    if key not in _IN_SENTENCES:
        return METHODS[key].label
    name = _IN_SENTENCES[key].removeprefix("the ").removeprefix("a ")
    return name[0].upper() + name[1:]


def method(key: str, **settings: Any) -> Method:
    """A method by its key. A checkpoint's header is read; it is opened when ``predict`` is called.

    Parameters
    ----------
    key : the name of a bundled checkpoint or the path of any; or the key of a method in
        ``metamf.baselines.METHODS``, of which the meta-learned ones have bundled parameters, those
        of ML-1M if there are such; or 'row_means' or 'col_means'
    **settings : for a checkpoint, parameters of ``metamf.answer.adaptation.adapt``, such as steps
        and tune

    Raises
    ------
    ValueError : the method has to be meta-trained and has no bundled parameters, or has no settings
    FileNotFoundError, CheckpointError : ``key`` is not one of these, or the file is not a
        checkpoint
    """
    if settings and (key in REFERENCES or key in METHODS):
        raise ValueError(
            f"{', '.join(settings)}: these are settings of checkpoints, and {key!r} is not a "
            "checkpoint"
        )
    if key in REFERENCES:
        return REFERENCES[key]
    if key in METHODS:
        return _baseline(key)
    try:
        info = describe(key)
    except FileNotFoundError as error:
        others = (
            other for other in (*METHODS, *REFERENCES) if other != "ours"
        )  # that is what checkpoints hold
        raise FileNotFoundError(f"{error}; or the name of a method: {', '.join(others)}") from error
    title = checkpoint_title(info.name)
    return Method(
        key,
        title if settings.get("tune") is None else f"{title}, tuned",
        f"Learned from {info.data}, none of whose rows or columns are here.",
        partial(_by_checkpoint, key, settings),
        gives_intervals=info.gives_intervals,
        info=info,
        settings=settings,
    )


def offered(ratings: Ratings) -> tuple[Method, ...]:
    """The methods that answer for ``ratings`` within seconds: all bundled checkpoints, those with
    intervals first, then the simple methods that are feasible, then the averages."""
    checkpoints = sorted(map(method, usual_checkpoints()), key=lambda how: not how.gives_intervals)
    simple = [_baseline(key) for key in SIMPLE if METHODS[key].feasible(ratings, REPEATS_OF_MANY)]
    averages = [*(how for how in simple if how.reference), *REFERENCES.values()]
    return (*checkpoints, *(how for how in simple if not how.reference), *averages)


def compared(ratings: Ratings, repeats: int, own_units: bool = False) -> tuple[Method, ...]:
    """The methods that a verdict compares by ``repeats`` fits of each, the quick ones first: what
    fills in the table first, and those that can win it.

    ``own_units``: whether columns are measured in units of their own, so that tuned baselines work
    in these, and neither averages over columns nor networks of ratings can win.
    """
    baselines = [
        tuned_baseline(key, own_units)
        for key in TUNED_BASELINES
        if METHODS[key].feasible(ratings, repeats)
    ]
    column_means = REFERENCES["col_means"]
    if own_units:
        return (method(UNIVERSAL), column_means, *baselines)
    return (method(UNIVERSAL), method("mean"), REFERENCES["row_means"], column_means, *baselines)


def contender(key: str, own_units: bool = False) -> Method:
    """A method of a comparison by its key.

    ``own_units``: whether columns are measured in units of their own, so that a tuned baseline
    works in these. Raises ``FileNotFoundError`` or ``CheckpointError`` if there is no such method.
    """
    return tuned_baseline(key, own_units) if key in TUNED_BASELINES else method(key)


def tuned_baseline(key: str, own_units: bool = False) -> Method:
    """A method of ``metamf.baselines.METHODS`` that is fitted to each matrix.

    Its settings are chosen at its first fit, on a hidden part of what is given there, and kept. In
    a verdict later divisions hide other cells of the same table, so having seen too much is in its
    favour.
    """
    predict = partial(_by_tuned_baseline, key, own_units, [])
    settings = {"own_units": own_units}
    return Method(
        key, label_of(key), METHODS[key].explanation, predict, settings=settings, chooses=True
    )


def has_own_units(ratings: Ratings) -> bool:
    """Whether the columns of a table without a rating scale are measured in units of their own."""
    return ratings.scale is None and lines_differ(ratings, By.COLUMN)


def usual_repeats(nnz: int) -> int:
    """How many times a verdict hides ratings of ``nnz`` by default: more often where fits take
    moments."""
    return REPEATS_OF_FEW if nnz <= _FEW else REPEATS_OF_MANY


def _by_checkpoint(
    key: str, settings: Mapping[str, Any], given: Ratings, level: float | None
) -> Answer:
    check_parameters(settings)
    # what fills in a table best, or a network alone
    fitted = adapt(given, None if key == UNIVERSAL else key, **settings)
    limits = fitted.scale if given.scale is None else limits_of(given)
    return replace(fitted.answer(level, clip=False), limits=limits)


def _baseline(key: str) -> Method:
    data = data_set_for(key) if METHODS[key].kind == "meta-learned" else None
    if METHODS[key].kind == "meta-learned" and data is None:
        raise ValueError(
            f"{key!r} has to be meta-trained: name a checkpoint, such as {list_pretrained()[0]!r}"
        )
    predict = partial(_by_baseline, key, data)
    return Method(key, label_of(key), METHODS[key].explanation, predict, reference=key == "mean")


def _by_baseline(key: str, data: str | None, given: Ratings, level: float | None) -> Answer:
    """The answer of a method of ``METHODS``; a meta-learned one as it was meta-trained on
    ``data``."""
    found = (
        predictor(METHODS[key].build(), given)
        if data is None
        else trained_predictor(key, data, given)
    )
    return Answer(given, found, limits_of(given), method=label_of(key))


def _by_tuned_baseline(
    key: str, own_units: bool, chosen: list, given: Ratings, level: float | None
) -> Answer:
    """The answer of a tuned baseline; ``chosen`` holds its settings from the first fit on."""
    spec = METHODS[key]
    units = SidedUnits(By.COLUMN).of(given) if own_units else matrix_units(given)
    if not chosen:
        z = units.apply_at(given.values.astype(np.float64), given.rows, given.cols)
        chosen.append(_best_settings(spec, given.with_values(z)))
    found = predictor(spec.build(chosen[0]), given, units)
    return Answer(given, found, limits_of(given, own_units), method=label_of(key))


def _best_settings(spec: MethodSpec, support: Ratings) -> Any:
    """The settings that predict a hidden part of ``support``, in standardised units, best; None:
    the default ones."""
    if support.nnz < _FEWEST:
        return None
    if spec.key == "crossed_effects":
        return fit_variances(RatingsBatch.of([support]))
    if not spec.grid:
        return None
    positions = np.linspace(0, len(spec.grid) - 1, min(len(spec.grid), _MOST_SETTINGS)).astype(int)
    part = divide_entries(support, 1 - _HIDDEN, np.random.default_rng(0))
    return choose(spec.build, [spec.grid[i] for i in positions], EpisodeBatch.of([part])).config


def _by_side_means(by_row: bool, given: Ratings, level: float | None) -> Answer:
    """The mean of what is given in each row, or column; in an empty one, the mean of all given
    ratings."""
    side, counts = (given.rows, given.row_counts) if by_row else (given.cols, given.col_counts)
    total = np.bincount(side, given.values, len(counts))
    means = np.where(counts > 0, total / np.maximum(counts, 1), given.values.mean())
    return Answer(given, partial(_mean_of_side, means, by_row), limits_of(given))


def _mean_of_side(
    means: np.ndarray, by_row: bool, rows: np.ndarray, cols: np.ndarray
) -> np.ndarray:
    return means[np.broadcast_arrays(rows, cols)[0 if by_row else 1]]


REFERENCES = {
    key: Method(
        key,
        label_of(key),
        f"The average of what is observed in the cell's {side}.",
        partial(_by_side_means, side == "row"),
        reference=True,
    )
    for key, side in (("row_means", "row"), ("col_means", "column"))
}

"""How good estimates are on one's own matrix: errors of all methods on observed ratings that are hidden from them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from metamf.filling.methods import Method
from metamf.filling.outside import within_scale
from metamf.filling.verdict import HoldoutReport, MethodErrors
from metamf.ratings.matrix import Ratings
from metamf.ratings.sided_units import SidedUnits
from metamf.ratings.units import By

FEWEST_REPEATS = 2  # of a method whose time has ended: fewer say nothing of chance
FEWEST_OBSERVED = 10  # observed ratings from which some can be hidden; a tenth of them is one


class HoldoutStep(NamedTuple):
    """How far a report is; one step before each fit, and a last one with the report.

    Attributes
    ----------
    done, total : int
        Fits that are done, and fits in all.
    label : str
        The method that is fitted next; '' in the last step.
    report : HoldoutReport or None
        Report on the methods that are finished; None where none has been finished since the step before.
    """

    done: int
    total: int
    label: str = ""
    report: HoldoutReport | None = None


def holdout_steps(
    ratings: Ratings,
    methods: Sequence[Method],
    level: float,
    repeats: int = 5,
    share: float = 0.1,
    *,
    rng: np.random.Generator,
    relative: bool = False,
    seconds: float | None = None,
) -> Iterator[HoldoutStep]:
    """Hides some observed ratings again and again; all methods estimate the same ones from the others.

    The ratings take turns: as far as their number allows, none is hidden a second time before all others were hidden
    once. Estimates and intervals are clipped to ``ratings.scale``, where it is known, and not rounded. One method is
    finished after the other, in the order that they are given in.

    Parameters
    ----------
    ratings : Ratings
        All observed ratings.
    methods : sequence of Method
        The methods to compare.
    level : float
        Level of the intervals of those that give intervals.
    repeats : int
        Number of times that ratings are hidden.
    share : float
        Share of the observed ratings that is hidden each time.
    rng : numpy.random.Generator
        Generator that chooses them.
    relative : bool
        Whether errors are measured in units of the spread of the given ratings of each column: for columns that have
        units of their own.
    seconds : float, optional
        Time limit of each method that tunes its network, which it does anew in each repeat: no other repeat begins that
        is not likely to end within it. Two are made in any case. None: no limit.

    Yields
    ------
    HoldoutStep

    Raises
    ------
    ValueError
        If fewer than ``FEWEST_OBSERVED`` ratings are observed, one lies outside the scale, there is no method or no
        repeat, or the share leaves no rating to hide or none to estimate from.
    """
    if ratings.nnz < FEWEST_OBSERVED:
        raise ValueError(
            f"{ratings.nnz} observed cells are too few to hold some out: it takes {FEWEST_OBSERVED} at least"
        )
    n_hidden = max(1, round(share * ratings.nnz)) if 0 < share < 1 else 0
    if not methods or repeats < 1 or not 0 < n_hidden < ratings.nnz:
        raise ValueError(
            f"give methods, repeats >= 1 and 0 < share < 1; got {len(methods)} methods, {repeats} and {share}"
        )
    ratings = within_scale(ratings)
    divisions = []
    for hidden in _hidden_in_turn(ratings.nnz, n_hidden, repeats, rng):
        given = ratings.select(np.delete(np.arange(ratings.nnz), hidden))
        cols = ratings.cols[hidden]
        unit = SidedUnits(By.COLUMN).of(given).std[cols] if relative else 1.0
        divisions.append((given, ratings.rows[hidden], cols, ratings.values[hidden], unit))
    finished: list[MethodErrors] = []
    report, total = None, repeats * len(methods)
    for method in methods:
        figures: list[tuple[float, float, float]] = []  # RMSE, MAE and coverage of each repeat
        began = time.perf_counter()
        for r, (given, rows, cols, truth, unit) in enumerate(divisions):
            likely = (time.perf_counter() - began) * (r + 1) / max(r, 1)  # when this repeat would be over
            if seconds is not None and method.tuned and r >= FEWEST_REPEATS and likely > seconds:
                break
            yield HoldoutStep(len(finished) * repeats + r, total, method.label, report)
            report = None
            mean, half_width = method.predict(given, rows, cols, level if method.gives_intervals else None)[:2]
            error = (_clipped(mean, ratings) - truth) / unit
            covered = np.nan
            if half_width is not None:
                lower, upper = (_clipped(end, ratings) for end in (mean - half_width, mean + half_width))
                covered = float(np.mean((lower <= truth) & (truth <= upper)))
            figures.append((float(np.sqrt(np.mean(error**2))), float(np.abs(error).mean()), covered))
        rmse, mae, inside = np.array(figures).T
        finished.append(MethodErrors(method, rmse, mae, inside if method.gives_intervals else None))
        report = HoldoutReport.of(finished, level, n_hidden, ratings.nnz, relative)
    yield HoldoutStep(total, total, report=report)


def _hidden_in_turn(nnz: int, n_hidden: int, repeats: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """The positions (n_hidden,) of the entries to hide in each repeat: consecutive parts of a random order, and a new
    order when too few are left."""
    per_order = nnz // n_hidden
    for r in range(repeats):
        if r % per_order == 0:
            order = rng.permutation(nnz)
        first = r % per_order * n_hidden
        yield np.sort(order[first : first + n_hidden])


def _clipped(values: np.ndarray, ratings: Ratings) -> np.ndarray:
    return values if ratings.scale is None else ratings.scale.clip(values)

"""The guard: no column of a table is filled in worse than by its mean beyond chance.

The estimates of column m are drawn towards its mean,

    mean + w_m (estimate - mean),

    w_m = (sum d e + k s^2 w) / (sum d^2 + k s^2),    w = (sum d e + k s^2) / (sum d^2 + k s^2) of
    all columns,    both within 0 ... 1,

with the differences d of estimate and mean and e of value and mean on the hidden entries of column
m, in units of its spread: the least-squares share of the estimates' departures, drawn towards the
share w of all columns together, and that towards one, which leaves estimates as they are. It is the
mean of the posterior of a share with the prior variance 1 / k, k = ``PRECISION``, and errors of the
mean square s of e - d: nearly exact estimates keep all. A column with far fewer entries than the
others keeps the less, since they say little of it. A column whose estimates are worse beyond chance
(``metamf.answer.significance``) gets its mean, w_m = 0, and that is said. Whatever was misread, or
is unlike anything that the network has seen, does no more harm than the mean.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metamf.answer.crossfit import FARTHEST_ERROR, CrossFit, cut_squares, normal_factor
from metamf.answer.significance import beyond_chance
from metamf.ratings.limits import limited
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import SidedStandardization, UnitRule
from metamf.wording import listed

PRECISION = 100.0  # of the prior of a share
ENOUGH = 10  # entries of a column that keeps all of the share of all columns together, or half of
# the median of all columns where that is less
MOST_NAMED = 5  # columns in a sentence, the worst ones


class GuardWarning(UserWarning):
    """Estimates of some columns were worse than their means on hidden entries."""


class HiddenErrors(NamedTuple):
    """Departures from the shrunken means of columns on hidden entries, in units of the spread of
    their columns."""

    cols: np.ndarray  # (n,)
    estimates: np.ndarray  # (n,) d
    values: np.ndarray  # (n,) e

    @classmethod
    def of(
        cls, found: CrossFit, estimates: np.ndarray, ratings: Ratings, rule: UnitRule
    ) -> HiddenErrors:
        """Those of ``estimates`` (n,) of the hidden entries, in rating units, cut as they would be
        by ``rule``."""
        limits = limited(ratings.scale or rule.limits(ratings), ratings)
        if limits is not None:
            estimates = limits.clip_at(estimates, np.zeros_like(found.cols), found.cols)
        return cls(found.cols, found.departures(estimates), found.departures(found.values))


def by_name(columns: Mapping[int, float], ratings: Ratings) -> dict[Hashable, float]:
    """Figures of columns by the names of these, or by their positions where they have none."""
    names = ratings.col_labels or range(ratings.n_cols)
    return {names[m]: figure for m, figure in columns.items()}


@dataclass(frozen=True, eq=False)
class Guard:
    """The share of the estimates' departures from the mean that is kept in each column, (M,) each,
    in rating units."""

    mean: np.ndarray  # shrunken
    spread: np.ndarray
    weight: np.ndarray

    def drawn(
        self, estimates: np.ndarray, cols: np.ndarray, mean: np.ndarray | None = None
    ) -> np.ndarray:
        """Estimates of cells of columns ``cols``, of shapes that broadcast, drawn to ``mean`` or
        the columns' own."""
        mean = self.mean[cols] if mean is None else mean
        return mean + self.weight[cols] * (estimates - mean)

    def half_widths(
        self, level: float | np.ndarray, of_estimates: np.ndarray, cols: np.ndarray
    ) -> np.ndarray:
        """Half-widths of intervals of a level about what ``drawn`` gives, from those about the
        estimates.

        The error of what is drawn is that of the estimate, and (1 - w) of the estimate's departure
        from the mean, whose variance is the column's less that of the estimate.
        """
        lost = (1 - self.weight[cols]) ** 2
        of_mean = normal_factor(level) * self.spread[cols]
        return np.hypot(np.sqrt(1 - lost) * of_estimates, np.sqrt(lost) * of_mean)


def worse_than_mean(found: HiddenErrors, M: int) -> dict[int, float]:
    """Columns whose estimates are worse than their mean beyond chance, with the ratio of the two
    typical errors.

    One of all columns that are looked at may be found by chance with a probability of 5 %.
    """
    cols, estimates, values = found
    of_mean = cut_squares(values)
    loss = cut_squares(estimates - values) - of_mean
    n = np.bincount(cols, minlength=M)
    mean = np.bincount(cols, loss, M) / np.maximum(n, 1)
    variance = np.bincount(cols, np.square(loss - mean[cols]), M) / np.maximum(n - 1, 1)
    looked_at = int(np.count_nonzero(n))
    worse = {}
    for m in np.flatnonzero((mean > 0) & (np.bincount(cols, of_mean, M) > 0)).tolist():
        error = float(np.sqrt(variance[m] / n[m]))
        if beyond_chance(float(mean[m]), error, float(n[m]) - 1, looked_at):
            own = cols == m
            square = np.square(estimates[own] - values[own]).mean()
            worse[m] = float(np.sqrt(square / max(np.square(values[own]).mean(), 1e-300)))
    return worse


def guard_of(
    found: HiddenErrors,
    units: SidedStandardization,
    worse: Iterable[int],
    entries: np.ndarray,
    described: np.ndarray | None = None,
) -> Guard:
    """The shares that are kept, by hidden entries; none of columns that are ``worse``. A column
    has ``entries`` (M,); those that features alone describe (M,) keep all."""
    M = len(units.mean)
    d = found.estimates.clip(-FARTHEST_ERROR, FARTHEST_ERROR)
    e = found.values.clip(-FARTHEST_ERROR, FARTHEST_ERROR)
    weight = np.ones(M)
    if len(d):
        pull = np.bincount(found.cols, d * e, M)
        squares = np.bincount(found.cols, d**2, M)
        prior = PRECISION * max(float(np.mean((e - d) ** 2)), 1e-300)
        enough = max(min(ENOUGH, float(np.median(entries)) / 2), 1.0)
        common = np.clip((pull.sum() + prior) / (squares.sum() + prior), 0, 1)
        common = common * np.minimum(1, entries / enough)
        weight = np.clip((pull + prior * common) / (squares + prior), 0, 1)
    weight[list(worse)] = 0.0
    if described is not None:
        weight[described] = 1.0
    return Guard(units.mean, units.std, weight)


def worse_sentence(worse: Mapping[Hashable, float]) -> str:
    """'income (1.4 x), age (1.3 x) and 12 more: the estimates were worse than their means on hidden
    entries, so the means were used', the worst columns first.

    ``worse`` has by name the ratio of the errors of the estimates and of the mean, of one column at
    least.
    """
    names = sorted(worse, key=lambda name: -worse[name])
    if len(names) == 1:
        return (
            f"{names[0]}: the estimates were worse than its mean on hidden entries "
            f"({worse[names[0]]:.2g} x), so the mean was used"
        )
    shown = [f"{name} ({worse[name]:.2g} x)" for name in names[:MOST_NAMED]]
    if len(names) > MOST_NAMED:
        shown.append(f"{len(names) - MOST_NAMED:,} more")
    return (
        f"{listed(shown)}: the estimates were worse than their means on hidden entries, so the "
        "means were used"
    )


def unknown_sentence(ratings: Ratings, unknown: np.ndarray) -> str:
    """A warning of the columns (M,) of which nothing is known, so that their cells stay empty."""
    names = [
        str(name) for name in by_name(dict.fromkeys(np.flatnonzero(unknown).tolist(), 1.0), ratings)
    ]
    if len(names) > MOST_NAMED:
        names = [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED} more"]
    return (
        f"no value of column {listed(names)} is given, nor the unit of one: the cells stay empty. "
        "Leave such columns out, or give the rating scale that all columns share"
    )

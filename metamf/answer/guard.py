"""The guard: no column of a table is filled in worse than by its own mean.

Where columns have units of their own, some given entries are hidden, and the estimates are compared with the mean of
the other entries of their column, shrunken as the units are (``metamf.ratings.units.LinePrior``). What is filled in is

    mean + w_m (estimate - mean),    w_m = (sum of e d + k s w) / (sum of d^2 + k s) within 0 ... 1,

with the differences d of estimate and mean and e of value and mean on the hidden entries of column m, in units of its
spread: the least-squares share of the estimates' departures, drawn towards the share w of all columns together, and
that in the same way towards zero. It is the mean of the posterior of a share with the prior variance 1 / k, k =
``PRECISION``, and errors of the mean square s of e - d: nearly exact estimates keep all. A column whose estimates are
worse beyond chance (``metamf.answer.significance``) gets its mean, w_m = 0, and that is said. Whatever
was misread, or is unlike anything that the network has seen, does no more harm than the mean.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.stats

from metamf.answer.hidden_check import FARTHEST_ERROR, answers_of, cut_squares, hidden_check
from metamf.answer.significance import beyond_chance
from metamf.answer.unit_selection import FEWEST_TO_CHOOSE
from metamf.learning.episodes import canonical_lines, canonical_order, divide_entries
from metamf.network.protocol import Network
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, SidedStandardization, SidedUnits, UnitRule

MOST_COLUMNS = 10_000  # of a matrix that is guarded
# Of more entries those of random rows decide, in a tenth of the time of the fit: this share of all, or so many at
# least.
MOST_SHARE = 0.04
MOST_ENTRIES = 2_500
MOST_OF_ONE_SCALE = 500  # the same in a matrix of one scale, which is only warned of
DIVISIONS = 2  # of the entries; one where the matrix has one scale
HIDDEN_SHARE = 0.25
FARTHEST_READ = 1e6  # standard deviations from the mean at which a network's input is cut off here
PRECISION = 3.0  # of the prior of a share
ENOUGH = 10  # entries of a column, with which it takes over all of the share of all columns together
BY_COLUMN = SidedUnits(By.COLUMN)


class GuardWarning(UserWarning):
    """Estimates of some columns were worse than their means on hidden entries."""


class HiddenErrors(NamedTuple):
    """Departures from the shrunken means of columns on hidden entries, in units of the spread of their columns."""

    cols: np.ndarray  # (n,)
    estimates: np.ndarray  # (n,) d
    values: np.ndarray  # (n,) e

    @classmethod
    def of(cls, given: Ratings, hidden: Ratings, estimates: np.ndarray, rule: UnitRule) -> HiddenErrors:
        """Those of ``estimates`` of the ``hidden`` entries, in rating units, cut as they would be by ``rule``."""
        units = BY_COLUMN.of(given)
        limits = given.scale or rule.limits(given, None)
        if limits is not None:
            estimates = limits.clip_at(estimates, hidden.rows, hidden.cols)
        mean = units.mean[hidden.cols]
        spread = units.std[hidden.cols]
        return cls(hidden.cols, np.nan_to_num((estimates - mean) / spread), (hidden.values - mean) / spread)


def by_name(columns: Mapping[int, float], ratings: Ratings) -> dict[Hashable, float]:
    """Figures of columns by the names of these, or by their positions where they have none."""
    names = ratings.col_labels or range(ratings.n_cols)
    return {names[m]: figure for m, figure in columns.items()}


@dataclass(frozen=True, eq=False)
class Guard:
    """The share of the estimates' departures from the mean that is kept in each column, (M,) each, in rating units."""

    mean: np.ndarray  # shrunken
    spread: np.ndarray
    weight: np.ndarray

    def drawn(self, estimates: np.ndarray, cols: np.ndarray | slice, mean: np.ndarray | None = None) -> np.ndarray:
        """Estimates of cells of columns ``cols``, of shapes that broadcast, drawn to ``mean`` or the columns' own."""
        mean = self.mean[cols] if mean is None else mean
        return mean + self.weight[cols] * (estimates - mean)

    def half_widths(self, level: float, of_estimates: np.ndarray, cols: np.ndarray | slice) -> np.ndarray:
        """Half-widths of intervals of one level about what ``drawn`` gives, from those about the estimates.

        The error of what is drawn is that of the estimate, and (1 - w) of the estimate's departure from the mean, whose
        variance is the column's less that of the estimate.
        """
        lost = (1 - self.weight[cols]) ** 2
        of_mean = scipy.stats.norm.ppf((1 + level) / 2) * self.spread[cols]
        return np.sqrt((1 - lost) * of_estimates**2 + lost * of_mean**2)


def hidden_errors(network: Network, ratings: Ratings, rule: UnitRule, steps: int | None) -> list[HiddenErrors]:
    """The departures of a network's estimates on entries that are hidden from it, for each division; none for a small
    matrix."""
    if ratings.nnz < FEWEST_TO_CHOOSE:
        return []
    rng = np.random.default_rng(2)
    own_units = rule.by is By.COLUMN
    most = max(MOST_ENTRIES if own_units else MOST_OF_ONE_SCALE, MOST_SHARE * ratings.nnz)
    if ratings.nnz > most:
        rows = rng.permutation(canonical_lines(ratings)[0])
        few = np.sort(rows[: max(2, round(ratings.n_rows * most / ratings.nnz))])
        ratings = ratings.submatrix(few, np.arange(ratings.n_cols))
    order = canonical_order(ratings)
    divisions = [divide_entries(ratings, 1 - HIDDEN_SHARE, rng, order) for _ in range(DIVISIONS if own_units else 1)]
    answers = partial(answers_of, network, rule, steps=steps, farthest=FARTHEST_READ)
    parts = hidden_check(answers, divisions)
    return [HiddenErrors.of(part.given, part.hidden, part.estimates, rule) for part in parts]


def worse_than_mean(parts: Sequence[HiddenErrors], M: int) -> dict[int, float]:
    """Columns whose estimates are worse than their mean beyond chance, with the ratio of the two typical errors.

    One of all columns that are looked at may be found by chance with a probability of 5 %. An entry that is hidden in
    several divisions counts as one.
    """
    if not parts:
        return {}
    cols, estimates, values = (np.concatenate(each) for each in zip(*parts))
    of_mean = cut_squares(values)
    loss = cut_squares(estimates - values) - of_mean
    count = np.bincount(cols, minlength=M)
    mean = np.bincount(cols, loss, M) / np.maximum(count, 1)
    variance = np.bincount(cols, np.square(loss - mean[cols]), M) / np.maximum(count - 1, 1)
    n = count / len(parts)
    looked_at = int(np.count_nonzero(count))
    found = {}
    for m in np.flatnonzero((mean > 0) & (np.bincount(cols, of_mean, M) > 0)).tolist():
        if beyond_chance(float(mean[m]), float(np.sqrt(variance[m] / n[m])), float(n[m]) - 1, looked_at):
            own = cols == m
            squares = np.square(estimates[own] - values[own]).mean(), np.square(values[own]).mean()
            found[m] = float(np.sqrt(squares[0] / max(squares[1], 1e-300)))
    return found


def guard_of(
    parts: Sequence[HiddenErrors], units: SidedStandardization, worse: Iterable[int], entries: np.ndarray
) -> Guard:
    """The shares that are kept, by hidden entries of some divisions; none of columns that are ``worse``.

    What all columns show holds the less for one the fewer ``entries`` (M,) it has.
    """
    M = len(units.mean)
    weight = np.ones(M)
    if parts:
        cols, d, e = (np.concatenate(each) for each in zip(*parts))
        d, e = (each.clip(-FARTHEST_ERROR, FARTHEST_ERROR) for each in (d, e))
        pull = np.bincount(cols, d * e, M) / len(parts)
        squares = np.bincount(cols, d**2, M) / len(parts)
        prior = PRECISION * max(float(np.mean((e - d) ** 2)), 1e-300)
        common = np.clip(pull.sum() / (squares.sum() + prior), 0, 1) * np.minimum(1, entries / ENOUGH)
        weight = np.clip((pull + prior * common) / (squares + prior), 0, 1)
    weight[list(worse)] = 0.0
    return Guard(units.mean, units.std, weight)

"""Cross-fitting: some of a matrix's entries are hidden once, and all that is chosen on the matrix
follows from what every candidate says of them.

The divisions of a matrix are drawn once, and every candidate is fitted on the same ones. What it
says of the hidden entries lies in one array, candidate x hidden entry (``CrossFit``), of which the
choices are reductions:

    units    the cells that share their units (all, a column's or a row's), for ``universal``
    weight   of the table model next to it
    shares   of the departures from the columns' means that are kept (``metamf.answer.guard``)
    factor   of the half-widths of intervals

The last two are taken on estimates whose weight was chosen on other entries. The order of rows and
columns makes no difference (``metamf.learning.episodes.canonical_order``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.special
import torch

from metamf.answer.table_model import TableModel, fit_table
from metamf.learning.episodes import Episode, canonical_lines, canonical_order
from metamf.network.protocol import Network, StepRule
from metamf.network.tables.network import DEGREES
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.threads import run_on_few_cores
from metamf.ratings.units import LITTLE_SPREAD, By, SidedUnits, Standardization, UnitRule

# Standard deviations from the mean at which values are cut off: squares stay finite in single
# precision, and sums of a million of them, too.
FARTHEST = 1e12
FARTHEST_READ = 1e6  # the same of what a network reads here
FARTHEST_ERROR = 5.0  # standard deviations of the column at which an error is cut off
FEWEST = 20  # entries; fewer decide nothing
HIDDEN_SHARE = 0.15  # in each division
ENOUGH_HIDDEN = 400  # hidden entries, for which a small matrix is divided several times
MOST_DIVISIONS = 2
MOST_ENTRIES = 20_000  # of more entries a random part of the rows and columns decides
DECIDING_ROWS = 192  # of a table, or as many as hide ``ENOUGH_HIDDEN`` entries in all divisions
CHANCE = 1e-4  # probability of ranks so different, below which lines may have own units
FEW = 4  # entries of a column or row, with fewer of which it says nothing of units
APART = 0.25  # share of pairs of columns without a common value, from which each has its unit
BEYOND_CHANCE = 2.0  # standard errors of the paired difference
# Weight of the table model before any entry is seen, and its deviation: where columns have units of
# their own, and where all cells share one or a table is too large for the table network.
WEIGHT_OF_OWN_UNITS = 0.85, 0.2
WEIGHT_OF_ONE_UNIT = 0.7, 0.3
ROUNDS_OF_WEIGHTS = 8  # in which the weight and the variance of its errors follow from each other
LARGE_ERROR = 3.0  # times the median one, beyond which an entry counts less for the weight
CHECKED_LEVELS = 0.5, 0.8, 0.9, 0.95  # levels of the intervals that are checked
HALF_FACTOR = 50.0  # number of hidden entries at which half of their factor is applied
SMALLEST_FACTOR = 1e-3  # so that no interval vanishes
TABLE = "table"  # the candidate next to those of the network


# -- divisions
# --------------------------------------------------------------------------------------------------


def divisions_of(ratings: Ratings) -> list[Episode]:
    """The divisions of a matrix into given and hidden entries, no entry hidden twice; as many as
    hide ``ENOUGH_HIDDEN`` of them, two at most. None for fewer than ``FEWEST`` entries."""
    if ratings.nnz < FEWEST:
        return []
    size = max(1, round(HIDDEN_SHARE * ratings.nnz))
    count = int(min(MOST_DIVISIONS, -(-ENOUGH_HIDDEN // size)))
    order = np.random.default_rng(0).permutation(canonical_order(ratings))
    parts = (np.sort(order[k * size : (k + 1) * size]) for k in range(count))
    return [
        Episode(ratings.select(np.delete(np.arange(ratings.nnz), hidden)), ratings.select(hidden))
        for hidden in parts
    ]


def deciding_part(ratings: Ratings, whole_rows: bool = False) -> Ratings:
    """Random rows and columns with about ``MOST_ENTRIES`` entries, or ``DECIDING_ROWS`` whole ones;
    all where there are no more."""
    most = MOST_ENTRIES
    if whole_rows:
        enough = ENOUGH_HIDDEN / HIDDEN_SHARE / MOST_DIVISIONS
        most = min(most, max(enough, DECIDING_ROWS / ratings.n_rows * ratings.nnz))
    if ratings.nnz <= most:
        return ratings
    share = most / ratings.nnz if whole_rows else np.sqrt(most / ratings.nnz)
    rng = np.random.default_rng(0)
    rows, cols = (rng.permutation(order) for order in canonical_lines(ratings))
    rows = rows[: max(2, round(share * len(rows)))]
    cols = np.arange(len(cols)) if whole_rows else cols[: max(2, round(share * len(cols)))]
    part = ratings.submatrix(rows, cols)
    return part if part.nnz >= FEWEST else ratings


# -- what networks say
# --------------------------------------------------------------------------------------------------


def in_units(ratings: Ratings, units: Standardization, farthest: float = FARTHEST) -> Ratings:
    """The ratings in standardised units, cut off at ``farthest``."""
    values = ratings.values.astype(np.float64)  # less precision would lose them in a large mean
    z = units.apply_at(values, ratings.rows, ratings.cols)
    return ratings.with_values(np.clip(z, -farthest, farthest))


# -- the array
# --------------------------------------------------------------------------------------------------


class Said(NamedTuple):
    """What a candidate says of all hidden entries, in rating units."""

    estimates: np.ndarray  # (n,)
    # (L, n) half-widths of intervals of ``CHECKED_LEVELS``; None without intervals
    half_widths: np.ndarray | None


@dataclass(frozen=True, eq=False)
class CrossFit:
    """What every candidate says of the hidden entries of all divisions, n in all.

    Errors and departures are in units of the spread of the entry's column, by what is given there,
    so that all columns count alike.
    """

    cols: np.ndarray  # (n,)
    division: np.ndarray  # (n,)
    mean: np.ndarray  # (n,) shrunken mean of the column, in rating units
    spread: np.ndarray  # (n,)
    values: np.ndarray  # (n,) the truth, in rating units
    said: Mapping[Hashable, Said]  # by each candidate: a network in units ``by``, and ``TABLE``

    @classmethod
    def of(
        cls,
        divisions: Sequence[Episode],
        candidates: Mapping[Hashable, Callable[[Sequence[Episode]], Said]],
    ) -> CrossFit:
        """Fits every candidate on every division."""
        cells = math.prod(divisions[0].support.shape)
        hidden = [division.query for division in divisions]
        units = [SidedUnits(By.COLUMN).of(division.support) for division in divisions]
        return cls(
            np.concatenate([part.cols for part in hidden]),
            np.repeat(np.arange(len(divisions)), [part.nnz for part in hidden]),
            np.concatenate([own.mean[part.cols] for own, part in zip(units, hidden)]),
            np.concatenate([own.std[part.cols] for own, part in zip(units, hidden)]),
            np.concatenate([part.values.astype(np.float64) for part in hidden]),
            {
                name: run_on_few_cores(partial(candidate, divisions), cells)
                for name, candidate in candidates.items()
            },
        )

    def departures(self, values: np.ndarray) -> np.ndarray:
        """(n,) numbers of the hidden entries as departures from the means of their columns."""
        return np.nan_to_num((values - self.mean) / self.spread)

    def errors(self, name: Hashable) -> np.ndarray:
        """(n,) those of one candidate."""
        return (self.said[name].estimates - self.values) / self.spread

    # -- reductions -------------------------------------------------------------------------------

    def best_units(self, names: Sequence[By | None]) -> By | None:
        """The candidate, of those that differ in their units, with the lowest error, if it is lower
        than that of the first one beyond chance."""
        losses = {name: cut_squares(self.errors(name)) for name in names}
        best = names[0]
        gain_of_best = 0.0
        for name in names[1:]:
            gain = losses[names[0]] - losses[name]
            spread = gain.std(ddof=1) / np.sqrt(len(gain))
            if gain.mean() > max(BEYOND_CHANCE * spread, gain_of_best):
                best = name
                gain_of_best = float(gain.mean())
        return best

    def weight(
        self, network: Hashable, usual: tuple[float, float], some: np.ndarray | None = None
    ) -> float:
        """The weight w of the table model, ``network`` having 1 - w, by all or some of the hidden
        entries: stacking (Wolpert 1992; Breiman 1996), drawn towards the ``usual`` one, which has a
        mean and a deviation.

        The most probable one, where errors e = u + w (t - u) - x are normal with the variance of
        the weight's own, and the weight is normal about the ``usual`` one. So a nearly exact model
        is followed after few entries. An entry far off counts as one of ``LARGE_ERROR`` (Huber
        1964), so that a few do not decide for all.
        """
        some = np.ones(len(self.cols), bool) if some is None else some
        u, t, x = (
            self.departures(values)[some].clip(-FARTHEST_READ, FARTHEST_READ)
            for values in (self.said[network].estimates, self.said[TABLE].estimates, self.values)
        )
        expected, deviation = usual
        weight = expected
        if not len(x):
            return weight
        for _ in range(ROUNDS_OF_WEIGHTS):
            error = np.abs(u + weight * (t - u) - x)
            counts = np.fmin(1, LARGE_ERROR * np.median(error) / np.maximum(error, LITTLE_SPREAD))
            pull = float((counts * (t - u)) @ (x - u))
            squares = float((counts * (t - u)) @ (t - u))
            prior = float(np.mean(counts * error**2)) / deviation**2
            if not prior > LITTLE_SPREAD * squares:
                break
            weight = float(np.clip((pull + prior * expected) / (squares + prior), 0, 1))
        return weight

    def honest_weights(self, network: Hashable, usual: tuple[float, float]) -> np.ndarray:
        """(n,) the weight for each hidden entry, chosen on other ones: those of half of the
        divisions, or half of the entries of the only one."""
        fold = self.division % 2
        if not fold.any():
            fold = np.arange(len(fold)) % 2
        weights = np.empty(len(fold))
        for part in (0, 1):
            weights[fold == part] = self.weight(network, usual, fold != part)
        return weights


def cut_squares(errors: np.ndarray) -> np.ndarray:
    """Squared errors, cut off at ``FARTHEST_ERROR``; those that are no number count as far off."""
    return np.fmin(np.abs(errors), FARTHEST_ERROR) ** 2


def factor_of(ratios: np.ndarray) -> float:
    """The factor of half-widths with which the hidden entries lie inside as often as they should.

    The geometric mean over the levels, drawn towards one where few entries are hidden.

    ``ratios`` : (L, n) absolute errors of the hidden entries over the half-widths of their
    intervals of ``CHECKED_LEVELS``.
    """
    n = ratios.shape[1]
    logs = []
    for level, ratio in zip(CHECKED_LEVELS, ratios):
        at = min(1.0, level * (n + 1) / n)  # the next entry is one of n + 1 alike
        logs.append(np.log(max(float(np.quantile(ratio, at)), SMALLEST_FACTOR)))
    return float(np.exp(n / (n + HALF_FACTOR) * np.mean(logs)))


def joint_half_widths(
    weight: float | np.ndarray, network: np.ndarray, table: np.ndarray
) -> np.ndarray:
    """Half-widths from the network's and those of the table model, whose ``weight`` is given: right
    where their errors are the same, and too wide where they are independent."""
    return np.hypot(np.sqrt(1 - weight) * network, np.sqrt(weight) * table)


# -- candidates
# --------------------------------------------------------------------------------------------------


@torch.inference_mode()
def said_by_network(
    network: Network,
    rule: UnitRule,
    steps: int | None,
    step_rule: StepRule,
    divisions: Sequence[Episode],
    levels: tuple[float, ...] = CHECKED_LEVELS,
    farthest: float = FARTHEST_READ,
) -> Said:
    """What a network says in the units of ``rule``, with intervals of ``levels`` if it gives any;
    all divisions are of matrices of one shape, and read as one batch."""
    units = [rule.of(division.support) for division in divisions]
    given = [in_units(division.support, own, farthest) for division, own in zip(divisions, units)]
    batch = RatingsBatch.of(given, network.dtype, network.device)
    adapted = network.adapt(batch, steps, step_rule)
    factors = None
    if levels:
        factors = network.half_widths(adapted, batch, levels, rule.scale_weighs_in)
    N, M = given[0].shape
    estimates = []
    half_widths = []
    for d, (division, own) in enumerate(zip(divisions, units)):
        at = division.query.rows, division.query.cols
        there = at[0] + d * N, at[1] + d * M  # in the matrices laid end to end
        z = adapted.predict(*(torch.tensor(each, device=network.device) for each in there))
        estimates.append(own.undo_at(z.double().cpu().numpy(), *at))
        if factors is not None:
            deviation = own.spread_at(*at) * adapted.deviation_at(*there)
            half_widths.append(factors[:, d, np.newaxis] * deviation)
    widths = np.concatenate(half_widths, axis=1) if half_widths else None
    return Said(np.concatenate(estimates), widths)


def said_by_table(
    like: TableModel, divisions: Sequence[Episode], precision: torch.dtype | None = torch.float
) -> Said:
    """What the table model says, fitted to what is given from the model of the whole."""
    parts = []
    for division in divisions:
        model = fit_table(division.support, like, precision)
        at = division.query.rows, division.query.cols
        parts.append([part[at] for part in model.completed(division.support)])
    estimates, deviations = np.concatenate(parts, axis=1)
    return Said(estimates, table_factor(np.array(CHECKED_LEVELS)[:, np.newaxis]) * deviations)


def table_factor(level: float | np.ndarray) -> Any:
    """The half-width of an interval of the table model, in its deviations, before its factor."""
    return scipy.special.stdtrit(DEGREES, (1 + level) / 2)


def normal_factor(level: float | np.ndarray) -> Any:
    """The half-width of the interval of a normal distribution, in its standard deviations."""
    return scipy.special.ndtri((1 + level) / 2)


# -- units
# --------------------------------------------------------------------------------------------------


def possible_rules(ratings: Ratings, whole: UnitRule) -> dict[By | None, UnitRule]:
    """The rules by which the units of a matrix may follow, the one that another has to be better
    than first: ``whole``, by which all cells have the same ones, and ``SidedUnits`` of columns or
    rows that differ beyond chance. Lines that lie apart come before the whole."""
    if ratings.nnz < FEWEST or min(ratings.shape) == 1 or whole.by is not None:
        return {whole.by: whole}
    sides = [by for by in (By.COLUMN, By.ROW) if lines_differ(ratings, by)]
    sides.sort(key=lambda by: not lines_lie_apart(ratings, by))
    own: dict[By | None, UnitRule] = {by: SidedUnits(by) for by in sides}
    rules: dict[By | None, UnitRule] = {whole.by: whole}
    return own | rules if sides and lines_lie_apart(ratings, sides[0]) else rules | own


def lines_lie_apart(ratings: Ratings, by: By) -> bool:
    """Whether no value is between those of both, in a quarter of the pairs of columns, or of rows,
    with ``FEW`` entries or more: ratings on one scale overlap."""
    lines, size = _lines(ratings, by)
    lowest = np.full(size, np.inf)
    highest = np.full(size, -np.inf)
    np.minimum.at(lowest, lines, ratings.values)
    np.maximum.at(highest, lines, ratings.values)
    several = np.bincount(lines, minlength=size) >= FEW
    lowest = np.sort(lowest[several])
    above = len(lowest) - np.searchsorted(lowest, highest[several], side="right")
    return bool(above.sum() >= APART * len(lowest) * (len(lowest) - 1) / 2 > 0)


def lines_vary(ratings: Ratings, by: By) -> bool:
    """Whether at least half of the columns, or the rows, with two entries vary, and there are two
    such at least."""
    lines, size = _lines(ratings, by)
    values = ratings.values.astype(np.float64)
    several = np.bincount(lines, minlength=size) > 1
    if np.count_nonzero(several) < 2:
        return False
    lowest = np.full(size, np.inf)
    highest = np.full(size, -np.inf)
    np.minimum.at(lowest, lines, values)
    np.maximum.at(highest, lines, values)
    lowest = lowest[several]
    highest = highest[several]
    varies = highest - lowest > LITTLE_SPREAD * np.maximum(np.abs(lowest), np.abs(highest))
    return bool(varies.mean() >= 0.5)


def lines_differ(ratings: Ratings, by: By) -> bool:
    """Whether the columns, or the rows, vary and differ in level or in spread beyond chance:
    otherwise they have no units of their own.

    Judged by ranks (Kruskal and Wallis 1952), of the entries and of their distances from the median
    of all: a few entries that are out of all proportion say nothing of units.
    """
    if not lines_vary(ratings, by):
        return False
    lines, size = _lines(ratings, by)
    values = ratings.values.astype(np.float64)
    n = np.bincount(lines, minlength=size)
    return any(
        _ranks_differ(each, lines, n) for each in (values, np.abs(values - np.median(values)))
    )


def _lines(ratings: Ratings, by: By) -> tuple[np.ndarray, int]:
    """The column, or the row, of each entry, and how many there are."""
    if by is By.COLUMN:
        return ratings.cols, ratings.n_cols
    return ratings.rows, ratings.n_rows


def _ranks_differ(values: np.ndarray, lines: np.ndarray, n: np.ndarray) -> bool:
    tied, times = np.unique(_rounded(values), return_inverse=True, return_counts=True)[1:]
    rank = (np.cumsum(times) - (times - 1) / 2)[tied] - (len(values) + 1) / 2  # from the mean rank
    variance = float(np.square(rank).sum()) / (len(values) - 1)
    seen = n > 0
    between = float((np.bincount(lines, rank, len(n))[seen] ** 2 / n[seen]).sum())
    return variance > 0 and bool(
        scipy.special.chdtrc(np.count_nonzero(seen) - 1, between / variance) < CHANCE
    )


def _rounded(values: np.ndarray) -> np.ndarray:
    """The values, equal where rounding alone tells them apart."""
    step = LITTLE_SPREAD * float(np.abs(values).max(initial=0.0))
    return np.round(values / step) if step > 0 else values

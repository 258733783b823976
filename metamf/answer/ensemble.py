"""An ensemble of the network and members that know the columns of this matrix, weighted by its own held-out entries.

An extension beyond the paper. The network gives the factors of rows and columns; a normal distribution
(``metamf.baselines.normal``) describes how the columns of this matrix vary together, chained regressions
(``metamf.baselines.ridge``) follow lines that are nearly exact, the table network (``metamf.network.tables``), which
was meta-trained on made-up tables, attends to rows and columns alike, and trees, if wanted, learn what the normal
distribution leaves over. Their estimates are added,

    estimate = sum over members k of w_k estimate_k,    w >= 0, sum of w = 1,

with the same weights in all cells. Some of the matrix's entries are hidden from all members, and w is the ridge
regression of the hidden entries on their estimates, drawn towards weights that are usual: stacking (Wolpert 1992;
Breiman 1996). These are equal, or most of them that of the table network.
If the network was tuned, these are the entries that tuning never saw.

An interval's half-width is the root of the weighted mean of the squared half-widths of the network and the normal
distribution, which stands for the others, too. That is right where their errors are the same and too wide where they
are independent; a factor, the same at all levels, corrects it by the hidden entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import pandas as pd
import scipy.stats
import torch

from metamf.answer.answer import Weighing
from metamf.answer.calibration import CHECKED_LEVELS, HeldOut, factor_of
from metamf.answer.unit_selection import SMALLEST_SCALE, lines_vary
from metamf.baselines.normal import ColumnNormal, ResidualTrees, can_grow, fit_normal, fit_residual_trees
from metamf.baselines.ridge import ColumnRidge, can_chain, fit_ridge
from metamf.checkpoints.bundled import table_network
from metamf.learning.tuning import FEWEST_TO_TUNE
from metamf.network.tables.network import TableReader, can_read, fit_reader, seconds_to_read
from metamf.ratings.matrix import Ratings
from metamf.ratings.threads import run_on_few_cores
from metamf.ratings.units import LITTLE_SPREAD, By, SidedStandardization, SidedUnits

Members = Literal["normal", "trees"]
AskedMembers = Literal["auto", "normal", "trees"]
MEMBERS: tuple[Members, ...] = get_args(Members)
MOST_COLUMNS, MOST_CELLS = 256, 2_000_000  # of a matrix that gets members next to the network: some ten seconds
MOST_SECONDS = 5.0  # on one core, that members of a matrix may take that nobody has asked for
FEWEST_TO_GROW = 20  # entries a column, on the mean, of a matrix that gets trees without being asked
LEAST_USEFUL = 0.5  # share of what a feature says that is more than chance, below which no member reads it
FEWEST_A_COLUMN = 5  # entries, on the mean, of a matrix of one unit that gets members without being asked
OUT_OF_PROPORTION = 100_000  # times as far from a column's median as the middle of its other entries
WEIGHTS_DEVIATION = 0.3  # of the weights from equal ones, before any entry is seen
ATTENTION_WEIGHT = 0.75  # of the table network, before any entry is seen; the others share what is left
ATTENTION_DEVIATION = 0.2  # of the weights from these
ROUNDS_OF_WEIGHTS = 8  # in which weights and the variance of their errors follow from each other


@dataclass(frozen=True, eq=False)
class ColumnMembers:
    """The members that are fitted to the columns of one matrix."""

    units: SidedStandardization  # of the columns
    features: tuple[np.ndarray, np.ndarray] | None  # mean and spread (P,) of those of rows; inf: a useless one
    asked: Members  # the value of the imputer's parameter ``members`` that gives these members
    normal: ColumnNormal  # of the columns and, behind them, the features, in these units
    ridge: ColumnRidge | None  # of the same
    trees: ResidualTrees | None  # forests for the residuals of the normal distribution
    attention: TableReader | None  # the table network, fitted to the columns

    @property
    def names(self) -> tuple[str, ...]:
        """The members that there are, in the order of ``completed``."""
        return ("normal", *(name for name in ("ridge", "trees", "attention") if getattr(self, name) is not None))

    def completed(self, ratings: Ratings) -> tuple[np.ndarray, np.ndarray]:
        """Estimates (members, n, M) of all cells of rows with the same columns, and the predictive standard deviations
        (n, M) of the normal distribution, in rating units."""
        return run_on_few_cores(lambda: self._completed(ratings), ratings.n_rows * ratings.n_cols)

    def _completed(self, ratings: Ratings) -> tuple[np.ndarray, np.ndarray]:
        entries = _entries(ratings, self.units, self.features)
        mean, variance = self.normal.complete(*entries, ratings.n_rows)
        means = [mean.numpy()]
        if self.ridge is not None:
            means.append(self.ridge.complete(_table(*entries, (ratings.n_rows, mean.shape[1]))))
        if self.trees is not None:
            means.append(self.trees.complete(*entries, ratings.n_rows).numpy())
        if self.attention is not None:
            means.append(self.attention.complete(_table(*entries, (ratings.n_rows, mean.shape[1]))))
        M = ratings.n_cols
        estimates = np.stack([each[:, :M] * self.units.std + self.units.mean for each in means])
        return estimates, np.sqrt(variance[:, :M].numpy()) * self.units.std


def most_members(ratings: Ratings) -> Members | None:
    """The most members that a matrix is small enough for, features of its rows included. None: it is too large for any,
    has one column, or numbers whose squares are not floats."""
    N, M = _with_features(ratings)
    largest = float(np.abs(ratings.values).max(initial=0.0))
    small = 2 <= ratings.n_cols and M <= MOST_COLUMNS and N * M <= MOST_CELLS
    if not (small and SMALLEST_SCALE < largest < 1 / SMALLEST_SCALE):
        return None
    return "trees" if can_grow((N, M)) else "normal"


def seconds_of(members: Members, shape: tuple[int, int]) -> float:
    """About how long members take on one core, their weighing included, in a matrix (N, M). The figures are those of
    ``benchmarks.speed.members``."""
    N, M = shape
    reading = seconds_to_read(shape) if _reads(shape) else 0.0
    if members == "trees":
        return reading + 0.05 * M + 3.5e-4 * N + 5.6e-6 * N * M**2
    return reading + _seconds_of_normal(shape)


def _seconds_of_normal(shape: tuple[int, int]) -> float:
    """The same for the normal distribution and the regressions."""
    N, M = shape
    return 3e-4 * N + 1.6e-6 * N * M**2 + 4e-4 * M**2


def _reads(shape: tuple[int, int]) -> bool:
    """Whether the table network is a member in a matrix (N, M): the normal distribution comes first."""
    return can_read(shape) and _seconds_of_normal(shape) + seconds_to_read(shape) <= MOST_SECONDS


def quick_members(ratings: Ratings) -> Members | None:
    """The members that take under ``MOST_SECONDS``, by the size of the matrix, features of its rows included; none
    where too few entries are given to weigh them.

    Nor are there any where an entry is out of all proportion to its column (1e12 among stars): next to it the others
    differ by little more than rounding, and the answer would depend on the unit.
    """
    most = most_members(ratings)
    if most is None or ratings.nnz < FEWEST_TO_TUNE or not _in_proportion(ratings):
        return None
    full = ratings.nnz >= FEWEST_TO_GROW * ratings.n_cols
    shape = _with_features(ratings)
    candidates: tuple[Members, ...] = ("trees", "normal") if most == "trees" and full else ("normal",)
    return next((members for members in candidates if seconds_of(members, shape) <= MOST_SECONDS), None)


def usual_members(ratings: Ratings, by: By | None) -> Members | None:
    """The members that a matrix without a known scale gets without being asked, in units of its columns or of the
    whole. In one unit they take some entries for each column, and columns whose entries vary."""
    full = ratings.nnz >= FEWEST_A_COLUMN * ratings.n_cols and lines_vary(ratings, By.COLUMN)
    useful = by is By.COLUMN or (by is None and full)
    return quick_members(ratings) if useful else None


def _with_features(ratings: Ratings) -> tuple[int, int]:
    """Rows, and columns with the features of rows."""
    N, M = ratings.shape
    return N, M + (0 if ratings.row_features is None else ratings.row_features.shape[1])


def _in_proportion(ratings: Ratings) -> bool:
    """Whether no entry is more than ``OUT_OF_PROPORTION`` times as far from its column's median as the median of the
    entries that are not at it."""
    values = pd.Series(ratings.values.astype(np.float64))
    away = (values - values.groupby(ratings.cols).transform("median")).abs()
    by_column = away[away > 0].groupby(ratings.cols[away > 0])
    return bool((by_column.max() <= OUT_OF_PROPORTION * by_column.median()).all())


def fit_members(ratings: Ratings, members: Members, trees_of: int | None = None) -> ColumnMembers:
    """Fits the members next to the network to a matrix, in rating units.

    ``members`` is 'normal', for the normal distribution, chained regressions and the table network, or 'trees' for
    trees, too, each in a matrix that is small enough for it; trees of all columns, or of ``trees_of`` alone. There are
    no regressions on features of rows, which overfit rows without an entry, and the table network reads none.
    """
    return run_on_few_cores(lambda: _fit_members(ratings, members, trees_of), ratings.n_rows * ratings.n_cols)


def _fit_members(ratings: Ratings, members: Members, trees_of: int | None) -> ColumnMembers:
    units, (N, M), F = SidedUnits(By.COLUMN).of(ratings), ratings.shape, ratings.row_features
    useful = np.zeros(0) if F is None else _usefulness(ratings, F)
    features = None if F is None else (F.mean(axis=0), np.where(useful < LEAST_USEFUL, np.inf, F.std(axis=0)))
    entries = _entries(ratings, units, features)
    shape = N, M + len(useful)
    normal = fit_normal(*entries, shape, useful=torch.as_tensor(useful))
    ridge = fit_ridge(_table(*entries, shape)) if features is None and can_chain(shape) else None
    reads = features is None and _reads(shape)
    attention = fit_reader(table_network(), _table(*entries, shape)) if reads else None
    grown = members == "trees" and can_grow(shape)
    trees = fit_residual_trees(normal, *entries, N, range(M) if trees_of is None else [trees_of]) if grown else None
    return ColumnMembers(units, features, members, normal, ridge, trees, attention)


def _entries(
    ratings: Ratings, units: SidedStandardization, features: tuple[np.ndarray, np.ndarray] | None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Values, rows and columns of the entries and, in further columns, of the features of the rows, if there are any,
    in standardised units."""
    z = units.apply_at(ratings.values.astype(np.float64), ratings.rows, ratings.cols).clip(-1e6, 1e6)
    rows = ratings.rows
    cols = ratings.cols
    F = ratings.row_features
    if F is not None and features is not None:
        at = np.indices(F.shape).reshape(2, -1)
        z = np.append(z, (F - features[0]) / features[1])
        rows = np.append(rows, at[0])
        cols = np.append(cols, at[1] + ratings.n_cols)
    order = np.argsort(rows, kind="stable")
    z, rows, cols = (torch.as_tensor(part[order]) for part in (z, rows, cols))
    return z, rows, cols


def _table(z: torch.Tensor, rows: torch.Tensor, cols: torch.Tensor, shape: tuple[int, int]) -> np.ndarray:
    """Entries as a matrix with NaN in its gaps."""
    Z = np.full(shape, np.nan)
    Z[rows.numpy(), cols.numpy()] = z.numpy()
    return Z


def _usefulness(ratings: Ratings, F: np.ndarray) -> np.ndarray:
    """(P,) share of what the features F (N, P) of rows say that is more than chance: 1 - 1 / s (James and Stein 1961),
    with the mean s over the columns of n r^2, with the correlation r of n entries and a feature, by chance about 1."""
    found = [np.zeros(F.shape[1])]
    for m in range(ratings.n_cols):
        at = ratings.cols == m
        if np.count_nonzero(at) > 2:
            x, f = (part - part.mean(axis=0) for part in (ratings.values[at], F[ratings.rows[at]]))
            found.append(len(x) * (x @ f) ** 2 / ((x @ x) * (f * f).sum(axis=0)).clip(min=1e-300))
    return 1 - 1 / np.maximum(np.sum(found, axis=0) / max(len(found) - 1, 1), 1)


@dataclass(frozen=True, eq=False)
class Ensemble:
    """The members next to the network, fitted to the observed entries of a matrix in rating units; their weights."""

    ratings: Ratings
    members: ColumnMembers
    weighing: Weighing
    hidden_estimates: tuple[np.ndarray, ...] = ()  # of the hidden entries of each division, in rating units

    def mixed(self, network: np.ndarray, ratings: Ratings) -> np.ndarray:
        """Estimates (n, M) for the rows of ``ratings``, which have the same columns, from the network's, in rating
        units."""
        return self._weighted(network, self.members.completed(ratings)[0])

    def mixed_at(self, network: np.ndarray, rows: np.ndarray | slice, cols: np.ndarray | slice) -> np.ndarray:
        """The same at cells of the matrix, of positions that broadcast."""
        return self._weighted(network, self._of_matrix[0][:, rows, cols])

    def half_widths_at(
        self, level: float, network: np.ndarray, rows: np.ndarray | slice, cols: np.ndarray | slice
    ) -> np.ndarray:
        """Half-widths of intervals at cells of the matrix, from the network's, in rating units."""
        deviation = self._of_matrix[1][rows, cols]
        return self.weighing.factor * joint_half_widths(self.weighing.weights["network"], level, network, deviation)

    def mixed_without_each(self, network: np.ndarray, entries: np.ndarray, row: int, col: int) -> np.ndarray:
        """(D,) estimates of one cell, each from the matrix without one entry, in rating units.

        The members next to the network are refitted to every copy of the matrix, in units of the copy's columns;
        their weights stay those of the whole matrix. ``network`` (D,) has the network's estimates from the copies,
        which lack the entries at the positions ``entries`` (D,).
        """
        ratings = self.ratings
        beside = np.empty((len(self.members.names), len(entries)))
        for d, entry in enumerate(entries):
            copy = ratings.select(np.delete(np.arange(ratings.nnz), entry))
            members = fit_members(copy, self.members.asked, col)
            beside[:, d] = members.completed(copy.select(copy.rows == row))[0][:, row, col]
        return self._weighted(network, beside)

    def _weighted(self, network: np.ndarray, beside: np.ndarray) -> np.ndarray:
        """Estimates of the ensemble, from the network's and those of the members next to it (members, ...)."""
        weights = self.weighing.weights
        return weights["network"] * network + sum(
            weights[name] * each for name, each in zip(self.members.names, beside)
        )

    @cached_property
    def _of_matrix(self) -> tuple[np.ndarray, np.ndarray]:
        return self.members.completed(self.ratings)


def fit_ensemble(ratings: Ratings, held_out: Sequence[HeldOut], members: Members = "normal") -> Ensemble:
    """Fits the members next to the network to a matrix, and weighs them by ``held_out``: divisions of its entries with
    the network's estimates of the hidden parts. Without any the weights are equal."""
    fitted = fit_members(ratings, members)
    names = "network", *fitted.names
    usual = usual_weights(names)
    if not held_out:
        return Ensemble(ratings, fitted, Weighing(dict(zip(names, usual.tolist()))))
    scored = [_scored(each, fitted) for each in held_out]
    errors = np.concatenate([found for found, _, _ in scored], axis=1)
    weights = stacked_weights(errors, usual, WEIGHTS_DEVIATION if fitted.attention is None else ATTENTION_DEVIATION)
    typical = np.sqrt(np.mean(errors**2, axis=1)).tolist()
    mixed_error = float(np.sqrt(np.mean((weights @ errors) ** 2)))
    weighing = Weighing(dict(zip(names, weights.tolist())), errors.shape[1], dict(zip(names, typical)), mixed_error)
    widths = [held.half_widths for held in held_out if held.half_widths is not None]
    if widths:
        error = np.abs(weights @ errors) * np.concatenate([spread for *_, spread in scored])
        deviation = np.concatenate([deviation for _, deviation, _ in scored])
        halves = {level: np.concatenate([half[level] for half in widths]) for level in CHECKED_LEVELS}
        ratios = {level: error / joint_half_widths(weights[0], level, h, deviation) for level, h in halves.items()}
        weighing = replace(weighing, factor=factor_of(ratios))
    mixed = (weights @ found * spread + held.hidden.values for held, (found, _, spread) in zip(held_out, scored))
    return Ensemble(ratings, fitted, weighing, tuple(mixed))


def usual_weights(names: Sequence[str]) -> np.ndarray:
    """(K,) weights of members before any entry is hidden from them: equal ones, but for the table network's."""
    if "attention" not in names:
        return np.full(len(names), 1 / len(names))
    return np.array(
        [ATTENTION_WEIGHT if name == "attention" else (1 - ATTENTION_WEIGHT) / (len(names) - 1) for name in names]
    )


def stacked_weights(errors: np.ndarray, usual: np.ndarray, deviation: float) -> np.ndarray:
    """(K,) weights of members, not negative and with sum one, from their errors (K, n) on hidden entries.

    The most probable ones, where w . errors is normal with the variance s^2, and the weights are normal about the
    ``usual`` ones (K,) with a ``deviation``: they minimise

        sum of (w . errors)^2 / s^2 + |w - usual|^2 / deviation^2,

    with the s^2 of the weights themselves. So a nearly exact member is followed after few entries.
    """
    weights = usual
    products = errors @ errors.T
    for _ in range(ROUNDS_OF_WEIGHTS):
        variance = np.mean((weights @ errors) ** 2)
        prior = variance / deviation**2
        if not prior > LITTLE_SPREAD * np.trace(products):
            return weights
        weights = _lowest_mixture(products + prior * np.eye(len(usual)), prior * usual)
    return weights


def _lowest_mixture(H: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(K,) the w >= 0 with sum one that minimises w'Hw - 2b'w. Exact: the minimum for each set of members with positive
    weights is a linear system, and the best of those without a negative weight is the answer."""
    K = len(b)
    best = np.full(K, 1 / K)
    lowest = np.inf
    for size in range(1, K + 1):
        for some in map(list, combinations(range(K), size)):
            inverse = np.linalg.inv(H[np.ix_(some, some)])
            pull = inverse @ b[some]
            ones = inverse.sum(axis=1)
            w = np.zeros(K)
            w[some] = pull + ones * (1 - pull.sum()) / ones.sum()
            if (w >= 0).all() and (value := w @ H @ w - 2 * b @ w) < lowest:
                best = w
                lowest = value
    return best


def joint_half_widths(network_weight: float, level: float, network: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Half-widths from the network's half-widths and the standard deviations of the normal distribution."""
    normal = scipy.stats.norm.ppf((1 + level) / 2) * deviation
    return np.sqrt(network_weight * network**2 + (1 - network_weight) * normal**2)


def _scored(held: HeldOut, of_matrix: ColumnMembers) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Errors (K, n) of all members on hidden entries, in units of the spread of their columns, the network first; and
    the predictive standard deviations of the normal distribution there, and the spreads, (n,) each, in rating units."""
    hidden = held.hidden
    at = hidden.rows, hidden.cols
    estimates, deviation = fit_members(held.given, of_matrix.asked).completed(held.given)
    spread = of_matrix.units.std[hidden.cols]
    return (np.vstack([held.estimates, estimates[:, *at]]) - hidden.values) / spread, deviation[at], spread

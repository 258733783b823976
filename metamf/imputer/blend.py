"""Members beside the network, which know the columns of this matrix, weighed by the matrix's own entries.

An extension beside the paper's picture. The network says what the factors of rows and columns are; a normal
distribution (``metamf.baselines.normal``) says how the columns of this matrix go together, and trees
(``metamf.baselines.residual_trees``), where they are wanted, what it leaves over. Their estimates are added,

    estimate = w_0 network + w_1 normal + w_2 trees,    w >= 0, w_0 + w_1 + w_2 = 1,

with the same weights in all cells. Some of the matrix's entries are hidden from all members, and w is the ridge
regression of what was hidden on their estimates, drawn towards equal weights as if by ``HALF_WEIGHT`` more entries:
stacking (Wolpert 1992; Breiman 1996). If the network was tuned, these are the entries that tuning never saw.

An interval's half-width is the root of the weighted mean of the squared half-widths of the network and the normal
distribution, which stands for the trees, too. That is right where their errors are one and the same and too wide where
they are independent; a factor, the same at all levels, brings it to what the hidden entries call for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
import scipy.stats

from metamf.imputer.column_members import Beside, ColumnMembers, fit_members
from metamf.imputer.held_out import CHECKED_LEVELS, HeldOut, factor_of
from metamf.imputer.widths import Intervals
from metamf.ratings.matrix import Ratings

HALF_WEIGHT = 100.0  # entries that ask for equal weights, a half of two members


@dataclass(frozen=True)
class BlendReport:
    """Weights of the members beside the network, and the errors that they follow from.

    Attributes
    ----------
    weight : weight of the normal distribution
    hidden : number of entries that were hidden from all members
    network_error, normal_error, error : root mean squared errors on them, in units of the spread of their columns, of
        the network, of the normal distribution and of all members together; nan where nothing was hidden
    factor : factor of the half-widths of intervals
    trees_weight, trees_error : the same of the trees; 0 and nan where there are none
    """

    weight: float
    hidden: int
    network_error: float
    normal_error: float
    error: float
    factor: float = 1.0
    trees_weight: float = 0.0
    trees_error: float = float("nan")

    @property
    def network_weight(self) -> float:
        """Weight of the network."""
        return max(0.0, 1 - self.weight - self.trees_weight)


@dataclass(frozen=True, eq=False)
class Blend:
    """The members beside the network, fitted to a matrix, and their weights.

    Parameters
    ----------
    ratings : the observed entries, in rating units
    members : the members beside the network
    report : weights, and the errors that they follow from
    """

    ratings: Ratings
    members: ColumnMembers
    report: BlendReport

    def mixed(self, network: np.ndarray, ratings: Ratings) -> np.ndarray:
        """Estimates (n, M) of all members for rows with the same columns, in rating units.

        Parameters
        ----------
        network : ndarray of shape (n, M)
            The network's estimates.
        ratings : Ratings
            The observed entries of the rows.
        """
        return self._weighed(network, self.members.completed(ratings)[0])

    def mixed_at(self, network: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """The same at cells of the matrix, of positions that broadcast."""
        return self._weighed(network, self._of_matrix[0][:, rows, cols])

    def half_widths_at(
        self, level: float, network: np.ndarray, rows: np.ndarray | slice, cols: np.ndarray | slice
    ) -> np.ndarray:
        """Half-widths of intervals at cells of the matrix, from the network's, in rating units."""
        deviation = self._of_matrix[1][rows, cols]
        return self.report.factor * joint_half_widths(self.report.network_weight, level, network, deviation)

    def mixed_without_each(self, network: np.ndarray, entries: np.ndarray, row: int, col: int) -> np.ndarray:
        """(D,) estimates of one cell by all members, each from the matrix without one entry, in rating units.

        The members beside the network are fitted anew to every copy of the matrix, in units of the copy's columns;
        their weights stay those of the whole matrix.

        Parameters
        ----------
        network : ndarray of shape (D,)
            The network's estimates of the cell from each copy.
        entries : ndarray of int, of shape (D,)
            Positions of the entries that the copies lack.
        row, col : int
            The cell.
        """
        ratings = self.ratings
        beside = np.empty((len(self.members), len(entries)))
        for d, entry in enumerate(entries):
            copy = ratings.select(np.delete(np.arange(ratings.nnz), entry))
            members = fit_members(copy, self.members.beside, col)
            beside[:, d] = members.completed(copy.select(copy.rows == row))[0][:, row, col]
        return self._weighed(network, beside)

    def _weighed(self, network: np.ndarray, beside: np.ndarray) -> np.ndarray:
        """Estimates of all members, from the network's and those of the members beside it (members, ...)."""
        weights = self.report.weight, self.report.trees_weight
        return self.report.network_weight * network + sum(w * each for w, each in zip(weights, beside))

    @cached_property
    def _of_matrix(self) -> tuple[np.ndarray, np.ndarray]:
        return self.members.completed(self.ratings)


@dataclass(frozen=True, eq=False)
class BlendedIntervals:
    """Half-widths of all members together, in place of ``metamf.imputer.widths.Intervals``.

    Parameters
    ----------
    level : level of the intervals
    network : intervals of the network, whose own factor has no part in these
    blend : the members beside it
    """

    level: float
    network: Intervals
    blend: Blend

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """(n,) half-widths at cells, in rating units."""
        network = self.network.at(rows, cols) / self.network.factor
        return self.blend.half_widths_at(self.level, network, rows, cols)

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        """(n, m) half-widths at all cells of some rows and columns, in rating units."""
        network = self.network.block(rows, cols) / self.network.factor
        return self.blend.half_widths_at(self.level, network, rows, cols)


def fit_blend(ratings: Ratings, held_out: Sequence[HeldOut], beside: Beside = "normal") -> Blend:
    """The members beside the network of a matrix, and their weights.

    Parameters
    ----------
    ratings : the observed entries, in rating units
    held_out : divisions of them, with the network's estimates of the hidden parts; without any the weights are equal
    beside : 'normal'; or 'trees', the normal distribution and trees, in a matrix that is small enough for them
    """
    members = fit_members(ratings, beside)
    found = [_scored(each, members) for each in held_out]
    equal, with_trees = 1 / (1 + len(members)), members.trees is not None
    if not found:
        nan = float("nan")
        return Blend(ratings, members, BlendReport(equal, 0, nan, nan, nan, 1.0, equal if with_trees else 0.0))
    errors = np.concatenate([fit.errors for fit in found], axis=1)
    weights = stacked_weights(errors)
    network, normal, *trees = (float(np.sqrt(np.mean(each**2))) for each in errors)
    both = float(np.sqrt(np.mean((weights @ errors) ** 2)))
    report = BlendReport(float(weights[1]), errors.shape[1], network, normal, both)
    if with_trees:
        report = replace(report, trees_weight=float(weights[2]), trees_error=trees[0])
    widths = [(fit, each.half_widths) for fit, each in zip(found, held_out) if each.half_widths is not None]
    if widths:
        report = replace(report, factor=_factor(weights, widths))
    return Blend(ratings, members, report)


def stacked_weights(errors: np.ndarray) -> np.ndarray:
    """(K,) weights of members, not negative and one together, from their errors (K, n) on hidden entries.

    They minimise the sum of (w . errors)^2, and ``HALF_WEIGHT`` more entries ask for equal weights. Exact: the minimum
    for each set of members that weigh something is a linear system, and the best of those without a negative weight is
    the answer.
    """
    K, n = errors.shape
    apart = np.mean([np.mean((errors[i] - errors[j]) ** 2) for i, j in combinations(range(K), 2)])
    prior = HALF_WEIGHT / 2 * apart
    equal = np.full(K, 1 / K)
    if not prior > 0:
        return equal
    H, b = errors @ errors.T + prior * np.eye(K), prior * equal
    best, lowest = equal, np.inf
    for size in range(1, K + 1):
        for some in map(list, combinations(range(K), size)):
            inverse = np.linalg.inv(H[np.ix_(some, some)])
            pull, ones = inverse @ b[some], inverse.sum(axis=1)
            w = np.zeros(K)
            w[some] = pull + ones * (1 - pull.sum()) / ones.sum()
            if (w >= 0).all() and (value := w @ H @ w - 2 * b @ w) < lowest:
                best, lowest = w, value
    return best


def joint_half_widths(network_weight: float, level: float, network: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Half-widths from the network's half-widths and the standard deviations of the normal distribution."""
    normal = scipy.stats.norm.ppf((1 + level) / 2) * deviation
    return np.sqrt(network_weight * network**2 + (1 - network_weight) * normal**2)


@dataclass(frozen=True, eq=False)
class _Scored:
    """Errors of all members on hidden entries.

    Attributes
    ----------
    errors : (K, n) estimate minus truth, in units of the spread of their columns; the network comes first
    deviation : (n,) predictive standard deviations of the normal distribution, in rating units
    spread : (n,) spread of the columns
    """

    errors: np.ndarray
    deviation: np.ndarray
    spread: np.ndarray


def _scored(held: HeldOut, of_matrix: ColumnMembers) -> _Scored:
    given, hidden = held.given, held.hidden
    estimates, deviation = fit_members(given, of_matrix.beside).completed(given)
    at = hidden.rows, hidden.cols
    spread = of_matrix.units.std[hidden.cols]
    errors = (np.vstack([held.estimates, estimates[:, *at]]) - hidden.values) / spread
    return _Scored(errors, deviation[at], spread)


def _factor(weights: np.ndarray, parts: Sequence[tuple[_Scored, dict[float, np.ndarray]]]) -> float:
    """The factor of the half-widths of all members together."""

    def ratio(fit: _Scored, level: float, half: np.ndarray) -> np.ndarray:
        error = np.abs(weights @ fit.errors) * fit.spread
        return error / joint_half_widths(weights[0], level, half, fit.deviation)

    return factor_of(
        {level: np.concatenate([ratio(fit, level, half[level]) for fit, half in parts]) for level in CHECKED_LEVELS}
    )

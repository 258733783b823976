"""The methods that the default of ``MetaMFImputer`` is compared with on real tables, and ours.

A method takes the given cells, (N, M) with NaN elsewhere, and answers for all cells in the table's
own units. ``benchmarks.tables.run`` cuts estimates at the lowest and highest given value of the
column. The others of docs/benchmark.md are at commit 42e39bc3, the copula at 0eae8d7f.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.stats
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer
from sklearn.linear_model import BayesianRidge

from benchmarks.rows import INTERVAL_LEVELS
from metamf import MetaMFImputer

ITERATIONS, TOLERANCE = 60, 1e-4  # at most; relative change of the covariance at which to stop


class Completion(NamedTuple):
    """A method's answer for all cells, in the table's units."""

    mean: np.ndarray  # (N, M) estimates
    #: level -> (N, M) half-widths of its intervals, if it gives any
    half_widths: dict[float, np.ndarray] | None = None


Fill = Callable[[np.ndarray, int], Completion]  # of the given cells and a seed


class Competitor(NamedTuple):
    """A competitor, or ours."""

    fill: Fill
    version: int = 1  # a new number where its results are to be recomputed


class Units(NamedTuple):
    """Means and spreads of the columns, (M,) each."""

    mean: np.ndarray
    spread: np.ndarray

    @classmethod
    def of(cls, given: np.ndarray) -> Units:
        spread = np.nanstd(given, axis=0)
        return cls(np.nanmean(given, axis=0), np.where(spread > 0, spread, 1.0))

    def apply(self, values: np.ndarray) -> np.ndarray:
        return (values - self.mean) / self.spread

    def undo(self, values: np.ndarray) -> np.ndarray:
        return values * self.spread + self.mean


def within(estimates: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Estimates that are numbers, between the lowest and the highest given value of each column."""
    estimates = np.where(np.isfinite(estimates), estimates, np.nanmean(given, axis=0))
    return np.clip(estimates, np.nanmin(given, axis=0), np.nanmax(given, axis=0))


def iterative(make: Callable[[int], object]) -> Fill:
    """scikit-learn's IterativeImputer with ten rounds, as by default, on columns in their own
    units."""

    def fill(given: np.ndarray, seed: int) -> Completion:
        units = Units.of(given)
        z = units.apply(given)
        ends = {"min_value": np.nanmin(z, axis=0), "max_value": np.nanmax(z, axis=0)}
        imputer = IterativeImputer(make(seed), **ends, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return Completion(units.undo(imputer.fit_transform(z)))

    return fill


def normal(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Conditional means and variances of all cells given the observed cells of their row, (N, M)
    each, by a multivariate normal distribution over the columns, fitted by EM, its covariance
    shrunken to its diagonal.

    z : (N, M) columns in their own units, NaN where nothing is observed

    The textbook form, kept apart from the library's own: rows are independent draws of N(mu, S);
    the E step completes each row by its conditional mean and covariance given what is observed, the
    M step takes the mean and the covariance of the completed rows, with as many more rows as there
    are columns whose covariance is diagonal (an inverse Wishart prior). Little and Rubin,
    "Statistical Analysis with Missing Data", Section 11.2.
    """
    N, M = z.shape
    seen = ~np.isnan(z)
    both_seen = seen[:, :, None] & seen[:, None, :]  # (N, M, M)
    both_missing = ~seen[:, :, None] & ~seen[:, None, :]
    # makes the unobserved part of S invertible
    filler = np.where(seen, 0.0, 1.0)[:, :, None] * np.eye(M) + 1e-9 * np.eye(M)
    mu, S = np.zeros(M), np.eye(M)
    for _ in range(ITERATIONS):
        inverse = np.where(both_seen, np.linalg.inv(np.where(both_seen, S, 0) + filler), 0)
        weights = np.einsum("nab,nb->na", inverse, np.where(seen, z - mu, 0))  # (N, M)
        mean = np.where(seen, z, mu + weights @ S)
        covariance = np.where(both_missing, S - S @ inverse @ S, 0)  # (N, M, M)
        new = mean.mean(axis=0)
        squares = (mean - new).T @ (mean - new) + covariance.sum(axis=0)
        before, S = S, (squares + M * np.diag(np.diag(squares) / N)) / (N + M)
        mu = new
        if np.abs(S - before).max() < TOLERANCE * np.abs(S).max():
            break
    return mean, np.maximum(np.diagonal(covariance, axis1=1, axis2=2), 0)


def normal_by_em(given: np.ndarray, seed: int) -> Completion:
    units = Units.of(given)
    mean, variance = normal(units.apply(given))
    deviation = np.sqrt(variance) * units.spread
    half_widths = {p: scipy.stats.norm.ppf((1 + p) / 2) * deviation for p in INTERVAL_LEVELS}
    return Completion(units.undo(mean), half_widths)


def ours(**parameters) -> Fill:
    """What a user gets with these parameters of ``MetaMFImputer``; with none by default."""

    def fill(given: np.ndarray, seed: int) -> Completion:
        imputer = MetaMFImputer(random_state=seed, **parameters).fit(given)
        answers = {level: imputer.impute(interval=level) for level in INTERVAL_LEVELS}
        half_widths = {level: answer.half_width for level, answer in answers.items()}
        return Completion(answers[0.9].mean, half_widths)

    return fill


#: By key, the fast ones first: so are they run.
COMPETITORS = {
    "normal": Competitor(normal_by_em),
    "iterative": Competitor(iterative(lambda seed: BayesianRidge())),
    "universal": Competitor(ours(checkpoint="universal", standardize="matrix"), 2),
    "default": Competitor(ours(), 10),
    "tuned": Competitor(ours(tune="auto"), 2),
    # a hundred trees, as missForest has
    "forest": Competitor(iterative(lambda seed: ExtraTreesRegressor(100, random_state=seed))),
}

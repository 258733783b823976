"""Methods by which a person would fill a table in, each with settings chosen on the given cells, and ours.

A method takes the given cells, (N, M) with NaN elsewhere, and answers for all cells in the table's own units. Settings
are chosen by hiding a tenth of the given cells (``by_best_setting``), among them the units of a method that knows none
of its own. ``benchmarks.tables.run`` cuts estimates at the lowest and highest given value of the column.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.stats
import torch
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import BayesianRidge

from benchmarks.rows import INTERVAL_LEVELS
from benchmarks.tables.copula import copula
from benchmarks.tables.normal import normal
from metamf import Answer, MetaMFImputer, Ratings
from metamf.baselines import METHODS, fit_variances
from metamf.baselines.als import ALSConfig
from metamf.baselines.crossed_effects import CrossedEffects
from metamf.ratings.batch import RatingsBatch

RANKS, PRECISIONS = (1, 2, 4, 8, 16), (1.0, 4.0, 16.0)  # of ALS
NEIGHBOURS = (1, 2, 5, 10, 20, 30)
BY_COLUMN = True, False  # whether each column has units of its own


class Completion(NamedTuple):
    """A method's answer for all cells, in the table's units."""

    mean: np.ndarray  # (N, M) estimates
    half_widths: dict[float, np.ndarray] | None = None  # level -> (N, M) of its intervals, if it gives any


class Completions(NamedTuple):
    """Answers of one fit of ours: the network alone, and both members."""

    network: Completion
    both: Completion
    imputer: MetaMFImputer  # fitted, whose network can be kept


class Competitor(NamedTuple):
    """A competitor, or ours. ``benchmarks.report.tables`` has its name in tables."""

    fill: Callable[..., Completion | Completions]  # of the given cells and a seed
    version: int = 1  # a new number where its results are to be recomputed
    of_tuned: bool = False  # whether ``fill`` also takes the path of the network that 'tuned' has kept for these cells


class Units(NamedTuple):
    """Means and spreads, (M,) each: of every column, or one for all."""

    mean: np.ndarray
    spread: np.ndarray

    @classmethod
    def of(cls, given: np.ndarray, by_column: bool = True) -> Units:
        axis, M = 0 if by_column else None, given.shape[1]
        mean, spread = (np.broadcast_to(of(given, axis=axis), M) for of in (np.nanmean, np.nanstd))
        return cls(mean, np.where(spread > 0, spread, 1.0))

    def apply(self, values: np.ndarray) -> np.ndarray:
        return (values - self.mean) / self.spread

    def undo(self, values: np.ndarray) -> np.ndarray:
        return values * self.spread + self.mean


def by_best_setting(
    fit: Callable[..., np.ndarray], settings: Iterable[tuple], given: np.ndarray, seed: int
) -> np.ndarray:
    """The estimates of the setting with the lowest error on a tenth of the given cells, refitted to all of them."""
    settings = list(settings)
    rng = np.random.default_rng([seed, 7])
    cells = np.argwhere(~np.isnan(given))
    left = (~np.isnan(given)).sum(axis=0)
    held = []
    for n, m in cells[rng.permutation(len(cells))]:
        if len(held) >= max(1, len(cells) // 10):
            break
        if left[m] > 2:
            held.append((n, m))
            left[m] -= 1
    rows, cols = np.array(held).T
    part = given.copy()
    part[rows, cols] = np.nan
    spread = Units.of(given).spread[cols]

    def error(setting: tuple) -> float:
        estimate = within(fit(part, *setting), part)[rows, cols]
        return float(np.mean(((estimate - given[rows, cols]) / spread) ** 2))

    return fit(given, *min(settings, key=error))


def within(estimates: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Estimates that are numbers, between the lowest and the highest given value of each column."""
    estimates = np.where(np.isfinite(estimates), estimates, np.nanmean(given, axis=0))
    return np.clip(estimates, np.nanmin(given, axis=0), np.nanmax(given, axis=0))


# -- what others use --------------------------------------------------------------------------------------------------


def column_mean(given: np.ndarray, seed: int) -> Completion:
    return Completion(np.broadcast_to(np.nanmean(given, axis=0), given.shape))


def of_the_library(key: str, configs: Iterable | None = None) -> Callable[[np.ndarray, int], Completion]:
    """A method of ``metamf.baselines``, with the configurations to choose from, by default those of its own grid."""
    settings = list(product(METHODS[key].grid if configs is None else configs, BY_COLUMN))

    def fit(given: np.ndarray, config, by_column: bool) -> np.ndarray:
        units = Units.of(given, by_column)
        return units.undo(_predicted(METHODS[key].build(config), units.apply(given)))

    return lambda given, seed: Completion(by_best_setting(fit, settings, given, seed))


def crossed_effects(given: np.ndarray, seed: int) -> Completion:
    def fit(given: np.ndarray, by_column: bool) -> np.ndarray:
        units = Units.of(given, by_column)
        z = units.apply(given)
        return units.undo(_predicted(CrossedEffects(fit_variances(_batch(z))), z))

    return Completion(by_best_setting(fit, product(BY_COLUMN), given, seed))


def knn(given: np.ndarray, seed: int) -> Completion:
    def fit(given: np.ndarray, neighbours: int, weights: str) -> np.ndarray:
        units = Units.of(given)
        return units.undo(KNNImputer(n_neighbors=neighbours, weights=weights).fit_transform(units.apply(given)))

    return Completion(by_best_setting(fit, product(NEIGHBOURS, ("uniform", "distance")), given, seed))


def iterative(make: Callable[[int], object]) -> Callable[[np.ndarray, int], Completion]:
    """scikit-learn's IterativeImputer with ten rounds, as by default, on columns in their own units."""

    def fill(given: np.ndarray, seed: int) -> Completion:
        units = Units.of(given)
        z = units.apply(given)
        ends = {"min_value": np.nanmin(z, axis=0), "max_value": np.nanmax(z, axis=0)}
        imputer = IterativeImputer(make(seed), **ends, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return Completion(units.undo(imputer.fit_transform(z)))

    return fill


def normal_by_em(given: np.ndarray, seed: int) -> Completion:
    units = Units.of(given)
    mean, variance = normal(units.apply(given))
    deviation = np.sqrt(variance) * units.spread
    return Completion(units.undo(mean), {p: scipy.stats.norm.ppf((1 + p) / 2) * deviation for p in INTERVAL_LEVELS})


# -- ours -------------------------------------------------------------------------------------------------------------


def ours(**parameters) -> Callable[[np.ndarray, int], Completions]:
    """The universal checkpoint; tuning has no time limit here, since results must not depend on the load."""

    def fill(given: np.ndarray, seed: int) -> Completions:
        imputer = MetaMFImputer(random_state=seed, tune_seconds=None, members="normal", **parameters).fit(given)
        both = {level: imputer.imputation(level) for level in INTERVAL_LEVELS}
        alone = {
            level: replace(
                result,
                estimates=replace(result.estimates, ensemble=None, guard=None),
                half_widths=replace(result.half_widths, ensemble=None, guard=None),
            )
            for level, result in both.items()
        }
        return Completions(*(_answer(results) for results in (alone, both)), imputer)

    return fill


def by_default(given: np.ndarray, seed: int) -> Completion:
    """What a user gets who asks for nothing."""
    imputer = MetaMFImputer(random_state=seed, guard="quiet").fit(given)
    return _answer({level: imputer.imputation(level) for level in INTERVAL_LEVELS})


def three_members(given: np.ndarray, seed: int, network: str | Path = "universal") -> Completion:
    """The network, or one that was tuned to these cells, with the normal distribution and trees next to it."""
    imputer = MetaMFImputer(network, standardize="chosen", random_state=seed, members="trees").fit(given)
    return _answer({level: imputer.imputation(level) for level in INTERVAL_LEVELS})


def _answer(results: dict[float, Answer]) -> Completion:
    return Completion(results[0.9].mean, {level: result.half_width for level, result in results.items()})


def _batch(z: np.ndarray) -> RatingsBatch:
    return RatingsBatch.of([Ratings.from_dense(z)])


@torch.no_grad()
def _predicted(method, z: np.ndarray) -> np.ndarray:
    """(N, M) the estimates of a method of the library for all cells, in the units of ``z``."""
    N, M = z.shape
    rows, cols = torch.arange(N).repeat_interleave(M), torch.arange(M).repeat(N)
    return method.adapt(_batch(z)).predict(rows, cols).double().numpy().reshape(N, M)


ALS_GRID = [ALSConfig(precision, True, rank) for rank in RANKS for precision in PRECISIONS]

#: By key, the fast ones first: so are they run.
COMPETITORS = {
    "column_mean": Competitor(column_mean),
    "damped": Competitor(of_the_library("damped_bias")),
    "crossed": Competitor(crossed_effects),
    "normal": Competitor(normal_by_em),
    "iterative": Competitor(iterative(lambda seed: BayesianRidge())),
    "knn": Competitor(knn),
    "soft_impute": Competitor(of_the_library("soft_impute")),
    "universal": Competitor(ours(standardize="matrix"), 2),
    "units": Competitor(ours(standardize="chosen"), 2),
    "default": Competitor(by_default, 3),
    "units + trees": Competitor(three_members, 2),
    "tuned": Competitor(ours(standardize="chosen", tune="auto")),
    "tuned + trees": Competitor(three_members, 2, of_tuned=True),
    "als": Competitor(of_the_library("als", ALS_GRID)),
    "copula": Competitor(lambda given, seed: Completion(copula(given, seed)), 2),
    "forest": Competitor(iterative(lambda seed: ExtraTreesRegressor(100, random_state=seed))),  # 100, as missForest
}
AND_NORMAL = " + normal"  # after the key: with the second member

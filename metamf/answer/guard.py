"""The guard: no column of a table is filled in worse than by its own mean.

Where columns have units of their own, some given entries are hidden, and the estimates are compared with the mean of
the other entries of their column, shrunken as the units are (``metamf.ratings.units.LinePrior``). A column whose
estimates are worse beyond chance (``metamf.answer.significance``) gets that mean: both of its limits are set to it, so
that it stands wherever an estimate is cut. Whatever was misread, or is unlike anything that the network has seen, does
no more harm than the mean.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch

from metamf.answer.hidden_check import FARTHEST_ERROR
from metamf.answer.significance import beyond_chance
from metamf.answer.unit_selection import FEWEST_TO_CHOOSE
from metamf.learning.episodes import canonical_lines, canonical_order, divide_entries
from metamf.network.protocol import Network
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.limits import ColumnLimits
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import SidedStandardization, SidedUnits

MOST_COLUMNS = 10_000  # of a matrix that is guarded
MOST_ENTRIES = 2_500  # of more entries those of random rows decide, in a tenth of the time of the fit
DIVISIONS, HIDDEN_SHARE = 2, 0.25


class GuardWarning(UserWarning):
    """Estimates of a column were worse than its mean on hidden entries, so its mean was used."""


class HiddenErrors(NamedTuple):
    """Errors on hidden entries, in units of the spread of their columns."""

    cols: np.ndarray  # (n,)
    errors: np.ndarray  # (n,) of the estimates
    of_mean: np.ndarray  # (n,) of the shrunken mean of the column

    @classmethod
    def of(cls, given: Ratings, hidden: Ratings, estimates: np.ndarray, rule: SidedUnits) -> HiddenErrors:
        """Those of ``estimates`` of the ``hidden`` entries, in rating units, cut as they would be."""
        units = rule.of(given)
        at = hidden.rows, hidden.cols
        limits = rule.limits(given, None)
        cut = limits.clip_at(estimates, *at) if isinstance(limits, ColumnLimits) else estimates
        spread = units.std[hidden.cols]
        return cls(hidden.cols, (cut - hidden.values) / spread, (units.mean[hidden.cols] - hidden.values) / spread)


@torch.inference_mode()
def hidden_errors(network: Network, ratings: Ratings, rule: SidedUnits, steps: int | None) -> list[HiddenErrors]:
    """The errors of a network on entries that are hidden from it, for each division; none for a small matrix."""
    if ratings.nnz < FEWEST_TO_CHOOSE:
        return []
    rng = np.random.default_rng(2)
    if ratings.nnz > MOST_ENTRIES:
        rows = rng.permutation(canonical_lines(ratings)[0])
        few = np.sort(rows[: max(2, round(ratings.n_rows * MOST_ENTRIES / ratings.nnz))])
        ratings = ratings.submatrix(few, np.arange(ratings.n_cols))
    order = canonical_order(ratings)
    divisions = [divide_entries(ratings, 1 - HIDDEN_SHARE, rng, order) for _ in range(DIVISIONS)]
    units = [rule.of(division.support) for division in divisions]
    given = [_standardized(division.support, found) for division, found in zip(divisions, units)]
    adapted = network.adapt(RatingsBatch.of(given, network.dtype), steps, "auto")
    N, M = ratings.shape
    found = []
    for index, (division, of_given) in enumerate(zip(divisions, units)):
        query = division.query
        at = torch.from_numpy(query.rows + N * index), torch.from_numpy(query.cols + M * index)
        z = adapted.predict(*at).double().cpu().numpy()
        found.append(HiddenErrors.of(division.support, query, of_given.undo_at(z, query.rows, query.cols), rule))
    return found


def _standardized(ratings: Ratings, units: SidedStandardization) -> Ratings:
    z = units.apply_at(ratings.values.astype(np.float64), ratings.rows, ratings.cols)
    return ratings.with_values(z.clip(-1e6, 1e6))


def worse_than_mean(parts: list[HiddenErrors], M: int) -> dict[int, float]:
    """Columns whose estimates are worse than their mean beyond chance, with the ratio of the two typical errors."""
    if not parts:
        return {}
    cols, errors, of_mean = (np.concatenate(each) for each in zip(*parts))
    squares = [np.minimum(np.nan_to_num(each**2, nan=np.inf), FARTHEST_ERROR**2) for each in (errors, of_mean)]
    loss = squares[0] - squares[1]
    found = {}
    for m in np.flatnonzero(np.bincount(cols, loss, M) > 0).tolist():
        own = cols == m
        n = int(np.count_nonzero(own))
        error = loss[own].std(ddof=1) / np.sqrt(n / len(parts)) if n > 1 else np.inf  # hidden in several divisions
        if beyond_chance(float(loss[own].mean()), float(error), n - 1):
            found[m] = float(np.sqrt(np.square(errors[own]).mean() / max(np.square(of_mean[own]).mean(), 1e-300)))
    return found


def pinned(limits: ColumnLimits, units: SidedStandardization, columns: dict[int, float]) -> ColumnLimits:
    """The limits, with the shrunken mean of each of ``columns`` as both of its limits."""
    at = list(columns)
    lower, upper = limits.lower.copy(), limits.upper.copy()
    lower[at] = upper[at] = np.clip(units.mean[at], lower[at], upper[at])
    return replace(limits, lower=lower, upper=upper)

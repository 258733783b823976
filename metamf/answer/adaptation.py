"""The state of a fitted imputer: a matrix, and a pretrained model adapted to it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from metamf.answer.answer import Answer, Trajectory
from metamf.answer.calibration import HeldOut, held_out, width_factor
from metamf.answer.ensemble import AskedMembers, Ensemble, fit_ensemble, most_members, usual_members
from metamf.answer.guard import MOST_COLUMNS, Guard, HiddenErrors, guard_of, hidden_errors, worse_than_mean
from metamf.answer.hidden_check import answers_of, in_units
from metamf.answer.unit_selection import chosen_units
from metamf.checkpoints.bundled import open_checkpoint
from metamf.checkpoints.files import Checkpoint
from metamf.learning.tuning import Tuning, TuningOutcome, TuningProgress
from metamf.network.protocol import Adapted, Network, StepRule
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.limits import ColumnLimits
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import By, SidedStandardization, Standardization, Standardize, UnitRule

# Sweeps after which the factors have converged where units differ by side; measured by
# ``benchmarks.accuracy.sensitivity``. On rating matrices in units of the whole more sweeps make no difference. A tuning
# chooses between these and the checkpoint's T.
CONVERGED = 16
ENSEMBLE_DIVISIONS = 3  # divisions of the entries that weigh the members where nothing was tuned
COPIES_AT_ONCE = 25  # copies of a matrix between two calls of ``progress`` with more members
ENTRIES_AT_ONCE = 200_000  # entries of all copies of a matrix that are read as one batch; about 100 MB

_computed_in: int | None = None  # the process that computed last


def refuse_to_hang() -> None:
    """Raises RuntimeError in a process that was forked after its parent computed: torch's threads are lost in it, and
    the first operation that is shared among several would wait for them forever."""
    global _computed_in
    if _computed_in not in (None, os.getpid()) and torch.get_num_threads() > 1:
        raise RuntimeError(
            "this process was forked from one that has used MetaMF, and torch's threads do not survive a fork: call "
            "torch.set_num_threads(1) in it first, or start it by 'spawn' or 'forkserver' (multiprocessing) or 'loky' "
            "(joblib)"
        )
    _computed_in = os.getpid()


@dataclass(frozen=True, eq=False)
class NetworkEstimates:
    """The source of a network's estimates after the last round, and of those of the members next to it, if any."""

    path: Trajectory
    ensemble: Ensemble | None
    guard: Guard | None

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        z = np.vecdot(self.path.U[-1][rows], self.path.V[-1][cols])
        return self._mixed(self.path.standardization.undo_at(z.astype(np.float64), rows, cols), rows, cols)

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        z = self.path.U[-1][rows] @ self.path.V[-1][cols].T  # (n, m)
        found = self.path.standardization.undo_at(z.astype(np.float64), *np.ogrid[rows, cols])
        return self._mixed(found, rows, cols)

    def _mixed(self, network: np.ndarray, rows: np.ndarray | slice, cols: np.ndarray | slice) -> np.ndarray:
        mixed = network if self.ensemble is None else self.ensemble.mixed_at(network, rows, cols)
        return mixed if self.guard is None else self.guard.drawn(mixed, cols)


@dataclass(frozen=True, eq=False)
class NetworkHalfWidths:
    """The source of the half-widths of a network's intervals of one level, or of those of its ensemble."""

    level: float
    half: float  # in predictive standard deviations, the same for all cells
    adapted: Adapted
    standardization: Standardization
    ensemble: Ensemble | None
    guard: Guard | None

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        spread = self.standardization.spread_at(rows, cols)
        return self._joint(self.half * spread * self.adapted.deviation_at(rows, cols), rows, cols)

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        spread = self.standardization.spread_block(rows, cols)
        return self._joint(self.half * spread * self.adapted.deviation_block(rows, cols), rows, cols)

    def _joint(self, network: np.ndarray, rows: np.ndarray | slice, cols: np.ndarray | slice) -> np.ndarray:
        joint = network
        if self.ensemble is not None:
            joint = self.ensemble.half_widths_at(self.level, network, rows, cols)
        return joint if self.guard is None else self.guard.half_widths(self.level, joint, cols)


@dataclass(frozen=True, eq=False)
class Adaptation:
    """A matrix, and a model adapted to it.

    ``scale`` has the limits of estimates: the scale of the ratings where it is known, that of the checkpoint if its
    units are used, near the observed entries of each column if columns have units of their own, or else the range of
    the observed entries; None if these are one value.
    """

    ratings: Ratings  # the observed entries, in rating units
    checkpoint: Checkpoint  # shared with other adaptations
    adapted: Adapted  # in standardised units
    unit_rule: UnitRule  # by which the units follow from the observed entries
    standardization: Standardization  # the resulting units
    scale: RatingScale | ColumnLimits | None
    steps: int | None  # requested number of rounds; None: the checkpoint's T
    tuning_outcome: TuningOutcome | None = None
    ensemble: Ensemble | None = None  # with members next to the model
    width_factor: float = 1.0  # on the half-widths of a model that was tuned, now or before it was saved
    worse: Mapping[int, float] = field(default_factory=dict)  # columns worse than their mean, with the ratio of errors
    guard: Guard | None = None  # where columns have units of their own

    @property
    def guarded(self) -> Mapping[int, float]:
        """The columns that get their mean, with the ratio of the errors of the estimates and of the mean."""
        return {} if self.guard is None else self.worse

    @property
    def network(self) -> Network:
        """The checkpoint's network, tuned or not."""
        return self.checkpoint.network

    @property
    def batch(self) -> RatingsBatch:
        """The matrix in standardised units, as the model reads it."""
        return _batch(self.ratings, self.standardization, self.network)

    def fold_in(self, ratings: Ratings) -> np.ndarray:
        """(N', K) factors of the rows of a matrix with the same columns, in standardised units."""
        refuse_to_hang()
        units = self.standardization.of_new_rows(ratings)
        batch = _batch(ratings, units, self.network)
        with torch.inference_mode():
            return self.network.fold_in(batch, self.adapted).cpu().numpy()

    def answer(self, level: float | None, clip: bool) -> Answer:
        """The estimates, with intervals of ``level`` if given, within ``scale`` if ``clip``.

        Raises ValueError for a model that gives no intervals, or none of this level.
        """
        path, N = self.adapted.path.cpu().numpy(), self.ratings.n_rows  # (T + 1, N + M, K)
        trajectory = Trajectory(path[:, :N], path[:, N:], self.standardization.of_products)
        half_widths = None
        if level is not None:
            half = self.network.half_width(self.adapted, self.batch, level, self.unit_rule.scale_weighs_in)
            if half is None:
                name = self.checkpoint.info.name
                raise ValueError(f"checkpoint {name!r} gives no intervals: use checkpoint='universal'")
            half *= 1.0 if self.ensemble is not None else self.width_factor  # an ensemble has a factor of its own
            half_widths = NetworkHalfWidths(level, half, self.adapted, self.standardization, self.ensemble, self.guard)
        return Answer(
            self.ratings,
            NetworkEstimates(trajectory, self.ensemble, self.guard),
            self.scale if clip else None,
            half_widths,
            level,
            self.checkpoint.info.name,
            trajectory,
            self.adapted.rule,
        )

    def estimates_without(
        self, entries: np.ndarray, row: int, col: int, progress: Callable[[int, int], None] | None = None
    ) -> np.ndarray:
        """``MetaMFImputer.estimates_without``, unclipped.

        As many copies of the matrix as fit into ``ENTRIES_AT_ONCE`` are adapted to as one batch. If all copies together
        have more entries than the model reads in double precision, they are read in single precision, in a third of the
        time. ``progress(done, D)`` is called before each batch.
        """
        if self.ratings.nnz < 2:
            raise ValueError("1 observed entry: leaving it out leaves nothing to estimate from")
        refuse_to_hang()
        D = len(entries)
        at_once = max(1, ENTRIES_AT_ONCE // self.ratings.nnz)
        cell = np.array(row), np.array(col)
        if self.ensemble is not None:
            at_once = min(at_once, COPIES_AT_ONCE)
        network = self.network if D * self.ratings.nnz <= self.network.double_up_to else self.network.single()
        found = []
        for start in range(0, D, at_once):
            if progress is not None:
                progress(start, D)
            part = entries[start : start + at_once]
            found.append(self._without_each(network, part, row, col))
            if self.ensemble is not None:
                found[-1] = self.ensemble.mixed_without_each(found[-1], part, row, col)
            if self.guard is not None:
                mean = np.array([self.unit_rule.of(self._without(entry)).undo_at(np.zeros(1), *cell) for entry in part])
                found[-1] = self.guard.drawn(found[-1], cell[1], mean[:, 0])
        return np.concatenate(found) if found else np.empty(0)

    def _without(self, entry: int) -> Ratings:
        return self.ratings.select(np.delete(np.arange(self.ratings.nnz), entry))

    def _without_each(self, network: Network, entries: np.ndarray, row: int, col: int) -> np.ndarray:
        answers = answers_of(
            network,
            self.unit_rule,
            [self._without(entry) for entry in entries],
            steps=self.steps,
            step_rule=self.adapted.step_rule,
        )
        return np.concatenate([answer.at(np.array([row]), np.array([col])) for answer in answers])


def adapt(
    ratings: Ratings,
    checkpoint: str | Path,
    *,
    standardize: Standardize = "auto",
    steps: int | None = None,
    step_rule: StepRule = "auto",
    device: str = "cpu",
    tuning: Tuning | None = None,
    members: AskedMembers | None = None,
    guard: bool | Literal["quiet"] = True,
    progress: Callable[[TuningProgress], object] | None = None,
) -> Adaptation:
    """Adapts a checkpoint's model to a matrix; parameters and errors are those of ``MetaMFImputer.fit``.

    ``tuning`` : how the model is tuned to the matrix before it adapts, with calls of ``progress``; None: not at all.
    ``guard`` : whether columns with units of their own are guarded (``metamf.answer.guard``), and those of a matrix of
        one scale looked at, unless 'quiet'.
    """
    if ratings.nnz == 0:
        raise ValueError(f"no entry of the {ratings.n_rows} x {ratings.n_cols} matrix is observed: give at least one")
    refuse_to_hang()
    opened = open_checkpoint(checkpoint, device)
    single = opened.network
    if ratings.nnz <= opened.network.double_up_to:
        opened = open_checkpoint(checkpoint, device, torch.float64)
    info = opened.info
    tuned_before = info.tuning_seed  # of a network that was tuned and saved
    auto = standardize in ("auto", "chosen")
    rule = opened.units(ratings, "auto" if auto else standardize)
    chosen = auto and ratings.scale is None and rule.gives_way
    if chosen:
        rule = chosen_units(opened.network, ratings, rule)
    standardization = rule.of(ratings)
    outcome = None
    factor = info.width_factor
    rounds: list[int] = []
    if steps is None and info.round_name == "sweep":
        T = opened.network.config.steps
        rounds = [T, CONVERGED] if rule.by is None else [CONVERGED, T]
        steps = info.rounds or rounds[0]
    if tuning is not None:
        opened, outcome = opened.tuned(in_units(ratings, standardization), tuning, progress, rounds)
        steps = outcome.rounds or steps
        single = opened.network.single()
    network = opened.network
    scale = ratings.scale or rule.limits(ratings, info.scale)
    with torch.inference_mode():
        adapted = network.adapt(_batch(ratings, standardization, network), steps, step_rule)
    if members == "auto":
        asked = info.gives_intervals and (chosen or rule.by is By.COLUMN)
        members = usual_members(ratings, rule.by) if asked else None
    elif most_members(ratings) is None:
        members = None
    ensemble = None
    parts: list[HeldOut] = []
    if members is not None or outcome is not None:
        seen_by_none = tuned_before if tuning is None else tuning.seed  # a saved network has seen all other parts
        parts = list(
            held_out(
                network,
                in_units(ratings, standardization),
                standardization,
                range(ENSEMBLE_DIVISIONS) if seen_by_none is None else [seen_by_none],
                steps=steps,
                step_rule=adapted.step_rule,
                scale_weighs_in=rule.scale_weighs_in,
            )
        )
        ensemble = None if members is None else fit_ensemble(ratings, parts, members)
        factor = factor if outcome is None else width_factor(parts)
    found = Adaptation(ratings, opened, adapted, rule, standardization, scale, steps, outcome, ensemble, factor)
    own = rule.by is By.COLUMN
    looked_at = guard and (own or guard != "quiet") and info.gives_intervals and ratings.n_cols <= MOST_COLUMNS
    return _guarded(found, parts, single) if looked_at else found


def _guarded(found: Adaptation, parts: list[HeldOut], single: Network) -> Adaptation:
    """With the columns whose estimates are worse than their mean and, where columns have units of their own, a guard.

    ``parts`` weighed the members of the ensemble; without any, the network in single precision, ``single``, estimates
    hidden entries.
    """
    if found.ensemble is not None and parts:
        pairs = zip(parts, found.ensemble.hidden_estimates)
        errors = [HiddenErrors.of(part.given, part.hidden, estimates, found.unit_rule) for part, estimates in pairs]
    else:
        errors = hidden_errors(single, found.ratings, found.unit_rule, found.steps)
    worse = worse_than_mean(errors, found.ratings.n_cols)
    units = found.standardization
    guard = None
    if isinstance(units, SidedStandardization) and units.by is By.COLUMN:
        guard = guard_of(errors, units, worse, found.ratings.col_counts)
    return replace(found, worse=worse, guard=guard)


def _batch(ratings: Ratings, units: Standardization, network: Network) -> RatingsBatch:
    return RatingsBatch.of([in_units(ratings, units)], network.dtype, network.device)

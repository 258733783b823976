"""A matrix, and the models that were fitted to it: what a ``MetaMFImputer``, the command and the
pages fill in by."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from metamf.answer.answer import Answer, Trajectory, Weighing, products
from metamf.answer.crossfit import (
    CHECKED_LEVELS,
    FARTHEST,
    FARTHEST_READ,
    TABLE,
    WEIGHT_OF_ONE_UNIT,
    WEIGHT_OF_OWN_UNITS,
    CrossFit,
    Said,
    deciding_part,
    divisions_of,
    factor_of,
    in_units,
    joint_half_widths,
    lines_vary,
    possible_rules,
    said_by_network,
    said_by_table,
    table_factor,
)
from metamf.answer.guard import Guard, HiddenErrors, by_name, guard_of, worse_than_mean
from metamf.answer.table_model import TableModel, fit_table, is_table
from metamf.checkpoints.bundled import open_checkpoint
from metamf.checkpoints.files import Checkpoint
from metamf.learning.episodes import Episode
from metamf.learning.tuning import Tuning, TuningOutcome, TuningProgress, check_part
from metamf.network.protocol import Adapted, Network, StepRule
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.limits import limited
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import ColumnLimits, RatingScale
from metamf.ratings.threads import run_on_few_cores
from metamf.ratings.units import By, SidedUnits, Standardization, Standardize, UnitRule

UNIVERSAL = "universal"  # the checkpoint that fills in a table whose model nobody names
# Sweeps after which the factors have converged where units differ by side; measured in
# benchmarks/results/sensitivity.csv. On rating matrices in units of the whole more sweeps make no
# difference. A tuning chooses between these and the checkpoint's T.
CONVERGED = 16
UNLIKE = 10.0  # times as far apart, or as wide, as columns of one unit
FEWEST_A_COLUMN = 5  # entries, on average, of a matrix of one unit that gets a table model
# entries of all copies of a matrix that are read as one batch; about 100 MB
ENTRIES_AT_ONCE = 200_000

_computed_in: int | None = None  # the process that computed last


def refuse_to_hang() -> None:
    """Raises RuntimeError in a process that was forked after its parent computed: torch's threads
    are lost in it, and the first operation that is shared among several would wait for them
    forever."""
    global _computed_in
    if _computed_in not in (None, os.getpid()) and torch.get_num_threads() > 1:
        raise RuntimeError(
            "this process was forked from one that has used MetaMF, and torch's threads do not "
            "survive a fork: call "
            "torch.set_num_threads(1) in it first, or start it by 'spawn' or 'forkserver' "
            "(multiprocessing) or 'loky' "
            "(joblib)"
        )
    _computed_in = os.getpid()


@dataclass(frozen=True, eq=False)
class Mixture:
    """The table model next to the network, and its weight."""

    ratings: Ratings
    table: TableModel
    weighing: Weighing

    @cached_property
    def weight(self) -> np.ndarray:
        """(M,) the weight of the table model: none in columns that features alone describe, which
        it does not read."""
        return np.where(described_only(self.ratings), 0.0, self.weighing.weights[TABLE])

    @cached_property
    def completed(self) -> tuple[np.ndarray, np.ndarray]:
        """Estimates and deviations (N, M) of the table model for all cells of the matrix."""
        return self.table.completed(self.ratings)


@dataclass(frozen=True, eq=False)
class Adaptation:
    """A matrix, and a model adapted to it.

    ``scale`` has the limits of estimates: the scale of the ratings where it is known, that of the
    checkpoint if its units are used, near the observed entries of each column if columns have units
    of their own, or else the range of the observed entries; None if these are one value. All lie
    within the known limits of the columns.
    """

    ratings: Ratings  # the observed entries, in rating units
    checkpoint: Checkpoint  # shared with other adaptations
    adapted: Adapted  # in standardised units
    unit_rule: UnitRule  # by which the units follow from the observed entries
    standardization: Standardization  # the resulting units
    scale: RatingScale | ColumnLimits | None
    steps: int | None  # requested number of rounds; None: the checkpoint's T
    tuning_outcome: TuningOutcome | None = None
    mixture: Mixture | None = None  # with the table model next to the network
    # on the half-widths of a model that was tuned, now or before it was saved
    width_factor: float = 1.0
    # columns that get their mean, with the ratio of the errors of the estimates and of the mean
    worse: Mapping[int, float] = field(default_factory=dict)
    guard: Guard | None = None  # of a table
    # (M,) whether a column has no entry, and a unit of its own, so that nothing is known of it
    unknown: np.ndarray | None = None

    @property
    def alone(self) -> bool:
        """Whether the estimates are those of the network alone, whose factors show them."""
        return self.mixture is None and self.guard is None and self.unknown is None

    @property
    def reads_table(self) -> bool:
        """Whether the network of made-up tables is the model next to ``universal``."""
        return self.mixture is not None and self.mixture.table.reads

    @property
    def guarded(self) -> dict[Hashable, float]:
        """``worse`` by the names of the columns, or by their positions where they have none."""
        return by_name(self.worse, self.ratings)

    @property
    def network(self) -> Network:
        """The checkpoint's network, tuned or not."""
        return self.checkpoint.network

    @property
    def batch(self) -> RatingsBatch:
        """The matrix in standardised units, as the model reads it."""
        return _batch(self.ratings, self.standardization, self.network)

    # -- estimates --------------------------------------------------------------------------------

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Estimates at cells of the matrix, of positions that broadcast, in rating units, not
        cut."""
        z = products(self.adapted.U.cpu().numpy(), self.adapted.V.cpu().numpy(), rows, cols)
        found = self.standardization.of_products.undo_at(z, rows, cols)
        table = None if self.mixture is None else self.mixture.completed[0][rows, cols]
        return self._joined(found, table, cols)

    def of_rows(self, ratings: Ratings) -> np.ndarray:
        """(n, M) estimates of all cells of any rows with the same columns, each on its own in the
        context of the columns; not cut."""
        refuse_to_hang()
        at = np.ogrid[: ratings.n_rows, : ratings.n_cols]
        batch = _batch(ratings, self.standardization.of_new_rows(ratings), self.network)
        with torch.inference_mode():
            U = self.network.fold_in(batch, self.adapted).cpu().numpy()
        units = self.standardization.of_products.of_new_rows(ratings)
        found = units.undo_at(products(U, self.adapted.V.cpu().numpy(), *at), *at)
        table = None if self.mixture is None else self.mixture.table.completed(ratings)[0]
        return self._joined(found, table, at[1])

    def _joined(
        self,
        network: np.ndarray,
        table: np.ndarray | None,
        cols: np.ndarray,
        mean: np.ndarray | None = None,
    ) -> np.ndarray:
        """The estimates of cells of columns ``cols`` from those of the network and of the table
        model; the guard draws them to ``mean``, by default the columns' own."""
        found = network
        if self.mixture is not None and table is not None:
            found = network + self.mixture.weight[cols] * (table - network)
        if self.guard is not None:
            found = self.guard.drawn(found, cols, mean)
        return found if self.unknown is None else np.where(self.unknown[cols], np.nan, found)

    def half_widths(
        self, level: float, half: float, rows: np.ndarray, cols: np.ndarray
    ) -> np.ndarray:
        """Half-widths of intervals of ``level`` at cells; ``half`` is that of the network, in its
        predictive standard deviations."""
        spread = self.standardization.spread_at(rows, cols)
        joint = half * spread * self.adapted.deviation_at(rows, cols)
        factor = 1.0
        if self.mixture is not None:
            table = table_factor(level) * self.mixture.completed[1][rows, cols]
            joint = joint_half_widths(self.mixture.weight[cols], joint, table)
            factor = self.mixture.weighing.factor
        if self.guard is not None:
            joint = self.guard.half_widths(level, joint, cols)
        return factor * joint

    def answer(self, level: float | None, clip: bool) -> Answer:
        """The estimates, with intervals of ``level`` if given, within ``scale`` if ``clip``.

        Raises ValueError for a model that gives no intervals, or none of this level.
        """
        name = self.checkpoint.info.name
        half_widths = None
        if level is not None:
            weighs_in = self.unit_rule.scale_weighs_in
            half = self.network.half_width(self.adapted, self.batch, level, weighs_in)
            if half is None:
                raise ValueError(
                    f"checkpoint {name!r} gives no intervals: use checkpoint='universal'"
                )
            if self.mixture is None:  # which has a factor of its own
                half *= self.width_factor
            half_widths = partial(self.half_widths, level, half)
        trajectory = None
        if self.alone:
            path = self.adapted.path.cpu().numpy()  # (T + 1, N + M, K)
            N = self.ratings.n_rows
            trajectory = Trajectory(path[:, :N], path[:, N:], self.standardization.of_products)
        return Answer(
            self.ratings,
            self.at,
            self.scale if clip else None,
            half_widths,
            level,
            name,
            trajectory,
            self.adapted.rule,
            self,
        )

    def estimates_without(
        self,
        entries: np.ndarray,
        row: int,
        col: int,
        progress: Callable[[int, int], None] | None = None,
    ) -> np.ndarray:
        """``MetaMFImputer.estimates_without``, unclipped.

        As many copies of the matrix as fit into ``ENTRIES_AT_ONCE`` are adapted to as one batch,
        and the table model is fitted to each. If all copies together have more entries than the
        network reads in double precision, they are read in single precision, in a third of the
        time. ``progress(done, D)`` is called before each batch.
        """
        nnz = self.ratings.nnz
        if nnz < 2:
            raise ValueError("1 observed entry: leaving it out leaves nothing to estimate from")
        refuse_to_hang()
        D = len(entries)
        at_once = max(1, ENTRIES_AT_ONCE // nnz)
        double = D * nnz <= self.network.double_up_to
        network = self.network if double else self.network.single()
        cell = Ratings(np.array([row]), np.array([col]), np.zeros(1), self.ratings.shape)
        rounds = self.steps, self.adapted.step_rule
        found = [np.empty(0)]
        for start in range(0, D, at_once):
            if progress is not None:
                progress(start, D)
            copies = [
                Episode(self.ratings.select(np.delete(np.arange(nnz), entry)), cell)
                for entry in entries[start : start + at_once]
            ]
            said = said_by_network(network, self.unit_rule, *rounds, copies, (), FARTHEST)
            table = None
            if self.mixture is not None:
                table = said_by_table(self.mixture.table, copies, None).estimates
            means = [SidedUnits(By.COLUMN).of(copy.support).mean[col] for copy in copies]
            found.append(self._joined(said.estimates, table, np.array(col), np.array(means)))
        return np.concatenate(found)


def adapt(
    ratings: Ratings,
    checkpoint: str | Path | None = None,
    *,
    standardize: Standardize = "auto",
    steps: int | None = None,
    step_rule: StepRule = "auto",
    device: str = "cpu",
    tune: int | Literal["auto"] | None = None,
    seed: int = 0,
    guard: bool = True,
    progress: Callable[[TuningProgress], object] | None = None,
) -> Adaptation:
    """Fits to a matrix what fills it in; parameters and errors are those of ``MetaMFImputer.fit``.

    ``checkpoint`` : None for what fills in tables best: ``universal``, and the table model next to
        it where the matrix is a table; a name or path for that network alone.
    ``seed`` : of tuning.
    """
    if ratings.nnz == 0:
        raise ValueError(
            f"no entry of the {ratings.n_rows} x {ratings.n_cols} matrix is observed: give at "
            "least one"
        )
    refuse_to_hang()
    named = checkpoint is not None
    name = checkpoint if checkpoint is not None else UNIVERSAL
    opened = open_checkpoint(name, device)
    single = opened.network
    if ratings.nnz <= opened.network.double_up_to:
        opened = open_checkpoint(name, device, torch.float64)
    info = opened.info
    rule = opened.units(ratings, standardize)
    tabular = not named and is_table(ratings)
    rules: dict[By | None, UnitRule] = {rule.by: rule}
    if standardize == "auto" and (tabular or (rule.gives_way and ratings.scale is None)):
        rules = possible_rules(ratings, rule)
    tabular = tabular and (By.COLUMN in rules or _is_full(ratings))

    table = fit_table(ratings) if tabular else None
    found = None
    if tabular or len(rules) > 1:
        part = deciding_part(ratings, whole_rows=tabular)
        networks: dict[Hashable, Callable[..., Said]] = {
            by: partial(said_by_network, single, each, _rounds(opened, steps, each), step_rule)
            for by, each in rules.items()
        }
        found = _cross_fitted(divisions_of(part), networks, table)
    if found is not None and len(rules) > 1:
        rule = rules[found.best_units(list(rules))]
    standardization = rule.of(ratings)
    rounds = _rounds(opened, steps, rule)
    outcome = None
    if tune is not None:
        tuning = Tuning(None if tune == "auto" else int(tune), seed=seed)
        read = in_units(ratings, standardization)
        choices = _choices(opened, rule) if steps is None else []
        opened, outcome = opened.tuned(read, tuning, progress, choices)
        rounds = outcome.rounds or rounds
    network = opened.network
    batch = _batch(ratings, standardization, network)
    with torch.inference_mode():
        adapted = run_on_few_cores(lambda: network.adapt(batch, rounds, step_rule), ratings.nnz)

    factor = info.width_factor
    seen = info.tuning_seed if tune is None else seed  # of a network that was tuned, or is now
    if seen is not None and (tune is not None or found is not None):
        # only what tuning did not see says how good a tuned network is
        unseen = check_part(ratings, seen)
        divisions = [] if unseen is None else [unseen]
        said = partial(said_by_network, network, rule, rounds, adapted.step_rule)
        found = _cross_fitted(divisions, {rule.by: said}, table)
        if found is not None and outcome is not None:
            factor = _width_factor(found, rule.by)
    fitted = Adaptation(
        ratings,
        opened,
        adapted,
        rule,
        standardization,
        limited(ratings.scale or rule.limits(ratings), ratings),
        rounds,
        outcome,
        width_factor=factor,
        unknown=_unknown_columns(ratings, rule, named),
    )
    if named or found is None or not (table is not None or rule.by is By.COLUMN):
        return fitted
    full = rule.by is By.COLUMN or _is_full(ratings)
    return _with_table(fitted, found, table if full else None, guard)


def described_only(ratings: Ratings) -> np.ndarray:
    """(M,) the columns without an entry that have features: only the network reads these."""
    if ratings.col_features is None:
        return np.zeros(ratings.n_cols, dtype=bool)
    return ratings.col_counts == 0


def _choices(opened: Checkpoint, rule: UnitRule) -> list[int]:
    """The numbers of sweeps that a tuning chooses from, the usual one first; none for gradient
    steps."""
    if opened.info.round_name != "sweep":
        return []
    T = opened.network.config.steps
    return [T, CONVERGED] if rule.by is None else [CONVERGED, T]


def _rounds(opened: Checkpoint, asked: int | None, rule: UnitRule) -> int | None:
    """How many rounds a checkpoint makes: those that are asked for, else the saved ones of a tuned
    network, else by the units; None: the checkpoint's T."""
    choices = _choices(opened, rule)
    if asked is not None or not choices:
        return asked
    return opened.info.rounds or choices[0]


def _is_full(ratings: Ratings) -> bool:
    """Whether a matrix of one unit has entries enough for a table model, and columns that vary."""
    return ratings.nnz >= FEWEST_A_COLUMN * ratings.n_cols and lines_vary(ratings, By.COLUMN)


def _unknown_columns(ratings: Ratings, rule: UnitRule, named: bool) -> np.ndarray | None:
    """(M,) the columns of which nothing is known, not even the unit; None where there are none.

    Without an entry, and where columns lie so far apart that one says nothing of the unit of
    another.
    """
    unknown = ratings.col_counts == 0
    if ratings.scale is not None or not unknown.any():
        return None
    if ratings.n_rows == 1 and not named:
        return unknown
    if rule.by is not By.COLUMN:
        return None
    units = SidedUnits(By.COLUMN).of(ratings)
    spread = units.std[~unknown]
    apart = np.ptp(units.mean[~unknown]) > UNLIKE * np.median(spread)
    return unknown if apart or spread.max() > UNLIKE * spread.min() else None


def _cross_fitted(
    divisions: list[Episode],
    networks: Mapping[Hashable, Callable[..., Said]],
    table: TableModel | None,
) -> CrossFit | None:
    if not divisions:
        return None
    candidates: dict[Hashable, Callable[..., Said]] = {**networks}
    if table is not None:
        candidates[TABLE] = partial(said_by_table, table)
    return CrossFit.of(divisions, candidates)


def _width_factor(found: CrossFit, by: By | None) -> float:
    """The factor of a network's half-widths; 1 for one without intervals."""
    estimates, widths = found.said[by]
    return 1.0 if widths is None else factor_of(np.abs(estimates - found.values) / widths)


def _with_table(
    fitted: Adaptation, found: CrossFit, table: TableModel | None, guarded: bool
) -> Adaptation:
    """With the table model, if any, and the guard, as the hidden entries say."""
    ratings = fitted.ratings
    by = fitted.unit_rule.by
    honest, widths = found.said[by]
    usual = WEIGHT_OF_ONE_UNIT
    weights = np.zeros(len(honest))
    if table is not None:
        if table.reads and by is By.COLUMN:
            usual = WEIGHT_OF_OWN_UNITS
        weights = found.honest_weights(by, usual)
        honest = honest + weights * (found.said[TABLE].estimates - honest)
    guard = None
    if guarded:
        errors = HiddenErrors.of(found, honest, ratings, fitted.unit_rule)
        worse = worse_than_mean(errors, ratings.n_cols)
        units = SidedUnits(By.COLUMN).of(ratings)
        guard = guard_of(errors, units, worse, ratings.col_counts, described_only(ratings))
        honest = guard.drawn(honest, found.cols, found.mean)
        fitted = replace(fitted, worse=worse, guard=guard)
    if table is None:
        return fitted
    factor = 1.0
    of_table = found.said[TABLE].half_widths
    if widths is not None and of_table is not None:
        joint = joint_half_widths(weights, widths, of_table)
        if guard is not None:
            levels = np.array(CHECKED_LEVELS)[:, np.newaxis]
            joint = guard.half_widths(levels, joint, found.cols)
        factor = factor_of(np.abs(honest - found.values) / joint)
    cut = FARTHEST_READ
    errors_of = {
        each: float(np.sqrt(np.mean(found.errors(title).clip(-cut, cut) ** 2)))
        for each, title in (("network", by), (TABLE, TABLE))
    }
    weight = found.weight(by, usual)
    weighing = Weighing(
        {"network": 1 - weight, TABLE: weight},
        len(honest),
        errors_of,
        float(np.sqrt(np.mean(found.departures(honest - found.values + found.mean) ** 2))),
        factor,
    )
    return replace(fitted, mixture=Mixture(ratings, table, weighing))


def _batch(ratings: Ratings, units: Standardization, network: Network) -> RatingsBatch:
    return RatingsBatch.of([in_units(ratings, units)], network.dtype, network.device)

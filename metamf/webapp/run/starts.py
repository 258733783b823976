"""A race of starts: the same MAP steps, Eqs. (6) and (7), from different prior
means.

The prior mean is where the steps begin and what lambda pulls back to. The learned one comes from
the network, Eq. (5). The others know no other matrix: exactly zero; random numbers; the column
means of the given ratings.

Zero is a saddle point: the gradient in U is a sum of residuals times V, and that in V one of
residuals times U, so both are zero, and the steps stay there for ever.

A step may be too long. Along the factors of one row the curvature of the objective of the steps is
at most lambda + sum of the squared factors of the columns that it has rated. A *safe step* is the
smaller of eta and 1 / (2 curvature), for each row and column by itself (``map_steps.safe_step``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import torch

from metamf.answer.answer import Trajectory
from metamf.answer.significance import Lead, lead
from metamf.network.map_steps import map_steps, safe_step
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import ColumnLimits, RatingScale
from metamf.webapp import look
from metamf.webapp.run.measured_run import Run, deviations, trained_safe
from metamf.wording import rounded

if TYPE_CHECKING:
    import plotly.graph_objects as go

LEARNED = "learned prior"
MEANS = "column means"
RANDOM = "random"
ZERO = "zero"
RESCUED = "learned prior, safe steps"
STARTS = (LEARNED, MEANS, RANDOM, ZERO)
RANDOM_STARTS = 20  # enough for a spread, and a small matrix takes no time
# given ratings from which there are fewer random starts, and their number
_LARGE = 10_000
_FEW = 3

FactorPair = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Lane:
    """One kind of start with its errors (RMSE, rating units) for each of S starts after each
    step."""

    name: str  # one of ``STARTS``
    # (S, T + 1) on the hidden cells, clipped, NaN once the factors are not finite; or None
    hidden: np.ndarray | None
    # (S, T + 1) on the given cells, not clipped, so that a step that overshoots is seen
    given: np.ndarray
    squares: np.ndarray  # (n_hidden,) squared errors after the last step, averaged over the starts
    path: Trajectory  # of the first start

    @property
    def first(self) -> float:
        """Root mean squared error over the hidden cells, at least one, and the starts before the
        first step."""
        assert self.hidden is not None
        return float(np.sqrt(np.square(self.hidden[:, 0]).mean()))

    @property
    def last(self) -> float:
        """Root mean squared error over the hidden cells and the starts after the last step, NaN if
        some are not finite. Squares are averaged, as in ``lead``, so that who is first here is
        ahead there."""
        if self.hidden is None or not np.isfinite(self.hidden[:, -1]).all():
            return np.nan
        return float(np.sqrt(self.squares.mean()))

    @property
    def breaks(self) -> bool:
        """Whether the steps of some start leave the given ratings worse than they found them."""
        return not bool(np.all(self.given[:, -1] <= self.given[:, 0]))  # NaN breaks, too


@dataclass(frozen=True, eq=False)
class Race:
    """The lanes of a race, the learned prior first, by steps with eta and lambda."""

    lanes: tuple[Lane, ...]
    hidden: Ratings
    step_size: float
    prior_precision: float
    safe: bool  # whether each row's and column's step was bounded by its curvature
    # (t, 2) shortest and longest ``safe_limits`` at each step from the learned prior
    limits: np.ndarray

    @property
    def T(self) -> int:
        return self.learned.path.T

    @property
    def learned(self) -> Lane:
        return self.lanes[0]

    @cached_property
    def order(self) -> tuple[Lane, ...]:
        """The lanes whose errors are finite, the smallest error on the hidden cells first."""
        finite = [lane for lane in self.lanes if np.isfinite(lane.last)]
        return tuple(sorted(finite, key=lambda lane: lane.last))

    @cached_property
    def lead(self) -> Lead | None:
        """The lead of the learned prior over the best other start; None where one of them has no
        error."""
        others = [lane for lane in self.order if lane is not self.learned]
        if self.learned not in self.order or not others:
            return None
        return lead(self.learned.squares, others[0].squares, self.hidden, others[0].name)

    @property
    def harms(self) -> bool:
        """Whether another start is ahead of the learned prior by more than chance explains."""
        return self.lead is not None and self.lead.behind

    @property
    def taken(self) -> np.ndarray:
        """(t, 2) the shortest and the longest step that a row or column took, from the learned
        prior."""
        if self.safe:
            return np.minimum(self.step_size, self.limits)
        return np.full_like(self.limits, self.step_size)


def race(
    run: Run,
    *,
    step_size: float | None = None,
    prior_precision: float | None = None,
    safe: bool | None = None,
    seed: int = 0,
    names: Sequence[str] = STARTS,
) -> Race:
    """Takes the same MAP steps from every start of ``names``, the learned prior among them.

    Eta, lambda and whether steps are safe are those of the checkpoint unless they are given;
    ``safe`` bounds each row's and column's step by its curvature (``map_steps``). The checkpoint of
    the run is one of the paper's, which takes steps of a size.
    """
    assert run.step_size is not None and run.prior_precision is not None
    eta = run.step_size if step_size is None else step_size
    lam = run.prior_precision if prior_precision is None else prior_precision
    if safe is None:
        safe = trained_safe(run.method)
    task = run.task
    units = run.answer.trajectory.standardization
    values = units.apply(task.given.values.astype(np.float64))
    batch = RatingsBatch.of([task.given.with_values(values)])
    step = torch.tensor(eta, dtype=batch.x.dtype)
    precision = torch.tensor(lam, dtype=batch.x.dtype)

    def path(start: FactorPair) -> Trajectory:
        U0, V0 = (torch.tensor(factor, dtype=batch.x.dtype) for factor in start)
        found = map_steps(U0, V0, batch, step, precision, run.T, safe).path.numpy()
        return Trajectory(found[:, : batch.N], found[:, batch.N :], units)

    with torch.inference_mode():
        lanes = [
            _lane(name, [path(start) for start in starts], run)
            for name, starts in starting_factors(run, seed).items()
            if name in names
        ]
    limits = safe_limits(lanes[0].path, batch, lam)
    return Race(tuple(lanes), task.hidden, eta, lam, safe, limits)


def starting_factors(run: Run, seed: int) -> dict[str, list[FactorPair]]:
    """The starts (N, K), (M, K) by name, in standardised units.

    The random ones have the mean square of the learned prior, so that their size is no handicap.
    The start at the column means has one factor: 1 for each row, and for each column the mean of
    its given ratings, or of all ratings.
    """
    path = run.answer.trajectory
    given = run.task.given
    U0 = path.U[0]
    V0 = path.V[0]
    rng = np.random.default_rng(seed)

    def drawn(factor: np.ndarray) -> np.ndarray:
        size = np.sqrt(np.mean(np.square(factor)))
        return (size * rng.standard_normal(factor.shape)).astype(factor.dtype)

    random = [(drawn(U0), drawn(V0)) for _ in range(RANDOM_STARTS if given.nnz < _LARGE else _FEW)]
    z = path.standardization.apply(given.values.astype(np.float64))
    sums = np.bincount(given.cols, z, minlength=given.n_cols)
    counts = given.col_counts
    zero = (np.zeros_like(U0), np.zeros_like(V0))
    means = (np.zeros_like(U0), np.zeros_like(V0))
    means[0][:, 0] = 1
    means[1][:, 0] = np.where(counts > 0, sums / np.maximum(counts, 1), z.mean())
    return {LEARNED: [(U0, V0)], MEANS: [means], RANDOM: random, ZERO: [zero]}


def _lane(name: str, paths: list[Trajectory], run: Run) -> Lane:
    task = run.task
    errors = None
    squares = np.zeros(0)
    # steps that overshoot end in numbers that are not finite
    with np.errstate(over="ignore", invalid="ignore"):
        given = np.array([_rmse(path, task.given, None)[0] for path in paths])
        if task.hidden.nnz:
            hidden = [_rmse(path, task.hidden, run.answer.limits) for path in paths]
            errors = np.array([rmse for rmse, _ in hidden])
            squares = np.mean([last for _, last in hidden], axis=0)
    return Lane(name, errors, given, squares, paths[0])


def _rmse(
    path: Trajectory, cells: Ratings, scale: RatingScale | ColumnLimits | None
) -> tuple[np.ndarray, np.ndarray]:
    """(T + 1,) root mean squared errors on ``cells``, and (n,) the squared errors after the last
    step."""
    finite = [bool(np.isfinite(U).all() and np.isfinite(V).all()) for U, V in zip(path.U, path.V)]
    path = replace(path, U=path.U.astype(np.float64), V=path.V.astype(np.float64))
    sums = np.zeros(path.T + 1)
    last = []
    for E in deviations(path, cells, scale):
        sums += np.square(E).sum(axis=1)
        last.append(np.square(E[-1]))
    return np.where(finite, np.sqrt(sums / cells.nnz), np.nan), np.concatenate(last)


def safe_limits(path: Trajectory, batch: RatingsBatch, lam: float) -> np.ndarray:
    """(t, 2) the smallest and the largest 1 / (2 curvature) of the rows and columns at each step of a path.

    It ends where the factors are not finite.
    """
    precision = torch.tensor(lam, dtype=batch.x.dtype)
    unbounded = torch.tensor(np.inf, dtype=batch.x.dtype)
    found = []
    for U, V in zip(path.U[:-1], path.V[:-1]):
        if not (np.isfinite(U).all() and np.isfinite(V).all()):
            break
        rows = safe_step(torch.tensor(V), batch.by_row, batch.col, unbounded, precision)
        cols = safe_step(torch.tensor(U), batch.by_col, batch.row, unbounded, precision)
        both = torch.cat([rows, cols])
        found.append([float(both.min()), float(both.max())])
    return np.array(found)


def curves_figure(
    found: Race, rescued: Race | None = None, *, height: int
) -> tuple[go.Figure, str]:
    """The figure of the errors on hidden cells per step, and the table of its numbers as HTML."""
    from metamf.figures.lines import race_curves  # with Plotly

    errors = {lane.name: lane.hidden for lane in found.lanes if lane.hidden is not None}
    if rescued is not None and rescued.learned.hidden is not None:
        errors[RESCUED] = rescued.learned.hidden
    columns: dict[str, np.ndarray] = {}
    for name, of_starts in errors.items():
        columns[name] = of_starts.mean(axis=0)
        if len(of_starts) > 1:
            columns |= {"smallest": of_starts.min(axis=0), "largest": of_starts.max(axis=0)}
    lines = [
        [
            str(t),
            *(rounded(values[t]) if np.isfinite(values[t]) else "–" for values in columns.values()),
        ]
        for t in range(found.T + 1)
    ]
    caption = "RMSE on the hidden cells per step. For random starts: mean, smallest and largest."
    return race_curves(errors, height=height), look.table(caption, ["step", *columns], lines)

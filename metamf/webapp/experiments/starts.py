"""A race of starts: the same MAP steps, Eqs. (6) and (7), on the same ratings, from different prior means.

The prior mean is where the steps begin and what lambda pulls back to. The learned one comes from the network, Eq. (5).
The others know no other matrix: exactly zero; random numbers; the column means of the given ratings.

Zero is a saddle point: the gradient in U is a sum of residuals times V, and that in V one of residuals times U, so both
are zero, and the steps stay there for ever.

A step may be too long. The objective of the steps, Eq. (1) up to sign and constants, is

    f(w) = 1/2 sum over observed (u_n . v_m - x_nm)^2 + lambda/2 |w - w(0)|^2,    w = (U; V).

Along the direction in which it curves most, by the largest eigenvalue H of its second derivative, a gradient step of
size eta multiplies the distance from the bottom by 1 - eta H: beyond eta = 2 / H it ends on the other side, further up
than it began (any textbook on optimisation, such as Nesterov, "Lectures on convex optimization", 2018, Section 1.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import torch
from scipy.sparse.linalg import LinearOperator, eigsh

from metamf.evaluate.run import TaskRun
from metamf.evaluate.significance import Lead, lead
from metamf.imputer.result import Trajectory
from metamf.model.map_steps import fast_map_steps, map_steps
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.limits import ColumnLimits, clipped
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale

LEARNED, MEANS, RANDOM, ZERO = "learned prior", "column means", "random", "zero"
STARTS = (LEARNED, MEANS, RANDOM, ZERO)
RANDOM_STARTS = 20  # enough for a spread, and a small matrix takes no time
LARGEST_COMPUTED = 250_000  # cells of a matrix up to which curvatures are computed; the page waits for it
_LARGE, _FEW = 10_000, 3  # given ratings from which there are fewer random starts, and their number
_CHUNK = 20_000  # cells whose estimates at all steps are held at once
_TOLERANCE = 1e-3  # relative, of the eigenvalue; the picture shows two digits
_EXTREME = 1e15  # factors beyond which squares of squares would overflow

FactorPair = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Lane:
    """One kind of start, one of ``STARTS``, with its errors (RMSE, rating units) for each of S starts.

    ``hidden`` (S, T + 1) are the errors on the hidden cells after each step, clipped to the scale, NaN once the factors
    are not finite, or None where no cell is hidden. ``given`` (S, T + 1) are those on the given cells, not clipped, so
    that a step that overshoots is seen. ``squares`` (n_hidden,) are the squared errors after the last step, averaged
    over the starts. ``path`` has the factors of the first start.
    """

    name: str
    hidden: np.ndarray | None
    given: np.ndarray
    squares: np.ndarray
    path: Trajectory

    @property
    def last(self) -> float:
        """Root mean squared error over the hidden cells and the starts after the last step; NaN if some are not finite.

        The squares are averaged, as in ``lead``: who is first here is ahead there.
        """
        if self.hidden is None or not np.isfinite(self.hidden[:, -1]).all():
            return np.nan
        return float(np.sqrt(self.squares.mean()))

    @property
    def breaks(self) -> bool:
        """Whether the steps of some start leave the given ratings worse than they found them."""
        return not bool(np.all(self.given[:, -1] <= self.given[:, 0]))  # NaN breaks, too


@dataclass(frozen=True, eq=False)
class Race:
    """The lanes of a race on ``hidden`` cells, the learned prior first, by steps with eta and lambda.

    ``safe``: whether each row's and column's step was bounded by its curvature. ``longest`` (t + 1,): the longest step
    that does not overshoot, at every step of the learned prior's lane, or None (``longest_steps``).
    """

    lanes: tuple[Lane, ...]
    hidden: Ratings
    step_size: float
    prior_precision: float
    safe: bool
    longest: np.ndarray | None

    @property
    def T(self) -> int:
        """The number of steps."""
        return self.learned.path.T

    @property
    def learned(self) -> Lane:
        """The lane of the learned prior."""
        return self.lanes[0]

    @cached_property
    def order(self) -> tuple[Lane, ...]:
        """The lanes whose errors are finite, the smallest error on the hidden cells first."""
        return tuple(sorted((lane for lane in self.lanes if np.isfinite(lane.last)), key=lambda lane: lane.last))

    @cached_property
    def lead(self) -> Lead | None:
        """The lead of the first over the second; None where there are not two."""
        if len(self.order) < 2:
            return None
        first, second = self.order[:2]
        picked_from = 1 if first is self.learned else len(self.lanes) - 1  # the learned prior is what is asked about
        return lead(first.squares, second.squares, self.hidden, second.name, picked_from=picked_from)

    @property
    def harms(self) -> bool:
        """Whether the first is ahead of the learned prior by more than chance explains."""
        if not self.order or self.order[0] is self.learned or not np.isfinite(self.learned.last):
            return False
        first, others = self.order[0], len(self.lanes) - 1
        return lead(first.squares, self.learned.squares, self.hidden, LEARNED, picked_from=others).ahead

    @property
    def first_overshoot(self) -> int | None:
        """The first step of the learned prior's lane that was longer than the curvature allows; None if none was."""
        if self.safe or self.longest is None:
            return None
        over = np.flatnonzero(self.step_size > self.longest[: self.T])
        return int(over[0]) + 1 if len(over) else None


def race(
    run: TaskRun,
    *,
    step_size: float | None = None,
    prior_precision: float | None = None,
    steps: int | None = None,
    safe: bool = False,
    seed: int = 0,
    names: Sequence[str] = STARTS,
) -> Race:
    """Takes the same MAP steps from every start of ``names``, the learned prior among them.

    Eta, lambda and T are those of the ``run`` unless they are given; ``safe`` bounds each row's and column's step by
    its curvature (``map_steps``). Raises ``ValueError`` if the checkpoint takes no steps of a size.
    """
    if run.step_size is None or run.prior_precision is None:
        raise ValueError(
            f"checkpoint {run.imputation.checkpoint!r} takes no steps of a size: run one of the paper's, such as "
            "'ml-1m'"
        )
    eta = run.step_size if step_size is None else step_size
    lam = run.prior_precision if prior_precision is None else prior_precision
    task, units = run.task, run.imputation.trajectory.standardization
    values = units.apply(task.given.values.astype(np.float64))
    batch = RatingsBatch.of([task.given.with_values(values)])
    lanes = []
    for name, starts in starting_factors(run, seed).items():
        if name in names:
            paths = [_path(start, batch, eta, lam, run.T if steps is None else steps, safe) for start in starts]
            lanes.append(_lane(name, [Trajectory(U, V, units) for U, V in paths], run))
    longest = longest_steps(lanes[0].path, task.given, lam)
    return Race(tuple(lanes), task.hidden, eta, lam, safe, longest)


def starting_factors(run: TaskRun, seed: int) -> dict[str, list[FactorPair]]:
    """Returns the starts (N, K), (M, K) by name, in standardised units.

    The random ones have the mean square of the learned prior, so that their size is no handicap. The start at the
    column means has one factor: 1 for each row, and for each column the mean of its given ratings, or of all ratings.
    """
    path, given = run.imputation.trajectory, run.task.given
    U0, V0 = path.U[0], path.V[0]
    rng, sizes = np.random.default_rng(seed), [np.sqrt(np.mean(np.square(factor))) for factor in (U0, V0)]
    count = RANDOM_STARTS if given.nnz < _LARGE else _FEW
    random = [
        tuple((size * rng.standard_normal(factor.shape)).astype(factor.dtype) for size, factor in zip(sizes, (U0, V0)))
        for _ in range(count)
    ]
    z = path.standardization.apply(given.values.astype(np.float64))
    sums, counts = np.bincount(given.cols, z, minlength=given.n_cols), given.col_counts
    means_U, means_V = np.zeros_like(U0), np.zeros_like(V0)
    means_U[:, 0], means_V[:, 0] = 1, np.where(counts > 0, sums / np.maximum(counts, 1), z.mean())
    zero = (np.zeros_like(U0), np.zeros_like(V0))
    return {LEARNED: [(U0, V0)], MEANS: [(means_U, means_V)], RANDOM: random, ZERO: [zero]}


@torch.inference_mode()
def _path(start: FactorPair, batch: RatingsBatch, eta: float, lam: float, T: int, safe: bool) -> FactorPair:
    """(T + 1, N, K), (T + 1, M, K) the factors after every step."""
    U0, V0 = (torch.tensor(factor, dtype=batch.x.dtype) for factor in start)
    step_size, precision = (torch.tensor(value, dtype=batch.x.dtype) for value in (eta, lam))
    steps = partial(map_steps, safe=True) if safe else fast_map_steps
    path = steps(U0, V0, batch, step_size, precision, T).path.numpy()
    return path[:, : batch.N], path[:, batch.N :]


def _lane(name: str, paths: list[Trajectory], run: TaskRun) -> Lane:
    task, scale = run.task, run.imputation.scale
    with np.errstate(over="ignore", invalid="ignore"):  # steps that overshoot end in numbers that are not finite
        given = [_rmse(path, task.given, None)[0] for path in paths]
        hidden = [_rmse(path, task.hidden, scale) for path in paths] if task.hidden.nnz else []
    squares = np.mean([last for _, last in hidden], axis=0) if hidden else np.zeros(0)
    errors = np.array([rmse for rmse, _ in hidden]) if hidden else None
    return Lane(name, errors, np.array(given), squares, paths[0])


def _rmse(path: Trajectory, cells: Ratings, scale: RatingScale | ColumnLimits | None) -> tuple[np.ndarray, np.ndarray]:
    """(T + 1,) root mean squared errors on ``cells``, and (n,) the squared errors after the last step."""
    finite = [bool(np.isfinite(U).all() and np.isfinite(V).all()) for U, V in zip(path.U, path.V)]
    path = replace(path, U=path.U.astype(np.float64), V=path.V.astype(np.float64))
    sums, last = np.zeros(path.T + 1), []
    for start in range(0, cells.nnz, _CHUNK):
        part = slice(start, start + _CHUNK)
        estimates = path.estimate_at(cells.rows[part], cells.cols[part])  # (T + 1, chunk)
        E = clipped(estimates, scale) - cells.values[part]
        sums += np.square(E).sum(axis=1)
        last.append(np.square(E[-1]))
    return np.where(finite, np.sqrt(sums / cells.nnz), np.nan), np.concatenate(last)


def longest_steps(path: Trajectory, ratings: Ratings, lam: float) -> np.ndarray | None:
    """(t + 1,) 2 / H, the longest step that does not overshoot, at every step of a path in standardised units.

    It ends where the factors are not finite or beyond 1e15; None for a matrix of more than ``LARGEST_COMPUTED`` cells.
    """
    N, M = ratings.shape
    if N * M > LARGEST_COMPUTED:
        return None
    mask, X = np.zeros((N, M)), np.zeros((N, M))
    mask[ratings.rows, ratings.cols] = 1
    X[ratings.rows, ratings.cols] = path.standardization.apply(ratings.values.astype(np.float64))
    found, start = [], None
    for U, V in zip(path.U.astype(np.float64), path.V.astype(np.float64)):
        if not (np.abs(U).max() < _EXTREME and np.abs(V).max() < _EXTREME):  # NaN ends here, too
            break
        largest, start = largest_curvature(U, V, mask, X, lam, start)
        found.append(2 / largest)
    return np.array(found)


def largest_curvature(
    U: np.ndarray, V: np.ndarray, mask: np.ndarray, X: np.ndarray, lam: float, start: np.ndarray | None = None
) -> tuple[float, np.ndarray]:
    """The largest eigenvalue of the objective's second derivative in (U; V), and a direction ((N + M) K,) that has it.

    ``mask`` (N, M) is 1 at the observed cells; ``X`` (N, M) has the ratings there, in standardised units. The
    search begins with the direction ``start``, such as that of the step before.
    """
    N, K = U.shape
    residual = mask * (U @ V.T) - X  # (N, M)

    def product(direction: np.ndarray) -> np.ndarray:
        dU, dV = np.split(direction.reshape(-1, K), [N])  # (N, K), (M, K)
        change = mask * (dU @ V.T + U @ dV.T)  # (N, M) of the residual, along the direction
        slopes = (change @ V + residual @ dV, change.T @ U + residual.T @ dU)
        return np.concatenate(slopes).ravel() + lam * direction.ravel()

    size = (N + len(V)) * K
    if start is None:
        start = np.random.default_rng(0).standard_normal(size)
    if size == 2:  # eigsh wants more dimensions than eigenvalues and one to spare
        values, vectors = np.linalg.eigh(np.column_stack([product(row) for row in np.eye(2)]))
        return float(values[-1]), vectors[:, -1]
    operator = LinearOperator((size, size), product, dtype=np.float64)
    values, vectors = eigsh(operator, 1, which="LA", v0=start, tol=_TOLERANCE)
    return float(values[0]), vectors[:, 0]

"""Matrix factorization of one matrix by the steps of the paper's model, Eqs. (6) and (7), without
its network.

    minimise  1/2 sum over given (n, m) of (u_n . v_m - x_nm)^2  +  1/2 (sum |u_n|^2 + sum |v_m|^2)

by T safe steps (``safe_step``) from small random factors: the prior means are zero, and the start
is random. What the paper's model does better with as many steps of the same kind is what its start
is worth. The app shows matrix factorization in this one setting, but for a step of the lesson that
says so; ``metamf.baselines.mf`` is the benchmarks' baseline.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metamf.baselines.method import matrix_units
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization

RANK = 4  # K; fewer factors are 2 to 4 % less accurate on film nights after ten steps
PRECISION = 1.0  # lambda; 1.5 and 2 are less accurate after ten steps
DEVIATION = 0.1  # standard deviation of the random factors; larger ones are less accurate
STEPS = 10  # T, as many as the paper's model takes


@dataclass(frozen=True, eq=False)
class Factorization:
    """Factors after each of T steps, and the units in which they estimate."""

    U: np.ndarray  # (T + 1, N, K)
    V: np.ndarray  # (T + 1, M, K)
    units: Standardization  # mean and standard deviation of the given ratings

    @property
    def T(self) -> int:
        """The number of steps."""
        return len(self.U) - 1

    def estimate(self, t: int = -1) -> np.ndarray:
        """Returns U(t) V(t)^T, (N, M), in rating units, clipped to no scale."""
        return self.units.undo(self.U[t] @ self.V[t].T)

    def rmse(self, cells: Ratings) -> np.ndarray:
        """Returns the root mean squared errors on ``cells`` after each step, (T + 1,), in rating
        units; estimates are clipped to the scale of ``cells`` where it is known."""
        errors = []
        for U, V in zip(self.U, self.V):  # all steps at once would take gigabytes
            estimates = self.units.undo(np.vecdot(U[cells.rows], V[cells.cols]))
            if cells.scale is not None:
                estimates = cells.scale.clip(estimates)
            errors.append(np.sqrt(np.square(estimates - cells.values).mean()))
        return np.array(errors)


def random_factors(length: int, side: int, seed: int = 0) -> np.ndarray:
    """Returns the factors (length, K) at step 0 of the rows, ``side`` 0, or of the columns, 1;
    those of a shorter matrix are the first ones of a longer one's."""
    rng = np.random.default_rng([seed, side])
    return DEVIATION * rng.standard_normal((length, RANK))


def factorize_by_steps(given: Ratings, steps: int = STEPS, seed: int = 0) -> Factorization:
    """Returns the factors after each of ``steps`` steps on the given ratings; ``seed`` is that of
    the random start."""
    units = matrix_units(given)
    x = units.apply(given.values)
    N, M = given.shape
    path = [(random_factors(N, 0, seed), random_factors(M, 1, seed))]
    for _ in range(steps):
        U, V = path[-1]
        residual = np.vecdot(U[given.rows], V[given.cols]) - x
        gradient_U = PRECISION * U
        gradient_V = PRECISION * V
        np.add.at(gradient_U, given.rows, residual[:, None] * V[given.cols])
        np.add.at(gradient_V, given.cols, residual[:, None] * U[given.rows])
        size_U = _safe_step(V, given.rows, given.cols, N)
        size_V = _safe_step(U, given.cols, given.rows, M)
        path.append((U - size_U * gradient_U, V - size_V * gradient_V))
    U_path, V_path = (np.stack(side) for side in zip(*path))
    return Factorization(U_path, V_path, units)


def _safe_step(partner: np.ndarray, at: np.ndarray, far: np.ndarray, size: int) -> np.ndarray:
    """(size, 1) the step 1 / (2 L) of each row or column, L its largest curvature."""
    squares = np.square(partner).sum(axis=1)
    return 0.5 / (PRECISION + np.bincount(at, squares[far], size))[:, None]

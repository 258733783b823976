"""Why large matrices need safe steps: the paper's fixed step size beside the safe one, on the same matrix.

A MAP step of size eta moves row n against its gradient. The objective's curvature along u_n is at most

    L_n = sum_m b_nm |v_m|^2 + lambda,

and grows with the number of ratings. A step longer than about 1 / L_n overshoots; the factors grow, the curvature with
their squares, and the next step overshoots further. ``safe_map_steps`` takes min(eta, 1 / (2 L_n)) instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from metamf.imputer.adaptation import adapt
from metamf.imputer.result import Trajectory
from metamf.model.map_steps import safe_step
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization


class Descent(NamedTuple):
    """The steps of one rule, as far as single precision holds them.

    Attributes
    ----------
    trajectory : Trajectory
        In double precision, so that nothing made of it overflows.
    rmse : ndarray of shape (t + 1,)
        Root mean squared error on the observed entries, in rating units, not clipped.
    overflow : int or None
        The first step whose factors are not finite; None if all are.
    """

    trajectory: Trajectory
    rmse: np.ndarray
    overflow: int | None


@dataclass(frozen=True, eq=False)
class StepRules:
    """Both rules on one matrix, from the same prior means.

    Attributes
    ----------
    fixed, safe : Descent
        The steps of the paper's fixed size, and the bounded ones.
    step_size : float
        eta of the fixed rule.
    prior_precision : float
        lambda.
    safe_sizes : ndarray of shape (t + 1,)
        The smallest 1 / (2 L) over all rows and columns at every step of the fixed rule.
    """

    fixed: Descent
    safe: Descent
    step_size: float
    prior_precision: float
    safe_sizes: np.ndarray

    @property
    def diverges(self) -> bool:
        """Whether the fixed rule ends above where it began."""
        return self.fixed.overflow is not None or bool(self.fixed.rmse[-1] > self.fixed.rmse[0])


@torch.inference_mode()
def compare_step_rules(ratings: Ratings, checkpoint: str = "ml-1m", steps: int | None = None) -> StepRules:
    """Both rules from the same prior means; finite whatever happens.

    Raises ValueError for a checkpoint that takes no steps of a size, and what ``adapt`` raises.
    """
    safe = adapt(ratings, checkpoint, steps=steps, step_rule="safe")
    model, batch = safe.model, safe.batch
    if model.step_size is None or model.prior_precision is None:
        raise ValueError(
            f"checkpoint {checkpoint!r} takes no steps of a size: name one of the paper's, such as 'ml-1m'"
        )
    fixed, safe = (
        _descent(adapted.path, ratings, safe.standardization)
        for adapted in (model.adapt(batch, steps, "paper"), safe.adapted)
    )
    lam, sizes = torch.tensor(model.prior_precision, dtype=torch.float64), []
    for U, V in zip(fixed.trajectory.U, fixed.trajectory.V):
        for partner, groups, at in ((V, batch.by_row, batch.col), (U, batch.by_col, batch.row)):
            step = safe_step(torch.tensor(partner), groups, at, torch.tensor(torch.inf), lam)
            sizes.append(float(step.min()))
    return StepRules(fixed, safe, model.step_size, model.prior_precision, np.reshape(sizes, (-1, 2)).min(axis=1))


def _descent(path: torch.Tensor, ratings: Ratings, standardization: Standardization) -> Descent:
    """``path``: (T + 1, N + M, K)"""
    finite = path.isfinite().flatten(1).all(1)
    count = len(path) if finite.all() else int(finite.int().argmin())
    path = path[:count].double().numpy()
    trajectory = Trajectory(path[:, : ratings.n_rows], path[:, ratings.n_rows :], standardization)
    rmse = [
        np.sqrt(np.mean(np.square(standardization.undo(np.vecdot(U[ratings.rows], V[ratings.cols])) - ratings.values)))
        for U, V in zip(trajectory.U, trajectory.V)
    ]
    return Descent(trajectory, np.array(rmse), None if finite.all() else count)

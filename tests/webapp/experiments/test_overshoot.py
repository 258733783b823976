"""How long a step may be."""

import numpy as np
import pytest
import torch

from metamf.imputer.result import Trajectory
from metamf.model.map_steps import fast_map_steps as map_steps
from metamf.model.map_steps import objective
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization
from metamf.webapp.experiments.starts import largest_curvature, longest_steps

UNITS = Standardization(0.0, 1.0)


def problem(N, M, K, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, M))
    X[rng.random((N, M)) < 0.4] = np.nan
    X[0, 0] = 1.0
    return Ratings.from_dense(X), rng.standard_normal((N, K)), rng.standard_normal((M, K))


@pytest.mark.parametrize("size", [(5, 4, 3), (1, 1, 1), (1, 1, 2)])
def test_the_largest_curvature_is_that_of_the_objective(size):
    ratings, U, V = problem(*size)
    batch, (N, M) = RatingsBatch.of([ratings], torch.float64), ratings.shape
    start = torch.zeros(N + M, U.shape[1], dtype=torch.float64)

    def f(w):
        return objective(w[:N], w[N:], start[:N], start[N:], batch, 0.7)

    w = torch.tensor(np.concatenate([U, V]))
    second = torch.autograd.functional.hessian(f, w).reshape(w.numel(), w.numel())
    dense = ratings.to_dense()
    found, _ = largest_curvature(U, V, (~np.isnan(dense)).astype(float), np.nan_to_num(dense), 0.7)
    assert found == pytest.approx(float(torch.linalg.eigvalsh(second)[-1]), rel=1e-3)


def test_a_step_beyond_it_climbs_along_the_steepest_direction_and_one_below_descends():
    ratings, U, V = problem(6, 5, 2, seed=1)
    longest = longest_steps(Trajectory(U[None], V[None], UNITS), ratings, 1.0)[0]
    dense = ratings.to_dense()
    mask, X = (~np.isnan(dense)).astype(float), np.nan_to_num(dense)
    _, direction = largest_curvature(U, V, mask, X, 1.0)
    dU, dV = np.split(1e-4 * direction.reshape(-1, 2), [6])

    def distance_after_a_step(eta):
        """Of two points that differ along the direction, relative to their distance before."""
        batch = RatingsBatch.of([ratings], torch.float64)
        ends = []
        for u, v in ((U, V), (U + dU, V + dV)):
            # the pull towards the prior mean, which is where the steps start, differs for the two: add it by hand
            path = map_steps(*map(torch.tensor, (u, v)), batch, *map(torch.tensor, (eta, 1.0)), 1).path[1].numpy()
            ends.append(path - eta * (np.concatenate([u, v]) - np.concatenate([U, V])))
        return np.linalg.norm(ends[1] - ends[0]) / 1e-4

    assert distance_after_a_step(1.05 * longest) > 1 > distance_after_a_step(0.9 * longest)


def test_it_ends_where_the_factors_are_not_finite_and_is_left_out_for_large_matrices(monkeypatch):
    ratings, U, V = problem(5, 4, 3)
    path = Trajectory(np.stack([U, U, np.inf * U]), np.stack([V, V, V]), UNITS)
    assert longest_steps(path, ratings, 1.0).shape == (2,)
    monkeypatch.setattr("metamf.webapp.experiments.starts.LARGEST_COMPUTED", 19)
    assert longest_steps(path, ratings, 1.0) is None

"""ALS: its ridge regressions, and its objective."""

import numpy as np
import pytest
import torch
from estimates import batch_of
from problems import structured_ratings

from metamf.baselines.als import ALS, ALSConfig, ridge
from metamf.ratings.segments import Segments


def test_ridge_solves_every_group_exactly_whatever_its_size():
    rng = np.random.default_rng(0)
    sizes = np.array([0, 1, 2, 3, 4, 5, 8, 9, 40, 1, 0])  # below, at and above K = 4, empty ones included
    groups = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    table_, x = torch.tensor(rng.standard_normal((50, 4))), torch.tensor(rng.standard_normal(len(groups)))
    at = torch.tensor(rng.integers(50, size=len(groups)))
    found = ridge(x, table_, at, Segments(torch.tensor(groups), len(sizes)), 0.7)
    for g in range(len(sizes)):
        A, y = table_[at][groups == g].numpy(), x[groups == g].numpy()
        expected = np.linalg.solve(A.T @ A + 0.7 * np.eye(4), A.T @ y)
        np.testing.assert_allclose(found[g], expected, atol=1e-12)


@pytest.mark.parametrize("biases", [True, False])
def test_each_sweep_of_als_lowers_its_objective_to_a_stationary_point(biases):
    batch, objectives = batch_of(structured_ratings(12, 10)), []
    for sweeps in (1, 2, 5, 300):
        adapted = ALS(ALSConfig(precision=0.5, biases=biases, rank=4, sweeps=sweeps)).adapt(batch)
        U, V = (factor.requires_grad_() for factor in adapted.factors)
        error = (adapted.predict(batch.row, batch.col) - batch.x).square().sum()
        objective = error + 0.5 * (U.square().sum() + V.square().sum())
        objectives.append(objective.item())
    assert objectives == sorted(objectives, reverse=True) and objectives[0] > objectives[-1]
    for slope in torch.autograd.grad(objective, (U, V)):
        assert slope.abs().max() < 1e-6

"""Row and column effects: the fixed point against ridge regression, and the variances. Each sweep is
compared with its dense equations by test_network.py."""

import numpy as np
import pytest
import torch
from problems import CORNER_CASES

from metamf.network.universal.effects import VarianceComponents, fitted_effects
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings


def components(*values: float) -> VarianceComponents:
    return VarianceComponents(*torch.tensor(values, dtype=torch.float64))


def ridge(ratings: Ratings, d_r: float, d_c: float) -> tuple[np.ndarray, np.ndarray]:
    """a, b that minimise sum b_nm (x_nm - a_n - b_m)^2 + d_r |a|^2 + d_c |b|^2, by one least
    squares problem."""
    N, M = ratings.shape
    entries = np.arange(ratings.nnz)
    design = np.zeros((ratings.nnz + N + M, N + M))
    design[entries, ratings.rows] = design[entries, N + ratings.cols] = 1
    design[ratings.nnz :] = np.diag(np.sqrt([d_r] * N + [d_c] * M))
    target = np.concatenate([ratings.values, np.zeros(N + M)])
    effects = np.linalg.lstsq(design, target, rcond=None)[0]
    return effects[:N], effects[N:]


@pytest.mark.parametrize("name", CORNER_CASES)
def test_many_sweeps_end_at_the_ridge_solution_of_the_two_way_model(name):
    batch = RatingsBatch.of([CORNER_CASES[name]], torch.float64)
    certain = components(1e15, 1e15, 1e15)  # so the variances stay what is expected
    effects, _ = fitted_effects(batch, components(0.4, 1 / 1.5, 1.0), certain, 300)
    for found, expected in zip((effects.row, effects.col), ridge(CORNER_CASES[name], 2.5, 1.5)):
        np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("density", [0.1, 1.0])
def test_a_large_matrix_has_the_variances_that_it_was_drawn_from(density):
    rng = np.random.default_rng(0)
    X = 0.3**0.5 * rng.standard_normal((400, 1)) + 0.15**0.5 * rng.standard_normal((1, 300))
    X += 0.05**0.5 * rng.standard_normal((400, 300))
    X[rng.random(X.shape) >= density] = np.nan
    batch = RatingsBatch.of([Ratings.from_dense(X)], torch.float64)
    _, variances = fitted_effects(batch, components(0.2, 0.1, 0.6), components(2, 2, 2), 10)
    np.testing.assert_allclose(torch.cat(variances, 1)[0], [0.3, 0.15, 0.05], rtol=0.15)

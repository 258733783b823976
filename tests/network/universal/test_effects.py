"""Row and column effects: each sweep against loops, the fixed point against ridge regression, folding in."""

import numpy as np
import pytest
import torch
from problems import CORNER_CASES, random_ratings

from metamf.network.universal.effects import VarianceComponents, fitted_effects, new_row_effects, shrunken_effects
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings

D_R, D_C = torch.tensor(2.5, dtype=torch.float64), torch.tensor(1.5, dtype=torch.float64)


def batch_of(*matrices: Ratings) -> RatingsBatch:
    return RatingsBatch.of(matrices, torch.float64)


def ridge(ratings: Ratings, d_r: float, d_c: float) -> tuple[np.ndarray, np.ndarray]:
    """a, b that minimise sum b_nm (x_nm - a_n - b_m)^2 + d_r |a|^2 + d_c |b|^2, by one least squares problem."""
    N, M = ratings.shape
    entries = np.arange(ratings.nnz)
    design = np.zeros((ratings.nnz + N + M, N + M))
    design[entries, ratings.rows] = design[entries, N + ratings.cols] = 1
    design[ratings.nnz :] = np.diag(np.sqrt([d_r] * N + [d_c] * M))
    effects = np.linalg.lstsq(design, np.concatenate([ratings.values, np.zeros(N + M)]), rcond=None)[0]
    return effects[:N], effects[N:]


@pytest.mark.parametrize("name", CORNER_CASES)
def test_many_sweeps_end_at_the_ridge_solution_of_the_two_way_model(name):
    ratings = CORNER_CASES[name]
    effects = shrunken_effects(batch_of(ratings), D_R, D_C, 300)
    for found, expected in zip((effects.row, effects.col), ridge(ratings, 2.5, 1.5)):
        np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=1e-10)


def test_a_sweep_is_the_posterior_mean_of_one_side_given_the_other():
    ratings = random_ratings(6, 5)
    X = ratings.to_dense()
    a, b = np.zeros(6), np.zeros(5)
    for _ in range(3):
        before = b
        a = np.array([np.nansum(X[n] - b) / ((~np.isnan(X[n])).sum() + 2.5) for n in range(6)])
        b = np.array([np.nansum(X[:, m] - a) / ((~np.isnan(X[:, m])).sum() + 1.5) for m in range(5)])
    effects = shrunken_effects(batch_of(ratings), D_R, D_C, 3)
    for found, expected in zip(effects, (a, b, before)):
        np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=1e-12)


def test_rows_folded_in_get_the_effects_that_they_had():
    ratings = random_ratings(9, 6)
    effects = shrunken_effects(batch_of(ratings), D_R, D_C, 4)
    some = batch_of(ratings.submatrix(np.array([7, 2]), np.arange(6)))
    folded = new_row_effects(some, D_R, effects.col_before)
    torch.testing.assert_close(folded, effects.row[[7, 2]], rtol=0, atol=1e-14)


def test_the_matrices_of_a_batch_do_not_see_each_other():
    matrices = list(CORNER_CASES.values())
    together = shrunken_effects(batch_of(*matrices), D_R, D_C, 5)
    alone = [shrunken_effects(batch_of(ratings), D_R, D_C, 5) for ratings in matrices]
    for side, parts in zip(together, zip(*alone)):
        torch.testing.assert_close(side, torch.cat(parts), rtol=0, atol=1e-13)


# -- variances of each matrix -----------------------------------------------------------------------------------------

EXPECTED = VarianceComponents(*torch.tensor([0.2, 0.1, 0.6], dtype=torch.float64))
SOME = VarianceComponents(*3 * [torch.tensor(2.0, dtype=torch.float64)])  # what is expected is worth two squares


def two_way(N, M, seed=0, density=1.0, row=0.3, col=0.15, noise=0.5) -> Ratings:
    rng = np.random.default_rng(seed)
    X = row**0.5 * rng.standard_normal((N, 1)) + col**0.5 * rng.standard_normal((1, M))
    X = X + noise**0.5 * rng.standard_normal((N, M))
    return Ratings.from_dense(np.where(rng.random((N, M)) < density, X, np.nan))


def by_loops(ratings: Ratings, sweeps: int) -> tuple[np.ndarray, np.ndarray, list[float]]:
    X, (N, M) = ratings.to_dense(), ratings.shape
    seen = ~np.isnan(X)
    a, b, variances = np.zeros(N), np.zeros(M), [float(v) for v in EXPECTED]
    for sweep in range(sweeps):
        if sweep:
            va, vb, noise = variances
            post_a, post_b = ([noise / (n + noise / v) for n in seen.sum(axis)] for axis, v in ((1, va), (0, vb)))
            rows, cols = [n for n in range(N) if seen[n].any()], [m for m in range(M) if seen[:, m].any()]
            squares = [(X[n, m] - a[n] - b[m]) ** 2 + post_a[n] + post_b[m] for n, m in np.argwhere(seen)]
            means = [[a[n] ** 2 + post_a[n] for n in rows], [b[m] ** 2 + post_b[m] for m in cols], squares]
            variances = [(sum(some) + 2 * float(e)) / (len(some) + 2) for some, e in zip(means, EXPECTED)]
        va, vb, noise = variances
        a = np.array([np.nansum(X[n] - b) / (seen[n].sum() + noise / va) for n in range(N)])
        b = np.array([np.nansum(X[:, m] - a) / (seen[:, m].sum() + noise / vb) for m in range(M)])
    return a, b, variances


@pytest.mark.parametrize("name", CORNER_CASES)
def test_effects_and_variances_are_those_of_the_loops(name):
    effects, variances = fitted_effects(batch_of(CORNER_CASES[name]), EXPECTED, SOME, 4)
    a, b, expected = by_loops(CORNER_CASES[name], 4)
    np.testing.assert_allclose(effects.row[:, 0], a, rtol=0, atol=1e-12)
    np.testing.assert_allclose(effects.col[:, 0], b, rtol=0, atol=1e-12)
    np.testing.assert_allclose(torch.cat(variances, 1)[0], expected, rtol=1e-10)


def test_a_large_matrix_has_the_variances_that_it_was_drawn_from():
    for density in (0.1, 1.0):
        batch = batch_of(two_way(400, 300, density=density, noise=0.05))
        _, variances = fitted_effects(batch, EXPECTED, SOME, 10)
        np.testing.assert_allclose(torch.cat(variances, 1)[0], [0.3, 0.15, 0.05], rtol=0.15)


def test_the_derivative_in_what_is_expected():
    batch = batch_of(two_way(5, 4, density=0.8))

    def fit(*inputs):
        effects, variances = fitted_effects(batch, VarianceComponents(*inputs[:3]), VarianceComponents(*inputs[3:]), 3)
        return *effects[:2], *variances

    assert torch.autograd.gradcheck(fit, [v.clone().requires_grad_() for v in (*EXPECTED, *SOME)])

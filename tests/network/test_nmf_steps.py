"""Multiplicative steps: the dense equations, their derivative, a monotone objective, and the two
limits."""

import numpy as np
import pytest
import torch
from problems import CORNER_CASES, NMF, everything, small_model
from sklearn.decomposition import non_negative_factorization
from sparse_against_dense import assert_sparse_equals_dense

from metamf.network.nmf_steps import half_step, nmf_objective, nmf_steps
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.testing import Answer

LOWEST = NMF["lowest"]


def problem(name="a block", K=3):
    """A batch in double precision, and positive prior means."""
    batch = RatingsBatch.of([CORNER_CASES[name]], torch.float64)
    noise = torch.Generator().manual_seed(0)
    U0, V0 = (
        0.1 + torch.rand(n, K, generator=noise, dtype=torch.float64) for n in (batch.N, batch.M)
    )
    return batch, U0, V0


def everything_dense(model, X, B):
    """From the same prior means, the steps as matrix products."""
    rows, cols = torch.nonzero(B, as_tuple=True)
    batch = RatingsBatch.from_arrays(X[B], rows, cols, [len(X)], [X.shape[1]], X.dtype)
    U0, V0, _ = model.prior_means(batch)
    b, Y, a = B.to(X), (X - LOWEST).clamp(min=0), model.prior_precision
    U, V = [U0], [V0]
    for _ in range(model.config.steps):
        share = b * Y / (U[-1] @ V[-1].T)
        U.append((a + U[-1] * (share @ V[-1])) / (a / U0 + b @ V[-1]))
        share = b * Y / (U[-1] @ V[-1].T)
        V.append((a + V[-1] * (share.T @ U[-1])) / (a / V0 + b.T @ U[-1]))
    return Answer(torch.stack(U, 1), torch.stack(V, 1), None, LOWEST + U[-1] @ V[-1].T)


def test_steps_and_their_derivatives_are_those_of_the_dense_equations():
    assert_sparse_equals_dense(
        small_model(**NMF), everything_dense, list(CORNER_CASES.values()), everything
    )


@pytest.mark.parametrize("a", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize(
    "name", ["a block", "every cell observed", "empty rows and columns", "1 x M"]
)
def test_no_half_step_raises_the_objective(name, a):
    batch, U0, V0 = problem(name)
    y, a = (batch.x - LOWEST).clamp(min=0), torch.tensor(a, dtype=torch.float64)
    (U, V), values = (U0, V0), []
    for step in range(40):
        values.append(nmf_objective(U, V, U0, V0, batch, a, LOWEST).item())
        if step % 2:
            V = half_step(V, U, V0, batch.by_col, batch.by_row, y, a)
        else:
            U = half_step(U, V, U0, batch.by_row, batch.by_col, y, a)
    assert np.all(np.diff(values) <= 1e-12 * np.abs(values[1:])) and values[-1] < values[0]


def test_without_a_prior_they_are_the_rule_of_lee_and_seung():
    X = np.random.default_rng(0).uniform(0.1, 4, (9, 6))
    batch = RatingsBatch.of([Ratings.from_dense(X)], torch.float64)
    _, U0, V0 = problem(K=3)
    U0, V0 = torch.cat([U0, U0])[:9], torch.cat([V0, V0])[:6]
    U, V, _ = nmf_steps(U0, V0, batch, torch.tensor(1e-13, dtype=torch.float64), 7)
    options = {"init": "custom", "solver": "mu", "beta_loss": "kullback-leibler", "tol": 0}
    W, H, _ = non_negative_factorization(
        X, U0.numpy(), V0.numpy().T.copy(), n_components=3, max_iter=7, **options
    )
    np.testing.assert_allclose(U @ V.T, W @ H, rtol=1e-6)


def test_a_strong_prior_and_a_line_without_entries_keep_the_prior_mean():
    batch, U0, V0 = problem("empty rows and columns")
    strong, weak = (
        nmf_steps(U0, V0, batch, torch.tensor(a).double(), 5, LOWEST) for a in (1e12, 0.5)
    )
    torch.testing.assert_close(strong.path[-1], strong.path[0], rtol=1e-9, atol=0)
    U, empty = weak.U, batch.row_count[:, 0] == 0
    torch.testing.assert_close(U[empty], U0[empty])
    assert (U[~empty] - U0[~empty]).abs().min() > 0

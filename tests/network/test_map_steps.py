"""Eqs. (6) and (7): by two independent routes, by finite differences, and at the exact ridge
solution."""

import pytest
import torch
from dense_reference import dense
from problems import CORNER_CASES, random_ratings

from metamf.network.map_steps import (
    fold_in_steps,
    map_gradient,
    map_step,
    map_steps,
    objective,
    safe_step,
)
from metamf.ratings.batch import RatingsBatch


def plain_steps(U0, V0, batch, eta, lam, T, safe=False):
    """Step by step, differentiated by autograd."""
    U, V, path = U0, V0, [torch.cat([U0, V0])]
    for _ in range(T):
        U, V = map_step(U, V, U0, V0, batch, eta, lam, safe)
        path.append(torch.cat([U, V]))
    return U, V, torch.stack(path)


def problem(name="a block", K=2, eta=0.07, lam=0.6):
    """A batch and the five inputs that the steps are differentiated in, float64."""
    ratings = CORNER_CASES[name]
    batch = RatingsBatch.of([ratings], torch.float64)
    rng = torch.Generator().manual_seed(0)
    U0, V0 = (torch.randn(n, K, dtype=torch.float64, generator=rng) for n in ratings.shape)
    inputs = [U0, V0, batch.x, *torch.tensor([eta, lam], dtype=torch.float64)]
    return batch, [tensor.clone().requires_grad_() for tensor in inputs]


def ridge(V, U0, X, B, lam):
    """The exact minimiser of the objective in U for fixed V: row by row (V' V + lam I) u = V' x +
    lam u0."""
    rows = []
    for n in range(len(X)):
        Vn = V[B[n]]
        left = Vn.T @ Vn + lam * torch.eye(V.shape[1], dtype=V.dtype)
        rows.append(torch.linalg.solve(left, Vn.T @ X[n, B[n]] + lam * U0[n]))
    return torch.stack(rows)


@pytest.mark.parametrize("name", CORNER_CASES)
def test_the_written_gradient_is_that_of_the_written_objective(name):
    batch, (U, V, _, _, lam) = problem(name)
    U0, V0 = U.detach() * 0.3 - 1, V.detach() * 0.8 + 1
    error = (U[batch.row] * V[batch.col]).sum(1) - batch.x
    distance = (U - U0).square().sum() + (V - V0).square().sum()
    value = objective(U, V, U0, V0, batch, lam.detach())
    torch.testing.assert_close(
        value, error.square().sum() / 2 + lam / 2 * distance, rtol=0, atol=1e-12
    )
    for slope, written in zip(
        torch.autograd.grad(value, (U, V)), map_gradient(U, V, U0, V0, batch, lam)
    ):
        torch.testing.assert_close(slope, written, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", CORNER_CASES)
@pytest.mark.parametrize("safe, eta", [(False, 0.07), (True, 0.3)])
def test_steps_and_adjoint_equal_plain_autograd(name, safe, eta):
    batch, inputs = problem(name, eta=eta)
    U0, V0, x, eta, lam = inputs
    batch = batch.with_values(x)
    results = []
    for steps in (map_steps, plain_steps):
        U, V, path = steps(U0, V0, batch, eta, lam, 5, safe)
        weights = torch.linspace(-1, 2, path.numel(), dtype=path.dtype).view_as(path)
        value = (path * weights).sum() + U.sin().sum() + V.square().sum()
        slopes = torch.autograd.grad(value, inputs, allow_unused=True, materialize_grads=True)
        results.append((U, V, path, *slopes))
    for fused, plain in zip(*results):
        torch.testing.assert_close(fused, plain, rtol=0, atol=1e-11)


@pytest.mark.parametrize("T", [0, 3])
@pytest.mark.parametrize("outputs", [slice(2), slice(2, 3)], ids=["factors", "path"])
def test_gradcheck_in_every_input(outputs, T):
    batch, inputs = problem()

    def function(U0, V0, x, eta, lam):
        return map_steps(U0, V0, batch.with_values(x), eta, lam, T)[outputs]

    assert torch.autograd.gradcheck(function, inputs)


def test_in_single_precision_no_derivative_loses_more_than_its_last_digits():
    ratings, rng = random_ratings(100, 100, density=0.3), torch.Generator().manual_seed(0)
    start = [0.3 * torch.randn(100, 16, dtype=torch.float64, generator=rng) for _ in "UV"]
    slopes = []
    for dtype in (torch.float32, torch.float64):
        inputs = [
            tensor.to(dtype).requires_grad_()
            for tensor in (*start, torch.tensor(1e-3), torch.tensor(1.0))
        ]
        U, V, _ = map_steps(*inputs[:2], RatingsBatch.of([ratings], dtype), *inputs[2:], 10)
        slopes.append(torch.autograd.grad(U.square().sum() + V.square().sum(), inputs))
    for single, double in zip(*slopes):
        assert (single - double).norm() <= 3e-6 * double.norm()


def test_a_second_derivative_is_refused_and_not_wrong():
    batch, (U0, V0, x, eta, lam) = problem()
    value = map_steps(U0, V0, batch.with_values(x), eta, lam, 3).U.square().sum()
    slope = torch.autograd.grad(value, U0, create_graph=True)[0]
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()


def test_with_the_columns_fixed_the_steps_converge_to_the_exact_ridge_solution():
    batch, (U0, V0, _, eta, lam) = problem(K=3, eta=0.05)
    X, B = map(torch.as_tensor, dense(CORNER_CASES["a block"]))
    with torch.no_grad():
        U = fold_in_steps(U0, V0.expand(2001, -1, -1), batch, eta, lam, safe=False)
        torch.testing.assert_close(U, ridge(V0, U0, X, B, lam), rtol=0, atol=1e-10)
        assert (U - U0).abs().max() > 0.1
        one = torch.ones_like(eta)
        safe = fold_in_steps(U0, V0.expand(2001, -1, -1), batch, one, lam, safe=True)
        torch.testing.assert_close(safe, U, rtol=0, atol=1e-10)


def test_safe_steps_converge_on_a_matrix_where_the_papers_diverge():
    ratings = random_ratings(150, 120)
    batch = RatingsBatch.of([ratings], torch.float64)
    rng = torch.Generator().manual_seed(0)
    U0, V0 = (torch.randn(n, 4, dtype=torch.float64, generator=rng) for n in ratings.shape)
    eta, lam = torch.tensor([0.1, 1.0], dtype=torch.float64)
    assert not map_steps(U0, V0, batch, eta, lam, 20).U.abs().max() < 1e6
    path = map_steps(U0, V0, batch, eta, lam, 20, safe=True).path
    values = torch.stack(
        [objective(*w.split([batch.N, batch.M]), U0, V0, batch, lam) for w in path]
    )
    assert (values.diff() < 0).all()


def test_the_safe_step_is_half_the_inverse_curvature_at_most_eta():
    batch, (U0, V0, _, _, lam) = problem("empty rows and columns")
    _, B = map(torch.as_tensor, dense(CORNER_CASES["empty rows and columns"]))
    eta = torch.tensor(0.4, dtype=torch.float64)
    curvature = B.double() @ V0.square().sum(1, keepdim=True) + lam  # (N, 1)
    expected = (0.5 / curvature).clamp(max=0.4)
    torch.testing.assert_close(safe_step(V0, batch.by_row, batch.col, eta, lam), expected)
    assert 0 < (expected == 0.4).sum() < len(expected)

"""Variational updates, and row and column effects: ridge as a limit, precision, derivatives, variances.
test_network.py compares them with their dense equations."""

from typing import NamedTuple

import numpy as np
import pytest
import torch
from problems import CORNER_CASES, random_ratings
from torch_threads import three_threads  # noqa: F401  a fixture

from metamf.network.universal import variational
from metamf.network.universal.effects import VarianceComponents, fitted_effects
from metamf.network.universal.variational import (
    Posterior,
    Prior,
    estimate_variance,
    estimate_variance_matrix,
    update,
)
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.threads import run_with_helpers

K = 2


class Problem(NamedTuple):
    """A matrix, priors of both sides, and a posterior of each to start from."""

    ratings: Ratings
    batch: RatingsBatch
    row_prior: Prior
    col_prior: Prior
    rows: Posterior
    cols: Posterior

    def update_rows(self, cols: Posterior) -> Posterior:
        x = self.batch.x.unsqueeze(1)
        return update(self.row_prior, cols, self.col_prior, x, self.batch.by_row, self.batch.by_col)


def problem(ratings: Ratings | None = None, seed: int = 0, factors: int = K) -> Problem:
    ratings = random_ratings(8, 6) if ratings is None else ratings
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    priors = [
        Prior(draw(n, factors + 1), draw(n, factors + 1).exp(), draw(n, 1).exp())
        for n in ratings.shape
    ]
    sides = []
    for n in ratings.shape:
        root = draw(n, factors + 1, factors + 1)
        sides.append(Posterior(draw(n, factors + 1), 0.3 * root @ root.mT))
    return Problem(ratings, RatingsBatch.of([ratings], torch.float64), *priors, *sides)


def test_float32_keeps_to_float64_on_a_long_row():
    p = problem(random_ratings(3, 3000, density=0.9))
    batch = RatingsBatch.of([p.ratings])

    def low(parts):
        return type(parts)(*(part.float() for part in parts))

    args = low(p.cols), low(p.col_prior), batch.x.unsqueeze(1), batch.by_row, batch.by_col
    for found, expected in zip(update(low(p.row_prior), *args), p.update_rows(p.cols)):
        assert found.dtype == torch.float32
        torch.testing.assert_close(found.double(), expected, rtol=1e-4, atol=1e-5)


def test_columns_that_are_alike_in_all_but_rounding_do_not_end_a_training():
    """Their sums of squares, in single precision, drown the prior's precision, and some are not
    definite any more."""
    generator = torch.Generator().manual_seed(0)
    N, M, u = 60, 2000, torch.tensor([0.5, -1.0, 2.0])
    v = torch.tensor([[300.0, -200.0, 100.0]]) * (1 + 1e-4 * torch.randn(M, 3, generator=generator))
    batch = RatingsBatch.of([random_ratings(N, M, density=0.9)])
    row_prior, col_prior = (
        Prior(torch.zeros(n, 4), torch.ones(n, 4), torch.ones(n, 1)) for n in (N, M)
    )
    cols = Posterior(torch.nn.functional.pad(v, (0, 1)), torch.zeros(M, 4, 4))
    rows = update(
        row_prior, cols, col_prior, (v @ u)[batch.col].unsqueeze(1), batch.by_row, batch.by_col
    )
    assert all(torch.isfinite(part).all() for part in rows)
    assert (rows.cov.diagonal(dim1=1, dim2=2) > 0).all()


def test_columns_known_for_sure_give_ridge_regression():
    p = problem(random_ratings(7, 9), factors=3)
    certain = p.cols._replace(cov=torch.zeros_like(p.cols.cov))
    rows = p.update_rows(certain)
    X = p.ratings.to_dense()
    V, b = certain.mean[:, :-1].numpy(), certain.mean[:, -1].numpy()
    t = p.col_prior.reliability[:, 0].numpy()
    for n in range(7):
        seen = ~np.isnan(X[n])
        root = np.sqrt(p.row_prior.reliability[n].item() * t[seen])
        alpha, start = np.sqrt(p.row_prior.precision[n].numpy()), p.row_prior.mean[n].numpy()
        of_entries = np.column_stack([V[seen], np.ones(seen.sum())]) * root[:, None]
        design = np.concatenate([of_entries, np.diag(alpha)])
        target = np.concatenate([(X[n, seen] - b[seen]) * root, alpha * start])
        mean = np.linalg.lstsq(design, target, rcond=None)[0]
        np.testing.assert_allclose(rows.mean[n], mean, rtol=0, atol=1e-9)
        np.testing.assert_allclose(rows.cov[n], np.linalg.inv(design.T @ design), rtol=0, atol=1e-9)


@pytest.mark.parametrize("chunk", [7, 2**16])
def test_the_variances_of_pairs_are_those_of_the_matrix(monkeypatch, chunk):
    monkeypatch.setitem(variational.CHUNK, "cpu", chunk)
    p = problem()
    row, col = torch.cartesian_prod(torch.arange(8), torch.arange(6)).T
    found = estimate_variance(p.rows, p.cols, row, col)
    matrix = estimate_variance_matrix(p.rows, p.cols)
    torch.testing.assert_close(found.view(8, 6), matrix, rtol=0, atol=1e-12)
    assert matrix.min() > 0
    assert estimate_variance(p.rows, p.cols, row[:0], col[:0]).shape == (0,)


def test_derivatives_of_an_update_in_everything_that_it_reads():
    p = problem(random_ratings(4, 3))
    roots = torch.linalg.cholesky(p.cols.cov)
    inputs = (*p.row_prior, p.cols.mean, roots, p.col_prior.reliability, p.batch.x.unsqueeze(1))

    def updated(mean, precision, reliability, other_mean, root, other_reliability, x):
        other_prior = Prior(p.col_prior.mean, p.col_prior.precision, other_reliability)
        cols = Posterior(other_mean, root @ root.mT)
        prior = Prior(mean, precision, reliability)
        return update(prior, cols, other_prior, x, p.batch.by_row, p.batch.by_col)

    assert torch.autograd.gradcheck(updated, [value.clone().requires_grad_() for value in inputs])


@pytest.mark.parametrize("size", [1, 3])
def test_many_rows_solved_by_several_threads_are_those_solved_at_once(
    monkeypatch, three_threads, size
):
    p = problem()
    at_once = p.update_rows(p.cols)
    monkeypatch.setattr(variational, "ROWS_AT_A_TIME", size)
    by_threads = run_with_helpers(lambda: p.update_rows(p.cols))
    torch.testing.assert_close(by_threads, at_once, rtol=1e-12, atol=1e-12)


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

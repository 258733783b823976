"""MF: Adam's steps on one matrix or many, step by step, and by the steps of the network."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from estimates import batch_of, observed, table
from problems import structured_ratings
from torch import nn

from metamf.answer.division import Matrix, divide
from metamf.baselines.factorization import PRECISION, factorize_by_steps, random_factors
from metamf.baselines.mf import MF, MFConfig, MFSettings, factorize
from metamf.datasets.film_nights import film_night
from metamf.network.map_steps import map_gradient, safe_step
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings


@pytest.mark.parametrize("loss", ["mean", "sum"])
def test_mf_takes_adams_steps_from_its_start(loss):
    ratings, config = structured_ratings(6, 5), MFConfig(1e-2, 1e-2, 20, loss, rank=3)
    batch = batch_of(ratings)
    start = MF(replace(config, steps=0)).adapt(batch)
    U, V = (nn.Parameter(factor.clone()) for factor in start)
    optimizer = torch.optim.Adam([U, V], 1e-2, weight_decay=1e-2)
    X, B = observed(ratings)
    for _ in range(20):
        optimizer.zero_grad()
        getattr((U @ V.T - X)[B] ** 2, loss)().backward()
        optimizer.step()
    torch.testing.assert_close(table(MF(config), ratings), (U @ V.T).detach())


@pytest.mark.parametrize("steps", [0, 1, 25])
def test_the_steps_are_those_of_mf(steps):
    ratings = structured_ratings(7, 5)
    path = factorize(ratings, MFSettings(3, 0.4, 2, steps, 0.05))
    units = path.units.apply(ratings.values)
    fitted = MF(MFConfig(0.4, 0.05, steps, "sum", 2, 3)).adapt(batch_of(ratings.with_values(units)))
    assert (len(path.U), len(path.V)) == (steps + 1, steps + 1)
    np.testing.assert_allclose(path.U[-1], fitted.U, atol=1e-5)
    np.testing.assert_allclose(path.V[-1], fitted.V, atol=1e-5)


def test_one_factor_finds_a_matrix_of_one_factor():
    rng = np.random.default_rng(0)
    X = 3 + np.outer(rng.choice([-1.0, 1.0], 14), rng.choice([-1.5, 1.5], 11))
    X += 0.05 * rng.standard_normal(X.shape)
    shown = rng.random(X.shape) < 0.6
    given, hidden = (Ratings.from_dense(np.where(part, X, np.nan)) for part in (shown, ~shown))
    path = factorize(given, MFSettings(1, 0.1))
    assert path.rmse(hidden)[0] > 1
    assert path.rmse(hidden)[-1] < 0.3


NIGHT = film_night(0).matrix(0)
TASK = divide(Matrix("night", "", NIGHT.ratings, NIGHT.truth), 0.3, "at random", 0)


def test_a_step_is_a_safe_step_of_the_network_towards_zero():
    found = factorize_by_steps(TASK.given, 3)
    standardised = TASK.given.with_values(found.units.apply(TASK.given.values))
    batch = RatingsBatch.of([standardised], dtype=torch.float64)
    U, V = (torch.tensor(side[2]) for side in (found.U, found.V))
    lam = torch.tensor(PRECISION, dtype=torch.float64)
    far = torch.tensor(np.inf, dtype=torch.float64)
    zero = [torch.zeros_like(side) for side in (U, V)]
    of_U, _ = map_gradient(U, V, *zero, batch, lam)
    after = U - safe_step(V, batch.by_row, batch.col, far, lam) * of_U
    assert np.allclose(after.numpy(), found.U[3], atol=1e-12)


def test_the_errors_on_what_is_given_fall():
    errors = factorize_by_steps(TASK.given).rmse(TASK.given)
    assert len(errors) == 11
    assert (np.diff(errors) < 0).all()
    # a shorter matrix starts with the first factors of a longer one
    assert np.array_equal(random_factors(5, 1), random_factors(9, 1)[:5])

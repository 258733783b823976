"""MF: Adam's steps on one matrix or many, step by step, and its settings chosen on the given ratings alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from estimates import batch_of, table
from problems import structured_ratings
from torch import nn

from metamf.baselines.mf import (
    MF,
    MF_STARTS,
    TRIED_RANKS,
    MFConfig,
    MFSettings,
    chosen_settings,
    factorize,
    shrinks_to_zero,
)
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale


@pytest.mark.parametrize("loss", ["mean", "sum"])
def test_mf_takes_adams_steps_from_its_start(loss):
    ratings, config = structured_ratings(6, 5), MFConfig(1e-2, 1e-2, 20, loss, rank=3)
    batch = batch_of(ratings)
    start = MF(replace(config, steps=0)).adapt(batch)
    U, V = (nn.Parameter(factor.clone()) for factor in start)
    optimizer = torch.optim.Adam([U, V], 1e-2, weight_decay=1e-2)
    X, B = torch.tensor(np.nan_to_num(ratings.to_dense())), torch.tensor(~np.isnan(ratings.to_dense()))
    for _ in range(20):
        optimizer.zero_grad()
        getattr((U @ V.T - X)[B] ** 2, loss)().backward()
        optimizer.step()
    torch.testing.assert_close(table(MF(config), ratings), (U @ V.T).detach())


def rank_one(n=14, m=11, density=0.6, noise=0.05, seed=0):
    """Given and hidden cells of a matrix of rank one around 3."""
    rng = np.random.default_rng(seed)
    X = 3 + np.outer(rng.choice([-1.0, 1.0], n), rng.choice([-1.5, 1.5], m)) + noise * rng.standard_normal((n, m))
    shown = rng.random((n, m)) < density
    return tuple(Ratings(*np.nonzero(part), X[part], (n, m), scale=RatingScale(0, 6)) for part in (shown, ~shown))


@pytest.mark.parametrize("steps", [0, 1, 25])
def test_the_steps_are_those_of_mf(steps):
    ratings = structured_ratings(7, 5)
    path = factorize(ratings, MFSettings(3, 0.4, "random", 2, steps, 0.05))
    units = path.units.apply(ratings.values)
    fitted = MF(MFConfig(0.4, 0.05, steps, "sum", 2, 3)).adapt(batch_of(ratings.with_values(units)))
    assert path.T == steps and path.U.shape == (steps + 1, 7, 3) and path.V.shape == (steps + 1, 5, 3)
    np.testing.assert_allclose(path.U[-1], fitted.U, atol=1e-5)
    np.testing.assert_allclose(path.V[-1], fitted.V, atol=1e-5)


@pytest.mark.parametrize("start", MF_STARTS)
def test_one_factor_finds_a_matrix_of_one_factor_from_any_start(start):
    given, hidden = rank_one()
    path = factorize(given, MFSettings(1, 0.1, start))
    assert path.rmse(hidden)[0] > 1 > 0.3 > path.rmse(hidden)[-1]
    if start == "almost zero":
        assert np.abs(path.U[0]).max() < 0.01
    if start == "column means":
        means = [path.units.apply(given.values[given.cols == m]).mean() for m in range(given.n_cols)]
        np.testing.assert_allclose((path.U[0] @ path.V[0].T), np.tile(means, (given.n_rows, 1)))


@pytest.mark.parametrize("share, zero", [(1.02, True), (0.9, False)])
def test_a_penalty_beyond_twice_the_largest_singular_value_leaves_the_mean(share, zero):
    given, _ = rank_one(density=0.3, noise=0.5)
    path = factorize(given, MFSettings(4, share * shrinks_to_zero(given), steps=2000))
    assert (np.abs(path.estimate() - given.values.mean()).max() < 0.02) == zero


def test_the_settings_are_chosen_on_the_given_ratings():
    given, hidden = rank_one(density=0.45, noise=0.3)
    chosen = chosen_settings(given)
    assert chosen.rank == 1
    best = factorize(given, chosen).rmse(hidden)[-1]
    for rank in TRIED_RANKS[2:]:
        assert best < factorize(given, MFSettings(rank, 0.3)).rmse(hidden)[-1]


@pytest.mark.parametrize("wrong", [{"rank": 0}, {"weight_decay": -1}, {"start": "warm"}, {"steps": -1}, {"seed": -1}])
def test_a_wrong_setting_is_named(wrong):
    [value] = wrong.values()
    with pytest.raises(ValueError, match=str(value)):
        MFSettings(**wrong)

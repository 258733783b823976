"""Methods against their formulas, other implementations of them, and the conditions of their
optimum."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from estimates import batch_of, network_of, observed, table
from problems import random_ratings, structured_ratings

from metamf.baselines.als import ALS, ALSConfig, ridge
from metamf.baselines.biases import DampedBias, DampedBiasConfig
from metamf.baselines.networks import DMF, AutoRec, AutoRecConfig, DMFConfig
from metamf.baselines.sklearn_imputers import KNN, Iterative, KNNConfig
from metamf.baselines.soft_impute import SoftImpute, SoftImputeConfig
from metamf.baselines.stacked import StackedNetwork
from metamf.ratings.matrix import Ratings
from metamf.ratings.segments import Segments


def test_damped_biases_follow_their_two_sums():
    ratings = random_ratings(8, 6, 0.4)
    X = ratings.to_dense()
    mean = np.nanmean(X)
    b = np.nansum(X - mean, axis=0) / (np.sum(~np.isnan(X), axis=0) + 3.0)
    a = np.nansum(X - mean - b, axis=1) / (np.sum(~np.isnan(X), axis=1) + 7.0)
    found = table(DampedBias(DampedBiasConfig(row_damping=7.0, column_damping=3.0)), ratings)
    np.testing.assert_allclose(found, mean + a[:, None] + b, atol=1e-12)


def test_ridge_solves_every_group_exactly_whatever_its_size():
    rng = np.random.default_rng(0)
    sizes = np.array(
        [0, 1, 2, 3, 4, 5, 8, 9, 40, 1, 0]
    )  # below, at and above K = 4, and empty ones
    groups = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    table_, x = (torch.tensor(rng.standard_normal(size)) for size in ((50, 4), len(groups)))
    at = torch.tensor(rng.integers(50, size=len(groups)))
    found = ridge(x, table_, at, Segments(torch.tensor(groups), len(sizes)), 0.7)
    for g in range(len(sizes)):
        A, y = table_[at][groups == g].numpy(), x[groups == g].numpy()
        expected = np.linalg.solve(A.T @ A + 0.7 * np.eye(4), A.T @ y)
        np.testing.assert_allclose(found[g], expected, atol=1e-12)


@pytest.mark.slow
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


@pytest.mark.parametrize("reads", ["rows", "columns"])
def test_autorec_in_a_batch_is_torchs_own_network_trained_on_one_matrix(reads):
    config = AutoRecConfig(1e-2, 1e-2, 10, "mean", hidden=6, reads=reads)
    matrices = [random_ratings(9, 8), structured_ratings(6, 5), random_ratings(3, 4)]
    batch = batch_of(*matrices)
    found = AutoRec(config).adapt(batch).table[1, :6, :5]
    ratings, flip = matrices[1], reads == "columns"
    X, B = observed(ratings)
    X, B = (X.T, B.T) if flip else (X, B)
    sizes = batch.n_rows if flip else batch.n_cols
    stacked = StackedNetwork(sizes, 6, 4, sizes, batch.x, [config.seed])
    network = network_of(stacked, 1, X.shape[1], X.shape[1])
    optimizer = torch.optim.Adam(network.parameters(), 1e-2, weight_decay=1e-2)
    for _ in range(10):
        optimizer.zero_grad()
        ((network(X) - X)[B] ** 2).mean().backward()
        optimizer.step()
    expected = network(X).detach()
    torch.testing.assert_close(found, expected.T if flip else expected, rtol=0, atol=1e-9)


def test_dmf_multiplies_a_tower_of_rows_and_a_tower_of_columns():
    ratings, config = structured_ratings(6, 5), DMFConfig(steps=0, hidden=6, rank=3)
    X, three = observed(ratings)[0], torch.tensor([3])
    f, g = (
        StackedNetwork(torch.tensor([n]), 6, 4, three, X, [config.seed, side])
        for side, n in enumerate((5, 6))
    )
    expected = network_of(f, 0, 5, 3)(X) @ network_of(g, 0, 6, 3)(X.T).T
    torch.testing.assert_close(table(DMF(config), ratings), expected.detach())


def test_knn_is_scikit_learns_on_columns_with_observations():
    from sklearn.impute import KNNImputer

    ratings = random_ratings(10, 6, 0.4)
    X = ratings.to_dense()
    X[:, 2] = np.nan
    found = table(KNN(KNNConfig(neighbours=3)), Ratings.from_dense(X)).numpy()
    seen = [0, 1, 3, 4, 5]
    np.testing.assert_allclose(found[:, seen], KNNImputer(n_neighbors=3).fit_transform(X[:, seen]))
    np.testing.assert_allclose(found[:, 2], np.nanmean(X))


def test_iterative_uses_the_other_columns():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 1)) * np.array([1.0, -2.0, 0.5])
    truth = X.copy()
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:10, 0] = np.nan
    X[:, 1:][:10] = truth[:10, 1:]
    method = Iterative(replace(Iterative().config, penalty=0.1))
    found = table(method, Ratings.from_dense(X)).numpy()
    assert np.abs(found[:10, 0] - truth[:10, 0]).mean() < 0.15 * np.abs(truth[:, 0]).mean()


def test_soft_impute_meets_the_conditions_of_its_optimum():
    """Z = W S Y' is optimal where the residual R on observed cells has W' R Y = lambda I and no
    singular value above lambda (Mazumder et al. 2010)."""
    ratings, share = structured_ratings(12, 9), 0.2
    method = SoftImpute(SoftImputeConfig(share, tolerance=1e-10, iterations=20_000))
    Z = table(method, ratings).numpy()
    X = ratings.to_dense()
    lam = share * np.linalg.norm(np.nan_to_num(X), 2)
    R = np.where(np.isnan(X), 0.0, X - Z)
    W, S, Yt = np.linalg.svd(Z)
    rank = int((S > 1e-6).sum())
    assert 0 < rank < 9
    np.testing.assert_allclose(W[:, :rank].T @ R @ Yt[:rank].T, lam * np.eye(rank), atol=1e-6)
    assert np.linalg.norm(R, 2) <= lam * (1 + 1e-6)


def test_soft_impute_by_subspace_iteration_finds_the_same_matrix():
    ratings = structured_ratings(60, 50)
    config = SoftImputeConfig(share=0.15, max_rank=64, tolerance=1e-6, iterations=1000)
    exact = table(SoftImpute(config), ratings)
    limited = table(SoftImpute(replace(config, max_rank=12)), ratings)
    assert torch.linalg.matrix_rank(exact, atol=1e-6) < 12
    torch.testing.assert_close(limited, exact, rtol=0, atol=1e-4)

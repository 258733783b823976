"""SoftImpute against the conditions of its optimum."""

from dataclasses import replace

import numpy as np
import torch
from estimates import table
from problems import structured_ratings

from metamf.baselines.soft_impute import SoftImpute, SoftImputeConfig
from metamf.ratings.matrix import Ratings


def test_soft_impute_meets_the_conditions_of_its_optimum():
    """Z = W S Y' is optimal where the residual R on observed cells has W' R Y = lambda I and no singular value above
    lambda (Mazumder et al. 2010)."""
    ratings, share = structured_ratings(12, 9), 0.2
    Z = table(SoftImpute(SoftImputeConfig(share, tolerance=1e-10, iterations=20_000)), ratings).numpy()
    X = ratings.to_dense()
    lam = share * np.linalg.norm(np.nan_to_num(X), 2)
    R = np.where(np.isnan(X), 0.0, X - Z)
    W, S, Yt = np.linalg.svd(Z)
    rank = int((S > 1e-6).sum())
    assert 0 < rank < 9
    np.testing.assert_allclose(W[:, :rank].T @ R @ Yt[:rank].T, lam * np.eye(rank), atol=1e-6)
    assert np.linalg.norm(R, 2) <= lam * (1 + 1e-6)


def test_soft_impute_at_share_one_is_zero_and_wide_is_the_transpose_of_tall():
    tall = structured_ratings(12, 9)
    assert table(SoftImpute(SoftImputeConfig(share=1.0)), tall).abs().max() < 1e-10
    wide = Ratings.from_dense(tall.to_dense().T)
    method = SoftImpute(SoftImputeConfig(0.1))
    torch.testing.assert_close(table(method, wide), table(method, tall).T)


def test_soft_impute_by_subspace_iteration_finds_the_same_matrix():
    ratings = structured_ratings(60, 50)
    config = SoftImputeConfig(share=0.15, max_rank=64, tolerance=1e-6, iterations=1000)
    exact, limited = table(SoftImpute(config), ratings), table(SoftImpute(replace(config, max_rank=12)), ratings)
    assert torch.linalg.matrix_rank(exact, atol=1e-6) < 12
    torch.testing.assert_close(limited, exact, rtol=0, atol=1e-4)

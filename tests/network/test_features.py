"""Features of rows and columns: zeros where none are known; test_meta_mf.py has their equations and
symmetries."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from problems import FEATURES, everything, featured, random_ratings, small_model

from metamf.learning.episodes import BlockSampler
from metamf.ratings.batch import RatingsBatch


def test_a_matrix_without_features_is_one_of_zeros():
    matrix, model = random_ratings(4, 6), small_model(**FEATURES)
    zeros = replace(matrix, row_features=np.zeros((4, 3)), col_features=np.zeros((6, 2)))
    alone = everything(model, RatingsBatch.of([matrix])).cells
    for one in (matrix, zeros):
        found = everything(model, RatingsBatch.of([one, featured(random_ratings(7, 5))]))
        torch.testing.assert_close(found.cells[:24], alone)


def test_columns_without_a_rating_differ_by_their_features_alone():
    ratings = replace(random_ratings(9, 4), shape=(9, 7))
    features = np.zeros((7, 2))
    features[5] = 10.0
    batch = RatingsBatch.of([replace(ratings, col_features=features)])
    cells = everything(small_model(**FEATURES), batch).cells.view(9, 7)
    torch.testing.assert_close(cells[:, 4], cells[:, 6])
    assert (cells[:, 4] - cells[:, 5]).abs().max() > 1e-3


def test_features_of_another_number_are_refused():
    batch = RatingsBatch.of([replace(random_ratings(4, 4), row_features=np.ones((4, 2)))])
    with pytest.raises(ValueError, match="the network reads 3 features, got 2"):
        small_model(row_features=3).prior(batch)
    for wrong in (np.ones(4), np.ones((5, 2)), np.full((4, 2), np.nan)):
        with pytest.raises(ValueError, match="col_features must be finite numbers for 4 cols"):
            replace(random_ratings(4, 4), col_features=wrong)


def test_blocks_have_the_features_of_their_columns_and_one_in_five_has_none():
    numbered = random_ratings(40, 50)
    numbered = replace(
        numbered, values=numbered.cols.astype(float), col_features=np.arange(1.0, 51.0)[:, None]
    )
    plain = random_ratings(20, 20)
    sampler = BlockSampler([numbered, replace(plain, values=np.full(plain.nnz, -1.0))], size=(6, 5))
    support = sampler.sample(np.random.default_rng(0), 1000).support
    assert support.row_features is None and support.col_features.shape == (5000, 1)
    known = support.col_features.view(1000, 5)
    told = (known > 0).all(1)
    assert ((known == 0).all(1) | told).all()
    from_numbered = torch.zeros(1000).index_add_(0, support.row_matrix[support.row], support.x) > 0
    assert 0.75 < told[from_numbered].float().mean() < 0.85 and not told[~from_numbered].any()
    at = told[support.col_matrix[support.col]]
    assert torch.equal(support.x[at] + 1, support.col_features[support.col][at, 0])

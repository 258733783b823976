"""RatingsBatch: matrices laid end to end, their counts, and their cells."""

import numpy as np
import pytest
import torch
from problems import CORNER_CASES, random_ratings

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings

X = np.array([[np.nan, 4.0, 1.0], [np.nan, np.nan, np.nan], [5.0, 0.0, np.nan]])


def test_a_batch_lays_matrices_end_to_end():
    matrices = [Ratings.from_dense(X), random_ratings(1, 4, 1.0), Ratings([], [], [], (2, 1))]
    batch = RatingsBatch.of(matrices)
    assert (len(batch), batch.N, batch.M) == (3, 6, 8)
    assert batch.row.tolist() == [0, 0, 2, 2, 3, 3, 3, 3] and batch.col.tolist() == [1, 2, 0, 1, 3, 4, 5, 6]
    assert batch.row_matrix.tolist() == [0, 0, 0, 1, 2, 2] and batch.col_matrix.tolist() == [0] * 3 + [1] * 4 + [2]
    assert batch.row_count[:, 0].tolist() == [2, 0, 2, 4, 0, 0]
    assert batch.col_count[:, 0].tolist() == [1, 2, 1, 1, 1, 1, 1, 0]
    assert batch.matrix_count[:, 0].tolist() == [4, 4, 0]
    assert batch.x.dtype == torch.float32 and RatingsBatch.of(matrices, torch.float64).x.dtype == torch.float64


def test_a_batch_does_not_share_memory_with_its_matrices():
    ratings = random_ratings(3, 3, 1.0)
    RatingsBatch.of([ratings], torch.float64).x.zero_()
    assert (ratings.values != 0).all()


@pytest.mark.parametrize("name", CORNER_CASES)
def test_find_knows_which_cells_are_observed(name):
    ratings = CORNER_CASES[name]
    batch = RatingsBatch.of([random_ratings(2, 2), ratings], torch.float64)
    n, m = (torch.as_tensor(index.reshape(-1)) for index in np.indices(ratings.shape))
    observed, at = batch.find(n + 2, m + 2)
    X = torch.as_tensor(ratings.to_dense())[n, m]
    assert torch.equal(observed, ~X.isnan())
    assert torch.equal(batch.x[at[observed]], X[observed])

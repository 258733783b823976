"""Mean: the mean of each matrix."""

import numpy as np
from estimates import batch_of
from problems import CORNER_CASES, random_ratings

from metamf.baselines.mean import Mean
from metamf.testing import all_cells

MIXED = [*CORNER_CASES.values(), random_ratings(12, 9)]


def test_mean_is_the_mean_of_each_matrix():
    batch = batch_of(*MIXED)
    estimates = Mean().adapt(batch).predict(*all_cells(batch)).split([r.n_rows * r.n_cols for r in MIXED])
    for found, ratings in zip(estimates, MIXED):
        mean = ratings.values.mean() if ratings.nnz else 0.0
        np.testing.assert_allclose(found, mean, atol=1e-12)

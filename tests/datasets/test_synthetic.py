"""Synthetic matrices and random domains: reproducible, consistent with their truth, missing as
described."""

import numpy as np
import pytest

from metamf.datasets import synthetic
from metamf.ratings.scale import RatingScale

SCALES = [RatingScale(1, 5, 1), RatingScale(-10, 10), RatingScale(0, 10, 3)]


def make(seed=0, n_rows=40, n_cols=30, **settings):
    return synthetic(np.random.default_rng(seed), n_rows, n_cols, **settings)


def test_the_same_seed_gives_the_same_matrix():
    one, same, other = make(3), make(3), make(4)
    np.testing.assert_array_equal(one.truth, same.truth)
    np.testing.assert_array_equal(one.ratings.cols, same.ratings.cols)
    assert not np.array_equal(one.truth, other.truth)


@pytest.mark.parametrize("missing", ["random", "popular"])
@pytest.mark.parametrize("density", [1e-9, 0.1, 0.5, 1.0])
def test_the_number_of_observed_entries_is_exact(missing, density):
    assert make(density=density, missing=missing).ratings.nnz == max(1, round(density * 1200))


@pytest.mark.parametrize("scale", SCALES)
def test_ratings_are_the_truth_where_observed_and_lie_on_the_scale(scale):
    matrix = make(scale=scale, noise=0.3)
    ratings = matrix.ratings
    np.testing.assert_array_equal(ratings.values, matrix.truth[ratings.rows, ratings.cols])
    assert ratings.scale == scale
    assert scale.minimum <= matrix.truth.min() and matrix.truth.max() <= scale.maximum
    if scale.step:
        steps = (matrix.truth - scale.minimum) / scale.step
        np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
        assert len(np.unique(matrix.truth)) == 1 + int((scale.maximum - scale.minimum) / scale.step)


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_the_signal_is_of_the_rank_asked_for_beside_its_effects(rank):
    signal = make(rank=rank).signal
    centred = signal - signal.mean(axis=0) - signal.mean(axis=1, keepdims=True) + signal.mean()
    assert np.linalg.matrix_rank(centred, tol=1e-9) == rank
    assert np.linalg.matrix_rank(signal, tol=1e-9) == rank + 2
    taste = make(rank=rank, row_effect=0, column_effect=0, taste=1).signal - 3
    assert np.linalg.matrix_rank(taste, tol=1e-9) == rank

"""The prior network: Eqs. (4) and (5) together."""

import numpy as np
import pytest
import torch
from problems import CORNER_CASES, random_ratings, small_model
from torch import nn

from benchmarks.dense_reference import algorithm_1
from metamf.model.prior import FeedForward
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.testing import (
    Answer,
    assert_equal_alone_and_in_batch,
    assert_permutation_equivariant,
    assert_sparse_equals_dense,
)


def prior_means(model, batch):
    return Answer(*model.prior(batch)[:2])


def dense_prior_means(model, X, B):
    U, V = algorithm_1(model, X, B, T=0)
    return Answer(U[0], V[0])


@pytest.mark.parametrize("name", CORNER_CASES)
def test_prior_means_and_their_gradients_equal_the_dense_equations(name):
    assert_sparse_equals_dense(small_model(), dense_prior_means, [CORNER_CASES[name]], prior_means)


@pytest.mark.parametrize("axis", ["rows", "cols"])
def test_permutations(axis):
    assert_permutation_equivariant(small_model(), random_ratings(7, 5), axis, np.random.default_rng(0), prior_means)


def test_alone_and_in_a_batch():
    assert_equal_alone_and_in_batch(small_model(), list(CORNER_CASES.values()), prior_means)


def test_the_prior_sees_how_often_a_row_was_observed():
    """Two rows with the same average of their entries: Eq. (5) divides by M, so the counts tell them apart."""
    X = np.full((2, 6), np.nan)
    X[0, 0], X[1, :] = 1.0, 1.0
    U0 = small_model().prior(RatingsBatch.of([Ratings.from_dense(X)])).U0
    assert (U0[0] - U0[1]).abs().max() > 1e-3


def test_rows_read_in_the_context_of_their_columns_get_their_prior_mean():
    model, ratings = small_model().double(), random_ratings(8, 6)
    whole = model.prior(RatingsBatch.of([ratings], torch.float64))
    rows = ratings.submatrix(np.array([5, 0]), np.arange(6))
    folded = model.prior(RatingsBatch.of([rows], torch.float64), whole.columns)
    torch.testing.assert_close(folded.U0, whole.U0[[5, 0]], rtol=0, atol=1e-12)
    alone = model.prior(RatingsBatch.of([rows], torch.float64))
    assert (alone.U0 - folded.U0).abs().max() > 1e-3


def test_dropout_follows_every_activation_and_nothing_else():
    network = FeedForward(3, 4, 3, 2, 0.1)
    kinds = [type(part) for part in network]
    assert kinds == [nn.Linear, nn.ReLU, nn.Dropout, nn.Linear, nn.ReLU, nn.Dropout, nn.Linear]
    assert [type(part) for part in FeedForward(3, 4, 1, 2, 0.1)] == [nn.Linear]


def test_dropout_of_hidden_layers_acts_between_the_exchangeable_layers():
    model, batch = small_model(dropout=0.5), RatingsBatch.of([random_ratings(8, 8)])
    quiet = model.prior(batch).columns
    model.train()
    noisy = model.prior(batch).columns
    assert torch.equal(noisy[0], quiet[0])  # the first layer reads the matrix itself
    assert not torch.equal(noisy[1], quiet[1]) and not torch.equal(noisy[2], quiet[2])

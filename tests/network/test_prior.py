"""Eq. (4): the five terms, and the averages over all cells that Eq. (5) takes."""

import numpy as np
import pytest
import torch
from problems import CORNER_CASES, random_ratings, small_model
from torch import nn

from benchmarks.dense_reference import exchangeable_layer
from metamf import testing
from metamf.network.exchangeable import ExchangeableLayer
from metamf.network.prior import FeedForward
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.testing import Answer


class Channels(nn.Module):
    """An exchangeable layer of four channels in, three out, on sin(x), sin(2 x), ... as its input."""

    def __init__(self):
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(1)
            self.layer = ExchangeableLayer(4, 3)
            nn.init.normal_(self.layer.bias)

    def forward(self, x):
        return torch.sin(x.unsqueeze(-1) * torch.arange(1, 5, dtype=x.dtype))


def answer(module, batch):
    z = module(batch.x)
    averages, _ = module.layer.averages(z, batch)
    return Answer(*averages, module.layer(z, batch).at_observed(batch))


def dense_answer(module, X, B):
    layer = module.layer
    Z = exchangeable_layer(module(X), B, layer.entry, layer.column, layer.row, layer.matrix, layer.bias)  # (N, M, 3)
    return Answer(Z.mean(dim=1), Z.mean(dim=0), Z)


@pytest.mark.parametrize("name", CORNER_CASES)
def test_layer_and_its_averages_equal_the_dense_equations(name):
    testing.assert_sparse_equals_dense(Channels(), dense_answer, [CORNER_CASES[name]], answer)


def test_a_batch_of_mixed_sizes_equals_the_dense_equations():
    testing.assert_sparse_equals_dense(Channels(), dense_answer, list(CORNER_CASES.values()), answer)


@pytest.mark.parametrize("axis", ["rows", "cols"])
def test_permutations(axis):
    testing.assert_permutation_equivariant(Channels(), random_ratings(7, 5), axis, np.random.default_rng(0), answer)


def test_the_average_of_a_row_runs_over_all_of_its_cells():
    batch = RatingsBatch.of([Ratings([0, 0], [0, 1], np.array([3.0, 5.0]), (2, 4))])
    layer = ExchangeableLayer(1, 1)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()
        layer.entry.fill_(1.0)
    averages, _ = layer.averages(batch.x.unsqueeze(1), batch)
    assert averages.row[:, 0].tolist() == [2.0, 0.0]  # (3 + 5) / 4 cells, not / 2 observed
    assert averages.col[:, 0].tolist() == [1.5, 2.5, 0.0, 0.0]


def test_initial_outputs_neither_vanish_nor_explode_with_depth():
    torch.manual_seed(0)
    batch = RatingsBatch.of([random_ratings(30, 30, 0.5)])
    z = batch.x.unsqueeze(1)
    for layer in [ExchangeableLayer(1, 64)] + [ExchangeableLayer(64, 64) for _ in range(5)]:
        z = torch.relu(layer(z, batch).at_observed(batch))
    assert 0.1 < z.square().mean() < 10


def test_the_prior_sees_how_often_a_row_was_observed():
    """Two rows with the same average of their entries: Eq. (5) divides by M, so the counts tell them apart."""
    X = np.full((2, 6), np.nan)
    X[0, 0], X[1, :] = 1.0, 1.0
    U0 = small_model().prior(RatingsBatch.of([Ratings.from_dense(X)])).U0
    assert (U0[0] - U0[1]).abs().max() > 1e-3


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

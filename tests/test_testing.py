"""The assertions of metamf.testing accept what is right and reject layers that were broken on purpose."""

import numpy as np
import pytest
import torch
from problems import random_ratings, small_model
from torch import nn

from benchmarks.dense_reference import algorithm_1
from metamf import testing
from metamf.network.exchangeable import ExchangeableLayer, Terms
from metamf.testing import Answer

BLOCK = random_ratings(6, 5)


class Layer(nn.Module):
    """An exchangeable layer; subclasses break it."""

    def __init__(self):
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(0)
            self.layer = ExchangeableLayer(1, 3)
            nn.init.normal_(self.layer.bias)

    def forward(self, batch):
        return self.layer(batch.x.unsqueeze(1), batch)


class ReadsRowPositions(Layer):
    def forward(self, batch):
        entry, row, col = super().forward(batch)
        return Terms(entry, row + 0.01 * torch.arange(batch.N, dtype=row.dtype).unsqueeze(1), col)


class ReadsColumnPositions(Layer):
    def forward(self, batch):
        return super().forward(batch.with_values(batch.x * (1 + 0.01 * batch.col.to(batch.x.dtype))))


class MixesMatrices(Layer):
    def forward(self, batch):
        entry, row, col = super().forward(batch)
        return Terms(entry, row, col + 0.01 * batch.x.mean())


def terms(layer, batch):
    out = layer(batch)
    N, M = batch.n_rows.unsqueeze(1), batch.n_cols.unsqueeze(1)
    rows = out.row + batch.by_row.sum(out.entry) / M[batch.row_matrix]
    cols = out.col + batch.by_col.sum(out.entry) / N[batch.col_matrix]
    rows_average = (batch.rows_by_matrix.sum(out.row) / N)[batch.col_matrix]
    cols_average = (batch.cols_by_matrix.sum(out.col) / M)[batch.row_matrix]
    return Answer(rows + cols_average, cols + rows_average, out.at_observed(batch))


def check_permutation(layer, axis, answer=terms):
    testing.assert_permutation_equivariant(layer, BLOCK, axis, np.random.default_rng(0), answer)


@pytest.mark.parametrize("axis", ["rows", "cols"])
def test_an_exchangeable_layer_is_equivariant(axis):
    check_permutation(Layer(), axis)


@pytest.mark.parametrize(
    "broken, axis, other", [(ReadsRowPositions, "rows", "cols"), (ReadsColumnPositions, "cols", "rows")]
)
def test_a_layer_that_reads_positions_is_rejected_on_its_own_axis(broken, axis, other):
    with pytest.raises(AssertionError, match=f"a permutation of the {axis} changed the answer"):
        check_permutation(broken(), axis)
    check_permutation(broken(), other)


def test_a_permutation_needs_two_rows_or_columns_and_an_axis_that_exists():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="permuting 1 of them checks nothing"):
        testing.assert_permutation_equivariant(Layer(), random_ratings(1, 4), "rows", rng, terms)
    with pytest.raises(ValueError, match="axis must be 'rows' or 'cols', got 'row'"):
        testing.assert_permutation_equivariant(Layer(), BLOCK, "row", rng, terms)


def test_a_layer_that_mixes_the_matrices_of_a_batch_is_rejected():
    matrices = [BLOCK, random_ratings(3, 4), random_ratings(1, 2, 1.0)]
    testing.assert_equal_alone_and_in_batch(Layer(), matrices, terms)
    with pytest.raises(AssertionError, match=r"matrix 0 \(6, 5\): not the same in a batch: rows, torch"):
        testing.assert_equal_alone_and_in_batch(MixesMatrices(), matrices, terms)


def test_a_method_is_checked_at_every_cell_by_default():
    def estimates(model, X, B):
        return Answer(cells=algorithm_1(model, X, B).estimates)

    def one_step_less(model, X, B):
        return Answer(cells=algorithm_1(model, X, B, model.config.steps - 1).estimates)

    testing.assert_sparse_equals_dense(small_model(), estimates, [BLOCK, random_ratings(2, 3)])
    with pytest.raises(AssertionError, match="cells, torch"):
        testing.assert_sparse_equals_dense(small_model(), one_step_less, [BLOCK])

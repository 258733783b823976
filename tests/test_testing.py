"""The assertions of metamf.testing accept what is right and reject layers that were broken on purpose."""

import numpy as np
import pytest
import torch
from problems import random_ratings, small_model
from torch import nn

from benchmarks.dense_reference import algorithm_1, exchangeable_layer
from metamf.model.exchangeable import ExchangeableLayer, Terms
from metamf.model.map_steps import map_gradient
from metamf.model.meta_mf import MetaMF
from metamf.ratings.batch import RatingsBatch
from metamf.testing import (
    TOLERANCE,
    Answer,
    all_cells,
    assert_equal_alone_and_in_batch,
    assert_map_gradient,
    assert_permutation_equivariant,
    assert_sparse_equals_dense,
)

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


def terms_dense(layer, X, B):
    w = layer.layer
    Z = exchangeable_layer(X.unsqueeze(-1), B, w.entry, w.column, w.row, w.matrix, w.bias)
    return Answer(Z.mean(1), Z.mean(0), Z)


def observed_average_only(layer, batch):
    """Eq. (5) misread: the average over the observed entries of a row, not over all of its cells."""
    z = layer(batch).at_observed(batch)
    rows = torch.zeros(batch.N, 3, dtype=z.dtype).index_add(0, batch.row, z) / batch.row_count.clamp(min=1)
    return Answer(rows=rows)


def check_permutation(layer, axis, answer=terms):
    assert_permutation_equivariant(layer, BLOCK, axis, np.random.default_rng(0), answer)


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
        assert_permutation_equivariant(Layer(), random_ratings(1, 4), "rows", rng, terms)
    with pytest.raises(ValueError, match="axis must be 'rows' or 'cols', got 'row'"):
        assert_permutation_equivariant(Layer(), BLOCK, "row", rng, terms)


def test_a_layer_that_mixes_the_matrices_of_a_batch_is_rejected():
    matrices = [BLOCK, random_ratings(3, 4), random_ratings(1, 2, 1.0)]
    assert_equal_alone_and_in_batch(Layer(), matrices, terms)
    with pytest.raises(AssertionError, match=r"matrix 0 \(6, 5\): not the same in a batch: rows: off by"):
        assert_equal_alone_and_in_batch(MixesMatrices(), matrices, terms)


def test_an_average_over_observed_entries_in_eq_4_is_rejected():

    def rows(layer, X, B):
        return terms_dense(layer, X, B)._replace(cols=None, entries=None)

    assert_sparse_equals_dense(Layer(), rows, [BLOCK], lambda layer, batch: Answer(terms(layer, batch).rows))
    with pytest.raises(AssertionError, match="the sparse answer differs from the dense one: rows"):
        assert_sparse_equals_dense(Layer(), rows, [BLOCK], observed_average_only)
    full = random_ratings(4, 3, 1.0)  # where every cell is observed the two averages are the same
    assert_sparse_equals_dense(Layer(), rows, [full], observed_average_only)


@pytest.mark.parametrize("weight", ["entry", "column", "row", "matrix", "bias"])
def test_a_layer_that_ignores_one_of_the_five_terms_is_rejected(weight):
    def without(layer, batch):
        with torch.no_grad():
            getattr(layer.layer, weight).zero_()
        return terms(layer, batch)

    with pytest.raises(AssertionError, match="the sparse answer differs from the dense one"):
        assert_sparse_equals_dense(Layer(), terms_dense, [BLOCK], without)


def test_a_layer_with_the_right_values_and_a_wrong_gradient_is_rejected():
    def cut(layer, batch):
        out = layer(batch)
        return terms(lambda batch: Terms(out.entry, out.row.detach(), out.col), batch)

    with pytest.raises(AssertionError, match="the derivative in layer.row differs from the dense one: off by"):
        assert_sparse_equals_dense(Layer(), terms_dense, [BLOCK], cut)


def test_a_method_is_checked_at_every_cell_by_default():
    def estimates(model, X, B):
        return Answer(cells=algorithm_1(model, X, B).estimates)

    def one_step_less(model, X, B):
        return Answer(cells=algorithm_1(model, X, B, model.config.steps - 1).estimates)

    assert_sparse_equals_dense(small_model(), estimates, [BLOCK, random_ratings(2, 3)])
    with pytest.raises(AssertionError, match="cells: off by"):
        assert_sparse_equals_dense(small_model(), one_step_less, [BLOCK])


def map_problem():
    batch, rng = RatingsBatch.of([BLOCK], torch.float64), torch.Generator().manual_seed(0)

    def draw(n):
        return torch.randn(n, 3, dtype=torch.float64, generator=rng)

    return batch, (draw(6), draw(5)), (draw(6), draw(5)), torch.tensor(0.7, dtype=torch.float64)


def test_a_map_gradient_without_the_prior_is_rejected():
    assert_map_gradient(map_gradient, *map_problem())
    for side, name in enumerate("UV"):

        def without_prior(U, V, U0, V0, batch, lam, side=side):
            prior = [U0, V0]
            prior[side] = (U, V)[side]
            return map_gradient(U, V, *prior, batch, lam)

        with pytest.raises(AssertionError, match=f"the written gradient in {name} is not that of the objective"):
            assert_map_gradient(without_prior, *map_problem())


@pytest.mark.parametrize(
    "spoil, message",
    [
        (lambda rows: rows * float("nan"), "off by nan"),
        (lambda rows: rows[1:], r"shape \(5,\), expected \(6,\)"),
        (lambda rows: rows.half(), "dtype torch.float16, expected torch.float64"),
    ],
)
def test_what_is_not_a_number_or_of_another_shape_or_dtype_is_rejected(spoil, message):

    def rows(_, batch):
        return Answer(rows=spoil(batch.by_row.sum(batch.x.unsqueeze(1)).squeeze(1)))

    with pytest.raises(AssertionError, match=message):
        assert_sparse_equals_dense(nn.Identity(), lambda _, X, B: Answer(rows=X.sum(1)), [BLOCK], rows)


@pytest.mark.parametrize("dtype, tolerance", TOLERANCE.items())
def test_the_tolerance_is_held_in_each_dtype(dtype, tolerance):
    def drifts_by(drift):
        def answer(_, batch):
            drifting = len(batch) == 1 and batch.x.dtype == dtype
            return Answer(rows=torch.full((batch.N,), 1 + drift * drifting, dtype=batch.x.dtype))

        return answer

    assert_equal_alone_and_in_batch(nn.Identity(), [BLOCK, BLOCK], drifts_by(tolerance / 2))
    with pytest.raises(AssertionError, match=f"in {dtype}"):
        assert_equal_alone_and_in_batch(nn.Identity(), [BLOCK, BLOCK], drifts_by(tolerance * 2))


def test_the_module_that_is_checked_is_left_as_it_was():
    model = MetaMF().train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    check_permutation(model, "rows", lambda m, b: Answer(cells=m.adapt(b).predict(*all_cells(b))))
    assert model.training and all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert all(p.grad is None and p.dtype == torch.float32 for p in model.parameters())

"""The assertions of metamf.testing, and that of the tests, reject what was broken on purpose."""

import numpy as np
import pytest
import torch
from dense_reference import algorithm_1
from dense_reference import estimates as products
from problems import everything, random_ratings, small_model
from sparse_against_dense import assert_sparse_equals_dense

from metamf import testing
from metamf.testing import Answer

BLOCK = random_ratings(6, 5)


def numbered(part):
    """0, 0.01, 0.02, ..., by the position in the first dimension."""
    return 0.01 * torch.arange(len(part), dtype=part.dtype).view(-1, 1, 1)


def reading_row_positions(model, batch):
    found = everything(model, batch)
    return found._replace(rows=found.rows + numbered(found.rows))


def reading_column_positions(model, batch):
    found = everything(model, batch)
    return found._replace(cols=found.cols + numbered(found.cols))


def mixing_matrices(model, batch):
    found = everything(model, batch)
    return found._replace(cols=found.cols + 0.01 * batch.x.mean())


@pytest.mark.parametrize(
    "broken, axis, other",
    [(reading_row_positions, "rows", "cols"), (reading_column_positions, "cols", "rows")],
)
def test_an_answer_that_reads_positions_is_rejected_on_its_own_axis(broken, axis, other):
    check, rng = testing.assert_permutation_equivariant, np.random.default_rng(0)
    with pytest.raises(AssertionError, match=f"a permutation of the {axis} changed the answer"):
        check(small_model(), BLOCK, axis, rng, broken)
    check(small_model(), BLOCK, other, rng, broken)


def test_a_permutation_needs_two_rows_or_columns_and_an_axis_that_exists():
    check, rng = testing.assert_permutation_equivariant, np.random.default_rng(0)
    with pytest.raises(ValueError, match="permuting 1 of them checks nothing"):
        check(small_model(), random_ratings(1, 4), "rows", rng)
    with pytest.raises(ValueError, match="axis must be 'rows' or 'cols', got 'row'"):
        check(small_model(), BLOCK, "row", rng)


def test_an_answer_that_mixes_the_matrices_of_a_batch_is_rejected():
    matrices = [BLOCK, random_ratings(3, 4), random_ratings(1, 2, 1.0)]
    testing.assert_equal_alone_and_in_batch(small_model(), matrices, everything)
    with pytest.raises(AssertionError, match=r"matrix 0 \(6, 5\): not the same in a batch: cols"):
        testing.assert_equal_alone_and_in_batch(small_model(), matrices, mixing_matrices)


def test_an_answer_that_is_not_the_dense_one_is_rejected():
    def one_step_less(model, X, B):
        U, V = algorithm_1(dict(model.named_parameters()), X, B, model.config.steps - 1)
        return Answer(cells=products(U[-1], V[-1]))

    with pytest.raises(AssertionError, match="cells, torch"):
        assert_sparse_equals_dense(small_model(), one_step_less, [BLOCK])

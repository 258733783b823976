"""Products at the entries: against copies of their rows, in every corner case and order."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from problems import CORNER_CASES

from metamf.ratings.batch import RatingsBatch


def batch_of(name):
    return RatingsBatch.of([CORNER_CASES[name], CORNER_CASES["a block"]], torch.float64)


def arranged(batch, order):
    return RatingsBatch(
        batch.x[order],
        batch.row[order],
        batch.col[order],
        batch.row_matrix,
        batch.col_matrix,
        batch.n_rows,
        batch.n_cols,
    )


def as_it_is(batch):
    return batch


def columns_backwards(batch):
    """Row by row, the columns of each in descending order: episodes of meta-training have them in any."""
    return arranged(batch, torch.argsort(batch.row * batch.M - batch.col))


def not_row_by_row(batch):
    return arranged(batch, torch.arange(len(batch.x)).flip(0))


@pytest.mark.parametrize("order", [as_it_is, columns_backwards, not_row_by_row])
@pytest.mark.parametrize("name", CORNER_CASES)
def test_products_are_added_in_place(name, order):
    batch = order(batch_of(name))
    rng = torch.Generator().manual_seed(0)
    U, V, values = (
        torch.randn(*shape, dtype=torch.float64, generator=rng)
        for shape in [(batch.N, 3), (batch.M, 3), (len(batch.x),)]
    )
    expected = values + (U @ V.T)[batch.row, batch.col]
    assert batch.add_products(values, U, V) is values
    torch.testing.assert_close(values, expected, rtol=0, atol=1e-12)


def test_factors_that_are_parts_of_a_larger_array():
    batch = batch_of("a block").with_values(batch_of("a block").x.float())
    w = torch.randn(2, batch.N + batch.M, 5)[1]
    found = batch.add_products(torch.zeros(len(batch.x)), w[: batch.N], w[batch.N :])
    torch.testing.assert_close(found, (w[: batch.N] @ w[batch.N :].T)[batch.row, batch.col])


QUIET = """
import warnings
before = list(warnings.filters)
import torch
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings

added = [entry for entry in warnings.filters if entry not in before and "CSR" in str(entry[1])]
warnings.simplefilter("error")
batch = RatingsBatch.of([Ratings([0, 1], [1, 0], [1.0, 2.0], (2, 2))])
found = batch.add_products(torch.zeros(2), torch.ones(2, 3), torch.ones(2, 3))
raise SystemExit(added != [] or found.tolist() != [3.0, 3.0] or warnings.filters[0][0] != "error")
"""


@pytest.mark.slow
def test_torch_s_beta_warning_is_not_heard_and_the_program_s_filters_stay_as_they_are():
    assert subprocess.run([sys.executable, "-c", QUIET], cwd=Path(__file__).parents[2], timeout=120).returncode == 0

"""RatingsBatch: matrices laid end to end, their counts, and their cells."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from problems import CORNER_CASES, random_ratings

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.testing import all_cells

X = np.array([[np.nan, 4.0, 1.0], [np.nan, np.nan, np.nan], [5.0, 0.0, np.nan]])


def test_a_batch_lays_matrices_end_to_end():
    matrices = [Ratings.from_dense(X), random_ratings(1, 4, 1.0), Ratings([], [], [], (2, 1))]
    batch = RatingsBatch.of(matrices)
    assert (len(batch), batch.N, batch.M) == (3, 6, 8)
    assert batch.row.tolist() == [0, 0, 2, 2, 3, 3, 3, 3]
    assert batch.col.tolist() == [1, 2, 0, 1, 3, 4, 5, 6]
    assert batch.row_matrix.tolist() == [0, 0, 0, 1, 2, 2]
    assert batch.col_matrix.tolist() == [0, 0, 0, 1, 1, 1, 1, 2]
    assert batch.row_count[:, 0].tolist() == [2, 0, 2, 4, 0, 0]
    assert batch.col_count[:, 0].tolist() == [1, 2, 1, 1, 1, 1, 1, 0]
    assert batch.matrix_count[:, 0].tolist() == [4, 4, 0]
    assert batch.x.dtype == torch.float32
    assert RatingsBatch.of(matrices, torch.float64).x.dtype == torch.float64


def test_a_batch_does_not_share_memory_with_its_matrices():
    ratings = random_ratings(3, 3, 1.0)
    RatingsBatch.of([ratings], torch.float64).x.zero_()
    assert (ratings.values != 0).all()


def test_find_knows_which_cells_are_observed():
    matrices = list(CORNER_CASES.values())
    batch = RatingsBatch.of(matrices, torch.float64)
    observed, at = batch.find(*all_cells(batch))
    X = torch.cat([torch.as_tensor(ratings.to_dense()).flatten() for ratings in matrices])
    assert torch.equal(observed, ~X.isnan())
    assert torch.equal(batch.x[at[observed]], X[observed])


ORDERS = {
    "sorted": lambda batch: torch.arange(len(batch.x)),
    # row by row, the columns of each in descending order: episodes have them in any
    "columns backwards": lambda batch: torch.argsort(batch.row * batch.M - batch.col),
    "not row by row": lambda batch: torch.arange(len(batch.x)).flip(0),
}


@pytest.mark.parametrize("order", ORDERS)
def test_products_are_added_in_place(order):
    batch = RatingsBatch.of(CORNER_CASES.values(), torch.float64)
    at = ORDERS[order](batch)
    batch = replace(batch, x=batch.x[at], row=batch.row[at], col=batch.col[at])
    rng = np.random.default_rng(0)
    U, V, values = (
        torch.tensor(rng.normal(size=size)) for size in ((batch.N, 3), (batch.M, 3), len(batch.x))
    )
    expected = values + (U @ V.T)[batch.row, batch.col]
    assert batch.add_products(values, U, V) is values
    torch.testing.assert_close(values, expected, rtol=0, atol=1e-12)


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
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", QUIET], cwd=root, timeout=120, check=True)

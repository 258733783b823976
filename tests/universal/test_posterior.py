"""What the extended model says of cells: predictive variances, and scores of entries as if left out."""

import pytest
import torch
from problems import CORNER_CASES, small_universal, structured_ratings

from metamf.ratings.batch import RatingsBatch
from metamf.testing import all_cells
from metamf.universal import variational
from metamf.universal.variational import Posterior, estimate_variance_matrix


@pytest.mark.parametrize("name", CORNER_CASES)
def test_variances_are_at_least_the_noise_and_the_same_by_cell_and_as_a_matrix(name):
    ratings = CORNER_CASES[name]
    batch = RatingsBatch.of([ratings], torch.float64)
    adapted = small_universal().double().adapt(batch)
    base, row_noise, col_noise = adapted.log_noise
    noise = (base + row_noise.unsqueeze(1) + col_noise).exp()
    variance = adapted.variance_matrix()
    assert (variance > noise).all() and (noise > 0).all()
    torch.testing.assert_close(adapted.variance(*all_cells(batch)).view(ratings.shape), variance)


@pytest.mark.parametrize("name", ["a block", "one observation", "empty rows and columns"])
def test_left_out_residuals_by_their_definition(name):
    ratings = CORNER_CASES[name]
    model, batch = small_universal().double(), RatingsBatch.of([ratings], torch.float64)
    adapted = model.adapt(batch)
    base, row_noise, col_noise = (part.exp() for part in adapted.log_noise)
    estimates, X = adapted.factors.U @ adapted.factors.V.T, ratings.to_dense()
    for at, (n, m) in enumerate(zip(batch.row.tolist(), batch.col.tolist())):
        precision = adapted.context.variances.noise[0, 0] / (row_noise[n] * col_noise[m])  # in units of the noise
        row, col = Posterior(*(part[[n]] for part in adapted.rows)), Posterior(*(part[[m]] for part in adapted.cols))
        leverage = (estimate_variance_matrix(row, col)[0, 0] * precision).clamp(max=0.95)
        deviation = (base * row_noise[n] * col_noise[m] * (1 - leverage)).sqrt()
        expected = (X[n, m] - estimates[n, m]).abs() / deviation * (-0.8 * leverage**2).exp()
        torch.testing.assert_close(adapted.left_out(batch)[at], expected)


def test_variances_of_more_pairs_than_one_chunk(monkeypatch):
    batch = RatingsBatch.of([structured_ratings(12, 9)], torch.float64)
    adapted = small_universal().double().adapt(batch)
    row, col = torch.cartesian_prod(torch.arange(12), torch.arange(9)).T
    monkeypatch.setitem(variational.CHUNK, "cpu", 10)
    torch.testing.assert_close(adapted.variance(row, col).view(12, 9), adapted.variance_matrix())

"""EML: its estimates are the last layer's output."""

import torch
from estimates import eml_like
from problems import random_ratings

from metamf.baselines.eml import EML, EMLConfig
from metamf.ratings.batch import RatingsBatch
from metamf.testing import all_cells


def test_an_estimate_is_the_last_layers_output_at_its_cell():
    eml, batch = eml_like(EML, EMLConfig(channels=3)), RatingsBatch.of([random_ratings(6, 5)], torch.float64)
    adapted = eml.adapt(batch)
    torch.testing.assert_close(adapted.predict(batch.row, batch.col), adapted.terms.at_observed(batch)[:, 0])
    row, col = all_cells(batch)
    unobserved = ~batch.find(row, col)[0]
    effects = adapted.terms.row[row, 0] + adapted.terms.col[col, 0]
    estimates = adapted.predict(row, col)
    assert torch.equal(estimates[unobserved], effects[unobserved])
    assert (estimates - effects)[~unobserved].abs().max() > 0.1

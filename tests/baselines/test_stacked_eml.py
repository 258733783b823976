"""EML with weights of its own for every matrix of a batch."""

import torch
from estimates import eml_like
from problems import CORNER_CASES, random_ratings

from metamf.baselines.eml import EML, EMLConfig
from metamf.baselines.stacked_eml import StackedEML, layered, stack
from metamf.ratings.batch import RatingsBatch
from metamf.testing import all_cells

MIXED = [*CORNER_CASES.values(), random_ratings(12, 9)]


def test_equal_weights_for_every_matrix_give_eml():
    eml, batch = eml_like(EML, EMLConfig(channels=4)), RatingsBatch.of(MIXED, torch.float64)
    stacked = StackedEML.of(batch, eml.dropout)(stack(eml, len(batch)))
    for found, expected in zip(stacked.terms, eml.adapt(batch).terms):
        torch.testing.assert_close(found, expected)


def test_each_matrix_uses_its_own_weights():
    eml, other = eml_like(EML, EMLConfig(channels=4)), EML(EMLConfig(channels=4)).double().eval()
    batch = RatingsBatch.of([random_ratings(6, 5), random_ratings(3, 7)], torch.float64)
    pairs = [torch.stack([a[0], b[0]]) for x, y in zip(stack(eml, 1), stack(other, 1)) for a, b in zip(x, y)]
    both = StackedEML.of(batch, eml.dropout)(layered(pairs)).predict(*all_cells(batch))
    expected = [m.adapt(batch).predict(*all_cells(batch)) for m in (eml, other)]
    torch.testing.assert_close(both[:30], expected[0][:30])
    torch.testing.assert_close(both[30:], expected[1][30:])

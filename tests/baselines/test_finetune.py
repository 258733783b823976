"""FT: EML, finetuned on the support entries."""

import torch
from estimates import eml_like
from problems import CORNER_CASES, random_ratings, structured_ratings

from metamf.baselines.eml import EML, EMLConfig
from metamf.baselines.finetune import FT, FTConfig
from metamf.ratings.batch import RatingsBatch
from metamf.testing import all_cells

MIXED = [*CORNER_CASES.values(), random_ratings(12, 9)]


def test_ft_without_steps_and_ft_in_training_are_eml():
    eml, batch = eml_like(EML, EMLConfig()), RatingsBatch.of(MIXED, torch.float64)
    expected = eml.adapt(batch).predict(*all_cells(batch))
    for ft in (FT(FTConfig(steps=0)).eval(), FT(FTConfig(dropout=0.0)).train()):
        ft.double().load_state_dict(eml.state_dict())
        torch.testing.assert_close(ft.adapt(batch).predict(*all_cells(batch)), expected, rtol=0, atol=0)


def test_ft_takes_adams_steps_on_the_support_entries():
    ft, ratings = eml_like(FT, FTConfig(steps=7, learning_rate=3e-3)), structured_ratings(8, 6)
    batch = RatingsBatch.of([random_ratings(5, 4), ratings], torch.float64)
    found = ft.adapt(batch).predict(*all_cells(batch))[20:]
    eml, alone = eml_like(EML, EMLConfig()), RatingsBatch.of([ratings], torch.float64)
    optimizer = torch.optim.Adam(eml.parameters(), 3e-3)
    for _ in range(7):
        optimizer.zero_grad()
        (eml.adapt(alone).predict(alone.row, alone.col) - alone.x).square().mean().backward()
        optimizer.step()
    torch.testing.assert_close(found, eml.adapt(alone).predict(*all_cells(alone)).detach(), rtol=0, atol=1e-8)

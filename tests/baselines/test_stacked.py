"""Fits by Adam, many matrices at once: what MF, AutoRec and DMF have in common."""

from dataclasses import replace

import pytest
import torch
from estimates import batch_of, table
from problems import structured_ratings

from metamf.baselines.autorec import AutoRec, AutoRecConfig
from metamf.baselines.dmf import DMF, DMFConfig
from metamf.baselines.mf import MF, MFConfig


@pytest.mark.parametrize(
    "cls, config",
    [
        (MF, MFConfig(1e-2, 1e-2, 300, "mean")),
        (AutoRec, AutoRecConfig(1e-2, 1e-2, 300, "mean")),
        (AutoRec, AutoRecConfig(1e-2, 1e-2, 300, "mean", reads="columns")),
        (DMF, DMFConfig(1e-2, 1e-2, 300, "mean")),
    ],
)
def test_observed_entries_are_fitted_as_the_weight_decay_goes_to_zero(cls, config):
    batch = batch_of(structured_ratings(12, 10))
    errors = []
    for decay in (1.0, 1e-2, 0.0):
        adapted = cls(replace(config, weight_decay=decay)).adapt(batch)
        errors.append((adapted.predict(batch.row, batch.col) - batch.x).square().mean().item())
    assert errors[0] > errors[1] > errors[2] and errors[2] < 1e-2 and errors[0] > 0.1


def test_another_seed_starts_elsewhere():
    ratings = structured_ratings(6, 5)
    for cls, config in ((MF, MFConfig(steps=3)), (AutoRec, AutoRecConfig(steps=3)), (DMF, DMFConfig(steps=3))):
        assert not torch.allclose(table(cls(config), ratings), table(cls(replace(config, seed=1)), ratings))

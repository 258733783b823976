"""MF against Adam on one matrix."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from estimates import batch_of, table
from problems import structured_ratings
from torch import nn

from metamf.baselines.mf import MF, MFConfig


@pytest.mark.parametrize("loss", ["mean", "sum"])
def test_mf_takes_adams_steps_from_its_start(loss):
    ratings, config = structured_ratings(6, 5), MFConfig(1e-2, 1e-2, 20, loss, rank=3)
    batch = batch_of(ratings)
    start = MF(replace(config, steps=0)).adapt(batch)
    U, V = (nn.Parameter(factor.clone()) for factor in start)
    optimizer = torch.optim.Adam([U, V], 1e-2, weight_decay=1e-2)
    X, B = torch.tensor(np.nan_to_num(ratings.to_dense())), torch.tensor(~np.isnan(ratings.to_dense()))
    for _ in range(20):
        optimizer.zero_grad()
        getattr((U @ V.T - X)[B] ** 2, loss)().backward()
        optimizer.step()
    torch.testing.assert_close(table(MF(config), ratings), (U @ V.T).detach())

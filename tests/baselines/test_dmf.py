"""DMF against torch's own networks."""

import numpy as np
import torch
from estimates import network_of, table
from problems import structured_ratings

from metamf.baselines.dmf import DMF, DMFConfig
from metamf.baselines.stacked import StackedNetwork


def test_dmf_multiplies_a_tower_of_rows_and_a_tower_of_columns():
    ratings, config = structured_ratings(6, 5), DMFConfig(steps=0, hidden=6, rank=3)
    X, three = torch.tensor(np.nan_to_num(ratings.to_dense())), torch.tensor([3])
    f, g = (StackedNetwork(torch.tensor([n]), 6, 4, three, X, [config.seed, side]) for side, n in enumerate((5, 6)))
    expected = network_of(f, 0, 5, 3)(X) @ network_of(g, 0, 6, 3)(X.T).T
    torch.testing.assert_close(table(DMF(config), ratings), expected.detach())

"""AutoRec against torch's own network."""

import numpy as np
import pytest
import torch
from estimates import batch_of, network_of
from problems import random_ratings, structured_ratings

from metamf.baselines.autorec import AutoRec, AutoRecConfig
from metamf.baselines.stacked import StackedNetwork


@pytest.mark.parametrize("reads", ["rows", "columns"])
def test_autorec_in_a_batch_is_torchs_own_network_trained_on_one_matrix(reads):
    config = AutoRecConfig(1e-2, 1e-2, 10, "mean", hidden=6, reads=reads)
    matrices = [random_ratings(9, 8), structured_ratings(6, 5), random_ratings(3, 4)]
    batch = batch_of(*matrices)
    found = AutoRec(config).adapt(batch).table[1, :6, :5]
    ratings, flip = matrices[1], reads == "columns"
    X, B = torch.tensor(np.nan_to_num(ratings.to_dense())), torch.tensor(~np.isnan(ratings.to_dense()))
    X, B = (X.T, B.T) if flip else (X, B)
    sizes = batch.n_rows if flip else batch.n_cols
    network = network_of(StackedNetwork(sizes, 6, 4, sizes, batch.x, [config.seed]), 1, X.shape[1], X.shape[1])
    optimizer = torch.optim.Adam(network.parameters(), 1e-2, weight_decay=1e-2)
    for _ in range(10):
        optimizer.zero_grad()
        ((network(X) - X)[B] ** 2).mean().backward()
        optimizer.step()
    expected = network(X).detach()
    torch.testing.assert_close(found, expected.T if flip else expected, rtol=0, atol=1e-9)

"""What several tests of baselines need: batches, estimates of a whole matrix, EML and its kin,
networks of a stack."""

import torch
from torch import nn

from metamf.baselines.stacked import StackedNetwork
from metamf.ratings.batch import RatingsBatch
from metamf.testing import all_cells


def batch_of(*matrices, dtype=torch.float64):
    return RatingsBatch.of(matrices, dtype)


def table(method, ratings):
    """(N, M) estimates of one matrix."""
    batch = batch_of(ratings)
    return method.adapt(batch).predict(*all_cells(batch)).reshape(ratings.shape)


def observed(ratings):
    """X, zero where unobserved, and the mask B, (N, M) each."""
    X = torch.tensor(ratings.to_dense())
    return X.nan_to_num(), ~X.isnan()


def network_of(stacked: StackedNetwork, d: int, n_in: int, n_out: int) -> nn.Sequential:
    """Network d of a stack as torch's own modules."""
    parts = []
    for weight, bias in zip(stacked.weights, stacked.biases):
        a = weight.shape[1] if parts else n_in
        b = n_out if len(parts) == 2 * 3 else weight.shape[2]
        linear = nn.Linear(a, b).double()
        linear.weight.data, linear.bias.data = weight[d, :a, :b].T.clone(), bias[d, 0, :b].clone()
        parts += [linear, nn.ReLU()]
    return nn.Sequential(*parts[:-1])

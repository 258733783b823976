"""The prior network: exchangeable layers, Eq. (4), then two permutation-invariant networks, Eq. (5)
-> U0, V0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from metamf.network.exchangeable import ExchangeableLayer
from metamf.ratings.batch import RatingsBatch


class PriorMean(NamedTuple):
    """The prior means of the factors, and what is needed to read new rows next to them."""

    U0: Tensor  # (N, K)
    V0: Tensor  # (M, K)
    columns: list[Tensor]  # L tensors (M, C), the terms of the columns in each layer


class PriorNetwork(nn.Module):
    """The observed entries -> U0, V0, in O(nnz + N + M). Dropout follows every activation.

    Parameters
    ----------
    channels : C, of the exchangeable layers
    layers : L, the number of exchangeable layers, the last one linear
    hidden : units of the hidden layers of f_U and f_V
    prior_layers : the number of linear layers of f_U and of f_V
    rank : K
    dropout : the probability that a value becomes zero in training
    row_features, col_features : P and Q, of the features that the first layer reads as terms of
        rows and columns, and f_U and f_V next to the averages in Eq. (5); a batch without features
        is read as one of zeros
    """

    def __init__(
        self,
        channels: int,
        layers: int,
        hidden: int,
        prior_layers: int,
        rank: int,
        dropout: float,
        row_features: int = 0,
        col_features: int = 0,
    ):
        super().__init__()
        P, Q = self.feature_sizes = row_features, col_features
        first = ExchangeableLayer(1, channels, P, Q)
        self.layers = nn.ModuleList(
            [first, *(ExchangeableLayer(channels, channels) for _ in range(layers - 1))]
        )
        self.dropout = nn.Dropout(dropout)
        self.f_U = FeedForward(channels + P, hidden, prior_layers, rank, dropout)
        self.f_V = FeedForward(channels + Q, hidden, prior_layers, rank, dropout)

    def forward(self, batch: RatingsBatch, columns: list[Tensor] | None = None) -> PriorMean:
        """Returns the prior means of the matrices of a batch, in standardised units.

        ``columns``, if given, are the terms of the columns of a matrix that was read before, in
        whose context the rows of ``batch`` are read (folding in). ValueError for features of
        another number than the network reads.
        """
        for size, features in zip(self.feature_sizes, (batch.row_features, batch.col_features)):
            if size and features is not None and features.shape[1] != size:
                raise ValueError(f"the network reads {size} features, got {features.shape[1]}")
        z = batch.x.unsqueeze(1)  # (nnz, 1)
        read = []
        *hidden, last = cast(list[ExchangeableLayer], self.layers)
        known: Sequence[Tensor | None] = columns or [None] * len(self.layers)
        for layer, col in zip(hidden, known):
            terms = layer(z, batch, col)
            z = self.dropout(torch.relu(terms.at_observed(batch)))  # (nnz, C)
            read.append(terms.col)
        averages, col = last.averages(z, batch, known[-1])  # (N, C), (M, C)
        P, Q = self.feature_sizes
        U0 = self.f_U(_beside(averages.row, batch.row_features, P))  # (N, K)
        V0 = self.f_V(_beside(averages.col, batch.col_features, Q))  # (M, K)
        return PriorMean(U0, V0, [*read, col])


def _beside(averages: Tensor, features: Tensor | None, size: int) -> Tensor:
    """(n, C + size) the averages with the features next to them, zeros if there are none."""
    if not size:
        return averages
    return torch.cat(
        [averages, averages.new_zeros(len(averages), size) if features is None else features], dim=1
    )


class FeedForward(nn.Sequential):
    """``layers`` linear layers, (n, n_in) -> (n, n_out), with ReLU and dropout in between."""

    def __init__(self, n_in: int, hidden: int, layers: int, n_out: int, dropout: float):
        sizes = [n_in] + [hidden] * (layers - 1) + [n_out]
        parts: list[nn.Module] = []
        for a, b in zip(sizes, sizes[1:]):
            parts += [nn.Linear(a, b), nn.ReLU(), nn.Dropout(dropout)]
        super().__init__(*parts[:-2])

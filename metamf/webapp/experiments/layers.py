"""Inside the prior network: what each exchangeable layer, Eq. (4), makes of every cell, and how U(0), V(0) come of it.

In channel c, before its activation, layer l computes at an observed cell (n, m)

    own + row mean + column mean + overall mean + bias,

four averages of the channels below, each times a matrix of weights of its own. The terms are read from the modules of
the network itself; nothing in the model knows of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
import torch

from metamf.checkpoints.bundled import open_checkpoint
from metamf.model.exchangeable import ExchangeableLayer
from metamf.model.prior import PriorNetwork
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization


class Terms(NamedTuple):
    """The terms of Eq. (4), (C,) each: at one cell, whose ``own`` is zero if it is not observed, or averaged over all
    cells of a row or column."""

    own: np.ndarray
    row: np.ndarray
    column: np.ndarray
    matrix: np.ndarray
    bias: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """(C,) their sum: what the layer computes before its activation, or what Eq. (5) hands to f_U or f_V."""
        return np.sum(self, axis=0)


@dataclass(frozen=True, eq=False)
class LayerReading:
    """The terms (nnz, C), (N, C), (M, C), (C,), (C,) that one layer computes of one matrix in standardised units, and
    their sum at each observed entry (nnz, C) before and after the activation, which the last layer lacks."""

    own: np.ndarray
    row: np.ndarray
    column: np.ndarray
    matrix: np.ndarray
    bias: np.ndarray
    before: np.ndarray
    after: np.ndarray

    @property
    def channels(self) -> int:
        """Number of channels, C."""
        return len(self.bias)

    def at(self, n: int, m: int, entry: int | None) -> Terms:
        """The terms at cell (n, m); ``entry``: its position among the observed entries, None if it is not observed."""
        own = np.zeros_like(self.bias) if entry is None else self.own[entry]
        return Terms(own, self.row[n], self.column[m], self.matrix, self.bias)


@dataclass(frozen=True, eq=False)
class NetworkReading:
    """The prior network's way from the ratings of one matrix to the prior means.

    ``x`` (nnz,) are the ratings in standardised units, the one channel that the first layer reads; ``row_averages``
    (N, C) and ``col_averages`` (M, C) the averages of the last layer over all cells of a row or column, Eq. (5); and U0
    (N, K), V0 (M, K) the prior means that f_U and f_V make of them.
    """

    ratings: Ratings
    x: np.ndarray
    layers: tuple[LayerReading, ...]
    row_averages: np.ndarray
    col_averages: np.ndarray
    U0: np.ndarray
    V0: np.ndarray

    def entry(self, n: int, m: int) -> int | None:
        """The position of cell (n, m) among the observed entries; None if it is not observed."""
        found = np.flatnonzero((self.ratings.rows == n) & (self.ratings.cols == m))
        return int(found[0]) if len(found) else None

    def channel(self, layer: int, channel: int, *, after: bool) -> np.ndarray:
        """(nnz,) one channel of a layer at the observed entries, before or after its activation; layer 0: the input."""
        if layer == 0:
            return self.x
        reading = self.layers[layer - 1]
        return (reading.after if after else reading.before)[:, channel]

    def row_average(self, n: int) -> Terms:
        """The average over all cells of row ``n`` in the last layer, term by term."""
        last, own = self.layers[-1], self.layers[-1].own[self.ratings.rows == n]
        return Terms(
            own.sum(axis=0) / self.ratings.n_cols, last.row[n], last.column.mean(axis=0), last.matrix, last.bias
        )

    def col_average(self, m: int) -> Terms:
        """The average over all cells of column ``m`` in the last layer, term by term."""
        last, own = self.layers[-1], self.layers[-1].own[self.ratings.cols == m]
        return Terms(
            own.sum(axis=0) / self.ratings.n_rows, last.row.mean(axis=0), last.column[m], last.matrix, last.bias
        )


def read_layers(ratings: Ratings, units: Standardization, checkpoint: str) -> NetworkReading:
    """The way of a matrix, in rating units, through the prior network of one of the paper's checkpoints, which reads it
    in ``units``. Raises ``ValueError`` for a checkpoint of another model."""
    model, _ = open_checkpoint(checkpoint)
    if model.prior_network is None:
        raise ValueError(f"checkpoint {checkpoint!r} has other layers than the paper's: name one such as 'ml-1m'")
    values = units.apply(ratings.values.astype(np.float64))
    batch = RatingsBatch.of([ratings.with_values(values)], model.dtype)
    return read_network(model.prior_network, batch, ratings)


@torch.inference_mode()
def read_network(network: PriorNetwork, batch: RatingsBatch, ratings: Ratings) -> NetworkReading:
    """The same for a network and the ``batch`` of one matrix in standardised units; ``ratings`` in rating units."""
    z, layers = batch.x.unsqueeze(1), []  # (nnz, 1)
    exchangeable = cast(Sequence[ExchangeableLayer], network.layers)
    for index, layer in enumerate(exchangeable):
        reading = _read_layer(layer, z, batch, last=index == len(exchangeable) - 1)
        layers.append(reading)
        below, z = z, torch.from_numpy(reading.after)
    averages, _ = exchangeable[-1].averages(below, batch)
    return NetworkReading(
        ratings,
        batch.x.numpy(),
        tuple(layers),
        averages.row.numpy(),
        averages.col.numpy(),
        network.f_U(averages.row).numpy(),
        network.f_V(averages.col).numpy(),
    )


def _read_layer(layer: ExchangeableLayer, z: torch.Tensor, batch: RatingsBatch, last: bool) -> LayerReading:
    """The terms of one layer, Eq. (4), the sums that they make, and the activation."""
    terms = layer(z, batch)
    before = terms.at_observed(batch)  # (nnz, C')
    matrix_mean = batch.by_row.sum(z).sum(0) / max(1, len(z))  # (C,)
    matrix = matrix_mean @ layer.matrix  # (C',)
    column = terms.col - matrix - layer.bias  # the layer adds both to the columns
    after = before if last else torch.relu(before)
    found = (terms.entry, terms.row, column, matrix, layer.bias, before, after)
    return LayerReading(*(tensor.detach().numpy() for tensor in found))

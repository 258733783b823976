"""EML with parameters of its own for every matrix of a batch, stacked along a first axis: what FT and MAML adapt.

The arithmetic is that of ``ExchangeableLayer`` and ``EML``; only the products with weights differ, z W with one W per
matrix, so that entries, rows and columns are padded to (D, width, C). Differentiable to any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from metamf.baselines.eml import EML, AdaptedEML
from metamf.baselines.padding import PaddedGroups
from metamf.model.exchangeable import Terms
from metamf.ratings.batch import RatingsBatch


class LayerWeights(NamedTuple):
    """The parameters of one exchangeable layer, for each of D matrices."""

    entry: Tensor  # (D, C, C')
    column: Tensor  # (D, C, C')
    row: Tensor  # (D, C, C')
    matrix: Tensor  # (D, C, C')
    bias: Tensor  # (D, C')


@dataclass(frozen=True, eq=False)
class StackedEML:
    """EML on ``batch``, with the weights passed in at every call.

    Attributes
    ----------
    batch : D matrices
    dropout : applied after every activation
    entries, rows, cols : the entries, rows and columns of the batch, grouped by matrix
    """

    batch: RatingsBatch
    dropout: nn.Dropout
    entries: PaddedGroups
    rows: PaddedGroups
    cols: PaddedGroups

    @classmethod
    def of(cls, batch: RatingsBatch, dropout: nn.Dropout) -> StackedEML:
        D = len(batch)
        entries = PaddedGroups(batch.row_matrix[batch.row], D)
        return cls(batch, dropout, entries, PaddedGroups(batch.row_matrix, D), PaddedGroups(batch.col_matrix, D))

    def __call__(self, weights: Sequence[LayerWeights]) -> AdaptedEML:
        z = self.batch.x.unsqueeze(1)  # (nnz, 1)
        for layer in weights[:-1]:
            z = self.dropout(torch.relu(self._layer(layer, z).at_observed(self.batch)))  # (nnz, C)
        return AdaptedEML(self._layer(weights[-1], z), self.batch)

    def _layer(self, w: LayerWeights, z: Tensor) -> Terms:
        batch = self.batch
        row_sum = batch.by_row.sum(z)  # (N, C)
        row_mean = row_sum / batch.row_count.clamp(min=1)
        col_mean = batch.by_col.sum(z) / batch.col_count.clamp(min=1)  # (M, C)
        matrix_mean = batch.rows_by_matrix.sum(row_sum) / batch.matrix_count.clamp(min=1)  # (D, C)
        whole = (matrix_mean.unsqueeze(1) @ w.matrix).squeeze(1) + w.bias  # (D, C')
        return Terms(
            multiply(z, w.entry, self.entries),
            multiply(row_mean, w.row, self.rows),
            multiply(col_mean, w.column, self.cols) + batch.cols_by_matrix.gather(whole),
        )

    def support_error(self, adapted: AdaptedEML) -> Tensor:
        """The mean squared error of each matrix over its observed entries, summed over the matrices."""
        batch = self.batch
        squares = (adapted.terms.at_observed(batch)[:, 0] - batch.x).square()
        return (squares / batch.matrix_count[batch.row_matrix[batch.row], 0]).sum()


def multiply(z: Tensor, weight: Tensor, groups: PaddedGroups) -> Tensor:
    """(n, C) and (D, C, C') -> (n, C'): every item times the weight of its matrix."""
    return groups.unpad(groups.pad(z) @ weight)


def stack(eml: EML, D: int) -> list[LayerWeights]:
    """The parameters of ``eml``, the same for each of D matrices, as views."""
    names = LayerWeights._fields
    return layered(
        [
            getattr(layer, name).unsqueeze(0).expand(D, *getattr(layer, name).shape)
            for layer in eml.layers
            for name in names
        ]
    )


def layered(flat: Sequence[Tensor]) -> list[LayerWeights]:
    """A list of weights, layer after layer, as layers."""
    size = len(LayerWeights._fields)
    return [LayerWeights(*flat[at : at + size]) for at in range(0, len(flat), size)]

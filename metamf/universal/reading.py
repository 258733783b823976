"""The network's reading of the entries: the input layer, then residual exchangeable layers, Eq. (4).

``read_entries`` is the plain form, which can be differentiated; ``metamf.universal.streaming`` has the same equations
for very many entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from metamf.model.exchangeable import ExchangeableLayer
from metamf.ratings.batch import RatingsBatch
from metamf.universal.statistics import Statistics

#: The numbers that the input layer multiplies by its weights, in their order.
LAYER_INPUTS = ("value", "residual", "row effect", "column effect", "row count", "column count")


class Reading(NamedTuple):
    """Output of the layers for the entries.

    Attributes
    ----------
    row_sum, col_sum : (N, C), (M, C) sums of the last layer's normalised output over the entries
    column_terms : L tensors (M, C), the terms of the columns in each layer, in whose context new rows can be read
    """

    row_sum: Tensor
    col_sum: Tensor
    column_terms: list[Tensor]


class InputTerms(NamedTuple):
    """The output of the input layer at an entry is row[n] + col[m] + ``entry_values`` times ``weight``.

    What rows and columns contribute is computed once for each of them, not once for each of their entries.

    Attributes
    ----------
    row, col : (N, C), (M, C) contributions of the rows and of the columns
    weight : (2, C) weights of the value and of the residual
    """

    row: Tensor
    col: Tensor
    weight: Tensor


class ResidualLayer(nn.Module):
    """z + W silu(Eq. (4) of the normalised z); starts as the identity."""

    def __init__(self, channels: int):
        super().__init__()
        self.norm = nn.LayerNorm(channels)
        self.layer = ExchangeableLayer(channels, channels)
        self.out = nn.Linear(channels, channels)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, z: Tensor, batch: RatingsBatch, col: Tensor | None) -> tuple[Tensor, Tensor]:
        """z (nnz, C) -> z of the next layer (nnz, C), and the terms of the columns (M, C).

        ``col`` (M, C), where given, replaces the terms of the columns (folding in).
        """
        normed = self.norm(z)
        row, col = self.layer.row_and_column_terms(batch.by_row.sum(normed), batch.by_col.sum(normed), batch, col)
        terms = batch.by_row.gather(row) + batch.by_col.gather(col)  # (nnz, C)
        hidden = F.silu(terms.addmm_(normed, self.layer.entry))
        return (z + self.out.bias).addmm_(hidden, self.out.weight.T), col


def input_terms(layer: nn.Linear, rows: Statistics, cols: Statistics) -> InputTerms:
    """The input layer applied to the effects and counts of rows and columns; the bias is added to the columns."""
    weight = dict(zip(LAYER_INPUTS, layer.weight.T.unsqueeze(1)))  # (1, C) each
    row = soft_clip(rows.effect) * weight["row effect"] + rows.log_count * weight["row count"]  # (N, C)
    col = soft_clip(cols.effect) * weight["column effect"] + cols.log_count * weight["column count"] + layer.bias
    return InputTerms(row, col, torch.cat([weight["value"], weight["residual"]]))


def entry_values(x: Tensor, row_effect: Tensor, col_effect: Tensor, noise_deviation: Tensor) -> Tensor:
    """The value and the residual of each entry, limited by ``soft_clip``.

    Parameters
    ----------
    x : (k,) values in standardised units
    row_effect, col_effect, noise_deviation : (k, 1) statistics of the entries' rows and columns

    Returns
    -------
    Tensor
        (k, 2): x, and x minus both effects, in units of the noise
    """
    x = x.unsqueeze(1)
    return soft_clip(torch.cat([x, (x - row_effect - col_effect) / noise_deviation], 1))


def read_entries(
    batch: RatingsBatch,
    rows: Statistics,
    cols: Statistics,
    terms: InputTerms,
    layers: Sequence[ResidualLayer],
    norm: nn.LayerNorm,
    context: list[Tensor] | None,
) -> Reading:
    """The entries, read by all layers at once for all entries; differentiable.

    Parameters
    ----------
    batch : the observed entries
    rows, cols : statistics of its rows and columns
    terms : terms of the input layer
    layers, norm : the residual layers, and the normalisation after the last of them
    context : the terms of the columns in each layer where they are known (folding in), or None
    """
    effects = batch.by_row.gather(rows.effect), batch.by_col.gather(cols.effect)  # (nnz, 1) each
    values = entry_values(batch.x, *effects, batch.by_row.gather(rows.noise_deviation))  # (nnz, 2)
    row_plus_col = batch.by_row.gather(terms.row) + batch.by_col.gather(terms.col)  # (nnz, C)
    z, column_terms = torch.addmm(row_plus_col, values, terms.weight), []
    for index, layer in enumerate(layers):
        z, col = layer(z, batch, None if context is None else context[index])
        column_terms.append(col)
    z = norm(z)
    return Reading(batch.by_row.sum(z), batch.by_col.sum(z), column_terms)


def soft_clip(values: Tensor, limit: float = 6.0) -> Tensor:
    """limit * tanh(values / limit): the identity near zero, never beyond ``limit``.

    Outliers reach the network's input, but do not drown it. The limit of 6 standardised units was chosen by hand.
    """
    return limit * torch.tanh(values / limit)

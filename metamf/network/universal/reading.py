"""How the network reads the entries: the input layer, then residual exchangeable layers, Eq. (4).

Every layer needs sums over whole rows and columns of the previous layer's output, so there is one
pass over the entries for each layer. Where a gradient is wanted, a pass takes all entries at once;
otherwise it takes part after part, which stays in the processor's cache, and the layers' output z
is changed in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from metamf.network.exchangeable import ExchangeableLayer
from metamf.network.universal.effects import Statistics
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.threads import helper_threads, map_blocks

STREAM_ABOVE = 2**14  # entries; more are read part by part where no gradient is wanted
PART_SIZES = {"cpu": 2**13, "cuda": 2**20}  # entries of a part: a CPU's caches hold them
#: The numbers that the input layer multiplies by its weights, in their order.
LAYER_INPUTS = ("value", "residual", "row effect", "column effect", "row count", "column count")


class Reading(NamedTuple):
    """Output of the layers for the entries."""

    # (N, C) sums of the last layer's normalised output over the entries of each row
    row_sum: Tensor
    col_sum: Tensor  # (M, C) the same over each column
    # L tensors (M, C), the terms of the columns, in whose context new rows can be read
    column_terms: list[Tensor]


class ResidualLayer(nn.Module):
    """z + W silu(Eq. (4) of the normalised z); starts as the identity."""

    def __init__(self, channels: int):
        super().__init__()
        self.norm = nn.LayerNorm(channels)
        self.layer = ExchangeableLayer(channels, channels)
        self.out = nn.Linear(channels, channels)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, z: Tensor, row_plus_col: Tensor) -> Tensor:
        """z (k, C) of some entries -> z of the next layer; ``row_plus_col`` (k, C): terms of their
        rows and columns, which are overwritten."""
        hidden = row_plus_col.addmm_(self.norm(z), self.layer.entry)
        if torch.is_grad_enabled():
            return (z + self.out.bias).addmm_(F.silu(hidden), self.out.weight.T)
        return z.add_(self.out.bias).addmm_(F.silu(hidden, inplace=True), self.out.weight.T)


def in_parts(batch: RatingsBatch) -> bool:
    """Whether the entries are read part by part: they are many, and no gradient is wanted."""
    return len(batch.x) > STREAM_ABOVE and not torch.is_grad_enabled()


def read_entries(
    batch: RatingsBatch,
    rows: Statistics,
    cols: Statistics,
    input_layer: nn.Linear,
    layers: Sequence[ResidualLayer],
    norm: nn.LayerNorm,
    context: list[Tensor] | None = None,
) -> Reading:
    """Reads the observed entries by the input layer, the residual layers, and the normalisation
    after the last of them; ``context`` has the terms of the columns in each layer if they are known
    (folding in)."""
    entries = _Entries(batch, len(input_layer.bias))
    column_terms = []
    first = input_values(batch, rows, cols, input_layer)
    sums = entries.change(lambda _, part: first(part), layers[0].norm)
    for index, (layer, next_norm) in enumerate(
        zip(layers, [*(layer.norm for layer in layers[1:]), norm])
    ):
        known = None if context is None else context[index]
        row, col = layer.layer.row_and_column_terms(*sums, batch, known)
        terms = row_plus_col(batch, row, col)
        sums = entries.change(lambda z, part: layer(z, terms(part)), next_norm)  # noqa: B023
        column_terms.append(col)
    return Reading(*sums, column_terms)


def input_values(
    batch: RatingsBatch, rows: Statistics, cols: Statistics, layer: nn.Linear
) -> Callable[[slice | None], Tensor]:
    """Returns the function that gives the input layer's output z (k, C) at some entries; None: at
    all of them.

    What rows and columns contribute is computed once for each of them, not once for each of their
    entries.
    """
    weight = dict(zip(LAYER_INPUTS, layer.weight.T.unsqueeze(1)))  # (1, C) each
    # (N, C)
    row = soft_clip(rows.effect) * weight["row effect"] + rows.log_count * weight["row count"]
    col = (
        soft_clip(cols.effect) * weight["column effect"]
        + cols.log_count * weight["column count"]
        + layer.bias
    )
    of_values = torch.cat([weight["value"], weight["residual"]])  # (2, C)

    row_and_col = row_plus_col(batch, row, col)

    def values(part: slice | None) -> Tensor:
        x = (batch.x if part is None else batch.x[part]).unsqueeze(1)  # (k, 1)
        row_effect = batch.by_row.gather(rows.effect, part)
        col_effect = batch.by_col.gather(cols.effect, part)
        residual = (x - row_effect - col_effect) / batch.by_row.gather(rows.noise_deviation, part)
        return row_and_col(part).addmm_(soft_clip(torch.cat([x, residual], 1)), of_values)

    return values


def row_plus_col(batch: RatingsBatch, row: Tensor, col: Tensor) -> Callable[[slice | None], Tensor]:
    """Returns the function that adds, for some entries, the terms of their rows (N, C) and of their
    columns (M, C)."""
    both = torch.cat([row, col])  # (N + M, C)

    def at(part: slice | None) -> Tensor:  # (k, C)
        if part is None:
            return batch.by_row.gather(row) + batch.by_col.gather(col)
        ends = torch.stack([batch.row[part], batch.col[part] + batch.N], 1)  # (k, 2)
        return F.embedding_bag(ends, both, mode="sum")

    return at


class _Entries:
    """z (nnz, C) at the observed entries, as a whole or in parts; a thread has a block of parts, in
    order of rows."""

    def __init__(self, batch: RatingsBatch, channels: int):
        self.batch = batch
        self.channels = channels
        n = len(batch.x)
        device = batch.x.device.type
        self.whole = not in_parts(batch)
        if self.whole:
            self.z = batch.x.new_empty(0)
            return
        self.z = batch.x.new_empty(n, channels)
        size = PART_SIZES.get(device, PART_SIZES["cuda"])
        parts = [slice(start, min(start + size, n)) for start in range(0, n, size)]
        blocks = min(helper_threads(), len(parts))
        ends = [len(parts) * block // blocks for block in range(blocks + 1)]
        self.blocks = [parts[start:end] for start, end in zip(ends, ends[1:])]

    def change(
        self, function: Callable[[Tensor, slice | None], Tensor], norm: nn.LayerNorm
    ) -> tuple[Tensor, Tensor]:
        """Applies ``function`` to z, and returns the sums (N, C), (M, C) of the normalised z over
        rows and columns.

        ``function`` is called with z (k, C) of some entries and with their positions; None: all of
        them.
        """
        by_row = self.batch.by_row
        by_col = self.batch.by_col
        if self.whole:
            self.z = function(self.z, None)
            normed = norm(self.z)
            return by_row.sum(normed), by_col.sum(normed)

        def change_block(parts: list[slice]) -> tuple[int, Tensor, Tensor]:
            first, last = (int(self.batch.row[at]) for at in (parts[0].start, parts[-1].stop - 1))
            # sums over the rows of this block
            row = self.z.new_zeros(last + 1 - first, self.channels)
            col = self.z.new_zeros(self.batch.M, self.channels)
            for part in parts:
                self.z[part] = function(self.z[part], part)
                normed = norm(self.z[part])
                by_row.add_part(row, normed, part, first)
                by_col.add_part(col, normed, part)
            return first, row, col

        sums = map_blocks(change_block, self.blocks)
        row_sum = self.z.new_zeros(self.batch.N, self.channels)
        for first, row, _ in sums:
            row_sum[first : first + len(row)] += (
                row  # the last row of a block may be the first one of the next
            )
        return row_sum, torch.stack([col for _, _, col in sums]).sum(0)


def soft_clip(values: Tensor, limit: float = 6.0) -> Tensor:
    """limit * tanh(values / limit): the identity near zero, never beyond ``limit``.

    Outliers reach the network's input, but do not drown it. The limit of 6 standardised units was
    chosen by hand.
    """
    return limit * torch.tanh(values / limit)

"""The network's reading of the entries: the input layer, then residual exchangeable layers, Eq. (4).

``read_entries`` is the plain form, which can be differentiated; ``metamf.universal.reading`` has the same equations
for very many entries.

FIXME Residual exchangeable layers on very many entries, without gradients: the same equations, part by part.

Every layer needs sums over whole rows and columns of the previous layer's output, so there is one pass over the entries
for each layer. What is computed from one part stays in the processor's cache; only the layers' output z is kept for all
entries, and changed in place. Normalisation, gamma * (z - mean) / deviation + beta, is never written down:

1. It does not change when a constant is added to all channels. So z is kept with mean zero, by centring the weights
   that make it, and all that has to be found for an entry is r = 1 / deviation.
2. Its sum over a row is gamma * (sum of r z) + count * beta, and its product with W is r (z (gamma W)) + beta W.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from metamf.model.exchangeable import ExchangeableLayer
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.threads import helper_threads, map_blocks
from metamf.universal.effects import Statistics

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


PART_SIZES = {"cpu": 2**14, "cuda": 2**20}  # entries at a time: a CPU's caches hold them
IMAGES_FOR_ONEDNN = 16  # see ``linear``


def read_entries_streaming(
    batch: RatingsBatch,
    rows: Statistics,
    cols: Statistics,
    terms: InputTerms,
    layers: Sequence[ResidualLayer],
    norm: nn.LayerNorm,
    context: list[Tensor] | None,
) -> Reading:
    """The result of ``reading.read_entries``, whose arguments these are, part by part and without gradients."""

    def normalised_sums(norm: nn.LayerNorm) -> list[Tensor]:
        """(N, C), (M, C) sums of the normalised z."""
        counts = batch.row_count, batch.col_count
        return [norm.weight * total + count * norm.bias for total, count in zip(sums, counts)]

    def values(part: slice) -> Tensor:
        row, col = batch.row[part], batch.col[part]
        return entry_values(batch.x[part], rows.effect[row], cols.effect[col], rows.noise_deviation[row])

    entries, column_terms = StreamedEntries(batch, terms.weight.shape[1], norm.eps), []
    sums = entries.apply_input(values, terms)
    for index, layer in enumerate(layers):
        known = None if context is None else context[index]
        row, col = layer.layer.row_and_column_terms(*normalised_sums(layer.norm), batch, known)
        weight = layer.norm.weight.unsqueeze(1) * layer.layer.entry  # (C, C)
        sums = entries.apply_residual_layer(weight, row, col + layer.norm.bias @ layer.layer.entry, layer.out)
        column_terms.append(col)
    return Reading(*normalised_sums(norm), column_terms)


class StreamedEntries:
    """The entries of a batch, sorted by row, in blocks of parts, one block for each thread.

    Attributes
    ----------
    z : (nnz, C) the layers' output, with mean zero over the channels
    r : (nnz, 1) 1 / the standard deviation of z over the channels
    """

    def __init__(self, batch: RatingsBatch, channels: int, eps: float):
        self.batch, self.eps = batch, eps
        n, device = len(batch.x), batch.x.device.type
        self.z, self.r = batch.x.new_empty(n, channels), batch.x.new_empty(n, 1)
        size = PART_SIZES.get(device, PART_SIZES["cuda"])
        parts = [slice(start, min(start + size, n)) for start in range(0, n, size)]
        blocks = min(helper_threads(), len(parts))
        ends = [len(parts) * block // blocks for block in range(blocks + 1)]
        self.blocks = [parts[start:end] for start, end in zip(ends, ends[1:])]

    def apply_input(self, values: Callable[[slice], Tensor], terms: InputTerms) -> tuple[Tensor, Tensor]:
        """Sets z to the output of the input layer.

        Parameters
        ----------
        values : a part of the entries -> their ``entry_values`` (k, 2)
        terms : terms of the input layer

        Returns
        -------
        row_sum, col_sum : (N, C), (M, C) sums of r z over the entries of each row and each column
        """
        row, col, weight = _centred(terms.row), _centred(terms.col), _centred(terms.weight)
        both = torch.cat([row, col])  # (N + M, C)

        def set_part(part: slice) -> None:
            torch.addmm(self._row_plus_col(both, part), values(part), weight, out=self.z[part])

        return self._change_and_sum(set_part)

    def apply_residual_layer(self, weight: Tensor, row: Tensor, col: Tensor, out: nn.Linear) -> tuple[Tensor, Tensor]:
        """Adds out(silu(r (z weight) + row[n] + col[m])) to z.

        Parameters
        ----------
        weight : (C, C)
        row, col : (N, C), (M, C) terms of the rows and of the columns
        out : the layer's last linear map

        Returns
        -------
        row_sum, col_sum : (N, C), (M, C) sums of r z over the entries of each row and each column
        """
        both, out_weight, out_bias = torch.cat([row, col]), _centred(out.weight.T), _centred(out.bias)
        no_bias = torch.zeros_like(out_bias)

        def change_part(part: slice) -> None:
            hidden = self._row_plus_col(both, part)  # (k, C)
            hidden.addcmul_(self.r[part], linear(self.z[part], weight, no_bias))
            self.z[part].add_(linear(F.silu(hidden, inplace=True), out_weight, out_bias))

        return self._change_and_sum(change_part)

    def _row_plus_col(self, both: Tensor, part: slice) -> Tensor:
        """The term of each entry's row plus that of its column, (k, C), from ``both`` (N + M, C)."""
        ends = torch.stack([self.batch.row[part], self.batch.col[part] + self.batch.N], 1)
        return F.embedding_bag(ends, both, mode="sum")

    def _change_and_sum(self, change: Callable[[slice], None]) -> tuple[Tensor, Tensor]:
        """Changes z part by part, finds r, and sums r z over the entries of each row and each column."""
        by_row, by_col = self.batch.by_row, self.batch.by_col

        def block(parts: list[slice]) -> tuple[int, Tensor, Tensor]:
            first, last = (int(self.batch.row[at]) for at in (parts[0].start, parts[-1].stop - 1))
            row = self.z.new_zeros(last + 1 - first, self.z.shape[1])  # sums over the rows of this block
            col = self.z.new_zeros(self.batch.M, self.z.shape[1])
            for part in parts:
                change(part)
                z, r = self.z[part], self.r[part]
                torch.linalg.vector_norm(z, dim=1, keepdim=True, out=r)
                r.square_().div_(z.shape[1]).add_(self.eps).rsqrt_()
                scaled = z * r
                by_row.add_part(row, scaled, part, first)
                by_col.add_part(col, scaled, part)
            return first, row, col

        sums = map_blocks(block, self.blocks)
        row_sum = self.z.new_zeros(self.batch.N, self.z.shape[1])
        for first, row, _ in sums:
            row_sum[first : first + len(row)] += row  # the last row of a block may be the first one of the next
        return row_sum, sum(col for _, _, col in sums)


def _centred(weight: Tensor) -> Tensor:
    """The weights minus their mean over the last axis."""
    return weight - weight.mean(-1, keepdim=True)


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """x (k, C) times weight (C, D), plus bias (D,) -> (k, D).

    On a CPU this is a convolution of ``IMAGES_FOR_ONEDNN`` images, for which torch calls oneDNN. For a part of 2^14
    entries and C = D = 48, ``torch.addmm`` takes 1.3 to 2 times as long; an ``adapt`` of one sweep with it takes 1.08
    times as long on 30,000 entries and 1.02 times on 100,000.
    """
    k, C = x.shape
    if x.device.type != "cpu" or k % IMAGES_FOR_ONEDNN or x.dtype != torch.float32:
        return torch.addmm(bias, x, weight)
    pixels = x.view(IMAGES_FOR_ONEDNN, -1, 1, C).permute(0, 3, 1, 2)  # (images, C, k / images, 1), channels last
    return F.conv2d(pixels, weight.T[:, :, None, None], bias).permute(0, 2, 3, 1).reshape(k, -1)

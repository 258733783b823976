"""Residual exchangeable layers on very many entries, without gradients: the same equations, part by part.

Every layer needs sums over whole rows and columns of what the one before made of the entries, so the entries are gone
through once for each layer. What is computed from one part stays in the processor's cache; only the layers' output z is
kept for all entries, and changed in place. Normalisation, gamma * (z - mean) / deviation + beta, is never written down:

1. It takes no notice of a constant added to all channels. So z is kept with mean zero, by centring the weights that
   make it, and all that has to be found for an entry is r = 1 / deviation.
2. Its sum over a row is gamma * (sum of r z) + count * beta, and its product with W is r (z (gamma W)) + beta W.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from metamf.model.exchangeable import ExchangeableLayer
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.threads import helper_threads, map_blocks

PART = {"cpu": 2**14, "cuda": 2**20}  # entries at a time: on a CPU, what the caches of a core hold
IMAGES_FOR_ONEDNN = 16


class Stream:
    """The entries of a batch, sorted by row, in blocks of parts, one block for each thread.

    z : (nnz, C) the layers' output, with mean zero over the channels;  r : (nnz, 1) one over its deviation
    """

    def __init__(self, batch: RatingsBatch, channels: int, eps: float):
        self.batch, self.eps = batch, eps
        n, device = len(batch.x), batch.x.device.type
        self.z, self.r = batch.x.new_empty(n, channels), batch.x.new_empty(n, 1)
        size = PART.get(device, PART["cuda"])
        parts = [slice(start, min(start + size, n)) for start in range(0, n, size)]
        blocks = min(helper_threads(), len(parts))
        ends = [len(parts) * block // blocks for block in range(blocks + 1)]
        self.blocks = [parts[start:end] for start, end in zip(ends, ends[1:])]

    def enter(self, values: Callable[[slice], Tensor], row: Tensor, col: Tensor, weight: Tensor) -> tuple:
        """z = values(part) (k, F) times weight (F, C), plus what its row (N, C) and its column (M, C) has.

        Returns the sums of r z over each row and each column, as ``pass_through`` does.
        """
        row, col, weight = _centred(row), _centred(col), _centred(weight)
        both = torch.cat([row, col])

        def first(part: slice) -> None:
            torch.addmm(self._gather(both, part), values(part), weight, out=self.z[part])

        return self._sums(first)

    def pass_through(self, entry: Tensor, row: Tensor, col: Tensor, out: nn.Linear) -> tuple[Tensor, Tensor]:
        """z + out(silu(r (z entry) + row + col)), and its sums (N, C), (M, C) of r z over each row and each column."""
        both, weight, bias = torch.cat([row, col]), _centred(out.weight.T), _centred(out.bias)
        none = torch.zeros_like(bias)

        def layer(part: slice) -> None:
            hidden = self._gather(both, part)  # (k, C)
            hidden.addcmul_(self.r[part], _linear(self.z[part], entry, none))
            self.z[part].add_(_linear(F.silu(hidden, inplace=True), weight, bias))

        return self._sums(layer)

    def _gather(self, both: Tensor, part: slice) -> Tensor:
        """(k, C): what an entry's row has plus what its column has, from (N + M, C)."""
        ends = torch.stack([self.batch.row[part], self.batch.col[part] + self.batch.N], 1)
        return F.embedding_bag(ends, both, mode="sum")

    def _sums(self, change: Callable[[slice], None]) -> tuple[Tensor, Tensor]:
        """Changes z part by part, and sums r z over each row and each column."""
        by_row, by_col = self.batch.by_row, self.batch.by_col

        def block(parts: list[slice]) -> tuple[int, Tensor, Tensor]:
            first, last = (int(self.batch.row[at]) for at in (parts[0].start, parts[-1].stop - 1))
            row = self.z.new_zeros(last + 1 - first, self.z.shape[1])
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

        totals = map_blocks(block, self.blocks)
        row = self.z.new_zeros(self.batch.N, self.z.shape[1])
        for first, of_block, _ in totals:
            row[first : first + len(of_block)] += of_block
        return row, sum(col for _, _, col in totals)


def read(stream: Stream, sums: tuple[Tensor, Tensor], layers: Sequence, norm: nn.LayerNorm, context) -> tuple:
    """What ``Universal._read`` gives for the same entries: ``sums`` are those that ``enter`` returned."""
    batch, columns = stream.batch, []

    def normalised(norm: nn.LayerNorm) -> list[Tensor]:
        counts = batch.row_count, batch.col_count
        return [norm.weight * total + count * norm.bias for total, count in zip(sums, counts)]

    for index, layer in enumerate(layers):
        exchangeable: ExchangeableLayer = layer.layer
        known = None if context is None else context[index]
        row, col = exchangeable.row_and_column_terms(*normalised(layer.norm), batch, known)
        entry = layer.norm.weight.unsqueeze(1) * exchangeable.entry
        sums = stream.pass_through(entry, row, col + layer.norm.bias @ exchangeable.entry, layer.out)
        columns.append(col)
    return *normalised(norm), columns


def _centred(weight: Tensor) -> Tensor:
    """With mean zero over the last axis."""
    return weight - weight.mean(-1, keepdim=True)


def _linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """(k, C) -> (k, D). On a CPU as a convolution of 16 images: oneDNN, which torch asks for those, takes half of the
    time that the matrix product takes."""
    k, C = x.shape
    if x.device.type != "cpu" or k % IMAGES_FOR_ONEDNN or x.dtype != torch.float32:
        return torch.addmm(bias, x, weight)
    pixels = x.view(IMAGES_FOR_ONEDNN, k // IMAGES_FOR_ONEDNN, 1, C).permute(
        0, 3, 1, 2
    )  # (16, C, k / 16, 1), channels last in memory
    return F.conv2d(pixels, weight.T[:, :, None, None], bias).permute(0, 2, 3, 1).reshape(k, -1)

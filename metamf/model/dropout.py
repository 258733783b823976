"""Dropout that draws what it drops, not what it keeps; and, for processes that share a batch, what one alone would.

``torch.nn.Dropout`` draws a number for every value. The gaps between dropped values are geometric, so that on CPU one
number for each of these is drawn: a tenth of them with the paper's dropout. Elsewhere, where the number of dropped
values would have to be waited for, it is torch's own.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from metamf.ratings.batch import Place


class Dropout(nn.Dropout):
    """Each value becomes zero with probability p, or else 1 / (1 - p) of itself; differentiable to any order.

    Raises ValueError for a p outside of [0, 1).
    """

    def __init__(self, p: float):
        if not 0 <= p < 1:
            raise ValueError(f"dropout must lie in [0, 1), got {p}")
        super().__init__(p)

    def forward(self, values: Tensor, place: Place | None = None) -> Tensor:
        """values (n, C), in their ``place`` in the whole batch (None: they are all)."""
        if not self.training or self.p == 0:
            return values
        if values.device.type != "cpu":
            return self._by_mask(values, place)
        first, total = place or (0, len(values))
        width = math.prod(values.shape[1:])
        at = dropped(total * width, self.p)
        if place is not None:
            bounds = torch.tensor([first, first + len(values)]) * width
            at = at[slice(*torch.searchsorted(at, bounds).tolist())] - first * width
        return _Drop.apply(values, at, 1 / (1 - self.p))

    def _by_mask(self, values: Tensor, place: Place | None) -> Tensor:
        if place is None:
            return super().forward(values)
        mask = super().forward(torch.ones(place.total, *values.shape[1:], dtype=values.dtype, device=values.device))
        return values * mask[place.first : place.first + len(values)]


def dropped(count: int, p: float) -> Tensor:
    """Ascending positions among 0..count-1, each of them with probability ``p``, independent of the others."""
    parts, last = [], -1
    while last < count:  # once is enough but in one of a thousand million calls
        gaps = torch.rand(int(count * p + 6 * math.sqrt(count * p) + 8)).neg_().log1p_()
        parts.append(last + gaps.mul_(1 / math.log1p(-p)).to(torch.int64).add_(1).cumsum(0))
        last = int(parts[-1][-1])
    at = torch.cat(parts)
    return at[: int(torch.searchsorted(at, count))]


class _Drop(torch.autograd.Function):
    """Linear, and its own adjoint."""

    @staticmethod
    def forward(ctx, values, at, scale):
        ctx.at, ctx.scale = at, scale
        kept = values.contiguous() * scale
        kept.view(-1).index_fill_(0, at, 0)
        return kept

    @staticmethod
    def backward(ctx, grad):
        return _Drop.apply(grad, ctx.at, ctx.scale), None, None

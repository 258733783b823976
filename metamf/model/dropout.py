"""Dropout by sampling the positions of the zeros.

``torch.nn.Dropout`` draws a number for every value. The gaps between dropped values are geometric, so one number for
each dropped value is enough: a tenth of them with the paper's dropout of 0.1. On a GPU, where the host would have to
wait for the number of dropped values, this is torch's own dropout.

What it gains: with ``torch.nn.Dropout`` an update of meta-training takes
1.07 times as long for Ours and 1.2 times for EML on blocks like Jester's, of 30 x 20 cells three quarters of which are
observed; on blocks like MovieLens's, of which one cell in sixteen is, there is no difference.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Dropout(nn.Dropout):
    """Each value becomes zero with probability p, and 1 / (1 - p) times itself otherwise.

    Differentiable to any order. In evaluation mode the identity.

    Parameters
    ----------
    p : the probability of a zero, in [0, 1)

    Raises
    ------
    ValueError
        if p lies outside of [0, 1).
    """

    def __init__(self, p: float):
        if not 0 <= p < 1:
            raise ValueError(f"dropout must lie in [0, 1), got {p}")
        super().__init__(p)

    def forward(self, values: Tensor) -> Tensor:
        """values of any shape -> the same shape."""
        if not self.training or self.p == 0 or values.device.type != "cpu":
            return super().forward(values)
        kept = values.reshape(-1) * (1 / (1 - self.p))
        return kept.index_fill_(0, zero_positions(kept.numel(), self.p), 0).view(values.shape)


def zero_positions(count: int, p: float) -> Tensor:
    """Positions among 0..count-1, each of them with probability p, independently of the others; ascending, int64."""
    parts, last = [], -1
    while last < count:  # six standard deviations more than expected: a second round comes once in 1e9 calls
        gaps = torch.rand(int(count * p + 6 * math.sqrt(count * p) + 8)).neg_().log1p_()
        parts.append(last + gaps.mul_(1 / math.log1p(-p)).to(torch.int64).add_(1).cumsum(0))
        last = int(parts[-1][-1])
    positions = torch.cat(parts)
    return positions[: int(torch.searchsorted(positions, count))]

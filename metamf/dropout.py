"""Dropout for processes that share a batch: together they drop what one process would."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Place(NamedTuple):
    """``first`` and the following of ``total`` entries, rows or columns."""

    first: int
    total: int


class Dropout(nn.Dropout):
    """torch's dropout; for a part of a batch its mask is a part of the one that is drawn for the whole batch."""

    def forward(self, values: Tensor, place: Place | None = None) -> Tensor:
        """values (n, C), in their ``place`` in the whole batch (None: they are all)."""
        if place is None or not self.training:
            return super().forward(values)
        mask = super().forward(torch.ones(place.total, *values.shape[1:], dtype=values.dtype, device=values.device))
        return values * mask[place.first : place.first + len(values)]

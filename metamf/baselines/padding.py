"""Padding: the matrices of a batch side by side in one dense array with a mask, for the methods that need it."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from metamf.ratings.batch import RatingsBatch


class PaddedGroups:
    """The items 0..n-1 of D consecutive groups of any sizes, padded to (D, width). Differentiable to any order.

    Parameters
    ----------
    group : (n,) the group of each item, ascending
    D : the number of groups
    """

    def __init__(self, group: Tensor, D: int):
        size = torch.bincount(group, minlength=D)  # (D,)
        self.shape = D, int(size.max())
        self.place = position_in_group(group, size)  # (n,) the position of each item in its group
        self.at = group * self.shape[1] + self.place  # (n,)
        self.full = len(group) == D * self.shape[1]

    def pad(self, values: Tensor) -> Tensor:
        """(n, C) -> (D, width, C), zero where a group has no item."""
        if not self.full:
            values = values.new_zeros(self.shape[0] * self.shape[1], values.shape[1]).index_copy(0, self.at, values)
        return values.view(*self.shape, values.shape[1])

    def unpad(self, padded: Tensor) -> Tensor:
        """(D, width, C) -> (n, C)."""
        flat = padded.reshape(-1, padded.shape[2])
        return flat if self.full else flat.index_select(0, self.at)


class PaddedMatrices:
    """Every matrix of ``batch`` padded to n x m, the largest numbers of rows and of columns in the batch.

    Attributes
    ----------
    row : (N,) the row that each row of the batch is in its own matrix
    col : (M,) the same for columns
    shape : D, n, m
    """

    def __init__(self, batch: RatingsBatch):
        self.batch = batch
        self.row = position_in_group(batch.row_matrix, batch.n_rows)
        self.col = position_in_group(batch.col_matrix, batch.n_cols)
        self.shape = len(batch), int(batch.n_rows.max()), int(batch.n_cols.max())

    def dense(self, values: Tensor) -> Tensor:
        """(nnz,) values of the observed entries -> (D, n, m), zero elsewhere."""
        return values.new_zeros(self.shape).index_put(self.cells(self.batch.row, self.batch.col), values)

    @cached_property
    def mask(self) -> Tensor:
        """(D, n, m): 1 where an entry is observed."""
        return self.dense(torch.ones_like(self.batch.x))

    def cells(self, row: Tensor, col: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The indices into (D, n, m) of positions of the batch."""
        return self.batch.row_matrix[row], self.row[row], self.col[col]


class AdaptedTable(NamedTuple):
    """Estimates of all cells of a batch, padded."""

    table: Tensor  # (D, n, m) standardised units
    padded: PaddedMatrices

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) estimates at positions of the batch."""
        return self.table[self.padded.cells(row, col)]


def position_in_group(group: Tensor, size: Tensor) -> Tensor:
    """(n,) the position of each item in its group; groups are consecutive and have ``size`` (D,) items."""
    start = torch.cumsum(size, 0) - size
    return torch.arange(len(group), device=group.device) - start[group]

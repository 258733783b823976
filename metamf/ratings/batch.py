"""Many rating matrices of different sizes as one: what the kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from metamf.ratings.matrix import Ratings
from metamf.ratings.segments import Segments


@dataclass(frozen=True, eq=False)
class RatingsBatch:
    """D sparse matrices of any sizes, laid end to end: rows 0..N-1, columns 0..M-1, N and M summed over the matrices.

    x : (nnz,) values, in standardised units;  row, col : (nnz,) positions in the batch, sorted by row
    row_matrix, col_matrix : (N,), (M,) the matrix that each row and each column belongs to
    n_rows, n_cols : (D,) the size of each matrix
    """

    x: Tensor
    row: Tensor
    col: Tensor
    row_matrix: Tensor
    col_matrix: Tensor
    n_rows: Tensor
    n_cols: Tensor

    @classmethod
    def of(cls, matrices: Sequence[Ratings], dtype=torch.float32, device="cpu") -> RatingsBatch:
        """The batch of ``matrices``, whose values are taken as they are (standardise them first)."""
        sizes = np.array([ratings.shape for ratings in matrices]).reshape(-1, 2)
        shift = np.cumsum(sizes, axis=0) - sizes
        row = np.concatenate([ratings.rows + s for ratings, s in zip(matrices, shift[:, 0])])
        col = np.concatenate([ratings.cols + s for ratings, s in zip(matrices, shift[:, 1])])
        x = np.concatenate([ratings.values for ratings in matrices])
        return cls.from_arrays(x, row, col, sizes[:, 0], sizes[:, 1], dtype, device)

    @classmethod
    def from_arrays(cls, x, row, col, n_rows, n_cols, dtype=torch.float32, device="cpu") -> RatingsBatch:
        """From NumPy arrays in which ``row`` and ``col`` already count through the batch."""
        n_rows, n_cols = torch.as_tensor(n_rows), torch.as_tensor(n_cols)
        matrix = torch.arange(len(n_rows))
        tensors = (
            torch.as_tensor(x, dtype=dtype),
            torch.as_tensor(row),
            torch.as_tensor(col),
            matrix.repeat_interleave(n_rows),
            matrix.repeat_interleave(n_cols),
            n_rows,
            n_cols,
        )
        return cls(*(tensor.to(device) for tensor in tensors))

    def __len__(self) -> int:
        return len(self.n_rows)

    @property
    def N(self) -> int:
        return len(self.row_matrix)

    @property
    def M(self) -> int:
        return len(self.col_matrix)

    def with_values(self, x: Tensor) -> RatingsBatch:
        """The same pattern of observations with other values, shape (nnz,)."""
        return replace(self, x=x)

    @cached_property
    def by_row(self) -> Segments:
        """The entries row by row."""
        return Segments(self.row, self.N)

    @cached_property
    def by_col(self) -> Segments:
        """The entries column by column."""
        return Segments(self.col, self.M)

    @cached_property
    def rows_by_matrix(self) -> Segments:
        return Segments(self.row_matrix, len(self))

    @cached_property
    def cols_by_matrix(self) -> Segments:
        return Segments(self.col_matrix, len(self))

    @cached_property
    def row_count(self) -> Tensor:
        """(N, 1) observed entries of each row."""
        return torch.bincount(self.row, minlength=self.N).to(self.x.dtype).unsqueeze(1)

    @cached_property
    def col_count(self) -> Tensor:
        """(M, 1) observed entries of each column."""
        return torch.bincount(self.col, minlength=self.M).to(self.x.dtype).unsqueeze(1)

    @cached_property
    def matrix_count(self) -> Tensor:
        """(D, 1) observed entries of each matrix."""
        return self.rows_by_matrix.sum(self.row_count)

    def find(self, row: Tensor, col: Tensor) -> tuple[Tensor, Tensor]:
        """For cells (row, col): whether each is observed, and its position in ``x`` (anything where it is not)."""
        key = row * self.M + col
        if not len(self.x):
            return torch.zeros_like(key, dtype=torch.bool), torch.zeros_like(key)
        sorted_keys, order = torch.sort(self.row * self.M + self.col)
        at = torch.searchsorted(sorted_keys, key).clamp_(max=len(self.x) - 1)
        return sorted_keys[at] == key, order[at]

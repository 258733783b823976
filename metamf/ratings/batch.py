"""Many rating matrices of different sizes as one, without padding: what the kernels read."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from metamf.ratings.matrix import Ratings
from metamf.ratings.segments import Segments


@dataclass(frozen=True, eq=False)
class RatingsBatch:
    """D sparse matrices of any sizes, laid end to end: rows 0..N-1, columns 0..M-1, N and M summed
    over the matrices.

    Values are in standardised units; ``of`` and ``from_arrays`` have them sorted by row.
    """

    x: Tensor  # (nnz,) values of the observed entries
    row: Tensor  # (nnz,) their rows, in 0..N-1
    col: Tensor  # (nnz,) their columns, in 0..M-1
    row_matrix: Tensor  # (N,) the matrix, in 0..D-1, that each row belongs to
    col_matrix: Tensor  # (M,) the matrix that each column belongs to
    n_rows: Tensor  # (D,) the number of rows of each matrix
    n_cols: Tensor  # (D,) the number of columns of each matrix
    # (N, P) what is known of the rows besides ratings; zeros where nothing is
    row_features: Tensor | None = None
    col_features: Tensor | None = None  # (M, Q) the same of the columns

    @classmethod
    def of(
        cls,
        matrices: Sequence[Ratings],
        dtype: torch.dtype = torch.float32,
        device: str | torch.device = "cpu",
    ) -> RatingsBatch:
        """The batch of ``matrices``, with their values as they are: standardise them first."""
        sizes = np.array([ratings.shape for ratings in matrices]).reshape(-1, 2)
        shift = np.cumsum(sizes, axis=0) - sizes
        row = np.concatenate([ratings.rows + s for ratings, s in zip(matrices, shift[:, 0])])
        col = np.concatenate([ratings.cols + s for ratings, s in zip(matrices, shift[:, 1])])
        x = np.concatenate([ratings.values for ratings in matrices])
        features = [
            end_to_end([getattr(ratings, side) for ratings in matrices], lengths)
            for side, lengths in zip(("row_features", "col_features"), sizes.T)
        ]
        return cls.from_arrays(x, row, col, sizes[:, 0], sizes[:, 1], dtype, device, *features)

    @classmethod
    def from_arrays(
        cls,
        x: Any,
        row: Any,
        col: Any,
        n_rows: Any,
        n_cols: Any,
        dtype: torch.dtype = torch.float32,
        device: str | torch.device = "cpu",
        row_features: np.ndarray | None = None,
        col_features: np.ndarray | None = None,
    ) -> RatingsBatch:
        """The batch of NumPy arrays in which ``row`` and ``col`` are positions in the batch
        already."""
        n_rows = torch.as_tensor(n_rows)
        n_cols = torch.as_tensor(n_cols)
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
        features = (
            None if known is None else torch.as_tensor(known, dtype=dtype, device=device)
            for known in (row_features, col_features)
        )
        return cls(*(tensor.to(device) for tensor in tensors), *features)

    def __len__(self) -> int:
        return len(self.n_rows)

    @property
    def N(self) -> int:
        return len(self.row_matrix)

    @property
    def M(self) -> int:
        return len(self.col_matrix)

    def with_values(self, x: Tensor) -> RatingsBatch:
        """The same observed cells with other values ``x`` (nnz,)."""
        return replace(self, x=x)

    @cached_property
    def by_row(self) -> Segments:
        return Segments(self.row, self.N)

    @cached_property
    def by_col(self) -> Segments:
        return Segments(self.col, self.M)

    @cached_property
    def rows_by_matrix(self) -> Segments:
        return Segments(self.row_matrix, len(self))

    @cached_property
    def cols_by_matrix(self) -> Segments:
        return Segments(self.col_matrix, len(self))

    @cached_property
    def row_count(self) -> Tensor:
        """(N, 1) the number of observed entries of each row."""
        return torch.bincount(self.row, minlength=self.N).to(self.x.dtype).unsqueeze(1)

    @cached_property
    def col_count(self) -> Tensor:
        """(M, 1) the number of observed entries of each column."""
        return torch.bincount(self.col, minlength=self.M).to(self.x.dtype).unsqueeze(1)

    @cached_property
    def matrix_count(self) -> Tensor:
        """(D, 1) the number of observed entries of each matrix."""
        return self.rows_by_matrix.sum(self.row_count)

    def find(self, row: Tensor, col: Tensor) -> tuple[Tensor, Tensor]:
        """Whether each of the cells ``row``, ``col`` (n,) is observed, and its position in ``x``,
        arbitrary if not."""
        key = row * self.M + col
        if not len(self.x):
            return torch.zeros_like(key, dtype=torch.bool), torch.zeros_like(key)
        sorted_keys, order = torch.sort(self.row * self.M + self.col)
        at = torch.searchsorted(sorted_keys, key).clamp_(max=len(self.x) - 1)
        return sorted_keys[at] == key, order[at]

    def add_products(self, values: Tensor, U: Tensor, V: Tensor) -> Tensor:
        """Adds u_n . v_m to the ``values`` (nnz,) of the entries (n, m), in place; not
        differentiable.

        U (N, K), V (M, K). On a CPU this is a sampled matrix product, which reads U and V where
        they are, without an (nnz, K) intermediate.
        """
        if self._row_bounds is None:
            return values.add_(
                torch.linalg.vecdot(U.index_select(0, self.row), V.index_select(0, self.col))
            )
        shape = self.N, self.M
        pattern = torch.sparse_csr_tensor(
            self._row_bounds, self.col, values, shape, check_invariants=False
        )  # a view
        torch.sparse.sampled_addmm(pattern, U, V.t(), out=pattern)
        return values

    @cached_property
    def _row_bounds(self) -> Tensor | None:
        """(N + 1,) where the entries of each row begin and end; None if they are not sorted, or on
        a GPU."""
        if self.x.device.type != "cpu" or not self.by_row.in_order:
            return None
        _use_up_the_beta_warning()
        return torch.cat([self.by_row.starts, self.by_row.starts.new_tensor([len(self.row)])])


def end_to_end(features: Sequence[np.ndarray | None], lengths: Iterable[int]) -> np.ndarray | None:
    """Features (length, P) of the lines of several matrices as one array; zeros for None; None if
    all are None."""
    if (size := next((known.shape[1] for known in features if known is not None), None)) is None:
        return None
    return np.concatenate(
        [np.zeros((n, size)) if one is None else one for one, n in zip(features, lengths)]
    )


@cache
def _use_up_the_beta_warning() -> None:
    """Lets torch warn once, unheard, that sparse CSR tensors are in beta; the program's filters
    stay as they are."""
    none = torch.zeros(0, dtype=torch.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.sparse_csr_tensor(torch.zeros(2, dtype=torch.int64), none, none.float(), (1, 1))

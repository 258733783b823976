"""Sparse rating matrices: one (``Ratings``), and many of different sizes as one (``RatingsBatch``).

Paper, Section 3.1: a matrix X with N rows and M columns and its indicator matrix B. Only the entries with b = 1 are
stored, as coordinates and values. ``Ratings`` is immutable and lives in NumPy, in rating units; ``RatingsBatch`` is
what the kernels read: torch tensors, any number of matrices laid end to end without padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from metamf.model.dropout import Place
from metamf.ratings.segments import Segments


@dataclass(frozen=True)
class RatingScale:
    """The values that a rating can take: ``minimum`` to ``maximum`` in multiples of ``step`` (None: continuous)."""

    minimum: float
    maximum: float
    step: float | None = None

    def __post_init__(self):
        if not (np.isfinite(self.minimum) and np.isfinite(self.maximum) and self.minimum < self.maximum):
            raise ValueError(f"a rating scale needs finite minimum < maximum, got {self.minimum} and {self.maximum}")
        if self.step is not None and not 0 < self.step <= self.maximum - self.minimum:
            raise ValueError(f"the step of a rating scale must lie in (0, maximum - minimum], got {self.step}")

    def clip(self, values: np.ndarray) -> np.ndarray:
        """``values`` clipped to the scale, in rating units."""
        return np.clip(values, self.minimum, self.maximum)


@dataclass(frozen=True)
class Standardization:
    """value = mean + std * standardised value; ``std`` is 1 where there is no spread to divide by."""

    mean: float
    std: float

    @classmethod
    def of(cls, values: np.ndarray) -> Standardization:
        """Zero mean and unit variance on ``values``; no values: the identity."""
        if values.size == 0:
            return cls(0.0, 1.0)
        mean, std = float(values.mean(dtype=np.float64)), float(values.std(dtype=np.float64))
        spread = std > 1e-12 * max(abs(mean), float(np.abs(values).max()))
        return cls(mean, std if spread else 1.0)

    def apply(self, values):
        """Rating units -> standardised units."""
        return (values - self.mean) / self.std

    def undo(self, values):
        """Standardised units -> rating units."""
        return values * self.std + self.mean


@dataclass(frozen=True, eq=False)
class Ratings:
    """One sparse rating matrix, in rating units, sorted by row and then by column.

    Parameters
    ----------
    rows, cols : integer positions of the observed entries, shape (nnz,)
    values : the ratings, shape (nnz,), finite
    shape : (N, M); rows and columns without any observation count
    row_labels, col_labels : names, of length N and M, or None
    scale : the RatingScale where it is known, or None

    Raises
    ------
    ValueError
        for positions outside the shape, values that are not finite, a cell given twice, or labels of another length.
    """

    rows: np.ndarray
    cols: np.ndarray
    values: np.ndarray
    shape: tuple[int, int]
    row_labels: tuple | None = None
    col_labels: tuple | None = None
    scale: RatingScale | None = None

    def __post_init__(self):
        rows, cols = (_positions(name, getattr(self, name)) for name in ("rows", "cols"))
        values = np.array(self.values)  # a copy: the caller's array may change, this one may not
        if not np.issubdtype(values.dtype, np.floating):
            values = values.astype(np.float64)
        shape = tuple(int(size) for size in self.shape)
        _check_entries(rows, cols, values, shape)
        key = rows * shape[1] + cols
        if key.size and np.any(np.diff(key) <= 0):
            order = np.argsort(key, kind="stable")
            rows, cols, values, key = rows[order], cols[order], values[order], key[order]
            if np.any(twice := np.diff(key) == 0):
                n, m = divmod(int(key[1:][twice][0]), shape[1])
                raise ValueError(f"cell ({n}, {m}) is given twice; combine duplicate ratings before building Ratings")
        for name, labels, size in (("row", self.row_labels, shape[0]), ("col", self.col_labels, shape[1])):
            if labels is not None and len(labels) != size:
                raise ValueError(f"{name}_labels has {len(labels)} names for {size} {name}s")
            object.__setattr__(self, f"{name}_labels", None if labels is None else tuple(labels))
        object.__setattr__(self, "shape", shape)
        for name, array in (("rows", rows), ("cols", cols), ("values", values)):
            array = array.view()
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    # -- construction ---------------------------------------------------------------------------------------------

    @classmethod
    def from_dense(cls, X, **names) -> Ratings:
        """From an (N, M) array in which NaN means missing; ``names``: row_labels, col_labels, scale."""
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2:
            raise ValueError(f"a rating matrix has two dimensions, got an array of shape {X.shape}")
        rows, cols = np.nonzero(~np.isnan(X))
        return cls(rows, cols, X[rows, cols], X.shape, **names)

    @classmethod
    def from_scipy(cls, X, **names) -> Ratings:
        """From a scipy.sparse matrix: explicit entries are observed, explicit zeros included."""
        X = X.tocoo()
        return cls(X.row, X.col, X.data, X.shape, **names)

    # -- description ----------------------------------------------------------------------------------------------

    @property
    def n_rows(self) -> int:
        return self.shape[0]

    @property
    def n_cols(self) -> int:
        return self.shape[1]

    @property
    def nnz(self) -> int:
        """The number of observed entries."""
        return self.values.size

    @property
    def density(self) -> float:
        """The share of the N x M cells that is observed."""
        return self.nnz / (self.n_rows * self.n_cols)

    @cached_property
    def row_starts(self) -> np.ndarray:
        """Shape (N + 1,): the entries of row n are those from ``row_starts[n]`` to ``row_starts[n + 1]``."""
        return np.concatenate([[0], np.cumsum(self.row_counts)])

    @cached_property
    def row_counts(self) -> np.ndarray:
        return np.bincount(self.rows, minlength=self.n_rows)

    @cached_property
    def col_counts(self) -> np.ndarray:
        return np.bincount(self.cols, minlength=self.n_cols)

    def __repr__(self) -> str:
        return f"Ratings({self.n_rows} x {self.n_cols}, {self.nnz} observed, {100 * self.density:.3g} %)"

    # -- derived matrices -----------------------------------------------------------------------------------------

    def to_dense(self) -> np.ndarray:
        """The (N, M) array in rating units, NaN where nothing is observed."""
        X = np.full(self.shape, np.nan)
        X[self.rows, self.cols] = self.values
        return X

    def select(self, entries: np.ndarray) -> Ratings:
        """The same matrix with only the chosen entries observed; ``entries``: a mask or positions into ``values``."""
        return replace(self, rows=self.rows[entries], cols=self.cols[entries], values=self.values[entries])

    def with_values(self, values: np.ndarray) -> Ratings:
        """The same cells with other values, shape (nnz,); the scale, which belongs to the old units, is dropped."""
        return replace(self, values=values, scale=None)

    def submatrix(self, row_ids: np.ndarray, col_ids: np.ndarray) -> Ratings:
        """The rows ``row_ids`` and the columns ``col_ids``, in that order."""
        entries, rows, cols = self.locate(np.asarray(row_ids)[None], np.asarray(col_ids)[None])
        pick = lambda labels, ids: None if labels is None else tuple(labels[i] for i in ids)  # noqa: E731
        return Ratings(rows, cols, self.values[entries], (len(row_ids), len(col_ids)),
                       pick(self.row_labels, row_ids), pick(self.col_labels, col_ids), self.scale)  # fmt: skip

    def locate(self, row_ids: np.ndarray, col_ids: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where the entries of D submatrices stand, all at once.

        Parameters
        ----------
        row_ids, col_ids : shapes (D, n) and (D, m): the rows and columns of each submatrix, none twice

        Returns
        -------
        entries, rows, cols : positions into ``values``, and the row in 0..D*n-1 and column in 0..D*m-1 of each
        """
        (D, n), (_, m) = row_ids.shape, col_ids.shape
        # column of the matrix -> column of the submatrix; as small as it can be, since it is read at random
        place = np.full((D, self.n_cols), -1, dtype=np.int16 if m < 2**15 else np.int64)
        np.put_along_axis(place, col_ids, np.arange(m, dtype=place.dtype)[np.newaxis], axis=1)
        flat = row_ids.reshape(-1)
        lengths = self.row_counts[flat]
        ends = np.cumsum(lengths)
        entries = np.repeat(self.row_starts[flat] - (ends - lengths), lengths)  # of all columns of these rows
        entries += np.arange(entries.size)
        at = np.repeat(np.repeat(np.arange(D) * self.n_cols, n), lengths)
        at += self.cols[entries]
        cols = place.reshape(-1)[at]
        inside = np.flatnonzero(cols >= 0)
        rows = np.searchsorted(ends, inside, side="right")
        return entries[inside], rows, cols[inside] + rows // n * m


@dataclass(frozen=True, eq=False)
class RatingsBatch:
    """D sparse matrices of any sizes, laid end to end: rows 0..N-1, columns 0..M-1, N and M summed over the matrices.

    x : (nnz,) values, in standardised units;  row, col : (nnz,) positions in the batch, sorted by row
    row_matrix, col_matrix : (N,), (M,) the matrix that each row and each column belongs to
    n_rows, n_cols : (D,) the size of each matrix
    places : of a part of a larger batch, where its entries, rows and columns stand in that
    """

    x: Tensor
    row: Tensor
    col: Tensor
    row_matrix: Tensor
    col_matrix: Tensor
    n_rows: Tensor
    n_cols: Tensor
    places: tuple[Place | None, ...] = (None, None, None)

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
        tensors = (torch.as_tensor(x, dtype=dtype), torch.as_tensor(row), torch.as_tensor(col),
                   matrix.repeat_interleave(n_rows), matrix.repeat_interleave(n_cols), n_rows, n_cols)  # fmt: skip
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


def _positions(name: str, positions) -> np.ndarray:
    array = np.asarray(positions)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name} must hold integer positions, got dtype {array.dtype}")
    return array.astype(np.int64)


def _check_entries(rows: np.ndarray, cols: np.ndarray, values: np.ndarray, shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or min(shape) < 1:
        raise ValueError(f"shape must be (N, M) with at least one row and one column, got {shape}")
    if not rows.shape == cols.shape == values.shape:
        raise ValueError(f"rows, cols and values differ in length: {rows.shape}, {cols.shape}, {values.shape}")
    for name, positions, size in (("row", rows, shape[0]), ("column", cols, shape[1])):
        outside = (positions < 0) | (positions >= size)
        if outside.any():
            raise ValueError(f"{name} {positions[outside][0]} lies outside a matrix of shape {shape}")
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"the rating at ({rows[at]}, {cols[at]}) is {values[at]}; leave missing entries out")

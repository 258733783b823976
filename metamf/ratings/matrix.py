"""One sparse rating matrix.

Paper, Section 3.1: a matrix X with N rows and M columns and its indicator matrix B. Only the
entries with b = 1 are stored, as positions and values. ``Ratings`` is immutable and holds NumPy
arrays in rating units; the kernels read a ``RatingsBatch`` (``metamf.ratings.batch``), torch
tensors of any number of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from metamf.ratings.scale import ColumnLimits, RatingScale


@dataclass(frozen=True, eq=False)
class Ratings:
    """One sparse rating matrix, in rating units, sorted by row and then by column.

    Parameters
    ----------
    rows, cols : (nnz,) integer positions of the observed entries
    values : (nnz,) ratings, real and finite; integers become float64
    shape : (N, M), rows and columns without any observation included
    row_labels, col_labels : names of the N rows and M columns, or None
    scale : the ``RatingScale`` if it is known, or None
    row_features, col_features : (N, P), (M, Q) what is known of the rows and columns besides
        ratings, finite, or None
    limits : the lowest and highest value that each of the M columns can have (``ColumnLimits``),
        -inf and inf where nothing is known, or None. They bound estimates, intervals and draws; an
        observed entry may lie outside

    Raises
    ------
    ValueError
        if a position lies outside the shape, a value or feature is complex or not finite, a cell is
        given twice, or the number of labels or features differs from the number of rows or columns,
        or that of limits from the number of columns.
    """

    rows: np.ndarray
    cols: np.ndarray
    values: np.ndarray
    shape: tuple[int, int]
    row_labels: tuple | None = None
    col_labels: tuple | None = None
    scale: RatingScale | None = None
    row_features: np.ndarray | None = None
    col_features: np.ndarray | None = None
    limits: ColumnLimits | None = None

    def __post_init__(self) -> None:
        shape = tuple(int(size) for size in self.shape)
        if len(shape) != 2 or min(shape) < 1:
            raise ValueError(
                f"shape must be (N, M) with at least one row and one column, got {shape}"
            )
        rows = _positions("rows", self.rows)
        cols = _positions("cols", self.cols)
        values = _real(self.values)
        if not np.issubdtype(values.dtype, np.floating):
            values = values.astype(np.float64)
        if not rows.shape == cols.shape == values.shape:
            raise ValueError(
                f"rows, cols and values differ in length: {rows.shape}, {cols.shape}, "
                f"{values.shape}"
            )
        for name, positions, size in (("row", rows, shape[0]), ("column", cols, shape[1])):
            outside = (positions < 0) | (positions >= size)
            if outside.any():
                raise ValueError(
                    f"{name} {positions[outside][0]} lies outside a matrix of shape {shape}"
                )
        if not np.isfinite(values).all():
            at = np.flatnonzero(~np.isfinite(values))[0]
            raise ValueError(
                f"the rating at ({rows[at]}, {cols[at]}) is {values[at]}; leave missing entries out, "
                "or write NaN for them in an array or a data frame"
            )
        key = rows * shape[1] + cols
        if np.any(np.diff(key) <= 0):
            order = np.argsort(key, kind="stable")
            rows = rows[order]
            cols = cols[order]
            values = values[order]
            twice = np.diff(key[order]) == 0
            if twice.any():
                at = np.flatnonzero(twice)[0]
                raise ValueError(
                    f"cell ({rows[at]}, {cols[at]}) is given twice; combine duplicate ratings "
                    "before building Ratings"
                )
        for name, size in (("row", shape[0]), ("col", shape[1])):
            labels = getattr(self, f"{name}_labels")
            if labels is not None and len(labels) != size:
                raise ValueError(f"{name}_labels has {len(labels)} names for {size} {name}s")
            object.__setattr__(self, f"{name}_labels", None if labels is None else tuple(labels))
            known = getattr(self, f"{name}_features")
            if known is None:
                continue
            if known.ndim != 2 or len(known) != size or not np.isfinite(known).all():
                raise ValueError(
                    f"{name}_features must be finite numbers for {size} {name}s, got shape "
                    f"{known.shape}"
                )
        if self.limits is not None and len(self.limits.lower) != shape[1]:
            raise ValueError(f"limits has {len(self.limits.lower)} columns for {shape[1]} columns")
        object.__setattr__(self, "shape", shape)
        for name, array in (("rows", rows), ("cols", cols), ("values", values)):
            object.__setattr__(self, name, _constant(array))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrays that come from another process may not change, either."""
        for name in ("rows", "cols", "values"):
            state[name].flags.writeable = False
        self.__dict__.update(state)

    @classmethod
    def from_dense(cls, X: Any, **names: Any) -> Ratings:
        """The ratings of an (N, M) array in rating units, in which NaN means missing.

        ``names``: ``row_labels``, ``col_labels``, ``scale`` and ``limits`` of the result. Raises
        ValueError if X is complex or does not have two dimensions.
        """
        X = _real(X).astype(np.float64, copy=False)
        if X.ndim != 2:
            raise ValueError(f"a rating matrix has two dimensions, got an array of shape {X.shape}")
        rows, cols = np.nonzero(~np.isnan(X))
        return cls(rows, cols, X[rows, cols], X.shape, **names)

    @classmethod
    def from_scipy(cls, X: Any, **names: Any) -> Ratings:
        """The ratings of a scipy.sparse matrix, whose explicit entries are observed but for NaN;
        ``names`` as above.

        The blocks of a BSR matrix are padded with zeros, so zeros in it are missing.
        """
        entries = X.tocoo()
        known = ~np.isnan(entries.data)
        if X.format == "bsr":
            known &= entries.data != 0
        rows, cols = (positions[known] for positions in entries.coords)
        return cls(rows, cols, entries.data[known], entries.shape, **names)

    @property
    def n_rows(self) -> int:
        return self.shape[0]

    @property
    def n_cols(self) -> int:
        return self.shape[1]

    @property
    def nnz(self) -> int:
        return self.values.size

    @property
    def density(self) -> float:
        """The observed share of the N x M cells."""
        return self.nnz / (self.n_rows * self.n_cols)

    @cached_property
    def row_starts(self) -> np.ndarray:
        """(N + 1,) positions: the entries of row n are ``row_starts[n]`` to ``row_starts[n + 1] -
        1``."""
        return np.concatenate([[0], np.cumsum(self.row_counts)])

    @cached_property
    def row_counts(self) -> np.ndarray:
        """(N,) the number of observed entries of each row."""
        return np.bincount(self.rows, minlength=self.n_rows)

    @cached_property
    def col_counts(self) -> np.ndarray:
        """(M,) the number of observed entries of each column."""
        return np.bincount(self.cols, minlength=self.n_cols)

    def __repr__(self) -> str:
        return (
            f"Ratings({self.n_rows} x {self.n_cols}, {self.nnz} observed, "
            f"{100 * self.density:.3g} %)"
        )

    def to_dense(self) -> np.ndarray:
        """The (N, M) array in rating units, with NaN in the cells that are not observed."""
        X = np.full(self.shape, np.nan)
        X[self.rows, self.cols] = self.values
        return X

    def select(self, entries: np.ndarray) -> Ratings:
        """The same matrix with only some entries observed; ``entries``: a mask of ``values`` or
        positions in it."""
        return replace(
            self, rows=self.rows[entries], cols=self.cols[entries], values=self.values[entries]
        )

    def with_values(self, values: np.ndarray) -> Ratings:
        """The same cells with other ``values`` (nnz,), and without the scale, which belongs to the
        old units. The limits stay: ``replace`` them where units change and estimates are cut."""
        return replace(self, values=values, scale=None)

    def submatrix(self, row_ids: np.ndarray, col_ids: np.ndarray) -> Ratings:
        """The matrix of the rows ``row_ids`` (n,) and the columns ``col_ids`` (m,), in that
        order."""
        row_ids = np.asarray(row_ids)
        col_ids = np.asarray(col_ids)
        entries, rows, cols = self.locate(row_ids[None], col_ids[None])

        def labels(names: tuple | None, ids: np.ndarray) -> tuple | None:
            return None if names is None else tuple(names[i] for i in ids)

        def features(known: np.ndarray | None, ids: np.ndarray) -> np.ndarray | None:
            return None if known is None else known[ids]

        return Ratings(
            rows,
            cols,
            self.values[entries],
            (len(row_ids), len(col_ids)),
            labels(self.row_labels, row_ids),
            labels(self.col_labels, col_ids),
            self.scale,
            features(self.row_features, row_ids),
            features(self.col_features, col_ids),
            None if self.limits is None else self.limits.of_columns(col_ids),
        )

    def locate(
        self, row_ids: np.ndarray, col_ids: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The entries of D submatrices, found together: their positions (k,) in ``values``, and the
        row (k,), in
        0..D*n-1, and the column (k,), in 0..D*m-1, of each in the submatrices laid end to end.

        ``row_ids`` (D, n) and ``col_ids`` (D, m) are the rows and columns of each submatrix, none
        of them twice.
        """
        (D, n), (_, m) = row_ids.shape, col_ids.shape
        # column of the matrix -> column of the submatrix; as small a type as possible, since it is
        # read at random
        place = np.full((D, self.n_cols), -1, dtype=np.int16 if m < 2**15 else np.int64)
        np.put_along_axis(place, col_ids, np.arange(m, dtype=place.dtype)[np.newaxis], axis=1)
        flat = row_ids.reshape(-1)
        lengths = self.row_counts[flat]
        ends = np.cumsum(lengths)
        # the entries of these rows
        entries = np.repeat(self.row_starts[flat] - (ends - lengths), lengths)
        entries += np.arange(entries.size)
        at = np.repeat(np.repeat(np.arange(D) * self.n_cols, n), lengths)
        at += self.cols[entries]
        cols = place.reshape(-1)[at]
        inside = np.flatnonzero(cols >= 0)
        rows = np.searchsorted(ends, inside, side="right")
        return entries[inside], rows, cols[inside] + rows // n * m


def is_grid(rows: np.ndarray, cols: np.ndarray) -> bool:
    """Whether positions are those of all cells of some rows and columns, as ``np.ogrid`` has
    them."""
    return np.ndim(rows) == np.ndim(cols) == 2 and np.shape(rows)[1] == np.shape(cols)[0] == 1


def _positions(name: str, positions: Any) -> np.ndarray:
    array = np.asarray(positions)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name} must hold integer positions, got dtype {array.dtype}")
    return array.astype(np.int64, copy=False)


def _constant(array: np.ndarray) -> np.ndarray:
    """The array itself where nobody can change it, such as another matrix's; otherwise a read-only
    copy."""
    memory: Any = array
    while isinstance(memory, np.ndarray) and not memory.flags.writeable:
        memory = memory.base
    if memory is None or isinstance(memory, bytes | memoryview):
        return array
    array = array.copy()
    array.flags.writeable = False
    return array


def _real(values: Any) -> np.ndarray:
    array = np.asarray(values)
    if np.iscomplexobj(array):
        raise ValueError(
            f"ratings must be real numbers, got dtype {array.dtype}; pass their real part"
        )
    return array

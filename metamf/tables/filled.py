"""A table with the estimates of a method, from which every export is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from metamf.ratings.matrix import Ratings
from metamf.tables.limits import COMMAND_LINE, TableError
from metamf.tables.table import Source, Table
from metamf.tables.text import build_grid, label_in
from metamf.tables.words import Style

OBSERVED, HELD_OUT, IMPUTED, CLIPPED, MISSING = range(5)
PROVENANCE = ("observed", "held out", "imputed", "clipped", "missing")


class Gap(NamedTuple):
    """A cell of a file that gets an estimate: its place in the record, its row and column of the matrix, the value."""

    cell: int
    row: int
    col: int
    value: float


@dataclass(frozen=True, eq=False)
class Filled:
    """A table with an estimate for each cell that is not observed.

    Parameters
    ----------
    table : the Table that was read, or Ratings from elsewhere (written as plain CSV: comma, point, UTF-8)
    mean : (N, M) estimates in rating units; ignored where a cell is observed; NaN where there is none
    lower, upper : (N, M) ends of the intervals in rating units, or None
    level : level of the intervals, such as 0.9
    provenance : (N, M) codes OBSERVED, HELD_OUT (observed, but hidden from the method), IMPUTED, CLIPPED (imputed, and
        put back on the scale), MISSING (not estimated); None: each cell is observed or imputed
    method : name of the method that made the estimates

    Raises
    ------
    TableError
        if an array has another shape, or the provenance contradicts what the table observes.
    """

    table: Table | Ratings
    mean: np.ndarray
    lower: np.ndarray | None = None
    upper: np.ndarray | None = None
    level: float | None = None
    provenance: np.ndarray | None = None
    method: str = ""
    kinds: np.ndarray = field(init=False)  # (N, M) the provenance of every cell, given or found out

    def __post_init__(self) -> None:
        shape = self.ratings.shape
        if (self.lower is None) != (self.upper is None):
            raise TableError("lower and upper ends of the intervals must be given together")
        for name in ("mean", "lower", "upper", "provenance"):
            array = getattr(self, name)
            if array is not None and np.shape(array) != shape:
                raise TableError(f"{name} has shape {np.shape(array)}, the table has shape {shape}")
        observed = np.zeros(shape, dtype=bool)
        observed[self.ratings.rows, self.ratings.cols] = True
        provenance = np.where(observed, OBSERVED, IMPUTED) if self.provenance is None else np.asarray(self.provenance)
        if np.any(wrong := (provenance <= HELD_OUT) != observed):
            n, m = np.argwhere(wrong)[0]
            code = PROVENANCE[int(provenance[n, m])]
            raise TableError(
                f"cell ({n}, {m}) is called {code}, but the table {'has' if observed[n, m] else 'lacks'} it"
            )
        if self.source.kept is not None and len(self.source.kept[0]):
            mean = np.array(self.mean, dtype=np.float64)
            mean[self.source.kept] = np.nan
            object.__setattr__(self, "mean", mean)
        codes = np.where(~observed & np.isnan(self.mean), MISSING, provenance).astype(np.uint8)
        object.__setattr__(self, "kinds", codes)

    @property
    def ratings(self) -> Ratings:
        return self.table.ratings if isinstance(self.table, Table) else self.table

    @cached_property
    def source(self) -> Source:
        return self.table.source if isinstance(self.table, Table) else _plain_source(self.table)

    def style(self, col: int) -> Style | None:
        """The form in which the ratings of a column of the matrix are written."""
        return self.source.styles[0 if self.source.form == "long" else col]

    @property
    def ends(self) -> dict[str, np.ndarray]:
        """The (N, M) 'lower' and 'upper' ends of the intervals; nothing without intervals."""
        return {} if self.lower is None or self.upper is None else {"lower": self.lower, "upper": self.upper}

    @cached_property
    def values(self) -> np.ndarray:
        """(N, M) the observed ratings, held out or not, and the estimates elsewhere, in rating units."""
        values = np.array(self.mean, dtype=np.float64)
        values[self.ratings.rows, self.ratings.cols] = self.ratings.values
        return values

    @cached_property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of rows and columns; the third column is called 'column 3' where it has none, or '3' where none has."""
        named = (self.ratings.row_labels, self.ratings.col_labels)
        rows, columns = (
            tuple(str(i) if labels is None else str(labels[i - 1]).strip() or f"{noun} {i}" for i in range(1, n + 1))
            for noun, labels, n in zip(("row", "column"), named, self.ratings.shape)
        )
        return rows, columns

    @cached_property
    def _estimated(self) -> np.ndarray:
        return (self.kinds == IMPUTED) | (self.kinds == CLIPPED)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {record: i for i, record in enumerate(self.source.records.tolist())}

    def gaps(self, record: int) -> list[Gap]:
        """The cells of a record of the file that get an estimate."""
        if (i := self._places.get(record)) is None:
            return []
        columns, pairs = self.source.columns, self.source.pairs
        if pairs is None:
            cols = np.flatnonzero(self._estimated[i])
            values = np.asarray(self.mean[i])[cols].tolist()
            return [Gap(columns[m], i, m, value) for m, value in zip(cols.tolist(), values)]
        n, m = int(pairs[0][i]), int(pairs[1][i])
        return [Gap(columns[-1], n, m, float(self.mean[n, m]))] if self._estimated[n, m] else []

    def new_lines(self) -> Iterator[tuple[list[str], Gap]]:
        """A line for each cell that a long table lacks: the names of its row and its column, as the first lines write
        them that have them, and the place of the estimate."""
        grid, records, pairs = self.source.grid, self.source.records, self.source.pairs
        if pairs is None:
            return
        width = int(grid.widths[records].max())
        *row_cells, column_cell, value_cell = self.source.columns
        first_rows, first_columns = (records[np.unique(side, return_index=True)[1]] for side in pairs)
        lacking = self._estimated.copy()
        lacking[pairs] = False
        for n, m in np.argwhere(lacking).tolist():
            row, column = grid.record(int(first_rows[n])), grid.record(int(first_columns[m]))
            names = {j: row[j] for j in row_cells} | {column_cell: column[column_cell]}
            line = [label_in(names.get(j, "")) for j in range(width)]
            yield line, Gap(value_cell, n, m, float(self.mean[n, m]))

    @property
    def order(self) -> np.ndarray:
        """The N * M cells in the order in which a long table gave them, then the others row by row."""
        N, M = self.ratings.shape
        rows, cols = self.source.pairs or (np.empty(0, dtype=np.int64),) * 2
        return pd.unique(np.append(rows.astype(np.int64) * M + cols, np.arange(N * M)))

    @property
    def cells(self) -> pd.DataFrame:
        """One line per cell, in that ``order``: row, column, value, provenance, and, where a cell is not plainly
        observed and has one, estimate, ends and level of the interval, and method."""
        (N, M), kinds = self.ratings.shape, self.kinds.reshape(-1)
        guessed = (kinds > OBSERVED) & (kinds < MISSING)
        rows, columns = (np.array(names, dtype=object) for names in self.names)
        interval = {"interval": np.full((N, M), self.level, dtype=np.float64)} if self.ends else {}
        numbers = {"estimate": self.mean, **self.ends, **interval}
        frame = {
            "row": np.repeat(rows, M),
            "column": np.tile(columns, N),
            "value": self.values.reshape(-1),
            "provenance": np.array(PROVENANCE, dtype=object)[kinds],
            **{name: np.where(guessed, np.reshape(X, -1).astype(float), np.nan) for name, X in numbers.items()},
            "method": np.where(guessed, self.method, "").astype(object),
        }
        return pd.DataFrame(frame).iloc[self.order]


def _plain_source(ratings: Ratings) -> Source:
    """The source of ratings that were not read from a file."""
    grid, codes = build_grid([], COMMAND_LINE, 0), np.full(ratings.nnz, -1)
    return Source(
        grid=grid, kind="none", records=grid.records, columns=(), styles=(None,) * ratings.n_cols, codes=codes
    )

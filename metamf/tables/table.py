"""A table that was read (ratings, report of what was understood, source for a round trip), and one that was filled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from metamf.ratings.matrix import Ratings
from metamf.tables.limits import COMMAND_LINE, Note, TableError
from metamf.tables.numbers import NumberFormat
from metamf.tables.options import DELIMITERS
from metamf.tables.roles import ALONE, DESCRIBES, NAME, RATING, Roles
from metamf.tables.text import Loaded, build_grid, label_in
from metamf.tables.words import Style
from metamf.wording import counted, first_few, percent, shown, with_minus

OBSERVED, HELD_OUT, IMPUTED, CLIPPED, MISSING = range(5)
PROVENANCE = ("observed", "held out", "imputed", "clipped", "missing")


@dataclass(frozen=True)
class TableReport:
    """Account of how a file was understood."""

    name: str
    delimiter: str | None  # of a text
    encoding: str | None
    sheet: str | None  # of a workbook
    sheets: tuple[str, ...]
    numbers: NumberFormat
    form: str  # 'wide' or 'long'
    reason: str  # why it was read in this form, as a clause
    header_lines: int  # of the file up to the last one with names; 0 without a header
    columns: tuple[str, str, str] | None  # names of the row, column and value columns of a long table
    file_columns: tuple[str, ...]  # names of all columns
    roles: Roles | None  # of the columns and rows of a wide table
    style: Style | None  # form in which the values of a long table are written; None for plain numbers
    gaps: tuple[str, ...]  # columns of a wide table that are left alone and have gaps
    repeated_names: bool  # whether names of rows of a wide table come again
    shape: tuple[int, int]
    observed: int  # cells
    missing: dict[str, int]  # cells that each text made missing, most frequent first
    suspected: tuple[tuple[str, int], ...]  # numbers read as ratings that look like missing markers, and their cells
    duplicates: int  # (row, column) pairs given more than once
    range: tuple[float, float]  # the lowest and the highest rating
    notes: tuple[Note, ...]  # oddities, with how each was dealt with

    @property
    def label_column(self) -> str | None:
        """Name of the columns of a wide table that hold the names of the rows; None if there are none."""
        named = () if self.roles is None else self.roles.of(NAME)
        return " ".join(self.file_columns[j] for j in named) or None

    @property
    def guesses(self) -> dict[str, Any]:
        """What the fields of ``ReadOptions`` may say otherwise, as it was guessed or said."""
        same = ("form", "delimiter", "encoding", "sheet", "header_lines")
        return {name: getattr(self, name) for name in same} | {
            "decimal": self.numbers.decimal,
            "thousands": self.numbers.thousands,
            "row_labels": self.label_column is not None,
        }

    def sentences(self) -> list[str]:
        """The report for a reader, most important first."""
        n_rows, n_cols = self.shape
        return [
            f"{counted(n_rows, 'row')} and {counted(n_cols, 'column')}: {self.observed:,} of "
            f"{counted(n_rows * n_cols, 'cell')} {'is' if self.observed == 1 else 'are'} observed "
            f"({percent(self.observed / (n_rows * n_cols), digits=3)}).",
            *([] if self.roles is None else self._roles(self.roles)),
            *self._words(),
            f"Read as a {self.form} table: {self.reason}.",
            self._dialect(),
            self._labels(),
            self._missing(),
            *(note.sentence() for note in self.notes),
        ]

    @property
    def nothing_missing(self) -> str | None:
        """Why there is nothing to fill in, and what may be wrong; None where a cell is missing."""
        cells = self.shape[0] * self.shape[1]
        if self.observed < cells:
            return None
        sentence = f"nothing to fill in: all {cells:,} cells of the ratings are given"
        if self.gaps:
            gaps = first_few([shown(name) for name in self.gaps], 6)
            return f"{sentence}; columns with gaps that are left alone: {gaps}. If they hold ratings, say so"
        if self.form == "wide" and self.repeated_names:
            return f"{sentence}; names of rows repeat: if each line holds one rating, read it as a long table"
        return sentence

    def _roles(self, roles: Roles) -> list[str]:
        names = self.file_columns
        rated = [shown(names[j]) for j in roles.of(RATING)]
        low, high = (with_minus(f"{end:g}") for end in self.range)
        scale = f"{low} to {high}" if roles.alike else "each in its own unit"
        columns = [f"{shown(names[j])} ({roles.columns[j].why})" for j in roles.of(ALONE)]
        rows = [f"line {line:,} ({why})" for line, why in roles.rows]
        about = first_few([shown(names[j]) for j in roles.of(DESCRIBES)], 12)
        left = [f"Left alone, and written as read: {first_few([*columns, *rows], 20)}."] if columns or rows else []
        told = [f"Describing the rows: {about}."] if about else []
        return [f"Ratings: {first_few(rated, 12)} ({counted(len(rated), 'column')}, {scale}).", *told, *left]

    def _words(self) -> list[str]:
        """The values of the words that stand for ratings."""
        columns = self.roles.columns if self.roles else ()
        styles = [self.style, *dict.fromkeys(column.style for column in columns if column.role == RATING)]
        return [f"{style.name.capitalize()}: {style.in_words()}." for style in styles if style and not style.template]

    def _dialect(self) -> str:
        numbers = "decimal comma" if self.numbers.decimal == "," else "decimal point"
        if self.numbers.thousands:
            numbers += f", thousands sign {shown(self.numbers.thousands)}"
        if self.sheet is not None:
            return f"Sheet {shown(self.sheet)}; {numbers}."
        if self.delimiter is None:
            return "A file of numbers, not of text."
        return f"Delimiter: {DELIMITERS.get(self.delimiter, self.delimiter)}; {numbers}; encoding: {self.encoding}."

    def _labels(self) -> str:
        header = f"The header ends in line {self.header_lines:,}" if self.header_lines else "There is no header line"
        if self.columns is not None:
            return f"{header}; rows, columns and values are {', '.join(map(shown, self.columns))}."
        return f"{header}; " + (f"row names are in {label}." if (label := self.label_column) else "rows have no names.")

    def _missing(self) -> str:
        if not self.missing:
            return "No cell is marked as missing."
        tokens = [f"{n:,} {'empty' if not text else shown(text)}" for text, n in self.missing.items()]
        zero = "" if any("0" in text and not text.strip("+-0.,") for text in self.missing) else " Zero is a rating."
        return f"Cells marked as missing: {first_few(tokens, 8)}.{zero}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Source(Loaded):
    """The file that was read, and the place of each cell of the matrix in it, for a round trip."""

    records: np.ndarray  # (N,) record of each row of a wide table; (n,) record of each line of a long one
    columns: tuple[int, ...]  # (M,) places in the record; of a long table those that name row and column, and the value
    styles: tuple[Style | None, ...]  # (M,) form of the ratings of each column; one of a long table
    codes: np.ndarray  # (nnz,) position in ``grid.texts`` of the text of each rating, -1 for a mean of duplicates
    kept: tuple[np.ndarray, np.ndarray] | None = None  # rows and columns of missing cells that are never written
    pairs: tuple[np.ndarray, np.ndarray] | None = None  # (n,) rows and columns of the lines of a long table
    long_names: tuple[str, str, str] = ("row", "column", "value")

    @property
    def form(self) -> str:
        return "wide" if self.pairs is None else "long"


@dataclass(frozen=True, eq=False)
class Table:
    """A table that was read: the ratings, as written, in rating units, with names as text; the report on how it was
    understood; and the form of the file, to write the table back."""

    ratings: Ratings
    report: TableReport
    source: Source


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

    Raises TableError if an array has another shape, or the provenance contradicts what the table observes.
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

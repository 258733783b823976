"""A table that was read: the ratings, the report of what was understood, and the source that a round trip needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.tables.limits import Note
from metamf.tables.numbers import NumberFormat
from metamf.tables.options import DELIMITERS
from metamf.tables.roles import ALONE, RATING, Roles
from metamf.tables.text import Dialect, Grid
from metamf.tables.words import Style
from metamf.wording import counted, first_few, percent, shown, with_minus


@dataclass(frozen=True)
class FileFacts:
    """Form of the file: the delimiter and the encoding of a text, the sheets of a workbook; None for other files."""

    name: str
    delimiter: str | None
    encoding: str | None
    sheet: str | None
    sheets: tuple[str, ...]


@dataclass(frozen=True)
class LayoutFacts:
    """Places of the names and the ratings.

    Attributes
    ----------
    form : 'wide' or 'long'
    reason : why it was read in this form, as a clause
    header : whether the first line holds names
    header_lines : lines of the file up to the last one with names
    row_labels : whether a column of a wide table holds the names of the rows
    label_column : name of that column, or None
    columns : names of the row, column and value columns of a long table, or None
    file_columns : names of all columns of the file
    roles : the roles of these columns, and of rows, of a wide table; None for a long one
    row_lines : line of the file of each row that is left alone
    style : form in which the values of a long table are written; None for plain numbers
    gaps : columns of a wide table that are left alone and have gaps
    repeated_names : whether names of rows of a wide table come again
    """

    form: str
    reason: str
    header: bool
    header_lines: int
    row_labels: bool
    label_column: str | None
    columns: tuple[str, str, str] | None
    file_columns: tuple[str, ...]
    roles: Roles | None = None
    row_lines: tuple[int, ...] = ()
    style: Style | None = None
    gaps: tuple[str, ...] = ()
    repeated_names: bool = False


@dataclass(frozen=True)
class CellFacts:
    """Content of the cells: size of the matrix; number of observed cells; number of cells that each text made missing,
    most frequent first; numbers that look like missing markers but were read as ratings, with their counts; number of
    (row, column) pairs given more than once, and examples; the lowest and the highest rating."""

    shape: tuple[int, int]
    observed: int
    missing: dict[str, int]
    suspected: tuple[tuple[str, int], ...]
    duplicates: int
    duplicate_examples: tuple[str, ...]
    range: tuple[float, float]


@dataclass(frozen=True)
class TableReport:
    """Account of how a file was understood: its form, the places of names and ratings, the number format, the cells,
    and notes on oddities with how each was dealt with."""

    file: FileFacts
    layout: LayoutFacts
    numbers: NumberFormat
    cells: CellFacts
    notes: tuple[Note, ...]

    def guess(self, option: str) -> Any:
        """The guess where the field ``option`` of ``ReadOptions`` leaves it open; None if the option does not apply.

        Raises
        ------
        ValueError
            if the report says nothing about the option, such as a rule for duplicates.
        """
        for facts in (self.file, self.layout, self.numbers):
            if option in vars(facts):
                return getattr(facts, option)
        raise ValueError(f"the report of a table says nothing about the option {option!r}")

    def sentences(self) -> list[str]:
        """The report for a reader, most important first."""
        n_rows, n_cols = self.cells.shape
        cells = n_rows * n_cols
        return [
            f"{counted(n_rows, 'row')} and {counted(n_cols, 'column')}: {self.cells.observed:,} of "
            f"{counted(cells, 'cell')} {'is' if self.cells.observed == 1 else 'are'} observed "
            f"({percent(self.cells.observed / cells, digits=3)}).",
            *self._roles(),
            *self._words(),
            f"Read as a {self.layout.form} table: {self.layout.reason}.",
            self._dialect(),
            self._labels(),
            self._missing(),
            *(note.sentence() for note in self.notes),
        ]

    @property
    def nothing_missing(self) -> str | None:
        """Why there is nothing to fill in, and what may be wrong; None where a cell is missing."""
        n_rows, n_cols = self.cells.shape
        if self.cells.observed < n_rows * n_cols:
            return None
        sentence = f"nothing to fill in: all {n_rows * n_cols:,} cells of the ratings are given"
        if self.layout.gaps:
            gaps = first_few([shown(name) for name in self.layout.gaps], 6)
            return f"{sentence}; columns with gaps that are left alone: {gaps}. If they hold ratings, say so"
        if self.layout.form == "wide" and self.layout.repeated_names:
            return f"{sentence}; names of rows repeat: if each line holds one rating, read it as a long table"
        return sentence

    def _roles(self) -> list[str]:
        roles, names = self.layout.roles, self.layout.file_columns
        if roles is None:
            return []
        rated = [shown(names[j]) for j in roles.of(RATING)]
        low, high = self.cells.range
        scale = f", {with_minus(f'{low:g}')} to {with_minus(f'{high:g}')}" if roles.alike else ", each in its own unit"
        columns = [f"{shown(names[j])} ({roles.columns[j].why})" for j in roles.of(ALONE)]
        rows = [f"line {line:,} ({role.why})" for line, (_, role) in zip(self.layout.row_lines, roles.rows)]
        left = [f"Left alone, and written as read: {first_few([*columns, *rows], 20)}."] if columns or rows else []
        return [f"Ratings: {first_few(rated, 12)} ({counted(len(rated), 'column')}{scale}).", *left]

    def _dialect(self) -> str:
        numbers = "decimal comma" if self.numbers.decimal == "," else "decimal point"
        if self.numbers.thousands:
            numbers += f", thousands sign {shown(self.numbers.thousands)}"
        if self.file.sheet is not None:
            return f"Sheet {shown(self.file.sheet)}; {numbers}."
        if self.file.delimiter is None:
            return "A file of numbers, not of text."
        delimiter = DELIMITERS.get(self.file.delimiter, self.file.delimiter)
        return f"Delimiter: {delimiter}; {numbers}; encoding: {self.file.encoding}."

    def _labels(self) -> str:
        last = self.layout.header_lines
        header = "There is no header line"
        if self.layout.header:
            header = "The first line holds names" if last == 1 else f"The lines up to {last} hold names"
        if self.layout.columns is not None:
            return f"{header}; rows, columns and values are {', '.join(map(shown, self.layout.columns))}."
        first = self.layout.file_columns[:1] == (self.layout.label_column,)
        where = shown(self.layout.label_column or "")
        named = "the first column holds row names" if first else f"row names are in {where}"
        return f"{header}; {named if self.layout.row_labels else 'rows have no names'}."

    def _words(self) -> list[str]:
        roles, names = self.layout.roles, self.layout.file_columns
        styles: dict[Style, list[str]] = {}
        if roles is None and self.layout.style is not None and self.layout.columns is not None:
            styles[self.layout.style] = [self.layout.columns[2]]
        for j in [] if roles is None else roles.of(RATING):
            if roles is not None and (style := roles.columns[j].style):
                styles.setdefault(style, []).append(names[j])
        return [
            f"{first_few([shown(name) for name in where], 4)} {'holds' if len(where) == 1 else 'hold'} {style.name}"
            + ("." if style.template else f": {style.in_words()}.")
            for style, where in styles.items()
        ]

    def _missing(self) -> str:
        missing = self.cells.missing
        if not missing:
            return "No cell is marked as missing."
        tokens = [f"{n:,} {'empty' if not text else shown(text)}" for text, n in missing.items()]
        zero = "counts as missing, as you said" if any(map(_is_zero, missing)) else "is a rating"
        return f"Cells marked as missing: {first_few(tokens, 8)}. Zero {zero}."


def _is_zero(text: str) -> bool:
    digits = [c for c in text if c.isdigit()]
    return bool(digits) and set(digits) == {"0"} and not any(c.isalpha() for c in text)


@dataclass(frozen=True, eq=False)
class Source:
    """The file that was read, and the place of each cell of the matrix in it, for a round trip.

    Attributes
    ----------
    kind : 'text', 'xlsx', 'npy', 'other', or 'none' for ratings that come from no file
    form : 'wide' or 'long'
    grid : all cells of the file, or sheet
    records : (N,) record of each row of a wide table; (n,) record of each line of a long one
    columns : (M,) cell of each column in its record; of a long table the cells that name the row, the column, the value
    styles : (M,) form in which the ratings of each column are written, None for plain numbers; one of a long table
    codes : (nnz,) position in ``grid.texts`` of the text of each rating, -1 for a mean of duplicates
    pairs : rows and columns of the matrix of the lines of a long table, (n,) each
    long_names : names of the row, column and value columns of a long table
    dialect : how a text is written
    data : the file
    sheet, first_column : the sheet that was read, and its first column, counted from 1
    """

    kind: str
    form: str
    grid: Grid
    records: np.ndarray
    columns: tuple[int, ...]
    styles: tuple[Style | None, ...]
    codes: np.ndarray
    pairs: tuple[np.ndarray, np.ndarray] | None = None
    long_names: tuple[str, str, str] = ("row", "column", "value")
    dialect: Dialect = field(default_factory=Dialect)
    data: bytes = field(default=b"", repr=False)
    sheet: str | None = None
    first_column: int = 1


@dataclass(frozen=True, eq=False)
class Table:
    """A table that was read.

    Attributes
    ----------
    ratings : values as written, in rating units; names as text; scale from ``guess_scale``
    report : report on how it was understood
    source : form of the file, to write the table back
    """

    ratings: Ratings
    report: TableReport
    source: Source

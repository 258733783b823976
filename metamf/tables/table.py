"""A table that was read: ratings, report of what was understood, source for a round trip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.tables.limits import Note
from metamf.tables.numbers import NumberFormat
from metamf.tables.options import DELIMITERS
from metamf.tables.roles import ALONE, DESCRIBES, NAME, RATING, Roles
from metamf.tables.text import Loaded
from metamf.tables.words import Style
from metamf.wording import counted, first_few, percent, shown, with_minus


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
            return f"{sentence}; columns with gaps that are left alone: {gaps}. If they are ratings, say so"
        if self.form == "wide" and self.repeated_names:
            return f"{sentence}; row names repeat: if each line is one rating, read it as a long table"
        return sentence

    def _roles(self, roles: Roles) -> list[str]:
        names = self.file_columns
        rated = [shown(names[j]) for j in roles.of(RATING)]
        low, high = (with_minus(f"{end:g}") for end in self.range)
        scale = f"{low} to {high}" if roles.alike else "each in its own unit"
        columns = [f"{shown(names[j])} ({roles.columns[j].why})" for j in roles.of(ALONE)]
        rows = [f"line {line:,} ({why})" for line, why in roles.rows]
        about = first_few([shown(names[j]) for j in roles.of(DESCRIBES)], 12)
        others = first_few([*columns, *rows], 20)
        left = [f"Left alone and written back unchanged: {others}."] if others else []
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

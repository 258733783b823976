"""The report: what was understood of a table, in values for programs and in sentences for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from metamf.tables.options import DELIMITERS
from metamf.tables.reading.notes import Note
from metamf.tables.reading.numerals import NumberFormat
from metamf.tables.reading.roles import ALONE, RATING, Roles
from metamf.tables.reading.words import Style
from metamf.wording import counted, first_few, percent, shown


@dataclass(frozen=True)
class FileFacts:
    """Form of the file.

    Attributes
    ----------
    name : name of the file, as the caller gave it
    delimiter : one of DELIMITERS; None unless the file is a text
    encoding : encoding of the text in words; None unless the file is a text
    sheet : the sheet that was read; None unless the file is a workbook
    sheets : all visible sheets of the workbook
    tables : first and last line, counted from 1, of each table, where several stand under each other
    table : position of the one that was read, counted from 0; None where there is one alone
    """

    name: str
    delimiter: str | None
    encoding: str | None
    sheet: str | None
    sheets: tuple[str, ...]
    tables: tuple[tuple[int, int], ...] = ()
    table: int | None = None


@dataclass(frozen=True)
class LayoutFacts:
    """Places of the names and the ratings.

    Attributes
    ----------
    form : 'wide' or 'long'
    reason : why it was read in this form, as a clause
    header : whether the first line holds names
    row_labels : whether the first column of a wide table holds names
    label_column : name of the column that holds the row names, or None
    columns : names of the row, column and value columns of a long table, or None
    file_columns : names of all columns of the file
    roles : the roles of these columns, and of rows, of a wide table; None for a long one
    row_lines : line of the file of each row that is left alone
    """

    form: str
    reason: str
    header: bool
    row_labels: bool
    label_column: str | None
    columns: tuple[str, str, str] | None
    file_columns: tuple[str, ...]
    roles: Roles | None = None
    row_lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class CellFacts:
    """Content of the cells.

    Attributes
    ----------
    shape : shape (N, M) of the matrix
    observed : number of observed cells
    missing : number of cells that each text made missing, the empty one included, most frequent first
    suspected : numbers that look like missing markers but were read as ratings, with their counts
    duplicates : number of (row, column) pairs given more than once
    duplicate_examples : addresses of the first few of them
    """

    shape: tuple[int, int]
    observed: int
    missing: dict[str, int]
    suspected: tuple[tuple[str, int], ...]
    duplicates: int
    duplicate_examples: tuple[str, ...]


@dataclass(frozen=True)
class TableReport:
    """Account of how a file was understood.

    Attributes
    ----------
    file : delimiter, encoding, sheets
    layout : form, header, names
    numbers : decimal and thousands sign
    cells : size of the matrix, observed and missing cells, duplicates
    notes : oddities that were noticed, and how each was dealt with
    """

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
            f"Read as a {self.layout.form} table: {self.layout.reason}.",
            self._dialect(),
            self._labels(),
            *self._left_alone(),
            *self._words(),
            self._missing(),
            *(note.sentence() for note in self.notes),
        ]

    def _dialect(self) -> str:
        numbers = "decimal comma" if self.numbers.decimal == "," else "decimal point"
        if self.numbers.thousands:
            numbers += f", thousands sign {shown(self.numbers.thousands)}"
        if self.file.sheet is not None:
            return f"Sheet {shown(self.file.sheet)}; {numbers}."
        if self.file.delimiter is None:
            return "A matrix saved by NumPy."
        delimiter = DELIMITERS.get(self.file.delimiter, self.file.delimiter)
        return f"Delimiter: {delimiter}; {numbers}; encoding: {self.file.encoding}."

    def _labels(self) -> str:
        header = "The first line holds names" if self.layout.header else "There is no header line"
        if self.layout.columns is not None:
            return f"{header}; rows, columns and values are {', '.join(map(shown, self.layout.columns))}."
        first = self.layout.file_columns[:1] == (self.layout.label_column,)
        where = shown(self.layout.label_column or "")
        named = "the first column holds row names" if first else f"row names are in {where}"
        return f"{header}; {named if self.layout.row_labels else 'rows have no names'}."

    def _left_alone(self) -> list[str]:
        roles, names = self.layout.roles, self.layout.file_columns
        if roles is None:
            return []
        columns = [f"{shown(names[j])} ({roles.columns[j].why})" for j in roles.of(ALONE)]
        rows = [f"line {line:,} ({role.why})" for line, (_, role) in zip(self.layout.row_lines, roles.rows)]
        return [f"Left alone, and written as read: {first_few([*columns, *rows], 12)}."] if columns or rows else []

    def _words(self) -> list[str]:
        roles, names = self.layout.roles, self.layout.file_columns
        if roles is None:
            return []
        styles: dict[Style, list[str]] = {}
        for j in roles.of(RATING):
            if style := roles.columns[j].style:
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

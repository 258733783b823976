"""Statements that a caller may make about a table before it is read."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from metamf.tables.limits import WEB, Limits, TableError

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "space", "::": "double colon"}
ENCODINGS = (
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1", "iso8859-15", "cp1250"),
    *("iso8859-2", "cp1251", "koi8-r", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp437", "cp850", "mac-roman"),
    *("shift_jis", "euc_jp", "euc_kr", "gb18030", "big5"),
)
ALL_NUMBERS = "all-numbers"  # as a column in ``ratings``: every column of numbers


@dataclass(frozen=True)
class ReadOptions:
    """Knowledge about a table; the reader guesses what is None or 'auto', and the report says what was guessed.

    Parameters
    ----------
    form : 'wide' (one line per row of the matrix), 'long' (one line per rating) or 'auto'
    delimiter : one of DELIMITERS
    decimal : '.' or ','; '.,' or ',.' where both are decimal signs, of which the first is written
    thousands : '' (none), ',', '.', ' ' or "'"
    encoding : one of ENCODINGS
    header : whether the first line holds names
    header_lines : number of lines of the file above the data, with titles, names and units; 0 means no header
    row_labels : whether the first column of a wide table holds names
    row_column, column_column, value_column : columns of a long table, by name or by position, counted from 0; several
        that name a row together as a tuple
    missing_markers : further texts or numbers that mean "missing"; numbers are compared by value: '99' is '99.00';
        in one column alone as 'COLUMN=99'
    number_in : texts of which the number inside counts, such as '~4' or 'about 5'
    zero_is_missing : whether zero means "missing"; otherwise it is a rating like any other
    duplicates : rule for a (row, column) pair with several values: 'refuse', 'mean', 'last' or 'first'
    sheet : name of the sheet of an Excel file, or its position, counted from 0
    names : columns of a wide table that hold the names of its rows, by name or by position, counted from 0
    ratings : columns of a wide table that hold ratings, whatever they look like; 'all-numbers' stands for every column
        of numbers that holds no identifiers, years, totals, numbers of the rows or one value only
    describes : columns of a wide table that describe its rows, such as an age or a class; numbers or words
    leave_alone : columns of a wide table that are not ratings; they are written as they were read
    leave_rows, keep_rows : rows of a wide table that are not ratings, such as averages, and rows that are, whatever
        they look like; by name, or by the line of the file, counted from 1; keep_rows also in a long table
    words : scales of words, each a tuple of its words, the lowest first; each holds for all columns with its words
    limits : largest sizes that the table may have

    Raises TableError if an option has another value than these.
    """

    form: str = "auto"
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    header: bool | str = "auto"
    header_lines: int | None = None
    row_labels: bool | str = "auto"
    row_column: str | int | tuple[str | int, ...] | None = None
    column_column: str | int | None = None
    value_column: str | int | None = None
    missing_markers: tuple[str | float, ...] = ()
    number_in: tuple[str, ...] = ()
    zero_is_missing: bool = False
    duplicates: str = "refuse"
    sheet: str | int | None = None
    names: tuple[str | int, ...] = ()
    ratings: tuple[str | int, ...] = ()
    describes: tuple[str | int, ...] = ()
    leave_alone: tuple[str | int, ...] = ()
    leave_rows: tuple[str | int, ...] = ()
    keep_rows: tuple[str | int, ...] = ()
    words: tuple[tuple[str, ...], ...] = ()
    limits: Limits = WEB

    def __post_init__(self) -> None:
        for name, allowed in (
            ("form", ("auto", "wide", "long")),
            ("delimiter", (None, *DELIMITERS)),
            ("decimal", (None, ".", ",", ".,", ",.")),
            ("thousands", (None, "", ",", ".", " ", "'")),
            ("encoding", (None, *ENCODINGS)),
            ("header", ("auto", True, False)),
            ("row_labels", ("auto", True, False)),
            ("duplicates", ("refuse", "mean", "last", "first")),
        ):
            if getattr(self, name) not in allowed:
                raise TableError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {getattr(self, name)!r}")
        if self.header_lines is not None and not (type(self.header_lines) is int and self.header_lines >= 0):
            raise TableError(f"header_lines must be a number of lines, 0 or more, got {self.header_lines!r}")
        if self.decimal is not None and self.decimal == self.thousands:
            raise TableError(f"decimal and thousands sign cannot both be {self.decimal!r}")
        for name in (several.name for several in fields(self) if several.default == () and several.name != "words"):
            value = getattr(self, name)
            object.__setattr__(self, name, (value,) if isinstance(value, (str, int, float)) else tuple(value))
        words = (self.words,) if self.words and all(isinstance(word, str) for word in self.words) else self.words
        object.__setattr__(self, "words", tuple(tuple(scale) for scale in words))
        for scale in self.words:
            if len(set(scale)) < max(2, len(scale)):
                raise TableError(f"a scale of words needs two different words at least, lowest first, got {scale!r}")

    def with_answer(self, option: str, values: tuple) -> ReadOptions:
        """These options and one more statement: further values of an option that has several, or another value; of
        ``columns`` those that name row and column of a long table, and the values."""
        if option == "columns":
            row, column, value = values
            return replace(self, row_column=row, column_column=column, value_column=value)
        before: Any = getattr(self, option)
        stated: dict[str, Any] = {option: (*before, *values) if isinstance(before, tuple) else values[0]}
        return replace(self, **stated)

"""What a caller may say before a table is read: limits and overrides. And the one error that reading raises."""

from __future__ import annotations

from dataclasses import dataclass

from metamf.tables.limits import WEB, Limits, TableError

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "space", "::": "double colon"}
ENCODINGS = (
    "utf-8",
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "cp1252",
    "latin-1",
    "iso8859-15",
    "cp1250",
    "iso8859-2",
    "cp1251",
    "koi8-r",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "cp1257",
    "cp437",
    "cp850",
    "mac-roman",
    "shift_jis",
    "euc_jp",
    "euc_kr",
    "gb18030",
    "big5",
)


@dataclass(frozen=True)
class ReadOptions:
    """What the user knows about the table; whatever is None or 'auto' is guessed, and the report says what was guessed.

    form : 'wide' (one line per row of the matrix), 'long' (one line per rating) or 'auto'
    delimiter : one of DELIMITERS;  encoding : one of ENCODINGS
    decimal : '.' or ',';  thousands : '' (none), ',', '.', ' ' or "'"
    header : the first line holds names;  row_labels : the first column of a wide table holds names
    row_column, column_column, value_column : of a long table, by name or by position from 0
    missing_markers : further texts or numbers that mean "missing"; a number is matched by value: '99' finds '99.00'
    zero_is_missing : zero is a rating like any other unless this is True
    duplicates : what to do if a (row, column) pair has several values: 'refuse', 'mean', 'last' or 'first'
    sheet : name of the sheet of an Excel file, or its position from 0
    """

    form: str = "auto"
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    header: bool | str = "auto"
    row_labels: bool | str = "auto"
    row_column: str | int | None = None
    column_column: str | int | None = None
    value_column: str | int | None = None
    missing_markers: tuple[str | float, ...] = ()
    zero_is_missing: bool = False
    duplicates: str = "refuse"
    sheet: str | int | None = None
    limits: Limits = WEB

    def __post_init__(self):
        for name, allowed in (
            ("form", ("auto", "wide", "long")),
            ("delimiter", (None, *DELIMITERS)),
            ("decimal", (None, ".", ",")),
            ("thousands", (None, "", ",", ".", " ", "'")),
            ("encoding", (None, *ENCODINGS)),
            ("header", ("auto", True, False)),
            ("row_labels", ("auto", True, False)),
            ("duplicates", ("refuse", "mean", "last", "first")),
        ):
            if getattr(self, name) not in allowed:
                raise TableError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {getattr(self, name)!r}")
        if self.decimal is not None and self.decimal == self.thousands:
            raise TableError(f"decimal and thousands sign cannot both be {self.decimal!r}")
        if isinstance(self.missing_markers, (str, int, float)):
            object.__setattr__(self, "missing_markers", (self.missing_markers,))

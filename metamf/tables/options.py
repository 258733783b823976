"""What a caller may say before a table is read: limits and overrides. And the one error that reading raises."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass

MIB = 2**20
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "space", "::": "double colon"}
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1", "iso8859-15",
             "cp1250", "iso8859-2", "cp1251", "koi8-r", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp437",
             "cp850", "mac-roman", "shift_jis", "euc_jp", "euc_kr", "gb18030", "big5")  # fmt: skip


class TableError(ValueError):
    """A table that cannot be read or written: one friendly sentence that names the value and says what to do.

    sheets, columns : what there is to choose from in the file, as far as it was understood
    markers : a text that may well mean "missing"
    """

    sheets: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()


@contextmanager
def offering(**choices: tuple[str, ...]):
    """A TableError raised within tells the ``sheets`` or ``columns`` that there are to choose from."""
    try:
        yield
    except TableError as error:
        vars(error).update({name: value for name, value in choices.items() if name not in vars(error)})
        raise


@dataclass(frozen=True)
class Limits:
    """How large a table may be. Past a limit the whole table is refused; nothing is ever cut off in silence.

    bytes : size of the file as it arrives
    expanded : size of what a .gz, .xlsx or .npz unpacks to, checked before or while it is unpacked
    rows : lines of the file
    columns : cells of one line, and columns of the matrix
    cells : cells of the file
    matrix_rows : rows of the matrix, each of which takes some kilobytes of memory while it is filled in
    matrix : rows x columns of the matrix: what an imputation fills, where all of it is filled
    workbook_cells : cells of an Excel sheet, which is about twenty times slower to read than text
    """

    bytes: int = 32 * MIB
    expanded: int = 64 * MIB
    rows: int = 1_500_000
    columns: int = 20_000
    cells: int = 6_000_000
    matrix_rows: int = 200_000
    matrix: int = 5_500_000
    workbook_cells: int = 500_000

    def sentence(self) -> str:
        """The limits in words, to be shown before anybody uploads."""
        cells = f" and {self.matrix:,} cells" if self.matrix < self.matrix_rows * self.columns else ""
        return (
            f"Files up to {in_mib(self.bytes)} ({in_mib(self.expanded)} unpacked), {self.rows:,} lines, "
            f"{self.columns:,} columns and {self.cells:,} cells (Excel: {self.workbook_cells:,}); a matrix of up to "
            f"{self.matrix_rows:,} rows{cells}."
        )

    def check_matrix(self, n_rows: int, n_cols: int) -> None:
        """Raises TableError if a matrix of ``n_rows`` x ``n_cols`` is above the limits."""
        for size, limit, what in ((n_rows, self.matrix_rows, "rows"), (n_cols, self.columns, "columns")):
            if size > limit:
                raise TableError(f"the table has {size:,} {what}; the limit is {limit:,}: take a part of it")
        if n_rows * n_cols > self.matrix:
            raise TableError(
                f"the matrix has {n_rows:,} rows x {n_cols:,} columns = {n_rows * n_cols:,} cells to fill; "
                f"the limit is {self.matrix:,}: take a part of it"
            )


WEB = Limits()
WINDOW = Limits(matrix=200_000 * 20_000)  # where a window of the matrix is filled, and no N x M array is built
COMMAND_LINE = Limits(1024 * MIB, 4096 * MIB, 50_000_000, 1_000_000, 200_000_000, 50_000_000, 200_000_000, 20_000_000)


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


def count(n: int, what: str) -> str:
    """'1 row', '2,000 rows'."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def in_mib(size: int) -> str:
    return f"{size / MIB:,.0f} MB" if size >= MIB else f"{size / 1024:,.1f} kB"


def shown(text: str) -> str:
    """``text`` in quotation marks for a message: at most 40 characters, none that a terminal could obey."""
    text = text if len(text) <= 40 else text[:37] + "..."
    return '"' + "".join(c if c.isprintable() else repr(c)[1:-1] for c in text) + '"'


def listed(items: list[str], at_most: int = 3) -> str:
    """A few of ``items`` for a message, with how many more there are."""
    more = len(items) - at_most
    return ", ".join(items[:at_most]) + (f" and {more:,} more" if more > 0 else "")

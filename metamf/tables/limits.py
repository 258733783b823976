"""How large a table may be, and the error that names what a table does wrong."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass

from metamf.wording import MIB, in_mib


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

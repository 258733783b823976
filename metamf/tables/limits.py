"""How large a table may be, and the error for a table that cannot be read or written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from metamf.wording import MIB

# Bytes of a process that reads and fills in a table: at rest, and of a cell, measured with 5.4
# million of them
_AT_REST, _OF_A_CELL = 400 * MIB, 220
_FEWEST = 200_000  # cells that are read with any memory


class TableError(ValueError):
    """A table that cannot be read or written; one sentence that names the value and says what to
    do."""


@dataclass(frozen=True)
class Limits:
    """How large a table may be, by default on a server of two cores and some gigabytes of memory.
    Beyond a limit it is refused as a whole; nothing is cut off in silence."""

    bytes: int = 32 * MIB  # of the file as it arrives
    expanded: int = 64 * MIB  # of what an archive unpacks to, checked before or meanwhile
    rows: int = 1_500_000  # lines of the file
    columns: int = 20_000  # cells of one line, and columns of the matrix
    cells: int = 6_000_000  # of the file
    matrix_rows: int = 200_000  # each takes some kilobytes of memory while it is filled in
    matrix: int = 5_500_000  # cells, where all of it is filled in
    workbook_cells: int = 500_000  # of all sheets, which take far longer to read than text

    def within(self, memory: int) -> Limits:
        """The limits where a process of ``memory`` bytes reads and fills in a table; the same where
        that is enough."""
        most = max(_FEWEST, (memory - _AT_REST) // _OF_A_CELL)
        matrix = min(self.matrix, most) if self._whole else self.matrix
        return replace(self, cells=min(self.cells, most), matrix=matrix)

    @property
    def _whole(self) -> bool:
        """Whether all of the matrix is filled in."""
        return self.matrix < self.matrix_rows * self.columns

    def check_matrix(self, n_rows: int, n_cols: int) -> None:
        """Raises TableError if a matrix of ``n_rows`` x ``n_cols`` exceeds the limits."""
        size = f"{n_rows:,} rows x {n_cols:,} columns = {n_rows * n_cols:,} cells to fill"
        for n, limit, what in (
            (n_rows, self.matrix_rows, f"the table has {n_rows:,} rows"),
            (n_cols, self.columns, f"the table has {n_cols:,} columns"),
            (n_rows * n_cols, self.matrix, f"the matrix has {size}"),
        ):
            if n > limit:
                raise TableError(f"{what}, above the limit of {limit:,}: split it")


WEB = Limits()
WINDOW = Limits(matrix=200_000 * 20_000)  # for pages that fill in a window of the matrix
_MILLION = 1_000_000
COMMAND_LINE = Limits(
    bytes=1024 * MIB,
    expanded=4096 * MIB,
    rows=50 * _MILLION,
    columns=_MILLION,
    cells=200 * _MILLION,
    matrix_rows=50 * _MILLION,
    matrix=200 * _MILLION,
    workbook_cells=20 * _MILLION,
)

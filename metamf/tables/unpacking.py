"""What a file unpacks to, bounded before a library unpacks it: few bytes may stand for gigabytes.

An archive announces its members, the XML of a workbook its cells, repeats and merged cells, and
the header of another file its lines. Where nothing announces the size, as in Feather, memory is
limited instead (Linux).
"""

from __future__ import annotations

import io
import threading
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from xml.parsers import expat

from metamf.tables.limits import Limits, TableError
from metamf.wording import MIB, in_mib

MOST_MEMBERS = 10_000  # of an archive; a workbook has some for each sheet and picture
_MEMBER = b"PK\x01\x02"  # begins the entry of each member in the directory of an archive
_MARKUP = 12  # tags of a cell, at most, on average: its value, formula and rich text, and styles
_WIDE = 64 * MIB  # of memory for what a library needs besides
_limiting = threading.Lock()


def members_of(data: bytes, limits: Limits) -> list[zipfile.ZipInfo]:
    """The members of a zip archive, beyond whose announced sizes zipfile never unpacks.

    Raises TableError if they are more than ``MOST_MEMBERS``, or announce more than
    ``limits.expanded`` bytes.
    """
    announced = data.count(_MEMBER)
    if announced > MOST_MEMBERS:
        raise TableError(
            f"the file is an archive of {announced:,} members, above the limit of "
            f"{MOST_MEMBERS:,}: "
            "save the table alone"
        )
    members = zipfile.ZipFile(io.BytesIO(data)).infolist()
    check_size(sum(member.file_size for member in members), limits)
    return members


def check_size(size: int, limits: Limits) -> None:
    """Raises TableError if something unpacks to more than ``limits.expanded`` bytes."""
    if size > limits.expanded:
        raise TableError(
            f"the file unpacks to {in_mib(size)}, above the limit of {in_mib(limits.expanded)}: "
            "split the table"
        )


def check_cells(kind: str, rows: int, columns: int, limits: Limits) -> None:
    """Raises TableError if the header of a file announces more than ``limits.cells`` cells."""
    if rows * columns > limits.cells or columns > limits.columns + 1:
        raise TableError(
            f"the {kind} file has {rows:,} rows and {columns:,} columns, above the limit of "
            f"{limits.cells:,} cells and {limits.columns:,} columns: split it"
        )


def check_workbook(data: bytes, limits: Limits) -> None:
    """Raises TableError if an .xlsx or .ods unfolds to more than ``limits.workbook_cells`` cells.

    Cells and lines count, each as often as it is repeated, and all cells of an area that is merged
    or linked, or of a table without columns, which a copy of the workbook holds one by one. Of an
    .ods a sheet counts as a rectangle.
    """
    count = _Cells(limits.workbook_cells)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            xml = archive.read(name)
            if xml.count(b"<") > _MARKUP * limits.workbook_cells:
                count.add(limits.workbook_cells + 1)
            parser = expat.ParserCreate()
            parser.StartElementHandler = count.start
            parser.EndElementHandler = count.end
            with suppress(expat.ExpatError):  # a picture, or damaged: the library will say so
                parser.Parse(xml, True)


class _Cells:
    """Counts the cells of a workbook while expat reads its parts."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._cells = 0  # of the workbook
        self._table = 0  # of a table of Excel that has not said what its columns are
        # of the sheet of an .ods
        self._lines = 0
        self._width = 0
        # of its line
        self._blank = 0
        self._filled = 0
        self._repeated = 1
        self._repeat = 0  # of its cell, while that may be blank

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name in ("c", "row"):
            self.add(1)
        elif name in ("mergeCell", "hyperlink"):
            self.add(_area(attributes.get("ref", "")))
        elif name == "table" and "ref" in attributes:
            self._table = _area(attributes["ref"])
        elif name == "tableColumn":
            self._table = 0
        elif name == "table-row":
            self._repeated = _number(attributes, "number-rows-repeated")
            self._blank = self._filled = 0
        elif name in ("table-cell", "covered-table-cell"):
            self._repeat = _number(attributes, "number-columns-repeated")
            self.add(1)
            if any(":value" in key or key.endswith("-value") for key in attributes):
                self._fill()
        elif self._repeat:
            self._fill()

    def end(self, tag: str) -> None:
        name = tag.rpartition(":")[2]
        if name == "table":
            self.add(self._table)
            self._table = self._lines = self._width = 0
        elif name in ("table-cell", "covered-table-cell"):
            self._blank += self._repeat
            self._repeat = 0
        elif name == "table-row":
            self._lines += self._repeated
            self._width = max(self._width, self._filled)
            self._check(self._lines * self._width if self._filled else 0)

    def _fill(self) -> None:
        """The cell that has begun is not blank, so those before it are held, too."""
        self._filled += self._blank + self._repeat
        self._blank = self._repeat = 0

    def add(self, cells: int) -> None:
        self._cells += cells
        self._check(self._cells)

    def _check(self, cells: int) -> None:
        if cells > self._most:
            raise TableError(
                f"the workbook has more than {self._most:,} cells, which is the limit and counts "
                "repeated, merged and linked cells and blank ones before others: split it, or save "
                "the sheet as CSV"
            )


def _number(attributes: dict[str, str], name: str) -> int:
    """The value of an attribute of any prefix; 1 without it."""
    found = (value for key, value in attributes.items() if key.rpartition(":")[2] == name)
    text = next(found, "1")
    return int(text) if text.isascii() and text.isdigit() else 1


def _area(reference: str) -> int:
    """The cells of an area such as A1:C9; 1 for a single cell."""
    from openpyxl.utils import range_boundaries

    try:
        left, top, right, bottom = range_boundaries(reference)
        return (1 + abs(right - left)) * (1 + abs(bottom - top))
    except (ValueError, TypeError):
        return 1


def counted(
    records: Iterable[tuple[int, list[str]]], limits: Limits
) -> Iterator[tuple[int, list[str]]]:
    """The records, each a line and its texts.

    Raises TableError once their texts are more than ``limits.expanded`` characters: a file may
    hold a long text once and name it in many cells, which all have to be written.
    """
    size = 0
    for line, texts in records:
        size += sum(map(len, texts))
        check_size(size, limits)
        yield line, texts


@contextmanager
def limited_memory(limits: Limits) -> Iterator[None]:
    """Limits the memory of the process, within this context, to what a file may unpack to.

    Raises TableError where an allocation fails for it. On other systems than Linux nothing is
    limited.
    """
    try:
        import resource
        from pathlib import Path

        status = Path("/proc/self/status").read_text("ascii")
    except (ImportError, OSError):
        yield
        return
    taken = 1024 * int(status.partition("VmData:")[2].split()[0])
    with _limiting:
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = taken + 2 * limits.expanded + _WIDE
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
        try:
            yield
        except MemoryError as error:
            raise TableError(
                f"the file unpacks to more than the limit of {in_mib(limits.expanded)}: "
                "split the table"
            ) from error
        finally:
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))

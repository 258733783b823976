"""Files that are not text -> a grid of texts: Excel, OpenDocument, NumPy, Parquet, Feather, Stata
and SPSS.

Nothing in such a file is ever executed: formulas are not evaluated (their stored values are read),
NumPy files that hold Python objects are refused, and pickles are never opened. What a file unpacks
to is bounded before it is unpacked (``unpacking``); blank lines and columns in front of a far cell
of a workbook count, too.
"""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any

import numpy as np
import pandas as pd

from metamf.tables.limits import Limits, TableError
from metamf.tables.numerals import is_number_like
from metamf.tables.scales import KNOWN, plain_word
from metamf.tables.text import Grid, Loaded, build_grid
from metamf.tables.unpacking import (
    check_cells,
    check_size,
    check_workbook,
    counted,
    limited_memory,
    members_of,
)
from metamf.wording import first_few, shown

Record = tuple[int, list[str]]  # its line, counted from 1, and the texts of its cells

_MAGIC = (  # first bytes, and kind
    (rb"\x1f\x8b", "gzip"),
    (rb"PK(?:\x03\x04|\x05\x06)", "zip"),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "xls"),
    (rb"\x93NUMPY", "npy"),
    (rb"PAR1", "Parquet"),
    (rb"ARROW1", "Feather"),
    (rb"<stata_dta>|[\x6e-\x73][\x01\x02]\x01\x00", "Stata"),  # versions from 110 to 115
    (rb"\$FL[23]", "SPSS"),
    (rb"\x80[\x02-\x05]", "pickle"),
)
_REFUSED = {
    "gzip": "the file is compressed twice with gzip: unpack it once",
    "pickle": "the file is a Python pickle, which is never opened: save it as CSV or Parquet",
}
_LIBRARIES = {
    "Parquet": "pyarrow",
    "Feather": "pyarrow",
    "SPSS": "pyreadstat",
    "ods": "odfpy",
}
_NAMES = {"zip": "Excel or zip", "ods": "OpenDocument"}
_PART = 10_000  # lines of a Stata file that are read at a time
_MOST_BLANK = 1000  # lines in a row, after which a sheet is at its end


def kind_of(data: bytes) -> str:
    """'gzip', 'zip' (.xlsx, .ods, .npz), 'xls', 'npy', another kind by its name, or 'text' for
    everything else."""
    return next((kind for magic, kind in _MAGIC if re.match(magic, data)), "text")


def load_binary(data: bytes, kind: str, limits: Limits, sheet: str | None = None) -> Loaded:
    """The grid of a file that is not text; TableError if it is damaged, too large, or of a kind
    that is not read."""
    if kind in _REFUSED:
        raise TableError(_REFUSED[kind])
    try:
        if kind == "zip":
            kind = _kind_of_zip(data, limits)
        if kind in _WORKBOOKS:
            if kind != "xls":
                check_workbook(data, limits)
            return _sheet_to_read(_WORKBOOKS[kind](data), kind, sheet, limits, data)
        frame = _frame_of(data, kind, limits)
        header = [] if kind == "npy" else [list(map(str, frame.columns))]
        records = chain(
            header, (list(map(_text, row)) for row in frame.itertuples(index=False, name=None))
        )
        grid = build_grid(counted(enumerate(records, 1), limits), limits, limits.cells)
        return Loaded(grid, kind.casefold())
    except TableError:
        raise
    except ImportError as error:
        name = _NAMES.get(kind, kind)
        raise TableError(
            f"reading a {name} file requires the library {_LIBRARIES.get(kind)}: install it, or "
            "save the table as CSV or .xlsx"
        ) from error
    except Exception as error:  # the errors of the libraries depend on where the damage is
        other = (
            "cut off, or holds Python objects, which are never read"
            if kind == "npy"
            else "protected by a password"
        )
        name = _NAMES.get(kind, kind)
        remedy = "save it again in the program that made it, or as CSV"
        raise TableError(f"the {name} file is damaged, or {other}: {remedy}") from error


def _kind_of_zip(data: bytes, limits: Limits) -> str:
    """The kind of table in it; TableError if its directory announces too much, beyond which zipfile
    never unpacks."""
    names = [member.filename for member in members_of(data, limits)]
    if "xl/workbook.xml" in names:
        return "xlsx"
    if "content.xml" in names and "mimetype" in names:
        return "ods"
    if names and all(name.endswith(".npy") for name in names):
        return "npy"
    raise TableError(
        "the file is a zip archive, but not an Excel workbook: unpack it and use the table inside"
    )


def _frame_of(data: bytes, kind: str, limits: Limits) -> pd.DataFrame:
    """The data frame, or the matrix, in a file; TableError if it is beyond the limits."""
    if kind == "npy":
        X = np.load(io.BytesIO(data), allow_pickle=False)
        if isinstance(X, np.lib.npyio.NpzFile):
            if len(X) > 1:
                raise TableError(
                    f"the .npz file holds {len(X)} arrays: save only the rating matrix"
                )
            (X,) = X.values()
        if X.ndim != 2 or X.size == 0:
            raise TableError(
                f"the .npy file holds an array of shape {X.shape}: a rating matrix has rows and "
                "columns"
            )
        check_cells(kind, len(X), X.shape[1], limits)
        return pd.DataFrame(X)
    if kind == "Stata":
        return _stata(data, limits)
    if kind == "SPSS":
        return _spss(data, limits)
    return _arrow(data, kind, limits)


def _arrow(data: bytes, kind: str, limits: Limits) -> pd.DataFrame:
    """The data frame of a Parquet or Feather file. Its texts are written out here, where memory is
    limited: columns may name one text in many cells."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    file_format = ds.ParquetFileFormat() if kind == "Parquet" else ds.IpcFileFormat()
    pool = pa.system_memory_pool()  # which asks the system for each large piece of memory
    with limited_memory(limits):
        fragment = file_format.make_fragment(io.BytesIO(data))
        check_cells(kind, fragment.count_rows(), len(fragment.physical_schema), limits)
        table = fragment.to_table(use_threads=False, memory_pool=pool)
        size = 0
        for j, name in enumerate(table.column_names):
            column = table.column(j)
            if pa.types.is_run_end_encoded(column.type):
                column = pc.run_end_decode(column, memory_pool=pool)
            of_cells = column.type
            if pa.types.is_dictionary(of_cells):
                of_cells = of_cells.value_type
            if pa.types.is_string(of_cells) or pa.types.is_string_view(of_cells):
                of_cells = pa.large_string()
            column = pc.cast(column, of_cells, memory_pool=pool)
            if pa.types.is_large_string(of_cells):
                size += pc.sum(pc.binary_length(column)).as_py() or 0
                check_size(size, limits)
            table = table.set_column(j, name, column)
    return table.to_pandas()


def _stata(data: bytes, limits: Limits) -> pd.DataFrame:
    """The data frame, read in parts, since only reading tells how many lines there are."""
    parts: list[pd.DataFrame] = []
    rows = 0
    with pd.read_stata(io.BytesIO(data), convert_categoricals=False, chunksize=_PART) as reader:
        for part in reader:
            rows += len(part)
            check_cells("Stata", rows, part.shape[1], limits)
            parts.append(part)
    return pd.concat(parts)


def _spss(data: bytes, limits: Limits) -> pd.DataFrame:
    """The data frame, of which a line takes as many bytes as its columns are wide."""
    import pyreadstat

    with tempfile.NamedTemporaryFile(suffix=".sav") as file:
        file.write(data)
        file.flush()
        _, about = pyreadstat.read_sav(file.name, metadataonly=True)
        columns = len(about.column_names)
        width = max(1, sum(about.variable_storage_width.values()))
        # the header may not tell how many lines there are
        most = max(1, min(limits.cells // max(1, columns), limits.expanded // width))
        frame = pyreadstat.read_sav(file.name, row_limit=most + 1)[0]
    check_cells("SPSS", len(frame), columns, limits)
    check_size(len(frame) * width, limits)
    return frame


def _xlsx(data: bytes) -> dict[str, Iterator[Record]]:
    """The rows of each visible sheet. Formulas count as their stored values; one without a value is
    a text of its own, since its cell is not empty."""
    import openpyxl

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        calculated = any(b"<f" in archive.read(name) for name in parts)

    def book(data_only: bool) -> Any:
        how = {"read_only": True, "data_only": data_only, "keep_links": False}
        return openpyxl.load_workbook(io.BytesIO(data), **how)

    books = [book(True), book(False)] if calculated else [book(True)]

    def rows(title: str) -> Iterator[Record]:
        for each in books:
            each[title].reset_dimensions()  # the size that a sheet states may be wrong
        formulas = books[1][title].iter_rows() if calculated else repeat(())
        for line, (row, behind) in enumerate(zip(books[0][title].iter_rows(), formulas), 1):
            texts = [_text(cell.value) for cell in row]
            for j, (cell, formula) in enumerate(zip(row, behind)):
                blank = cell.value is None and cell.data_type != "str"  # "str": empty text
                if blank and formula.data_type == "f":
                    texts[j] = str(formula.value)
            yield line, texts

    visible = [s.title for s in books[0].worksheets if s.sheet_state == "visible"]
    return {title: rows(title) for title in visible}


def _xls(data: bytes) -> dict[str, Iterator[Record]]:
    """The rows of each sheet of a workbook of Excel 97 to 2003."""
    import xlrd

    book = xlrd.open_workbook(
        file_contents=data, on_demand=True, ragged_rows=True, logfile=io.StringIO()
    )

    def text(cell: Any) -> str:
        if cell.ctype == xlrd.XL_CELL_ERROR:
            return xlrd.error_text_from_code.get(cell.value, "#N/A")
        if cell.ctype == xlrd.XL_CELL_DATE:
            return str(xlrd.xldate_as_datetime(cell.value, book.datemode))
        return _text(bool(cell.value) if cell.ctype == xlrd.XL_CELL_BOOLEAN else cell.value)

    def rows(title: str) -> Iterator[Record]:
        sheet = book.sheet_by_name(title)
        return ((i + 1, [text(cell) for cell in sheet.row(i)]) for i in range(sheet.nrows))

    return {title: rows(title) for title in book.sheet_names()}


def _ods(data: bytes) -> dict[str, Iterator[Record]]:
    """The rows of each sheet of a spreadsheet of LibreOffice."""
    how: dict[str, Any] = {"header": None, "dtype": object, "keep_default_na": False}
    frames = pd.read_excel(io.BytesIO(data), sheet_name=None, engine="odf", **how)

    def rows(frame: pd.DataFrame) -> Iterator[Record]:
        return ((line, list(map(_text, row))) for line, row in enumerate(frame.to_numpy(), 1))

    return {title: rows(frame) for title, frame in frames.items()}


_WORKBOOKS = {"xlsx": _xlsx, "xls": _xls, "ods": _ods}


def _sheet_to_read(
    sheets: dict[str, Iterator[Record]], kind: str, wanted: str | None, limits: Limits, data: bytes
) -> Loaded:
    """The sheet that is wanted, by its name or its number; else the first with two lines of
    ratings; else the first that is not empty. All are counted, since a copy has them, too."""
    titles = list(sheets)
    if not titles:
        raise TableError("the workbook has no visible sheet with cells")
    if wanted is not None and wanted not in titles:
        wanted = _numbered(wanted, titles)
    left = limits.workbook_cells
    found = None
    settled = False
    for title in sorted(titles, key=lambda title: title != wanted):
        rows = list(_bounded(sheets[title], limits, left))
        left -= sum(1 + len(texts) for _, texts in rows) + _MOST_BLANK
        if not rows or settled or wanted not in (None, title):
            continue
        spans = [np.flatnonzero(list(map(bool, texts))) for _, texts in rows if texts]
        margin = min(int(span[0]) for span in spans)
        end = max(int(span[-1]) + 1 for span in spans)
        records = ((line, texts[margin:end]) for line, texts in rows)
        grid = build_grid(records, limits, limits.workbook_cells)
        settled = _has_ratings(grid)
        if settled or found is None:
            found = title, grid, margin + 1
    if found is None:
        name = shown(wanted or titles[0])
        raise TableError(f"sheet {name} is empty: choose the sheet that holds the table")
    title, grid, first = found
    kept = data if kind == "xlsx" else b""
    return Loaded(grid, kind, kept, sheet=title, sheets=tuple(titles), first_column=first)


def _numbered(wanted: str, titles: list[str]) -> str:
    """The sheet of a number, counted from 1."""
    if wanted.isdecimal() and 0 < int(wanted) <= len(titles):
        return titles[int(wanted) - 1]
    have = first_few([shown(title) for title in titles], 10)
    raise TableError(f"the workbook has no sheet {wanted!r}; its sheets are {have}")


def _bounded(rows: Iterator[Record], limits: Limits, left: int) -> Iterator[Record]:
    """The rows up to the last one before many blank ones; TableError beyond ``left`` cells, blank
    ones included."""
    blank: list[Record] = []
    for line, texts in counted(rows, limits):
        left -= 1 + len(texts)
        if left < 0:
            raise TableError(
                f"the workbook has more than {limits.workbook_cells:,} cells, which is the limit "
                "and counts blank "
                "cells before others: split it, or save the sheet as CSV"
            )
        if any(texts):
            yield from blank
            blank.clear()
            yield line, texts
        else:
            blank.append((line, []))
            if len(blank) > _MOST_BLANK:
                return


def _has_ratings(grid: Grid) -> bool:
    """Whether two lines hold two numbers or words of a scale each, unlike those of a cover or a key
    to questions."""
    words = {word for scale in KNOWN for word in scale}
    rated = [is_number_like(text) or plain_word(text) in words for text in grid.texts]
    line = np.repeat(np.arange(len(grid.lines)), grid.widths)
    return bool((np.bincount(line, np.array(rated)[grid.codes]) >= 2).sum() >= 2)


def _text(value: Any) -> str:
    """The text of a cell: numbers with all their digits, whole numbers without a point."""
    if pd.isna(value) is True:
        return ""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)

"""Files that are not text -> a grid of texts: Excel, OpenDocument, NumPy, Parquet, Feather, Stata and SPSS.

Nothing in such a file is ever executed: formulas are not evaluated (their stored values are read), NumPy files that
hold Python objects are refused, and pickles are never opened. What a zip archive unpacks to, and the cells of a data
frame, are counted before they are unpacked; blank lines and columns in front of a far cell of a workbook count, too.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any

import numpy as np
import pandas as pd

from metamf.tables.limits import Limits, Note, TableError, offering
from metamf.tables.numbers import is_number_like
from metamf.tables.options import ReadOptions
from metamf.tables.text import Grid, Loaded, build_grid
from metamf.tables.words import KNOWN, plain_word
from metamf.wording import first_few, in_mib, shown

Record = tuple[int, list[str]]  # its line, counted from 1, and the texts of its cells

_MAGIC = (  # first bytes, and kind
    (b"\x1f\x8b", "gzip"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "xls"),
    (b"\x93NUMPY", "npy"),
    (b"PAR1", "Parquet"),
    (b"ARROW1", "Feather"),
    (b"<stata_dta>", "Stata"),
    *((bytes([version, order]) + b"\x01\x00", "Stata") for version in range(110, 116) for order in (1, 2)),
    (b"$FL2", "SPSS"),
    (b"$FL3", "SPSS"),
    *((b"\x80" + bytes([version]), "pickle") for version in range(2, 6)),
)
_REFUSED = {
    "gzip": "the file is compressed twice with gzip: unpack it once",
    "pickle": "the file is a Python pickle, which is never opened: save the table as CSV or Parquet",
}
_LIBRARIES = {"Parquet": "pyarrow", "Feather": "pyarrow", "SPSS": "pyreadstat", "OpenDocument": "odfpy"}
_MOST_BLANK = 1000  # lines in a row, after which a sheet is at its end


def kind_of(data: bytes) -> str:
    """'gzip', 'zip' (.xlsx, .ods, .npz), 'xls', 'npy', another kind by its name, or 'text' for everything else."""
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), "text")


def load_binary(data: bytes, kind: str, options: ReadOptions) -> Loaded:
    """The grid of a file that is not text; TableError if it is damaged, too large, or of a kind that is not read."""
    if kind in _REFUSED:
        raise TableError(_REFUSED[kind])
    limits = options.limits
    try:
        if kind == "zip":
            kind = _kind_of_zip(data, limits)
        if sheets := {"xlsx": _xlsx, "xls": _xls, "OpenDocument": _ods}.get(kind):
            return _sheet_to_read(sheets(data), options, data if kind == "xlsx" else b"")
        frame = _frame_of(data, kind, limits)
        header = [] if kind == "npy" else [list(map(str, frame.columns))]
        records = chain(header, (list(map(_text, row)) for row in frame.itertuples(index=False, name=None)))
        return Loaded(build_grid(enumerate(records, 1), limits, limits.cells), "npy" if kind == "npy" else "other")
    except TableError:
        raise
    except ImportError as error:
        raise TableError(
            f"reading a {kind} file requires the library {_LIBRARIES.get(kind)}: install it, or save the table as CSV "
            "or .xlsx"
        ) from error
    except Exception as error:  # the errors of the libraries depend on where the damage is
        other = "cut off, or holds Python objects, which are never read" if kind == "npy" else "protected by a password"
        name = {"zip": "Excel or zip"}.get(kind, kind)
        remedy = "save it again in the program that made it, or as CSV"
        raise TableError(f"the {name} file is damaged, or {other}: {remedy}") from error


def _kind_of_zip(data: bytes, limits: Limits) -> str:
    """The kind of table in it; TableError if its directory announces too much, beyond which zipfile never unpacks."""
    members = zipfile.ZipFile(io.BytesIO(data)).infolist()
    size, names = sum(member.file_size for member in members), [member.filename for member in members]
    if size > limits.expanded:
        most = in_mib(limits.expanded)
        raise TableError(f"the file unpacks to {in_mib(size)}, above the limit of {most}: split the table")
    if "xl/workbook.xml" in names:
        return "xlsx"
    if "content.xml" in names and "mimetype" in names:
        return "OpenDocument"
    if names and all(name.endswith(".npy") for name in names):
        return "npy"
    raise TableError("the file is a zip archive, but not an Excel workbook: unpack it and use the table inside")


def _frame_of(data: bytes, kind: str, limits: Limits) -> pd.DataFrame:
    """The data frame, or the matrix, in a file; TableError if it is beyond the limits."""

    def check(rows: int, columns: int) -> None:
        if rows * columns > limits.cells:
            raise TableError(
                f"the {kind} file has {rows:,} rows and {columns:,} columns, above the limit of {limits.cells:,} "
                "cells: split it"
            )

    if kind == "npy":
        X = np.load(io.BytesIO(data), allow_pickle=False)
        if isinstance(X, np.lib.npyio.NpzFile):
            if len(X) > 1:
                raise TableError(f"the .npz file holds {len(X)} arrays: save only the rating matrix")
            (X,) = X.values()
        if X.ndim != 2 or X.size == 0:
            raise TableError(f"the .npy file holds an array of shape {X.shape}: a rating matrix has rows and columns")
        return pd.DataFrame(X)
    if kind == "Stata":
        return pd.read_stata(io.BytesIO(data), convert_categoricals=False)
    if kind == "SPSS":
        import pyreadstat

        with tempfile.NamedTemporaryFile(suffix=".sav") as file:
            file.write(data)
            file.flush()
            _, about = pyreadstat.read_sav(file.name, metadataonly=True)
            check(about.number_rows or 0, len(about.column_names))
            return pyreadstat.read_sav(file.name)[0]
    import pyarrow.dataset as ds

    fragment = (ds.ParquetFileFormat if kind == "Parquet" else ds.IpcFileFormat)().make_fragment(io.BytesIO(data))
    check(fragment.count_rows(), len(fragment.physical_schema))
    return fragment.to_table(use_threads=False).to_pandas()


def _xlsx(data: bytes) -> dict[str, Iterator[Record]]:
    """The rows of each visible sheet. Formulas count as their stored values; one without a value is a text of its own,
    since its cell is not empty."""
    import openpyxl

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        calculated = any(b"<f" in archive.read(name) for name in parts)
    books = [
        openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=data_only, keep_links=False)
        for data_only in ((True, False) if calculated else (True,))
    ]

    def rows(title: str) -> Iterator[Record]:
        sheets = [book[title] for book in books]
        for sheet in sheets:
            sheet.reset_dimensions()  # the size that a sheet states may be wrong
        formulas = sheets[1].iter_rows() if calculated else repeat(())
        for line, (row, behind) in enumerate(zip(sheets[0].iter_rows(), formulas), 1):
            texts = [_text(cell.value) for cell in row]
            for j, (cell, formula) in enumerate(zip(row, behind)):
                if formula.data_type == "f" and cell.value is None and cell.data_type != "str":  # "str": empty text
                    texts[j] = str(formula.value)
            yield line, texts

    return {sheet.title: rows(sheet.title) for sheet in books[0].worksheets if sheet.sheet_state == "visible"}


def _xls(data: bytes) -> dict[str, Iterator[Record]]:
    """The rows of each sheet of a workbook of Excel 97 to 2003."""
    import xlrd

    book = xlrd.open_workbook(file_contents=data, on_demand=True, ragged_rows=True, logfile=io.StringIO())

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
    how: dict[str, Any] = {"header": None, "dtype": object, "keep_default_na": False, "engine": "odf"}
    frames = pd.read_excel(io.BytesIO(data), sheet_name=None, **how)
    lines = {title: enumerate(frame.to_numpy(), 1) for title, frame in frames.items()}
    return {title: ((line, list(map(_text, row))) for line, row in rows) for title, rows in lines.items()}


def _sheet_to_read(sheets: dict[str, Iterator[Record]], options: ReadOptions, data: bytes) -> Loaded:
    """The sheet that the options name; else the first with two lines of ratings; else the first that is not empty."""
    titles, limits, wanted = list(sheets), options.limits, options.sheet
    if not titles:
        raise TableError("the workbook has no visible sheet with cells")
    if isinstance(wanted, int) and 0 <= wanted < len(titles):
        wanted = titles[wanted]
    with offering(sheets=tuple(titles)):
        if wanted not in (None, *titles):
            have = first_few([shown(title) for title in titles], 10)
            raise TableError(f"the workbook has no sheet {wanted!r}; its sheets are {have}")
        found: list[tuple[str, Grid, int]] = []
        left = limits.workbook_cells
        settled = False
        for title in sorted(titles, key=lambda title: title != wanted):  # the one that is asked for comes first
            bounded = _bounded(sheets[title], limits, left)
            if settled or wanted not in (None, title):  # counted only: a copy of the workbook holds it, too
                left -= sum(1 + len(texts) for _, texts in bounded)
                continue
            rows = list(bounded)
            left -= sum(1 + len(texts) for _, texts in rows) + _MOST_BLANK
            if rows:
                spans = [np.flatnonzero(list(map(bool, texts))) for _, texts in rows if texts]
                margin, end = min(int(span[0]) for span in spans), max(int(span[-1]) + 1 for span in spans)
                grid = build_grid(((line, texts[margin:end]) for line, texts in rows), limits, limits.workbook_cells)
                found.append((title, grid, margin))
                if _has_ratings(grid):
                    found.reverse()
                    settled = True
        if not found:
            raise TableError(f"sheet {shown(str(wanted or titles[0]))} is empty: choose the sheet that holds the table")
    title, grid, margin = found[0]
    notes = []
    if len(titles) > 1:
        others = [shown(other) for other in titles if other != title]
        message = f"sheet {shown(title)} was read; choose another one if this is wrong"
        notes.append(Note("sheets", message, first_few(others)))
    kind = "xlsx" if data else "other"
    return Loaded(grid, kind, data, sheet=title, sheets=tuple(titles), first_column=margin + 1, notes=notes)


def _bounded(rows: Iterator[Record], limits: Limits, left: int) -> Iterator[Record]:
    """The rows up to the last one before many blank ones; TableError beyond ``left`` cells, blank ones included."""
    blank: list[Record] = []
    for line, texts in rows:
        left -= 1 + len(texts)
        if left < 0:
            raise TableError(
                f"the workbook has more than {limits.workbook_cells:,} cells, which is the limit and counts blank "
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
    """Whether two lines hold two numbers or words of a scale each, unlike those of a cover or a key to questions."""
    rated = [is_number_like(text) or any(plain_word(text) in scale for scale in KNOWN) for text in grid.texts]
    line = np.repeat(np.arange(len(grid.lines)), grid.widths)
    return bool((np.bincount(line, np.array(rated)[grid.codes]) >= 2).sum() >= 2)


def _text(value: Any) -> str:
    """The text of a cell: numbers with all their digits, whole numbers without a point."""
    if pd.isna(value) is True:
        return ""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, bool):
        return str(value).upper()
    return repr(value) if isinstance(value, float) else str(value)

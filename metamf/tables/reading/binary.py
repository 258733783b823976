"""Excel workbooks and NumPy arrays -> a grid of texts.

Nothing in such a file is ever executed: formulas are not evaluated (their stored values are read), and NumPy files that
hold Python objects are refused (``allow_pickle=False``).
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from metamf.tables.dialect import Dialect, is_number_like
from metamf.tables.limits import TableError, offering
from metamf.tables.options import ReadOptions
from metamf.tables.reading.grid import Grid, Loaded, build_grid
from metamf.tables.reading.notes import Note
from metamf.tables.reading.words import KNOWN, plain_word
from metamf.wording import counted, first_few, in_mib, shown

Record = tuple[int, list[str]]  # its line, counted from 1, and the texts of its cells

_FEWEST_CELLS = 3  # of a line of a table, with its name
_RATINGS = 2  # see ``_likeness``
_MOST_MEMBERS = 2000  # a workbook of 500,000 cells has some dozens


def load_zip(data: bytes, options: ReadOptions) -> Loaded:
    """An .xlsx workbook or an .npz archive with one array, unless its directory announces too much.

    zipfile never unpacks more of a member than its directory entry says, so the sum of the entries is a true bound.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = archive.infolist()
    except Exception as error:  # a crafted directory raises errors of many kinds in zipfile
        raise TableError("the file looks like an Excel file or a zip archive, but it is damaged") from error
    size = sum(member.file_size for member in members)
    if size > options.limits.expanded or len(members) > _MOST_MEMBERS:
        raise TableError(
            f"the file unpacks to {in_mib(size)} in {len(members):,} parts; the limit is "
            f"{in_mib(options.limits.expanded)} and {_MOST_MEMBERS:,} parts: take a part of the table"
        )
    names = [member.filename for member in members]
    if "xl/workbook.xml" in names:
        return _load_workbook(data, archive, options)
    if names and all(name.endswith(".npy") for name in names):
        if len(names) > 1:
            raise TableError(f"the .npz file holds {len(names)} arrays ({first_few(names)}): save the one matrix alone")
        return load_npy(_member(archive, names[0]), options)
    raise TableError("the file is a zip archive, but not an Excel workbook: unpack it and take the table inside")


def load_npy(data: bytes, options: ReadOptions) -> Loaded:
    """A two-dimensional array of numbers saved by ``numpy.save``; every value keeps all its digits."""
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = header(stream)
    except Exception as error:  # the header is a Python literal: a crafted one fails in many ways
        raise TableError("the .npy file is damaged: save the matrix again with numpy.save") from error
    if dtype.kind not in "fiub":
        what = "Python objects, which are never read" if dtype.hasobject else f"values of type {dtype}"
        raise TableError(f"the .npy file holds {what}: save a matrix of numbers, X.astype(float)")
    if len(shape) != 2 or min(shape) < 1:
        raise TableError(f"the .npy file holds an array of shape {shape}: a rating matrix has rows and columns")
    options.limits.check_matrix(*shape)
    if len(data) - stream.tell() != shape[0] * shape[1] * dtype.itemsize:
        raise TableError("the .npy file is cut off: its size does not fit its shape")
    stream.seek(0)
    X = np.load(stream, allow_pickle=False).astype(np.float64)
    rows = ((i + 1, ["" if v != v else repr(v) for v in row.tolist()]) for i, row in enumerate(X))
    return Loaded(build_grid(rows, options.limits, options.limits.cells), Dialect())


def load_xls(data: bytes, options: ReadOptions) -> Loaded:
    """A workbook of Excel 97 to 2003."""
    import xlrd

    try:
        book = xlrd.open_workbook(file_contents=data, on_demand=True, ragged_rows=True, logfile=io.StringIO())

        def rows(title: str) -> Iterator[tuple[int, list[str]]]:
            sheet = book.sheet_by_name(title)
            return ((i + 1, [_old_text(cell, book.datemode) for cell in sheet.row(i)]) for i in range(sheet.nrows))

        return _sheet_to_read(book.sheet_names(), rows, options)
    except TableError:
        raise
    except Exception as error:  # the errors of xlrd depend on where the damage is
        raise TableError(
            "the file cannot be read as an Excel file (damaged, or protected by a password): "
            "open it in Excel and save it as .xlsx or CSV"
        ) from error


def _load_workbook(data: bytes, archive: zipfile.ZipFile, options: ReadOptions) -> Loaded:
    import openpyxl

    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        sheets = {sheet.title: sheet for sheet in book.worksheets if sheet.sheet_state == "visible"}
        loaded = _sheet_to_read(list(sheets), lambda title: _rows(sheets[title]), options)
        if any(b"<f" in _member(archive, n) for n in archive.namelist() if n.startswith("xl/worksheets/")):
            with offering(sheets=loaded.sheets):
                loaded.notes.extend(_formula_notes(data, str(loaded.sheet)))
        return loaded
    except TableError:
        raise
    except Exception as error:  # the errors of openpyxl are those of XML, of zip files and its own
        raise TableError(
            "the Excel file is damaged or not readable: open it in Excel and save it again, or save the sheet as CSV"
        ) from error


def _rows(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    sheet.reset_dimensions()  # the size that a sheet states may be wrong
    for i, row in enumerate(sheet.iter_rows(values_only=True)):
        yield i + 1, [_text(value) for value in row]


def _formula_notes(data: bytes, title: str) -> list[Note]:
    """Formulas count as their stored values; a formula without one is refused, since its cell is not missing."""
    import openpyxl

    pair = [
        openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=flag, keep_links=False)[title]
        for flag in (False, True)
    ]
    n_formulas = 0
    for sheet in pair:
        sheet.reset_dimensions()
    for formulas, values in zip(*(sheet.iter_rows() for sheet in pair)):
        for formula, value in zip(formulas, values):
            if formula.data_type == "f":
                n_formulas += 1
                if value.value is None and value.data_type != "str":  # "str": the formula gave the empty text
                    raise TableError(
                        f"cell {formula.coordinate} of sheet {shown(title)} holds a formula without a "
                        "stored value: open the file in Excel and save it again"
                    )
    return (
        [Note("formulas", f"{counted(n_formulas, 'cell')} hold formulas; their stored values were read")]
        if n_formulas
        else []
    )


def _sheet_to_read(titles: list[str], rows: Callable[[str], Iterator], options: ReadOptions) -> Loaded:
    """The sheet that the options name; else the first that looks like a table of ratings, not like a cover; else the
    first with at least two lines and two columns; else the first."""
    with offering(sheets=tuple(titles)):
        title = _title_of_sheet(titles, options.sheet)
        grid = _grid(rows(title), options)
        if options.sheet is None:
            best = _likeness(grid)
            for other in titles[1:]:
                if best == _RATINGS:
                    break
                found = _grid(rows(other), options)
                if (likeness := _likeness(found)) > best:
                    title, grid, best = other, found, likeness
        if grid is None:
            raise TableError(f"sheet {shown(title)} is empty: choose the sheet that holds the table")
    notes = []
    if len(titles) > 1:
        others = [shown(other) for other in titles if other != title]
        notes.append(Note("sheets", f"sheet {shown(title)} was read; choose another one if need be", first_few(others)))
    return Loaded(grid, Dialect(), sheet=title, sheets=tuple(titles), notes=notes)


def _likeness(grid: Grid | None) -> int:
    """Likeness of a sheet to a table of ratings: 0 for a single line or column, 1 for lines of two cells or of prose
    (a cover, a key to the questions), ``_RATINGS`` for two lines at least of three cells, many of them ratings."""
    if grid is None or np.count_nonzero(grid.widths > 1) < 2:
        return 0
    written = np.array([bool(text.strip()) for text in grid.texts])
    rated = np.array([is_number_like(text) or any(plain_word(text) in scale for scale in KNOWN) for text in grid.texts])
    line = np.repeat(np.arange(len(grid.lines)), grid.widths)
    cells, ratings = (np.bincount(line, flag[grid.codes], len(grid.lines)) for flag in (written, rated & written))
    wide = cells >= _FEWEST_CELLS
    return _RATINGS if (wide & (ratings >= 2)).sum() >= 2 and 2 * wide.sum() >= (cells > 0).sum() else 1


def _grid(rows: Iterator[tuple[int, list[str]]], options: ReadOptions) -> Grid | None:
    """The cells of a sheet without the blank rows and columns around them; None if the sheet is empty."""
    grid = build_grid(_within_limits(rows, options), options.limits, options.limits.workbook_cells)
    if not grid.codes.any():
        return None
    within = np.arange(grid.codes.size) - np.repeat(grid.starts[:-1], grid.widths)
    used = grid.codes > 0
    first, last = within[used].min(), within[used].max()
    cells = (within >= first) & (within <= last)
    widths = np.bincount(np.repeat(np.arange(len(grid.lines)), grid.widths)[cells], minlength=len(grid.lines))
    return Grid(grid.codes[cells], np.concatenate([[0], np.cumsum(widths)]), grid.lines, grid.texts)


def _within_limits(rows: Iterator[Record], options: ReadOptions) -> Iterator[Record]:
    for line, texts in rows:
        if len(texts) > options.limits.columns + 1:
            raise TableError(f"row {line:,} has more than {options.limits.columns:,} columns, the limit")
        yield line, texts


def _title_of_sheet(titles: list[str], wanted: str | int | None) -> str:
    if not titles:
        raise TableError("the workbook does not have a visible sheet with cells")
    if wanted is None:
        return titles[0]
    if isinstance(wanted, int) and 0 <= wanted < len(titles):
        return titles[wanted]
    if wanted in titles:
        return wanted
    raise TableError(
        f"the workbook does not have a sheet {wanted!r}; its sheets are {first_few([shown(t) for t in titles], 10)}"
    )


def _text(value: object) -> str:
    """The text of a cell: numbers with all their digits, whole numbers without a point."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, bool):
        return str(value).upper()
    return repr(value) if isinstance(value, float) else str(value)


def _old_text(cell: Any, datemode: int) -> str:
    import xlrd

    if cell.ctype == xlrd.XL_CELL_ERROR:
        return xlrd.error_text_from_code.get(cell.value, "#N/A")
    if cell.ctype == xlrd.XL_CELL_DATE:
        return str(xlrd.xldate_as_datetime(cell.value, datemode))
    return _text(bool(cell.value) if cell.ctype == xlrd.XL_CELL_BOOLEAN else cell.value)


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        return archive.read(name)
    except Exception as error:  # damaged, encrypted, or packed in a way that zipfile does not know
        raise TableError(f"the part {shown(name)} of the file is damaged or protected by a password") from error

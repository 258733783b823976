"""Files that are not text -> a grid of texts: Excel, OpenDocument, NumPy, Parquet, Feather, Stata and SPSS.

Nothing in such a file is ever executed: formulas are not evaluated (their stored values are read), NumPy files that
hold Python objects are refused, and pickles are never opened. What a file unpacks to is bounded before it is unpacked,
and the blank lines and columns in front of a far cell of a workbook count as cells, over all of its sheets.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from metamf.tables.limits import Limits, Note, TableError, offering
from metamf.tables.numbers import is_number_like
from metamf.tables.options import ReadOptions
from metamf.tables.text import Grid, Loaded, build_grid
from metamf.tables.words import KNOWN, plain_word
from metamf.wording import counted, first_few, in_mib, shown

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
    (b"%PDF", "PDF"),
)
_REFUSED = {
    "pickle": "the file is a Python pickle, which is never opened: save the table as CSV or Parquet",
    "PDF": "the file is a PDF document: copy the table into a spreadsheet and save it as .xlsx or CSV",
}
_LIBRARIES = {"Parquet": "pyarrow", "Feather": "pyarrow", "SPSS": "pyreadstat"}
_MOST_MEMBERS = 2000  # a workbook of 500,000 cells has some dozens
_MOST_BLANK = 1000  # lines in a row, after which a sheet is at its end
_MOST_SHEETS = 20  # among which the table is looked for


def kind_of(data: bytes) -> str:
    """'gzip', 'zip' (.xlsx, .ods, .npz), 'xls', 'npy', another kind by its name, or 'text' for everything else."""
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), "text")


def load_binary(data: bytes, kind: str, options: ReadOptions) -> Loaded:
    """The grid of a file that is not text.

    Raises
    ------
    TableError
        if the file is damaged, holds no table, exceeds a limit, or is of a kind that is not read.
    """
    if kind in _REFUSED:
        raise TableError(_REFUSED[kind])
    if load := {"zip": _load_zip, "xls": _load_xls, "npy": _load_npy}.get(kind):
        return load(data, options)
    try:
        records = _records_of(_frame_of(data, kind, options.limits))
        return Loaded(build_grid(records, options.limits, options.limits.cells))
    except ImportError as error:
        raise TableError(
            f"the file is a {kind} file, which takes the library {_LIBRARIES.get(kind, 'pandas')}: install that, or "
            "save the table as CSV or .xlsx"
        ) from error
    except TableError:
        raise
    except Exception as error:  # the readers' errors depend on where the damage is
        raise TableError(f"the file is a {kind} file, but it is damaged: save it again, or as CSV") from error


def _frame_of(data: bytes, kind: str, limits: Limits) -> pd.DataFrame:
    """The data frame in a file; TableError before one beyond the limits is unpacked."""

    def check(rows: int, size: int) -> None:
        if rows > limits.rows or size > limits.expanded:
            raise TableError(
                f"the {kind} file holds {rows:,} rows, {in_mib(size)} unpacked; the limit is {limits.rows:,} rows and "
                f"{in_mib(limits.expanded)}: take a part of it"
            )

    if kind == "Stata":
        return pd.read_stata(io.BytesIO(data), convert_categoricals=False)
    if kind == "SPSS":
        import pyreadstat

        with tempfile.NamedTemporaryFile(suffix=".sav") as file:
            file.write(data)
            file.flush()
            _, about = pyreadstat.read_sav(file.name, metadataonly=True)
            rows = about.number_rows or 0
            check(rows, 8 * rows * len(about.column_names))
            return pyreadstat.read_sav(file.name)[0]
    if kind == "Parquet":
        import pyarrow.parquet as pq

        parquet = pq.ParquetFile(io.BytesIO(data))
        groups = map(parquet.metadata.row_group, range(parquet.metadata.num_row_groups))
        check(parquet.metadata.num_rows, sum(group.total_byte_size for group in groups))
        return parquet.read().to_pandas()
    import pyarrow as pa

    feather, batches = pa.ipc.open_file(io.BytesIO(data)), []
    for i in range(feather.num_record_batches):
        batches.append(feather.get_batch(i))
        check(sum(batch.num_rows for batch in batches), sum(batch.nbytes for batch in batches))
    return pa.Table.from_batches(batches, feather.schema).to_pandas()


def _records_of(frame: pd.DataFrame) -> Iterator[Record]:
    yield 1, list(map(str, frame.columns))
    for line, row in enumerate(frame.itertuples(index=False), 2):
        yield line, ["" if value is pd.NaT or value != value else _text(value) for value in row]


def _load_zip(data: bytes, options: ReadOptions) -> Loaded:
    """A workbook or an .npz archive with one array, unless its directory announces too much.

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
    if "content.xml" in names and "mimetype" in names:
        return _load_ods(data, options)
    if names and all(name.endswith(".npy") for name in names):
        if len(names) > 1:
            raise TableError(f"the .npz file holds {len(names)} arrays ({first_few(names)}): save the one matrix alone")
        return _load_npy(_member(archive, names[0]), options)
    raise TableError("the file is a zip archive, but not an Excel workbook: unpack it and take the table inside")


def _load_npy(data: bytes, options: ReadOptions) -> Loaded:
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
    return Loaded(build_grid(rows, options.limits, options.limits.cells), "npy")


def _load_xls(data: bytes, options: ReadOptions) -> Loaded:
    """A workbook of Excel 97 to 2003."""
    import xlrd

    try:
        book = xlrd.open_workbook(file_contents=data, on_demand=True, ragged_rows=True, logfile=io.StringIO())

        def rows(title: str) -> Iterator[Record]:
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
        book, formulas = (
            openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=flag, keep_links=False)
            for flag in (True, False)
        )
        sheets = {sheet.title: sheet for sheet in book.worksheets if sheet.sheet_state == "visible"}
        loaded = _sheet_to_read(list(sheets), lambda title: _rows(sheets[title]), options, "xlsx")
        if any(b"<f" in _member(archive, n) for n in archive.namelist() if n.startswith("xl/worksheets/")):
            with offering(sheets=loaded.sheets):
                loaded.notes.extend(
                    _formula_notes(formulas[loaded.sheet], sheets[loaded.sheet], len(loaded.grid.lines))
                )
        return loaded
    except TableError:
        raise
    except Exception as error:  # the errors of openpyxl are those of XML, of zip files and its own
        raise TableError(
            "the Excel file is damaged or not readable: open it in Excel and save it again, or save the sheet as CSV"
        ) from error


def _rows(sheet: Any) -> Iterator[Record]:
    sheet.reset_dimensions()  # the size that a sheet states may be wrong
    for i, row in enumerate(sheet.iter_rows(values_only=True)):
        yield i + 1, [_text(value) for value in row]


def _formula_notes(formulas: Any, values: Any, last: int) -> list[Note]:
    """Formulas count as their stored values; a formula without one is refused, since its cell is not missing."""
    n_formulas = 0
    for sheet in (formulas, values):
        sheet.reset_dimensions()
    for pair in zip(formulas.iter_rows(max_row=last), values.iter_rows(max_row=last)):
        for formula, value in zip(*pair):
            if formula.data_type == "f":
                n_formulas += 1
                if value.value is None and value.data_type != "str":  # "str": the formula gave the empty text
                    raise TableError(
                        f"cell {formula.coordinate} of sheet {shown(values.title)} holds a formula without a "
                        "stored value: open the file in Excel and save it again"
                    )
    message = f"{counted(n_formulas, 'cell')} hold formulas; their stored values were read"
    return [Note("formulas", message)] if n_formulas else []


def _load_ods(data: bytes, options: ReadOptions) -> Loaded:
    """A spreadsheet of LibreOffice."""
    try:
        sheets = pd.read_excel(
            io.BytesIO(data), sheet_name=None, header=None, dtype=object, keep_default_na=False, engine="odf"
        )
    except ImportError as error:
        raise TableError(
            "the file is an OpenDocument spreadsheet, which takes the library odfpy: install that, or save the sheet "
            "as .xlsx or CSV"
        ) from error
    except Exception as error:  # the errors of odfpy are those of XML and its own
        raise TableError("the OpenDocument file is damaged: open it in LibreOffice and save it again") from error

    def rows(title: str) -> Iterator[Record]:
        return ((i, ["" if v != v else _text(v) for v in row]) for i, row in enumerate(sheets[title].to_numpy(), 1))

    return _sheet_to_read(list(sheets), rows, options)


def _sheet_to_read(
    titles: list[str], rows: Callable[[str], Iterator[Record]], options: ReadOptions, kind: str = "other"
) -> Loaded:
    """The sheet that the options name; else the first with two lines of ratings; else the first that is not empty."""
    if not titles:
        raise TableError("the workbook does not have a visible sheet with cells")
    left = options.limits.workbook_cells

    def grid_of(title: str) -> tuple[Grid, int] | None:
        nonlocal left
        records = _bounded(rows(title), options.limits, left)
        grid = build_grid(records, options.limits, options.limits.workbook_cells)
        left -= len(grid.codes) + len(grid.lines) + _MOST_BLANK
        return _without_margins(grid)

    with offering(sheets=tuple(titles)):
        asked = titles[:_MOST_SHEETS] if options.sheet is None else [_title_of_sheet(titles, options.sheet)]
        grids: dict[str, tuple[Grid, int]] = {}
        for title in asked:
            if found := grid_of(title):
                grids[title] = found
                if _has_ratings(found[0]):
                    break
        else:
            title = next(iter(grids), asked[0])
        if title not in grids:
            raise TableError(f"sheet {shown(title)} is empty: choose the sheet that holds the table")
    grid, margin = grids[title]
    notes = []
    if len(titles) > 1:
        others = [shown(other) for other in titles if other != title]
        notes.append(Note("sheets", f"sheet {shown(title)} was read; choose another one if need be", first_few(others)))
    return Loaded(grid, kind, sheet=title, sheets=tuple(titles), first_column=margin + 1, notes=notes)


def _bounded(rows: Iterator[Record], limits: Limits, left: int) -> Iterator[Record]:
    """The rows up to the last one before many blank ones; TableError beyond ``left`` cells, blank ones included."""
    blank: list[Record] = []
    for line, texts in rows:
        left -= 1 + len(texts)
        if left < 0:
            raise TableError(
                f"the workbook has more than {limits.workbook_cells:,} cells, the limit, blank ones in front of others "
                "included: take a part of it, or save the sheet as CSV"
            )
        if len(texts) > limits.columns + 1:
            raise TableError(f"row {line:,} has more than {limits.columns:,} columns, the limit")
        if not any(texts):
            blank.append((line, []))
            if len(blank) > _MOST_BLANK:
                return
            continue
        yield from blank
        blank.clear()
        yield line, texts


def _without_margins(grid: Grid) -> tuple[Grid, int] | None:
    """The cells of a sheet without the blank columns around them, and how many there are on the left; None if the sheet
    is empty."""
    if not grid.codes.any():
        return None
    within = np.arange(grid.codes.size) - np.repeat(grid.starts[:-1], grid.widths)
    used = grid.codes > 0
    first, last = within[used].min(), within[used].max()
    cells = (within >= first) & (within <= last)
    widths = np.bincount(np.repeat(np.arange(len(grid.lines)), grid.widths)[cells], minlength=len(grid.lines))
    return Grid(grid.codes[cells], np.append(0, np.cumsum(widths)), grid.lines, grid.texts, grid.records), int(first)


def _has_ratings(grid: Grid) -> bool:
    """Whether two lines hold two numbers or words of a scale each, unlike those of a cover or a key to questions."""
    rated = [is_number_like(text) or any(plain_word(text) in scale for scale in KNOWN) for text in grid.texts]
    line = np.repeat(np.arange(len(grid.lines)), grid.widths)
    return bool((np.bincount(line, np.array(rated)[grid.codes]) >= 2).sum() >= 2)


def _title_of_sheet(titles: list[str], wanted: str | int) -> str:
    if isinstance(wanted, int) and 0 <= wanted < len(titles):
        return titles[wanted]
    if wanted in titles:
        return str(wanted)
    raise TableError(
        f"the workbook does not have a sheet {wanted!r}; its sheets are {first_few([shown(t) for t in titles], 10)}"
    )


def _text(value: object) -> str:
    """The text of a cell: numbers with all their digits, whole numbers without a point."""
    if value is None:
        return ""
    if isinstance(value, np.generic):
        value = value.item()
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

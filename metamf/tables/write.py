"""A filled table -> bytes: CSV, Excel with the origin of each cell in colours, or Parquet.

The file itself comes back with its gaps filled and nothing else changed: a text to the byte, a workbook as an edited
copy, a long table in its own order with all of its columns. Names that this library writes anew, and that a spreadsheet
would take for a formula, get an apostrophe, which reading takes off.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from copy import copy
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

from metamf.files import write_atomically
from metamf.tables.limits import TableError
from metamf.tables.numbers import NUMBER, NumberFormat, decimals_in, read_texts
from metamf.tables.table import CLIPPED, HELD_OUT, IMPUTED, MISSING, OBSERVED, PROVENANCE, Filled, Gap
from metamf.tables.text import Dialect, decode, escape, raw_cells, split_records
from metamf.wording import percent

__all__ = ["CLIPPED", "HELD_OUT", "IMPUTED", "MISSING", "OBSERVED", "PROVENANCE", "Filled"]
__all__ += ["to_csv", "to_csv_long", "to_csv_wide", "to_excel", "to_parquet", "write_atomically"]

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2
_STYLES = {
    HELD_OUT: ("FFF2CC", "observed, but hidden from the method"),
    IMPUTED: ("DDEBF7", "estimated"),
    CLIPPED: ("F8CBAD", "estimated, and put back on the rating scale"),
    MISSING: ("D9D9D9", "no estimate"),
}


def to_csv(filled: Filled) -> bytes:
    """The file that was read, with an estimate in each gap; all other characters are those of the file. Cells that a
    long file lacks come as further lines at its end. An estimate in a column of words is the nearest of them, and one
    in a column of percentages has their sign. Of a file that is no text, the cells are written as CSV."""
    source, dialect = filled.source, filled.source.dialect
    if source.kind == "none":
        return to_csv_wide(filled)
    form = NumberFormat(dialect.decimal, dialect.thousands)
    styles = [filled.style(m) for m in range(filled.ratings.n_cols)]
    decimals = cache(partial(_decimals, filled, form))

    def with_estimates(cells: list[str], edits: list[Gap]) -> list[str]:
        cells += [""] * (edits[-1].cell + 1 - len(cells)) if edits else []
        for gap in edits:
            was, style, text = cells[gap.cell], styles[gap.col], f"{gap.value:.6g}"
            text = form.text(gap.value, decimals(gap.col) if "e" in text else 0)
            text = style.text_of(gap.value, text) if style else text
            indent = was[: len(was) - len(was.lstrip(" "))] if dialect.delimiter == " " else ""
            cells[gap.cell] = indent + dialect.quoted(text, always=was.lstrip()[:1] == '"')
        return cells

    def anew(texts: Iterable[str]) -> list[str]:
        return [dialect.name(text) for text in texts]

    def further(always: bool) -> list[str]:
        """The lines that a long file lacks, with each cell in quotation marks, or those that need them."""
        lines = []
        for texts, gap in filled.new_lines():
            cells = [cell if not always or cell[:1] == '"' else dialect.quoted(cell, always) for cell in anew(texts)]
            cells[gap.cell] = '""' if always else ""
            lines.append(dialect.line(with_estimates(cells, [gap])))
        return lines

    if source.kind != "text":
        records = (with_estimates(anew(source.grid.record(i)), filled.gaps(i)) for i in range(len(source.grid.lines)))
        return _encoded([*map(dialect.line, records), *further(False)], dialect)
    text = decode(source.data, dialect.encoding)[0]
    body = text.rstrip("\x1a")
    parts = []
    for i, (_, record, raw) in enumerate(
        split_records(body, dialect.delimiter, dialect.quotes, escaped=dialect.escaped)
    ):
        if edits := filled.gaps(i):
            content = raw.rstrip("\r\n")
            cells = raw_cells(content, dialect.delimiter, dialect.quotes, dialect.escaped)
            if len(cells) != len(record):  # quoted in a way that only csv understands: written anew
                cells = list(map(dialect.quoted, record))
            raw = dialect.delimiter.join(with_estimates(cells, edits)) + raw[len(content) :]
        parts.append(raw)
    last = raw_cells(raw.rstrip("\r\n"), dialect.delimiter, dialect.quotes, dialect.escaped)
    more = further(dialect.quotes and all(cell[:1] == '"' for cell in last))
    if more and not body.endswith(("\n", "\r")):
        parts.append(dialect.newline)
    parts += [line + dialect.newline for line in more]
    parts.append(text[len(body) :])
    return _as_bytes("".join(parts), dialect)


def _decimals(filled: Filled, form: NumberFormat, col: int) -> int | None:
    """The most decimals of the numbers that are given in a column; None where some have exponents."""
    here = filled.source.codes[filled.ratings.cols == col] if filled.source.form == "wide" else filled.source.codes
    return decimals_in((filled.source.grid.texts[code] for code in np.unique(here[here >= 0])), form)


def to_csv_wide(filled: Filled) -> bytes:
    """One line per row of the matrix: the file itself where it is wide, otherwise a table of its own."""
    source = filled.source
    if source.form == "wide" and source.kind != "none":
        return to_csv(filled)
    dialect, (rows, columns), named = source.dialect, filled.names, filled.ratings.row_labels is not None
    corner = [source.long_names[0] if source.form == "long" else ""] if named else []
    lines = []
    if filled.ratings.col_labels is not None:
        lines.append(dialect.line(dialect.name(name) for name in (*corner, *columns)))
    for n, name in enumerate(rows):
        first = [dialect.name(name)] if named else []
        lines.append(dialect.line([*first, *_row_of_texts(filled, n)]))
    return _encoded(lines, dialect)


def to_csv_long(filled: Filled) -> bytes:
    """One line per cell, as in ``Filled.cells``; the value of an observed or held-out cell is its text in the file."""
    source, dialect, frame = filled.source, filled.source.dialect, filled.cells
    quoted = cache(dialect.name)
    texts = [text for n in range(filled.ratings.n_rows) for text in _row_of_texts(filled, n)]
    named = [map(quoted, frame[name]) for name in ("row", "column", "provenance", "method")]
    numbers = [_estimates(frame[name], dialect) for name in list(frame)[4:-1]]
    columns = *named[:2], (texts[i] for i in filled.order), named[2], *numbers, named[3]
    header = map(quoted, (*source.long_names, *list(frame)[3:]))
    return _encoded([dialect.line(header), *map(dialect.line, zip(*columns))], dialect)


def _row_of_texts(filled: Filled, n: int) -> list[str]:
    """The cells of row ``n``: the texts that were read, and estimates elsewhere, quoted where the dialect needs it."""
    source, dialect, ratings = filled.source, filled.source.dialect, filled.ratings
    cells = _estimates(filled.mean[n], dialect)
    for at in range(ratings.row_starts[n], ratings.row_starts[n + 1]):
        code, value = source.codes[at], float(ratings.values[at])
        exact = str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        text = source.grid.texts[code] if code >= 0 else exact.replace(".", dialect.decimal)
        cells[ratings.cols[at]] = dialect.quoted(text)
    return cells


def _estimates(values: np.ndarray, dialect: Dialect) -> list[str]:
    """Estimates as texts of six significant digits; NaN becomes an empty cell."""
    form = NumberFormat(dialect.decimal)
    texts = [form.text(v) if v == v else "" for v in np.asarray(values, dtype=np.float64).tolist()]
    if dialect.decimal in dialect.delimiter or dialect.delimiter == " ":
        texts = [dialect.quoted(text) for text in texts]
    return texts


def _encoded(lines: Iterable[str], dialect: Dialect) -> bytes:
    return _as_bytes("".join(line + dialect.newline for line in lines), dialect)


def _as_bytes(text: str, dialect: Dialect) -> bytes:
    try:
        return dialect.bom + text.encode(dialect.encoding)
    except UnicodeEncodeError as error:
        raise TableError(
            f"{text[error.start]!r} cannot be written in the encoding of the table, {dialect.encoding}"
        ) from error


def to_excel(filled: Filled) -> bytes:
    """A workbook: of one that was read, a copy in which the gaps alone are filled, in italics on a colour and in the
    number format of their column; otherwise a new one with the cells of the file. Sheets are added for the ends of
    intervals, for ratings that were hidden beside their estimates, and for a legend."""
    import openpyxl

    source, (N, M) = filled.source, filled.ratings.shape
    if source.kind == "xlsx":
        book = openpyxl.load_workbook(io.BytesIO(source.data))
        _edit(filled, book[str(source.sheet)], source.grid.lines)
    else:
        lines = max(N, len(source.grid.lines))
        if lines > 1_048_575 or M > 16_383:
            raise TableError(
                f"Excel holds 1,048,575 rows and 16,383 columns beside the names, the table has {lines:,} x {M:,}: "
                "write CSV or Parquet"
            )
        book = openpyxl.Workbook()
        sheet = book.active
        sheet.title = "Filled"
        if source.kind == "none":
            _add_matrix(filled, sheet, filled.values)
        else:
            m = read_texts(source.grid.texts, NumberFormat(source.dialect.decimal, source.dialect.thousands))
            values = [
                float(value) if kind == NUMBER and not padded else _for_excel(text) or None
                for text, value, kind, padded in zip(source.grid.texts, m.values, m.kinds, m.padded)
            ]
            for start, end in pairwise(source.grid.starts):
                sheet.append([values[code] for code in source.grid.codes[start:end]])
            _edit(filled, sheet, np.arange(1, len(source.grid.lines) + 1))
    _add_sheets(filled, book)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _cell(sheet: Any, value: Any, kind: int) -> Any:
    """A value to append to a sheet, with the colour of its origin."""
    from openpyxl.cell import WriteOnlyCell

    return _coloured(WriteOnlyCell(sheet, value), kind) if kind else value


def _coloured(cell: Any, kind: int) -> Any:
    from openpyxl.styles import PatternFill

    font = copy(cell.font)
    font.italic = kind != HELD_OUT
    cell.font, cell.fill = font, PatternFill("solid", fgColor=_STYLES[kind][0])
    return cell


def _edit(filled: Filled, sheet: Any, lines: np.ndarray) -> None:
    """Writes the estimates into the gaps of the sheet, whose records are on these ``lines``, and those that a long
    table lacks below it; each in the number format of its column."""
    source, formats = filled.source, {}

    def write(line: int, gap: Gap) -> None:
        cell = sheet.cell(line, source.first_column + gap.cell, _estimate(filled, gap))
        if gap.cell not in formats:
            column = (sheet.cell(int(lines[i]), source.first_column + gap.cell) for i in source.records)
            formats[gap.cell] = next((c.number_format for c in column if c.number_format != "General"), "General")
        if cell.number_format == "General":
            cell.number_format = formats[gap.cell]
        _coloured(cell, int(filled.kinds[gap.row, gap.col]))

    for record in map(int, source.records):
        for gap in filled.gaps(record):
            write(int(lines[record]), gap)
    for line, (names, gap) in enumerate(filled.new_lines(), int(lines[-1]) + 1):
        for j, name in enumerate(names):
            sheet.cell(line, source.first_column + j, _for_excel(name) or None)
        write(line, gap)


def _estimate(filled: Filled, gap: Gap) -> float | str:
    """An estimate as a number of six digits, or as the texts of its column are written."""
    number, style = NumberFormat().text(gap.value), filled.style(gap.col)
    text = number if style is None else style.text_of(gap.value, number)
    return float(f"{gap.value:.6g}") if text == number else _for_excel(text)


def _add_matrix(filled: Filled, sheet: Any, X: np.ndarray) -> None:
    """Writes a matrix with the names of its rows and columns; NaN becomes an empty cell."""
    rows, columns = ([_for_excel(name) for name in side] for side in filled.names)
    sheet.append(["", *columns])
    given = (OBSERVED, HELD_OUT) if X is filled.values else ()
    for name, values, kinds in zip(rows, np.asarray(X).tolist(), filled.kinds.tolist()):
        numbers = (None if v != v else v if k in given else float(f"{v:.6g}") for v, k in zip(values, kinds))
        sheet.append([name, *(_cell(sheet, number, kind) for number, kind in zip(numbers, kinds))])


def _add_sheets(filled: Filled, book: Any) -> None:
    """Adds the ends of intervals, the ratings that were hidden, and the legend."""
    rows, columns = ([_for_excel(name) for name in side] for side in filled.names)
    for title, X in filled.ends.items():
        sheet = book.create_sheet(title.capitalize())
        sheet.freeze_panes = "B2"
        _add_matrix(filled, sheet, X)
    hidden = np.argwhere(filled.kinds == HELD_OUT)
    if len(hidden):
        sheet = book.create_sheet("Held out")
        sheet.append(["row", "column", "rating", "estimate", *filled.ends])
        for n, m in hidden:
            estimates = (float(f"{X[n, m]:.6g}") for X in (filled.mean, *filled.ends.values()))
            sheet.append([rows[n], columns[m], float(filled.values[n, m]), *estimates])
    legend = book.create_sheet("Legend")
    legend.append(["provenance", "meaning", "cells"])
    counts = np.bincount(filled.kinds.reshape(-1), minlength=len(PROVENANCE))
    legend.append(["observed", "as in the table that was read", int(counts[OBSERVED])])
    for kind, (_, meaning) in _STYLES.items():
        legend.append([_cell(legend, PROVENANCE[kind], kind), meaning, int(counts[kind])])
    legend.append(["method", _for_excel(filled.method)])
    if filled.level is not None:
        share = percent(filled.level, digits=6)
        legend.append(["interval", f"{share} of the missing ratings should lie in Lower to Upper"])


def to_parquet(filled: Filled) -> bytes:
    """One line per cell, as in ``to_csv_long``; the first columns are always called row, column and value."""
    stream = io.BytesIO()
    filled.cells.to_parquet(stream, index=False)
    return stream.getvalue()


def _for_excel(text: str) -> str:
    """A text as Excel can hold it: no formula, no character that XML forbids, and whole."""
    text = _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", escape(text))
    if len(text) > 32_767:
        raise TableError(f"Excel cells hold 32,767 characters, a name has {len(text):,}: write CSV or Parquet")
    return text

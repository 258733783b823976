"""A filled table -> bytes: CSV here, Excel and Parquet in ``excel``.

The file itself comes back with its gaps filled and nothing else changed: a text to the byte, a workbook as an edited
copy, a long table in its own order with all of its columns. Names that this library writes anew, and that a spreadsheet
would take for a formula, get an apostrophe, which reading takes off.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np

from metamf.files import write_atomically
from metamf.tables.excel import to_excel, to_parquet
from metamf.tables.filled import CLIPPED, HELD_OUT, IMPUTED, MISSING, OBSERVED, PROVENANCE, Filled, Gap
from metamf.tables.limits import TableError
from metamf.tables.numbers import NumberFormat
from metamf.tables.text import Dialect, decode, escape, raw_cells, split_records

__all__ = ["CLIPPED", "HELD_OUT", "IMPUTED", "MISSING", "OBSERVED", "PROVENANCE", "Filled"]
__all__ += ["to_csv", "to_csv_long", "to_csv_wide", "to_excel", "to_parquet", "write_atomically"]


def to_csv(filled: Filled) -> bytes:
    """The file that was read, with an estimate in each gap: wide or long as it is, in its order and dialect.

    All other characters are those of the file. The cells that a long file lacks come as further lines at its end. An
    estimate in a column of words is the nearest of them, and one in a column of percentages, say, has their sign. Of a
    workbook or another file that is no text, its cells are written as CSV.
    """
    source, dialect = filled.source, filled.source.dialect
    if source.kind == "none":
        return to_csv_wide(filled)
    form = NumberFormat(dialect.decimal, dialect.thousands)
    styles = [filled.style(m) for m in range(filled.ratings.n_cols)]

    def with_estimates(cells: list[str], edits: list[Gap]) -> list[str]:
        cells += [""] * (edits[-1].cell + 1 - len(cells)) if edits else []
        for gap in edits:
            was, style, text = cells[gap.cell], styles[gap.col], form.text(gap.value)
            text = style.text_of(gap.value, text) if style else text
            indent = was[: len(was) - len(was.lstrip(" "))] if dialect.delimiter == " " else ""
            cells[gap.cell] = indent + dialect.quoted(text, always=was.lstrip()[:1] == '"')
        return cells

    def anew(texts: Iterable[str]) -> list[str]:
        return [dialect.quoted(escape(text)) for text in texts]

    more = [dialect.line(with_estimates(anew(texts), [gap])) for texts, gap in filled.new_lines()]
    if source.kind != "text":
        records = (with_estimates(anew(source.grid.record(i)), filled.gaps(i)) for i in range(len(source.grid.lines)))
        return _encoded([*map(dialect.line, records), *more], dialect)
    text = decode(source.data, dialect.encoding)[0]
    body = text.rstrip("\x1a")
    parts = []
    for i, (_, record, raw) in enumerate(split_records(body, dialect.delimiter, dialect.quotes)):
        if edits := filled.gaps(i):
            content = raw.rstrip("\r\n")
            cells = raw_cells(content, dialect.delimiter, dialect.quotes)
            if len(cells) != len(record):  # quoted in a way that only csv understands: written anew
                cells = list(map(dialect.quoted, record))
            raw = dialect.delimiter.join(with_estimates(cells, edits)) + raw[len(content) :]
        parts.append(raw)
    if more and not body.endswith(("\n", "\r")):
        parts.append(dialect.newline)
    parts += [line + dialect.newline for line in more]
    parts.append(text[len(body) :])
    return _as_bytes("".join(parts), dialect)


def to_csv_wide(filled: Filled) -> bytes:
    """One line per row of the matrix: the file itself where it is wide, otherwise a table of its own."""
    source = filled.source
    if source.form == "wide" and source.kind != "none":
        return to_csv(filled)
    dialect, (rows, columns), named = source.dialect, filled.names, filled.ratings.row_labels is not None
    corner = [source.long_names[0] if source.form == "long" else ""] if named else []
    lines = []
    if filled.ratings.col_labels is not None:
        lines.append(dialect.line(dialect.quoted(escape(name)) for name in (*corner, *columns)))
    for n, name in enumerate(rows):
        first = [dialect.quoted(escape(name))] if named else []
        lines.append(dialect.line([*first, *_row_of_texts(filled, n)]))
    return _encoded(lines, dialect)


def to_csv_long(filled: Filled) -> bytes:
    """One line per cell: row, column, value, provenance, estimate, interval and method.

    Rows and columns without a name get one, since each line has to name its cell. The value of an observed or held-out
    cell is the text that was read. Cells that are not plainly observed have an estimate, an interval where there is
    one, and the method. The cells of a long table come first, in its order.
    """
    source, dialect, frame = filled.source, filled.source.dialect, filled.cells
    quoted = cache(lambda text: dialect.quoted(escape(text)))
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

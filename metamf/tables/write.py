"""A filled table -> bytes: CSV here, Excel and Parquet in ``excel``, a picture in ``picture``.

The file itself comes back with its gaps filled and nothing else changed: a text to the byte, a workbook as an edited
copy, a long table in its own order with all of its columns. Names that this library writes anew, and that a spreadsheet
would take for a formula, get an apostrophe, which reading takes off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from metamf.files import write_atomically
from metamf.tables.excel import to_excel, to_parquet
from metamf.tables.filled import CLIPPED, HELD_OUT, IMPUTED, MISSING, OBSERVED, PROVENANCE, Filled, Gaps, cell_order
from metamf.tables.limits import TableError
from metamf.tables.numbers import NumberFormat
from metamf.tables.picture import to_svg
from metamf.tables.text import Dialect, cell_spans, decode, escape, split_records

__all__ = [
    "CLIPPED",
    "HELD_OUT",
    "IMPUTED",
    "MISSING",
    "OBSERVED",
    "PROVENANCE",
    "Filled",
    "to_csv",
    "to_csv_long",
    "to_csv_wide",
    "to_excel",
    "to_parquet",
    "to_svg",
    "write_atomically",
]


def to_csv(filled: Filled) -> bytes:
    """The file that was read, with an estimate in each gap: wide or long as it is, in its order and dialect.

    All other characters are those of the file. The cells that a long file lacks come as further lines at its end. An
    estimate in a column of words is the nearest of them, and one in a column of percentages, say, has their sign. Of a
    workbook or another file that is no text, its cells are written as CSV.
    """
    source = filled.source
    if source.kind == "none":
        return to_csv_wide(filled)
    dialect, gaps = source.dialect, Gaps(filled)
    form = NumberFormat(dialect.decimal, dialect.thousands)

    def estimate(col: int, value: float, raw: str) -> str:
        number = form.text(value)
        style = gaps.style(col)
        text = number if style is None else style.text_of(value, number)
        if raw.lstrip()[:1] == '"' and dialect.quoting != "none":
            return '"' + text.replace('"', '""') + '"'
        return dialect.quoted(text, style is not None)

    def new_lines() -> Iterator[str]:
        for names, gap in gaps.new_lines():
            cells = [dialect.quoted(escape(names.get(j, ""))) for j in range(gaps.width)]
            cells[gap.cell] = estimate(gap.col, gap.value, "")
            yield dialect.line(cells)

    if source.kind != "text":
        return _encoded([*_lines_of_cells(filled, gaps, estimate), *new_lines()], dialect)
    text = decode(source.data, dialect.encoding)[0]
    body = text.rstrip("\x1a")
    parts = [body[: dialect.start]]
    records = split_records(body, dialect.start, dialect.delimiter, dialect.quoting)
    for i, (_, record, raw) in enumerate(records):
        content, edits = raw.rstrip("\r\n"), gaps.of(i)
        end = raw[len(content) :]
        if edits:
            spans = cell_spans(content, dialect.delimiter, dialect.quoting)
            if len(spans) != len(record):  # quoted in a way that only csv understands: written anew
                content = dialect.delimiter.join(map(dialect.quoted, record))
                spans = cell_spans(content, dialect.delimiter, dialect.quoting)
            spans = spans or [(0, 0)]
            texts = {}
            for gap in edits:
                was = content[slice(*spans[gap.cell])] if gap.cell < len(spans) else ""
                texts[gap.cell] = estimate(gap.col, gap.value, was)
            content = _spliced(content, spans, texts, dialect)
        parts.append(content + end)
    more = list(new_lines())
    if more and not dialect.final_newline:
        parts.append(dialect.newline)
    parts += [line + dialect.newline for line in more]
    parts.append(text[len(body) :])
    return _as_bytes("".join(parts), dialect)


def _spliced(raw: str, spans: list[tuple[int, int]], texts: dict[int, str], dialect: Dialect) -> str:
    """The text of a record in which the cells of ``texts`` are replaced; cells beyond its end are added."""
    parts, done = [], 0
    for j, (begin, end) in enumerate(spans):
        if j in texts:
            parts += [raw[done:begin], texts[j]]
            done = end
    parts.append(raw[done:])
    for j in range(len(spans), max(texts) + 1):
        parts += [dialect.delimiter, texts.get(j, "")]
    return "".join(parts)


def _lines_of_cells(filled: Filled, gaps: Gaps, estimate: Callable[[int, float, str], str]) -> Iterator[str]:
    """The lines of a file that is no text, as CSV."""
    source, dialect = filled.source, filled.source.dialect
    for record in range(len(source.grid.lines)):
        cells = [dialect.quoted(escape(text)) for text in source.grid.record(record)]
        for gap in gaps.of(record):
            cells += [""] * (gap.cell + 1 - len(cells))
            cells[gap.cell] = estimate(gap.col, gap.value, "")
        yield dialect.line(cells)


def to_csv_wide(filled: Filled) -> bytes:
    """One line per row of the matrix: the file itself where it is wide, otherwise a table of its own."""
    source = filled.source
    if source.form == "wide" and source.kind != "none":
        return to_csv(filled)
    dialect, M = source.dialect, filled.ratings.n_cols
    (rows, columns), named = filled.names, filled.ratings.row_labels is not None
    corner = [source.long_names[0] if source.form == "long" else ""] if named else []
    lines = []
    if filled.ratings.col_labels is not None:
        lines.append(dialect.line(dialect.quoted(escape(name)) for name in (*corner, *columns)))
    for start, texts in _blocks(filled):
        for n, row in enumerate(texts.reshape(-1, M).tolist(), start):
            lines.append(dialect.line([dialect.quoted(escape(rows[n])), *row] if named else row))
    return _encoded(lines, dialect)


def to_csv_long(filled: Filled) -> bytes:
    """One line per cell: row, column, value, provenance, estimate, interval and method.

    Rows and columns without a name get one, since each line has to name its cell. The value of an observed or held-out
    cell is the text that was read. Cells that are not plainly observed have an estimate, an interval where there is
    one, and the method. The cells of a long table come first, in its order.
    """
    dialect, M = filled.source.dialect, filled.ratings.n_cols

    def text(name: str) -> str:
        return dialect.quoted(escape(name))

    def numbers(X: np.ndarray, written: np.ndarray) -> list[str]:
        return _estimates(np.where(written, X, np.nan), dialect)

    rows, columns = ([text(name) for name in side] for side in filled.full_names)
    kinds, method = [dialect.quoted(name) for name in PROVENANCE], text(filled.method)
    ends = [] if filled.lower is None or filled.upper is None else [filled.lower, filled.upper]
    interval = ("lower", "upper", "interval") if ends else ()
    header = (*filled.source.long_names, "provenance", "estimate", *interval, "method")
    level = dialect.quoted("" if filled.level is None else _decimal(f"{filled.level:g}", dialect), False)
    empty, body = dialect.quoted(""), []
    for start, values in _blocks(filled):
        at = slice(start, start + len(values) // M)
        code = filled.kinds[at].reshape(-1)
        guessed = (code > OBSERVED) & (code < MISSING)
        parts = [
            np.repeat(np.array(rows[at], dtype=object), M).tolist(),
            columns * (len(values) // M),
            values.tolist(),
            [kinds[c] for c in code.tolist()],
            numbers(filled.mean[at].reshape(-1), guessed),
            *(numbers(end[at].reshape(-1), guessed) for end in ends),
            *([[level if g else empty for g in guessed.tolist()]] if ends else []),
            [method if g else empty for g in guessed.tolist()],
        ]
        body += [dialect.line(cells) for cells in zip(*parts)]
    return _encoded([dialect.line(map(text, header)), *(body[i] for i in cell_order(filled))], dialect)


_BLOCK = 200_000  # cells that become text at a time


def _blocks(filled: Filled) -> Iterator[tuple[int, np.ndarray]]:
    """(first row, (rows * M,) texts of its cells), block by block, quoted where the dialect needs it."""
    source, dialect, ratings = filled.source, filled.source.dialect, filled.ratings
    M = ratings.n_cols
    step = max(1, _BLOCK // M)
    for start in range(0, ratings.n_rows, step):
        stop = min(start + step, ratings.n_rows)
        cells = np.array(_estimates(np.asarray(filled.mean[start:stop]).reshape(-1), dialect), dtype=object)
        entries = slice(ratings.row_starts[start], ratings.row_starts[stop])
        at = (ratings.rows[entries] - start) * M + ratings.cols[entries]
        cells[at] = [
            dialect.quoted(source.grid.texts[code] if code >= 0 else _exact(value, dialect), False)
            for code, value in zip(source.codes[entries].tolist(), ratings.values[entries].tolist())
        ]
        yield start, cells


def _estimates(values: np.ndarray, dialect: Dialect) -> list[str]:
    """Estimates as texts of six significant digits; NaN becomes an empty cell."""
    texts = [_decimal(f"{v:.6g}", dialect) if v == v else "" for v in (values + 0.0).tolist()]
    if dialect.quoting == "all" or dialect.decimal in dialect.delimiter or dialect.delimiter == " ":
        texts = [dialect.quoted(text, False) for text in texts]
    return texts


def _exact(value: float, dialect: Dialect) -> str:
    """The shortest text that reads back as ``value``."""
    return _decimal(str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value), dialect)


def _decimal(text: str, dialect: Dialect) -> str:
    return text if dialect.decimal == "." else text.replace(".", dialect.decimal)


def _encoded(lines: Iterable[str], dialect: Dialect) -> bytes:
    return _as_bytes(dialect.newline.join(lines) + (dialect.newline if dialect.final_newline else ""), dialect)


def _as_bytes(text: str, dialect: Dialect) -> bytes:
    try:
        return dialect.bom + text.encode(dialect.encoding)
    except UnicodeEncodeError as error:
        raise TableError(
            f"{text[error.start]!r} cannot be written in the encoding of the table, {dialect.encoding}"
        ) from error

"""A filled table -> CSV, wide or long, as bytes.

It is written in the dialect in which the table was read: delimiter, decimal sign, encoding, quoting, line ends, comment
lines, order of rows, names. An observed cell is written with the characters that were read. Names and other texts that
a spreadsheet could take for a formula get an apostrophe (``escaping``), which reading takes off; ratings stay numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metamf.tables.dialect import Dialect, is_missing
from metamf.tables.escaping import comment_out, escape, label_out
from metamf.tables.limits import TableError
from metamf.tables.table import CellTexts, Frame, Source
from metamf.tables.writing.filled import MISSING, OBSERVED, PROVENANCE, Filled, cell_order

_BLOCK = 200_000  # cells that become text at a time, for some 20 MB of memory


def to_csv_wide(filled: Filled) -> bytes:
    """One line per row of the matrix, in the layout and dialect of the table that was read.

    Columns and rows that were left alone are written as they were read. An estimate in a column of words is the nearest
    of them, and one in a column of percentages, say, has their sign.
    """
    source, dialect, M = filled.source, filled.source.dialect, filled.ratings.n_cols
    if source.frame is not None:
        return _encoded([*_lines_above(source), *_framed_lines(filled, source.frame)], dialect)
    lines = list(_lines_above(source))

    def cell(text: str) -> str:
        return dialect.quoted(label_out(text))

    labels = source.row_texts
    if source.form == "wide" and source.heading.header is not None:
        shifted = len(source.heading.header) == M and labels is not None
        header = source.heading.header[: M + (labels is not None) - shifted]
        lines.append(dialect.line(map(cell, header), leads=True))
    elif source.form == "long":
        rows, columns = filled.names
        labels = [escape(name) for name in rows]
        header = (dialect.quoted(escape(name)) for name in ((source.long_names or ("",))[0], *columns))
        lines.append(dialect.line(header, leads=True))
    for start, texts in _number_blocks(filled):
        for i, row in enumerate(texts.reshape(-1, M).tolist()):
            leads = source.form == "wide" and source.heading.header is None and start + i == 0
            lines.append(dialect.line(row if labels is None else [cell(labels[start + i]), *row], leads))
    return _encoded(lines, dialect)


def _framed_lines(filled: Filled, frame: Frame) -> Iterator[str]:
    """All lines of a table of which a part was left alone."""
    dialect, written = filled.source.dialect, filled.source.cells.texts
    M, rated = filled.ratings.n_cols, [j for j, col in enumerate(frame.cols) if col >= 0]
    styled = [(j, style) for j, style in enumerate(frame.styles) if style is not None]
    observed = np.zeros(filled.ratings.shape, dtype=bool)
    observed[filled.ratings.rows, filled.ratings.cols] = True
    blocks = ((start, texts.reshape(-1, M)) for start, texts in _number_blocks(filled))
    start, block = 0, np.empty((0, M), dtype=object)
    for i, (codes, row) in enumerate(zip(frame.cells, frame.rows)):
        cells = [dialect.quoted(label_out(written[code]), not is_missing(written[code])) for code in codes]
        if row >= 0:
            while row >= start + len(block):
                start, block = next(blocks)
            estimates = block[row - start]
            for j, style in styled:
                value = filled.mean[row, j]
                if not observed[row, j] and value == value:
                    text = style.text_of(value, _decimal(f"{value:.6g}", dialect))
                    estimates[j] = dialect.quoted(text, True)
            for j, text in zip(rated, estimates):
                cells[j] = text
        yield dialect.line(cells, leads=i == 0)


def to_csv_long(filled: Filled) -> bytes:
    """One line per cell: row, column, value, provenance, estimate, interval and method.

    Rows and columns of a wide table without a name get one, since each line has to name its cell.
    The value of an observed or held-out cell is the text that was read. Cells that are not plainly observed have an
    estimate, an interval where there is one, and the method. The cells of a long table come first, in its order.
    """
    dialect, M = filled.source.dialect, filled.ratings.n_cols
    names = filled.source.long_names or ("row", "column", "value")

    def text(name: str) -> str:
        return dialect.quoted(escape(name))

    def numbers(X: np.ndarray, written: np.ndarray) -> np.ndarray:
        return _estimates(np.where(written, X, np.nan), dialect)

    rows, columns = ([text(name) for name in side] for side in filled.full_names)
    kinds, method = [dialect.quoted(name) for name in PROVENANCE], text(filled.method)
    ends = [] if filled.lower is None or filled.upper is None else [filled.lower, filled.upper]
    interval = ("lower", "upper", "interval") if ends else ()
    header = (*names, "provenance", "estimate", *interval, "method")
    lines = [dialect.line(map(text, header), leads=True)]
    level = dialect.quoted("" if filled.level is None else _decimal(f"{filled.level:g}", dialect), False)
    empty, body = dialect.quoted(""), []
    for start, values in _number_blocks(filled):
        at = slice(start, start + len(values) // M)
        code = filled.kinds[at].reshape(-1)
        guessed = (code > OBSERVED) & (code < MISSING)
        parts = [
            np.repeat(np.array(rows[at], dtype=object), M),
            np.tile(np.array(columns, dtype=object), len(values) // M),
            values,
            np.array(kinds, dtype=object)[code],
            numbers(filled.mean[at].reshape(-1), guessed),
        ]
        if ends:
            parts += [numbers(end[at].reshape(-1), guessed) for end in ends]
            parts.append(np.where(guessed, level, empty).astype(object))
        parts.append(np.where(guessed, method, empty).astype(object))
        body += [dialect.line(cells) for cells in zip(*(part.tolist() for part in parts))]
    return _encoded(lines + [body[i] for i in cell_order(filled)], dialect)


def _lines_above(source: Source) -> Iterator[str]:
    yield from map(comment_out, source.heading.comments)
    yield from (source.dialect.quoted(label_out(title)) for title in source.heading.titles)


def _number_blocks(filled: Filled) -> Iterator[tuple[int, np.ndarray]]:
    """(first row, (rows * M,) texts of its cells), block by block, quoted where the dialect needs it."""
    written, dialect, ratings = filled.source.cells, filled.source.dialect, filled.ratings
    M = ratings.n_cols
    texts = np.array([dialect.quoted(text, False) for text in _used(written, written.observed)], dtype=object)
    marks = [dialect.quoted(_mark(text), not is_missing(text)) for text in _used(written, written.missing)]
    marks = np.array(marks, dtype=object)
    observed, missing = (np.unique(codes, return_inverse=True)[1] for codes in (written.observed, written.missing))
    step = max(1, _BLOCK // M)
    for start in range(0, ratings.n_rows, step):
        stop = min(start + step, ratings.n_rows)
        cells = _estimates(np.asarray(filled.mean[start:stop]).reshape(-1), dialect)
        entries = slice(ratings.row_starts[start], ratings.row_starts[stop])
        at = (ratings.rows[entries] - start) * M + ratings.cols[entries]
        cells[at] = [
            texts[k] if code >= 0 else dialect.quoted(_exact(v, dialect), False)
            for k, code, v in zip(observed[entries], written.observed[entries], ratings.values[entries])
        ]
        here = (written.missing_rows >= start) & (written.missing_rows < stop)
        at = (written.missing_rows[here] - start) * M + written.missing_cols[here]
        unknown = filled.kinds[start:stop].reshape(-1)[at] == MISSING
        cells[at[unknown]] = marks[missing[here][unknown]]
        yield start, cells


def _used(written: CellTexts, codes: np.ndarray) -> list[str]:
    return ["" if code < 0 else written.texts[code] for code in np.unique(codes)]


def _mark(text: str) -> str:
    """The mark of a missing cell, safe in a spreadsheet; dashes alone are not a formula."""
    return text if not text.strip().strip("-") else label_out(text)


def _estimates(values: np.ndarray, dialect: Dialect) -> np.ndarray:
    """Estimates as texts of six significant digits; NaN becomes an empty cell."""
    texts = [_decimal(f"{v:.6g}", dialect) if v == v else "" for v in (values + 0.0).tolist()]
    if dialect.quoting == "all" or dialect.decimal in dialect.delimiter or dialect.delimiter == " ":
        texts = [dialect.quoted(text, False) for text in texts]
    return np.array(texts, dtype=object)


def _exact(value: float, dialect: Dialect) -> str:
    """The shortest text that reads back as ``value``."""
    value = float(value)
    return _decimal(str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value), dialect)


def _decimal(text: str, dialect: Dialect) -> str:
    return text if dialect.decimal == "." else text.replace(".", dialect.decimal)


def _encoded(lines: list[str], dialect: Dialect) -> bytes:
    text = dialect.newline.join(lines) + (dialect.newline if dialect.final_newline else "")
    try:
        return dialect.bom + text.encode(dialect.encoding)
    except UnicodeEncodeError as error:
        raise TableError(
            f"{text[error.start]!r} cannot be written in the encoding of the table, {dialect.encoding}"
        ) from error

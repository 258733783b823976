"""A table and an answer about it -> bytes: CSV, Excel with the origin of each cell in colours, or Parquet.

The file itself comes back with its gaps filled and nothing else changed: a text to the byte, a workbook as an edited
copy, a long table in its own order with all of its columns. Names that this library rewrites, and that a spreadsheet
would take for a formula, get an apostrophe, which reading takes off.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from copy import copy
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from metamf.files import write_atomically
from metamf.ratings.matrix import Ratings
from metamf.tables.limits import COMMAND_LINE, TableError
from metamf.tables.numbers import NUMBER, NumberFormat, read_texts
from metamf.tables.table import Source, Table
from metamf.tables.text import Dialect, build_grid, decode, escape, label_in, raw_cells, split_records
from metamf.tables.words import Style
from metamf.wording import percent

__all__ = ["Estimates", "to_csv", "to_csv_long", "to_csv_wide", "to_excel", "to_parquet", "write_atomically"]

OBSERVED, HELD_OUT, IMPUTED, CLIPPED, MISSING = range(5)
PROVENANCE = ("observed", "held out", "imputed", "clipped", "missing")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2
_STYLES = {
    HELD_OUT: ("FFF2CC", "observed, but hidden from the method"),
    IMPUTED: ("DDEBF7", "estimated"),
    CLIPPED: ("F8CBAD", "estimated, and put back on the rating scale"),
    MISSING: ("D9D9D9", "no estimate"),
}


class Gap(NamedTuple):
    """A cell of a file that gets an estimate: its place in the record, its row and column of the matrix, the value."""

    cell: int
    row: int
    col: int
    value: float


class Estimates(Protocol):
    """What is written of an answer about an (N, M) matrix (``metamf.answer.answer.Answer``), in rating units."""

    @property
    def method(self) -> str:
        """The name of the method."""

    @property
    def level(self) -> float | None:
        """The level of the intervals, such as 0.9; None without intervals."""

    @property
    def mean(self) -> np.ndarray:
        """(N, M) the estimates; ignored where a cell is observed; NaN where there is none."""

    @property
    def lower(self) -> np.ndarray | None:
        """(N, M) lower ends of the intervals; None without intervals."""

    @property
    def upper(self) -> np.ndarray | None:
        """(N, M) upper ends of the intervals; None without intervals."""

    @property
    def clipped(self) -> np.ndarray:
        """(N, M) whether an estimate was put back on the scale."""

    @property
    def hidden(self) -> np.ndarray:
        """(nnz,) whether each observed rating was hidden from the method."""


class _Cells:
    """The cells of a table, or of ratings from elsewhere (written as plain CSV: comma, point, UTF-8), given, estimated
    by an answer, if there is one, or neither. TableError where the answer is about a matrix of another shape."""

    def __init__(self, table: Table | Ratings, answer: Estimates | None):
        self.ratings: Ratings = table.ratings if isinstance(table, Table) else table
        self.source: Source = table.source if isinstance(table, Table) else _plain_source(table)
        self.answer = answer
        self.level = None if answer is None else answer.level
        self.method = "" if answer is None else answer.method
        shape = self.ratings.shape
        self.mean = np.full(shape, np.nan) if answer is None else np.array(answer.mean, dtype=np.float64)
        if self.mean.shape != shape:
            raise TableError(f"the answer has shape {self.mean.shape}, the table has shape {shape}")
        if self.source.kept is not None:
            self.mean[self.source.kept] = np.nan
        self.kinds = np.where(np.isnan(self.mean), MISSING, IMPUTED).astype(np.uint8)  # (N, M) the origin of each cell
        given = self.ratings.rows, self.ratings.cols
        self.kinds[given] = OBSERVED
        if answer is not None:
            self.kinds[answer.clipped & (self.kinds == IMPUTED)] = CLIPPED
            self.kinds[given] = np.where(answer.hidden, HELD_OUT, OBSERVED)

    def style(self, col: int) -> Style | None:
        """The form in which the ratings of a column of the matrix are written."""
        return self.source.styles[0 if self.source.form == "long" else col]

    @property
    def ends(self) -> dict[str, np.ndarray]:
        """The (N, M) 'lower' and 'upper' ends of the intervals; nothing without intervals."""
        ends = {} if self.answer is None else {"lower": self.answer.lower, "upper": self.answer.upper}
        return {name: X for name, X in ends.items() if X is not None}

    @cached_property
    def values(self) -> np.ndarray:
        """(N, M) the observed ratings, held out or not, and the estimates elsewhere, in rating units."""
        values = self.mean.copy()
        values[self.ratings.rows, self.ratings.cols] = self.ratings.values
        return values

    @cached_property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of rows and columns; the third column is called 'column 3' where it has none, or '3' where none has."""
        named = (self.ratings.row_labels, self.ratings.col_labels)
        rows, columns = (
            tuple(str(i) if labels is None else str(labels[i - 1]).strip() or f"{noun} {i}" for i in range(1, n + 1))
            for noun, labels, n in zip(("row", "column"), named, self.ratings.shape)
        )
        return rows, columns

    @cached_property
    def _estimated(self) -> np.ndarray:
        return (self.kinds == IMPUTED) | (self.kinds == CLIPPED)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {record: i for i, record in enumerate(self.source.records.tolist())}

    def gaps(self, record: int) -> list[Gap]:
        """The cells of a record of the file that get an estimate."""
        if (i := self._places.get(record)) is None:
            return []
        columns, pairs = self.source.columns, self.source.pairs
        if pairs is None:
            cols = np.flatnonzero(self._estimated[i])
            values = np.asarray(self.mean[i])[cols].tolist()
            return [Gap(columns[m], i, m, value) for m, value in zip(cols.tolist(), values)]
        n, m = int(pairs[0][i]), int(pairs[1][i])
        return [Gap(columns[-1], n, m, float(self.mean[n, m]))] if self._estimated[n, m] else []

    def new_lines(self) -> Iterator[tuple[list[str], Gap]]:
        """A line for each cell that a long table lacks: the names of its row and its column, as the first lines write
        them that have them, and the place of the estimate."""
        grid, records, pairs = self.source.grid, self.source.records, self.source.pairs
        if pairs is None:
            return
        width = int(grid.widths[records].max())
        *row_cells, column_cell, value_cell = self.source.columns
        first_rows, first_columns = (records[np.unique(side, return_index=True)[1]] for side in pairs)
        lacking = self._estimated.copy()
        lacking[pairs] = False
        for n, m in np.argwhere(lacking).tolist():
            row, column = grid.record(int(first_rows[n])), grid.record(int(first_columns[m]))
            names = {j: row[j] for j in row_cells} | {column_cell: column[column_cell]}
            line = [label_in(names.get(j, "")) for j in range(width)]
            yield line, Gap(value_cell, n, m, float(self.mean[n, m]))

    @property
    def order(self) -> np.ndarray:
        """The N * M cells in the order in which a long table gave them, then the others row by row."""
        N, M = self.ratings.shape
        rows, cols = self.source.pairs or (np.empty(0, dtype=np.int64),) * 2
        return pd.unique(np.append(rows.astype(np.int64) * M + cols, np.arange(N * M)))

    @property
    def cells(self) -> pd.DataFrame:
        """One line per cell, in that ``order``: row, column, value, provenance, and, where a cell is not plainly
        observed and has one, estimate, ends and level of the interval, and method."""
        (N, M), kinds = self.ratings.shape, self.kinds.reshape(-1)
        guessed = (kinds > OBSERVED) & (kinds < MISSING)
        rows, columns = (np.array(names, dtype=object) for names in self.names)
        interval = {"interval": np.full((N, M), self.level, dtype=np.float64)} if self.ends else {}
        numbers = {"estimate": self.mean, **self.ends, **interval}
        frame = {
            "row": np.repeat(rows, M),
            "column": np.tile(columns, N),
            "value": self.values.reshape(-1),
            "provenance": np.array(PROVENANCE, dtype=object)[kinds],
            **{name: np.where(guessed, np.reshape(X, -1).astype(float), np.nan) for name, X in numbers.items()},
            "method": np.where(guessed, self.method, "").astype(object),
        }
        return pd.DataFrame(frame).iloc[self.order]


def _plain_source(ratings: Ratings) -> Source:
    """The source of ratings that were not read from a file."""
    grid, codes = build_grid([], COMMAND_LINE, 0), np.full(ratings.nnz, -1)
    return Source(
        grid=grid, kind="none", records=grid.records, columns=(), styles=(None,) * ratings.n_cols, codes=codes
    )


def to_csv(table: Table | Ratings, answer: Estimates | None = None) -> bytes:
    """The file that was read, with an estimate in each gap; all other characters are those of the file. Cells that a
    long file lacks come as further lines at its end. An estimate in a column of words is the nearest of them, and one
    in a column of percentages has their sign. Of a file that is no text, the cells are written as CSV."""
    if not isinstance(table, Table) or table.source.kind == "none":
        return to_csv_wide(table, answer)
    filled = _Cells(table, answer)
    source, dialect = filled.source, filled.source.dialect
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
            if len(cells) != len(record):  # quoted in a way that only csv understands: rewritten
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


def _decimals(filled: _Cells, form: NumberFormat, col: int) -> int | None:
    """The most decimals of the numbers that are given in a column; None where some have exponents."""
    here = filled.source.codes[filled.ratings.cols == col] if filled.source.form == "wide" else filled.source.codes
    return form.decimals(filled.source.grid.texts[code] for code in np.unique(here[here >= 0]))


def to_csv_wide(table: Table | Ratings, answer: Estimates | None = None) -> bytes:
    """One line per row of the matrix: the file itself where it is wide, otherwise a table of its own."""
    if isinstance(table, Table) and table.source.form == "wide" and table.source.kind != "none":
        return to_csv(table, answer)
    filled = _Cells(table, answer)
    source = filled.source
    dialect, (rows, columns), named = source.dialect, filled.names, filled.ratings.row_labels is not None
    corner = [source.long_names[0] if source.form == "long" else ""] if named else []
    lines = []
    if filled.ratings.col_labels is not None:
        lines.append(dialect.line(dialect.name(name) for name in (*corner, *columns)))
    for n, name in enumerate(rows):
        first = [dialect.name(name)] if named else []
        lines.append(dialect.line([*first, *_row_of_texts(filled, n)]))
    return _encoded(lines, dialect)


def to_csv_long(table: Table | Ratings, answer: Estimates | None = None) -> bytes:
    """One line per cell: row, column, value, provenance, and, where a cell is not plainly observed and has one,
    estimate, ends and level of the interval, and method; the value of an observed or held-out cell is its text in the
    file."""
    filled = _Cells(table, answer)
    source, dialect, frame = filled.source, filled.source.dialect, filled.cells
    quoted = cache(dialect.name)
    texts = [text for n in range(filled.ratings.n_rows) for text in _row_of_texts(filled, n)]
    named = [map(quoted, frame[name]) for name in ("row", "column", "provenance", "method")]
    numbers = [_estimates(frame[name], dialect) for name in list(frame)[4:-1]]
    columns = *named[:2], (texts[i] for i in filled.order), named[2], *numbers, named[3]
    header = map(quoted, (*source.long_names, *list(frame)[3:]))
    return _encoded([dialect.line(header), *map(dialect.line, zip(*columns))], dialect)


def _row_of_texts(filled: _Cells, n: int) -> list[str]:
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


def to_excel(table: Table | Ratings, answer: Estimates | None = None) -> bytes:
    """A workbook: of one that was read, a copy in which the gaps alone are filled, in italics on a colour and in the
    number format of their column; otherwise a new one with the cells of the file. Sheets are added for the ends of
    intervals, for ratings that were hidden next to their estimates, and for a legend."""
    filled = _Cells(table, answer)
    import openpyxl

    source, (N, M) = filled.source, filled.ratings.shape
    if source.kind == "xlsx":
        book = openpyxl.load_workbook(io.BytesIO(source.data))
        _edit(filled, book[str(source.sheet)], source.grid.lines)
    else:
        lines = max(N, len(source.grid.lines))
        if lines > 1_048_575 or M > 16_383:
            raise TableError(
                f"Excel holds 1,048,575 rows and 16,383 columns of ratings, the table has {lines:,} x {M:,}: "
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


def _edit(filled: _Cells, sheet: Any, lines: np.ndarray) -> None:
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


def _estimate(filled: _Cells, gap: Gap) -> float | str:
    """An estimate as a number of six digits, or as the texts of its column are written."""
    number, style = NumberFormat().text(gap.value), filled.style(gap.col)
    text = number if style is None else style.text_of(gap.value, number)
    return float(f"{gap.value:.6g}") if text == number else _for_excel(text)


def _add_matrix(filled: _Cells, sheet: Any, X: np.ndarray) -> None:
    """Writes a matrix with the names of its rows and columns; NaN becomes an empty cell."""
    rows, columns = ([_for_excel(name) for name in side] for side in filled.names)
    sheet.append(["", *columns])
    given = (OBSERVED, HELD_OUT) if X is filled.values else ()
    for name, values, kinds in zip(rows, np.asarray(X).tolist(), filled.kinds.tolist()):
        numbers = (None if v != v else v if k in given else float(f"{v:.6g}") for v, k in zip(values, kinds))
        sheet.append([name, *(_cell(sheet, number, kind) for number, kind in zip(numbers, kinds))])


def _add_sheets(filled: _Cells, book: Any) -> None:
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


def to_parquet(table: Table | Ratings, answer: Estimates | None = None) -> bytes:
    """One line per cell, as in ``to_csv_long``; the first columns are always called row, column and value."""
    stream = io.BytesIO()
    _Cells(table, answer).cells.to_parquet(stream, index=False)
    return stream.getvalue()


def _for_excel(text: str) -> str:
    """A text as Excel can hold it: no formula, no character that XML forbids, and whole."""
    text = _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", escape(text))
    if len(text) > 32_767:
        raise TableError(f"Excel cells hold 32,767 characters, a name has {len(text):,}: write CSV or Parquet")
    return text

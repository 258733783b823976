"""A table and an answer about it -> bytes: CSV, Excel with the origin of each cell in colours, or
Parquet.

The file itself comes back with its gaps filled and nothing else changed: a text to the byte, a
workbook as an edited copy, a long table in its own order with all of its columns. Names that this
library rewrites, and that a spreadsheet would take for a formula, get an apostrophe, which reading
takes off.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from copy import copy
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from metamf.files import write_atomically
from metamf.ratings.matrix import Ratings
from metamf.tables.limits import COMMAND_LINE, TableError
from metamf.tables.numerals import NUMBER, NumberFormat, read_texts
from metamf.tables.table import Places, Table
from metamf.tables.text import (
    Dialect,
    build_grid,
    decode,
    escape,
    label_in,
    raw_cells,
    split_records,
)
from metamf.version import __version__
from metamf.wording import percent

__all__ = ["Estimates", "to_csv", "to_csv_long", "to_csv_wide", "to_excel", "to_parquet"]
__all__ += ["write_atomically"]

OBSERVED, HELD_OUT, IMPUTED, CLIPPED, MISSING = range(5)
PROVENANCE = ("observed", "held out", "imputed", "clipped", "missing")
# XML 1.0, section 2.2
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_OF_PLAN = 5_000  # lines of the legend
_STYLES = {
    HELD_OUT: ("FFF2CC", "observed, but hidden from the method"),
    IMPUTED: ("DDEBF7", "estimated"),
    CLIPPED: ("F8CBAD", "estimated, and put back on the rating scale"),
    MISSING: ("D9D9D9", "no estimate"),
}


class Gap(NamedTuple):
    """A cell of a file that gets an estimate: its place in the record, its row and column of the
    matrix, the value."""

    cell: int
    row: int
    col: int
    value: float


class Estimates(Protocol):
    """What is written of an answer about an (N, M) matrix (``metamf.answer.answer.Answer``), in
    rating units."""

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
    """The cells of a table, or of ratings from elsewhere (written as plain CSV: comma, point,
    UTF-8), given, estimated by an answer, if there is one, or neither. TableError where the answer
    is about a matrix of another shape.

    mean: (N, M) the estimates; kinds: (N, M) the origin of each cell; ends: the (N, M) 'lower' and
    'upper' ends of the intervals, nothing without intervals.
    """

    def __init__(self, table: Table | Ratings, answer: Estimates | None):
        self.table = table if isinstance(table, Table) else None
        self.ratings: Ratings = table.ratings if isinstance(table, Table) else table
        self.source: Places = table.source if isinstance(table, Table) else _plain_source(table)
        self.level = None if answer is None else answer.level
        self.method = "" if answer is None else answer.method
        self.ends: dict[str, np.ndarray] = {}
        shape = self.ratings.shape
        given = self.ratings.rows, self.ratings.cols
        self.mean = np.full(shape, np.nan)
        if answer is not None:
            self.mean = np.array(answer.mean, dtype=np.float64)
            ends = {"lower": answer.lower, "upper": answer.upper}
            self.ends = {name: X for name, X in ends.items() if X is not None}
        if self.mean.shape != shape:
            raise TableError(f"the answer has shape {self.mean.shape}, the table has shape {shape}")
        if self.source.kept is not None:
            self.mean[self.source.kept] = np.nan
        self.kinds = np.where(np.isnan(self.mean), MISSING, IMPUTED).astype(np.uint8)
        self.kinds[given] = OBSERVED
        if answer is not None:
            self.kinds[answer.clipped & (self.kinds == IMPUTED)] = CLIPPED
            self.kinds[given] = np.where(answer.hidden, HELD_OUT, OBSERVED)
        self.estimated = (self.kinds == IMPUTED) | (self.kinds == CLIPPED)

    @property
    def has_words(self) -> bool:
        """Whether a column holds words of a scale."""
        return self.table is not None and any(reading.words for reading in self.table.readings)

    @cached_property
    def _digits(self) -> list[int]:
        return [] if self.table is None else self.table.digits.tolist()

    def text(self, value: float, col: int) -> str:
        """An estimate of a column of the matrix, in its code and its digits; NaN becomes ''."""
        if value != value:
            return ""
        if self.table is None:
            return f"{value + 0.0:.6g}"
        return self.table.reading(col).text(value, self._digits[col])

    @cached_property
    def values(self) -> np.ndarray:
        """(N, M) the observed ratings, held out or not, and the estimates elsewhere, in rating
        units."""
        values = self.mean.copy()
        for col, digits in enumerate(self._digits if values.size else ()):
            values[:, col] = np.round(values[:, col], digits)
        values[self.ratings.rows, self.ratings.cols] = self.ratings.values
        return values

    @cached_property
    def names(self) -> tuple[list[str], list[str]]:
        """Names of rows and columns; the third column is called 'column 3' where it has none, or
        '3' where none has."""

        def of(labels: Any, noun: str, n: int) -> list[str]:
            if labels is None:
                return [str(i) for i in range(1, n + 1)]
            return [str(name).strip() or f"{noun} {i}" for i, name in enumerate(labels, 1)]

        N, M = self.ratings.shape
        return of(self.ratings.row_labels, "row", N), of(self.ratings.col_labels, "column", M)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {record: i for i, record in enumerate(self.source.records.tolist())}

    def gaps(self, record: int) -> list[Gap]:
        """The cells of a record of the file that get an estimate."""
        if (i := self._places.get(record)) is None:
            return []
        columns, pairs = self.source.columns, self.source.pairs
        if pairs is None:
            cols = np.flatnonzero(self.estimated[i])
            values = self.mean[i, cols].tolist()
            return [Gap(columns[m], i, m, value) for m, value in zip(cols.tolist(), values)]
        n, m = int(pairs[0][i]), int(pairs[1][i])
        return [Gap(columns[-1], n, m, float(self.mean[n, m]))] if self.estimated[n, m] else []

    def new_lines(self) -> Iterator[tuple[list[str], Gap]]:
        """A line for each cell that a long table lacks: the names of its row and its column, as the
        first lines write them that have them, and the place of the estimate."""
        grid, records, pairs = self.source.grid, self.source.records, self.source.pairs
        if pairs is None:
            return
        *row_cells, column_cell, value_cell = self.source.columns
        first_rows, first_columns = (
            records[np.unique(side, return_index=True)[1]] for side in pairs
        )
        lacking = self.estimated.copy()
        lacking[pairs] = False
        for n, m in np.argwhere(lacking).tolist():
            row, column = grid.record(int(first_rows[n])), grid.record(int(first_columns[m]))
            line = [""] * int(grid.widths[records].max())
            for j in row_cells:
                line[j] = label_in(row[j])
            line[column_cell] = label_in(column[column_cell])
            yield line, Gap(value_cell, n, m, float(self.mean[n, m]))

    def row_of_texts(self, n: int) -> list[str]:
        """The cells of row ``n``: the texts that were read, and estimates elsewhere."""
        source, ratings, point = self.source, self.ratings, self.source.dialect.decimal[:1]
        cells = [self.text(v, m) for m, v in enumerate(self.mean[n].tolist())]
        for at in range(ratings.row_starts[n], ratings.row_starts[n + 1]):
            code, value = source.codes[at], float(ratings.values[at])
            exact = str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
            text = source.grid.texts[code] if code >= 0 else exact.replace(".", point)
            cells[ratings.cols[at]] = text
        return cells

    @property
    def cells(self) -> pd.DataFrame:
        """One line per cell, in the order in which a long table gave them, then the others row by
        row: row, column, value, the text of the value, provenance, and, where a cell is not plainly
        observed and has one, estimate, ends and level of the interval, and method."""
        (N, M), kinds = self.ratings.shape, self.kinds.reshape(-1)
        guessed = (kinds > OBSERVED) & (kinds < MISSING)
        rows, columns = (np.array(names, dtype=object) for names in self.names)
        interval = {"interval": np.full((N, M), self.level, dtype=np.float64)} if self.ends else {}
        frame = {
            "row": np.repeat(rows, M),
            "column": np.tile(columns, N),
            "value": self.values.reshape(-1),
            "text": [text for n in range(N) for text in self.row_of_texts(n)],
            "provenance": np.array(PROVENANCE, dtype=object)[kinds],
        }
        for name, X in ({"estimate": self.mean} | self.ends | interval).items():
            frame[name] = np.where(guessed, np.reshape(X, -1).astype(float), np.nan)
        frame["method"] = np.where(guessed, self.method, "").astype(object)
        order = np.arange(N * M)
        if self.source.pairs is not None:
            rows, cols = self.source.pairs
            order = pd.unique(np.append(rows.astype(np.int64) * M + cols, order))
        return pd.DataFrame(frame).iloc[order]


def _plain_source(ratings: Ratings) -> Places:
    """The source of ratings that were not read from a file."""
    grid, codes = build_grid([], COMMAND_LINE, 0), np.full(ratings.nnz, -1)
    return Places(grid=grid, kind="none", records=np.arange(0), columns=(), codes=codes)


def to_csv(table: Table | Ratings, answer: Estimates | None = None) -> bytes:
    """The file that was read, with an estimate in each gap; all other characters are those of the
    file. Cells that a long file lacks come as further lines at its end. An estimate in a column of
    words is the nearest of them, and one in a column of percentages has their sign. Of a file that
    is no text, the cells are written as CSV."""
    if not isinstance(table, Table) or table.source.kind == "none":
        return to_csv_wide(table, answer)
    filled = _Cells(table, answer)
    source, dialect = filled.source, filled.source.dialect

    def with_estimates(cells: list[str], edits: list[Gap]) -> list[str]:
        cells += [""] * (edits[-1].cell + 1 - len(cells)) if edits else []
        for gap in edits:
            was = cells[gap.cell]
            text = filled.text(gap.value, gap.col)
            indent = was[: len(was) - len(was.lstrip(" "))] if dialect.delimiter == " " else ""
            cells[gap.cell] = indent + dialect.quoted(text, always=was.lstrip()[:1] == '"')
        return cells

    def further(always: bool) -> Iterator[str]:
        """The lines that a long file lacks, with each cell in quotation marks, or those that need
        them."""
        for texts, gap in filled.new_lines():
            cells = [dialect.name(text, always) for text in texts]
            cells[gap.cell] = '""' if always else ""
            yield dialect.line(with_estimates(cells, [gap]))

    if source.kind != "text":
        records = (
            with_estimates([dialect.name(text) for text in source.grid.record(i)], filled.gaps(i))
            for i in range(len(source.grid.lines))
        )
        return _encoded([*map(dialect.line, records), *further(False)], dialect)
    text = decode(source.data, dialect.encoding)[0]
    body = text.rstrip("\x1a")
    written = dialect.delimiter, dialect.quotes, dialect.escaped
    parts = []
    for i, (_, record, raw) in enumerate(split_records(body, *written)):
        if edits := filled.gaps(i):
            content = raw.rstrip("\r\n")
            cells = raw_cells(content, *written)
            if len(cells) != len(record):  # quoted in a way that only csv understands: rewritten
                cells = list(map(dialect.quoted, record))
            raw = dialect.delimiter.join(with_estimates(cells, edits)) + raw[len(content) :]
        parts.append(raw)
    last = raw_cells(raw.rstrip("\r\n"), *written)
    more = [*further(dialect.quotes and all(cell[:1] == '"' for cell in last))]
    if more and not body.endswith(("\n", "\r")):
        parts.append(dialect.newline)
    parts += [line + dialect.newline for line in more]
    return _as_bytes("".join([*parts, text[len(body) :]]), dialect)


def to_csv_wide(table: Table | Ratings, answer: Estimates | None = None) -> bytes:
    """One line per row of the matrix: the file itself where it is wide, otherwise a table of its
    own."""
    if isinstance(table, Table) and table.source.form == "wide" and table.source.kind != "none":
        return to_csv(table, answer)
    filled = _Cells(table, answer)
    source, dialect, (rows, columns) = filled.source, filled.source.dialect, filled.names
    named = filled.ratings.row_labels is not None
    lines = []
    if filled.ratings.col_labels is not None:
        corner = [source.long_names[0] if source.form == "long" else ""] if named else []
        lines.append(dialect.line(map(dialect.name, [*corner, *columns])))
    for n, name in enumerate(rows):
        first = [dialect.name(name)] if named else []
        lines.append(dialect.line([*first, *map(dialect.quoted, filled.row_of_texts(n))]))
    return _encoded(lines, dialect)


def to_csv_long(table: Table | Ratings, answer: Estimates | None = None) -> bytes:
    """One line per cell: row, column, value, provenance, and, where a cell is not plainly observed
    and has one, estimate, ends and level of the interval, and method; the value of an observed or
    held-out cell is its text in the file. Where columns hold words, the value is the number that
    stands for the word, and the word is in a column ``text``."""
    filled = _Cells(table, answer)
    dialect, frame = filled.source.dialect, filled.cells
    if not filled.has_words:
        frame["value"] = frame.pop("text")
    quoted = cache(dialect.name)
    columns = [
        _numbers(values, dialect)
        if values.dtype.kind == "f"
        else list(map(dialect.quoted if name in ("value", "text") else quoted, values))
        for name, values in frame.items()
    ]
    header = map(quoted, (*filled.source.long_names, *list(frame)[3:]))
    return _encoded([dialect.line(header), *map(dialect.line, zip(*columns))], dialect)


def _numbers(values: pd.Series, dialect: Dialect) -> list[str]:
    """Numbers as texts of six significant digits; NaN becomes an empty cell."""
    point = dialect.decimal[:1]
    texts = [f"{v + 0.0:.6g}".replace(".", point) if v == v else "" for v in values.tolist()]
    return list(map(dialect.quoted, texts))


def _encoded(lines: Iterable[str], dialect: Dialect) -> bytes:
    return _as_bytes("".join(line + dialect.newline for line in lines), dialect)


def _as_bytes(text: str, dialect: Dialect) -> bytes:
    try:
        return dialect.bom + text.encode(dialect.encoding)
    except UnicodeEncodeError as error:
        raise TableError(
            f"{text[error.start]!r} cannot be written in the encoding of the table, "
            f"{dialect.encoding}"
        ) from error


def to_excel(
    table: Table | Ratings, answer: Estimates | None = None, seed: int | None = None
) -> bytes:
    """A workbook: of one that was read, a copy in which the gaps alone are filled, in italics on a
    colour and in the number format of their column; otherwise a new one with the cells of the file.
    Sheets are added for the ends of intervals, for ratings that were hidden next to their
    estimates, and for a legend, with the version, the ``seed``, the plan and a digest of the file.
    """
    import openpyxl

    filled = _Cells(table, answer)
    source, (N, M) = filled.source, filled.ratings.shape
    grid = source.grid
    if source.kind == "xlsx":
        book = openpyxl.load_workbook(io.BytesIO(source.data))
        _edit(filled, book[str(source.sheet)], grid.lines)
    else:
        lines = max(N, len(grid.lines))
        if lines > 1_048_575 or M > 16_383:
            raise TableError(
                "Excel holds 1,048,575 rows and 16,383 columns of ratings, the table has "
                f"{lines:,} x {M:,}: write CSV or Parquet"
            )
        book = openpyxl.Workbook()
        sheet = book.active
        sheet.title = "Filled"
        if source.kind == "none":
            _add_matrix(filled, sheet, filled.values)
        else:
            m = read_texts(
                grid.texts, NumberFormat(source.dialect.decimal, source.dialect.thousands)
            )
            values = [
                float(value) if kind == NUMBER and not padded else _for_excel(text) or None
                for text, value, kind, padded in zip(grid.texts, m.values, m.kinds, m.padded)
            ]
            for start, end in pairwise(grid.starts):
                sheet.append([values[code] for code in grid.codes[start:end]])
            _edit(filled, sheet, np.arange(1, len(grid.lines) + 1))
    _add_sheets(filled, book, seed)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _coloured(cell: Any, kind: int) -> Any:
    """The cell with the colour of its origin."""
    from openpyxl.styles import PatternFill

    font = copy(cell.font)
    font.italic = kind != HELD_OUT
    cell.font = font
    cell.fill = PatternFill("solid", fgColor=_STYLES[kind][0])
    return cell


def _cell(sheet: Any, value: Any, kind: int) -> Any:
    """A value to append to a sheet, with the colour of its origin."""
    from openpyxl.cell import WriteOnlyCell

    return _coloured(WriteOnlyCell(sheet, value), kind) if kind else value


def _edit(filled: _Cells, sheet: Any, lines: np.ndarray) -> None:
    """Writes the estimates into the gaps of the sheet, whose records are on these ``lines``, and
    those that a long table lacks below it; each in the number format of its column."""
    source, first = filled.source, filled.source.first_column

    @cache
    def format_of(column: int) -> str:
        formats = (sheet.cell(int(lines[i]), first + column).number_format for i in source.records)
        return next((found for found in formats if found != "General"), "General")

    def write(line: int, gap: Gap) -> None:
        cell = sheet.cell(line, first + gap.cell, _estimate(filled, gap))
        if cell.number_format == "General":
            cell.number_format = format_of(gap.cell)
        _coloured(cell, int(filled.kinds[gap.row, gap.col]))

    for record in map(int, source.records):
        for gap in filled.gaps(record):
            write(int(lines[record]), gap)
    for line, (names, gap) in enumerate(filled.new_lines(), int(lines[-1]) + 1):
        for j, name in enumerate(names):
            sheet.cell(line, first + j, _for_excel(name) or None)
        write(line, gap)


def _estimate(filled: _Cells, gap: Gap) -> float | str:
    """An estimate of a file as a number, or as the texts of its column are written."""
    text = filled.text(gap.value, gap.col)
    number = filled.table.reading(gap.col).form.value(text) if filled.table else float(text)
    return number if number == number else _for_excel(text)


def _add_matrix(filled: _Cells, sheet: Any, X: np.ndarray) -> None:
    """Writes a matrix with the names of its rows and columns; NaN becomes an empty cell."""
    rows, columns = (list(map(_for_excel, side)) for side in filled.names)
    sheet.append(["", *columns])
    given = (OBSERVED, HELD_OUT) if X is filled.values else ()
    for name, values, kinds in zip(rows, X.tolist(), filled.kinds.tolist()):
        numbers = [v if kind in given else _six_digits(v) for v, kind in zip(values, kinds)]
        sheet.append([name, *(_cell(sheet, v, kind) for v, kind in zip(numbers, kinds))])


def _six_digits(value: float) -> float | None:
    return float(f"{value:.6g}") if value == value else None


def _add_sheets(filled: _Cells, book: Any, seed: int | None) -> None:
    """Adds the ends of intervals, the ratings that were hidden, and the legend."""
    for title, X in filled.ends.items():
        sheet = book.create_sheet(title.capitalize())
        sheet.freeze_panes = "B2"
        _add_matrix(filled, sheet, np.where(filled.kinds == OBSERVED, np.nan, X))
    rows, columns = filled.names
    hidden = np.argwhere(filled.kinds == HELD_OUT).tolist()
    if hidden:
        sheet = book.create_sheet("Held out")
        sheet.append(["row", "column", "rating", "estimate", *filled.ends])
        for n, m in hidden:
            estimates = (_six_digits(X[n, m]) for X in (filled.mean, *filled.ends.values()))
            names = _for_excel(rows[n]), _for_excel(columns[m])
            sheet.append([*names, float(filled.values[n, m]), *estimates])
    legend = book.create_sheet("Legend")
    legend.append(["provenance", "meaning", "cells"])
    counts = np.bincount(filled.kinds.reshape(-1), minlength=len(PROVENANCE)).tolist()
    legend.append(["observed", "as in the table that was read", counts[OBSERVED]])
    for kind, (_, meaning) in _STYLES.items():
        legend.append([_cell(legend, PROVENANCE[kind], kind), meaning, counts[kind]])
    legend.append(["method", _for_excel(filled.method)])
    if filled.level is not None:
        share = percent(filled.level, digits=6)
        legend.append(["interval", f"{share} of the missing values should lie in Lower to Upper"])
    legend.append(["version", f"MetaMF {__version__}"])
    if seed is not None:
        legend.append(["seed", seed])
    if filled.table is not None:
        legend.append(["SHA-256 of the file", filled.table.digest])
        for line in filled.table.plan.to_json().splitlines()[:_MOST_OF_PLAN]:
            legend.append(["plan", _for_excel(line)])


def to_parquet(table: Table | Ratings, answer: Estimates | None = None) -> bytes:
    """One line per cell, as in ``to_csv_long``; the first columns are always called row, column and
    value."""
    filled = _Cells(table, answer)
    frame = filled.cells
    if not filled.has_words:
        del frame["text"]
    stream = io.BytesIO()
    frame.to_parquet(stream, index=False)
    return stream.getvalue()


def _for_excel(text: str) -> str:
    """A text as Excel can hold it: no formula, no character that XML forbids, and whole."""
    text = _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", escape(text))
    if len(text) > 32_767:
        raise TableError(
            f"Excel cells hold 32,767 characters, a name has {len(text):,}: write CSV or Parquet"
        )
    return text

"""The lines and columns of a file: where its table lies, its header, and the cells below it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from metamf.tables.bits import number_bits, odd_bits, shape_bits, text_bits, word_bits
from metamf.tables.numerals import (
    FORMATS,
    NUMBER,
    TEXT,
    NumberFormat,
    Texts,
    is_missing,
    is_number_like,
    number_in,
    read_texts,
)
from metamf.tables.text import COMMENT, Grid, label_in

_SAMPLE_LINES = 200
_SAMPLE_COLUMNS = 60
_MOST_HEADER = 4  # lines
_COMMA_IN_QUOTES = 20.0  # bits against a decimal sign that is the delimiter, too
_TWO_SIGNS = 20.0  # bits against two decimal signs in one table
_NO_NAMES = 25.0  # bits against a table without a header
_FURTHER_LINE = 12.0  # bits of each further line of a header
_RISING = 20.0  # bits of numbers that grow from name to name, such as years
_NOT_A_NAME = 20.0  # bits of a number among the names, such as 3.5
_OF_CELLS = (NumberFormat(), NumberFormat(".,"))  # numbers of a workbook have a decimal point
_NOT_A_HEADER = 200.0  # bits of a line of which most cells are numbers that do not grow
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_LARGEST_NAME = 1e9  # of a number that is a name
_NEW = 12.0  # bits of a number among words
_NAMELESS = 5.0  # bits of a column without a name below others with one


@dataclass(frozen=True, eq=False)
class Body:
    """The rectangle below the header: (L, C) codes of the texts, (L,) lines of the file and
    positions in the grid; lines with cells beyond the last column; and lines that were short."""

    codes: np.ndarray
    lines: np.ndarray
    records: np.ndarray
    longer: tuple[int, ...] = ()
    shorter: tuple[int, ...] = ()


def written(grid: Grid, width: int) -> np.ndarray:
    """(L,) Whether each record of the grid has a cell that is not blank; in a file of one column
    blank lines are gaps, those at either end apart."""
    filled = grid.written
    if width == 1 and filled.any():
        at = np.flatnonzero(filled)
        filled = filled.copy()
        filled[at[0] : at[-1]] = True
    return filled


def width_of(grid: Grid) -> int:
    """The number of columns: that of most lines, or of a first line with more names."""
    widths = grid.widths[written(grid, 0)].tolist()
    if not widths:
        return 0
    found = Counter(widths)
    most = max(found, key=lambda width: (found[width], width))
    return widths[0] if 1 < most < widths[0] == max(found) else most


def body_of(grid: Grid, header: int, width: int) -> Body:
    """The cells below line ``header``: short lines are filled up, and what is beyond ``width`` is
    left out."""
    chosen = np.flatnonzero(written(grid, width) & (grid.lines > header))
    widths = grid.widths[chosen]
    at = np.arange(width)
    places = np.minimum(grid.starts[chosen][:, None] + at, max(len(grid.codes) - 1, 0))
    codes = np.append(grid.codes, np.int32(0))[places]
    codes[at >= widths[:, None]] = 0
    lines = grid.lines[chosen]
    longer = [
        int(grid.lines[i])
        for i in chosen[widths > width]
        if any(text.strip() for text in grid.record(int(i))[width:])
    ]
    shorter = tuple(lines[widths < width][:100].tolist())
    return Body(codes, lines, chosen, tuple(longer), shorter)


@dataclass(frozen=True)
class Header:
    """The lines with names: the file's line of the last one, 0 without any; the names of the
    columns; lines above the table, such as titles, that have no names; names that come again."""

    line: int
    names: tuple[str, ...]
    above: tuple[int, ...]
    repeated: tuple[str, ...] = ()


def header_of(grid: Grid, width: int, form: NumberFormat, said: int | None) -> Header:
    """The header lines with the shortest description, or those up to line ``said`` of the file."""
    places = np.flatnonzero(written(grid, width))[: _SAMPLE_LINES + 20].tolist()
    n_above = _lines_above(grid, places, width)
    above = tuple(grid.lines[places[:n_above]].tolist())
    places = places[n_above:]
    records = [grid.record(i) for i in places[:_SAMPLE_LINES]]
    lines = grid.lines[places]
    if records and len(records[0]) == width - 1 and all(len(r) == width for r in records[1:]):
        records[0] = ["", *records[0]]
    n = _header_lines(records, form, width) if said is None else int((lines <= said).sum())
    names, repeated = _names(records[:n], width)
    return Header(int(lines[n - 1]) if n else 0, names, above, repeated)


def _lines_above(grid: Grid, places: list[int], width: int) -> int:
    """How many titles and comments stand above the table: lines whose few cells stand at the
    beginning."""
    for n_above, i in enumerate(places[:-1]):
        cells = [cell.strip() for cell in grid.record(i)]
        n = sum(map(bool, cells))
        comment = COMMENT.match(cells[0]) and len(cells) != width
        text = cells[0] and not is_number_like(cells[0])
        short = len(cells) < width or text and n < 3
        if not (comment or width > 2 and 2 * n <= width and all(cells[:n]) and short):
            return n_above
    return max(len(places) - 1, 0)


def _header_lines(records: list[list[str]], form: NumberFormat, width: int) -> int:
    """How many of the first records are names; those that come again are left out."""
    records = [record for i, record in enumerate(records) if not i or record != records[0]]
    costs = []
    for n in range(min(_MOST_HEADER, len(records)) + 1):
        if n and (n == len(records) or not any(cell.strip() for cell in records[n - 1])):
            break
        costs.append(_cost_of_header(records, n, form, width))
    return int(np.argmin(costs))


def _cost_of_header(records: list[list[str]], n: int, form: NumberFormat, width: int) -> float:
    """Bits of the records if the first ``n`` hold names."""
    cost = _NO_NAMES if n == 0 else _FURTHER_LINE * (n - 1)
    cost += sum(_cost_of_names(record, form, i == 0) for i, record in enumerate(records[:n]))
    for j in range(min(width, _SAMPLE_COLUMNS)):
        cells = Counter(record[j].strip() if j < len(record) else "" for record in records[n:])
        cost += _cost_of_cells(cells, form)
    return cost


def _cost_of_names(record: list[str], form: NumberFormat, first: bool) -> float:
    """Bits of a line of names; numbers among them, such as years, grow from name to name."""
    cells = [cell.strip() for cell in record[:_SAMPLE_COLUMNS]]
    values = list(map(form.value, cells))
    texts = [cell for cell, value in zip(cells, values) if value != value]
    found = np.array([value for value in values if value == value])
    cost = sum(text_bits(cell) if cell else _NAMELESS for cell in texts)
    rising = len(found) > 1 and not (found % 1).any() and (np.diff(found) > 0).all()
    years = len(found) and _FIRST_YEAR <= found.min() <= found.max() <= _LAST_YEAR
    if first and rising and (len(found) > 2 or years) and np.abs(found).max() < _LARGEST_NAME:
        return cost + _RISING + (_NOT_A_NAME if not texts else 0.0)
    cost += sum(text_bits(c) + _NOT_A_NAME for c, value in zip(cells, values) if value == value)
    mostly = 0 < len(found) >= sum(map(bool, texts))
    return cost + (_NOT_A_HEADER if mostly else 0.0)


def _cost_of_cells(cells: Counter[str], form: NumberFormat) -> float:
    """Bits of a column by its shortest description, numbers or words."""
    texts = [cell for cell in cells if not is_missing(cell)]
    if not texts:
        return 0.0
    n = np.array([cells[text] for text in texts], dtype=float)
    values = np.array(list(map(form.value, texts)))
    is_number = ~np.isnan(values)
    words = min(word_bits(texts, n), shape_bits(texts, n))
    if not is_number.any():
        return words
    words += odd_bits([], n[is_number]) + _NEW * int(is_number.sum())  # numbers are no words
    odd = [text for text, ok in zip(texts, is_number) if not ok]
    decimals = np.array([form.decimals(text) for text, ok in zip(texts, is_number) if ok])
    cost = number_bits(values[is_number], n[is_number], decimals)
    if odd:  # texts among numbers, which may be alike but for their digits
        cost += min(odd_bits(odd, n[~is_number]), shape_bits(odd, n[~is_number]))
    return min(words, cost)


def _names(records: list[list[str]], width: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the columns, each once, and those that come again: of the first line where it names
    all columns, or else of all lines together."""
    rows = [[_name(cell) for cell in [*record, *[""] * width][:width]] for record in records]
    rows = [row for row in rows if any(row)]
    full = [row for row in rows if all(row[1:]) and len(set(row)) == width]
    if full:
        rows = full[:1]
    for row in rows[:-1]:  # a name stands over the columns up to the next one
        for j in range(1, width):
            row[j] = row[j] or row[j - 1]
    joined = [": ".join(dict.fromkeys(filter(None, parts))) for parts in zip(*rows)]
    taken: Counter[str] = Counter()
    names = []
    for j, name in enumerate(joined or [""] * width, 1):
        name = name or f"column {j}"
        taken[name] += 1
        names.append(name if taken[name] == 1 else f"{name} ({taken[name]})")
    while len(set(names)) < len(names):  # a column is called "A (2)" itself
        n = Counter(names)
        names = [f"{name} ({j})" if n[name] > 1 else name for j, name in enumerate(names, 1)]
    return tuple(names), tuple(name for name, n in taken.items() if n > 1)


def _name(cell: str) -> str:
    name = label_in(cell)
    if re.fullmatch(r"[-:=|\s]*", name):
        return ""
    return re.sub(r"^(?:#|%|//)\s*(?=\w)", "", name)


def number_format(
    texts: list[str],
    body: np.ndarray,
    delimiter: str | None,
    decimal: str | None,
    thousands: str | None,
) -> tuple[NumberFormat, NumberFormat | None, float]:
    """The number format with the shortest description of (L, C) cells; the next one that reads some
    number otherwise, and the margin between them in bits. Without a ``delimiter`` the file is no
    text, and its numbers have a decimal point."""
    sample = body[:: max(1, len(body) // _SAMPLE_LINES)][:, :_SAMPLE_COLUMNS]
    columns = []
    for codes in sample.T:
        used, counts = np.unique(codes, return_counts=True)
        column: Counter[str] = Counter()
        for code, n in zip(used, counts.tolist()):
            if number := number_in(texts[code]):
                column[number] += n
        if not all(map(str.isdecimal, column)):
            columns.append(column)
    formats = [
        form
        for form in (FORMATS if delimiter is not None else _OF_CELLS)
        if decimal in (None, form.decimal) and thousands in (None, form.thousands)
    ] or [NumberFormat(decimal or ".", thousands or "")]
    if not columns:
        return formats[0], None, np.inf
    costs = sorted((_cost_of_format(columns, f, delimiter), i) for i, f in enumerate(formats))
    cost, i = costs[0]
    best = formats[i]
    for other, i in costs[1:]:
        pairs = [(best.value(t), formats[i].value(t)) for column in columns for t in column]
        if any(a == a and b == b and a != b for a, b in pairs):
            return best, formats[i], other - cost
    return best, None, np.inf


def _cost_of_format(
    columns: Sequence[dict[str, int]], form: NumberFormat, delimiter: str | None
) -> float:
    """Bits of columns of numbers in one format, and of the format."""
    cost = _TWO_SIGNS if len(form.decimal) > 1 else 0.0
    if form.thousands:
        cost += 4.0 if form.thousands == "," and delimiter != ";" else 12.0
    if form.decimal == "," and delimiter != ";":
        cost += _COMMA_IN_QUOTES if delimiter == "," else 8.0
    for column in columns:
        values = np.array(list(map(form.value, column)))
        if delimiter and delimiter in form.decimal and _rarely(delimiter, column):
            values[[delimiter in text for text in column]] = np.nan
        n = np.array(list(column.values()), dtype=float)
        ok = ~np.isnan(values)
        odd = [text for text, is_read in zip(column, ok) if not is_read]
        decimals = np.array([form.decimals(t) for t, is_read in zip(column, ok) if is_read])
        cost += number_bits(values[ok], n[ok], decimals)
        cost += odd_bits(odd, n[~ok]) + _NEW * float(n[~ok].sum())  # they are numbers, too
    return cost


def _rarely(sign: str, column: dict[str, int]) -> bool:
    """Whether a sign stands in less than half the numbers of a column."""
    return 2 * sum(n for text, n in column.items() if sign in text) < sum(column.values())


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a table as numbers: its body, what its texts mean, and, of each cell, (L, C)
    NUMBER, NO_VALUE or TEXT, and its plain number or NaN."""

    body: Body
    texts: Texts
    kinds: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, grid: Grid, body: Body, form: NumberFormat) -> Cells:
        texts = read_texts(grid.texts, form)
        return cls(body, texts, texts.kinds[body.codes], texts.values[body.codes])

    def without(self, lines: ArrayLike) -> Cells:
        """The cells but for some lines of the file."""
        kept = ~np.isin(self.body.lines, np.asarray(lines, dtype=np.int64))
        body = self.body
        body = replace(
            body, codes=body.codes[kept], lines=body.lines[kept], records=body.records[kept]
        )
        return Cells(body, self.texts, self.kinds[kept], self.values[kept])

    def counts(self, j: int, kind: int) -> tuple[np.ndarray, np.ndarray]:
        """The (k,) different codes of one kind in a column, and their (k,) numbers of cells."""
        return np.unique(self.body.codes[self.kinds[:, j] == kind, j], return_counts=True)

    def words(self, j: int) -> dict[str, int]:
        """The texts of a column that are neither numbers nor missing, and their numbers of
        cells."""
        found: Counter[str] = Counter()
        for code, n in zip(*self.counts(j, TEXT)):
            found[self.texts.texts[code].strip()] += int(n)
        return dict(found)

    def numbers(self, j: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The different numbers of a column, their numbers of cells, and their decimals."""
        codes, n = self.counts(j, NUMBER)
        decimals = self.texts.decimals[codes]
        return self.texts.values[codes], n, decimals

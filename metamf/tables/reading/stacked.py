"""Several tables under each other in one file: where each begins, and the one that is read.

A table of its own begins after a blank line, with a line of names above columns of numbers. Where all of them have the
same names they are read as one, and what stands between them is left alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metamf.tables.limits import TableError
from metamf.tables.reading.grid import Grid
from metamf.tables.reading.layout import TableLayout
from metamf.tables.reading.notes import Note
from metamf.tables.reading.numerals import NO_VALUE, NUMBER, TEXT, Meanings
from metamf.tables.reading.roles import ALONE, NAME, LineRole
from metamf.wording import listed

_FEWEST_LINES = 3  # of a table, with its names
_FEWEST_COLUMNS = 2  # with a name above and numbers below
_MOST_ABOVE = 3  # lines of title above the names


class StackedTables(NamedTuple):
    """Tables under each other.

    Attributes
    ----------
    grid : the lines of the one that is read, or all lines
    lines : first and last line of the file of each table, counted from 1; empty where there is one alone
    read : position of the one that is read; None where there is one alone
    notes : notes that were taken
    """

    grid: Grid
    lines: tuple[tuple[int, int], ...] = ()
    read: int | None = None
    notes: tuple[Note, ...] = ()


def one_table(grid: Grid, meanings: Meanings, wanted: int | None) -> StackedTables:
    """The table that is wanted, by its position counted from 0; None: the one with most cells.

    Raises
    ------
    TableError
        If there is no table at that position.
    """
    starts = _starts(grid, meanings)
    if len(starts) < 2:
        if wanted:
            raise TableError(f"the file holds one table, not {wanted + 1}: leave the number of the table open")
        return StackedTables(grid)
    ends = [*starts[1:], len(grid.lines)]
    written = np.flatnonzero(~_blank(grid))
    records = [written[(written >= start) & (written < end)] for start, end in zip(starts, ends)]  # without blank ends
    spans = [(int(grid.lines[inside[0]]), int(grid.lines[inside[-1]])) for inside in records]
    if wanted is not None and not 0 <= wanted < len(starts):
        raise TableError(f"the file holds {len(starts)} tables under each other: there is no table {wanted + 1}")
    sizes = [int(grid.widths[inside].sum()) for inside in records]
    read = int(np.argmax(sizes)) if wanted is None else wanted
    kept = np.zeros(len(grid.lines), dtype=bool)
    kept[records[read][0] : records[read][-1] + 1] = True
    where = listed([f"{first:,} to {last:,}" for first, last in spans])
    message = (
        f"the file holds {len(starts)} tables under each other, on lines {where}; the one on lines "
        f"{spans[read][0]:,} to {spans[read][1]:,} was read, and files hold it alone; choose another one if need be"
    )
    return StackedTables(grid.keep(kept), tuple(spans), read, (Note("tables", message),))


def _blank(grid: Grid) -> np.ndarray:
    """(L,) which records hold nothing."""
    empty = np.array([not text.strip() for text in grid.texts])
    record = np.repeat(np.arange(len(grid.lines)), grid.widths)
    return np.bincount(record, ~empty[grid.codes], minlength=len(grid.lines)) == 0


def _line_breaks(texts: list[str]) -> np.ndarray:
    """(texts,) how many lines of the file each quoted text goes on for after its first one."""
    return np.array([text.replace("\r\n", "\n").replace("\r", "\n").count("\n") for text in texts])


def _lines_between(lines: np.ndarray, breaks: np.ndarray) -> np.ndarray:
    """(L - 1,) whether lines of the file lie between each record and the next; a record with line breaks is longer."""
    return np.diff(lines) - breaks[:-1] > 1


def _starts(grid: Grid, meanings: Meanings) -> list[int]:
    """The record at which each table begins, its title included; one, or none, unless their names differ."""
    blank = _blank(grid)
    gap = np.zeros(len(blank), dtype=bool)
    record = np.repeat(np.arange(len(grid.lines)), grid.widths)
    breaks = np.bincount(record, _line_breaks(grid.texts)[grid.codes], minlength=len(grid.lines))
    gap[1:] = blank[:-1] | _lines_between(grid.lines, breaks)
    first = np.flatnonzero(~blank & (gap | (np.arange(len(blank)) == 0)))  # of each block
    if len(first) < 2:
        return []
    starts: list[int] = []
    names = set()
    for start, end in zip(first, [*first[1:], len(blank)]):
        if end - start < _FEWEST_LINES:
            continue
        header = _names(grid, meanings, int(start), int(end))
        if header is not None:
            starts.append(int(start) if starts else 0)
            names.add(header)
    return starts if len(names) > 1 else []


def _names(grid: Grid, m: Meanings, start: int, end: int) -> tuple[str, ...] | None:
    """The names at the head of a block of lines; None where it does not look like a table."""
    for i in range(start, min(start + _MOST_ABOVE, end - 1)):
        codes = grid.codes[grid.starts[i] : grid.starts[i + 1]]
        kinds = m.kinds[codes]
        if (kinds == NUMBER).any() or (kinds == TEXT).sum() < _FEWEST_COLUMNS:
            continue
        numbers = np.zeros(len(codes), dtype=int)
        others = np.zeros(len(codes), dtype=int)
        for below in range(i + 1, end):
            line = m.kinds[grid.codes[grid.starts[below] : grid.starts[below + 1]]][: len(codes)]
            numbers[: len(line)] += line == NUMBER
            others[: len(line)] += (line != NUMBER) & (line != NO_VALUE)
        if ((kinds == TEXT) & (numbers > others)).sum() >= _FEWEST_COLUMNS:
            return tuple(grid.texts[code].strip().casefold() for code in codes if grid.texts[code].strip())
        return None
    return None


def between_tables(
    layout: TableLayout, texts: list[str], m: Meanings, rated: list[int], roles: list[LineRole]
) -> dict[int, LineRole]:
    """Lines of a table with names of rows that are not rows: blank ones, the names of the columns once more with a
    title above them, and notes that stand below the table after a blank line."""
    body, lines, header = layout.body, layout.lines, layout.header
    if not any(role.role == NAME for role in roles):
        return {}
    found: dict[int, LineRole] = {}
    written = (m.kinds[body[:, rated]] != NO_VALUE).any(axis=1)
    again = np.zeros(len(body), dtype=bool)
    if header is not None and len(header) == body.shape[1]:
        code_of = {text: code for code, text in enumerate(texts)}
        again = (body[:, rated] == [code_of.get(header[j], -1) for j in rated]).all(axis=1)
        again &= (m.kinds[body[:, rated]] == TEXT).any(axis=1)
        found |= {int(i): LineRole(ALONE, "the names of the columns once more") for i in np.flatnonzero(again)}
    empty = np.flatnonzero(~written)
    if not len(empty):
        return found
    blank = np.array([all(not texts[code].strip() for code in body[i]) for i in empty])
    found |= {int(i): LineRole(ALONE, "a blank line") for i in empty[blank]}
    rows = np.flatnonzero(written & ~again)
    last = int(rows[-1]) if len(rows) else -1
    gaps = np.concatenate([[False], _lines_between(lines, _line_breaks(texts)[body].sum(axis=1))])
    after_gap = [i for i in range(last + 1, len(body)) if i in found or gaps[i]]
    for i in map(int, empty[~blank]):
        if after_gap and i >= after_gap[0] > 0:
            found[i] = LineRole(ALONE, "a note below the table")
        elif i + 1 < len(body) and again[i + 1]:
            found[i] = LineRole(ALONE, "a title")
    return found

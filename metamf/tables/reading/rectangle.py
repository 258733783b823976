"""Lines of different lengths -> a table: title lines, blank lines, lines that are too short or too long."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metamf.tables.limits import Limits, TableError
from metamf.tables.reading.grid import Grid
from metamf.tables.reading.notes import Note
from metamf.tables.reading.numerals import TEXT, Meanings
from metamf.wording import counted, first_few, shown

_MOST_TITLES = 20  # lines; chosen by hand


@dataclass(frozen=True)
class Rectangle:
    """A table whose lines all have the same number of cells.

    Attributes
    ----------
    cells : (L, C) codes
    lines : (L,) line of the file of each line of the table, counted from 1
    first_width : number of cells that the first line has in the file
    titles : texts of the title lines above the table
    notes : what was noticed
    """

    cells: np.ndarray
    lines: np.ndarray
    first_width: int
    titles: tuple[str, ...]
    notes: list[Note]


def rectangle(grid: Grid, meanings: Meanings, limits: Limits) -> Rectangle:
    """The table as a rectangle, without the title lines above it.

    Blank lines are skipped (in a table of one column those between others are empty cells); short lines are filled with
    empty cells; a line with more cells than the table is wide is refused unless the further cells are empty.
    """
    notes, widths = [], grid.widths
    blank = widths == 0
    single = np.flatnonzero(widths == 1)
    blank[single] = _is_blank(grid)[grid.codes[grid.starts[single]]]
    if blank.all():
        raise TableError("the file does not hold a table: all its lines are blank")
    if widths.max() == 1:
        written = np.flatnonzero(~blank)
        blank = (np.arange(len(widths)) < written[0]) | (np.arange(len(widths)) > written[-1])
    grid = grid.keep(~blank)
    widths = grid.widths
    common = np.bincount(widths)
    C = int(len(common) - 1 - np.argmax(common[::-1]))  # the most frequent width; of two equally frequent, the larger
    titles = 0
    while C > 2 and titles < min(_MOST_TITLES, len(widths) - 2) and _is_title(grid, meanings, titles):
        titles += 1
    title_lines = tuple("".join(grid.record(i)).strip() for i in range(titles))
    if titles:
        notes.append(
            Note(
                "title lines",
                f"{counted(titles, 'leading line')} with one text only {'was' if titles == 1 else 'were'} set aside",
                first_few([shown(t) for t in title_lines]),
            )
        )
        grid = grid.keep(np.arange(len(widths)) >= titles)
        widths = grid.widths
    C = max(C, int(widths[0]))
    if len(widths) * C > limits.cells:
        raise TableError(
            f"the table has {len(widths):,} lines of up to {C:,} cells; the limit is {limits.cells:,} cells"
        )
    line = np.repeat(np.arange(len(widths)), widths)
    at = np.arange(grid.codes.size) - np.repeat(grid.starts[:-1], widths)
    beyond = at >= C
    if grid.codes[beyond].any():
        i = int(line[beyond & (grid.codes > 0)][0])
        raise TableError(
            f"line {grid.lines[i]:,} has {widths[i]:,} cells where the table has {C:,}: put quotation marks "
            "around cells that hold the delimiter, or choose another delimiter"
        )
    if beyond.any():
        notes.append(
            Note(
                "empty cells at the end",
                f"{np.unique(line[beyond]).size:,} lines end in more empty cells than "
                "the table is wide; they were dropped",
            )
        )
    cells = np.zeros((len(widths), C), dtype=np.int32)
    cells[line[~beyond], at[~beyond]] = grid.codes[~beyond]
    short = np.flatnonzero(widths < C)
    if C > 1 and len(short) and not (len(short) == 1 and short[0] == 0 and widths[0] == C - 1):
        have = "has" if len(short) == 1 else "have"
        notes.append(
            Note(
                "ragged lines",
                f"{counted(len(short), 'line')} {have} fewer than {C:,} cells; the cells at their ends count as empty",
                f"line {grid.lines[short[0]]:,}",
            )
        )
    return Rectangle(cells, grid.lines, int(widths[0]), title_lines, notes)


def _is_blank(grid: Grid) -> np.ndarray:
    return np.array([not text.strip() for text in grid.texts])


def _is_title(grid: Grid, meanings: Meanings, i: int) -> bool:
    codes = grid.codes[grid.starts[i] : grid.starts[i + 1]]
    return codes[0] > 0 and not codes[1:].any() and meanings.kinds[codes[0]] == TEXT

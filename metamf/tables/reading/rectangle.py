"""Lines of different lengths -> a table: title lines, blank lines, lines that are too short or too long."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metamf.tables.limits import Limits, TableError
from metamf.tables.reading.grid import Grid
from metamf.tables.reading.notes import Note
from metamf.tables.reading.numerals import TEXT, Meanings
from metamf.wording import counted, first_few, shown

_MOST_TITLES = 20  # lines


@dataclass(frozen=True)
class Rectangle:
    """A table whose lines all have the same number of cells.

    Attributes
    ----------
    cells : (L, C) codes
    lines : (L,) line of the file of each line of the table, counted from 1
    first_width : number of cells that the first line has in the file
    titles : texts of the title lines above the table
    notes : notes that were taken
    """

    cells: np.ndarray
    lines: np.ndarray
    first_width: int
    titles: tuple[str, ...]
    notes: list[Note]


def rectangle(grid: Grid, meanings: Meanings, limits: Limits) -> Rectangle:
    """The table as a rectangle, without the title lines above it.

    Blank lines are skipped (in a table of one column those between others are empty cells); short lines are filled with
    empty cells.

    Raises
    ------
    TableError
        if all lines are blank, there are too many cells, or a line has more cells than the table is wide and these are
        not empty.
    """
    grid = _without_blank_lines(grid)
    common = np.bincount(grid.widths)
    width = int(len(common) - 1 - np.argmax(common[::-1]))  # the most frequent one; of two equally frequent, the larger
    n_titles = _count_titles(grid, meanings, width)
    titles = tuple("".join(grid.record(i)).strip() for i in range(n_titles))
    grid = grid.keep(np.arange(len(grid.lines)) >= n_titles)
    width = max(width, int(grid.widths[0]))
    if len(grid.lines) * width > limits.cells:
        raise TableError(
            f"the table has {len(grid.lines):,} lines of up to {width:,} cells; the limit is {limits.cells:,} cells"
        )
    cells, n_cut = _aligned(grid, width)
    notes = [*_notes_on_titles(titles), *_notes_on_widths(grid, width, n_cut)]
    return Rectangle(cells, grid.lines, int(grid.widths[0]), titles, notes)


def _without_blank_lines(grid: Grid) -> Grid:
    widths = grid.widths
    blank = widths == 0
    single = np.flatnonzero(widths == 1)
    blank_texts = np.array([not text.strip() for text in grid.texts])
    blank[single] = blank_texts[grid.codes[grid.starts[single]]]
    if blank.all():
        raise TableError("the file does not hold a table: all its lines are blank")
    if widths.max() == 1:  # one column: blank lines between others are empty cells
        written = np.flatnonzero(~blank)
        blank = (np.arange(len(widths)) < written[0]) | (np.arange(len(widths)) > written[-1])
    return grid.keep(~blank)


def _count_titles(grid: Grid, meanings: Meanings, width: int) -> int:
    """How many leading lines hold one text only; none in a table of two columns, and at least two lines are left."""
    n = 0
    while width > 2 and n < min(_MOST_TITLES, len(grid.lines) - 2) and _is_title(grid, meanings, n):
        n += 1
    return n


def _is_title(grid: Grid, meanings: Meanings, i: int) -> bool:
    codes = grid.codes[grid.starts[i] : grid.starts[i + 1]]
    return codes[0] > 0 and not codes[1:].any() and meanings.kinds[codes[0]] == TEXT


def _aligned(grid: Grid, width: int) -> tuple[np.ndarray, int]:
    """(L, width) codes, and the number of lines from which empty cells at the end were cut off."""
    line = np.repeat(np.arange(len(grid.lines)), grid.widths)  # (cells,)
    at = np.arange(grid.codes.size) - np.repeat(grid.starts[:-1], grid.widths)
    beyond = at >= width
    if grid.codes[beyond].any():
        i = int(line[beyond & (grid.codes > 0)][0])
        raise TableError(
            f"line {grid.lines[i]:,} has {grid.widths[i]:,} cells where the table has {width:,}: put quotation marks "
            "around cells that hold the delimiter, or choose another delimiter"
        )
    cells = np.zeros((len(grid.lines), width), dtype=np.int32)
    cells[line[~beyond], at[~beyond]] = grid.codes[~beyond]
    return cells, np.unique(line[beyond]).size


def _notes_on_titles(titles: tuple[str, ...]) -> list[Note]:
    if not titles:
        return []
    message = f"{counted(len(titles), 'leading line')} with one text only {_were(len(titles))} set aside as a title"
    return [Note("title lines", message, first_few([shown(title) for title in titles]))]


def _notes_on_widths(grid: Grid, width: int, n_cut: int) -> list[Note]:
    """Notes on lines that were cut or filled up; not of a header without a name for the row names (R)."""
    notes = []
    if n_cut:
        message = f"{counted(n_cut, 'line')} with more empty cells at the end than the table is wide {_were(n_cut)} cut"
        notes.append(Note("empty cells at the end", message))
    short = np.flatnonzero(grid.widths < width)
    headed = len(short) == 1 and short[0] == 0 and grid.widths[0] == width - 1
    if width > 1 and len(short) and not headed:
        lines = counted(len(short), "line")
        message = f"{lines} with fewer than {width:,} cells {_were(len(short))} filled up with empty cells"
        notes.append(Note("ragged lines", message, f"line {grid.lines[short[0]]:,}"))
    return notes


def _were(n: int) -> str:
    return "was" if n == 1 else "were"

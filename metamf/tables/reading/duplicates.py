"""Cells that are given more than once: refused, averaged, or reduced to the first or the last of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metamf.tables.limits import TableError
from metamf.tables.reading.cells import RatingCells
from metamf.tables.reading.notes import Note
from metamf.tables.reading.numerals import NUMBER, Meanings
from metamf.wording import counted, first_few, shown

_KEPT = {"mean": "their mean was taken", "last": "the last one was kept", "first": "the first one was kept"}
_EXAMPLES = 3  # that a message names


@dataclass(frozen=True, eq=False)
class ObservedCells:
    """The cells that hold a number, each once, sorted by row and then by column.

    Attributes
    ----------
    rows, cols : (nnz,) positions in the matrix, counted from 0
    values : (nnz,) numbers, in rating units
    codes : (nnz,) position of each cell's text among the different texts, -1 for a mean of different values
    duplicates : number of (row, column) pairs that were given more than once
    examples : addresses of the first few of them
    """

    rows: np.ndarray
    cols: np.ndarray
    values: np.ndarray
    codes: np.ndarray
    duplicates: int
    examples: tuple[str, ...]

    def notes(self, how: str) -> list[Note]:
        """Notes on duplicates that were resolved by the rule ``how``."""
        if not self.duplicates:
            return []
        message = f"{counted(self.duplicates, '(row, column) pair')} given more than once; {_KEPT[how]}"
        return [Note("duplicates", message, first_few(self.examples))]


def resolve_duplicates(cells: RatingCells, m: Meanings, how: str) -> ObservedCells:
    """The cells that hold a number, each once.

    Parameters
    ----------
    cells : the rating cells of the table
    m : meanings of the texts
    how : 'refuse', 'mean', 'last' or 'first' of several values for one (row, column) pair

    Raises
    ------
    TableError
        if no cell holds a number, or a pair is given more than once and ``how`` is 'refuse'.
    """
    at = np.flatnonzero(m.kinds[cells.codes] == NUMBER)
    if not len(at):
        raise TableError("the table has no observed cell: at least one cell must hold a number")
    place = cells.rows[at].astype(np.int64) * cells.shape[1] + cells.cols[at]
    if (place[1:] <= place[:-1]).any():  # a wide table is sorted already
        order = np.argsort(place, kind="stable")
        at, place = at[order], place[order]
    starts = np.flatnonzero(np.r_[True, place[1:] != place[:-1]])
    counts = np.diff(np.append(starts, len(at)))
    repeated = np.flatnonzero(counts > 1)
    examples = tuple(_example(cells, at[i], at[i + 1]) for i in starts[repeated[:_EXAMPLES]])
    if len(repeated) and how == "refuse":
        one = len(repeated) == 1
        raise TableError(
            f"{counted(len(repeated), '(row, column) pair')} {'is' if one else 'are'} given more than once, such as "
            f"{examples[0]}: choose "
            "whether their mean, the last or the first one counts"
        )
    values, codes = m.values[cells.codes[at]], cells.codes[at].astype(np.int64)
    chosen = starts + counts - 1 if how == "last" else starts
    kept, kept_codes = values[chosen], codes[chosen]
    if how == "mean" and len(repeated):
        differ = np.maximum.reduceat(values, starts) != np.minimum.reduceat(values, starts)
        kept = np.where(differ, np.add.reduceat(values, starts) / counts, kept)
        kept_codes = np.where(differ, -1, kept_codes)
    at = at[chosen]
    return ObservedCells(cells.rows[at], cells.cols[at], kept, kept_codes, len(repeated), examples)


def _example(cells: RatingCells, first: int, second: int) -> str:
    row, column = (cells.row_labels or ())[cells.rows[first]], (cells.col_labels or ())[cells.cols[first]]
    return f"({shown(row)}, {shown(column)}) in lines {cells.lines[first]:,} and {cells.lines[second]:,}"

"""The rating cells of a laid-out table, wide or long: the row, column and text of each."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from metamf.tables.escaping import label_in, unescape
from metamf.tables.limits import TableError
from metamf.tables.reading.layout import TableLayout
from metamf.tables.reading.notes import Note
from metamf.tables.reading.roles import NAME, RATING, Roles
from metamf.wording import counted, first_few, shown


@dataclass(frozen=True, eq=False)
class RatingCells:
    """Cells on their way to a matrix, in the file's order; some are missing, some may be given twice.

    Attributes
    ----------
    rows, cols : (n,) row and column of the matrix, counted from 0
    codes : (n,) position of each cell's text among the different texts of the table
    lines : (n,) line of the file, counted from 1
    shape : shape (N, M) of the matrix
    row_labels, col_labels : names of rows and columns, or None
    notes : notes that were taken while the cells were collected
    """

    rows: np.ndarray
    cols: np.ndarray
    codes: np.ndarray
    lines: np.ndarray
    shape: tuple[int, int]
    row_labels: tuple[str, ...] | None
    col_labels: tuple[str, ...] | None
    notes: tuple[Note, ...]


def read_cells(layout: TableLayout, texts: list[str], roles: Roles | None = None) -> RatingCells:
    """The rating cells of the table, of a wide one by its ``roles``; TableError if it has none, or a line of a long
    table lacks a name."""
    if roles is not None:
        return _wide(layout, texts, roles)
    if layout.columns is None:
        raise ValueError("a wide table is read by its roles, a long one by its columns: neither is given")
    return _long(layout, texts, layout.columns)


def without_empty_end(layout: TableLayout) -> tuple[TableLayout, list[Note]]:
    """A wide table without a last column that has neither a name nor a cell, and what to tell of it."""
    names, body = layout.names, layout.body
    first = int(layout.row_labels)
    if names is None or body.shape[1] <= first + 1 or names[-1].strip() or body[:, -1].any():
        return layout, []
    note = Note("empty cells at the end", "every line ends with a delimiter; no column was made of that")
    above = None if layout.above is None else layout.above[:, :-1]
    return replace(layout, body=body[:, :-1], names=names[:-1], above=above), [note]


def _wide(layout: TableLayout, texts: list[str], roles: Roles) -> RatingCells:
    body, lines, names = layout.body, layout.lines, layout.names
    rated, named = roles.of(RATING), roles.of(NAME)
    if not rated:
        raise TableError("the table does not have a column of ratings: is the delimiter right?")
    if roles.rows:
        kept = np.ones(len(body), dtype=bool)
        kept[[i for i, _ in roles.rows]] = False
        body, lines = body[kept], lines[kept]
    contiguous = rated[-1] - rated[0] == len(rated) - 1
    cells = body[:, rated[0] : rated[-1] + 1] if contiguous else body[:, rated]
    col_names = None if names is None else [names[j] for j in rated]
    N, M = cells.shape
    notes = _notes_on_escapes([*(texts[c] for j in named for c in body[:, j]), *(col_names or ())])
    rows, cols = np.arange(N, dtype=np.int32), np.arange(M, dtype=np.int32)  # half the memory of the default
    labels = None
    if named:
        parts = [[label_in(texts[code]) for code in body[:, j]] for j in named]
        labels = tuple(parts[0]) if len(parts) == 1 else tuple(" ".join(filter(None, row)) for row in zip(*parts))
    return RatingCells(
        rows=np.repeat(rows, M),  # (N * M,)
        cols=np.tile(cols, N),
        codes=cells.reshape(-1),
        lines=np.repeat(lines.astype(np.int32), M),
        shape=(N, M),
        row_labels=labels,
        col_labels=None if col_names is None else tuple(label_in(name) for name in col_names),
        notes=tuple(notes),
    )


def _long(layout: TableLayout, texts: list[str], columns: tuple[int, int, int]) -> RatingCells:
    notes = []
    body, lines = layout.body, layout.lines
    written = body[:, columns].any(axis=1)
    if not written.all():
        message = f"{counted(int((~written).sum()), 'line')} without row, column and value were skipped"
        notes.append(Note("blank rows", message, f"line {lines[~written][0]:,}"))
        body, lines = body[written], lines[written]
    if not len(body):
        raise TableError("the table does not have a line with a rating")
    positions, labels = [], []
    for noun, j in zip(("row", "column"), columns):
        codes, used = pd.factorize(body[:, j])
        names = [label_in(texts[code]) for code in used]
        if "" in names:
            i = int(np.flatnonzero(codes == names.index(""))[0])
            column = shown(layout.column_name(j))
            raise TableError(f"line {lines[i]:,} does not name a {noun}: the column {column} is empty there")
        merged, different = pd.factorize(np.array(names, dtype=object))  # joins texts that differ in spaces only
        positions.append(merged[codes].astype(np.int64))
        labels.append(tuple(different))
        notes += _notes_on_escapes([texts[code] for code in used])
    if ignored := [layout.column_name(j) for j in range(body.shape[1]) if j not in columns]:
        message = f"{counted(len(ignored), 'further column')} {'was' if len(ignored) == 1 else 'were'} ignored"
        notes.append(Note("ignored columns", message, first_few([shown(column) for column in ignored])))
    return RatingCells(
        rows=positions[0],
        cols=positions[1],
        codes=body[:, columns[2]],
        lines=lines,
        shape=(len(labels[0]), len(labels[1])),
        row_labels=labels[0],
        col_labels=labels[1],
        notes=tuple(notes),
    )


def _notes_on_escapes(texts: list[str]) -> list[Note]:
    """Notes on names that an export escaped (``tables/escaping``)."""
    escaped = [text for text in texts if unescape(text.strip()) != text.strip()]
    if not escaped:
        return []
    message = (
        f"{counted(len(escaped), 'name')} began with an apostrophe that keeps spreadsheets from reading a formula; "
        "it was taken off"
    )
    return [Note("escaped labels", message, first_few([shown(text) for text in escaped]))]

"""The rating cells of a laid-out table, wide or long: the row, column and text of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from metamf.tables.escaping import label_in, unescape
from metamf.tables.limits import TableError
from metamf.tables.reading.layout import TableLayout
from metamf.tables.reading.notes import Note
from metamf.wording import counted, first_few, shown


@dataclass(frozen=True, eq=False)
class RatingCells:
    """Cells on their way to a matrix, in the file's order; some are missing, some may be given twice.

    Attributes
    ----------
    rows, cols : (n,) row and column of the matrix, counted from 0
    codes : (n,) position of each cell's text among the different texts of the table
    lines : (n,) line of the file, counted from 1
    shape : (N, M) of the matrix
    row_labels, col_labels : names of rows and columns, or None
    notes : what was noticed while the cells were collected
    """

    rows: np.ndarray
    cols: np.ndarray
    codes: np.ndarray
    lines: np.ndarray
    shape: tuple[int, int]
    row_labels: tuple[str, ...] | None
    col_labels: tuple[str, ...] | None
    notes: tuple[Note, ...]


def read_cells(layout: TableLayout, texts: list[str]) -> RatingCells:
    """The rating cells of the table; TableError if it has none, or a line of a long table lacks a name."""
    return _wide(layout, texts) if layout.form == "wide" else _long(layout, texts)


def _wide(layout: TableLayout, texts: list[str]) -> RatingCells:
    notes = []
    body, first = layout.body, int(layout.row_labels)
    names = None if layout.names is None else layout.names[first:]
    if names is not None and body.shape[1] > first + 1 and not names[-1].strip() and not body[:, -1].any():
        body, names = body[:, :-1], names[:-1]
        notes.append(Note("empty cells at the end", "every line ends with a delimiter; no column was made of that"))
    if body.shape[1] == first:
        raise TableError("the table does not have a column of ratings: is the delimiter right?")
    N, M = body.shape[0], body.shape[1] - first
    notes += _notes_on_escapes([*(texts[c] for c in body[:, 0] if first), *(names or ())])
    rows, cols = np.arange(N, dtype=np.int32), np.arange(M, dtype=np.int32)  # half the memory of the default
    return RatingCells(
        rows=np.repeat(rows, M),  # (N * M,)
        cols=np.tile(cols, N),
        codes=body[:, first:].reshape(-1),
        lines=np.repeat(layout.lines.astype(np.int32), M),
        shape=(N, M),
        row_labels=tuple(label_in(texts[code]) for code in body[:, 0]) if first else None,
        col_labels=None if names is None else tuple(label_in(name) for name in names),
        notes=tuple(notes),
    )


def _long(layout: TableLayout, texts: list[str]) -> RatingCells:
    notes = []
    body, lines = layout.body, layout.lines
    written = body[:, layout.columns].any(axis=1)
    if not written.all():
        message = f"{counted(int((~written).sum()), 'line')} without row, column and value were skipped"
        notes.append(Note("blank rows", message, f"line {lines[~written][0]:,}"))
        body, lines = body[written], lines[written]
    if not len(body):
        raise TableError("the table does not have a line with a rating")
    positions, labels = [], []
    for noun, j in zip(("row", "column"), layout.columns):
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
    if ignored := [layout.column_name(j) for j in range(body.shape[1]) if j not in layout.columns]:
        message = f"{counted(len(ignored), 'further column')} {'was' if len(ignored) == 1 else 'were'} ignored"
        notes.append(Note("ignored columns", message, first_few([shown(column) for column in ignored])))
    return RatingCells(
        rows=positions[0],
        cols=positions[1],
        codes=body[:, layout.columns[2]],
        lines=lines,
        shape=(len(labels[0]), len(labels[1])),
        row_labels=labels[0],
        col_labels=labels[1],
        notes=tuple(notes),
    )


def _notes_on_escapes(texts: list[str]) -> list[Note]:
    """What to tell of names that an export escaped (``tables/escaping``)."""
    escaped = [text for text in texts if unescape(text.strip()) != text.strip()]
    if not escaped:
        return []
    message = (
        f"{counted(len(escaped), 'name')} began with an apostrophe that keeps spreadsheets from reading a formula; "
        "it was taken off"
    )
    return [Note("escaped labels", message, first_few([shown(text) for text in escaped]))]

"""A file of any kind -> ``Table``: the ratings, a report of what was understood, and what it takes to write it back.

bytes -> text or workbook (``decode``, ``binary``) -> grid of codes (``grid``) -> meaning of each text (``numerals``) ->
header, form and names (``layout``) -> ``Ratings``. Whatever the bytes are, the result is a Table or a TableError.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import guess_scale
from metamf.tables.dialect import Dialect
from metamf.tables.escaping import label_in, unescape
from metamf.tables.limits import TableError, offering
from metamf.tables.options import ReadOptions
from metamf.tables.reading.binary import load_npy, load_xls, load_zip
from metamf.tables.reading.decode import gunzip, kind_of
from metamf.tables.reading.grid import Loaded, load_text
from metamf.tables.reading.identifiers import note_on_names, notes_on_ratings, notes_on_values
from metamf.tables.reading.layout import Layout, lay_out
from metamf.tables.reading.numerals import INFINITE, MISSING, NUMBER, Meanings, NumberFormat, guess_format, read_texts
from metamf.tables.reading.rectangle import Rectangle, rectangle
from metamf.tables.reading.refusal import refuse_text
from metamf.tables.reading.report import Note, TableReport, matrix_notes, suspected_markers
from metamf.tables.table import Source, Table
from metamf.wording import first_few, in_mib, shown


@dataclass
class _Cells:
    """Rating cells on their way to a matrix: row, column, code and line of the file of each, in the file's order."""

    rows: np.ndarray
    cols: np.ndarray
    codes: np.ndarray
    lines: np.ndarray
    shape: tuple[int, int]
    row_labels: tuple[str, ...] | None
    col_labels: tuple[str, ...] | None


def read_table(
    data: bytes,
    name: str = "",
    options: ReadOptions = ReadOptions(),
    progress: Callable[[float], None] | None = None,
) -> Table:
    """The table in ``data``, the content of a file called ``name``.

    Text (any delimiter, decimal sign, encoding), gzip of it, .xlsx, .xls, .npy, or .npz with one array; wide or long.
    ``progress`` is told now and then which share of a text has been read, from 0 to 1.

    Raises
    ------
    TableError
        and nothing else, for whatever bytes: what is wrong, where, and what to do.
    """
    data, limits = bytes(data), options.limits
    if len(data) > limits.bytes:
        raise TableError(f"the file has {in_mib(len(data))}; the limit is {in_mib(limits.bytes)}: take a part of it")
    if kind_of(data) == "gzip":
        data = gunzip(data, limits)
    kind = kind_of(data)
    if kind == "gzip":
        raise TableError("the file is packed twice with gzip: unpack it once")
    if not data.strip():
        raise TableError("the file is empty: upload a table with at least one rating")
    if kind == "text":
        loaded = load_text(data, options, progress)
    else:
        loaded = {"zip": load_zip, "xls": load_xls, "npy": load_npy}[kind](data, options)
    with offering(sheets=loaded.sheets):
        return _interpret(loaded, kind, name, options)


def _interpret(loaded: Loaded, kind: str, name: str, options: ReadOptions) -> Table:
    texts, notes = loaded.grid.texts, list(loaded.notes)
    delimiter = loaded.dialect.delimiter
    rough = _understand(loaded.grid.codes, texts, delimiter, options)  # names included: enough to find the layout
    table = rectangle(loaded.grid, rough.meanings, options.limits)
    layout = lay_out(table, texts, rough.meanings, options)
    notes += table.notes
    with offering(columns=layout.column_names):
        return _table(loaded, kind, name, options, table, layout, rough, notes)


def _table(loaded, kind, name, options, table: Rectangle, layout: Layout, rough: _Understood, notes: list) -> Table:
    texts, delimiter = loaded.grid.texts, loaded.dialect.delimiter
    cells = (_wide if layout.form == "wide" else _long)(layout, texts, notes)
    options.limits.check_matrix(*cells.shape)
    numbers = _understand(cells.codes, texts, delimiter, options, rough)
    m, form = numbers.meanings, numbers.form
    refuse_text(cells, m, texts, layout, form)
    if numbers.ambiguous:
        example = next(code for code in cells.codes if "," in texts[code])
        text = f"{shown(texts[example])} may have a decimal comma or a thousands comma; it was read as"
        notes.append(Note("number format", f"{text} {m.values[example]:g}"))
    notes += _number_notes(cells, m, texts)
    observed, duplicates, examples = _resolve(cells, m, options.duplicates)
    if not observed.rows.size:
        raise TableError("the table has no observed cell: at least one cell must hold a number")
    values, codes = observed.values, observed.codes
    ratings = Ratings(
        observed.rows, observed.cols, values, cells.shape, cells.row_labels, cells.col_labels, guess_scale(values)
    )
    suspects = suspected_markers(values)
    notes += [
        Note(
            "suspected marker",
            f"the number {v:g} stands in {n:,} cells, apart from all others: if it means "
            "missing, name it as a missing marker",
        )
        for v, n in suspects
    ]
    if duplicates:
        notes.append(
            Note(
                "duplicates",
                f"{duplicates:,} (row, column) pairs are given more than once; {_KEPT[options.duplicates]}",
                first_few(list(examples)),
            )
        )
    if layout.row_labels:
        notes += note_on_names(layout.body[:, 0], texts, m)
    if layout.form == "wide":
        notes += notes_on_ratings(ratings, codes, texts, m)
    else:
        notes += notes_on_values(cells.codes, layout.column_name(layout.columns[2]), texts, m)
    notes += matrix_notes(ratings)
    dialect = replace(loaded.dialect, decimal=form.decimal, thousands=form.thousands)
    is_long = layout.form == "long"
    names = tuple(layout.column_name(j) for j in layout.columns) if is_long else None
    report = TableReport(
        name=name,
        form=layout.form,
        reason=layout.reason,
        delimiter=delimiter if kind == "text" else None,
        decimal=form.decimal,
        thousands=form.thousands,
        encoding=_encoding_name(dialect) if kind == "text" else None,
        header=layout.header is not None,
        row_labels=layout.row_labels,
        label_column=layout.column_name(0) if layout.row_labels else None,
        columns=names,
        sheet=loaded.sheet,
        sheets=loaded.sheets,
        file_columns=layout.column_names,
        n_rows=cells.shape[0],
        n_cols=cells.shape[1],
        observed=ratings.nnz,
        missing=_missing_counts(cells, m, texts),
        suspected=tuple((f"{v:g}", n) for v, n in suspects),
        duplicates=duplicates,
        duplicate_examples=examples,
        notes=tuple(notes),
    )
    gone = (m.kinds[cells.codes] != NUMBER) & (cells.codes > 0)
    source = Source(
        form=layout.form,
        dialect=dialect,
        comments=loaded.comments,
        titles=table.titles,
        header=layout.header,
        row_texts=tuple(texts[c] for c in layout.body[:, 0]) if layout.row_labels else None,
        names=names,
        texts=np.array(texts, dtype=object),
        observed=codes,
        missing=(cells.rows[gone], cells.cols[gone], cells.codes[gone]),
        line_rows=cells.rows if is_long else None,
        line_cols=cells.cols if is_long else None,
    )
    return Table(ratings, report, source)


@dataclass(frozen=True)
class _Understood:
    form: NumberFormat
    ambiguous: bool
    meanings: Meanings


def _understand(codes, texts: list[str], delimiter: str, options: ReadOptions, known=None) -> _Understood:
    """The number format of the cells ``codes``, and what each text means in it; ``known``: a result to reuse."""
    counts = np.bincount(codes, minlength=len(texts))
    form, ambiguous = guess_format(texts, counts, delimiter, options.decimal, options.thousands)
    if known is not None and known.form == form:
        return _Understood(form, ambiguous, known.meanings)
    markers = (*options.missing_markers, 0.0) if options.zero_is_missing else options.missing_markers
    return _Understood(form, ambiguous, read_texts(texts, form, markers))


def _wide(layout: Layout, texts: list[str], notes: list[Note]) -> _Cells:
    body, first = layout.body, int(layout.row_labels)
    names = None if layout.names is None else layout.names[first:]
    if names is not None and body.shape[1] > first + 1 and not names[-1].strip() and not body[:, -1].any():
        body, names = body[:, :-1], names[:-1]
        notes.append(Note("empty cells at the end", "every line ends with a delimiter; no column was made of that"))
    if body.shape[1] == first:
        raise TableError("the table has no rating column: is the delimiter right?")
    N, M = body.shape[0], body.shape[1] - first
    labels = tuple(label_in(texts[code]) for code in body[:, 0]) if first else None
    _note_escaped(notes, [*(texts[c] for c in body[:, 0] if first), *(names or ())])
    rows, cols = np.arange(N, dtype=np.int32), np.arange(M, dtype=np.int32)  # half the memory of the default
    col_labels = None if names is None else tuple(label_in(name) for name in names)
    return _Cells(
        np.repeat(rows, M),
        np.tile(cols, N),
        body[:, first:].reshape(-1),
        np.repeat(layout.lines.astype(np.int32), M),
        (N, M),
        labels,
        col_labels,
    )


def _long(layout: Layout, texts: list[str], notes: list[Note]) -> _Cells:
    body, lines = layout.body, layout.lines
    written = body[:, layout.columns].any(axis=1)
    if not written.all():
        notes.append(
            Note(
                "blank rows",
                f"{int((~written).sum()):,} lines without row, column and value were skipped",
                f"line {lines[~written][0]:,}",
            )
        )
        body, lines = body[written], lines[written]
    if not len(body):
        raise TableError("the table has no line with a rating")
    ids, labels = [], []
    for what, j in zip(("row", "column"), layout.columns):
        codes, used = pd.factorize(body[:, j])
        names = [label_in(texts[code]) for code in used]
        if "" in names:
            i = int(np.flatnonzero(codes == names.index(""))[0])
            raise TableError(
                f"line {lines[i]:,} names no {what}: the column {shown(layout.column_name(j))} is empty there"
            )
        merged, unique = pd.factorize(np.array(names, dtype=object))  # texts that differ in space around only
        ids.append(merged[codes])
        labels.append(tuple(unique))
        _note_escaped(notes, [texts[code] for code in used])
    if ignored := [layout.column_name(j) for j in range(body.shape[1]) if j not in layout.columns]:
        notes.append(
            Note(
                "ignored columns",
                f"{len(ignored)} further column(s) were ignored",
                first_few([shown(column) for column in ignored]),
            )
        )
    shape = (len(labels[0]), len(labels[1]))
    return _Cells(ids[0].astype(np.int64), ids[1].astype(np.int64), body[:, layout.columns[2]], lines, shape, *labels)


def _note_escaped(notes: list[Note], texts: list[str]) -> None:
    escaped = [text for text in texts if unescape(text.strip()) != text.strip()]
    if escaped:
        notes.append(
            Note(
                "escaped labels",
                f"{len(escaped):,} name(s) began with an apostrophe that keeps spreadsheets "
                "from reading a formula; it was taken off",
                first_few([shown(t) for t in escaped]),
            )
        )


def _number_notes(cells: _Cells, m: Meanings, texts: list[str]) -> list[Note]:
    notes = []
    for kind, found, message in (
        ("infinite values", m.kinds == INFINITE, "infinite; they count as missing"),
        ("mixed formats", m.mixed, "written with the other decimal sign than the rest; they were read as meant"),
    ):
        at = np.flatnonzero(found[cells.codes])
        if len(at):
            where = f"{shown(texts[cells.codes[at[0]]])} in line {cells.lines[at[0]]:,}"
            notes.append(Note(kind, f"{len(at):,} cell(s) are {message}", where))
    return notes


def _missing_counts(cells: _Cells, m: Meanings, texts: list[str]) -> dict[str, int]:
    counts = np.bincount(cells.codes, minlength=len(texts))
    counts[(m.kinds != MISSING) & (m.kinds != INFINITE)] = 0
    out: dict[str, int] = {}
    for code in np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]:
        text = texts[code].strip()
        out[text] = out.get(text, 0) + int(counts[code])
    return out


_KEPT = {"mean": "their mean was taken", "last": "the last one was kept", "first": "the first one was kept"}


@dataclass
class _Observed:
    rows: np.ndarray
    cols: np.ndarray
    values: np.ndarray
    codes: np.ndarray


def _resolve(cells: _Cells, m: Meanings, how: str) -> tuple[_Observed, int, tuple[str, ...]]:
    """The observed cells sorted by row and column, each once; how many were given more than once, with examples."""
    at = np.flatnonzero(m.kinds[cells.codes] == NUMBER)
    key = cells.rows[at].astype(np.int64) * cells.shape[1] + cells.cols[at]
    if (key[1:] <= key[:-1]).any():  # a wide table is sorted already
        order = np.argsort(key, kind="stable")
        at, key = at[order], key[order]
    new = np.ones(len(at), dtype=bool)
    new[1:] = key[1:] != key[:-1]
    first = np.flatnonzero(new)
    counts = np.diff(np.append(first, len(at)))
    again = np.flatnonzero(counts > 1)
    values, codes = m.values[cells.codes[at]], cells.codes[at].astype(np.int64)
    examples = tuple(
        f"({shown(cells.row_labels[cells.rows[at[i]]])}, {shown(cells.col_labels[cells.cols[at[i]]])}) in lines "
        f"{cells.lines[at[i]]:,} and {cells.lines[at[i + 1]]:,}"
        for i in first[again[:3]]
    )
    if len(again) and how == "refuse":
        raise TableError(
            f"{len(again):,} (row, column) pairs are given more than once, such as {examples[0]}: choose "
            "whether their mean, the last or the first one counts"
        )
    pick = first + counts - 1 if how == "last" else first
    chosen, kept = values[pick], codes[pick]
    if how == "mean" and len(again):
        chosen = np.where(counts > 1, np.add.reduceat(values, first) / counts, chosen)
        differ = np.maximum.reduceat(values, first) != np.minimum.reduceat(values, first)
        chosen, kept = np.where(differ, chosen, values[first]), np.where(differ, -1, kept)
    return _Observed(cells.rows[at[pick]], cells.cols[at[pick]], chosen, kept), len(again), examples


def _encoding_name(dialect: Dialect) -> str:
    name = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}.get(dialect.encoding, dialect.encoding.upper())
    return name + (" with byte order mark" if dialect.bom else "")

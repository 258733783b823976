"""A file of any kind -> ``Table``: the ratings, a report of what was understood, and what it takes to write it back.

bytes -> grid of codes (``text``, ``binary``) -> meaning of each text (``numbers``) -> header, form and names
(``layout``) -> roles of columns and rows (``roles``) -> rating cells, each once -> ``Ratings``. Whatever the bytes are,
the result is a Table or a TableError.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale, guess_scale
from metamf.tables.binary import kind_of, load_binary
from metamf.tables.columns import DATE, Look, values_of
from metamf.tables.layout import TableLayout, find_layout
from metamf.tables.limits import Answer, Note, TableError, label_of, offering
from metamf.tables.numbers import (
    INFINITE,
    NO_VALUE,
    NUMBER,
    TEXT,
    Meanings,
    NumberReading,
    suspected_markers,
    understand,
)
from metamf.tables.options import ReadOptions
from metamf.tables.roles import ALONE, NAME, RATING, Roles, RolesInDoubtError, find_roles, order_doubt
from metamf.tables.table import CellFacts, FileFacts, LayoutFacts, Source, Table, TableReport
from metamf.tables.text import Loaded, gunzip, label_in, load_text
from metamf.tables.words import TRUTH_SCALE, Style, plain_word
from metamf.wording import counted, first_few, in_mib, shown

_EXAMPLES = 3  # that a message names
_MOST_MARKERS = 4  # texts that are offered as marks for "missing"
_KEPT = {"mean": "their mean was taken", "last": "the last one was kept", "first": "the first one was kept"}


@dataclass(frozen=True, eq=False)
class _Cells:
    """The rating cells of a table in the file's order, (n,) each; some are missing, some may be given twice. ``codes``
    are positions among the different texts of the table, ``lines`` those of the file, counted from 1."""

    rows: np.ndarray
    cols: np.ndarray
    codes: np.ndarray
    values: np.ndarray
    kinds: np.ndarray
    lines: np.ndarray
    shape: tuple[int, int]
    row_labels: tuple[str, ...] | None
    col_labels: tuple[str, ...] | None
    notes: list[Note]


def read_table(
    data: bytes,
    name: str = "",
    options: ReadOptions = ReadOptions(),
    progress: Callable[[float], None] | None = None,
) -> Table:
    """Reads a table of ratings: text (any delimiter, decimal sign, encoding), a workbook or a data frame, wide or long.

    Parameters
    ----------
    data : content of the file: text, gzip of a text, .xlsx, .xls, .ods, .npy, .npz with one array, Parquet, Feather,
        Stata or SPSS
    name : name of the file, for the report; the kind of the file is recognised by its content
    options : knowledge about the table; the rest is guessed, or asked for
    progress : called now and then with the share of a text that has been read, from 0 to 1

    Returns
    -------
    Table
        The ratings in rating units, the report, and what it takes to write the table back.

    Raises
    ------
    TableError
        for any bytes that are not a table of ratings; it says what is wrong, where, and what to do. Nothing else is
        raised.
    """
    data = bytes(data)
    loaded, data = _load(data, options, progress)
    with offering(sheets=loaded.sheets, sheet=loaded.sheet):
        grid = loaded.grid
        first = understand(grid.codes, grid.texts, loaded.dialect.delimiter, options)  # from all cells, names included
        layout = find_layout(grid, first, options)
        with offering(columns=layout.column_names):
            return _interpret(loaded, layout, first, name, data, options)


def _load(data: bytes, options: ReadOptions, progress: Callable[[float], None] | None) -> tuple[Loaded, bytes]:
    """The cells of the file as texts, whatever its kind, and its content without gzip around it."""
    limits = options.limits
    if len(data) > limits.bytes:
        raise TableError(f"the file has {in_mib(len(data))}; the limit is {in_mib(limits.bytes)}: take a part of it")
    kind = kind_of(data)
    if kind == "gzip":
        data = gunzip(data, limits)
        kind = kind_of(data)
        if kind == "gzip":
            raise TableError("the file is packed twice with gzip: unpack it once")
    if not data.strip():
        raise TableError("the file is empty: it must hold a table with at least one rating")
    return (load_text(data, options, progress) if kind == "text" else load_binary(data, kind, options)), data


def _interpret(
    loaded: Loaded, layout: TableLayout, first: NumberReading, name: str, data: bytes, options: ReadOptions
) -> Table:
    """The table in the cells of a file whose layout is known."""
    texts, delimiter = loaded.grid.texts, loaded.dialect.delimiter
    roles, styles = None, tuple[Style | None, ...]()
    if layout.keys is None:
        roles = find_roles(layout, texts, first.meanings, options)
        if roles.doubts:
            raise RolesInDoubtError(roles.doubts, roles)
        styles = tuple(roles.columns[j].style for j in roles.of(RATING))
        cells, records = _wide_cells(layout, texts, roles)
    else:
        value = layout.looks[layout.keys[2]]
        if value.look is Look.WORDS:
            raise RolesInDoubtError([order_doubt(layout, [layout.keys[2]])], None)
        styles = (value.style,)
        cells, records = _long_cells(layout, texts, layout.keys)
    options.limits.check_matrix(*cells.shape)
    reading = understand(cells.codes, texts, delimiter, options, first)  # from the rating cells alone
    cells = _with_values(cells, texts, reading.meanings, styles, layout.form)
    _refuse_odd_cells(cells, texts, layout, reading, styles)
    at, values, codes, doubled = _each_once(cells, options.duplicates)
    rows, cols = cells.rows[at], cells.cols[at]
    scale = _scale_of(values, roles, styles)
    ratings = Ratings(rows, cols, values, cells.shape, cells.row_labels, cells.col_labels, scale)
    report = _report(loaded, layout, roles, styles, cells, reading, ratings, doubled, name, options)
    columns = tuple(roles.of(RATING)) if roles is not None else ()
    if layout.keys is not None:
        columns = (*layout.keys[0], *layout.keys[1:])
    source = Source(
        kind=loaded.kind,
        form=layout.form,
        grid=loaded.grid,
        records=records,
        columns=columns,
        styles=styles,
        codes=codes,
        pairs=(cells.rows, cells.cols) if layout.form == "long" else None,
        long_names=layout.long_names or ("row", "column", "value"),
        dialect=replace(loaded.dialect, decimal=reading.form.decimal, thousands=reading.form.thousands),
        data=data if loaded.kind in ("text", "xlsx") else b"",
        sheet=loaded.sheet,
        first_column=loaded.first_column,
    )
    return Table(ratings, report, source)


def _wide_cells(layout: TableLayout, texts: list[str], roles: Roles) -> tuple[_Cells, np.ndarray]:
    """The rating cells of a wide table, row by row, and the record of each row."""
    body, names = layout.body, layout.names
    rated, named = roles.of(RATING), roles.of(NAME)
    if not rated:
        raise TableError("the table does not have a column of ratings: is the delimiter right?")
    kept = np.ones(len(body), dtype=bool)
    kept[[i for i, _ in roles.rows]] = False
    body, lines = body[kept], layout.lines[kept]
    codes = body[:, rated]
    col_names = None if names is None else [names[j] for j in rated]
    N, M = codes.shape
    labels = None
    if named:
        parts = [[label_in(texts[code]) for code in body[:, j]] for j in named]
        labels = tuple(parts[0]) if len(parts) == 1 else tuple(" ".join(filter(None, row)) for row in zip(*parts))
    nothing = np.empty(0)
    cells = _Cells(
        rows=np.repeat(np.arange(N, dtype=np.int32), M),  # half the memory of the default
        cols=np.tile(np.arange(M, dtype=np.int32), N),
        codes=codes.reshape(-1),
        values=nothing,
        kinds=nothing,
        lines=np.repeat(lines.astype(np.int32), M),
        shape=(N, M),
        row_labels=labels,
        col_labels=None if col_names is None else tuple(label_in(name) for name in col_names),
        notes=[],
    )
    return cells, layout.records[kept]


def _long_cells(
    layout: TableLayout, texts: list[str], keys: tuple[tuple[int, ...], int, int]
) -> tuple[_Cells, np.ndarray]:
    """The rating cells of a long table, line by line, and the record of each."""
    rows, column, value = keys
    notes = []
    body, lines, records = layout.body, layout.lines, layout.records
    written = body[:, [*rows, column, value]].any(axis=1)
    if not written.all():
        message = f"{counted(int((~written).sum()), 'line')} without row, column and value were skipped"
        notes.append(Note("blank rows", message, f"line {lines[~written][0]:,}"))
        body, lines, records = body[written], lines[written], records[written]
    if not len(body):
        raise TableError("the table does not have a line with a rating")
    positions, labels = [], []
    for noun, columns in (("row", rows), ("column", (column,))):
        key, used = pd.factorize(body[:, columns[0]])
        names = [label_in(texts[code]) for code in used]
        for more in columns[1:]:
            pairs = pd.MultiIndex.from_arrays([key, body[:, more]])
            key, uniques = pairs.factorize()
            names = [" ".join(filter(None, (names[a], label_in(texts[b])))) for a, b in uniques]
        if "" in names:
            i = int(np.flatnonzero(key == names.index(""))[0])
            where = shown(layout.column_name(columns[0]))
            raise TableError(f"line {lines[i]:,} does not name a {noun}: the column {where} is empty there")
        merged, different = pd.factorize(np.array(names, dtype=object))  # joins texts that differ in spaces only
        positions.append(merged[key].astype(np.int64))
        labels.append(tuple(different))
    used_columns = {*rows, column, value}
    if ignored := [layout.column_name(j) for j in range(body.shape[1]) if j not in used_columns]:
        message = f"{counted(len(ignored), 'further column')} {'was' if len(ignored) == 1 else 'were'} ignored"
        notes.append(Note("ignored columns", message, first_few([shown(name) for name in ignored])))
    nothing = np.empty(0)
    shape = (len(labels[0]), len(labels[1]))
    codes = body[:, value]
    rows_of, columns_of = positions
    return _Cells(rows_of, columns_of, codes, nothing, nothing, lines, shape, labels[0], labels[1], notes), records


def _with_values(cells: _Cells, texts: list[str], m: Meanings, styles: tuple[Style | None, ...], form: str) -> _Cells:
    """The cells with the numbers behind them, those of words and decorations, too."""
    values, kinds = m.values[cells.codes], m.kinds[cells.codes].copy()
    M = cells.shape[1]
    for j, style in enumerate(styles):
        if style is not None:
            column = slice(None) if form == "long" else slice(j, None, M)
            values[column] = values_of(cells.codes[column], style, texts, m)
    kinds[~np.isnan(values)] = NUMBER
    return replace(cells, values=values, kinds=kinds)


def _each_once(cells: _Cells, how: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, tuple[str, ...]]]:
    """The cells that hold a number, each once, sorted by row and then by column: their positions, values and codes (-1
    for a mean of different values); and the number of pairs given more than once, with examples.

    Raises TableError if no cell holds a number, or a pair is given more than once and ``how`` is 'refuse'.
    """
    at = np.flatnonzero(cells.kinds == NUMBER)
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
        are = "is" if len(repeated) == 1 else "are"
        error = TableError(
            f"{counted(len(repeated), '(row, column) pair')} {are} given more than once, such as {examples[0]}: choose "
            "whether their mean, the last or the first one counts, or name further columns that tell the rows apart"
        )
        error.answers = tuple(Answer(f"the {how} one counts", "duplicates", (how,)) for how in ("last", "first"))
        raise error
    values, codes = cells.values[at], cells.codes[at].astype(np.int64)
    chosen = starts + counts - 1 if how == "last" else starts
    kept, kept_codes = values[chosen], codes[chosen]
    if how == "mean" and len(repeated):
        differ = np.maximum.reduceat(values, starts) != np.minimum.reduceat(values, starts)
        kept = np.where(differ, np.add.reduceat(values, starts) / counts, kept)
        kept_codes = np.where(differ, -1, kept_codes)
    return at[chosen], kept, kept_codes, (len(repeated), examples)


def _example(cells: _Cells, first: int, second: int) -> str:
    row, column = (cells.row_labels or ())[cells.rows[first]], (cells.col_labels or ())[cells.cols[first]]
    return f"({shown(row)}, {shown(column)}) in lines {cells.lines[first]:,} and {cells.lines[second]:,}"


def _scale_of(values: np.ndarray, roles: Roles | None, styles: tuple[Style | None, ...]) -> RatingScale | None:
    """The scale of words, where all ratings are words; otherwise the one that the values look like, if columns do not
    differ in their range."""
    if styles and all(style is not None and style.name == "words" for style in styles):
        ranks = [rank for style in styles if style is not None for _, rank in style.values]
        return RatingScale(min(ranks), max(ranks), 1.0) if min(ranks) < max(ranks) else None
    return guess_scale(values) if roles is None or roles.alike else None


# Cells that are not ratings, and what to do about them


_NUMBER = r"[+\-\u2212]?\d[\d.,]*"
_ADVICE = (  # what an odd text looks like, and what to do
    (DATE, "it looks like a date, which spreadsheets make of entries such as 1/2: write the rating itself"),
    (
        re.compile(f"[<>\u2264\u2265]\\s*{_NUMBER}"),
        "it is a limit and not a number: write the number that stands for it",
    ),
    (
        re.compile(rf"{_NUMBER}\s*[-\u2013\u2014]\s*{_NUMBER}"),
        "it looks like a range: write one number, such as its middle",
    ),
    (re.compile(r"\d+(?:[,; ]\s*\d+)+"), "it may be two answers in one cell, or a number with another decimal sign"),
    (re.compile("[\u2605\u2606\u2b50\ufe0f*½]+"), "write how many stars there are, as a number"),
    (
        re.compile(r"[^\d\s.,+-]{0,3}\s*[+-]?\d[\d.,]*\s*(?:%|\D{1,3}|/\s*\d+|(?:out )?of \d+|[-:(].*)?", re.I),
        "leave the number alone in its cell, as in the others of its column",
    ),
)


def _refuse_odd_cells(
    cells: _Cells, texts: list[str], layout: TableLayout, reading: NumberReading, styles: tuple[Style | None, ...]
) -> None:
    """Raises TableError if rating cells hold texts that are neither numbers nor marked as missing.

    A line that holds odd texts which stand nowhere else is a line of units, of maxima or of names, and the error offers
    to leave it alone. Otherwise the error has the address of the first odd cell and says what it looks like; texts
    without a digit that stand in few cells are offered as marks for "missing" (``TableError.markers``).
    """
    wrong = np.flatnonzero(cells.kinds == TEXT)
    if not len(wrong):
        return
    if layout.form == "wide" and (line := _odd_line(cells, wrong)) is not None:
        odd = cells.codes[wrong[cells.lines[wrong] == line]]
        examples = first_few([shown(texts[code].strip()) for code in odd], 2)
        sentence = f"line {line:,} holds texts that stand nowhere else, such as {examples}"
        if line != layout.lines[0] and len(odd) == (cells.lines == line).sum():
            raise TableError(f"{sentence}: it may be the header of another table; keep one table in the file")
        error = TableError(f"{sentence}: it may name units or maxima; leave it alone, or count it to the header")
        header = Answer("the lines up to this one are the header", "header_lines", (line,))
        alone = Answer("leave this line alone", "leave_rows", (line,))
        error.answers = (header, alone) if line == layout.lines[0] else (alone,)
        raise error
    i = wrong[0]
    text = texts[cells.codes[i]].strip()
    different = sorted({texts[code].strip() for code in np.unique(cells.codes[wrong])})
    style = styles[0 if layout.form == "long" else int(cells.cols[i])]
    if style is not None and not style.template and style.name == "words":
        where = [_column(cells, layout, j) for j in dict.fromkeys(cells.cols[wrong])] if layout.form == "wide" else []
        where = where or [shown((layout.long_names or ("", "", ""))[2])]
        many, they = ("columns", "hold") if len(where) > 1 else ("column", "holds")
        error = TableError(
            f"the {many} {first_few(where, 4)} {they} the words of a scale and "
            f"{first_few([shown(word) for word in different], 4)}: say of each such word that it is a missing marker, "
            "or in which order all words stand"
        )
        error.markers = tuple(different[:_MOST_MARKERS])
        raise error
    if layout.long_names is None:
        row = label_of(cells.row_labels, cells.rows[i], "row")
        address = f"{row}, column {_column(cells, layout, cells.cols[i])} (line {cells.lines[i]:,})"
        dates = [DATE.fullmatch(texts[code].strip()) for code in cells.codes[cells.cols == cells.cols[i]]]
        if 2 * sum(map(bool, dates)) > len(dates):
            raise TableError(
                f"{address}: {shown(text)} is a date, not a rating; the column holds dates: leave it alone"
            )
    else:
        address = f"line {cells.lines[i]:,}, column {shown(layout.long_names[2])}"
    more = f" (and {len(wrong) - 1:,} more)" if len(wrong) > 1 else ""
    sign = "comma" if reading.form.decimal == "," else "point"
    error = TableError(f"{address}: {shown(text)} is not a number with a decimal {sign}{more}; {_advice(text)}")
    written = int((cells.kinds != NO_VALUE).sum())
    rare = len(wrong) <= max(1, written // 4) or len(wrong) <= _MOST_MARKERS
    if (
        len(different) <= _MOST_MARKERS
        and rare
        and not any(c.isdigit() or c == "½" for word in different for c in word)
    ):
        error.markers = tuple(different)
    raise error


def _column(cells: _Cells, layout: TableLayout, j: int) -> str:
    """The name of a column of the matrix as a message shows it."""
    named = cells.col_labels is not None and cells.col_labels[j]
    return shown(cells.col_labels[j]) if named and cells.col_labels else f"{j + 1:,}"


def _odd_line(cells: _Cells, wrong: np.ndarray) -> int | None:
    """The line that holds two odd cells at least whose texts stand nowhere else; None if there is none."""
    lines, codes = cells.lines[wrong], cells.codes[wrong]
    table = pd.DataFrame({"line": lines, "code": codes})
    alone = table.groupby("code")["line"].transform("nunique") == 1
    counts = table[alone].groupby("line").size()
    if not len(counts) or counts.max() < 2:
        return None
    line = int(counts.idxmax())
    return line if counts[line] == (lines == line).sum() else None


def _advice(text: str) -> str:
    if plain_word(text) in TRUTH_SCALE:
        return "write 1 for yes and 0 for no"
    for pattern, advice in _ADVICE:
        if len(text) <= 40 and pattern.fullmatch(text):
            return advice
    return f"correct the cell, or name {shown(text)} as a missing marker if it stands for a missing rating"


# The report


def _report(
    loaded: Loaded,
    layout: TableLayout,
    roles: Roles | None,
    styles: tuple[Style | None, ...],
    cells: _Cells,
    reading: NumberReading,
    ratings: Ratings,
    doubled: tuple[int, tuple[str, ...]],
    name: str,
    options: ReadOptions,
) -> TableReport:
    texts, values, dialect = loaded.grid.texts, ratings.values, loaded.dialect
    is_text = loaded.kind == "text"
    zeros = int((values == 0).sum())  # many of them may mean missing, beside three other values at least
    suspected = [(0.0, zeros)] if values.min() == 0 and 2 * zeros > len(values) and len(np.unique(values)) > 3 else []
    if roles is None:
        suspected += [(v, int((values == v).sum())) for v in suspected_markers(values)]
    named, alone = ([], []) if roles is None else (roles.of(NAME), roles.of(ALONE))
    codec = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}.get(dialect.encoding, dialect.encoding.upper())
    file = FileFacts(
        name,
        dialect.delimiter if is_text else None,
        codec + (" with byte order mark" if dialect.bom else "") if is_text else None,
        loaded.sheet,
        loaded.sheets,
    )
    found = LayoutFacts(
        form=layout.form,
        reason=layout.reason,
        header=layout.header is not None,
        header_lines=layout.header_lines,
        row_labels=bool(named),
        label_column=" ".join(map(layout.column_name, named)) or None,
        columns=layout.long_names,
        file_columns=layout.column_names,
        roles=roles,
        row_lines=() if roles is None else tuple(int(layout.lines[i]) for i, _ in roles.rows),
        style=styles[0] if roles is None else None,
        gaps=tuple(layout.column_name(j) for j in alone if 0 < layout.looks[j].written < len(layout.body)),
        repeated_names=bool(named) and len(set(cells.row_labels or ())) < cells.shape[0],
    )
    facts = CellFacts(
        cells.shape,
        ratings.nnz,
        _count_missing(cells, texts),
        tuple((f"{value:g}", n) for value, n in sorted(suspected)),
        *doubled,
        (float(values.min()), float(values.max())),
    )
    notes = [*loaded.notes, *layout.notes, *cells.notes, *_notes_on_numbers(cells, texts, reading)]
    for value, n in sorted(suspected):
        message = (
            f"the number {value:g} stands in {counted(n, 'cell')}: if it means missing, name it as a missing marker"
        )
        notes.append(Note("suspected marker", message))
    if doubled[0]:
        message = f"{counted(doubled[0], '(row, column) pair')} given more than once; {_KEPT[options.duplicates]}"
        notes.append(Note("duplicates", message, first_few(doubled[1])))
    return TableReport(file, found, reading.form, facts, (*notes, *_notes_on_matrix(ratings)))


def _count_missing(cells: _Cells, texts: list[str]) -> dict[str, int]:
    """Number of cells that each text made missing, the most frequent text first."""
    gone = (cells.kinds == NO_VALUE) | (cells.kinds == INFINITE)
    counts = np.bincount(cells.codes[gone], minlength=len(texts))
    missing: dict[str, int] = {}
    for code in np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]:
        text = texts[code].strip()
        missing[text] = missing.get(text, 0) + int(counts[code])
    return missing


def _notes_on_numbers(cells: _Cells, texts: list[str], reading: NumberReading) -> list[Note]:
    """Cells that are infinite, written with another decimal sign than the rest, or may be read in two ways."""
    notes = []
    if reading.ambiguous:
        example = next(code for code in cells.codes if "," in texts[code])
        text = f"{shown(texts[example])} may have a decimal comma or a thousands comma; it was read as"
        notes.append(Note("number format", f"{text} {reading.meanings.values[example]:g}"))
    other = "written with the other decimal sign than the rest; they were read as meant"
    for kind, found, message in (
        ("infinite values", cells.kinds == INFINITE, "infinite; they count as missing"),
        ("mixed formats", reading.meanings.mixed[cells.codes], other),
    ):
        if len(at := np.flatnonzero(found)):
            where = f"{shown(texts[cells.codes[at[0]]])} in line {cells.lines[at[0]]:,}"
            notes.append(Note(kind, f"{counted(len(at), 'cell')} {'is' if len(at) == 1 else 'are'} {message}", where))
    return notes


def _notes_on_matrix(ratings: Ratings) -> list[Note]:
    """Rows and columns without a rating, and names given twice or not at all; all are kept."""
    notes = []
    empty = "no observed cell; kept, and filled from the"
    for noun, labels, counts, others in (
        ("row", ratings.row_labels, ratings.row_counts, "columns"),
        ("column", ratings.col_labels, ratings.col_counts, "rows"),
    ):
        if n := int((counts == 0).sum()):
            where = first_few([label_of(labels, int(i), noun) for i in np.flatnonzero(counts == 0)])
            message = f"{counted(n, noun)} {'has' if n == 1 else 'have'} {empty} {others} alone"
            notes.append(Note(f"empty {noun}s", message, where))
        if blank := (labels or ()).count(""):
            notes.append(Note("empty labels", f"{counted(blank, noun)} {'has' if blank == 1 else 'have'} no name"))
        times = Counter(labels or ())
        if again := sum(n - 1 for label, n in times.items() if label):
            message = f"{counted(again, noun + ' name')} given again; {noun}s of the same name are kept apart"
            where = first_few([shown(label) for label, n in times.items() if label and n > 1])
            notes.append(Note("duplicate labels", message, where if again else ""))
    return notes

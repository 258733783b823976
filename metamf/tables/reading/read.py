"""A file of any kind -> ``Table``: the ratings, a report of what was understood, and what it takes to write it back.

bytes -> text or workbook (``decode``, ``binary``) -> grid of codes (``grid``) -> meaning of each text (``numerals``) ->
header, form and names (``layout``) -> rating cells (``cells``) -> each cell once (``duplicates``) -> ``Ratings``.
Whatever the bytes are, the result is a Table or a TableError.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale, guess_scale
from metamf.tables.dialect import Dialect
from metamf.tables.limits import Limits, TableError, offering
from metamf.tables.options import ReadOptions
from metamf.tables.reading import identifiers, oddities
from metamf.tables.reading.binary import load_npy, load_xls, load_zip
from metamf.tables.reading.cells import RatingCells, read_cells, without_empty_end
from metamf.tables.reading.decode import gunzip, kind_of
from metamf.tables.reading.duplicates import ObservedCells, resolve_duplicates
from metamf.tables.reading.find_roles import find_roles
from metamf.tables.reading.form import OWN_UNITS, SAME_KIND
from metamf.tables.reading.grid import Loaded, load_text
from metamf.tables.reading.layout import TableLayout, find_layout
from metamf.tables.reading.markers import suspected_markers
from metamf.tables.reading.notes import Note
from metamf.tables.reading.numerals import NUMBER, NumberReading, understand
from metamf.tables.reading.rectangle import Rectangle, rectangle
from metamf.tables.reading.refusal import refuse_text
from metamf.tables.reading.report import CellFacts, FileFacts, LayoutFacts, TableReport
from metamf.tables.reading.roles import NAME, RATING, Roles, RolesInDoubtError
from metamf.tables.reading.stacked import StackedTables, one_table
from metamf.tables.reading.styled import read_styles
from metamf.tables.table import CellTexts, Frame, Heading, Source, Table
from metamf.wording import in_mib, shown


@dataclass(frozen=True, eq=False)
class _Steps:
    """The results of the steps from a loaded file to a matrix, in their order."""

    loaded: Loaded
    stacked: StackedTables
    rectangle: Rectangle
    layout: TableLayout
    roles: Roles | None
    texts: list[str]
    cells: RatingCells
    numbers: NumberReading
    observed: ObservedCells
    ratings: Ratings


def read_table(
    data: bytes,
    name: str = "",
    options: ReadOptions = ReadOptions(),
    progress: Callable[[float], None] | None = None,
) -> Table:
    """Reads a table of ratings: text (any delimiter, decimal sign, encoding), Excel or NumPy, wide or long.

    Parameters
    ----------
    data : content of the file: text, gzip of a text, .xlsx, .xls, .npy, or .npz with one array
    name : name of the file, for the report; the kind of the file is recognised by its content
    options : knowledge about the table; the rest is guessed
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
    loaded = _load(bytes(data), options, progress)
    with offering(sheets=loaded.sheets, sheet=loaded.sheet):
        steps = _interpret(loaded, options)
    return Table(steps.ratings, _report(steps, name, options), _source(steps))


def _load(data: bytes, options: ReadOptions, progress: Callable[[float], None] | None) -> Loaded:
    """The cells of the file as texts, whatever its kind."""
    limits = options.limits
    if len(data) > limits.bytes:
        raise TableError(f"the file has {in_mib(len(data))}; the limit is {in_mib(limits.bytes)}: take a part of it")
    data, kind = _unpacked(data, limits)
    if not data.strip():
        raise TableError("the file is empty: it must hold a table with at least one rating")
    if kind == "text":
        return load_text(data, options, progress)
    return {"zip": load_zip, "xls": load_xls, "npy": load_npy}[kind](data, options)


def _unpacked(data: bytes, limits: Limits) -> tuple[bytes, str]:
    """The content, without gzip around it, and its kind."""
    kind = kind_of(data)
    if kind != "gzip":
        return data, kind
    data = gunzip(data, limits)
    if kind_of(data) == "gzip":
        raise TableError("the file is packed twice with gzip: unpack it once")
    return data, kind_of(data)


def _interpret(loaded: Loaded, options: ReadOptions) -> _Steps:
    texts, delimiter = loaded.grid.texts, loaded.dialect.delimiter
    first_guess = understand(loaded.grid.codes, texts, delimiter, options)  # from all cells, names included
    stacked = one_table(loaded.grid, first_guess.meanings, options.table)
    with offering(tables=stacked.lines, table=stacked.read):
        return _interpret_one(loaded, stacked, first_guess, options)


def _interpret_one(loaded: Loaded, stacked: StackedTables, first_guess: NumberReading, options: ReadOptions) -> _Steps:
    texts, delimiter = loaded.grid.texts, loaded.dialect.delimiter
    table = rectangle(stacked.grid, first_guess.meanings, options.limits)
    layout = find_layout(table, texts, first_guess.meanings, options)
    with offering(columns=layout.column_names):
        roles, notes = None, list[Note]()
        if layout.form == "wide":
            layout, notes = without_empty_end(layout)
            roles = find_roles(layout, texts, first_guess.meanings, first_guess.form, options)
            if roles.doubts:
                raise RolesInDoubtError(roles.doubts, roles)
            if layout.reason == SAME_KIND and not roles.alike:
                layout = replace(layout, reason=OWN_UNITS)
        cells = read_cells(layout, texts, roles)
        cells = replace(cells, notes=(*notes, *cells.notes))
        options.limits.check_matrix(*cells.shape)
        final = understand(cells.codes, texts, delimiter, options, first_guess)  # from the rating cells alone
        if roles is not None:
            styles = [roles.columns[j].style for j in roles.of(RATING)]
            cells, texts, final = read_styles(cells, texts, final, styles)
        refuse_text(cells, final.meanings, texts, layout, final.form)
        observed = resolve_duplicates(cells, final.meanings, options.duplicates)
        ratings = Ratings(
            observed.rows,
            observed.cols,
            observed.values,
            cells.shape,
            cells.row_labels,
            cells.col_labels,
            _scale_of(observed.values, roles),
        )
    return _Steps(loaded, stacked, table, layout, roles, texts, cells, final, observed, ratings)


def _report(steps: _Steps, name: str, options: ReadOptions) -> TableReport:
    loaded, layout, observed, meanings = steps.loaded, steps.layout, steps.observed, steps.numbers.meanings
    texts, roles = steps.texts, steps.roles
    suspected = suspected_markers(observed.values)
    file = FileFacts(
        name=name,
        delimiter=loaded.dialect.delimiter if loaded.is_text else None,
        encoding=_encoding_name(loaded.dialect) if loaded.is_text else None,
        sheet=loaded.sheet,
        sheets=loaded.sheets,
        tables=steps.stacked.lines,
        table=steps.stacked.read,
    )
    found = LayoutFacts(
        form=layout.form,
        reason=layout.reason,
        header=layout.header is not None,
        row_labels=roles is not None and bool(roles.of(NAME)),
        label_column=_label_column(layout, roles),
        columns=layout.long_names,
        file_columns=layout.column_names,
        roles=roles,
        row_lines=() if roles is None else tuple(int(layout.lines[i]) for i, _ in roles.rows),
    )
    cells = CellFacts(
        shape=steps.cells.shape,
        observed=steps.ratings.nnz,
        missing=oddities.count_missing(steps.cells, texts, meanings),
        suspected=tuple((f"{value:g}", n) for value, n in suspected),
        duplicates=observed.duplicates,
        duplicate_examples=observed.examples,
    )
    notes = (
        *loaded.notes,
        *steps.stacked.notes,
        *steps.rectangle.notes,
        *steps.cells.notes,
        *_notes_on_format(steps),
        *oddities.notes_on_numbers(steps.cells, texts, meanings),
        *oddities.notes_on_markers(suspected),
        *observed.notes(options.duplicates),
        *_notes_on_identifiers(steps),
        *oddities.notes_on_matrix(steps.ratings),
    )
    return TableReport(file, found, steps.numbers.form, cells, notes)


def _scale_of(values: np.ndarray, roles: Roles | None) -> RatingScale | None:
    """The scale of words, where all ratings are words; otherwise the one that the values look like, if columns do not
    differ in their range."""
    styles = [] if roles is None else [roles.columns[j].style for j in roles.of(RATING)]
    if styles and all(style is not None and style.name == "words" for style in styles):
        ranks = [rank for style in styles if style is not None for _, rank in style.values]
        return RatingScale(min(ranks), max(ranks), 1.0) if min(ranks) < max(ranks) else None
    return guess_scale(values) if roles is None or roles.alike else None


def _label_column(layout: TableLayout, roles: Roles | None) -> str | None:
    """The name of the column, or columns, that hold the names of the rows."""
    named = [] if roles is None else roles.of(NAME)
    return " ".join(map(layout.column_name, named)) or None


def _notes_on_format(steps: _Steps) -> list[Note]:
    if not steps.numbers.ambiguous:
        return []
    texts = steps.texts
    example = next(code for code in steps.cells.codes if "," in texts[code])
    text = f"{shown(texts[example])} may have a decimal comma or a thousands comma; it was read as"
    return [Note("number format", f"{text} {steps.numbers.meanings.values[example]:g}")]


def _notes_on_identifiers(steps: _Steps) -> list[Note]:
    layout, texts, meanings = steps.layout, steps.texts, steps.numbers.meanings
    if layout.long_names is not None:
        return identifiers.notes_on_values(steps.cells.codes, layout.long_names[2], texts, meanings)
    named = steps.roles is not None and steps.roles.of(NAME) == [0]
    on_names = identifiers.notes_on_names(layout.body[:, 0], texts, meanings) if named else []
    return on_names + identifiers.notes_on_ratings(steps.ratings, steps.observed.codes, texts, meanings)


def _source(steps: _Steps) -> Source:
    layout, cells, form = steps.layout, steps.cells, steps.numbers.form
    texts, roles = steps.texts, steps.roles
    whole = roles is None or (roles.ordinary and layout.above is None)
    missing = (steps.numbers.meanings.kinds[cells.codes] != NUMBER) & (cells.codes > 0)
    return Source(
        form=layout.form,
        dialect=replace(steps.loaded.dialect, decimal=form.decimal, thousands=form.thousands),
        heading=Heading(steps.loaded.comments, steps.rectangle.titles, layout.header),
        cells=CellTexts(
            texts=np.array(texts, dtype=object),
            observed=steps.observed.codes,
            missing=cells.codes[missing],
            missing_rows=cells.rows[missing],
            missing_cols=cells.cols[missing],
        ),
        row_texts=_row_texts(steps) if whole else cells.row_labels,
        long_names=layout.long_names,
        line_order=(cells.rows, cells.cols) if layout.form == "long" else None,
        frame=None if roles is None or whole else _frame(steps, roles),
    )


def _row_texts(steps: _Steps) -> tuple[str, ...] | None:
    """The names of the rows of an ordinary wide table, as they were written."""
    if steps.roles is None or not steps.roles.of(NAME):
        return None
    return tuple(steps.texts[code] for code in steps.layout.body[:, 0])


def _frame(steps: _Steps, roles: Roles) -> Frame:
    """All cells of a wide table, and where its matrix lies among them."""
    layout = steps.layout
    body, header = layout.body, layout.above
    if header is None and layout.header is not None:
        first = steps.rectangle.cells[:1]
        shifted = len(layout.header) < body.shape[1] and layout.names is not None and layout.names[0] == ""
        header = np.insert(first[:, : body.shape[1] - 1], 0, 0, axis=1) if shifted else first[:, : body.shape[1]]
    n_header = 0 if header is None else len(header)
    rows = np.full(n_header + len(body), -1)
    kept = np.ones(len(body), dtype=bool)
    kept[[i for i, _ in roles.rows]] = False
    rows[n_header:][kept] = np.arange(kept.sum())
    rated = roles.of(RATING)
    cols = np.full(body.shape[1], -1)
    cols[rated] = np.arange(len(rated))
    cells = body if header is None else np.vstack([header, body])
    return Frame(cells, rows, cols, tuple(roles.columns[j].style for j in rated), n_header)


def _encoding_name(dialect: Dialect) -> str:
    name = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}.get(dialect.encoding, dialect.encoding.upper())
    return name + (" with byte order mark" if dialect.bom else "")

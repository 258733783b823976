"""Proposes a plan for a file: the reading with the shortest description, and what is uncertain.

Dialect, number format, header and the code of each column are chosen by description length
(``metamf.tables.bits``); then follow the lines that are no rows, the form, the roles, the numbers
in doubt and the scales, each in a module of its own. Last comes what a person should look at,
beyond what these decisions note themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metamf.tables import codes
from metamf.tables.body import Cells, body_of, header_of, number_format, width_of
from metamf.tables.draft import SURE, Draft
from metamf.tables.groups import doubt_numbers, group_columns
from metamf.tables.limits import WEB, Limits, TableError
from metamf.tables.long import choose_form
from metamf.tables.numerals import NO_VALUE, TEXT, NumberFormat
from metamf.tables.plan import (
    FILL,
    KEEP,
    LONG,
    MIRROR,
    NAME,
    WIDE,
    Choice,
    Plan,
    Source,
    parsed,
)
from metamf.tables.roles import choose_roles, skip_lines
from metamf.tables.source import Said, load, since_proposed
from metamf.tables.text import Loaded, label_in
from metamf.wording import counted, first_few, shown

_MOST_CHOICES = 4
_MOST_LINES = 3  # with too many cells that are told one by one
_FEWEST_WORDS, _MOST_WORDS = 3, 9  # of a scale that a person may know


def propose(data: bytes, *, limits: Limits = WEB, edits: Sequence[str] = ()) -> Plan:
    """Proposes how to read a file, whatever its kind, and makes ``edits`` to the plan.

    TableError where there is no table: no number anywhere, too large, damaged, of a kind that is
    not read; or where an edit names nothing known.
    """
    said = Said.of(edits, limits)
    return planned(load(bytes(data), said), said, edits)


def planned(loaded: Loaded, said: Said, edits: Sequence[str]) -> Plan:
    """The plan for the cells of a file, of which something is ``said``, with some ``edits``."""
    edits = since_proposed(edits)
    plan = _plan(loaded, said, ordered=any(": order " in edit for edit in edits))
    for i, edit in enumerate(edits):
        try:
            if parsed(edit, plan).anew:  # made already
                plan = replace(plan, edits=(*plan.edits, edit))
            else:
                plan = plan.edited(edit)
        except TableError:
            if i == len(edits) - 1:
                raise  # an earlier one may name a column that another header does not have
    return plan


def _plan(loaded: Loaded, said: Said, ordered: bool) -> Plan:
    """The plan that is proposed for the cells of a file; without a number only if words are put in
    order."""
    grid, dialect = loaded.grid, loaded.dialect
    is_text = loaded.kind == "text"
    width = width_of(grid)
    if not width:
        raise TableError("the file is empty: it must contain a table with at least one number")
    below = body_of(grid, int(grid.lines[0]), width)
    first = below if len(below.lines) else body_of(grid, 0, width)
    if is_text and dialect.delimiter == " " and first.shorter:
        raise TableError(
            f"line {first.shorter[0]:,} has fewer cells than others, and between spaces a blank "
            "cell cannot be seen: save the table with commas or tabs between its cells"
        )
    delimiter = dialect.delimiter if is_text else None
    form, other, margin = number_format(
        grid.texts, first.codes, delimiter, said.decimal, said.thousands
    )
    header = header_of(grid, width, form, None if said.header is None else int(said.header))
    body = body_of(grid, header.line, width)
    if not len(body.lines):
        raise TableError("the file has only a header line: it must contain a number below it")
    draft = Draft(grid, header, Cells.of(grid, body, form))
    codes.choose_codes(draft)
    skip_lines(draft)
    choose_form(draft, said.form)
    if not draft.keys:
        choose_roles(draft)
    doubt_numbers(draft)
    group_columns(draft)
    for j in range(width):
        _note_column(draft, j)
    _note_file(draft, other, margin)
    if not draft.filled() and not ordered:
        _refuse(draft)
    source = Source(
        loaded.kind,
        loaded.sheet,
        loaded.sheets,
        encoding=dialect.encoding if is_text else None,
        delimiter=delimiter,
        quotes=dialect.quotes,
        escaped=dialect.escaped,
        decimal=form.decimal,
        thousands=form.thousands,
    )
    return Plan(
        source,
        header.line,
        LONG if draft.keys else WIDE,
        draft.keys or tuple(draft.having(NAME)),
        tuple(column.planned() for column in draft.columns),
        tuple(draft.groups),
        tuple(draft.skipped[line] for line in sorted(draft.skipped)),
        tuple(sorted(draft.amber, key=lambda amber: amber.margin)),
    )


def _note_column(draft: Draft, j: int) -> None:
    """Makes a column amber of which texts stay as they are, or may have an order."""
    column, name = draft.columns[j], shown(draft.columns[j].name)
    texts = sorted(column.odd, key=lambda text: -column.odd[text]) if column.filled else []
    if texts and draft.skipped:
        given = {draft.text(code) for code in np.unique(draft.body.codes[draft.rows, j])}
        texts = [text for text in texts if text in given]
    if texts:
        n = sum(map(column.odd.__getitem__, texts))
        choices = [
            Choice(
                f"count {shown(text)} as missing",
                f"{draft.called(j)}: missing {text}",
                column.odd[text],
            )
            for text in texts[:_MOST_CHOICES]
        ]
        which = first_few([shown(text) for text in texts], _MOST_CHOICES)
        stay = "stays as it is" if n == 1 else "stay as they are"
        draft.note(j, f"{name}: {which} ({counted(n, 'cell')}) {stay}", choices)
    if column.filled and column.code == "flags":
        draft.note(j, f"{name}: the number before a flag counts")
    if column.filled and column.code.startswith("words ") and column.margin < SURE:
        order = column.code.removeprefix("words ")
        _note_order(draft, j, f"{name} is read as {order}", order)
    if column.filled or column.numeric or column.role != KEEP or draft.keys:
        return
    rows = draft.rows & (draft.cells.kinds[:, j] != NO_VALUE)
    used = np.unique(draft.body.codes[rows, j])
    words = [draft.text(code) for code in used]
    few = _FEWEST_WORDS <= len(set(words)) == len(words) <= _MOST_WORDS
    few = few and draft.n_cells[used].min() > 1
    some = 0 < draft.gaps[j] < rows.sum()
    if few and some and not any("<" in word or "=" in word for word in words):
        order = codes.natural_order(words) or "<".join(words)
        _note_order(draft, j, f"{name} has words on no known scale: its gaps stay", order)


def _note_order(draft: Draft, j: int, sentence: str, order: str) -> None:
    name = draft.called(j)
    choices = [
        Choice("put these in order to fill it in", f"{name}: order {order}"),
        Choice("keep it as it is", f"{name}: {KEEP}"),
    ]
    draft.note(j, sentence, choices)


def _note_file(draft: Draft, other: NumberFormat | None, margin: float) -> None:
    """Makes amber: lines with too many cells, names that come again, another number format that
    would fit nearly as well, and a table of which one half is the mirror of the other."""
    for line in draft.body.longer[:_MOST_LINES]:
        skip = Choice("leave the line out", f"line {line}: skip")
        keep = Choice("it is a row", f"line {line}: keep")
        sentence = f"Line {line:,} has more cells than the table has columns: these are left out"
        draft.note(None, sentence, [skip, keep], line=line)
    if draft.header.repeated:
        names = first_few([shown(name) for name in draft.header.repeated], 3)
        draft.note(None, f"Columns have the same name: {names}; they got numbers")
    if other is not None and margin < SURE:
        form = draft.cells.texts.form
        changed = "decimal" if other.decimal != form.decimal else "thousands"
        edit = f"{changed}: {getattr(other, changed)}"
        sentence = f"The numbers are read with {_signs(form)}, but {_signs(other)} fits as well"
        draft.note(None, sentence, [Choice(f"read them with {_signs(other)}", edit)], margin)
    if _is_triangle(draft):
        draft.note(None, MIRROR, [Choice("fill it in", f"all: {FILL}")])


def _signs(form: NumberFormat) -> str:
    decimal = {".": "a decimal point", ",": "a decimal comma"}
    named = decimal.get(form.decimal, "both decimal signs")
    return f"{named} and the thousands sign {shown(form.thousands)}" if form.thousands else named


def _is_triangle(draft: Draft) -> bool:
    """Whether rows and columns have the same names, and one half of the cells is given."""
    keys = draft.having(NAME)
    if len(keys) != 1 or draft.keys or len(draft.filled()) < 3:
        return False
    rows = [label_in(draft.text(code)) for code in draft.body.codes[draft.rows, keys[0]]]
    columns = [j for j in draft.numeric() if j != keys[0]]
    if rows != [draft.columns[j].name for j in columns]:
        return False
    given = ~np.isnan(draft.values[draft.rows][:, columns])
    halves = given[np.triu_indices(len(given), 1)], given[np.tril_indices(len(given), -1)]
    shares = [half.mean() for half in halves]
    return bool(min(shares) < 0.1 and max(shares) > 0.8)


def _refuse(draft: Draft) -> None:
    """Raises the error of a table without numbers, which says what its cells look like."""
    kinds = draft.cells.kinds
    if (kinds == NO_VALUE).all():
        raise TableError("there is no number in the table: all cells below the header are empty")
    if len(draft.lines) == 1 and not draft.header.line:
        raise TableError("the file has only a header line: it must contain a number below it")
    used = np.unique(draft.body.codes[kinds == TEXT])[:4]
    look = first_few([shown(draft.text(code)) for code in used], 4)
    how = (
        "" if not draft.amber else '; write the order of words on a scale: "2: order low<mid<high"'
    )
    raise TableError(f"there is no number in the table: its cells are such as {look}{how}")

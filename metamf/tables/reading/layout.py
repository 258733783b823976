"""The layout of a table: its header and row names; ``metamf.tables.reading.form`` says whether it is wide or long.

Every rule looks at the cells themselves and is simple enough to be checked by hand; ``ReadOptions`` override each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metamf.tables.limits import TableError, offering
from metamf.tables.options import ReadOptions
from metamf.tables.reading.form import find_form, mostly
from metamf.tables.reading.identifiers import identify
from metamf.tables.reading.numerals import NO_VALUE, NUMBER, TEXT, Meanings
from metamf.tables.reading.rectangle import Rectangle
from metamf.tables.reading.vocabulary import names_rows

_MOST_HEADER_LINES = 3  # survey tools write code, question and a note of their own


@dataclass(frozen=True)
class TableLayout:
    """Places of the names and the ratings in a table.

    Attributes
    ----------
    body : (L, C) codes of all lines below the header
    lines : (L,) line of the file of each of them, counted from 1
    header : texts of the first line, or None; one cell shorter than the body if R wrote the file
    names : (C,) name of each column of the body, or None
    form : 'wide' or 'long'
    reason : why it is read in this form, as a clause
    row_labels : whether the first column of a wide table looks as if it held names
    columns : positions of the row, column and value columns of a long table, or None
    above : (H, C) codes of all header lines, where there are several; None for one, or none
    """

    body: np.ndarray
    lines: np.ndarray
    header: tuple[str, ...] | None
    names: tuple[str, ...] | None
    form: str
    reason: str
    row_labels: bool
    columns: tuple[int, int, int] | None
    above: np.ndarray | None = None

    def column_name(self, j: int) -> str:
        """The name of the column at position ``j``, or its number."""
        return column_name(self.names, j)

    @property
    def long_names(self) -> tuple[str, str, str] | None:
        """Names of the row, column and value columns of a long table, or None."""
        if self.columns is None:
            return None
        row, column, value = map(self.column_name, self.columns)
        return row, column, value

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of all columns of the file."""
        return tuple(map(self.column_name, range(self.body.shape[1])))


def column_name(names: tuple[str, ...] | None, j: int) -> str:
    """The name of the column at position ``j``, or its number, counted from 1, if it has none."""
    return f"column {j + 1}" if names is None or not names[j].strip() else names[j].strip()


def find_layout(table: Rectangle, texts: list[str], m: Meanings, options: ReadOptions) -> TableLayout:
    """The header, the form and the row names of a table, by its cells and by what the options say.

    Raises
    ------
    TableError
        if the table has a header only, or the options name columns or row names that it cannot have.
    """
    cells, lines, first_width = table.cells, table.lines, table.first_width
    L, C = cells.shape
    kinds = m.kinds[cells]
    shifted = options.header is not False and first_width == C - 1 > 0 and L > 1
    shifted = shifted and (options.header is True or _is_header_without_corner(kinds, C))
    has_header = options.header if options.header != "auto" else shifted or _has_header(cells, kinds, m, texts)
    if has_header and L == 1:
        raise TableError("the table has a header line only: add lines with ratings, or say that there is no header")
    header = names = above = None
    if has_header:
        header = tuple(texts[code] for code in cells[0, : C - 1 if shifted else C])
        names = ("", *header) if shifted else header
        n_header = 1 if shifted or options.form == "long" else _count_header_lines(cells, kinds)
        if n_header > 1:
            above = cells[:n_header]
            names = _joined([[texts[code].strip() for code in line] for line in above])
        cells, kinds, lines = cells[n_header:], kinds[n_header:], lines[n_header:]
    with offering(columns=tuple(column_name(names, j) for j in range(C))):
        form, reason, columns = find_form(cells, kinds, m, names, options)
    labels = form == "wide" and bool(
        options.row_labels
        if options.row_labels != "auto"
        else C > 1 and (shifted or _has_labels(cells, kinds, m, texts, names))
    )
    if labels and C == 1:
        raise TableError("the table has one column only, so it cannot hold row names: say that rows have no names")
    return TableLayout(cells, lines, header, names, form, reason, labels, columns, above)


def _is_header_without_corner(kinds: np.ndarray, C: int) -> bool:
    """Whether a first line that is one cell shorter than the others is a header, as R writes it above row names."""
    names = kinds[0, : C - 1]
    return bool((names == TEXT).mean() > 0.5 or ((names == NUMBER).all() and mostly(kinds[1:, :1], TEXT)[0]))


def _has_header(cells: np.ndarray, kinds: np.ndarray, m: Meanings, texts: list[str]) -> bool:
    """Whether the first line is a header: texts above numbers, or numbers that count or identify the columns."""
    first, body = kinds[0], kinds[1:]
    if not len(body):
        return bool((first == TEXT).all())
    numeric = mostly(body, NUMBER)
    known = numeric & (first != NO_VALUE)
    if not numeric.any():
        return bool((first == TEXT).any())
    if known.any() and (first[known] == TEXT).mean() >= 0.5:
        return True
    if len(first) < 3 or (first[1:] != NUMBER).any():
        return False
    if identify(cells[0, 1:], cells[1:, 1:], texts, m):
        return True
    corner, ratings = texts[cells[0, 0]], m.values[cells[1:, 1:]]
    if first[0] == NO_VALUE:
        side = cells[1:, 0]
        return _ascending(m.values[cells[0, 1:]]) and bool(mostly(body[:, :1], TEXT)[0] or _ascending(m.values[side]))
    if first[0] == TEXT and names_rows(corner):
        return _ascending(m.values[cells[0, 1:]])
    names = cells[0] if first[0] == NUMBER else cells[0, 1:]
    return _counts_up(m.values[names], ratings)


def _count_header_lines(cells: np.ndarray, kinds: np.ndarray) -> int:
    """How many lines of names there are, three at most: a further one has different texts, none of which comes again,
    above at least two columns of numbers, and no number."""
    n = 1
    while n < _MOST_HEADER_LINES and len(cells) > n + 2:
        numeric = mostly(kinds[n + 1 :], NUMBER)
        here = cells[n, numeric][kinds[n, numeric] != NO_VALUE]
        again = np.isin(here, cells[n + 1 :, numeric])
        texts_only = len(here) >= 2 and (kinds[n, numeric] == TEXT).sum() == len(here)
        if not texts_only or again.any() or len(np.unique(here)) < 2 or len(here) < 0.5 * numeric.sum():
            break
        n += 1
    return n


def _joined(lines: list[list[str]]) -> tuple[str, ...]:
    """One name for each column from several lines of names: a name that stands above several columns counts for all of
    them. Lines of machine's notes, as survey tools write them, are left out."""
    lines = [line for line in lines if not any(text.startswith("{") for text in line)] or lines[:1]
    for line in lines[:-1]:
        for j in range(1, len(line)):
            line[j] = line[j] or (line[j - 1] if lines[-1][j] else "")
    names = []
    for j in range(len(lines[0])):
        parts = list(dict.fromkeys(line[j] for line in lines if line[j]))
        names.append(": ".join(parts))
    return tuple(names)


def _has_labels(
    cells: np.ndarray, kinds: np.ndarray, m: Meanings, texts: list[str], names: tuple[str, ...] | None
) -> bool:
    """Whether the first column holds names: by its header, because it is mostly text, or numbers that count or identify
    the rows."""
    if names is not None and (names_rows(names[0]) or (not names[0].strip() and any(n.strip() for n in names[1:]))):
        return True
    if mostly(kinds[:, :1], TEXT)[0] or identify(cells[:, 0], cells[:, 1:], texts, m):
        return True
    return bool((kinds[:, 0] == NUMBER).all()) and _counts_up(m.values[cells[:, 0]], m.values[cells[:, 1:]])


def _ascending(values: np.ndarray) -> bool:
    """Whether the values are whole numbers, each above the one before."""
    return len(values) > 1 and not (values % 1).any() and bool((np.diff(values) > 0).all())


def _counts_up(values: np.ndarray, others: np.ndarray) -> bool:
    """Whether the values are ascending whole numbers and above the ratings ``others``, or at least six in sequence."""
    if not _ascending(values):
        return False
    above = np.isfinite(others).any() and values.min() > np.nanmax(others)
    return bool(above) or (len(values) >= 6 and values[-1] - values[0] == len(values) - 1)

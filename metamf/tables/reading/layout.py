"""The layout of a table: header, row names, and whether it is wide or long.

Every rule looks at the cells themselves and is simple enough to be checked by hand; ``ReadOptions`` override each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metamf.tables.limits import TableError, offering
from metamf.tables.options import ReadOptions
from metamf.tables.reading.identifiers import identify
from metamf.tables.reading.numerals import MISSING, NUMBER, TEXT, Meanings
from metamf.tables.reading.rectangle import Rectangle
from metamf.tables.reading.vocabulary import COLUMN_NAMES, ROW_NAMES, VALUE_NAMES, names_rows, plain
from metamf.wording import first_few, shown

SAME_KIND = "its columns look like ratings of the same kind"
OWN_UNITS = "its columns hold numbers, each in a range of its own"
_MOST_HEADER_LINES = 3  # chosen by hand: survey tools write code, question and a note of their own


@dataclass(frozen=True)
class TableLayout:
    """Where names and ratings stand.

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
        return None if self.columns is None else tuple(map(self.column_name, self.columns))

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
        form, reason, columns = _form(cells, kinds, m, names, options)
    labels = form == "wide" and (
        options.row_labels
        if options.row_labels != "auto"
        else C > 1 and (shifted or _has_labels(cells, kinds, m, texts, names))
    )
    if labels and C == 1:
        raise TableError("the table has one column only, so it cannot hold row names: say that rows have no names")
    return TableLayout(cells, lines, header, names, form, reason, labels, columns, above)


def _mostly(kinds: np.ndarray, kind: int) -> np.ndarray:
    """(C,) whether most cells of a column that are not missing are of that kind."""
    known = (kinds != MISSING).sum(axis=0)
    return (kinds == kind).sum(axis=0) > 0.5 * known


def _is_header_without_corner(kinds: np.ndarray, C: int) -> bool:
    """Whether a first line that is one cell shorter than the others is a header, as R writes it above row names."""
    names = kinds[0, : C - 1]
    return bool((names == TEXT).mean() > 0.5 or ((names == NUMBER).all() and _mostly(kinds[1:, :1], TEXT)[0]))


def _has_header(cells: np.ndarray, kinds: np.ndarray, m: Meanings, texts: list[str]) -> bool:
    """Whether the first line is a header: texts above numbers, or numbers that count or identify the columns."""
    first, body = kinds[0], kinds[1:]
    if not len(body):
        return bool((first == TEXT).all())
    numeric = _mostly(body, NUMBER)
    known = numeric & (first != MISSING)
    if not numeric.any():
        return bool((first == TEXT).any())
    if known.any() and (first[known] == TEXT).mean() >= 0.5:
        return True
    if len(first) < 3 or (first[1:] != NUMBER).any():
        return False
    if identify(cells[0, 1:], cells[1:, 1:], texts, m):
        return True
    corner, ratings = texts[cells[0, 0]], m.values[cells[1:, 1:]]
    if first[0] == MISSING:
        side = cells[1:, 0]
        return _ascending(m.values[cells[0, 1:]]) and bool(_mostly(body[:, :1], TEXT)[0] or _ascending(m.values[side]))
    if first[0] == TEXT and names_rows(corner):
        return _ascending(m.values[cells[0, 1:]])
    names = cells[0] if first[0] == NUMBER else cells[0, 1:]
    return _counts_up(m.values[names], ratings)


def _count_header_lines(cells: np.ndarray, kinds: np.ndarray) -> int:
    """How many lines of names there are, three at most: a further one has different texts, none of which comes again,
    above at least two columns of numbers, and no number."""
    n = 1
    while n < _MOST_HEADER_LINES and len(cells) > n + 2:
        numeric = _mostly(kinds[n + 1 :], NUMBER)
        here = cells[n, numeric][kinds[n, numeric] != MISSING]
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
    if _mostly(kinds[:, :1], TEXT)[0] or identify(cells[:, 0], cells[:, 1:], texts, m):
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


def _form(cells, kinds, m: Meanings, names, options: ReadOptions) -> tuple[str, str, tuple[int, int, int] | None]:
    """The form, the reason for it, and the row, column and value columns of a long table."""
    C = cells.shape[1]
    named = [] if names is None else [plain(name) for name in names]
    by_name = [_first(named, wanted) for wanted in (ROW_NAMES, COLUMN_NAMES, VALUE_NAMES)]
    numeric = _mostly(kinds, NUMBER)
    if options.form == "wide":
        return "wide", "you said so", None
    if options.form == "long":
        return "long", "you said so", _long_columns(by_name, names, C, options)
    if any(c is not None for c in (options.row_column, options.column_column, options.value_column)):
        return "long", "you named its columns", _long_columns(by_name, names, C, options)
    if C < 3:
        return "wide", f"a long table needs three columns and this one has {C}", None
    row, col, value = by_name
    if value is not None and (row is not None or col is not None) and numeric[value]:
        columns = _long_columns(by_name, names, C, options)
        found = first_few([shown(names[j].strip()) for j in by_name if j is not None])
        return "long", f"its header names {found}", columns
    if C > 12:
        return "wide", f"it has {C:,} columns, and long tables have few", None
    text = _mostly(kinds, TEXT)
    complete = (kinds[:, :2] != MISSING).all()
    repeats = C == 3 or np.unique(cells[:, 0]).size < len(cells)
    if text[1] and numeric[2] and complete and repeats:
        return "long", "its first two columns are names and the third holds numbers", (0, 1, 2)
    if pair := _repeating_names(cells, kinds, text, numeric, value):
        return "long", "two of its columns repeat as names do, and one holds numbers", pair
    if numeric[1] and numeric[2] and complete and _identifiers(cells, kinds, m, text[0]):
        return "long", "no pair in its first two columns occurs twice, and they look like identifiers", (0, 1, 2)
    return "wide", SAME_KIND, None


def _repeating_names(cells, kinds, text, numeric, value: int | None) -> tuple[int, int, int] | None:
    """The columns of a table such as time, person, thing, rating: two of texts that repeat and are never empty, and one
    of numbers, or with a name that ratings have; otherwise None."""
    values = [value] if value is not None and numeric[value] else np.flatnonzero(numeric)
    complete = (kinds != MISSING).all(axis=0)
    names = [j for j in np.flatnonzero(text & complete) if 1 < np.unique(cells[:, j]).size <= 0.5 * len(cells)]
    return (*map(int, names), int(values[0])) if len(values) == 1 and len(names) == 2 else None


def _identifiers(cells: np.ndarray, kinds: np.ndarray, m: Meanings, first_is_text: bool) -> bool:
    """Whether the first two columns identify cells: all pairs differ, both columns repeat, and they are sorted or reach
    above the values of the third, which hardly happens by chance in a matrix of ratings."""
    pairs = cells[:, 0].astype(np.int64) << 32 | cells[:, 1]
    ids, distinct = m.values[cells[:, :2]], [np.unique(cells[:, j]).size for j in (0, 1)]
    if len(cells) < 4 or np.unique(pairs).size < len(cells) or max(distinct) == len(cells) or min(distinct) < 2:
        return False
    whole = ids[:, 1] if first_is_text else ids
    if not first_is_text and (kinds[:, :2] != NUMBER).any() or (whole % 1).any() or (whole < 0).any():
        return False
    if first_is_text:
        return True
    if (kinds[:, 2] == MISSING).all():
        return False
    above = max(ids[:, 0].max(), ids[:, 1].max()) > 2 * np.nanmax(np.abs(m.values[cells[:, 2]]))
    step = np.diff(ids, axis=0)
    above = above and not _continues(ids[:, 1], m.values[cells[:, 2:]])
    return bool(above) or bool(((step[:, 0] > 0) | ((step[:, 0] == 0) & (step[:, 1] > 0))).all())


def _continues(values: np.ndarray, others: np.ndarray) -> bool:
    """Whether ``values`` (L,) run over the range of the ``others`` (L, C), two columns or more, as one rating beside
    further ones does, and an item beside its rating and the time does not."""
    highest = np.nanmax(others, axis=0, initial=-np.inf)
    alike = len(highest) > 1 and values.max() <= highest.max() <= 2 * highest.min()
    return alike and bool(values.min() >= np.nanmin(others))


def _long_columns(by_name, names, C: int, options: ReadOptions) -> tuple[int, int, int]:
    """The row, column and value columns: those that the options name, else by their names, else the first ones left."""
    if C < 3:
        raise TableError(
            f"a long table needs three columns (row, column, value) and this one has {C}: read it as wide, "
            "or choose another delimiter"
        )
    given = (options.row_column, options.column_column, options.value_column)
    asked = [None if column is None else position(column, names, C) for column in given]
    chosen = [a if a is not None else b if b not in asked else None for a, b in zip(asked, by_name)]
    left = iter([j for j in range(C) if j not in chosen])
    columns = tuple(j if j is not None else next(left) for j in chosen)
    if len(set(columns)) < 3:
        raise TableError(f"the row, column and value columns must differ, got the positions {columns}")
    return columns


def position(column: str | int, names, C: int) -> int:
    """The position of the column that an option gives by position, counted from 0, or by name.

    Without a header the columns are called 'column 1', 'column 2' and so on, as messages call them.

    Raises
    ------
    TableError
        if there is no such column.
    """
    if isinstance(column, int):
        if not 0 <= column < C:
            raise TableError(f"the table does not have a column at position {column}: its {C} columns count from 0")
        return column
    called = [f"column {j}" for j in range(1, C + 1)] if names is None else [name.strip() for name in names]
    if column.strip() in called:
        return called.index(column.strip())
    have = "no header" if names is None else f"the columns {first_few([shown(n) for n in called], 10)}"
    raise TableError(f"the table does not have a column {shown(column)}: it has {have}")


def _first(named: list[str], wanted: tuple[str, ...]) -> int | None:
    """The position of the first of the ``wanted`` names that a column has."""
    return next((named.index(name) for name in wanted if name in named), None)

"""The form of a table: wide, a line for each row; or long, a line for each rating, with the columns that hold them.

Every rule looks at the cells themselves and is simple enough to be checked by hand; ``ReadOptions`` override each.
"""

from __future__ import annotations

import numpy as np

from metamf.tables.limits import TableError
from metamf.tables.options import ReadOptions
from metamf.tables.reading.numerals import NO_VALUE, NUMBER, TEXT, Meanings
from metamf.tables.reading.vocabulary import COLUMN_NAMES, ROW_NAMES, VALUE_NAMES, plain
from metamf.wording import first_few, shown

SAME_KIND = "its columns look like ratings of the same kind"
OWN_UNITS = "its columns hold numbers, each in a range of its own"


Names = tuple[str, ...] | None  # of the columns, where there is a header


def mostly(kinds: np.ndarray, kind: int) -> np.ndarray:
    """(C,) whether most cells of a column that are not missing are of that kind."""
    known = (kinds != NO_VALUE).sum(axis=0)
    return (kinds == kind).sum(axis=0) > 0.5 * known


def find_form(
    cells: np.ndarray, kinds: np.ndarray, m: Meanings, names: Names, options: ReadOptions
) -> tuple[str, str, tuple[int, int, int] | None]:
    """The form, the reason for it, and the row, column and value columns of a long table."""
    C = cells.shape[1]
    named = [] if names is None else [plain(name) for name in names]
    by_name = [_first(named, wanted) for wanted in (ROW_NAMES, COLUMN_NAMES, VALUE_NAMES)]
    numeric = mostly(kinds, NUMBER)
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
        found = first_few([shown((names or ())[j].strip()) for j in by_name if j is not None])
        return "long", f"its header names {found}", columns
    if C > 12:
        return "wide", f"it has {C:,} columns, and long tables have few", None
    text = mostly(kinds, TEXT)
    complete = (kinds[:, :2] != NO_VALUE).all()
    repeats = C == 3 or np.unique(cells[:, 0]).size < len(cells)
    if text[1] and numeric[2] and complete and repeats:
        return "long", "its first two columns are names and the third holds numbers", (0, 1, 2)
    if pair := _repeating_names(cells, kinds, text, numeric, value):
        return "long", "two of its columns repeat as names do, and one holds numbers", pair
    if numeric[1] and numeric[2] and complete and _identifiers(cells, kinds, m, text[0]):
        return "long", "no pair in its first two columns occurs twice, and they look like identifiers", (0, 1, 2)
    return "wide", SAME_KIND, None


def _repeating_names(
    cells: np.ndarray, kinds: np.ndarray, text: np.ndarray, numeric: np.ndarray, value: int | None
) -> tuple[int, int, int] | None:
    """The columns of a table such as time, person, thing, rating: two of texts that repeat and are never empty, and one
    of numbers, or with a name that ratings have; otherwise None."""
    values = [value] if value is not None and numeric[value] else np.flatnonzero(numeric)
    complete = (kinds != NO_VALUE).all(axis=0)
    names = [j for j in np.flatnonzero(text & complete) if 1 < np.unique(cells[:, j]).size <= 0.5 * len(cells)]
    return (int(names[0]), int(names[1]), int(values[0])) if len(values) == 1 and len(names) == 2 else None


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
    if (kinds[:, 2] == NO_VALUE).all():
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


def _long_columns(by_name: list[int | None], names: Names, C: int, options: ReadOptions) -> tuple[int, int, int]:
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
    row, column, value = (j if j is not None else next(left) for j in chosen)
    if len({row, column, value}) < 3:
        positions = (row, column, value)
        raise TableError(f"the row, column and value columns must differ, got the positions {positions}")
    return row, column, value


def position(column: str | int, names: Names, C: int) -> int:
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

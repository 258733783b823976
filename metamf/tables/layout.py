"""The layout of a table: which lines hold it, its header, its form, and the columns of a long table.

Every rule looks at the cells and is simple enough to be checked by hand; ``ReadOptions`` override each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from metamf.tables.columns import Column, Look, look_at
from metamf.tables.limits import Limits, Note, TableError, offering
from metamf.tables.numbers import NO_VALUE, NUMBER, TEXT, Meanings, NumberReading
from metamf.tables.options import ReadOptions
from metamf.tables.text import Grid
from metamf.tables.words import COLUMN_NAMES, ROW_NAMES, VALUE_NAMES, names_rows, plain_name
from metamf.wording import counted, first_few, shown

SMALLEST_IDENTIFIER = 100_000  # postal codes have up to six digits, and no usual rating scale reaches so far
SAME_KIND = "a line for each row"
_MOST_ABOVE = 20  # lines above the header
_MOST_HEADER_LINES = 3  # survey tools write code, question and a note of their own
_MOST_LONG_COLUMNS = 12

Names = tuple[str, ...] | None  # of the columns, where there is a header
Keys = tuple[tuple[int, ...], int, int]  # columns that name the row, the one that names the column, the values


@dataclass(frozen=True, eq=False)
class TableLayout:
    """Places of the names and the ratings in a table.

    Attributes
    ----------
    body : (L, C) codes of all lines below the header; ``lines`` and ``records`` (L,) say where they stand in the file
    names : (C,) name of each column, or None without a header
    header : codes of the last header line, one cell shorter than the body if R wrote the file, or None
    header_lines : lines of the file up to the last one with names; 0 without a header
    form, reason : 'wide' or 'long', and why it is read in this form, as a clause
    row_labels : whether the first column of a wide table looks as if it held names
    keys : columns of a long table: those that name the row, the one that names the column, the one of values
    looks : what each column looks like
    """

    body: np.ndarray
    lines: np.ndarray
    records: np.ndarray
    names: Names
    header: np.ndarray | None
    header_lines: int
    form: str
    reason: str
    row_labels: bool
    keys: Keys | None
    looks: list[Column]
    notes: list[Note] = field(default_factory=list)

    def column_name(self, j: int) -> str:
        """The name of the column at position ``j``, or its number."""
        return column_name(self.names, j)

    @property
    def long_names(self) -> tuple[str, str, str] | None:
        """Names of the row, column and value columns of a long table, or None."""
        if self.keys is None:
            return None
        rows, column, value = self.keys
        return " ".join(map(self.column_name, rows)), self.column_name(column), self.column_name(value)

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of all columns of the file."""
        return tuple(map(self.column_name, range(self.body.shape[1])))


def column_name(names: Names, j: int) -> str:
    """The name of the column at position ``j``, or its number, counted from 1, if it has none."""
    return f"column {j + 1}" if names is None or not names[j].strip() else names[j].strip()


def find_layout(grid: Grid, reading: NumberReading, options: ReadOptions) -> TableLayout:
    """The layout of a table, by its cells and by what the options say.

    Blank lines are skipped (in a table of one column those between others are empty cells); short lines are filled with
    empty cells.

    Raises
    ------
    TableError
        if all lines are blank, there are too many cells, a line has more cells than the table is wide, the table has a
        header only, or the options name columns that it cannot have.
    """
    m, texts = reading.meanings, grid.texts
    notes: list[Note] = []
    grid = _without_blank_lines(grid)
    common = np.bincount(grid.widths)
    width = int(len(common) - 1 - np.argmax(common[::-1]))  # the most frequent one; of two equally frequent, the larger
    said = options.header_lines
    if said is None:
        n_above = _count_above(grid, m, width)
        if n_above:
            message = f"{counted(n_above, 'line')} above the table {_were(n_above)} left as a title"
            notes.append(Note("title lines", message, first_few([shown(_title(grid, i)) for i in range(n_above)])))
        grid = grid.keep(np.arange(len(grid.lines)) >= n_above)
        width = max(width, int(grid.widths[0]))
    else:
        beyond = np.arange(len(grid.lines)) >= int((grid.lines <= said).sum())
        common = np.bincount(grid.widths[beyond]) if beyond.any() else common
        width = int(len(common) - 1 - np.argmax(common[::-1]))
    cells, more = _aligned(grid, width, options.limits)
    notes += more
    n_said = None if said is None else int((grid.lines <= said).sum())
    n_header, shifted, names = _header(cells, grid, m, options, n_said)
    if n_header == len(cells):
        raise TableError("the table has a header line only: add lines with ratings, or say that there is no header")
    body, header = cells[n_header:], cells[n_header - 1] if n_header else None
    lines, records = grid.lines[n_header:], grid.records[n_header:]
    if shifted and header is not None:
        header = header[:-1]
    C = body.shape[1]
    looks = look_at(body, texts, m, reading.form, options.words)
    with offering(columns=tuple(column_name(names, j) for j in range(C))):
        form, reason, keys = _Form(body, m, names, looks, options).find()
    labels = form == "wide" and bool(
        options.row_labels
        if options.row_labels != "auto"
        else C > 1 and (shifted or _has_labels(body, m, texts, names, looks))
    )
    if labels and C == 1:
        raise TableError("the table has one column only, so it cannot hold row names: say that rows have no names")
    last = int(grid.lines[n_header - 1]) if n_header else 0
    layout = TableLayout(body, lines, records, names, header, last, form, reason, labels, keys, looks, notes)
    return _without_empty_end(layout)


def _were(n: int) -> str:
    return "was" if n == 1 else "were"


def _title(grid: Grid, i: int) -> str:
    return " ".join(filter(None, map(str.strip, grid.record(i))))


def _without_blank_lines(grid: Grid) -> Grid:
    blank = _blank(grid) & (grid.widths <= 1)
    if blank.all():
        raise TableError("the file does not hold a table: all its lines are blank")
    if grid.widths.max() == 1:  # one column: blank lines between others are empty cells
        written = np.flatnonzero(~blank)
        blank = (np.arange(len(blank)) < written[0]) | (np.arange(len(blank)) > written[-1])
    return grid.keep(~blank)


def _blank(grid: Grid) -> np.ndarray:
    """(L,) which records hold nothing."""
    empty = np.array([not text.strip() for text in grid.texts])
    record = np.repeat(np.arange(len(grid.lines)), grid.widths)
    return np.bincount(record, ~empty[grid.codes], minlength=len(grid.lines)) == 0


def _count_above(grid: Grid, m: Meanings, width: int) -> int:
    """How many leading lines are above the table: lines of one text; and lines of two texts, or shorter than half the
    table, above a line of names. At least two lines are left; a table of two columns has none above."""
    sure = n = 0
    while width > 2 and n < min(_MOST_ABOVE, len(grid.lines) - 2):
        codes = grid.codes[grid.starts[n] : grid.starts[n + 1]]
        kinds = m.kinds[codes][codes > 0]
        title = codes[:1].all() and not codes[1:].any() and (kinds == TEXT).all()
        few = width > 3 and len(kinds) <= 2 and codes[:1].all() and (kinds == TEXT).all()
        if not (title or few or 2 * len(codes) < width):
            break
        n += 1
        sure = n if title and sure == n - 1 else sure
    if n > sure:
        kinds = m.kinds[grid.codes[grid.starts[n] : grid.starts[n + 1]]]
        if 2 * (kinds == TEXT).sum() < max(4, width) or (kinds == NUMBER).any():
            return sure
    return n


def _aligned(grid: Grid, width: int, limits: Limits) -> tuple[np.ndarray, list[Note]]:
    """(L, width) codes, and notes on lines that were cut or filled up."""
    if len(grid.lines) * width > limits.cells:
        raise TableError(
            f"the table has {len(grid.lines):,} lines of up to {width:,} cells; the limit is {limits.cells:,} cells"
        )
    line = np.repeat(np.arange(len(grid.lines)), grid.widths)  # (cells,)
    at = np.arange(grid.codes.size) - np.repeat(grid.starts[:-1], grid.widths)
    beyond = at >= width
    if grid.codes[beyond].any():
        i = int(line[beyond & (grid.codes > 0)][0])
        raise TableError(
            f"line {grid.lines[i]:,} has {grid.widths[i]:,} cells where the table has {width:,}: put quotation marks "
            "around cells that hold the delimiter, or choose another delimiter"
        )
    cells = np.zeros((len(grid.lines), width), dtype=np.int32)
    cells[line[~beyond], at[~beyond]] = grid.codes[~beyond]
    notes = []
    if n_cut := np.unique(line[beyond]).size:
        message = f"{counted(n_cut, 'line')} with more empty cells at the end than the table is wide {_were(n_cut)} cut"
        notes.append(Note("empty cells at the end", message))
    short = np.flatnonzero(grid.widths < width)
    headed = len(short) == 1 and short[0] == 0 and grid.widths[0] == width - 1  # R: no name above the row names
    if width > 1 and len(short) and not headed:
        lines = counted(len(short), "line")
        message = f"{lines} with fewer than {width:,} cells {_were(len(short))} filled up with empty cells"
        notes.append(Note("ragged lines", message, f"line {grid.lines[short[0]]:,}"))
    return cells, notes


def _header(
    cells: np.ndarray, grid: Grid, m: Meanings, options: ReadOptions, n_said: int | None
) -> tuple[int, bool, Names]:
    """How many lines hold the header, whether R left out its first cell, and the names of the columns."""
    L, C = cells.shape
    kinds, texts = m.kinds[cells], grid.texts
    if n_said is not None:
        if not n_said:
            return 0, False, None
        shifted = int(grid.widths[n_said - 1]) == C - 1 > 0 and n_said < L
        return n_said, shifted, _joined(cells[:n_said], texts, shifted, fewest=C / 2)
    shifted = options.header is not False and int(grid.widths[0]) == C - 1 > 0 and L > 1
    shifted = shifted and (options.header is True or _is_header_without_corner(kinds, C))
    if not (options.header if options.header != "auto" else shifted or _has_header(cells, kinds, m, texts)):
        return 0, False, None
    n = 1 if shifted or options.form == "long" else _count_header_lines(cells, kinds)
    return n, shifted, _joined(cells[:n], texts, shifted)


def _is_header_without_corner(kinds: np.ndarray, C: int) -> bool:
    """Whether a first line that is one cell shorter than the others is a header, as R writes it above row names."""
    names = kinds[0, : C - 1]
    return bool((names == TEXT).mean() > 0.5 or ((names == NUMBER).all() and mostly(kinds[1:, :1], TEXT)[0]))


def mostly(kinds: np.ndarray, kind: int) -> np.ndarray:
    """(C,) whether most cells of a column that are not missing are of that kind."""
    known = (kinds != NO_VALUE).sum(axis=0)
    return (kinds == kind).sum(axis=0) > 0.5 * known


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
        names = first[1:] == NUMBER  # "Name", "Elo", 1, 2, 3: most numbers count the columns
        counted_columns = m.values[cells[0, 1:][names]]
        return bool(
            first[0] == TEXT
            and (first != NO_VALUE).all()
            and len(counted_columns) > 2
            and (np.diff(counted_columns) == 1).all()
        )
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
    """How many lines of names there are, three at most.

    A further one has texts, none of which comes again, above at least two columns of numbers and half of them, and no
    number; they differ, or there is no name of a row in front of them, as in a line of units.
    """
    n = 1
    while n < _MOST_HEADER_LINES and len(cells) > n + 2:
        numeric = mostly(kinds[n + 1 :], NUMBER)
        here = cells[n, numeric][kinds[n, numeric] != NO_VALUE]
        again = np.isin(here, cells[n + 1 :, numeric])
        texts_only = len(here) >= 2 and (kinds[n, numeric] == TEXT).sum() == len(here)
        names_no_row = kinds[n, 0] == NO_VALUE or len(np.unique(here)) > 1
        if not texts_only or again.any() or not names_no_row or len(here) < 0.5 * numeric.sum():
            break
        n += 1
    return n


def _joined(header: np.ndarray, texts: list[str], shifted: bool, fewest: float = -1) -> tuple[str, ...]:
    """One name for each column from the lines of a header, without those of ``fewest`` names or less and machine's
    notes, as survey tools write them. A name that stands above several columns counts for all of them."""
    if len(header) == 1:
        names = tuple(texts[code] for code in header[0])
        return ("", *names[:-1]) if shifted else names
    lines = [[texts[code].strip() for code in line] for line in header]
    full = [line for line in lines if sum(map(bool, line)) > fewest and not any(t[:1] == "{" for t in line)]
    lines = full or lines[-1:]
    for line in lines[:-1]:
        for j in range(1, len(line)):
            line[j] = line[j] or (line[j - 1] if lines[-1][j] else "")
    names = tuple(": ".join(dict.fromkeys(line[j] for line in lines if line[j])) for j in range(len(lines[0])))
    return ("", *names[:-1]) if shifted else names


def _has_labels(body: np.ndarray, m: Meanings, texts: list[str], names: Names, looks: list[Column]) -> bool:
    """Whether the first column holds names: by its header, because it is mostly text, or numbers that count or identify
    the rows."""
    if names is not None and (names_rows(names[0]) or (not names[0].strip() and any(n.strip() for n in names[1:]))):
        return True
    kinds = m.kinds[body[:, 0]]
    if looks[0].look not in (Look.NUMBERS, Look.EMPTY) or identify(body[:, 0], body[:, 1:], texts, m):
        return True
    return bool((kinds == NUMBER).all()) and _counts_up(m.values[body[:, 0]], m.values[body[:, 1:]])


def identify(line: np.ndarray, beside: np.ndarray, texts: list[str], m: Meanings) -> bool:
    """Whether the numbers in one column or line of a table name something: whole numbers with leading zeros, unless the
    table writes all of them so, or different ones of six digits and more above everything ``beside`` them."""
    numbers = line[m.kinds[line] == NUMBER]
    if not len(numbers) or not all(texts[code].strip().isdecimal() for code in np.unique(numbers)):
        return False
    if m.padded[numbers].any():
        return bool(m.padded[beside].any(axis=0).mean() <= 0.5)
    values, others = m.values[numbers], m.values[beside]
    if values.min() < SMALLEST_IDENTIFIER or len(np.unique(values)) < len(values):
        return False
    return not np.isfinite(others).any() or bool(values.min() > np.nanmax(others))


def _ascending(values: np.ndarray) -> bool:
    """Whether the values are whole numbers, each above the one before."""
    return len(values) > 1 and not (values % 1).any() and bool((np.diff(values) > 0).all())


def _counts_up(values: np.ndarray, others: np.ndarray) -> bool:
    """Whether the values are ascending whole numbers and above the ratings ``others``, or at least six in sequence."""
    if not _ascending(values):
        return False
    above = np.isfinite(others).any() and values.min() > np.nanmax(others)
    return bool(above) or (len(values) >= 6 and values[-1] - values[0] == len(values) - 1)


def _without_empty_end(layout: TableLayout) -> TableLayout:
    """A wide table without a last column that has neither a name nor a cell: each line ends with a delimiter."""
    body, names = layout.body, layout.names
    first = int(layout.row_labels)
    if names is None or layout.form == "long" or body.shape[1] <= first + 1 or names[-1].strip() or body[:, -1].any():
        return layout
    note = Note("empty cells at the end", "every line ends with a delimiter; no column was made of that")
    notes = [*layout.notes, note]
    return replace(layout, body=body[:, :-1], names=names[:-1], looks=layout.looks[:-1], notes=notes)


class _Form:
    """The form of a table, the reason for it, and the key and value columns of a long one."""

    def __init__(self, body: np.ndarray, m: Meanings, names: Names, looks: list[Column], options: ReadOptions):
        self.body, self.m, self.names, self.looks, self.C = body, m, names, looks, body.shape[1]
        named = [] if names is None else [plain_name(name) for name in names]
        self.by_name = [
            next((named.index(name) for name in wanted if name in named), None)
            for wanted in (ROW_NAMES, COLUMN_NAMES, VALUE_NAMES)
        ]
        self.different = [np.unique(body[:, j]).size for j in range(self.C)]
        self.given = options.row_column, options.column_column, options.value_column
        self.said = "long" if any(column is not None for column in self.given) else options.form
        self.you_said = "you said so" if options.form != "auto" else "you named its columns"

    def find(self) -> tuple[str, str, Keys | None]:
        if self.said != "auto":
            return self.said, self.you_said, self._columns() if self.said == "long" else None
        if self.C < 3:
            return "wide", f"a long table needs three columns and this one has {self.C}", None
        row, col, value = self.by_name
        if value is not None and (row is not None or col is not None) and _holds_ratings(self.looks[value]):
            found = first_few([shown((self.names or ())[j].strip()) for j in self.by_name if j is not None])
            return "long", f"its header names {found}", self._columns()
        if self.C > _MOST_LONG_COLUMNS:
            return "wide", f"it has {self.C:,} columns, and long tables have few", None
        looks, rows = self.looks, len(self.body)
        text = [look.look not in (Look.NUMBERS, Look.EMPTY) for look in looks]
        complete = looks[0].written == looks[1].written == rows
        if self.C == 3 and text[0] and text[1] and complete and looks[2].look is Look.NUMBERS:
            return "long", "its first two columns are names and the third holds numbers", ((0,), 1, 2)
        keys = [j for j in self._likely(range(self.C)) if text[j] and self.different[j] <= 0.5 * rows]
        if len(keys) >= 2 and (one := self._value_beside(keys)) is not None:
            of_rows, column = self._separating([j for j in keys if j != one])
            return "long", "two of its columns repeat as names do, and one holds ratings", (of_rows, column, one)
        numeric = self.C <= 4 and not text[1] and complete and looks[2].look is Look.NUMBERS
        if numeric and _identifiers(self.body, self.m, text[0]):
            return "long", "no pair in its first two columns occurs twice, and they look like identifiers", ((0,), 1, 2)
        return "wide", SAME_KIND, None

    def _likely(self, columns: Iterable[int]) -> list[int]:
        """Those of the columns that may name rows or columns: complete, neither dates nor addresses, years, identifiers
        or always the same."""
        return [
            j
            for j in columns
            if self.looks[j].written == len(self.body)
            and self.looks[j].look not in (Look.DATES, Look.ADDRESSES, Look.EMPTY)
            and not (self.looks[j].look is Look.NUMBERS and _names_or_counts(self.body[:, j], self.m))
            and self.different[j] > 1
        ]

    def _value_beside(self, keys: list[int]) -> int | None:
        """The column of ratings beside columns that repeat as names do: the one that its name tells, the only one of
        numbers, or else the only one of words; None if there is not one alone."""
        looks, named = self.looks, self.by_name[2]
        if named is not None and _holds_ratings(looks[named]):
            return named
        numbers = [j for j in range(self.C) if looks[j].look is Look.NUMBERS]
        numbers = [j for j in numbers if not _names_or_counts(self.body[:, j], self.m)]
        scales = [j for j in range(self.C) if looks[j].look is Look.SCALE]
        if numbers or scales:
            found = numbers or scales
            return found[0] if len(found) == 1 else None
        return keys[2] if len(keys) == 3 and looks[keys[2]].look is Look.WORDS else None

    def _separating(self, keys: list[int]) -> tuple[tuple[int, ...], int]:
        """Columns that name the row, and the one that names the column: the first two, with further ones to the row
        where these tell apart pairs that come again."""
        for n in range(len(keys) - 1):
            rows, column = (keys[0], *keys[2 : 2 + n]), keys[1]
            if len(np.unique(self.body[:, [*rows, column]], axis=0)) == len(self.body):
                return rows, column
        return (keys[0],), keys[1]

    def _columns(self) -> Keys:
        """The key and value columns: those that the options name, else by their names, else the first that repeats as a
        name does, else the first ones left."""
        if self.C < 3:
            raise TableError(
                f"a long table needs three columns (row, column, value) and this one has {self.C}: read it as wide, "
                "or choose another delimiter"
            )
        rows, *others = self.given
        several = rows if isinstance(rows, tuple) else () if rows is None else (rows,)
        said_rows = tuple(position(column, self.names, self.C) for column in several)
        said = [None if column is None else position(column, self.names, self.C) for column in others]
        taken = {*said_rows, *said}
        chosen = [
            a if a is not None else b if b not in taken else None
            for a, b in zip([*(said_rows[:1] or (None,)), *said], self.by_name)
        ]
        for place in (0, 1, 2):
            if chosen[place] is None:
                left = [j for j in range(self.C) if j not in chosen and j not in said_rows]
                likely = self._likely(left)
                if place < 2:
                    likely = [j for j in likely if self.different[j] < len(self.body)]
                else:
                    likely = [j for j in likely if _holds_ratings(self.looks[j])]
                chosen[place] = (likely or left)[0]
        row, column, value = (int(j) for j in chosen if j is not None)
        if len({row, column, value}) < 3 or {column, value} & set(said_rows):
            where = (row, column, value)
            raise TableError(f"the row, column and value columns must differ, got the positions {where}")
        return (said_rows or (row,)), column, value


def _holds_ratings(look: Column) -> bool:
    return look.look in (Look.NUMBERS, Look.SCALE) or (look.look is Look.WORDS and len(look.texts) > 1)


def _names_or_counts(column: np.ndarray, m: Meanings) -> bool:
    """Whether all numbers of a column have many digits, as identifiers and time stamps do, or are years, or one."""
    values = m.values[column][m.kinds[column] == NUMBER]
    if not len(values) or values.min() == values.max():
        return True
    return not (values % 1).any() and bool(
        values.min() >= SMALLEST_IDENTIFIER or (values.min() >= 1900 and values.max() <= 2100)
    )


def _identifiers(body: np.ndarray, m: Meanings, first_is_text: bool) -> bool:
    """Whether the first two columns identify cells: all pairs differ, both columns repeat, and they are sorted or reach
    above the values of the third, which hardly happens by chance in a matrix of ratings."""
    pairs = body[:, 0].astype(np.int64) << 32 | body[:, 1]
    ids, distinct = m.values[body[:, :2]], [np.unique(body[:, j]).size for j in (0, 1)]
    if len(body) < 4 or np.unique(pairs).size < len(body) or max(distinct) == len(body) or min(distinct) < 2:
        return False
    whole = ids[:, 1] if first_is_text else ids
    if (m.kinds[body[:, 1 if first_is_text else 0]] != NUMBER).any() or (m.kinds[body[:, 1]] != NUMBER).any():
        return False
    if (whole % 1).any() or (whole < 0).any():
        return False
    if first_is_text:
        return True
    others = m.values[body[:, 2:]]
    highest = np.nanmax(others, axis=0, initial=-np.inf)
    alike = len(highest) > 1 and ids[:, 1].max() <= highest.max() <= 2 * highest.min()
    runs_on = alike and ids[:, 1].min() >= np.nanmin(others)  # one rating beside further ones
    above = ids.max() > 2 * np.nanmax(np.abs(others[:, 0])) and not runs_on
    step = np.diff(ids, axis=0)
    return bool(above) or bool(((step[:, 0] > 0) | ((step[:, 0] == 0) & (step[:, 1] > 0))).all())


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
    called = [column_name(names, j) for j in range(C)]
    if column.strip() in called:
        return called.index(column.strip())
    have = "no header" if names is None else f"the columns {first_few([shown(n) for n in called], 10)}"
    raise TableError(f"the table does not have a column {shown(column)}: it has {have}")

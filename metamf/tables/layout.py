"""The layout of a table: its lines, header, form and, if it is long, columns, where ``ReadOptions`` do not say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from metamf.tables.columns import (
    FIRST_YEAR,
    IDENTIFIERS,
    LAST_YEAR,
    SMALLEST_IDENTIFIER,
    Column,
    Look,
    look_at,
    plainly_no_rating,
    values_of,
)
from metamf.tables.limits import Answer, Doubt, Limits, Note, TableError, in_doubt, offering
from metamf.tables.numbers import NO_VALUE, NUMBER, TEXT, Meanings
from metamf.tables.options import ReadOptions
from metamf.tables.text import COMMENT, Grid
from metamf.tables.words import COLUMN_NAMES, ROW_NAMES, VALUE_NAMES, Style, names_rows, plain_name
from metamf.wording import counted, first_few, shown

SAME_KIND = "a line for each row"
_MOST_HEADER_LINES = 3  # survey tools write code, question and a note of their own
_FEWEST_RISING = 5  # numbers in a first line that hardly rise by chance
_MOST_LONG_COLUMNS = 20

Names = tuple[str, ...] | None  # of the columns, where there is a header
Keys = tuple[tuple[int, ...], int, int]  # columns that name the row, the one that names the column, the values


@dataclass(frozen=True, eq=False)
class TableLayout:
    """Places of the names and the ratings in a table."""

    body: np.ndarray  # (L, C) codes of all lines below the header
    lines: np.ndarray  # (L,) of the file, counted from 1
    records: np.ndarray  # (L,) positions in the file
    names: Names  # (C,)
    header: np.ndarray | None  # (C,) codes of the last header line
    header_lines: int  # of the file up to the last one with names; 0 without a header
    reason: str  # why it is read as a wide or a long table, as a clause
    row_labels: bool  # whether the first column of a wide table looks as if it held names
    keys: Keys | None  # of a long table
    looks: list[Column]  # (C,)
    notes: list[Note] = field(default_factory=list)

    @property
    def long_names(self) -> tuple[str, str, str] | None:
        """Names of the row, column and value columns of a long table, or None."""
        if self.keys is None:
            return None
        rows, column, value = self.keys
        names = self.column_names
        return " ".join(names[j] for j in rows), names[column], names[value]

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """Names of all columns of the file."""
        return names_of(self.names, self.body.shape[1])


def names_of(names: Names, C: int) -> tuple[str, ...]:
    """The names of the columns; those that have none are 'column 1' and so on."""
    return tuple((names[j].strip() if names else "") or f"column {j + 1}" for j in range(C))


def find_layout(grid: Grid, m: Meanings, options: ReadOptions, is_spaced: bool = False) -> TableLayout:
    """The layout of a table, by its cells and by what the options say; TableError if there is none. Where spaces
    separate the cells (``is_spaced``), each line has to have all of them."""
    notes: list[Note] = []
    grid = _without_blank_lines(grid)
    n_said = None if options.header_lines is None else int((grid.lines <= options.header_lines).sum())
    common = np.bincount(grid.widths[n_said or 0 :] if n_said != len(grid.lines) else grid.widths)
    width = int(len(common) - 1 - np.argmax(common[::-1]))  # the most frequent one; of two equally frequent, the larger
    if n_said is None:
        n_above = _count_above(grid, m, width)
        if n_above:
            titles = (" ".join(filter(None, map(str.strip, grid.record(i)))) for i in range(n_above))
            message = f"{counted(n_above, 'line')} above the table {'was' if n_above == 1 else 'were'} kept as a title"
            notes.append(Note("title lines", message, first_few(list(map(shown, titles)))))
        grid = grid.keep(np.arange(len(grid.lines)) >= n_above)
        width = max(width, int(grid.widths[0]))
    if is_spaced and options.delimiter is None and (grid.widths[1:] < width).any():
        i = int(np.flatnonzero(grid.widths[1:] < width)[0]) + 1
        raise TableError(
            f"spaces separate the cells, and line {grid.lines[i]:,} has {grid.widths[i]:,} of {width:,}: so the "
            "empty one cannot be identified; write NA into empty cells, or save the table with commas or tabs"
        )
    cells = _aligned(grid, width, options.limits, notes)
    top = (n_said or 1) - 1
    if width > 1 == width - grid.widths[top] and n_said != 0 and options.header is not False and len(cells) > top + 1:
        named = m.kinds[cells[top, :-1]]
        above_names = (named == NUMBER).all() and mostly(m.kinds[cells[top + 1 :, :1]], TEXT)[0]
        if (named == TEXT).mean() > 0.5 or above_names:  # R leaves out the name above those of the rows
            cells[top] = np.roll(cells[top], 1)
    n_header = _count_header_lines(cells, m, grid.texts, options) if n_said is None else n_said
    names = _joined(cells[:n_header], grid.texts, -1 if n_said is None else width / 2) if n_header else None
    if n_header == len(cells):
        raise TableError("the table has only a header line: add lines with ratings, or say that there is no header")
    body, header = cells[n_header:], cells[n_header - 1] if n_header else None
    lines, records = grid.lines[n_header:], grid.records[n_header:]
    C = body.shape[1]
    looks = look_at(body, m, options.words)
    with offering(columns=names_of(names, C)):
        reason, keys = _Form(body, m, names, looks, options).find()
    labels = options.row_labels
    if labels == "auto":
        labels = C > 1 and _has_labels(body, m, names, looks)
    end = int(grid.lines[n_header - 1]) if n_header else 0
    wide_labels = keys is None and bool(labels)
    return TableLayout(body, lines, records, names, header, end, reason, wide_labels, keys, looks, notes)


def _without_blank_lines(grid: Grid) -> Grid:
    empty = np.array([not text.strip() for text in grid.texts])
    blank = (grid.widths == 0) | ((grid.widths == 1) & empty[np.append(grid.codes, 0)[grid.starts[:-1]]])
    signs = np.array([not set(text) - set("-=+_|: ") for text in grid.texts])
    rules = signs & np.array([bool(re.search("[-=_]{2}", text)) for text in grid.texts])
    line = np.repeat(np.arange(len(blank)), grid.widths)
    drawn, written = (np.bincount(line, of[grid.codes], len(blank)) > 0 for of in (rules, ~signs))
    blank |= drawn & ~written  # the lines around the cells of a drawn table
    if blank.all():
        raise TableError("the file has no table: all its lines are blank")
    if grid.widths.max() == 1:  # one column: blank lines between others are empty cells
        written = np.flatnonzero(~blank)
        blank = (np.arange(len(blank)) < written[0]) | (np.arange(len(blank)) > written[-1])
    return grid.keep(~blank)


def _count_above(grid: Grid, m: Meanings, width: int) -> int:
    """How many leading lines are above the table: comments, lines of one text or none; and lines of two texts, of one
    number, or shorter than half the table, above a line of names. At least two lines are left."""
    titles, n = 0, 0
    while n < min(1000, len(grid.lines) - 2):
        codes = grid.codes[grid.starts[n] : grid.starts[n + 1]]
        kinds = m.kinds[codes[codes > 0]]
        first = "".join(grid.record(n)[:1]).strip()
        comment = COMMENT.match(first) and len(codes) != width or width == 1 and (not first or COMMENT.match(first))
        texts = codes[:1].all() and (kinds == TEXT).all()
        alone = width > 2 and len(kinds) == 1 and codes[0]
        few = texts and len(kinds) <= (2 if width > 3 else 1) or 2 * len(codes) < width or alone
        if not (comment or width > 1 and (few or not len(kinds))):
            break
        titles += int(bool(comment or not len(kinds) or texts and len(kinds) == 1) and titles == n)
        n += 1
    names = m.kinds[grid.codes[grid.starts[n] : grid.starts[n + 1]]]
    return n if 2 * (names == TEXT).sum() >= max(4, width) and not (names == NUMBER).any() else titles


def _aligned(grid: Grid, width: int, limits: Limits, notes: list[Note]) -> np.ndarray:
    """(L, width) codes; ``notes`` gets those on lines that were cut or filled up."""
    if len(grid.lines) * width > limits.cells:
        raise TableError(
            f"the table has {len(grid.lines):,} lines of up to {width:,} cells, above the limit of {limits.cells:,}"
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
    short = np.flatnonzero(grid.widths < width)
    headed = len(short) == 1 and short[0] == 0 and grid.widths[0] == width - 1  # R: no name above the row names
    if len(short) and not headed and width > 1:
        message = f"lines with fewer than {width:,} cells were padded with empty cells"
        notes.append(Note("ragged lines", message, f"line {grid.lines[short[0]]:,}"))
    return cells


def mostly(kinds: np.ndarray, kind: int) -> np.ndarray:
    """(C,) whether most cells of a column that are not missing are of that kind."""
    return 2 * (kinds == kind).sum(axis=0) > (kinds != NO_VALUE).sum(axis=0)


def _has_header(cells: np.ndarray, kinds: np.ndarray, m: Meanings, texts: list[str]) -> bool:
    """Whether the first line is a header: texts above numbers, or numbers that name the columns."""
    first, body = kinds[0], kinds[1:]
    numeric = mostly(body, NUMBER)
    if not numeric.any():
        return bool((first == TEXT).any() if len(body) else (first == TEXT).all())
    known = first[numeric & (first != NO_VALUE)]
    if len(known) and (known == TEXT).mean() >= 0.5:
        return True
    at, corner = first == NUMBER, texts[cells[0, 0]]
    if at.sum() > 1 and len(cells) > 3 and not (m.values[cells[0, at]] % 1).any() and (kinds[1, numeric] == TEXT).all():
        return True  # years above the names of their quarters
    if len(first) < 3 or (first[1:] == NO_VALUE).any() or at.sum() < 2 or m.padded[cells[0, 0]]:
        return False
    if _name_something(cells[0, at], cells[1:, at], m) or _count_on(m.values[cells[0, at]], m.values[cells[1:, at]]):
        return True
    side = m.values[cells[1:, 0]]
    named = mostly(body[:, :1], TEXT)[0]
    above_names = names_rows(corner) if corner.strip() else named or (np.diff(side) > 0).all()
    rises = (np.diff(m.values[cells[:, at]]) > 0).all(axis=1)  # (L,) as doses or minutes in a header do
    alone = named and at.sum() >= _FEWEST_RISING and 10 * rises[1:].sum() < len(body)
    return bool((above_names or alone) and rises[0])


def _count_on(names: np.ndarray, beside: np.ndarray) -> bool:
    """Whether the numbers of a first line name the columns: three at least that go up in equal steps, all years unless
    those of a line below do so, too, or all outside the range of those below."""
    steps = np.diff(names)
    if len(names) < 3 or steps[0] <= 0 or np.ptp(steps) > 1e-9:
        return False
    below = beside[~np.isnan(beside)]
    years = names[0] >= FIRST_YEAR and names[-1] <= LAST_YEAR and not (np.diff(beside) == steps).all(axis=1).any()
    outside = not len(below) or names[-1] < below.min() or names[0] > below.max()
    return bool(years or outside and steps[0] == 1)


def _count_header_lines(cells: np.ndarray, m: Meanings, texts: list[str], options: ReadOptions) -> int:
    """How many lines of names there are, three at most. A further one has texts alone, none of which comes again, above
    at least two columns of numbers and half of them, or one where its first cell is empty; they differ, or no name of a
    row is in front of them, as in a line of units. Or it has numbers that count on, such as years."""
    kinds, n = m.kinds[cells], 1
    if not (_has_header(cells, kinds, m, texts) if options.header == "auto" else options.header):
        return 0
    while n < _MOST_HEADER_LINES and len(cells) > n + 2 and options.form != "long":
        numeric = mostly(kinds[n + 1 :], NUMBER)
        if not numeric[1:].any():  # words that repeat
            numeric = np.array([2 * len(np.unique(column)) < len(column) for column in cells[n + 1 :].T])
        here = cells[n, numeric][kinds[n, numeric] != NO_VALUE]
        fewest = 1 if not cells[n, 0] and numeric.sum() > 1 else max(2, 0.5 * numeric.sum())
        texts_only = len(here) >= fewest and (kinds[n, numeric] == TEXT).sum() == len(here)
        names_no_row = kinds[n, 0] == NO_VALUE or len(np.unique(here)) > 1
        if np.isin(here, cells[n + 1 :, numeric]).any():
            break
        at = numeric & (kinds[n] == NUMBER)
        counts = (at == numeric).all() and _count_on(m.values[cells[n, at]], m.values[cells[n + 1 :, at]])
        if not (texts_only and names_no_row or counts):
            break
        n += 1
    return n


def _joined(header: np.ndarray, texts: list[str], fewest: float) -> tuple[str, ...]:
    """One name for each column from the lines of a header, without those of ``fewest`` names or less and machine's
    notes, as survey tools write them. A name that stands above several columns counts for all of them."""
    lines = [[texts[code].strip() for code in line] for line in header]
    full = [line for line in lines if sum(map(bool, line)) > fewest and not any(t[:1] == "{" for t in line)]
    lines = full or lines[-1:]
    for line in lines[:-1]:
        for j in range(1, len(line)):
            line[j] = line[j] or (line[j - 1] if lines[-1][j] else "")
    return tuple(": ".join(dict.fromkeys(filter(None, column))) for column in zip(*lines))


def _has_labels(body: np.ndarray, m: Meanings, names: Names, looks: list[Column]) -> bool:
    """Whether the first column holds names: by its header, because it is mostly text, or numbers that name the rows."""
    if names is not None and (names_rows(names[0]) or (not names[0].strip() and any(n.strip() for n in names[1:]))):
        return True
    return looks[0].look not in (Look.NUMBERS, Look.EMPTY) or _name_something(
        body[:, 0], body[:, 1:], m, looks[0].style
    )


def _name_something(line: np.ndarray, beside: np.ndarray, m: Meanings, style: Style | None = None) -> bool:
    """Whether the numbers in one line or column of a table, written in a ``style`` such as "#12", name something: most
    with leading zeros, unless the table writes all numbers so; or whole and different ones that are above everything
    ``beside`` them and ascend or have six digits; or at least six that count on."""
    if m.padded[line].mean() > 0.5:
        return bool(m.padded[beside].any(axis=0).mean() <= 0.5)
    values, others = values_of(line, style, m), m.values[beside]
    if (values % 1 != 0).any() or len(np.unique(values)) < max(2, len(values)):
        return False
    above = not (others >= values.min()).any()
    ascending = bool((np.diff(values) > 0).all())
    counts = ascending and len(values) >= 6 and np.ptp(values) == len(values) - 1
    return bool(counts or above and (ascending or values.min() >= SMALLEST_IDENTIFIER))


class _Form:
    """The form of a table, the reason for it, and the key and value columns of a long one."""

    def __init__(self, body: np.ndarray, m: Meanings, names: Names, looks: list[Column], options: ReadOptions):
        self.body, self.m, self.names, self.looks, self.C = body, m, names, looks, body.shape[1]
        self.called = names_of(names, self.C)
        named = [] if names is None else [plain_name(name) for name in names]
        self.by_name = [
            next((named.index(name) for name in wanted if name in named), None)
            for wanted in (ROW_NAMES, COLUMN_NAMES, VALUE_NAMES)
        ]
        self.different = [np.unique(body[:, j]).size for j in range(self.C)]
        self.given = options.row_column, options.column_column, options.value_column
        self.said = "long" if any(column is not None for column in self.given) else options.form
        self.you_said = "you said so" if options.form != "auto" else "you named its columns"
        self.too_few = f"a long table needs three columns and this one has {self.C}"

    def find(self) -> tuple[str, Keys | None]:
        if self.said != "auto":
            return self.you_said, self._columns() if self.said == "long" else None
        if self.C < 3:
            return self.too_few, None
        *keys, value = self.by_name
        named = [j for j in keys if j is not None]
        repeats = len(named) == 2 or self.C == 3 or any(self.different[j] < len(self.body) for j in named)
        if value is not None and named and repeats and self._may_be_ratings(value):
            found = first_few([shown(self.called[j]) for j in self.by_name if j is not None])
            return f"its header names {found}", self._columns()
        looks, rows = self.looks, len(self.body)
        text = [look.look not in (Look.NUMBERS, Look.EMPTY) for look in looks]
        third = looks[0].written == looks[1].written == rows and looks[2].look is Look.NUMBERS
        if self.C == 3 and text[0] and text[1] and third:
            return "its first two columns are names and the third holds numbers", ((0,), 1, 2)
        if (found := self._pairs()) is not None:
            return "two of its columns repeat as names do, and one holds ratings", found
        full = all(look.written == rows for look in looks[3:])
        if self.C <= 4 and not text[1] and third and full and self._identify(text[0]):
            return "no pair in its first two columns occurs twice, and they look like identifiers", ((0,), 1, 2)
        return SAME_KIND, None

    def _may_be_ratings(self, j: int) -> bool:
        look = self.looks[j]
        return look.look in (Look.NUMBERS, Look.SCALE) or (look.look is Look.WORDS and len(look.texts) > 1)

    def _has_numbers(self, j: int) -> bool:
        """Whether a column holds numbers, and not years, identifiers or always the same."""
        return self.looks[j].look is Look.NUMBERS and not plainly_no_rating(self.m.values[self.body[:, j]])

    def _keys(self) -> list[int]:
        """The columns that may name rows and columns where each line holds one cell: complete texts, or numbers called
        so or of six digits, that repeat, and do not follow from another one as an artist follows from a song."""
        repeat = [j for j in range(self.C) if 1 < self.different[j] <= len(self.body) / 2 and self._may_name(j)]
        keys: list[int] = []
        for j in sorted(repeat, key=lambda j: (j not in self.by_name[:2], -self.different[j])):
            if not self._follows(j, keys):
                keys.append(j)
        return sorted(keys, key=lambda j: (j != self.by_name[0], j))

    def _may_name(self, j: int) -> bool:
        look = self.looks[j]
        if look.written < len(self.body) or look.look in (Look.DATES, Look.ADDRESSES, Look.SCALE):
            return False
        if look.look is not Look.NUMBERS:
            return True
        values = self.m.values[self.body[:, j]]
        called = j in self.by_name[:2] or names_rows(self.called[j]) or plainly_no_rating(values) == IDENTIFIERS
        called = called or _in_blocks(values)
        if look.style is not None:
            return look.style.template.startswith("#")
        return called and not (values % 1).any()

    def _follows(self, j: int, keys: list[int]) -> bool:
        """Whether one of the ``keys`` tells what stands in column ``j``."""
        return any(self._pairs_of(k, j) == self.different[k] for k in keys)

    def _values(self, keys: list[int]) -> list[int]:
        """The columns that may hold the values of cells that ``keys`` name: the one that its name tells, those of
        numbers that follow from no key, or else the only one of words."""
        looks, named = self.looks, self.by_name[2]
        if named is not None and self._may_be_ratings(named):
            return [named]
        others = [j for j in range(self.C) if j not in keys and not self._follows(j, keys)]
        found = [j for j in others if self._has_numbers(j)] or [j for j in others if looks[j].look is Look.SCALE]
        return found or [j for j in keys[2:3] if looks[j].look is Look.WORDS and not self._shares_words(j, keys[:2])]

    def _shares_words(self, j: int, keys: list[int]) -> bool:
        """Whether words of a column stand in one of the ``keys``, too, as in a wide table of words."""
        return any(not self.looks[j].texts.keys().isdisjoint(self.looks[k].texts) for k in keys)

    def _pairs(self) -> Keys | None:
        """The columns of a table with a line for each pair of a row and a column; None if it is none. TableError where
        several columns may hold the values of all pairs, and some pair is missing."""
        if self.C > _MOST_LONG_COLUMNS:
            return None
        keys = self._keys()
        values = self._values(keys) if len(keys) > 1 else []
        row, column = [j for j in keys if j not in values][:2] if len(keys) > 1 else (0, 0)
        once = self._differ([row, column])
        counts = sorted(
            (j for j in values if not once and self.looks[j].look is Look.NUMBERS), key=self.different.__getitem__
        )
        if len(values) > 1 and counts and self._differ([row, column, counts[0]]):
            values.remove(counts[0])  # the number of a repetition
        others = [j for j in range(self.C) if j not in (row, column, *values)]
        answers = self._has_names() and self._shares_words(column, [row])  # of people, in a wide table
        told = once or not answers and any(self._differ([row, column, j]) for j in others)
        if len(values) == 1 and (told or not self._has_names() and 2 * self._pairs_of(row, column) > len(self.body)):
            return (row,), column, values[0]
        full = all(self.looks[j].written == len(self.body) for j in values)
        if len(values) > 1 and once and full and self.different[row] * self.different[column] > len(self.body):
            raise in_doubt(self._which_values(row, column, values))
        return None

    def _pairs_of(self, *columns: int) -> int:
        """How many different tuples stand in some columns."""
        key = np.zeros(len(self.body), dtype=np.int64)
        for j in columns:  # each time a number below that of the lines, so that no product is too large
            values = self.body[:, j].astype(np.int64)
            key = pd.factorize(key * (int(values.max()) + 1) + values)[0].astype(np.int64)
        return int(key.max()) + 1

    def _differ(self, columns: list[int]) -> bool:
        return self._pairs_of(*columns) == len(self.body)

    def _has_names(self) -> bool:
        """Whether a column has a name of its own for each line."""
        return any(look.look is Look.NAMES and n == len(self.body) for look, n in zip(self.looks, self.different))

    def _which_values(self, row: int, column: int, values: list[int]) -> Doubt:
        names = [shown(self.called[j]) for j in (row, column, *values)]
        sentence = f"each line seems to be one rating, of the row in {names[0]} and the column in {names[1]}"
        answers = [
            Answer(f"its value is {shown(self.called[j])}", "columns", tuple(self.called[k] for k in (row, column, j)))
            for j in values
        ]
        wide = Answer("each line is a row", "form", ("wide",))
        return Doubt(tuple(range(self.C)), self.called, sentence, (*answers, wide))

    def _identify(self, first_is_text: bool) -> bool:
        """Whether the first two columns identify cells: all pairs differ, both columns repeat, their numbers are whole,
        and they are sorted or above those of the third, which hardly happens by chance in a matrix of ratings."""
        L, pairs = len(self.body), self.body[:, :2]
        if L < 4 or max(self.different[:2]) == L or min(self.different[:2]) < 2 or len(np.unique(pairs, axis=0)) < L:
            return False
        ids = self.m.values[pairs[:, first_is_text:]]
        if (ids % 1 != 0).any() or (ids < 0).any():
            return False
        steps, highest, tops = np.diff(ids, axis=0), np.nanmax(np.abs(self.m.values[self.body[:, 2]])), ids.max(axis=0)
        is_sorted = ((steps[:, 0] > 0) | ((steps[:, 0] == 0) & (steps[:, -1] > 0))).all()
        return first_is_text or bool(is_sorted or (tops.max() > 2 * highest and tops.min() > highest))

    def _columns(self) -> Keys:
        """The key and value columns: those that the options name, else by their names, else the first that repeats as a
        name does, else the first ones left."""
        if self.C < 3:
            raise TableError(f"{self.too_few}: read it as wide, or choose another delimiter")
        rows, *others = self.given
        several = rows if isinstance(rows, tuple) else () if rows is None else (rows,)
        said_rows = positions(several, self.names, self.C)
        chosen: list[int | None] = [said_rows[0] if said_rows else None]
        chosen += [None if column is None else positions((column,), self.names, self.C)[0] for column in others]
        for place, by_name in enumerate(self.by_name):
            if chosen[place] is None and by_name not in (*said_rows, *chosen):
                chosen[place] = by_name
        keys = self._keys() if None in chosen else []
        for place in (0, 1, 2):
            if chosen[place] is None:
                left = [j for j in range(self.C) if j not in chosen and j not in said_rows]
                repeats = [j for j in left if 1 < self.different[j] < len(self.body) and self._may_name(j)]
                likely = [*keys, *repeats] if place < 2 else [*self._values(keys), *filter(self._may_be_ratings, left)]
                chosen[place] = next(j for j in (*likely, *left) if j in left)
        row, column, value = (int(j) for j in chosen if j is not None)
        if len({row, column, value}) < 3 or {column, value} & set(said_rows):
            raise TableError(f"the row, column and value columns must differ, got the positions {(row, column, value)}")
        return tuple(said_rows) or (row,), column, value


def _in_blocks(values: np.ndarray) -> bool:
    """Whether numbers count the blocks of lines that they stand in: 1, 1, 1, 2, 2, 4, 4, 4, ..."""
    steps = np.diff(values)
    return bool((steps >= 0).all() and 2 < (steps > 0).sum() <= len(steps) / 2)


def positions(columns: tuple[str | int, ...], names: Names, C: int) -> list[int]:
    """The positions of columns that an option gives by position, counted from 0, or by name; without a header they are
    called 'column 1', 'column 2' and so on, as messages call them. TableError if one is not there."""
    called = names_of(names, C)
    places = {name: C - 1 - j for j, name in enumerate(reversed(called))}  # of equal names the first
    found = []
    for column in columns:
        if isinstance(column, int):
            if not 0 <= column < C:
                raise TableError(f"the table has no column at position {column}: its {C} columns count from 0")
            found.append(column)
        elif column.strip() in places:
            found.append(places[column.strip()])
        else:
            have = "no header" if names is None else f"the columns {first_few([shown(n) for n in called], 10)}"
            raise TableError(f"the table has no column {shown(column)}: it has {have}")
    return found

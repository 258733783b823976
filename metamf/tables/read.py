"""A file of any kind -> ``Table``: the ratings, a report of what was understood, and what it takes to write it back.

bytes -> grid of codes (``text``, ``binary``) -> meaning of each text (``numbers``) -> header, form and names
(``layout``) -> roles of columns and rows (``roles``) -> rating cells, each once -> ``Ratings``. Whatever the bytes are,
the result is a Table or a TableError.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from metamf.ratings.features import FeatureCoding
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale, guess_scale
from metamf.tables.binary import kind_of, load_binary
from metamf.tables.columns import DATE, Column, Look, values_of
from metamf.tables.doubts import marker_doubts, order_doubt
from metamf.tables.layout import TableLayout, find_layout
from metamf.tables.limits import Answer, Doubt, Note, TableError, in_doubt, likeliest_answers, offering
from metamf.tables.markers import beyond_scale, markers_in, zero_is_apart, zero_may_count
from metamf.tables.numbers import (
    A_NUMBER,
    NO_VALUE,
    NUMBER,
    TEXT,
    Meanings,
    NumberFormat,
    number_within,
    read_texts,
    understand,
    value_of,
)
from metamf.tables.options import ReadOptions
from metamf.tables.roles import ALONE, DESCRIBES, NAME, RATING, RoleFinder, Roles
from metamf.tables.sums import sounds_like_a_sum, summaries, sums_up
from metamf.tables.table import Source, Table, TableReport
from metamf.tables.text import Grid, Loaded, gunzip, label_in, load_text
from metamf.tables.words import WORDS, Style, words_of
from metamf.wording import counted, first_few, in_mib, shown

_MOST_TRIED, _MOST_COLUMNS = 1_000_000, 1_000  # bytes, and columns, of a file in which answers are tried
_MOST_ITEMS, _MOST_ROWS, _MOST_CELLS = 200, 500, 20_000  # of a long table, among which sums are looked for
_MOST_DOUBTS = 12  # from which those that follow are not looked for
_EXAMPLES = 3  # that a message names
_FAR, _LARGER = 50, 5  # times the others, a number read in the wrong format; and times one that may be
_LONGEST = 40  # characters of a text that is looked at
_FIRST_LINES = 5  # of a file, next to the questions about it
_MOST_MARKERS, _MOST_TEXTS = 12, 40  # texts that are offered as marks for "missing", and with ranges among them


def read_table(
    data: bytes, name: str = "", options: ReadOptions = ReadOptions(), progress: Callable[[float], None] | None = None
) -> Table:
    """Reads a table of ratings: text (any delimiter, decimal sign, encoding), a workbook or a data frame, wide or long.

    Parameters
    ----------
    data : content of the file: text, gzip of a text, .xlsx, .xls, .ods, .npy, .npz with one array,
        Parquet, Feather, Stata or SPSS
    name : name of the file, for the report; the kind of the file is recognised by its first bytes
    options : knowledge about the table; the rest is guessed, or asked for
    progress : called now and then with the share of a text that has been read, from 0 to 1

    Returns the ratings in rating units, the report, and what it takes to write the table back. Raises TableError, and
    nothing else, for any bytes that are not a table of ratings: it says what is wrong, where, and what to do.
    """
    loaded = _load(bytes(data), options, progress)
    try:
        return _read(loaded, name, options)
    except TableError as error:
        if not error.doubts or len(data) > _MOST_TRIED or loaded.grid.widths.max() > _MOST_COLUMNS:
            raise
        refused = error.with_traceback(None)  # whose frames hold all that was read
    raise _tried(refused, loaded, options)


def _read(loaded: Loaded, name: str, options: ReadOptions) -> Table:
    with offering(sheets=loaded.sheets, sheet=loaded.sheet):
        reader = _reader_of(loaded, options, None)
        if reader.reads_otherwise:
            reader = _reader_of(loaded, options, reader.reading.form)
        with _choices(reader.layout, reader.loaded.grid):
            return reader.table(name)


def _reader_of(loaded: Loaded, options: ReadOptions, form: NumberFormat | None) -> _Reader:
    """The table with its layout, as numbers of that ``form`` show it, or of the one that most cells have."""
    grid = loaded.grid
    first = understand(grid.codes, grid.texts, loaded.dialect.delimiter, options, form=form)
    spaced = loaded.kind == "text" and loaded.dialect.delimiter == " "
    layout = find_layout(grid, first, options, spaced)
    if any("=" in str(marker) for marker in options.missing_markers):
        grid = _with_markers_of_columns(grid, layout, first, options)
        loaded = replace(loaded, grid=grid)
        first = understand(grid.codes, grid.texts, loaded.dialect.delimiter, options, absent=grid.absent, form=form)
        layout = find_layout(grid, first, options, spaced)
    with _choices(layout, grid):
        return _Reader(loaded, layout, first, options)


def _choices(layout: TableLayout, grid: Grid) -> AbstractContextManager[None]:
    """Offers the columns and the first lines of a table to whoever has to answer a question about it."""
    lines = tuple(tuple(grid.texts[code] for code in line) for line in layout.body[:_FIRST_LINES])
    return offering(columns=layout.column_names, first_lines=lines)


def _with_markers_of_columns(grid: Grid, layout: TableLayout, m: Meanings, options: ReadOptions) -> Grid:
    """The grid in which cells with a marker of their column alone, such as "rating=0", have a code of their own."""
    codes = grid.codes.copy()
    texts = [*grid.texts]
    absent: list[int] = []
    for marker in options.missing_markers:
        name, _, text = str(marker).rpartition("=")
        if name not in layout.column_names:
            continue
        j = layout.column_names.index(name)
        cells = (grid.starts[:-1] + j)[layout.records]
        cells = cells[grid.widths[layout.records] > j]
        (number,) = read_texts([text], m.form).values
        for code in np.unique(codes[cells]).tolist():
            if texts[code].strip().casefold() == text.strip().casefold() or m.values[code] == number:
                codes[cells[codes[cells] == code]] = len(texts)
                absent.append(len(texts))
                texts.append(texts[code])
    return replace(grid, codes=codes, texts=texts, absent=tuple(absent))


def _tried(error: TableError, loaded: Loaded, options: ReadOptions) -> TableError:
    """The same questions, with only those answers after which the file is read or other questions are left; and those
    that follow from the likeliest answers, or from another choice of columns. Each answer is tried together with the
    likeliest ones to the other questions."""

    def left_by(answers: list[tuple[Doubt, Answer]]) -> tuple[Doubt, ...] | None:
        """The questions that are left after some answers; None where these do not work."""
        told = options
        try:
            for _, answer in answers:
                told = told.with_answer(answer.option, answer.values)
            _read(loaded, "", told)
        except TableError as left:
            return left.doubts if left.doubts or "cannot be two things" in str(left) else None
        return ()

    doubts = [*error.doubts]
    for number, doubt in enumerate(doubts):  # those that follow join at the end
        works = []
        for answer in doubt.answers:
            trial = [*doubts[:number], replace(doubt, answers=(answer,), ordered=False), *doubts[number + 1 :]]
            left = left_by(likeliest_answers(trial, doubt.given))
            if left is None:  # the fault may be in another answer
                left = left_by([(doubt, answer)])
            if left is None or doubt.key in {other.key for other in left}:
                continue
            works.append(answer)
            given = answer if answer.option == "columns" else doubt.given
            if len(works) > 1 and given is not answer or len(doubts) > _MOST_DOUBTS:
                continue
            known = {other.key for other in doubts}
            ordered = {word for other in doubts for word in other.words}
            new = (other for other in left if not other.texts or not other.texts <= ordered)
            doubts += [replace(other, given=given) for other in new if other.key not in known]
        doubts[number] = replace(doubt, answers=tuple(works))
    same = in_doubt(*doubts)
    same.sheets = error.sheets
    same.sheet = error.sheet
    same.columns = error.columns
    same.first_lines = error.first_lines
    return same


def _load(data: bytes, options: ReadOptions, progress: Callable[[float], None] | None) -> Loaded:
    """The cells of the file as texts, whatever its kind."""
    limits = options.limits
    if len(data) > limits.bytes:
        raise TableError(f"the file is {in_mib(len(data))}, above the limit of {in_mib(limits.bytes)}: split it")
    kind = kind_of(data)
    if kind == "gzip":
        data = gunzip(data, limits)
        kind = kind_of(data)
    if not data.strip():
        raise TableError("the file is empty: it must contain a table with at least one rating")
    return load_text(data, options, progress) if kind == "text" else load_binary(data, kind, options)


class _Reader:
    """The rating cells of a table whose layout is known, (n,) each, in the file's order: ``rows`` and ``cols`` of the
    matrix, ``codes`` of their texts, ``lines`` of the file, ``values`` and ``kinds``. Some are missing, and those of a
    long table may be given twice."""

    def __init__(self, loaded: Loaded, layout: TableLayout, first: Meanings, options: ReadOptions):
        self.loaded, self.layout, self.options, self.texts = loaded, layout, options, loaded.grid.texts
        self.notes: list[Note] = [*loaded.notes, *layout.notes]
        self.roles: Roles | None = None
        self.doubts: list[Doubt] = []
        self.features: np.ndarray | None = None
        self.styles: tuple[Style | None, ...]
        self.lines: np.ndarray
        if layout.keys is None:
            finder = RoleFinder(layout, first, options)
            self.roles, self.doubts = finder.find(loaded.kind == "npy"), finder.doubts
            self._read_wide(self.roles, first)
        else:
            self._read_long(*layout.keys, first)
        options.limits.check_matrix(*self.shape)
        delimiter = loaded.dialect.delimiter
        self.reading = understand(self.codes, self.texts, delimiter, options, first, loaded.grid.absent)
        self.values, self.kinds = self.reading.values[self.codes], self.reading.kinds[self.codes].copy()
        numbers_named = self.roles is not None and not np.isnan(self.reading.marked).all()
        for j, style in enumerate(self.styles):
            column = slice(j, None, self.shape[1]) if self.roles else slice(None)
            if style is not None or numbers_named:
                self.values[column] = values_of(self.codes[column], style, self.reading)
            if style is not None and style.name == WORDS:  # a number next to words has no place among them
                words = dict(style.values)
                known = [code for code in np.unique(self.codes[column]).tolist() if self.texts[code].strip() in words]
                odd = ~np.isnan(self.values[column]) & ~np.isin(self.codes[column], known)
                self.values[column][odd] = np.nan
                self.kinds[column][odd] = TEXT
        self.kinds[~np.isnan(self.values)] = NUMBER
        same = np.array_equal(self.reading.values[self.codes], first.values[self.codes], equal_nan=True)
        # whether the ratings have another number format than all cells with the names among them had
        self.reads_otherwise = self.reading.form != first.form and (any(self.styles) or not same)

    def _read_wide(self, roles: Roles, first: Meanings) -> None:
        """The cells of a wide table, row by row."""
        layout, rated, named = self.layout, roles.of(RATING), roles.of(NAME)
        if not rated:
            raise TableError("the table has no column of ratings: is the delimiter right?")
        kept = np.flatnonzero(~np.isin(layout.lines, [line for line, _ in roles.rows]))
        body = layout.body[kept]
        N, M = self.shape = len(body), len(rated)
        self.rows = np.repeat(np.arange(N, dtype=np.int32), M)  # half the memory of the default
        self.cols = np.tile(np.arange(M, dtype=np.int32), N)
        self.codes = body[:, rated].reshape(-1)
        self.lines, self.records = np.repeat(layout.lines[kept].astype(np.int32), M), layout.records[kept]
        self.styles, self.columns = tuple(roles.columns[j].style for j in rated), tuple(rated)
        parts = [[label_in(self.texts[code]) for code in body[:, j]] for j in named]
        self.row_labels = tuple(" ".join(filter(None, row)) for row in zip(*parts)) if named else None
        self.col_labels = None if layout.names is None else tuple(label_in(layout.names[j]) for j in rated)
        if described := roles.of(DESCRIBES):
            frame = pd.DataFrame({j: self._feature(body[:, j], layout.looks[j], first) for j in described})
            coding = FeatureCoding.of(frame)
            self.features = coding(frame)
            if idle := [shown(layout.column_names[j]) for j in coding.idle]:
                message = "a description with the same value in all rows, or a different word in each, is not used"
                self.notes.append(Note("idle columns", message, first_few(idle)))

    def _feature(self, column: np.ndarray, look: Column, first: Meanings) -> Any:
        """What a column says of the rows: (L,) numbers, NaN in gaps, or words, '' in gaps."""
        if look.look is Look.NUMBERS or look.style is not None:
            return values_of(column, look.style, first)
        return ["" if first.kinds[code] == NO_VALUE else label_in(self.texts[code]) for code in column]

    def _read_long(self, rows: tuple[int, ...], column: int, value: int, first: Meanings) -> None:
        """The cells of a long table, line by line."""
        layout = self.layout
        if layout.looks[value].look is Look.WORDS:
            self.doubts.append(order_doubt(layout, [value], first))
        if self.options.describes:
            raise TableError("columns describe the rows of wide tables only: make it wide, or leave them alone")
        self.columns, self.styles = (*rows, column, value), (layout.looks[value].style,)
        self._take_lines((layout.body[:, self.columns] > 0).max(axis=1))
        if summed := self._summed_up(first):
            where = first_few([f"{shown(name)} is {why}" for name, why in summed.items()])
            self.notes.append(Note("sums", "lines with sums and means of others were left alone", where))
        if ignored := [layout.column_names[j] for j in range(layout.body.shape[1]) if j not in self.columns]:
            message = f"{counted(len(ignored), 'further column')} {'was' if len(ignored) == 1 else 'were'} ignored"
            self.notes.append(Note("ignored columns", message, first_few([shown(name) for name in ignored])))

    def _take_lines(self, chosen: np.ndarray) -> None:
        """Reads the ``chosen`` (L,) lines of a long table."""
        layout, (*rows, column, value) = self.layout, self.columns
        body, self.lines, self.records = layout.body[chosen], layout.lines[chosen], layout.records[chosen]
        if not len(body):
            raise TableError("the table has no line with a rating")
        self.codes = body[:, value]
        (self.rows, self.row_labels), (self.cols, self.col_labels) = (
            self._keys(body, noun, columns) for noun, columns in (("row", tuple(rows)), ("column", (column,)))
        )
        self.shape = len(self.row_labels), len(self.col_labels)

    def _summed_up(self, first: Meanings) -> dict[str, str]:
        """The columns and rows of a long table that are sums or means of the others, unless a person says that they are
        rows, and what they are; their lines are left out. Such a column is given in half of the rows at least."""
        row_names = self.row_labels or ()
        col_names = self.col_labels or ()
        M = self.shape[1]
        N = min(self.shape[0], _MOST_ROWS)
        if min(N, M) < 3 or M > _MOST_ITEMS:
            return {}
        at = self.rows < N
        X = np.full((N, M), np.nan)
        X[self.rows[at], self.cols[at]] = values_of(self.codes[at], self.styles[0], first)
        decimals = [first.decimals(self.codes[at][self.cols[at] == j]) for j in range(M)]
        sums, unknown = summaries(X, decimals, col_names, False)
        called = [j for j, name in enumerate(col_names) if sounds_like_a_sum(name)]
        sums |= {j: f"called {shown(col_names[j])}" for j in called if j in unknown and 2 * len(called) <= M}
        sums = {j: why for j, why in sums.items() if 2 * np.count_nonzero(np.isnan(X[:, j])) <= N}
        parts = X[:, [j for j in range(M) if j not in sums and len(np.unique(X[~np.isnan(X[:, j]), j])) > 1]]
        means = {
            i: f"{what} of other rows"
            for i in (range(N) if N == self.shape[0] and X.size <= _MOST_CELLS else ())
            if (what := sums_up(parts[i], first.decimals(self.codes[self.rows == i]), np.delete(parts, i, axis=0)))
        }
        names: dict[str, str] = {}
        left = np.zeros(len(self.rows), dtype=bool)
        for keys, labels, found in ((self.cols, col_names, sums), (self.rows, row_names, means)):
            found = {j: why for j, why in found.items() if labels[j] not in self.options.keep_rows}
            names |= {labels[j]: why for j, why in found.items()}
            left |= np.isin(keys, [*found])
        if names:
            self._take_lines(np.isin(self.layout.records, self.records[~left]))
        return names

    def _keys(self, body: np.ndarray, noun: str, columns: tuple[int, ...]) -> tuple[np.ndarray, tuple[str, ...]]:
        """The position of each line's row, or column, and their names; texts that differ in spaces only are one."""
        frame = pd.DataFrame(body[:, columns])
        key = frame.groupby(list(frame), sort=False).ngroup().to_numpy()
        used = frame.drop_duplicates().to_numpy()
        names = [" ".join(filter(None, (label_in(self.texts[code]) for code in codes))) for codes in used]
        if "" in names:
            i = int(np.flatnonzero(key == names.index(""))[0])
            where = shown(self.layout.column_names[columns[0]])
            raise TableError(f"line {self.lines[i]:,} has no {noun} name: column {where} is empty")
        merged, different = pd.factorize(np.array(names, dtype=object))
        return merged[key].astype(np.int64), tuple(different)

    def table(self, name: str) -> Table:
        """The table; TableError if a cell is no rating, none is, or one is given twice."""
        self._check_format()
        self._check_odd_cells()
        self._check_long()
        if self.doubts:
            raise in_doubt(*self.doubts)
        at, values, codes, doubled = self._each_once(self.options.duplicates)
        loaded, layout, form, scale = self.loaded, self.layout, self.reading.form, self._scale_of(values)
        labels = self.row_labels, self.col_labels
        ratings = Ratings(self.rows[at], self.cols[at], values, self.shape, *labels, scale, self.features)
        dialect = replace(loaded.dialect, decimal=form.decimal, thousands=form.thousands)
        code = np.min_scalar_type(-len(self.texts) - 1)  # of a large table, codes in four bytes have many megabytes
        grid = replace(loaded.grid, codes=loaded.grid.codes.astype(code))
        source = Source(
            **vars(replace(loaded, dialect=dialect, grid=grid)),
            records=self.records,
            columns=self.columns,
            styles=self.styles,
            codes=codes.astype(code),
            kept=self._telling(),
            pairs=None if self.roles else (self.rows, self.cols),
            long_names=layout.long_names or ("row", "column", "value"),
        )
        return Table(ratings, self._report(name, ratings, *doubled), source)

    def _scale_of(self, values: np.ndarray) -> RatingScale | None:
        """The scale of words, where all ratings are words; otherwise the one that the values look like, if columns do
        not differ in their range."""
        words = [style for style in self.styles if style is not None and style.name == "words"]
        if len(words) == len(self.styles):
            ranks = [rank for style in words for _, rank in style.values]
            return RatingScale(min(ranks), max(ranks), 1.0) if min(ranks) < max(ranks) else None
        return guess_scale(values) if self.roles is None or self.roles.alike else None

    def _telling(self) -> tuple[np.ndarray, np.ndarray]:
        """The cells that were named as missing and tell more of the rating than an estimate: a range, or a number with
        something around it."""
        at = np.flatnonzero(self.kinds == NO_VALUE)
        ranges = [code for code, text in enumerate(self.texts) if _RANGE.fullmatch(text.strip())]
        at = at[np.isin(self.codes[at], ranges) | self._is_rough(at)]
        return self.rows[at], self.cols[at]

    def _is_rough(self, at: np.ndarray) -> np.ndarray:
        """Which of the cells ``at`` (n,) hold one number with something around it, such as "~4", "about 5" and "95+":
        signs, or words, if it is then as large as those of its column."""
        codes, inverse = np.unique(self.codes[at], return_inverse=True)
        numbers = np.array([number_within(self.texts[code], self.reading.form) for code in codes])[inverse]
        if np.isnan(numbers).all():
            return np.zeros(len(at), dtype=bool)
        in_words = np.array([any(map(str.isalpha, self.texts[code])) for code in codes])[inverse]
        styled = np.array([style is not None and style.name == WORDS for style in self.styles])
        here = self.cols[at] if self.roles else np.zeros(len(at), dtype=np.int64)
        column = pd.Series(self.values).groupby(self.cols if self.roles else np.zeros(len(self.codes), dtype=np.int64))
        low, high = (ends.reindex(here).to_numpy() for ends in (column.min(), column.max()))
        near = (numbers >= low - (high - low)) & (numbers <= high + (high - low))
        return ~np.isnan(numbers) & ~styled[here] & (~in_words | near)

    def _each_once(self, how: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, tuple[str, ...]]]:
        """The cells that hold a number, each once, sorted by row and then by column: their positions, values and codes
        (-1 for means); and the number of pairs given more than once, with examples."""
        at = np.flatnonzero(self.kinds == NUMBER)
        if not len(at):
            raise TableError("the table has no ratings: at least one cell must be a number")
        values, codes = self.values[at], self.codes[at]
        if self.roles:
            return at, values, codes, (0, ())
        place = pd.Series(self.rows[at] * self.shape[1] + self.cols[at])
        twice = place[place.duplicated(keep=False)]
        examples = tuple(self._example(*at[twice.index[twice == pair][:2]]) for pair in twice.unique()[:_EXAMPLES])
        n = twice.nunique()
        if n and how == "refuse":
            raise in_doubt(self._given_twice(n, examples[0]))
        if n and how == "mean":
            values, codes[twice.index] = pd.Series(values).groupby(place).transform("mean").to_numpy(), -1
        once = place.drop_duplicates(keep="last" if how == "last" else "first").sort_values().index
        return at[once], values[once], codes[once], (n, examples)

    def _given_twice(self, n: int, example: str) -> Doubt:
        """The question which of several values of a pair counts, or which column tells them apart."""
        layout, (*rows, column, value) = self.layout, self.columns
        rules = {"mean": "their mean", "last": "the last one", "first": "the first one"}
        answers = [Answer(f"{words} counts", "duplicates", (rule,)) for rule, words in rules.items()]
        names = layout.column_names
        for j in range(len(names)):
            if j not in self.columns and len(np.unique(layout.body[:, [*rows, column, j]], axis=0)) == len(layout.body):
                apart = (*(names[k] for k in rows), names[j]), names[column], names[value]
                answers.append(Answer(f"{shown(names[j])} tells them apart", "columns", apart))
                break
        sentence = (
            f"{counted(n, '(row, column) pair')} {'is' if n == 1 else 'are'} given more than once, such as {example}: "
            "choose whether their mean, the last or the first one counts, or name columns that tell the rows apart"
        )
        return Doubt(tuple(range(len(names))), names, sentence, tuple(answers))

    def _example(self, first: int, second: int) -> str:
        row, column = (self.row_labels or ())[self.rows[first]], (self.col_labels or ())[self.cols[first]]
        return f"({shown(row)}, {shown(column)}) in lines {self.lines[first]:,} and {self.lines[second]:,}"

    def _check_format(self) -> None:
        """Asks about a sign with which numbers of a column are a thousand times those without it, or a thousandth."""
        form, options = self.reading.form, self.options
        sign = form.thousands or form.decimal
        if options.thousands is not None or options.decimal is not None or sign not in ",.":
            return
        groups = re.compile(rf"\D*[1-9]\d{{0,2}}(?:\{sign}\d{{2,3}})*\{sign}\d{{3}}\D*")
        codes = np.unique(self.codes)
        kind = np.zeros(len(self.texts), dtype=np.uint8)  # of the texts: 2 with groups, 1 with a decimal sign
        kind[codes] = [2 if groups.fullmatch(self.texts[i]) else form.decimal in self.texts[i] for i in codes]
        if not (kind == 2).any():
            return
        cells = pd.DataFrame({"col": self.cols if self.roles else 0, "value": np.abs(self.values), "code": self.codes})
        cells = cells.dropna()
        for _, here in cells.groupby("col"):
            which = kind[here["code"]]
            with_sign = here[which == 2]
            beside = here[which == bool(form.thousands)]
            far = _FAR * beside["value"].max() < with_sign["value"].min()
            if not form.thousands:
                far = beside["value"].median() > _LARGER * with_sign["value"].median() and not (which == 1).any()
            if far:
                example, other = (shown(self.texts[part["code"].iloc[0]].strip()) for part in (with_sign, beside))
                decimal = "both signs are decimal signs" if form.thousands else f"{sign} is the decimal sign"
                answers = (
                    Answer(decimal, "decimal", (form.decimal + form.thousands,)),
                    Answer(f"{sign} separates thousands", "thousands", (sign,)),
                )
                sentence = f"{example} next to {other} would be a thousand times as large"
                self.doubts.append(Doubt((), (), sentence, answers if form.thousands else answers[::-1]))
                return

    def _check_long(self) -> None:
        """Asks about numbers of a long table that stand apart from all others, unless its column was named."""
        names = self.layout.column_names
        value = self.columns[-1]
        if self.roles or {value, names[value]} & {*self.options.ratings}:
            return
        values = self.values[~np.isnan(self.values)]
        if self.styles[0] is None:
            where = {marker: [value] for marker in sorted(markers_in(values[:, None])) or beyond_scale(values)}
            values = values[~np.isin(values, [*where])]
            if zero_is_apart(values):
                where[0.0] = [value]
            ends = {value: (values.min(), values.max())} if len(values) else {}
            self.doubts += marker_doubts(where, names, self.reading.form, zero_may_count(values), ends=ends)

    def _check_odd_cells(self) -> None:
        """Asks about rating cells with texts that are neither numbers nor marked as missing: with the address of the
        first one and what it looks like. Texts that are no numbers in few cells may be markers for missing."""
        wrong = np.flatnonzero(self.kinds == TEXT)
        ordered = {word for doubt in self.doubts for word in doubt.words}  # whose question is there
        if ordered:
            wrong = wrong[[self.texts[code].strip() not in ordered for code in self.codes[wrong]]]
        rough = self._is_rough(wrong)
        numbered = np.isin(self.lines[wrong], self.lines[self.kinds == NUMBER])
        if not len(wrong) or self._is_odd_line(wrong[~(rough & numbered)]):
            return
        self.doubts += [self._odd_texts(part) for part in (wrong[~rough],) if len(part)]
        self.doubts += [self._rough_numbers(part) for part in (wrong[rough],) if len(part)]

    def _places_of(self, at: np.ndarray) -> tuple[list[int], tuple[str, ...], list[str]]:
        """The columns of some rating cells, their names, and the different texts there."""
        places = [self.columns[j] for j in self.cols[at]] if self.roles else [self.columns[-1]]
        places = list(dict.fromkeys(places))
        texts = sorted({self.texts[code].strip() for code in np.unique(self.codes[at])})
        return places, tuple(self.layout.column_names[j] for j in places), texts

    def _first_of(self, at: np.ndarray, texts: list[str]) -> str:
        """The beginning of a question about odd texts: where the first one is, and what it looks like."""
        i = int(at[0])
        text = self.texts[self.codes[i]].strip()
        column = self.layout.column_names[self.columns[self.cols[i]] if self.roles else self.columns[-1]]
        more = f" (and {len(at) - 1:,} more)" if len(at) > 1 else ""
        advice = _advice(text) + (f" ({first_few(list(map(shown, texts)), 8)})" if len(texts) > 1 else "")
        return f"line {self.lines[i]:,}, column {shown(column)}: {shown(text)} is not a number{more}; {advice}"

    def _rough_numbers(self, at: np.ndarray) -> Doubt:
        """The question whether the numbers in texts such as "~4" and "<5" count."""
        places, names, texts = self._places_of(at)
        one = len(texts) == 1
        count = Answer("the number in it counts" if one else "the numbers in them count", "number_in", tuple(texts))
        words = "it means missing, and stays as it is" if one else "they mean missing, and stay as they are"
        missing = Answer(words, "missing_markers", tuple(texts))
        answers = (missing, count) if any(map(_LIMIT.search, texts)) else (count, missing)
        return Doubt(tuple(places), names, self._first_of(at, texts), answers if len(texts) <= _MOST_TEXTS else ())

    def _odd_texts(self, at: np.ndarray) -> Doubt:
        """The question whether texts next to numbers, or next to the words of a scale, mean missing."""
        places, names, texts = self._places_of(at)
        style = self.styles[self.cols[at[0]] if self.roles else 0]
        scale = [word for word, _ in style.values] if style is not None and style.name == WORDS else []
        sentence = self._first_of(at, texts)
        if scale:
            where = first_few(list(map(shown, names)), 4)
            hold = "hold" if len(places) > 1 else "holds"
            sentence = f"next to the words of a scale, {where} {hold} {first_few(list(map(shown, texts)), 8)}"
        known = scale if len(scale) > 2 else []
        likely = [t for t in texts if _RANGE.fullmatch(t) or t[:1] == "#" or not re.search(r"[\d½]", t)]
        likely = [t for t in likely if not any(_spaced(word) in _spaced(t) for word in known)]
        ranges = any(map(_RANGE.fullmatch, likely))
        share = 1 if len(texts) <= _EXAMPLES else 2 if ranges else 3  # of the cells
        rare = len(at) <= max(_MOST_MARKERS, int((self.kinds != NO_VALUE).sum()) // share)
        answers = []
        if likely and rare and len(likely) <= (_MOST_TEXTS if ranges else _MOST_MARKERS):
            words = "it means missing" if len(likely) == 1 else "they mean missing"
            words += ", and ranges stay as they are" if ranges else ""
            answers.append(Answer(words, "missing_markers", tuple(likely)))
        if not scale and not any(np.isnan(value_of(text, self.reading.form)) for text in texts):
            both = self.reading.form.decimal + (",." if self.reading.form.decimal == "." else ".,")[0]
            answers.append(Answer("both signs are decimal signs", "decimal", (both,)))
        return Doubt(tuple(places), names, sentence, tuple(answers), (*scale, *texts) if scale else ())

    def _is_odd_line(self, wrong: np.ndarray) -> bool:
        """Asks about a line of a wide table that holds two odd cells at least, all with texts of a form that stands
        nowhere else: it is a line of units, of maxima, or of names."""
        shapes = [re.sub(r"\d+", "0", text.strip()) for text in self.texts]
        odd = pd.DataFrame({"line": self.lines[wrong], "code": self.codes[wrong]})
        odd["shape"] = [shapes[code] for code in odd["code"]]
        odd["alone"] = odd.groupby("shape")["line"].transform("nunique") == 1
        lines = odd.groupby("line")["alone"].agg(["all", "size"])
        lines = lines[lines["all"] & (lines["size"] > 1)]["size"]
        if self.roles is None or lines.empty:
            return False
        line = int(lines.idxmax())
        first, all_odd = line == self.layout.lines[0], lines.max() == (self.lines == line).sum()
        examples = first_few([shown(self.texts[code].strip()) for code in odd["code"][odd["line"] == line]], 2)
        sentence = (
            f"line {line:,} has texts found nowhere else, such as {examples}: if they are units or maxima, leave it "
            "alone or add it to the header; if another table begins there, keep only one table in the file"
        )
        header = Answer("the header ends with this line", "header_lines", (line,))
        alone = Answer("leave this line alone", "leave_rows", (line,))
        self.doubts.append(Doubt((), (), sentence, (header, alone) if first else () if all_odd else (alone,)))
        return True

    def _report(self, name: str, ratings: Ratings, doubled: int, examples: tuple[str, ...]) -> TableReport:
        layout, roles, values, dialect = self.layout, self.roles, ratings.values, self.loaded.dialect
        is_text, names = self.loaded.kind == "text", layout.column_names
        zeros = int((values == 0).sum())  # many of them, where there are three other values, may mean missing
        many = values.min() == 0 and 2 * zeros > len(values) and len(np.unique(values)) > 3
        codec = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}.get(dialect.encoding, dialect.encoding.upper())
        notes = [*self.notes]
        if self.reading.ambiguous:
            example = next(i for i, code in enumerate(self.codes) if "," in self.texts[code])
            text = self.texts[self.codes[example]]
            message = f"{shown(text)} may have a decimal comma or a thousands comma; it was read as"
            notes.append(Note("number format", f"{message} {self.values[example]:g}"))
        if many:
            message = f"0 is in {counted(zeros, 'cell')}: if it means missing, name it as a missing marker"
            notes.append(Note("suspected marker", message))
        if doubled:
            how = self.options.duplicates
            message = f"{counted(doubled, '(row, column) pair')} given more than once; you chose the {how}"
            notes.append(Note("duplicates", message, first_few(examples)))
        also = "" if self.features is None else " and what describes them"
        for noun, labels, counts, others in (
            ("row", ratings.row_labels, ratings.row_counts, "columns" + also),
            ("column", ratings.col_labels, ratings.col_counts, "rows"),
        ):
            empty = [shown(labels[i]) if labels else str(i + 1) for i in np.flatnonzero(counts == 0).tolist()]
            one = len(empty) == 1
            fate = f"{'has' if one else 'have'} no rating and {'is' if one else 'are'} filled in from the {others} only"
            message = f"{counted(len(empty), noun)} {fate}"
            notes += [Note(f"empty {noun}s", message, first_few(empty))] if empty else []
        alone = [] if roles is None else roles.of(ALONE)
        return TableReport(
            name=name,
            delimiter=dialect.delimiter if is_text else None,
            encoding=codec + " with byte order mark" * bool(dialect.bom) if is_text else None,
            sheet=self.loaded.sheet,
            sheets=self.loaded.sheets,
            numbers=self.reading.form,
            form="wide" if roles else "long",
            reason=layout.reason,
            header_lines=layout.header_lines,
            columns=layout.long_names,
            file_columns=names,
            roles=roles,
            style=None if roles else self.styles[0],
            gaps=tuple(names[j] for j in alone if 0 < layout.looks[j].written < len(layout.body)),
            repeated_names=roles is not None and len(set(self.row_labels or range(self.shape[0]))) < self.shape[0],
            shape=self.shape,
            observed=ratings.nnz,
            missing=self._count_missing(),
            suspected=(("0", zeros),) if many else (),
            duplicates=doubled,
            range=(float(values.min()), float(values.max())),
            notes=tuple(notes),
        )

    def _count_missing(self) -> dict[str, int]:
        """Number of cells that each text made missing, the most frequent text first."""
        counts = pd.Series(self.codes[self.kinds == NO_VALUE], dtype=np.int64).value_counts()
        missing = counts.groupby(lambda code: self.texts[code].strip()).sum()
        return {text: int(n) for text, n in missing.sort_values(ascending=False).items()}


_LIMIT = re.compile("[<>\u2264\u2265(+*]")  # in a text with one number
_SPAN = rf"\(?{A_NUMBER}\s*[-\u2013\u2014]\s*{A_NUMBER}"
_RANGE = re.compile(rf"{_SPAN}\+?\)?[+*]?|{A_NUMBER}[^\d:.,]{{1,6}}{A_NUMBER}")  # 2-3, 2/3, 2 or 3
_ADVICE: tuple[tuple[str | re.Pattern, str], ...] = (  # what an odd text looks like, and what to do
    ("=.+", "it is a formula without a stored value: open the file in a spreadsheet and save it again"),
    (DATE, "it looks like a date, which spreadsheets make of entries such as 1/2: write the rating itself"),
    (
        f"[<>\u2264\u2265]\\s*{A_NUMBER}",
        "it is a bound: write a number for it, or name it as a missing marker, and the cell stays as it is",
    ),
    (f"{_SPAN}.*", "it looks like a range: write one number, such as its middle, or name it as a missing marker"),
    (r"\d+(?:[,; ]\s*\d+)+", "it may be two answers in one cell, or a number with another decimal sign"),
    ("(?i:yes|no|true|false)[.!]?", "write 1 for yes and 0 for no"),
    (r"[^\d\u2605\u2b50*½]{0,3}[\d\u2605\u2b50*½].*", "write only the number, as in the rest of its column"),
)


def _spaced(text: str) -> str:
    """The words of a text, each between two spaces."""
    return f" {' '.join(words_of(text))} "


def _advice(text: str) -> str:
    for pattern, advice in _ADVICE:
        if len(text) <= _LONGEST and re.fullmatch(pattern, text):
            return advice
    return f"correct the cell, or name {shown(text)} as a missing marker if it stands for a missing rating"

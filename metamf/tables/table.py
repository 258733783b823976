"""Applies a plan to a file: the matrix of all columns to fill, with the place of each cell, so that
the file can be written back. A pure function of the bytes and the plan.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import ColumnLimits, RatingScale
from metamf.tables import codes
from metamf.tables.body import Cells, body_of
from metamf.tables.draft import DOWN
from metamf.tables.limits import COMMAND_LINE, WEB, Limits, TableError
from metamf.tables.long import filled_down
from metamf.tables.numerals import NO_VALUE, NUMBER, TEXT, NumberFormat, digits_of
from metamf.tables.plan import FILL, KEEP, LONG, MIRROR, NAME, WIDE, Group, Plan
from metamf.tables.proposal import planned
from metamf.tables.source import Said, load
from metamf.tables.text import Loaded, label_in
from metamf.wording import counted, first_few, percent, shown


@dataclass(frozen=True)
class Gaps:
    """The gaps of one column of the file: how many, how many of them are filled, and why the others
    are left."""

    column: str
    gaps: int
    filled: int
    why: str = ""

    @property
    def left(self) -> int:
        return self.gaps - self.filled


@dataclass(frozen=True, eq=False, kw_only=True)
class Places(Loaded):
    """The file that was read, and the place of each cell of the matrix in it.

    records: (N,) record of each row of a wide table; (n,) record of each line of a long one
    columns: (M,) places in the record; of a long table those that name row and column, and value
    codes: (nnz,) position in ``grid.texts`` of the text of each number, -1 for a mean of several
    kept: rows and columns of the cells without a number that are never written
    pairs: (n,) rows and columns of the lines of a long table
    """

    records: np.ndarray
    columns: tuple[int, ...]
    codes: np.ndarray
    kept: tuple[np.ndarray, ...] | None = None
    pairs: tuple[np.ndarray, np.ndarray] | None = None
    long_names: tuple[str, str, str] = ("row", "column", "value")

    @property
    def form(self) -> str:
        return WIDE if self.pairs is None else LONG


@dataclass(frozen=True, eq=False)
class Table:
    """A table that was read by a plan.

    ratings: the matrix of all columns to fill, in their own units, with names as text; its scale
        only where all columns share one
    limits: the lowest and the highest estimate of each column, infinite where nothing is known
    digits: (M,) decimals of each column, negative where its numbers are tens, hundreds, ...
    readings: (M,) how each column is read and written; one of a long table
    gaps: of each column of the file
    digest: SHA-256 of the bytes, in hexadecimal
    """

    ratings: Ratings
    limits: ColumnLimits
    digits: np.ndarray
    readings: tuple[codes.Reading, ...]
    plan: Plan
    source: Places
    gaps: tuple[Gaps, ...]
    digest: str

    @property
    def fill_columns(self) -> tuple[int, ...]:
        """Positions in the file of the columns of the matrix; none of a long table."""
        return self.source.columns if self.source.form == WIDE else ()

    @property
    def row_lines(self) -> np.ndarray:
        """(N,) the line of the file of each row of the matrix; none of a long table."""
        wide = self.source.form == WIDE
        return self.source.grid.lines[self.source.records if wide else []]

    @property
    def n_lines(self) -> int:
        """The number of lines of the file, or of the sheet."""
        return int(self.source.grid.lines[-1])

    def lines(self, numbers: Sequence[int]) -> list[tuple[str, ...]]:
        """The texts of some lines of the file, counted from 1: one for each column of the plan."""
        grid, width = self.source.grid, len(self.plan.columns)
        at = {int(line): i for i, line in enumerate(grid.lines.tolist())}
        records = [grid.record(at[line]) if line in at else [] for line in map(int, numbers)]
        return [tuple([*record, *[""] * width][:width]) for record in records]

    def to_fill(self, rows: Any, cols: Any) -> np.ndarray:
        """Whether cells of the matrix are gaps that are filled, at positions that broadcast; given
        and doubtful cells, and texts that are no numbers, are not."""
        return self._gap_mask[rows, cols]

    def stays(self, rows: Any, cols: Any) -> np.ndarray:
        """Whether cells of the matrix hold doubtful numbers or texts that are none, at positions
        that broadcast: they are written as they were read and teach nothing."""
        return self._kept_mask[rows, cols]

    @cached_property
    def _gap_mask(self) -> np.ndarray:
        mask = ~self._kept_mask
        mask[self.ratings.rows, self.ratings.cols] = False
        return mask

    @cached_property
    def _kept_mask(self) -> np.ndarray:
        mask = np.zeros(self.ratings.shape, dtype=bool)
        if self.source.kept is not None:
            mask[self.source.kept] = True
        return mask

    def reading(self, col: int) -> codes.Reading:
        """How a column of the matrix is read and written."""
        return self.readings[0 if self.source.form == LONG else col]

    def written(self, values: Sequence[float] | np.ndarray, col: int) -> list[str]:
        """Estimates of one column of the matrix as texts, in its code and its digits; NaN is ''."""
        reading = self.reading(col)
        digits = int(self.digits[col])
        numbers = np.asarray(values, dtype=np.float64).tolist()
        return [reading.text(v, digits) if v == v else "" for v in numbers]

    @property
    def n_gaps(self) -> int:
        """The number of cells that get an estimate."""
        cells = self.ratings.shape[0] * self.ratings.shape[1] - self.ratings.nnz
        return cells - (0 if self.source.kept is None else len(self.source.kept[0]))

    @property
    def nothing_to_fill(self) -> str:
        """Why nothing is filled in, as a sentence; '' where something is."""
        values = self.ratings.values
        if self.n_gaps == 0:
            left = [shown(gap.column) for gap in self.gaps if gap.left]
            more = f"; gaps are left in {first_few(left, 6)}" if left else ""
            return f"nothing to fill in: no number is missing in the columns to fill{more}"
        if len(values) > 1 and values.min() == values.max():
            return f"all given numbers are {values[0]:g}: nothing to estimate from"
        mirror = any(amber.sentence == MIRROR for amber in self.plan.amber)
        if mirror and not any(edit.endswith(": fill") for edit in self.plan.edits):
            return MIRROR[0].lower() + MIRROR[1:]
        return ""

    def summary(self, width: int = 100, most: int = 12) -> list[str]:
        """How the file was read, in at most ``most`` lines of ``width`` characters: what is amber
        first."""
        plan, source = self.plan, self.plan.source
        n_rows, n_cols = self.ratings.shape
        form = f"{counted(n_rows, 'row')} x {counted(n_cols, 'column')}"
        share = percent(self.ratings.density, digits=3)
        filled, kept = ([shown(plan.columns[j].name) for j in plan.of(r)] for r in (FILL, KEEP))
        scales = [f"{group}{' (observed)' if group.guessed else ''}" for group in plan.groups]
        left = [f"{shown(gap.column)} {gap.left} ({gap.why})" for gap in self.gaps if gap.left]
        dialect = [source.kind if source.delimiter is None else f"text, {source.encoding}"]
        if source.sheet:
            dialect.append(f"sheet {shown(source.sheet)}")
        if source.delimiter:
            dialect.append(f"delimiter {source.delimiter!r}")
        dialect.append(f"decimal {source.decimal!r}")
        dialect.append(f"header to line {plan.header}" if plan.header else "no header")
        rest = [f"{form}, {share} given, {counted(self.n_gaps, 'gap')} to fill ({plan.form})"]
        for what, names, at_most in (
            ("Filled", filled, 8),
            ("Scales", scales, 4),
            ("Kept as they are", kept, 8),
            ("Gaps that stay", left, 5),
        ):
            rest += [f"{what}: {first_few(names, at_most)}"] if names else []
        rest.append(f"Source: {', '.join(dialect)}")
        amber = [f"LOOK: {amber.sentence}" for amber in plan.amber]
        room = max(most - len(rest), 1)
        if len(amber) > room:
            more = len(amber) - room + 1
            amber = [*amber[: room - 1], f"LOOK: {counted(more, 'further thing')}, in the plan"]
        return [_cut(line, width) for line in [*amber, *rest]][:most]


def _cut(line: str, width: int) -> str:
    line = " ".join(line.split())
    return line if len(line) <= width else f"{line[: width - 1]}\N{HORIZONTAL ELLIPSIS}"


def read(
    data: str | Path | bytes,
    *,
    plan: Plan | None = None,
    edits: Sequence[str] = (),
    limits: Limits = COMMAND_LINE,
    progress: Callable[[float], None] | None = None,
) -> Table:
    """Reads a file, of a path or as bytes, by a plan or the proposed one, with some changes."""
    if not isinstance(data, bytes | bytearray | memoryview):
        data = Path(data).read_bytes()
    data = bytes(data)
    if plan is None:
        said = Said.of(edits, limits)
        loaded = load(data, said, progress)
        plan = planned(loaded, said, edits)
    else:
        plan = plan.edited(*edits)
        loaded = load(data, Said.by(plan.source, limits), progress)
    return _table(data, loaded, plan, limits)


def apply(data: bytes, plan: Plan, *, limits: Limits = WEB) -> Table:
    """The table that a plan reads from the bytes of a file.

    TableError if the plan is not one of this file, or leaves no number to learn from.
    """
    return read(bytes(data), plan=plan, limits=limits)


def _table(data: bytes, loaded: Loaded, plan: Plan, limits: Limits) -> Table:
    """The table that a plan makes of the cells of a file."""
    form = NumberFormat(plan.source.decimal, plan.source.thousands)
    body = body_of(loaded.grid, plan.header, len(plan.columns))
    cells = Cells.of(loaded.grid, body, form).without([line.line for line in plan.skipped])
    if not len(cells.body.lines):
        raise TableError("no line is left: skip fewer lines")
    if not plan.of(FILL):
        raise TableError("no column is to be filled in: write COLUMN: fill")
    dialect = replace(loaded.dialect, decimal=form.decimal, thousands=form.thousands)
    made = (_long if plan.form == LONG else _wide)(
        replace(loaded, dialect=dialect), cells, plan, limits
    )
    return Table(**made, plan=plan, digest=hashlib.sha256(data).hexdigest())


class _Column:
    """The cells of one column to fill: (L,) numbers, NaN where there is none; which cells are gaps;
    and how it is read."""

    def __init__(self, plan: Plan, j: int, cells: Cells):
        column, meanings = plan.columns[j], cells.texts
        used, inverse = np.unique(cells.body.codes[:, j], return_inverse=True)
        self.texts = [meanings.texts[code].strip() for code in used]
        kinds = meanings.kinds[used]
        plain = kinds == NUMBER
        if not codes.is_code(column.code):
            raise TableError(f"{shown(column.name)} has no numbers: write an order of its words")
        every = column.code.startswith("words ")
        words = [text for text, kind in zip(self.texts, kinds) if every or kind == TEXT]
        self.reading = codes.reading_of(column.code, words, meanings.form)
        values = np.where(plain & self.reading.plain, meanings.values[used], np.nan)
        for i, text in enumerate(self.texts):
            values[i] = self.reading.values.get(text, values[i])
            if np.isnan(values[i]) and text in column.numbers:
                values[i] = meanings.form.inside(text)
        missing = self._are(column.missing, values)
        gaps = missing | (kinds == NO_VALUE) & np.isnan(values)
        values[missing | self._are(column.doubtful, values)] = np.nan
        self.values = values[inverse]
        self.gaps = gaps[inverse]
        decimals = int(meanings.decimals[used[plain]].max(initial=0))
        if not self.reading.words:
            decimals = max([decimals, *map(codes.decimals_of, self.reading.values.values())])
        self.digits = digits_of(np.unique(values[~np.isnan(values)]), decimals)

    def _are(self, named: Sequence[str], values: np.ndarray) -> np.ndarray:
        """Whether each different text is one of those named, or the same number."""
        same = {text.strip().casefold() for text in named}
        numbers = [self.reading.form.value(text) for text in named]
        texts = np.array([text.casefold() in same for text in self.texts])
        return texts | np.isin(values, [n for n in numbers if n == n])


def _wide(loaded: Loaded, cells: Cells, plan: Plan, limits: Limits) -> dict[str, Any]:
    """The matrix of a table with a line for each row."""
    at, body = plan.of(FILL), cells.body
    columns = [_Column(plan, j, cells) for j in at]
    X = np.column_stack([column.values for column in columns])
    gaps = np.column_stack([column.gaps for column in columns])
    numeric = [j for j, column in enumerate(plan.columns) if column.code not in ("", DOWN)]
    has_number = (cells.kinds[:, numeric] == NUMBER).any(axis=1)
    kept = ~np.isnan(X).all(axis=1) | has_number  # a line without any is not filled
    n_gaps = gaps.sum(axis=0).tolist()
    X = X[kept]
    gaps = gaps[kept]
    given = ~np.isnan(X)
    if not given.any():
        raise TableError("no number is left to learn from")
    limits.check_matrix(*X.shape)
    names = [_labels(cells, j, plan) for j in plan.of(NAME)]
    labels = [" ".join(filter(None, parts)) for parts in zip(*names)]
    own = {
        j: Gaps(plan.columns[j].name, n, int(gaps[:, m].sum()), "in lines without a number")
        for m, (j, n) in enumerate(zip(at, n_gaps))
    }
    return {
        **_matrix(
            plan,
            at,
            np.nonzero(given),
            X[given],
            X.shape,
            row_labels=tuple(itertools.compress(labels, kept)) if names else None,
            col_labels=tuple(plan.columns[j].name for j in at) if plan.header else None,
        ),
        "digits": np.array([column.digits for column in columns]),
        "readings": tuple(column.reading for column in columns),
        "source": Places(
            **vars(loaded),
            records=body.records[kept],
            columns=at,
            codes=body.codes[kept][:, at][given],
            kept=np.nonzero(~given & ~gaps),
        ),
        "gaps": _gaps(cells, plan, own),
    }


def _long(loaded: Loaded, cells: Cells, plan: Plan, limits: Limits) -> dict[str, Any]:
    """The matrix of a table with a line for each cell; a pair that comes again has the mean."""
    *row_keys, column_key, value_key = plan.keys
    named = np.ones(len(cells.body.lines), dtype=bool)
    for j in (*row_keys, column_key):
        if plan.columns[j].code != DOWN:
            named &= cells.kinds[:, j] != NO_VALUE
    if not named.any():
        raise TableError("no line has the names of a row and of a column")
    cells = cells.without(cells.body.lines[~named])
    column = _Column(plan, value_key, cells)
    joined = [" ".join(parts) for parts in zip(*(_labels(cells, j, plan) for j in row_keys))]
    row, row_labels = pd.factorize(np.array(joined, dtype=object))
    col, col_labels = pd.factorize(np.array(_labels(cells, column_key, plan), dtype=object))
    N, M = len(row_labels), len(col_labels)
    limits.check_matrix(N, M)
    given = ~np.isnan(column.values)
    if not given.any():
        raise TableError("no number is left to learn from")
    key = row.astype(np.int64) * M + col
    pairs, first, inverse, n = np.unique(
        key[given], return_index=True, return_inverse=True, return_counts=True
    )
    texts = cells.body.codes[given, value_key][first]
    kept = np.setdiff1d(key[~given & ~column.gaps], pairs)  # those that no line gives a number
    names = [plan.columns[j].name for j in plan.keys]
    n_gaps = int(column.gaps.sum())
    left = Gaps(names[-1], n_gaps + int((~named).sum()), n_gaps, "in lines without names")
    return {
        **_matrix(
            plan,
            (value_key,) * M,
            np.divmod(pairs, M),
            np.bincount(inverse, column.values[given]) / n,
            (N, M),
            row_labels=tuple(row_labels),
            col_labels=tuple(col_labels),
        ),
        "digits": np.full(M, column.digits),
        "readings": (column.reading,),
        "source": Places(
            **vars(loaded),
            records=cells.body.records,
            columns=plan.keys,
            codes=np.where(n > 1, -1, texts),
            kept=np.divmod(kept, M),
            pairs=(row, col),
            long_names=(" ".join(names[:-2]), names[-2], names[-1]),
        ),
        "gaps": _gaps(cells, plan, {value_key: left}),
    }


def _gaps(cells: Cells, plan: Plan, own: dict[int, Gaps]) -> tuple[Gaps, ...]:
    """The gaps of all columns: ``own`` of those to fill."""
    missing = (cells.kinds == NO_VALUE).sum(axis=0).tolist()
    return tuple(
        own.get(j) or Gaps(column.name, missing[j], 0, column.why)
        for j, column in enumerate(plan.columns)
    )


def _matrix(
    plan: Plan,
    at: Sequence[int],
    places: tuple[np.ndarray, ...],
    values: np.ndarray,
    shape: tuple[int, ...],
    **labels: Any,
) -> dict[str, Any]:
    """The ratings, of which some ``values`` are given at ``places``, with the scale that all columns
    share, and the limits of the columns, which are those ``at`` positions in the file."""
    rows, cols = places
    limits = _limits_of(plan, at, values, cols)
    groups = {plan.columns[j].group for j in at}
    scale = None
    if len(groups) == 1 and (group := groups.pop()) is not None:
        step = plan.groups[group].step
        low, high = float(limits.lower.min()), float(limits.upper.max())
        scale = RatingScale(low, high, step if step and step <= high - low else None)
    N, M = shape
    ratings = Ratings(rows, cols, values, (N, M), **labels, scale=scale, limits=limits)
    return {"ratings": ratings, "limits": limits}


def _labels(cells: Cells, j: int, plan: Plan) -> list[str]:
    """The names in a column."""
    column = cells.body.codes[:, j]
    if plan.columns[j].code == DOWN:
        column = filled_down(np.where(cells.kinds[:, j] == NO_VALUE, -1, column))
    used, inverse = np.unique(column, return_inverse=True)
    labels = np.array([label_in(cells.texts.texts[code]) for code in used], dtype=object)
    return labels[inverse].tolist()


def _limits_of(plan: Plan, at: Sequence[int], values: np.ndarray, cols: np.ndarray) -> ColumnLimits:
    """The lowest and highest estimates of each column: those of its group, or else its own. Guessed
    ones give way to the given ``values`` at ``cols``; TableError where these leave a scale that a
    person gave."""
    columns = [plan.columns[j] for j in at]
    scales = [column if column.group is None else plan.groups[column.group] for column in columns]
    lower = np.array([-np.inf if scale.low is None else scale.low for scale in scales])
    upper = np.array([np.inf if scale.high is None else scale.high for scale in scales])
    for i in np.flatnonzero((values < lower[cols]) | (values > upper[cols])):
        m = int(cols[i])
        scale = scales[m]
        if isinstance(scale, Group) and not scale.guessed:
            raise TableError(
                f"{shown(columns[m].name)} has {values[i]:g}, outside of {scale}: give another "
                "scale, or count the number as missing"
            )
        lower[m] = min(lower[m], values[i])
        upper[m] = max(upper[m], values[i])
    return ColumnLimits(lower, upper)

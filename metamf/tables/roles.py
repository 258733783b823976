"""Roles: which columns and rows of a wide table hold names, which ratings, and which are left alone.

The ratings are the largest group of columns that share one scale. Everything else is left alone: columns of one value
or none, long whole numbers, years, totals, dates, words, texts, and numbers on another scale. Where there is no such
group, or a column of numbers on another scale has gaps, nothing is guessed: there is a ``Doubt`` with its answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metamf.tables.columns import Look, plainly_no_rating, values_of
from metamf.tables.layout import TableLayout, position
from metamf.tables.limits import Answer, TableError
from metamf.tables.numbers import NO_VALUE, TEXT, Meanings, number_or_nan, suspected_markers
from metamf.tables.options import ALL_NUMBERS, ReadOptions
from metamf.tables.text import label_in
from metamf.tables.words import (
    BESIDE_SUMMARIES,
    SUMMARIES,
    TRUTH_SCALE,
    Style,
    names_rows,
    natural_order,
    plain_name,
    plain_word,
)
from metamf.wording import first_few, shown

NAME, RATING, ALONE = "name", "rating", "alone"
YOU_SAID_SO = "you said so"
_FEW = 6  # cells, from which a column shows its range
_MANY = 10  # cells, from which a column with two values alone shows that there are no others
_NARROW = 1 / 6  # of the range of a scale; a column of numbers that spans less is on another one
_ALIKE = 0.75  # of the columns, beside which fractions, or whole numbers, are odd
_MOST_STEPS = 20  # of a scale on which a column may well use a few values alone
_MOST_CELLS = 2_000_000  # of a table in which rows of sums and notes are looked for


@dataclass(frozen=True)
class LineRole:
    """The role of a column or a row (NAME, RATING or ALONE); why, as a clause ('' for ordinary ratings); and the form
    in which the ratings of a column are written, where they are not plain numbers."""

    role: str
    why: str = ""
    style: Style | None = None


@dataclass(frozen=True)
class Doubt:
    """A question that only a person can answer."""

    columns: tuple[int, ...]  # positions of those in question
    names: tuple[str, ...]
    sentence: str  # what is odd about them, without a full stop
    words: tuple[str, ...] = ()  # that need an order; none where the question is another one
    ordered: bool = False  # whether ``words`` stand in an order that may well be theirs, as A1, A2, A3 do
    answers: tuple[Answer, ...] = ()  # to choose from, the likeliest first; none where the words need an order


@dataclass(frozen=True)
class Roles:
    """The roles of all columns of a wide table, and of the rows, by their position in the body, that are left alone;
    questions that are to be asked first; and whether the columns of ratings share one scale."""

    columns: tuple[LineRole, ...]
    rows: tuple[tuple[int, LineRole], ...] = ()
    doubts: tuple[Doubt, ...] = ()
    alike: bool = True

    def of(self, role: str) -> list[int]:
        """The columns of that role."""
        return [j for j, column in enumerate(self.columns) if column.role == role]

    @property
    def ordinary(self) -> bool:
        """Whether there is nothing but ratings, and names in the first column at most."""
        others = all(column.role == RATING for column in self.columns[1:]) and self.columns[0].role != ALONE
        return others and not self.rows and all(column.style is None for column in self.columns)


class RolesInDoubtError(TableError):
    """The roles of a table's columns cannot be told from their cells: ``doubts`` are the questions."""

    def __init__(self, doubts: Sequence[Doubt]):
        self.doubts, first = tuple(doubts), doubts[0]
        if first.words:
            where = list(first.names)
            answer = f"say in which order they stand, lowest first, by words=[(...)], or leave_alone={where}"
        else:
            answer = "say " + ", or ".join(f"{a.option}={list(a.values)} ({a.words})" for a in first.answers)
        super().__init__(f"{first.sentence}: {answer}")
        self.answers = first.answers
        answers = (answer for doubt in doubts for answer in doubt.answers if answer.option == "missing_markers")
        self.markers = tuple(str(answer.values[0]) for answer in answers)

    def __reduce__(self) -> tuple[Any, ...]:  # it travels from a worker process to the page
        return RolesInDoubtError, (self.doubts,), vars(self)


@dataclass(frozen=True)
class _Numbers:
    """The numbers of one column, without those that look like missing markers: how many, the lowest and the highest,
    whether most are fractions (halves are none), whether there are two different ones at most."""

    n: int
    low: float
    high: float
    fine: bool
    two: bool
    markers: tuple[float, ...] = ()

    @property
    def span(self) -> float:
        return self.high - self.low

    @property
    def code(self) -> bool:
        """Whether ten cells and more hold 0 and 1, or 1 and 2, alone, as answers of yes and no do."""
        return self.two and self.n >= _MANY and (self.low, self.high) in ((0, 1), (1, 2))

    @staticmethod
    def of(values: np.ndarray, markers: Sequence[float] = ()) -> _Numbers | None:
        """Those of a column; ``markers`` are numbers that look like missing markers in other columns."""
        values = values[~np.isnan(values)]
        if not len(values):
            return None
        markers = [value for value in markers if value in (values.min(), values.max()) and (values != value).any()]
        if not markers and (values.min() < 0 or values.max() > 60):
            markers = suspected_markers(values)
        values = values[~np.isin(values, markers)]
        low, high = float(values.min()), float(values.max())
        fine = 2 * np.count_nonzero(2 * values % 1) > len(values)
        two = not ((values != low) & (values != high)).any()
        return _Numbers(len(values), low, high, bool(fine), two, tuple(markers))


class _Finder:
    """The roles in a wide table, step by step."""

    def __init__(self, layout: TableLayout, texts: list[str], m: Meanings, options: ReadOptions):
        self.layout, self.texts, self.m, self.options = layout, texts, m, options
        self.looks, self.names = layout.looks, layout.column_names
        self.said = self._stated()
        self.padded = m.padded[layout.body].any(axis=0)
        self.numbers: dict[int, _Numbers] = {}
        rated = [j for j, look in enumerate(self.looks) if look.look is Look.NUMBERS or look.style is not None]
        for _ in range(2):  # a marker that is plain in one column is one in the others, too
            markers = sorted({value for found in self.numbers.values() for value in found.markers})
            for j in rated if markers or not self.numbers else ():
                if found := _Numbers.of(values_of(layout.body[:, j], self.looks[j].style, texts, m), markers):
                    self.numbers[j] = found

    def find_in_matrix(self) -> Roles:
        """All columns of a matrix without names hold ratings, those without any, too."""
        alike = len(self._largest(list(self.numbers))) == len(self.numbers)
        doubts = self._marker_doubts([j for j in self.numbers if j not in self.said])
        columns = (LineRole(ALONE if self.said.get(j) == ALONE else RATING) for j in range(len(self.looks)))
        return Roles(tuple(columns), (), tuple(doubts), alike)

    def find(self) -> Roles:
        C, layout, said = len(self.looks), self.layout, self.said
        named = [j for j, role in said.items() if role == RATING]
        first_names = layout.row_labels and 0 not in said
        first_names &= self.looks[0].look is Look.NUMBERS or self.options.row_labels is True
        candidates = [j for j in range(int(first_names), C) if said.get(j, RATING) == RATING]
        why_not = {j: why for j in candidates if (why := self._no_rating(j)) and j not in named}
        groups = self._groups([j for j in candidates if j not in why_not])
        if not groups and any(j in self.numbers for j in candidates):
            groups = [[j for j in candidates if j in self.numbers]]  # nothing else: years, one value everywhere
        rated, doubts = self._choose(groups, named)
        alike = not doubts and set(rated) <= set(groups[0] if groups else rated)
        if not rated and not doubts:  # so that the error tells which text is not a number
            rated = [j for j in range(int(layout.row_labels), C) if j not in said]
        label = self._label(rated, first_names)
        rated = [j for j in rated if j != label]
        columns = []
        for j, look in enumerate(self.looks):
            if j == label or said.get(j) == NAME:
                columns.append(LineRole(NAME, YOU_SAID_SO if j in said else ""))
            elif j in rated:
                why = YOU_SAID_SO if j in named else look.style.name if look.style else ""
                columns.append(LineRole(RATING, why, look.style))
            else:
                why = why_not.get(j) or ("numbers of the rows" if not j and first_names else look.look.value)
                if why == Look.NUMBERS.value and j in self.numbers:
                    why = f"{self._range([j])}, another scale"
                columns.append(LineRole(ALONE, YOU_SAID_SO if j in said else why))
        doubts = doubts or self._marker_doubts([j for j in rated if j not in named])
        rows = _rows(layout, self.texts, self.m, columns, self.options)
        return Roles(tuple(columns), tuple(rows.items()), tuple(doubts), alike)

    def _stated(self) -> dict[int, str]:
        """column -> role, as the options say."""
        said: dict[int, str] = {}
        options, names = self.options, self.layout.names
        for role, columns in ((NAME, options.names), (RATING, options.ratings), (ALONE, options.leave_alone)):
            for column in columns:
                if column == ALL_NUMBERS and ALL_NUMBERS not in self.names:
                    continue
                j = position(column, names, len(self.looks))
                if said.get(j, role) != role:
                    raise TableError(f"the column {shown(self.names[j])} cannot be two things: {said[j]} and {role}")
                said[j] = role
        return said

    def _no_rating(self, j: int) -> str:
        """Why a column of numbers holds no ratings whatever the others hold; '' if it may."""
        found, body = self.numbers.get(j), self.layout.body
        if found is None or self.looks[j].style is not None:
            return ""
        values = self.m.values[body[:, j]]
        if self.layout.names is not None and plain_name(self.names[j]) in SUMMARIES:
            return f"called {shown(self.names[j])}"
        if self.padded[j] and 2 * self.padded.sum() <= len(self.looks):
            return "numbers with leading zeros"
        why = plainly_no_rating(values)
        if why and (found.span or found.n >= _FEW - 1):
            return why
        if names_rows(self.names[j]) and _FEW <= len(values) == len(np.unique(values)) and not found.fine:
            return "identifiers"
        return "numbers that count the rows" if len(body) >= _FEW and (np.diff(values) == 1).all() else ""

    def _groups(self, columns: list[int]) -> list[list[int]]:
        """Groups of columns that share one scale, the largest first; codes, and columns of yes and no, only where there
        is nothing else."""
        kinds: dict[str, list[int]] = {}
        for j in filter(self.numbers.get, columns):
            style = self.looks[j].style
            if style is None or style.name == "numbers with a label":
                kind = ""
            elif style.name == "words":
                kind = "truth" if all(plain_word(text) in TRUTH_SCALE for text, _ in style.values) else "words"
            else:
                kind = style.name + style.template
            kinds.setdefault(kind, []).append(j)
        whole = [kinds.pop(kind, []) for kind in ("words", "truth")]
        groups = whole[:1]
        for members in kinds.values():
            while members:
                groups.append(self._largest(members))
                members = [j for j in members if j not in groups[-1]]
        codes = [group for group in groups if group and all(self.numbers[j].code for j in group)]
        groups = [group for group in groups if group not in codes]
        if max(map(len, groups), default=0) < 2 and not self._strange_words(columns):
            groups += [sorted(j for group in codes for j in group), whole[1]]
        return sorted(filter(None, groups), key=len, reverse=True)

    def _largest(self, columns: list[int]) -> list[int]:
        """The largest group of columns of numbers that share one range and are written alike.

        One column sets the scale: the others go beyond it by half its range at most and span a sixth of it at least. A
        column of few cells is on it unless its numbers are ten times as large, or as small.
        """
        found = self.numbers

        def size(j: int) -> float:
            return max(abs(found[j].low), abs(found[j].high), 1.0)

        def on_scale_of(j: int, seed: int) -> bool:
            a, b = found[seed], found[j]
            if min(a.n, b.n) < _FEW:
                return size(j) <= 10 * size(seed) and size(seed) <= 10 * size(j)
            inside = a.low - a.span / 2 <= b.low <= a.high and a.low <= b.high <= a.high + a.span / 2
            return inside and b.span >= _NARROW * a.span

        seeds = {(found[j].low, found[j].high): j for j in columns if found[j].n >= _FEW and found[j].span}
        seeds = seeds or {(found[j].low, found[j].high): j for j in columns}
        some = list(seeds.values())[:: max(1, len(seeds) // 50)]
        best = max(([j for j in columns if on_scale_of(j, seed)] for seed in some), key=len, default=[])
        usual = [j for j in best if found[j].n >= _FEW]
        if len(usual) > 1:
            low, high = min(found[j].low for j in usual), max(found[j].high for j in usual)
            fine = [j for j in usual if found[j].fine]
            if not fine and high - low <= _MOST_STEPS:
                best = [j for j in columns if j in best or low <= found[j].low and found[j].high <= high]
            if len(fine) <= (1 - _ALIKE) * len(usual):
                best = [j for j in best if j not in fine]
            elif len(fine) >= _ALIKE * len(usual):
                best = [j for j in best if found[j].fine or found[j].n < _MANY]
            boxes = [
                j for j in best if found[j].two and found[j].low == 0 and found[j].n >= _MANY and not self._has_gaps(j)
            ]
            codes = [j for j in best if found[j].code and high - low > 3]
            if high - low > 1 and 2 * len({*boxes, *codes}) <= len(best):
                best = [j for j in best if j not in boxes and j not in codes]
        return best or columns[:1]

    def _strange_words(self, columns: list[int]) -> list[int]:
        """The largest group of columns, two at least, that share words whose order is not known."""
        words = {j: self.looks[j].texts for j in columns if self.looks[j].style is None}

        def shares(j: int, others: frozenset[str]) -> bool:
            return 2 * sum(n for text, n in words[j].items() if text in others) > self.looks[j].written

        seeds = {frozenset(words[j]) for j in words if self.looks[j].look is Look.WORDS and len(words[j]) > 1}
        scales = {seed.union(*(other for other in seeds if seed & other)) for seed in seeds}
        best = max(([j for j in words if shares(j, scale)] for scale in scales), key=len, default=[])
        return best if len(best) > 1 else []

    def _choose(self, groups: list[list[int]], named: list[int]) -> tuple[list[int], list[Doubt]]:
        """The columns of ratings, and questions that are to be asked."""
        largest = groups[0] if groups else []
        numbers = sorted(j for group in groups for j in group if self.looks[j].look is Look.NUMBERS)
        if ALL_NUMBERS in self.options.ratings and ALL_NUMBERS not in self.names:
            free = [j for j in self.numbers if j not in self.said and self.looks[j].look is Look.NUMBERS]
            return sorted({*(j for j in free if self._no_rating(j)[:6] in ("", "always", "years")), *named}), []
        words = self._strange_words([j for j in range(len(self.looks)) if self.said.get(j, RATING) == RATING])
        if len(words) > max(len(largest), 1) and not set(words) & set(named):
            return [], [order_doubt(self.layout, words)]
        tie = len(groups) > 1 and len(groups[1]) == len(largest)
        few = set(largest) <= set(numbers) and len(numbers) > 2 * len(largest)
        if tie or few:
            return (sorted(named), []) if named else (largest, [self._units_doubt(groups)])
        rated = sorted({*largest, *named})
        doubts = []
        for j in self.numbers if largest else ():
            gaps = self._has_gaps(j) and self.looks[j].look is Look.NUMBERS
            code = self.numbers[j].code and max(self.numbers[k].span for k in largest) > 3
            asked = (j in numbers and not self.numbers[j].two) or (code and j not in largest)
            if gaps and asked and j not in rated and j not in self.said and not self._no_rating(j):
                doubts.append(self._odd_doubt(j, largest))
        return rated, doubts

    def _has_gaps(self, j: int) -> bool:
        """Whether cells of a column are empty; 99, named as a marker, is none among numbers from 36 to 100."""
        codes = np.unique(self.layout.body[:, j])
        empty = [number_or_nan(float, self.texts[code]) for code in codes[self.m.kinds[codes] == NO_VALUE]]
        return not all(self.numbers[j].low <= value <= self.numbers[j].high for value in empty)

    def _range(self, columns: list[int]) -> str:
        found = [self.numbers[j] for j in columns]
        style = self.looks[columns[0]].style
        words = "" if style is None else f" ({style.name})"
        return f"{min(f.low for f in found):g} to {max(f.high for f in found):g}{words}"

    def _units_doubt(self, groups: list[list[int]]) -> Doubt:
        """The question which columns hold ratings, where no group with one scale is the largest by far."""
        columns = sorted(j for group in groups for j in group)
        ranges = first_few([f"{shown(self.names[j])} {self._range([j])}" for j in columns], 6)
        answers = [Answer("all columns of numbers, each in its own unit", "ratings", (ALL_NUMBERS,))]
        for group in groups[:2] if len(groups[0]) > 1 else ():
            if len(group) == len(groups[0]):
                answers.append(Answer(f"those with {self._range(group)}", "ratings", self._named(group)))
        sentence = f"the columns do not share one scale ({ranges})"
        return Doubt(tuple(columns), self._named(columns), sentence, answers=tuple(answers))

    def _odd_doubt(self, j: int, group: list[int]) -> Doubt:
        its, theirs, names = self._range([j]), self._range(group), (self.names[j],)
        if self.numbers[j].fine and not any(self.numbers[k].fine for k in group):
            its, theirs = f"{its}, mostly fractions", "whole numbers"
        sentence = f"the column {shown(names[0])} holds {its}, where most of the others hold {theirs}"
        answers = (Answer("it is left alone", "leave_alone", names), Answer("it holds ratings", "ratings", names))
        return Doubt((j,), names, sentence, answers=answers)

    def _marker_doubts(self, columns: list[int]) -> list[Doubt]:
        """The question whether a number such as -99, apart from all others of its column, means missing."""
        doubts = []
        markers = {j: self.numbers[j].markers for j in columns if j in self.numbers}
        for value in sorted({value for found in markers.values() for value in found}):
            where = [j for j in columns if value in markers.get(j, ())]
            names = self._named(where)
            sentence = (
                f"the number {value:g} stands in {first_few([shown(name) for name in names])}, far from all others "
                "there: it may mean that a rating is missing"
            )
            missing = Answer("it means missing", "missing_markers", (f"{value:g}",))
            answers = (missing, Answer("it is a rating", "ratings", names))
            doubts.append(Doubt(tuple(where), names, sentence, answers=answers))
        return doubts

    def _named(self, columns: list[int]) -> tuple[str, ...]:
        return tuple(self.names[j] for j in columns)

    def _label(self, rated: list[int], first_names: bool) -> int | None:
        """The column that holds the names of the rows: the one that was said; or the first one of names in front of the
        ratings; or the first column, where it is no rating and looks as if it held names."""
        named = [j for j, role in self.said.items() if role == NAME]
        if named or self.options.row_labels is False:
            return None
        if first_names and self.options.row_labels is True:
            return 0
        for j in range(rated[0] if rated else len(self.looks)):
            written = self.looks[j].written > 0.9 * len(self.layout.body)
            if self.looks[j].look is Look.NAMES and written and j not in self.said:
                return j
        free = self.layout.row_labels and 0 not in rated and 0 not in self.said
        return 0 if first_names or free else None


def find_roles(
    layout: TableLayout, texts: list[str], m: Meanings, options: ReadOptions, is_matrix: bool = False
) -> Roles:
    """The roles in a wide table, or in a matrix without names; TableError if the options name a column or a row that
    there is not, or one twice."""
    finder = _Finder(layout, texts, m, options)
    return finder.find_in_matrix() if is_matrix and not layout.row_labels else finder.find()


def order_doubt(layout: TableLayout, columns: list[int]) -> Doubt:
    """The question in which order the words of some columns stand."""
    names = tuple(layout.column_names[j] for j in columns)
    counts: dict[str, int] = {}
    for j in columns:
        for text, n in layout.looks[j].texts.items() if layout.looks[j].look is Look.WORDS else ():
            counts[text] = counts.get(text, 0) + n
    order = natural_order(counts)
    words = order or tuple(sorted(counts, key=lambda text: -counts[text]))
    many = "columns" if len(names) > 1 else "column"
    hold = f"{'hold' if len(names) > 1 else 'holds'} words whose order is not known"
    where, examples = first_few([shown(name) for name in names]), first_few([shown(word) for word in words], 6)
    return Doubt(tuple(columns), names, f"the {many} {where} {hold} ({examples})", words, order is not None)


def _rows(
    layout: TableLayout, texts: list[str], m: Meanings, columns: list[LineRole], options: ReadOptions
) -> dict[int, LineRole]:
    """The rows that are left alone: those that the options name, those that sum up the others, blank lines, the names
    of the columns once more, and notes below the table."""
    body = layout.body
    label = next((j for j, role in enumerate(columns) if role.role == NAME), None)
    rated = [j for j, role in enumerate(columns) if role.role == RATING]
    names = body[:, label or 0]
    found: dict[int, LineRole] = {}
    if body.size <= _MOST_CELLS and rated and label is not None:
        found = _no_rows(layout, texts, m, rated)
        others = [i for i in range(len(body)) if i not in found]
        labels = {i: plain_name(label_in(texts[names[i]])) for i in (*others[:3], *others[-4:])}
        X = np.column_stack([values_of(body[others, j], columns[j].style, texts, m) for j in rated])
        sums = {i for i, name in labels.items() if name in SUMMARIES and len(others) > 2}
        means = {i for i in labels if len(others) > 2 and _is_average(X, others.index(i))}
        beside = {at for i in {*sums, *means, *found} for at in range(i - 2, i + 3)}
        for i in sums | {i for i in labels if labels[i] in BESIDE_SUMMARIES and i in beside}:
            found[i] = LineRole(ALONE, f"called {shown(label_in(texts[names[i]]))}")
        found |= {i: LineRole(ALONE, "the average of the other rows") for i in means}
    for row in options.keep_rows:
        for i in _row_positions(row, names, layout.lines, texts):
            found.pop(i, None)
    for row in options.leave_rows:
        found |= {i: LineRole(ALONE, YOU_SAID_SO) for i in _row_positions(row, names, layout.lines, texts)}
    if len(found) == len(body):
        raise TableError("no row is left: say of fewer rows that they are to be left alone")
    return dict(sorted(found.items()))


def _is_average(X: np.ndarray, i: int) -> bool:
    """Whether row ``i`` of ``X`` (L, n), with fractions, is the average of the others, up to rounding."""
    others = np.delete(X, i, axis=0)
    count = (~np.isnan(others)).sum(axis=0)
    use = ~np.isnan(X[i]) & (count >= 2)
    if use.sum() < 3 or len(others) < 3 or not (X[i, use] % 1).any():
        return False
    decimals = 1 if np.allclose(X[i, use], np.round(X[i, use], 1), atol=1e-9) else 2
    mean = np.nansum(others[:, use], axis=0) / count[use]
    return bool(np.ptp(mean) > 0 and (np.abs(X[i, use] - mean) <= 0.5 * 10.0**-decimals * (1 + 1e-6)).all())


def _no_rows(layout: TableLayout, texts: list[str], m: Meanings, rated: list[int]) -> dict[int, LineRole]:
    """Lines of a table with names of rows that are not rows: the names of the columns once more, with the title above
    them, blank lines, and lines without a rating below the first break behind the last rating."""
    body, header = layout.body, layout.header
    again = np.zeros(len(body), dtype=bool)
    if header is not None and len(header) == body.shape[1]:
        again = (body[:, rated] == header[rated]).all(axis=1) & (m.kinds[body[:, rated]] == TEXT).any(axis=1)
    written = (m.kinds[body[:, rated]] != NO_VALUE).any(axis=1) & ~again
    blank = ~np.array([bool(text.strip()) for text in texts])[body].any(axis=1)
    breaks = np.cumsum(blank | np.append(False, np.diff(layout.records) > 1))
    last = int(np.flatnonzero(written)[-1]) if written.any() else len(body)
    found = {}
    for i in np.flatnonzero(~written).tolist():
        if again[i]:
            found[i] = LineRole(ALONE, "the names of the columns once more")
        elif blank[i]:
            found[i] = LineRole(ALONE, "a blank line")
        elif i > last and breaks[i] > breaks[last]:
            found[i] = LineRole(ALONE, "a note below the table")
        elif again[i + 1 : i + 2].any():
            found[i] = LineRole(ALONE, "a title")
    return found


def _row_positions(row: str | int, labels: np.ndarray, lines: np.ndarray, texts: list[str]) -> list[int]:
    """Positions of the rows on a line of the file, counted from 1, or of a name."""
    if isinstance(row, int):
        found = np.flatnonzero(lines == row)
    else:
        found = np.flatnonzero([label_in(texts[code]) == row.strip() for code in labels])
    if not len(found):
        where = f"on line {row:,}" if isinstance(row, int) else f"called {shown(row)}"
        raise TableError(f"the table does not have a row {where}")
    return [int(i) for i in found]

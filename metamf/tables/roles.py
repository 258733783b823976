"""Roles: which columns and rows of a wide table hold names, which ratings, and which are left alone.

The ratings are the largest group of columns that share one scale. Everything else is left alone: columns of one value
or none, long whole numbers, years, totals, dates, words, texts, and numbers on another scale. Where there is no such
group, or a column of numbers on another scale has gaps, nothing is guessed: there is a ``Doubt`` with its answers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from metamf.tables.columns import SMALLEST_IDENTIFIER, Look, matrix_of, plainly_no_rating, values_of
from metamf.tables.doubts import marker_doubts, order_doubt, signs_of_grades
from metamf.tables.layout import TableLayout, positions
from metamf.tables.limits import Answer, Doubt, TableError
from metamf.tables.lines import YOU_SAID_SO, LineFinder
from metamf.tables.markers import markers_in, zero_is_apart, zero_may_count
from metamf.tables.numbers import NO_VALUE, Meanings, between
from metamf.tables.options import ALL_NUMBERS, ReadOptions
from metamf.tables.sums import sounds_like_a_sum, summaries, sums_of_maxima, what_it_says
from metamf.tables.words import LABELLED, SUMMARIES, WORDS, Style, names_rows, plain_name, tells_of_others
from metamf.wording import first_few, shown

NAME, RATING, DESCRIBES, ALONE = "name", "rating", "describes the row", "alone"
_FEW = 6  # cells, from which a column shows its range
_MANY = 10  # cells, from which a column shows that it holds two values alone, or fractions
_WIDE = 100  # between the largest and the least number of measures that are told apart by their logarithm
_NARROW = 1 / 6  # of the range of a scale; a column of numbers that spans less is on another one
_MOST_COLUMNS, _MOST_ROWS = 200, 500  # among which sums are looked for
_MANY_PAIRS = 20  # cells of a column that tell whether it goes along with others
_VERY_FAR = 3  # times the range of all others, where a zero stands alone
_MOST_GROUPS = 20  # of columns, each on a scale of its own; further columns are alone
_MOST_COMPARED = 200_000  # pairs of a column and a scale, for each group
_MOST_STEPS = 20  # of a scale on which a column may well use a few values alone


_FIRST = re.compile(r"\W*\d")  # a number, perhaps with something behind


@dataclass(frozen=True)
class ColumnRole:
    """The role of a column (NAME, RATING, ALONE or, where a person says so, DESCRIBES); why, as a clause ('' for
    ordinary ratings); and the form in which its ratings are written, where they are not plain numbers."""

    role: str
    why: str = ""
    style: Style | None = None


@dataclass(frozen=True)
class Roles:
    """The roles of all columns of a wide table; the lines of the file that are no rows, and why; and whether the
    columns of ratings share one scale."""

    columns: tuple[ColumnRole, ...]
    rows: tuple[tuple[int, str], ...]
    alike: bool

    def of(self, role: str) -> list[int]:
        """The columns of that role."""
        return [j for j, column in enumerate(self.columns) if column.role == role]


class _Numbers:
    """The numbers of one column without its ``markers``, which look as if they meant missing: how many, the lowest and
    the highest, whether most are fractions (halves are none), whether they are yes and no, or ten cells and more hold
    two of 0, 1 and 2 alone, and whether the column has gaps."""

    def __init__(self, values: np.ndarray, words: bool, gaps: bool, markers: Collection[float]):
        """Of a column without NaN, perhaps behind ``words``; ``markers`` look so in any of the columns."""
        others = values[~np.isin(values, [*markers])]
        beyond = {v for v in markers if len(others) and not others.min() <= v <= others.max()} & {*values.tolist()}
        self.markers: tuple[float, ...] = tuple(sorted(beyond))
        kept = values[~np.isin(values, self.markers)]
        self.n, self.gaps, self.low, self.high = len(kept), gaps, float(kept.min()), float(kept.max())
        self.span = self.high - self.low
        self.whole = not (kept % 1).any()
        self.fine = bool(2 * np.count_nonzero(2 * kept % 1) > len(kept))
        self.plain = not (2 * kept % 1).any()
        above = kept[kept > 0]
        self.least = float(above.min()) if len(above) and self.low >= 0 else 0.0
        self.wide = bool(self.least and self.high >= _WIDE * self.least)
        self.middle = float(np.median(above)) if len(above) else 0.0
        two = 0 <= self.low < self.high <= 2 and bool(((kept == self.low) | (kept == self.high)).all())
        self.code = two and (self.low == 0 if words else len(kept) >= _MANY)

    def on_scale_of(self, other: _Numbers) -> bool:
        """Whether these may be on the scale of ``other``: they go beyond it by half its range at most, and span a sixth
        of it at least, unless it has few steps. A column of few cells is on it unless its numbers are ten times as
        large, or as small. Yes and no are no answers on a scale of five steps, nor, without a gap, on one of three."""
        if self.code and other.span > (3 if self.gaps else 1):
            return False
        if min(self.n, other.n) < _FEW:
            sizes = [max(abs(found.low), abs(found.high), 1.0) for found in (self, other)]
            return max(sizes) <= 10 * min(sizes)
        if other.wide and self.least and max(self.middle, other.middle) <= 10 * min(self.middle, other.middle):
            return True
        inside = other.low - other.span / 2 <= self.low <= other.high
        inside &= other.low <= self.high <= other.high + other.span / 2
        few_steps = not other.fine and other.span <= _MOST_STEPS
        return inside and (few_steps or self.span >= _NARROW * other.span)


class RoleFinder:
    """The roles in a wide table, the likeliest ones where they cannot be told: then there are ``doubts``. TableError if
    the options name what is not there, or one column twice."""

    def __init__(self, layout: TableLayout, m: Meanings, options: ReadOptions):
        self.layout, self.m, self.options = layout, m, options
        self.looks, self.names = layout.looks, layout.column_names
        self.all_numbers = ALL_NUMBERS in options.ratings and ALL_NUMBERS not in self.names
        self.said = self._stated()
        self.padded = m.padded[layout.body].any(axis=0)
        self.lines = LineFinder(layout, m, options)
        self.doubts = self.lines.doubts
        self.body = np.delete(layout.body, [*self.lines.found], axis=0)
        columns = [j for j, look in enumerate(self.looks) if look.look is Look.NUMBERS or look.style]
        X = matrix_of(self.body, columns, self.looks, m)
        values = {j: x[~np.isnan(x)] for j, x in zip(columns, X.T)}
        markers = markers_in(X)
        words = {j for j, look in enumerate(self.looks) if look.style and look.style.name == WORDS}
        self.gaps = {j for j in values if self._has_gaps(j)}
        self.numbers = {j: _Numbers(x, j in words, j in self.gaps, markers) for j, x in values.items() if len(x)}
        far = {j for j in self.numbers if j not in words and _zero_is_far(values[j], self.numbers[j])}
        sure = (self.numbers[j].least > _VERY_FAR * (self.numbers[j].high - self.numbers[j].least) for j in far)
        if any(sure) or any((values[j] == 0).sum() > 1 for j in far):
            self.numbers |= {j: _Numbers(values[j], False, True, {*markers, 0.0}) for j in far}
        self.gaps |= {j for j, found in self.numbers.items() if found.markers}
        called = {j for j in self.numbers if layout.names is not None and sounds_like_a_sum(self.names[j])}
        self.called_sums = called if 2 * len(called) <= len(self.numbers) else set()  # of most it says nothing
        self.sums = self._find_sums()
        self.ranks = {j for j in self.numbers if j not in self.gaps and _are_places(values[j])}
        self.numbered = self._numbered()

    def find(self, is_matrix: bool = False) -> Roles:
        """The roles; all columns of a matrix without names hold ratings, those without any, too."""
        is_matrix &= not self.layout.row_labels
        if is_matrix:
            self.lines.found = {}
        layout, said, looks = self.layout, self.said, self.looks
        named = {j for j, role in said.items() if role == RATING}
        numbered = layout.row_labels and 0 not in said
        numbered &= looks[0].look is Look.NUMBERS or self.options.row_labels is True
        free = [j for j in range(int(numbered), len(looks)) if said.get(j, RATING) == RATING]
        why_not = {j: why for j in free if j not in named and (why := self._no_rating(j))}
        candidates = [j for j in free if j in self.numbers and j not in why_not]
        groups = self._groups(candidates)
        if not groups:  # years, or one value everywhere
            groups = [candidates := [j for j in free if j in self.numbers]]
        rated = free if is_matrix else self._choose(groups, candidates, named)
        clocks = [j for j in rated if self.looks[j].look is Look.DATES and j not in named]
        if clocks:
            self._ask_about_times(clocks)
        if not rated:  # so that the error tells which text is not a number
            rated = [j for j in range(int(layout.row_labels), len(looks)) if j not in said]
            rated = [j for j in rated if all(map(_FIRST.match, looks[j].texts or "-"))] or rated
        doubted = {j for doubt in self.doubts for j in doubt.columns}
        asked = sorted(self.numbers.keys() & ({*rated} - named | doubted))
        alike = {*groups[0]} if groups else {*asked}
        self._check_markers(asked, alike & {*rated}, candidates)
        label = None if is_matrix else self._label(rated)
        columns, chosen = [], {*rated}
        for j, look in enumerate(looks):
            if j == label or said.get(j) in (NAME, DESCRIBES):
                columns.append(ColumnRole(said.get(j, NAME), YOU_SAID_SO if j in said else ""))
            elif j in chosen:
                why = YOU_SAID_SO if j in named else look.style.name if look.style else ""
                columns.append(ColumnRole(RATING, why, look.style))
            else:
                why = why_not.get(j) or ("numbers of the rows" if not j and numbered else look.look.value)
                if why == Look.NUMBERS.value and j in self.numbers:
                    why = f"{self._range([j])}, another scale"
                columns.append(ColumnRole(ALONE, YOU_SAID_SO if j in said else why))
        alike = not groups or {*rated} & {*self.numbers} <= {*groups[0]} and not self._are_two_scales(rated)
        first = next((j for j in said if said[j] == NAME), label)
        return Roles(tuple(columns), self.lines.rows(rated, first), alike)

    def _values(self, j: int) -> np.ndarray:
        values = values_of(self.body[:, j], self.looks[j].style, self.m)
        return values[~np.isnan(values)]

    def _matrix(self, columns: list[int], body: np.ndarray) -> np.ndarray:
        """(L, C) the numbers of some columns of ``body``, NaN in gaps and where they look as if they meant missing."""
        X = matrix_of(body, columns, self.looks, self.m)
        X[np.isin(X, [*{marker for j in columns for marker in self.numbers[j].markers}])] = np.nan
        return X

    def _stated(self) -> dict[int, str]:
        """column -> role, as the options say."""
        said: dict[int, str] = {}
        options = self.options
        given = options.names, options.ratings, options.describes, options.leave_alone
        for role, columns in zip((NAME, RATING, DESCRIBES, ALONE), given):
            columns = tuple(column for column in columns if column != ALL_NUMBERS or not self.all_numbers)
            for j in positions(columns, self.layout.names, len(self.looks)):
                if said.get(j, role) != role:
                    raise TableError(f"the column {shown(self.names[j])} cannot be two things: {said[j]} and {role}")
                said[j] = role
        return said

    def _no_rating(self, j: int) -> str:
        """Why a column of numbers holds no ratings whatever the others hold; '' if it may."""
        found = self.numbers.get(j)
        if j in self.sums:
            return self.sums[j]
        if found is None or self.looks[j].style is not None:
            return ""
        if self.padded[j] and 2 * self.padded.sum() <= len(self.looks):
            return "numbers with leading zeros"
        values = self._values(j)
        large = len(values) and values.min() >= SMALLEST_IDENTIFIER
        why = plainly_no_rating(values, None if large and names_rows(self.names[j]) else self._is_beside_gaps(j))
        if why and (found.span or found.n >= _FEW - 1):
            return why
        in_front = values_of(self.layout.body[: len(values), j], None, self.m)
        if 3 < len(values) <= len(self.layout.body) / 2 and (np.diff(in_front) == 1).all():
            return "numbers of the first rows"  # as in a legend next to the table
        if len(values) < _FEW or found.fine or large:
            return ""
        if j in self.ranks and 2 * len(self.ranks) <= len(self.numbers):
            return "places of the rows"
        if j in self.numbered and j not in self.gaps:
            return f"a number for each {shown(self.names[self.numbered[j]])}"
        named = names_rows(self.names[j]) and len(np.unique(values)) == len(values)
        return "numbers of the rows" if named or (np.diff(values) == 1).all() else ""

    def _numbered(self) -> dict[int, int]:
        """Columns of whole numbers that repeat, and for each one of texts that goes one to one with it; none where most
        numbers have one, such as answers in words."""
        body = self.body[:_MOST_ROWS]
        texts = [k for k, look in enumerate(self.looks) if look.look in (Look.WORDS, Look.NAMES)]
        plain = [j for j, found in self.numbers.items() if found.whole and self.looks[j].style is None]
        sizes = {j: len(np.unique(body[:, j])) for j in (texts + plain if texts else [])}
        found: dict[int, int] = {}
        for j in (j for j in sizes.keys() & {*plain} if 2 < sizes[j] <= len(body) / 2):
            for k in (k for k in texts if sizes[k] == sizes[j]):
                if len(np.unique(body[:, [j, k]], axis=0)) == sizes[j]:
                    found[j] = k
        return found if 2 * len(found) <= len(self.numbers) else {}

    def _is_beside_gaps(self, j: int) -> bool:
        """Whether cells are missing in a column, or in another one that has its range about."""
        found = self.numbers[j]
        beside = (self.numbers[k] for k in self.gaps & self.numbers.keys())
        return any(other.low / 2 <= found.low and found.high <= 2 * other.high for other in beside)

    def _groups(self, columns: list[int]) -> list[list[int]]:
        """Groups of columns that share one scale, the largest first; those of yes and no only where nothing else makes
        a group."""
        kinds: dict[str, list[int]] = {}
        for j in columns:
            style = self.looks[j].style
            kind = "" if style is None or style.name == LABELLED else style.template or style.name
            kinds.setdefault(kind, []).append(j)
        groups = []
        for members in kinds.values():
            for _ in range(_MOST_GROUPS):
                groups.append(self._largest(members))
                members = sorted({*members} - {*groups[-1]})
                if not members:
                    break
            groups += [[j] for j in members]
        groups.sort(key=lambda group: (len(group), not self.gaps.isdisjoint(group)), reverse=True)
        others = [group for group in groups if 2 * sum(self.numbers[j].code for j in group) <= len(group)]
        rated = others and (len(others[0]) > 1 or not self.gaps.isdisjoint(others[0]))
        return others if rated or self._strange_words() else groups

    def _are_two_scales(self, columns: list[int]) -> bool:
        """Whether three columns share a range that three others exceed, each with twice its span."""
        found = [self.numbers[j] for j in columns if j in self.numbers and self.numbers[j].n >= _MANY_PAIRS]
        for (low, high), n in Counter((of.low, of.high) for of in found).most_common(1):
            beyond = [of for of in found if of.low < low or of.high > high]
            return n > 2 and len(beyond) > 2 and all(of.span >= 2 * (high - low) for of in beyond)
        return False

    def _largest(self, columns: list[int]) -> list[int]:
        """The largest group of columns that are on the scale of one of them, without the few that hold fractions where
        the others hold whole numbers, or the reverse."""
        found = self.numbers
        wide = [j for j in columns if found[j].n >= _FEW and found[j].span] or columns
        seeds = list({(found[j].low, found[j].high, found[j].code): j for j in wide}.values())
        seeds = seeds[:: max(1, len(seeds) // 50, len(seeds) * len(columns) // _MOST_COMPARED)]
        best = max(([j for j in columns if found[j].on_scale_of(found[seed])] for seed in seeds), key=len)
        usual = [j for j in best if found[j].n >= _MANY]
        *_, second, top = [0.0, 0.0, *sorted(found[j].high for j in usual)]
        if len(usual) > 3 and top > 2 * second > 0:  # a column that reaches far beyond all others, such as a sum
            far = next(j for j in usual if found[j].high == top)
            if not found[far].wide:
                return self._largest([j for j in columns if j != far])
        for fine in (True, False):
            odd = {j for j in best if found[j].fine is fine}
            if 4 * len(odd) <= (len(best) if fine else len(usual)):
                odd = {j for j in odd if found[j].n >= _MANY and (fine or found[j].plain)}
                best = [j for j in best if j not in odd]
        return best

    def _strange_words(self) -> list[int]:
        """The largest group of columns, two at least, that share words whose order is not known."""
        free = [j for j in range(len(self.looks)) if self.said.get(j, RATING) == RATING]
        words = {j: self.looks[j].texts for j in free if self.looks[j].style is None}

        def shares(j: int, scale: Collection[str]) -> bool:
            graded = signs_of_grades(words[j]) and len(signs_of_grades(scale)) == 2
            return bool(graded) or 2 * sum(n for text, n in words[j].items() if text in scale) > self.looks[j].written

        used = (frozenset(texts) for j, texts in words.items() if self.looks[j].look is Look.WORDS and len(texts) > 1)
        scales = [scale for scale, _ in Counter(used).most_common(_MOST_GROUPS)]
        best = max(([j for j in words if shares(j, scale)] for scale in scales), key=len, default=[])
        return best if len(best) > 1 else []

    def _choose(self, groups: list[list[int]], candidates: list[int], named: set[int]) -> list[int]:
        """The columns of ratings; TableError where a question is to be asked first."""
        largest = groups[0]
        if self.all_numbers:
            return sorted({*(j for j in candidates if self.looks[j].look is Look.NUMBERS), *named})
        words = self._strange_words()
        if len(words) > max(len(largest), 1) and not named & {*words}:
            self.doubts.append(order_doubt(self.layout, words, self.m))
            return words
        numbers = [j for group in groups for j in group if self.looks[j].look is Look.NUMBERS]
        tie = len(groups) > 1 and len(groups[1]) == len(largest)
        if tie or (set(largest) <= set(numbers) and len(numbers) > 2 * len(largest)):
            if named:
                return sorted(named)
            self._ask_about_units(groups)
            return sorted(j for group in groups for j in group)
        largest = self._items(largest, named)
        if out := {*groups[0]} - {*largest}:  # whose range may have kept items away
            again = self._groups([j for j in candidates if j not in out])
            largest = max(largest, self._items(again[0], named) if again else [], key=len)
        rated = {*largest} | named
        odd = {j for j in candidates if j in self.gaps and self.looks[j].look is Look.NUMBERS} - rated
        if odd and largest:
            narrow = {*groups[0]} & {*candidates} - rated
            self._ask_about_odd(sorted(odd | narrow), largest)
        return sorted(rated)

    def _find_sums(self) -> dict[int, str]:
        """The columns that sum up others, by arithmetic, by the largest numbers in their names, or, where too few rows
        tell, by their name."""
        styles = {j: self.looks[j].style for j in self.numbers}
        columns = [j for j, style in styles.items() if style is None or style.template]
        found = [j for j in columns if self.numbers[j].span]
        if len(found) > _MOST_COLUMNS:
            found = []
        X = self._matrix(found, self.body[:_MOST_ROWS])
        decimals = [self.m.decimals(self.body[:_MOST_ROWS, j]) for j in found]
        may = np.array([not plainly_no_rating(self._values(j)) for j in found], dtype=bool)
        sums, unknown = summaries(X, decimals, self._named(found), may) if found else ({}, set())
        why = {found[i]: what for i, what in sums.items()}
        if self.layout.names is not None:
            for i, j in enumerate(found):
                if j not in why and tells_of_others(self.names[j], True):
                    rest = [k for k in range(len(found)) if k != i and k not in sums]
                    said, _ = what_it_says(X[:, i], X[:, rest].T)
                    why |= {j: f"{said} of the lines"} if said else {}
            names = [self.names[j] for j in columns]
            tops = {columns[i] for i in sums_of_maxima(names)}
            told = {found[i] for i in range(len(found)) if i not in unknown}
            for j in columns:
                called = j in tops or plain_name(self.names[j]) in SUMMARIES
                if j not in why and (called or j not in told and j in self.called_sums):
                    why[j] = f"called {shown(self.names[j])}"
        return why

    def _items(self, group: list[int], named: set[int]) -> list[int]:
        """The columns of a group that are items of one scale. Where most are named in a run (q1 ... q8), narrow columns
        next to it have to have its range and go along with it; otherwise those are no items that have another range
        and do not go along with the others although these do with each other. So are columns named like a sum."""
        free = [j for j in group if j not in named and self.looks[j].style is None]
        whole = [j for j in free if self.numbers[j].whole and self.numbers[j].span <= _MOST_STEPS / 2]
        out = {j for j in free if j in self.called_sums}
        names = {j: self.names[j] for j in group} if self.layout.names else {}
        stems = {j: _stem(name) for j, name in names.items()}
        sizes = Counter(stems.values())
        run = [j for j in stems if sizes[stems[j]] > max(2, max(sizes.values()) / 2)]
        fit = [j for j in run if j in named or j in whole]
        run = fit if 4 * len(fit) >= 3 * len(run) else run
        in_run = len(run) > 3 and 2 * len(run) >= len(group)
        items = run if in_run else [j for j in whole if j not in out]
        if len(items) < 3 or not {*items} - named <= {*whole}:
            return [j for j in group if j not in out]
        X = self._matrix(group, self.body)
        along = dict(zip(group, _go_along(X, np.isin(group, items))))
        for stem in {stems[j] for j in stems if sizes[stems[j]] > 2} - {stems[j] for j in run}:  # a small run
            own = [i for i, j in enumerate(group) if stems[j] == stem]
            beside = _go_along(X[:, own], np.ones(len(own), dtype=bool))
            along |= {group[i]: max(along[group[i]], r) for i, r in zip(own, beside)}
        fewest = 2 / max(len(X), 4) ** 0.5
        ranges = Counter((self.numbers[j].low, self.numbers[j].high) for j in items)
        usual = ranges.most_common(1)[0][0]
        within = {j for j in items if usual[0] <= self.numbers[j].low and self.numbers[j].high <= usual[1]}
        known = [j for j in items if self.numbers[j].n >= _MANY_PAIRS]
        narrow = {j for j in free if 2 * self.numbers[j].span <= usual[1] - usual[0]}
        alike = [j for j in known if j in within - narrow]
        known = alike if len(alike) > 2 else known
        cohere = len(known) > 2 and np.median([along[j] for j in known]) > max(0.4, fewest)
        like = next(self.numbers[j] for j in items if (self.numbers[j].low, self.numbers[j].high) == usual)
        most = len(within) >= 0.75 * len(items) and min(self.numbers[j].n for j in items) >= _MANY_PAIRS
        out |= {j for j in free if most and not self.numbers[j].on_scale_of(like)}
        for j in (j for j in free if self.numbers[j].whole):
            same = (self.numbers[j].low, self.numbers[j].high) == usual
            loose = (abs(along[j]) if same else along[j]) < (max if j in narrow and not in_run else min)(fewest, 0.4)
            if in_run and j not in run:
                strange = not (same and along[j] > fewest)
            else:
                may_be_none = j in narrow if in_run else not same or j in self.gaps
                strange = cohere and may_be_none and self.numbers[j].n >= _MANY_PAIRS and loose
            if strange:
                out.add(j)
        return [j for j in group if j not in out]

    def _has_gaps(self, j: int) -> bool:
        """Whether cells are missing."""
        column = self.layout.body[:, j]
        values = between(self.m.values[column], self.m.marked[column])
        return bool(((self.m.kinds[column] == NO_VALUE) & np.isnan(values)).any())

    def _range(self, columns: list[int]) -> str:
        found, style = [self.numbers[j] for j in columns], self.looks[columns[0]].style
        words = f" ({style.name})" if style else ""
        return f"{min(f.low for f in found):g} to {max(f.high for f in found):g}{words}"

    def _ask(self, columns: list[int], sentence: str, *answers: Answer) -> None:
        self.doubts.append(Doubt(tuple(columns), self._named(columns), sentence, answers))

    def _ask_about_times(self, columns: list[int]) -> None:
        """Asks whether columns such as 1:05 hold times that were taken, or times of day."""
        where = first_few([shown(self.names[j]) for j in columns])
        ratings = Answer("they are durations, counted in seconds", "ratings", self._named(columns))
        alone = Answer("leave them alone", "leave_alone", self._named(columns))
        self._ask(columns, f"{where} {'holds' if len(columns) == 1 else 'hold'} times", ratings, alone)

    def _ask_about_units(self, groups: list[list[int]]) -> None:
        """Asks which columns hold ratings, where no group with one scale is the largest by far."""
        columns = sorted(j for group in groups for j in group)
        ranges = first_few([f"{shown(self.names[j])} {self._range([j])}" for j in columns], 6)
        answers = [Answer("all columns of numbers, each in its own unit", "ratings", (ALL_NUMBERS,))]
        for group in groups[:2]:
            if len(group) == len(groups[0]) > 1:
                answers.append(Answer(f"those with {self._range(group)}", "ratings", self._named(group)))
        self._ask(columns, f"the columns do not share one scale ({ranges})", *answers)

    def _ask_about_odd(self, odd: list[int], others: list[int]) -> None:
        """Asks whether columns with gaps hold ratings on another scale."""
        fine = {j: ", mostly fractions" if self.numbers[j].fine else "" for j in odd}
        its = first_few([f"{shown(self.names[j])} holds {self._range([j])}{fine[j]}" for j in odd])
        it, hold = ("it", "holds") if len(odd) == 1 else ("them", "hold")
        alone = Answer(f"leave {it} alone", "leave_alone", self._named(odd))
        ratings = Answer(f"{it.replace('m', 'y')} {hold} ratings", "ratings", self._named(odd))
        about = Answer(f"{it.replace('m', 'y')} describe{hold[4:]} the rows", "describes", self._named(odd))
        self._ask(odd, f"{its}, where most of the others hold {self._range(others)}", alone, ratings, about)

    def _check_markers(self, columns: list[int], alike: set[int], others: list[int]) -> None:
        """Asks about numbers such as -99, apart from all others of their columns, that may mean missing, and zeros
        next to a scale that begins above zero in all those that are ``alike``. A number with which one of the
        ``others`` begins or ends is no marker there."""
        where: dict[float, list[int]] = {}
        for j in columns:
            for value in self.numbers[j].markers:
                where.setdefault(value, []).append(j)
        plain = [j for j in columns if self.looks[j].style is None and j in alike]
        kept = {j: self._values(j) for j in plain}
        kept = {j: x[~np.isin(x, self.numbers[j].markers)] for j, x in kept.items()}
        zeros = [j for j in plain if (kept[j] == 0).any()]
        labelled = [look.style for look in self.looks if look.style and look.style.name == LABELLED]
        has_zero = any(value == 0 for style in labelled for _, value in style.values)
        scale = np.concatenate([*kept.values()]) if kept else np.empty(0)
        if zeros and not has_zero and zero_is_apart(scale):
            where[0.0] = sorted({*zeros, *where.get(0.0, [])})
        doubted = {j for doubt in self.doubts for j in doubt.columns}
        ends = {j: (self.numbers[j].low, self.numbers[j].high) for j in others}
        self.doubts += marker_doubts(where, self.names, self.m.form, zero_may_count(scale), doubted, ends)

    def _named(self, columns: list[int]) -> tuple[str, ...]:
        return tuple(self.names[j] for j in columns)

    def _label(self, rated: list[int]) -> int | None:
        """The column that holds the names of the rows where nobody has said so: the first one of names in front of the
        ratings; or the first column, where it is no rating and looks as if it held names."""
        if NAME in self.said.values():
            return None
        written = 0.9 * len(self.layout.body)
        for j in range(rated[0] if rated and self.options.row_labels == "auto" else 0):
            if self.looks[j].look is Look.NAMES and self.looks[j].written > written and j not in self.said:
                return j
        return 0 if self.layout.row_labels and 0 not in rated and 0 not in self.said else None


def _zero_is_far(values: np.ndarray, found: _Numbers) -> bool:
    """Whether zero stands far below all other numbers of a column but the markers, and may mean missing."""
    return found.least > 2 and zero_is_apart(values[~np.isin(values, found.markers)])


def _are_places(values: np.ndarray) -> bool:
    """Whether numbers are the places of their rows: 1, 2, 2, 4, ..., most of them once."""
    return len(values) >= _MANY and bool((values == rankdata(values, "min")).all())


def _stem(name: str) -> str:
    """What names of a run begin with: "q" of q1, "Q5_" of Q5_1, "How was" of "How was [the food]"."""
    match = re.fullmatch(r"(\D+\d+[^\W\d]?[\W_])\d+\D{0,3}", name)
    return match[1] if match else re.split(r"\d|\[", name)[0]


def _go_along(X: np.ndarray, items: np.ndarray) -> list[float]:
    """The correlation of each column of ``X`` (L, C) with the mean of the others that are ``items`` (C,), each in units
    of its spread; 0 where there is none."""
    Z = pd.DataFrame(X)
    Z = (Z - Z.mean()) / Z.std(ddof=0).replace(0, np.nan)
    others = Z.where(np.broadcast_to(items, X.shape))
    n = np.subtract(others.count(axis=1).to_numpy()[:, None], others.notna())
    means = np.subtract(others.sum(axis=1).to_numpy()[:, None], others.fillna(0)) / n.where(n > 0)
    enough = (Z.notna() & means.notna()).sum() > 3
    return Z.corrwith(means).where(enough).fillna(0).tolist()

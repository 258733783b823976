"""Lines of a wide table that are no rows: sums and means of others, weights, maxima, notes, the names once more."""

from __future__ import annotations

import re

import numpy as np

from metamf.tables.columns import Look, matrix_of
from metamf.tables.layout import TableLayout
from metamf.tables.limits import Answer, Doubt, TableError
from metamf.tables.numbers import NO_VALUE, TEXT, Meanings
from metamf.tables.options import ReadOptions
from metamf.tables.sums import is_outside, sounds_like_a_sum, sums_of_lines, what_it_says
from metamf.tables.text import label_in
from metamf.tables.words import BESIDE_SUMMARIES, SUMMARIES, plain_name, tells_of_others
from metamf.wording import first_few, shown

YOU_SAID_SO = "you said so"
_NOTE = re.compile(r"[:*.()]|(?:\S+\s+){4}")  # Source: A, * preliminary
_LETTER = re.compile(r"[^\W\d]")
_MOST_COLUMNS, _MOST_ROWS = 200, 500  # among which sums are looked for
_MOST_LINES = 5_000  # of which the last ones may sum up the others
_MOST_SUMMARIES = 8  # lines at the end: the sum, the mean, the least, the number, ...
_FEWEST_ROWS = 3  # with ratings, below a line that may continue the header
_FEWEST_BESIDE = 6  # lines, next to which one may say something of the columns


class LineFinder:
    """Finds lines by their numbers, ``found``: the position of each, and why it is no row; with ``doubts`` about some,
    and ``rows`` adds those that are found by their names and by what a person says."""

    def __init__(self, layout: TableLayout, m: Meanings, options: ReadOptions):
        self.layout, self.m, self.options = layout, m, options
        self.body, self.looks = layout.body, layout.looks
        self.numbers = [j for j, look in enumerate(self.looks) if look.look is Look.NUMBERS][:_MOST_COLUMNS]
        self.below_blank = np.diff(layout.records, prepend=layout.records[:1]) > 1  # (L,)
        self.doubts: list[Doubt] = []
        self.again = self._names_again()
        sums, unsure = self._sums()
        self.found = self.again | sums
        about, asked = self._about_columns()
        self.found |= about
        if asked := sorted({*unsure, *asked} - {*self.found}):
            self._ask(asked)

    def rows(self, rated: list[int], label: int | None) -> tuple[tuple[int, str], ...]:
        """The lines of the file that are no rows, and why: ``found``, those that the options name, those called total
        or mean at either end of the table with what belongs to them, and those of ``_without_ratings``."""
        labels = self._labels(label or 0)
        found = {**self.found}
        if label is not None:
            found |= self._without_ratings(rated)
            found |= self._called(labels, [i for i in range(len(labels)) if i not in found or i in self.found])
        for row in self.options.keep_rows:
            for i in self._positions(row, labels):
                found.pop(i, None)
        for row in self.options.leave_rows:
            found |= dict.fromkeys(self._positions(row, labels), YOU_SAID_SO)
        if len(found) == len(labels):
            raise TableError("no row is left: leave fewer rows alone")
        return tuple((int(self.layout.lines[i]), why) for i, why in sorted(found.items()))

    def _labels(self, j: int) -> list[str]:
        return [label_in(self.m.texts[code]) for code in self.body[:, j]]

    def _positions(self, row: str | int, labels: list[str]) -> list[int]:
        """Positions of the rows on a line of the file, counted from 1, or of a name."""
        if isinstance(row, int):
            found, where = np.flatnonzero(self.layout.lines == row).tolist(), f"on line {row:,}"
        else:
            found = [i for i, name in enumerate(labels) if name == row.strip()]
            where = f"called {shown(row)}"
        if not found:
            raise TableError(f"the table has no row {where}")
        return found

    def _called(self, labels: list[str], others: list[int]) -> dict[int, str]:
        """Those of the lines called total or mean at either end, with the quartiles, such as 25%, and so on."""
        found: dict[int, str] = {}
        named_by_letters = all(_LETTER.search(labels[i]) for i in others[:-_MOST_SUMMARIES])
        for end in (others[:3], others[-_MOST_SUMMARIES:]) if len(others) > 2 else ():
            called = {i: plain_name(labels[i]) for i in end}
            summary = {i for i in end if called[i] in SUMMARIES or sounds_like_a_sum(labels[i])}
            beside = {i for i in end if named_by_letters and not _LETTER.search(labels[i])}
            beside |= {i for i in end if called[i] in BESIDE_SUMMARIES}
            found |= {i: f"called {shown(labels[i])}" for i in summary | beside if summary}
        return found

    def _names_again(self) -> dict[int, str]:
        """The lines with the names of the columns once more; below a blank line where all of them are numbers."""
        header = self.layout.header
        columns = [j for j, look in enumerate(self.looks) if look.look is Look.NUMBERS or look.style]
        if header is None or len(columns) < 2:
            return {}
        again = (self.body[:, columns] == header[columns]).all(axis=1)
        if (self.m.kinds[header[columns]] != TEXT).all():
            again &= self.below_blank
        return dict.fromkeys(np.flatnonzero(again).tolist(), "the column names again")

    def _is_note(self, i: int) -> bool:
        """Whether a line holds one text alone, with signs, or as many words, as no other one in its column has."""
        (written,) = np.nonzero([self.m.texts[code].strip() for code in self.body[i]])
        if len(written) != 1:
            return False
        column = self.body[:, written[0]]
        return bool(_NOTE.search(self.m.texts[column[i]].strip())) and not any(
            _NOTE.search(self.m.texts[code]) for code in np.unique(np.delete(column, i))
        )

    def _sums(self) -> tuple[dict[int, str], list[int]]:
        """The lines that sum up others, with what stands below them at the end of the table; and those that may be so
        by chance."""
        if len(self.numbers) < 3 or len(self.body) > _MOST_LINES:
            return {}, []
        X = matrix_of(self.body, self.numbers, self.looks, self.m)
        return sums_of_lines(X, lambda i: self.m.decimals(self.body[i, self.numbers]))

    def _about_columns(self) -> tuple[dict[int, str], list[int]]:
        """The lines at either end that say what columns weigh or can reach, or which number they have: they do so by
        their numbers, and have no name, or one that says so. And those that do one of both, or are on another scale."""
        columns = [j for j in self.numbers if j or not self.layout.row_labels]
        L = len(self.body)
        rows = np.setdiff1d([*range(L)[:_MOST_ROWS], *range(L)[-3:]], [*self.found]).astype(int)
        if self.layout.names is None or len(columns) < 2 or len(rows) <= _FEWEST_BESIDE:
            return {}, []
        X = matrix_of(self.body[rows], columns, self.looks, self.m)
        X = X[:, [len(np.unique(x[~np.isnan(x)])) > 1 for x in X.T]]
        others = X[3:-3][~np.isnan(X[3:-3]).all(axis=1)]
        labels = [label_in(self.m.texts[code]) for code in self.body[rows, 0]]
        named = 0 not in columns and all(labels[3:-3])
        found: dict[int, str] = {}
        asked: list[int] = []
        for at in (*range(3), *range(-3, 0)) if len(others) else ():
            given = ~np.isnan(X[at])
            said, sure = what_it_says(X[at, given], others[:, given])
            texts = [self.m.texts[code] for code in self.body[rows[at]] if self.m.kinds[code] == TEXT]
            tells = (named and not labels[at]) or any(tells_of_others(text, sure) for text in texts)
            may_tell = at >= 0 and said == "the most" and any(tells_of_others(text, True) for text in texts)
            alone = sure and given.all() and len(given) > 2 and len(others) >= _FEWEST_BESIDE
            if tells and said:
                found[int(rows[at])] = f"{said} of the columns"
            elif may_tell or tells and given.any() or alone or is_outside(X[at], others):
                asked.append(int(rows[at]))
        return found, asked

    def _ask(self, positions: list[int]) -> None:
        """Asks whether some lines say something of the columns, such as their weights, unless a person has said so."""
        lines = [int(self.layout.lines[i]) for i in positions]
        labels = self._labels(0)
        if not {*lines, *(labels[i] for i in positions)}.isdisjoint(
            (*self.options.keep_rows, *self.options.leave_rows)
        ):
            return
        one = len(lines) == 1
        where = first_few([f"line {line:,}" for line in lines])
        alone = Answer(f"leave {'it' if one else 'them'} alone", "leave_rows", tuple(lines))
        kept = Answer("it is a row" if one else "they are rows", "keep_rows", tuple(lines))
        sentence = f"{where} may sum up the columns, or tell their weights or maxima, and hold no ratings"
        self.doubts.append(Doubt((), (), sentence, (alone, kept)))

    def _without_ratings(self, rated: list[int]) -> dict[int, str]:
        """Lines without a rating that are no rows: they are blank, or continue the header, or stand below a blank line
        or above the names of the columns."""
        empty = (self.m.kinds[self.body[:, rated]] == NO_VALUE).all(axis=1)
        written = np.array([bool(text.strip()) for text in self.m.texts])[self.body]  # (L, C)
        headed = not written[0, rated].any() and (~empty).sum() >= _FEWEST_ROWS
        found = {**self.again}
        for i in np.flatnonzero(empty).tolist():
            beside = self.below_blank[i] or i + 1 in self.again or i - 1 in found
            if not written[i].any():
                found[i] = "a blank line"
            elif not i and (headed or beside) or 0 in found and not empty[i:].all():  # as the first one, of a group
                found[i] = "a line without a rating"
            elif beside or empty[i:].all() and self._is_note(i):
                found[i] = "a line of text"
        return found

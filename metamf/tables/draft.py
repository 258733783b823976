"""A plan in the making: the cells of a file, and what has been decided about them so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from metamf.tables.body import Body, Cells, Header
from metamf.tables.numerals import NO_VALUE, TEXT
from metamf.tables.plan import FILL, KEEP, Amber, Choice, Column, Group, Line
from metamf.tables.text import Grid, label_in
from metamf.wording import counted, shown

DOWN = "down"  # code of names that stand in the first line of their group only
SURE = 10.0  # bits from which a decision is not amber
DATES = "dates or times"
_CERTAIN = 1e6  # bits, of what has no other reading
_IDENTIFIER = 100_000  # from here on distinct whole numbers without a gap are identifiers
_WITH_GAPS = 10_000_000  # and those with gaps


@dataclass
class DraftColumn:
    """What has been decided about a column; ``odd``: texts that its code does not read, and their
    numbers of cells."""

    name: str
    code: str = ""
    margin: float = np.inf
    role: str = KEEP
    why: str = ""
    group: int | None = None
    doubtful: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    odd: dict[str, int] = field(default_factory=dict)

    @property
    def numeric(self) -> bool:
        return self.code not in ("", DOWN)

    @property
    def filled(self) -> bool:
        return self.role == FILL

    def decide(self, role: str, why: str = "numbers") -> None:
        self.role = role
        self.why = why

    def planned(self) -> Column:
        """The column of the plan."""
        decided = {name: value for name, value in vars(self).items() if name != "odd"}
        return Column(**decided | {"margin": float(min(self.margin, _CERTAIN))})


class Draft:
    """The cells below the header, (L, C) ``values`` that the columns' codes read, NaN elsewhere,
    and the decisions. ``keys``: of a long table the columns that name rows and columns, and the
    values."""

    def __init__(self, grid: Grid, header: Header, cells: Cells):
        self.grid = grid
        self.header = header
        self.cells = cells
        self.values = cells.values.copy()
        self.columns = [DraftColumn(name) for name in header.names]
        self.skipped: dict[int, Line] = {}
        self.groups: list[Group] = []
        self.amber: list[Amber] = []
        self.keys: tuple[int, ...] = ()
        self.width = len(self.columns)
        self.rows = np.ones(len(self.lines), dtype=bool)  # whether a line is a row of the table
        for line in header.above:
            if line > header.line:
                self._leave_out(Line(line, "above the table"))

    # Cells

    @cached_property
    def gaps(self) -> np.ndarray:
        """(C,) the number of gaps of each column."""
        return (self.cells.kinds == NO_VALUE).sum(axis=0)

    @cached_property
    def n_cells(self) -> np.ndarray:
        """(V,) the number of cells of each different text."""
        return np.bincount(self.body.codes.ravel(), minlength=len(self.cells.texts.texts))

    @property
    def lines(self) -> np.ndarray:
        """(L,) the line of the file of each line below the header."""
        return self.cells.body.lines

    @property
    def body(self) -> Body:
        return self.cells.body

    def text(self, code: int) -> str:
        return self.cells.texts.texts[code].strip()

    def numbers(self, j: int) -> np.ndarray:
        """The numbers of a column in the rows of the table, without gaps."""
        x = self.values[self.rows, j]
        return x[~np.isnan(x)]

    def decimals(self, j: int) -> int:
        """The most decimals of a column."""
        return int(self.cells.numbers(j)[2].max(initial=0))

    def labels(self) -> list[str]:
        """The label of each line: its text in the first column of texts, or of any in the first."""
        for j, column in enumerate(self.columns):
            texts = (self.cells.kinds[:, j] == TEXT).any()
            if texts and (j == 0 or not column.numeric and column.why != DATES):
                return [label_in(self.cells.texts.texts[code]) for code in self.body.codes[:, j]]
        return [""] * len(self.lines)

    def look(self, j: int) -> str:
        """What a column looks like: 'empty', 'date', 'text', 'constant', 'identifier', 'number'."""
        column = self.columns[j]
        if not column.numeric:
            if (self.cells.kinds[:, j] == NO_VALUE).all():
                return "empty"
            return "date" if column.why == DATES else "text"
        given = self.numbers(j)
        if len(given) and given.min() == given.max():
            return "constant"
        return "identifier" if self.padded(j) or self.identifies(j) else "number"

    def padded(self, j: int) -> bool:
        """Whether a column has codes of one length with leading zeros."""
        used = np.unique(self.body.codes[:, j])
        if not self.cells.texts.padded[used].any():
            return False
        lengths = {len(text) for text in map(self.text, used) if text}
        return len(lengths) == 1 and lengths.pop() > 2

    def identifies(self, j: int, once: bool = True) -> bool:
        """Whether a column has long whole numbers, each once, or often: identifiers, unless they
        are rounded, as populations are; with gaps only where all have the same many digits."""
        x = self.numbers(j)
        if len(x) < 3 or (x % 1).any() or x.min() < _IDENTIFIER:
            return False
        large = x.max() >= 100 * x.min()
        if len(x) < self.rows.sum():
            large = x.min() < _WITH_GAPS or len(f"{x.min():.0f}") < len(f"{x.max():.0f}")
        n = len(np.unique(x))
        return bool(not large and (x % 10).any() and (n == len(x) if once else 2 * n <= len(x)))

    def each_once(self, j: int) -> bool:
        """Whether each row has a text of its own in a column."""
        column = self.body.codes[self.rows, j]
        return not self.gaps[j] and len(np.unique(column)) == len(column)

    # Decisions

    def having(self, role: str) -> list[int]:
        """Positions of the columns with a role."""
        return [j for j, column in enumerate(self.columns) if column.role == role]

    def filled(self) -> list[int]:
        """Positions of the columns to fill."""
        return self.having(FILL)

    def numeric(self) -> list[int]:
        """Positions of the columns of numbers."""
        return [j for j, column in enumerate(self.columns) if column.numeric]

    def _leave_out(self, line: Line) -> None:
        self.skipped[line.line] = line
        self.rows &= self.lines != line.line

    def skip(self, i: int, why: str, margin: float) -> None:
        """Decides that a line below the header is no row; amber where that is not sure."""
        line = int(self.lines[i])
        if line in self.skipped:
            return
        self._leave_out(Line(line, why, float(margin)))
        if margin < SURE:
            keep = Choice("it is a row", f"line {line}: keep")
            skip = Choice("it is none", f"line {line}: skip")
            self.note(
                None, f"Line {line:,} is {why}: it stays as it is", [keep, skip], margin, line
            )

    def called(self, j: int) -> str:
        """How an edit calls a column: by its name, or its number where that is long or odd."""
        name = self.columns[j].name
        plain = len(name) <= 40 and re.fullmatch(r"\S(?:[^\n]*\S)?", name)
        return name if plain else str(j + 1)

    def note(
        self,
        j: int | None,
        sentence: str,
        choices: Sequence[Choice] = (),
        margin: float = 0.0,
        line: int | None = None,
    ) -> None:
        """Makes a column amber, or a line of the file, or the file."""
        bits = float(min(margin, _CERTAIN))
        self.amber.append(Amber(sentence, j, line, tuple(choices), bits))

    def note_role(self, j: int, sentence: str, other: str, margin: float = 0.0) -> None:
        """Makes a column amber of which the role may be another one."""
        labels = {FILL: "fill it in", KEEP: "keep it as it is"}
        roles = sorted(labels, key=lambda role: role != other)
        choices = [Choice(labels[role], f"{self.called(j)}: {role}") for role in roles]
        self.note(j, sentence, choices, margin)

    def doubt(self, j: int, texts: Sequence[str], n: int) -> None:
        """Decides that numbers of a column stay as they are and teach nothing."""
        column = self.columns[j]
        column.doubtful = (*column.doubtful, *texts)
        text, name = texts[0], self.called(j)
        choices = [
            Choice(f"count {text} as missing", f"{name}: missing {text}", n),
            Choice("it is a number like any other", f"{name}: number {text}"),
        ]
        sentence = f"{shown(column.name)}: {text} is far from the other values "
        self.note(j, f"{sentence}({counted(n, 'cell')}); it stays as it is", choices)

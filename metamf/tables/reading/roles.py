"""Roles: which columns and rows of a wide table hold names, which ratings, and which are left alone.

Every role is a guess from the cells, never from a name alone, and has its reason (``find_roles``); ``ReadOptions``
override each. Where a column of numbers does not look like the other ratings, nothing is guessed in silence: there is a
``Doubt``, which the caller answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metamf.tables.limits import TableError
from metamf.tables.reading.words import Style

NAME, RATING, ALONE = "name", "rating", "alone"
YOU_SAID_SO = "you said so"


@dataclass(frozen=True)
class LineRole:
    """The role of a column or a row.

    Attributes
    ----------
    role : NAME, RATING or ALONE
    why : the reason, as a clause; '' for ordinary ratings
    style : form in which the ratings of a column are written, where they are not plain numbers
    sure : whether it would be taken without asking
    """

    role: str
    why: str = ""
    style: Style | None = None
    sure: bool = True


@dataclass(frozen=True)
class Doubt:
    """A question that only a person can answer: whether a column holds ratings, or in which order its words stand.

    Attributes
    ----------
    columns : positions of the columns in question
    names : their names
    sentence : the oddity about them, without a full stop
    words : the words that need an order; empty where the question is whether they are ratings
    """

    columns: tuple[int, ...]
    names: tuple[str, ...]
    sentence: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Roles:
    """The roles of all columns of a wide table, and of the rows that are left alone.

    Attributes
    ----------
    columns : one for each column of the file
    rows : position in the body, and role, of each row that is left alone
    doubts : questions that are to be asked before anything is filled in
    alike : whether the columns of ratings have one range; False where they are measured in units of their own
    """

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
        first = self.columns[:1] and self.columns[0].role in (NAME, RATING)
        others = all(column.role == RATING for column in self.columns[1:])
        return bool(first) and others and not self.rows and all(column.style is None for column in self.columns)


class RolesInDoubtError(TableError):
    """The roles of a table's columns cannot be told from their cells.

    Attributes
    ----------
    doubts : the questions
    roles : roles that were guessed so far
    """

    def __init__(self, doubts: Sequence[Doubt], roles: Roles):
        self.doubts, self.roles = tuple(doubts), roles
        first = doubts[0]
        if first.words:
            order = tuple(first.words)
            answer = f"say in which order they stand, lowest first: words=[{order}], or leave_alone={list(first.names)}"
        else:
            answer = f"say leave_alone={list(first.names)}, or ratings={list(first.names)}"
        super().__init__(f"{first.sentence}: {answer}")

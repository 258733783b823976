"""A room as an immutable value: what is rated, who is in it, and the ratings. Every change makes a new value.

The phases are open (students join and wait) -> rating -> revealed -> closed. From revealed a lecturer may go back to
rating, and a room can be closed at any time, which empties it. Nothing here knows of stores, clocks or Streamlit.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

OPEN, RATING_NOW, REVEALED, CLOSED = "open", "rating", "revealed", "closed"
PHASES = (OPEN, RATING_NOW, REVEALED, CLOSED)
_MOVES = {(OPEN, RATING_NOW), (RATING_NOW, REVEALED), (REVEALED, RATING_NOW), *((phase, CLOSED) for phase in PHASES)}
MOST_ITEMS, FEWEST_ITEMS = 40, 2  # forty fit on a lecturer's screen
MOST_STUDENTS = 60  # a class of forty, and some phones that joined twice
LONGEST_ITEM, LONGEST_NAME, LONGEST_TITLE = 60, 20, 60  # characters
LONGEST_SCALE = 11  # values, 0 to 10: what a phone has room for


class RoomError(Exception):
    """What a visitor asks of a room is not possible; the message is one sentence for the visitor."""


@dataclass(frozen=True)
class Scale:
    """Whole numbers from ``low`` to ``high``; ``RoomError`` if there are not 2 to ``LONGEST_SCALE`` of them."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if not 2 <= self.high - self.low + 1 <= LONGEST_SCALE:
            raise RoomError(
                f"A scale needs 2 to {LONGEST_SCALE} values; {self.low} to {self.high} has {self.high - self.low + 1}."
            )

    @property
    def values(self) -> tuple[int, ...]:
        """All possible ratings, the lowest first."""
        return tuple(range(self.low, self.high + 1))


SCALES = {
    "1 to 5 stars": Scale(1, 5),
    "1 to 7": Scale(1, 7),
    "0 to 10": Scale(0, 10),
    "Thumbs: 0 down, 1 up": Scale(0, 1),
}


def rating_label(scale: Scale, value: int) -> str:
    """Returns a rating as a phone shows it."""
    if scale == SCALES["1 to 5 stars"]:
        return f"{value} ★"
    if scale == SCALES["Thumbs: 0 down, 1 up"]:
        return "👍 1" if value else "👎 0"
    return str(value)


@dataclass(frozen=True)
class Item:
    """A thing to rate; its ``id`` is never used again in its room."""

    id: int
    name: str


@dataclass(frozen=True)
class Student:
    """Somebody in the room.

    Attributes
    ----------
    id : digest of the secret in the student's own address
    name : the nickname, unique in the room
    ratings : item's id -> rating
    expected : item's id -> the model's estimate without the student's own rating of that item; empty before the reveal
    """

    id: str
    name: str
    ratings: Mapping[int, int] = field(default_factory=dict)
    expected: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Room:
    """A room.

    Attributes
    ----------
    lecturer : digest of the lecturer's secret
    students : students in it, in the order in which they joined
    phase : one of ``PHASES``
    door : whether more students may join
    came : number of students who ever joined
    version : grows by one with every change
    """

    title: str
    scale: Scale
    items: tuple[Item, ...]
    lecturer: str
    students: tuple[Student, ...] = ()
    phase: str = OPEN
    door: bool = True
    came: int = 0
    version: int = 0

    @classmethod
    def new(cls, title: str, names: Iterable[str], scale: Scale, lecturer: str) -> Room:
        """Opens a room; ``RoomError`` if there are too few or too many items, or a name is too long or not unique."""
        items = [name for name in map(tidy, names) if is_visible(name)]
        for name in items:
            if len(name) > LONGEST_ITEM:
                raise RoomError(f"“{name[:30]}…” is longer than {LONGEST_ITEM} characters. Please shorten it.")
            if items.count(name) > 1:
                raise RoomError(f"“{name}” is on the list twice. Please remove one of them.")
        if not FEWEST_ITEMS <= len(items) <= MOST_ITEMS:
            raise RoomError(
                f"A room needs {FEWEST_ITEMS} to {MOST_ITEMS} things to rate, one per line; this list has {len(items)}."
            )
        return cls(
            tidy(title)[:LONGEST_TITLE] or "Our ratings", scale, tuple(map(Item, range(len(items)), items)), lecturer
        )

    def student(self, id: str) -> Student | None:
        """Returns the student with that id, if in the room."""
        return next((student for student in self.students if student.id == id), None)

    @property
    def n_ratings(self) -> int:
        """Number of ratings."""
        return sum(len(student.ratings) for student in self.students)

    # -- what students do ---------------------------------------------------------------------------------------------

    def join(self, id: str, name: str = "") -> Room:
        """Adds a student, unless that student is in the room already.

        A nickname that is taken gets a number, and without one the student becomes "Student 7".
        """
        if self.student(id) is not None:
            return self
        if self.phase not in (OPEN, RATING_NOW):
            raise RoomError("This room has revealed its ratings; nobody can join any more.")
        if not self.door:
            raise RoomError("The lecturer has closed the door of this room; nobody can join any more.")
        if len(self.students) >= MOST_STUDENTS:
            raise RoomError(f"This room is full; it holds {MOST_STUDENTS} students.")
        name = tidy(name)[:LONGEST_NAME].strip()
        name = unique(name if is_visible(name) else f"Student {self.came + 1}", {s.name for s in self.students})
        return self._changed(students=(*self.students, Student(id, name)), came=self.came + 1)

    def rate(self, id: str, item: int, value: int | None) -> Room:
        """Sets a student's rating of an item; None takes it back."""
        student = self.student(id)
        if student is None:
            raise RoomError("You are not in this room any more.")
        if self.phase != RATING_NOW:
            raise RoomError("This room does not take ratings now.")
        if all(item != other.id for other in self.items):
            raise RoomError("The lecturer has taken this off the list.")
        if value is not None and value not in self.scale.values:
            raise RoomError(f"A rating here is a whole number from {self.scale.low} to {self.scale.high}.")
        if student.ratings.get(item) == value:
            return self
        others = _without(student.ratings, item)
        return self._with(replace(student, ratings=others if value is None else {**others, item: value}))

    # -- what the lecturer does ---------------------------------------------------------------------------------------

    def start(self) -> Room:
        """Starts the rating, or starts it again after a reveal, whose estimates are deleted."""
        students = tuple(replace(student, expected={}) for student in self.students)
        return self._moved(RATING_NOW, students=students)

    def reveal(self, expected: Mapping[str, Mapping[int, float]]) -> Room:
        """Shows students the model's estimates: student's id -> item's id -> estimate."""
        students = tuple(replace(student, expected=dict(expected.get(student.id, {}))) for student in self.students)
        return self._moved(REVEALED, students=students)

    def close(self) -> Room:
        """Empties the room for good."""
        return self._moved(CLOSED, students=(), items=(), title="", lecturer="", door=False)

    def set_door(self, door: bool) -> Room:
        """Sets whether more students may join."""
        return self._changed(door=door)

    def without_student(self, id: str) -> Room:
        """Removes a student with all ratings."""
        return self._changed(students=tuple(student for student in self.students if student.id != id))

    def with_student_back(self, student: Student) -> Room:
        """Restores a removed student as the student was then."""
        if self.student(student.id) is not None or len(self.students) >= MOST_STUDENTS:
            return self
        ids = {item.id for item in self.items}
        ratings = {item: value for item, value in student.ratings.items() if item in ids}
        name = unique(student.name, {other.name for other in self.students})
        return self._changed(students=(*self.students, replace(student, name=name, ratings=ratings)))

    def without_item(self, item: int) -> Room:
        """Removes a thing with all its ratings."""
        if len(self.items) <= FEWEST_ITEMS:
            raise RoomError(f"A room needs at least {FEWEST_ITEMS} things to rate.")
        students = tuple(
            replace(student, ratings=_without(student.ratings, item), expected=_without(student.expected, item))
            for student in self.students
        )
        return self._changed(items=tuple(other for other in self.items if other.id != item), students=students)

    def without_rating(self, id: str, item: int) -> Room:
        """Removes one rating."""
        student = self.student(id)
        return self if student is None else self._with(replace(student, ratings=_without(student.ratings, item)))

    def with_lecturer(self, digest: str) -> Room:
        """Replaces the lecturer's secret; the old one opens nothing any more."""
        return self._changed(lecturer=digest)

    # -- as text ------------------------------------------------------------------------------------------------------

    def to_text(self) -> str:
        """Returns the room as JSON, for a store outside this process."""
        students = [
            [s.id, s.name, [*s.ratings.items()], [*s.expected.items()]]  # as lists: keys of JSON objects are texts
            for s in self.students
        ]
        values = vars(self) | {
            "scale": [self.scale.low, self.scale.high],
            "items": [[item.id, item.name] for item in self.items],
            "students": students,
        }
        return json.dumps({"format": _format(), **values}, separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> Room | None:
        """Returns the room that ``to_text`` wrote; None if another version of the program wrote it."""
        try:
            values = json.loads(text)
            if values.pop("format") != _format():
                return None
            students = (Student(id, name, dict(given), dict(e)) for id, name, given, e in values["students"])
            values["students"] = tuple(students)
            values["items"] = tuple(Item(*item) for item in values["items"])
            return cls(**values | {"scale": Scale(*values["scale"])})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, RoomError):
            return None

    def _moved(self, phase: str, **changes: Any) -> Room:
        if (self.phase, phase) not in _MOVES:
            raise RoomError(f"A room that is {self.phase} cannot become {phase}.")
        return self._changed(phase=phase, **changes)

    def _with(self, student: Student) -> Room:
        return self._changed(students=tuple(student if s.id == student.id else s for s in self.students))

    def _changed(self, **changes: Any) -> Room:
        return replace(self, version=self.version + 1, **changes)


def _without(values: Mapping[int, Any], item: int) -> dict[int, Any]:
    return {other: value for other, value in values.items() if other != item}


def _format() -> str:
    """Names and types of all fields: a version of the program with others does not read the text."""
    return "; ".join(f"{f.name}: {f.type}" for kind in (Room, Student, Item, Scale) for f in fields(kind))


# -- names that strangers type ----------------------------------------------------------------------------------------

_MOST_MARKS = 2  # accents on one letter: what languages need
_DROPPED = ("Cc", "Cf", "Cs", "Co", "Cn")  # controls, directions, halves of characters, and unassigned ones
_LONGEST_READ = 4000  # characters


def tidy(text: str) -> str:
    """Returns the text on one line, without control characters, changes of direction and towers of accents."""
    kept, marks = [], 0
    for character in unicodedata.normalize("NFC", text[:_LONGEST_READ]):
        kind = unicodedata.category(character)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if marks > _MOST_MARKS:
            continue
        if character.isspace():
            kept.append(" ")
        elif kind not in _DROPPED:
            kept.append(character)
    return re.sub(" +", " ", "".join(kept)).strip()


def is_visible(name: str) -> bool:
    """Whether anything of a tidy name can be seen, unlike accents alone and the blank letters of Hangul."""
    return any(unicodedata.category(c)[0] in "LNPS" and c not in "\u115f\u1160\u3164\uffa0\u2800" for c in name)


def unique(name: str, taken: Container[str]) -> str:
    """Returns the name, with a number behind it if it is ``taken``."""
    number, new = 2, name
    while new in taken:
        new, number = f"{name} {number}", number + 1
    return new

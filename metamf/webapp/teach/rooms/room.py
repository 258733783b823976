"""A room as an immutable value: what is rated, who is in it, and the ratings. Every change makes a
new value.

The phases are open (students join and wait) -> rating -> revealed, from which a lecturer may go
back to rating. Nothing here knows of stores, clocks or Streamlit.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

OPEN = "open"
RATING_NOW = "rating"
REVEALED = "revealed"
# forty fit on a lecturer's screen
MOST_ITEMS = 40
FEWEST_ITEMS = 2
MOST_STUDENTS = 60  # a class of forty, and some phones that joined twice
# characters
LONGEST_ITEM = 60
LONGEST_NAME = 20
LONGEST_TITLE = 60
STARS = range(1, 6)
THUMBS = range(2)
SCALES = {
    "1 to 5 stars": STARS,
    "1 to 7": range(1, 8),
    "0 to 10": range(11),
    "Thumbs: 0 down, 1 up": THUMBS,
}


class RoomError(Exception):
    """What a visitor asks of a room is not possible; the message is one sentence for the
    visitor."""


def rating_label(scale: range, value: int) -> str:
    if scale == THUMBS:
        return "👍 1" if value else "👎 0"
    return f"{value} ★" if scale == STARS else str(value)


@dataclass(frozen=True)
class Student:
    """Somebody in the room; ``expected`` are the model's estimates without the student's own rating
    of the item, empty before the reveal."""

    name: str  # the nickname, unique in the room
    ratings: Mapping[int, int] = field(default_factory=dict)  # by the item's id
    expected: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Room:
    """A room; students, in the order in which they joined, are keyed by the digest of the secret in
    their address."""

    title: str
    scale: range  # the possible ratings, the lowest first
    items: Mapping[int, str]  # the things to rate
    lecturer: str  # digest of the lecturer's secret
    opener: str = ""  # digest of the address from which the room was opened
    students: Mapping[str, Student] = field(default_factory=dict)
    phase: str = OPEN  # or RATING_NOW, or REVEALED
    door: bool = True  # whether more students may join
    came: int = 0  # number of students who ever joined

    @classmethod
    def new(
        cls, title: str, names: Iterable[str], scale: range, lecturer: str, opener: str = ""
    ) -> Room:
        """Opens a room; ``RoomError`` if there are too few or too many items, or a name is too long
        or not unique."""
        items = [name for name in map(tidy, names) if is_visible(name)]
        for name in items:
            if len(name) > LONGEST_ITEM:
                raise RoomError(
                    f"“{name[:30]}…” is longer than {LONGEST_ITEM} characters. Please shorten it."
                )
            if items.count(name) > 1:
                raise RoomError(f"“{name}” is on the list twice. Please remove one of them.")
        if not FEWEST_ITEMS <= len(items) <= MOST_ITEMS:
            raise RoomError(
                f"A room needs {FEWEST_ITEMS} to {MOST_ITEMS} things to rate, one per line; this "
                f"list has {len(items)}."
            )
        return cls(
            tidy(title)[:LONGEST_TITLE] or "Our ratings",
            scale,
            dict(enumerate(items)),
            lecturer,
            opener,
        )

    @property
    def n_ratings(self) -> int:
        return sum(len(student.ratings) for student in self.students.values())

    def join(self, id: str, name: str = "") -> Room:
        """Adds a student. A nickname that is taken gets a number; without one the student becomes
        "Student 7"."""
        if self.phase == REVEALED:
            raise RoomError("This room has revealed its ratings; nobody can join any more.")
        if not self.door:
            raise RoomError(
                "The lecturer has closed the door of this room; nobody can join any more."
            )
        if len(self.students) >= MOST_STUDENTS:
            raise RoomError(f"This room is full; it holds {MOST_STUDENTS} students.")
        name = tidy(name)[:LONGEST_NAME].strip()
        student = Student(self._unique(name if is_visible(name) else f"Student {self.came + 1}"))
        return replace(self._with(id, student), came=self.came + 1)

    def rate(self, id: str, item: int, value: int | None) -> Room:
        """Sets a student's rating of an item; None takes it back."""
        if id not in self.students:
            raise RoomError("You are not in this room any more.")
        if self.phase != RATING_NOW:
            raise RoomError("This room does not take ratings now.")
        if item not in self.items:
            raise RoomError("The lecturer has taken this off the list.")
        if value is not None and value not in self.scale:
            raise RoomError(
                f"A rating here is a whole number from {self.scale[0]} to {self.scale[-1]}."
            )
        student = self.students[id]
        ratings = (
            _without(student.ratings, item) if value is None else {**student.ratings, item: value}
        )
        return self._with(id, replace(student, ratings=ratings))

    def start(self) -> Room:
        """Starts the rating, or starts it again after a reveal, whose estimates are deleted."""
        return replace(self.reveal({}), phase=RATING_NOW)

    def reveal(self, expected: Mapping[str, Mapping[int, float]]) -> Room:
        """Shows students the model's estimates: student's id -> item's id -> estimate."""
        students = {
            id: replace(student, expected=expected.get(id, {}))
            for id, student in self.students.items()
        }
        return replace(self, phase=REVEALED, students=students)

    def without_student(self, id: str) -> Room:
        return replace(self, students=_without(self.students, id))

    def with_student_back(self, id: str, student: Student) -> Room:
        """Restores a removed student, with the ratings of what is still on the list."""
        ratings = {item: value for item, value in student.ratings.items() if item in self.items}
        return self._with(id, replace(student, name=self._unique(student.name), ratings=ratings))

    def without_item(self, item: int) -> Room:
        if len(self.items) <= FEWEST_ITEMS:
            raise RoomError(f"A room needs at least {FEWEST_ITEMS} things to rate.")
        students = {
            id: Student(
                student.name, _without(student.ratings, item), _without(student.expected, item)
            )
            for id, student in self.students.items()
        }
        return replace(self, items=_without(self.items, item), students=students)

    def without_rating(self, id: str, item: int) -> Room:
        """Removes one rating, unless the student is gone."""
        student = self.students.get(id)
        return (
            self
            if student is None
            else self._with(id, replace(student, ratings=_without(student.ratings, item)))
        )

    def to_text(self) -> str:
        """Returns the room for a store outside this process: its format, and JSON with lists in
        place of dictionaries, whose keys would become texts."""
        students = [
            [id, student.name, [*student.ratings.items()], [*student.expected.items()]]
            for id, student in self.students.items()
        ]
        scale = [self.scale.start, self.scale.stop]
        items = [*self.items.items()]
        return f"{_format()}\n{json.dumps(vars(self) | {'scale': scale, 'items': items, 'students': students})}"

    @classmethod
    def from_text(cls, text: str | None) -> Room | None:
        """Returns the room that ``to_text`` wrote; None without one, or if another version of the
        program wrote it."""
        form, _, text = (text or "").partition("\n")
        if form != _format():
            return None
        values = json.loads(text)
        students = {
            id: Student(name, dict(given), dict(e)) for id, name, given, e in values["students"]
        }
        values |= {
            "scale": range(*values["scale"]),
            "items": dict(values["items"]),
            "students": students,
        }
        return cls(**values)

    def _with(self, id: str, student: Student) -> Room:
        return replace(self, students={**self.students, id: student})

    def _unique(self, name: str) -> str:
        """The nickname, with a number behind it if another student has it."""
        taken = {student.name for student in self.students.values()}
        number = 2
        new = name
        while new in taken:
            new = f"{name} {number}"
            number = number + 1
        return new


def _without(values: Mapping[Any, Any], key: Any) -> dict[Any, Any]:
    return {other: value for other, value in values.items() if other != key}


def _format() -> str:
    """Names and types of all fields: a version of the program with others does not read the
    text."""
    return "; ".join(f"{f.name}: {f.type}" for kind in (Room, Student) for f in fields(kind))


# -- names that strangers type
# ----------------------------------------------------------------------------------------

_MOST_MARKS = 2  # accents on one letter: what languages need
_DROPPED = (
    "Cc",
    "Cf",
    "Cs",
    "Co",
    "Cn",
)  # controls, directions, halves of characters, and unassigned ones
_LONGEST_READ = 4000  # characters


def tidy(text: str) -> str:
    """Returns the text on one line, without control characters, changes of direction and towers of
    accents."""
    kept = ""
    marks = 0
    for character in unicodedata.normalize("NFC", text[:_LONGEST_READ]):
        kind = unicodedata.category(character)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if marks <= _MOST_MARKS and (character.isspace() or kind not in _DROPPED):
            kept += character
    return " ".join(kept.split())


def is_visible(name: str) -> bool:
    """Whether anything of a tidy name can be seen, unlike accents alone and the blank letters of
    Hangul."""
    return any(
        unicodedata.category(c)[0] in "LNPS" and c not in "\u115f\u1160\u3164\uffa0\u2800"
        for c in name
    )

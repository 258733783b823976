"""A room as an immutable value: what is rated, who is in it, what was rated. Every change makes a new value.

The phases are open (students come in and wait) -> rating -> revealed -> closed; from revealed a lecturer may go back to
rating, and a room can be closed at any time. Closing empties it. Nothing here knows of stores, clocks or Streamlit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from metamf.webapp.rooms.names import distinct, is_there, tidy

OPEN, RATING_NOW, REVEALED, CLOSED = "open", "rating", "revealed", "closed"
PHASES = (OPEN, RATING_NOW, REVEALED, CLOSED)
_MOVES = {(OPEN, RATING_NOW), (RATING_NOW, REVEALED), (REVEALED, RATING_NOW), *((phase, CLOSED) for phase in PHASES)}
MOST_ITEMS, FEWEST_ITEMS = 40, 2  # forty fit on a lecturer's screen
MOST_STUDENTS = 60  # a class of forty, and some phones that came in twice
LONGEST_ITEM, LONGEST_NAME, LONGEST_TITLE = 60, 20, 60  # characters
LONGEST_SCALE = 11  # values, 0 to 10: what a phone has room for


class RoomError(Exception):
    """A visitor's request to a room is not possible; the message is one sentence for the visitor."""


@dataclass(frozen=True)
class Scale:
    """Whole numbers from ``low`` to ``high``.

    Raises
    ------
    RoomError
        if there are not 2 to ``LONGEST_SCALE`` of them.
    """

    low: int
    high: int

    def __post_init__(self) -> None:
        if not 2 <= self.high - self.low + 1 <= LONGEST_SCALE:
            raise RoomError(
                f"a scale in a room has 2 to {LONGEST_SCALE} values, and {self.low} to {self.high} does not."
            )

    @property
    def values(self) -> tuple[int, ...]:
        """All ratings that can be given, the lowest first."""
        return tuple(range(self.low, self.high + 1))


@dataclass(frozen=True)
class Item:
    """A thing that is rated; ``id`` is never given again in its room."""

    id: int
    name: str


@dataclass(frozen=True)
class Student:
    """Somebody in the room.

    Attributes
    ----------
    id : digest of the secret in the student's own address
    name : the nickname; no two in a room are alike
    ratings : item's id -> rating
    expected : item's id -> what the model expects, without the student's own rating of that item; empty before the
        reveal
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
    title : name of the class's subject
    scale : the ratings that can be given
    items : names of the rated things
    lecturer : digest of the lecturer's secret
    students : students in it, in the order of coming
    phase : one of ``PHASES``
    door : whether more students may come in
    came : number of students who ever came in
    version : number that grows by one with every change
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
        """A room that has just been opened.

        Raises
        ------
        RoomError
            if there are too few or too many items, two have the same name, or a name is too long.
        """
        items = [name for name in map(tidy, names) if is_there(name)]
        for name in items:
            if len(name) > LONGEST_ITEM:
                raise RoomError(f"“{name[:30]}…” is longer than {LONGEST_ITEM} characters: shorten it.")
        if len(items) > len(set(items)):
            twice = next(name for name in items if items.count(name) > 1)
            raise RoomError(f"“{twice}” stands on the list twice: take one out.")
        if not FEWEST_ITEMS <= len(items) <= MOST_ITEMS:
            raise RoomError(
                f"A room has {FEWEST_ITEMS} to {MOST_ITEMS} things to rate, one per line; this has {len(items)}."
            )
        return cls(
            tidy(title)[:LONGEST_TITLE] or "Our ratings", scale, tuple(map(Item, range(len(items)), items)), lecturer
        )

    # -- what is asked --------------------------------------------------------------------------------------------

    def student(self, id: str) -> Student | None:
        """The student of that id, if in the room."""
        return next((student for student in self.students if student.id == id), None)

    @property
    def n_ratings(self) -> int:
        """Number of given ratings."""
        return sum(len(student.ratings) for student in self.students)

    # -- what students do -----------------------------------------------------------------------------------------

    def join(self, id: str, name: str = "") -> Room:
        """The room with one more student; a nickname that is taken gets a number, and without one it is "Student 7".

        Who is in the room already stays as they are: nobody is in it twice by a reload.
        """
        if self.student(id) is not None:
            return self
        if self.phase not in (OPEN, RATING_NOW):
            raise RoomError("The ratings of this room are revealed already: nobody can come in any more.")
        if not self.door:
            raise RoomError("The lecturer has closed the door of this room: nobody can come in any more.")
        if len(self.students) >= MOST_STUDENTS:
            raise RoomError(f"This room is full: it holds {MOST_STUDENTS} students.")
        name = tidy(name)[:LONGEST_NAME].strip()
        name = name if is_there(name) else f"Student {self.came + 1}"
        name = distinct(name, {student.name for student in self.students})
        return self._changed(students=(*self.students, Student(id, name)), came=self.came + 1)

    def rate(self, id: str, item: int, value: int | None) -> Room:
        """The room with a student's rating of an item; None takes it back."""
        student = self.student(id)
        if student is None:
            raise RoomError("You are not in this room any more.")
        if self.phase != RATING_NOW:
            raise RoomError("Ratings are not taken now.")
        if all(item != other.id for other in self.items):
            raise RoomError("This was taken off the list.")
        if value is not None and value not in self.scale.values:
            raise RoomError(f"A rating here is a whole number from {self.scale.low} to {self.scale.high}.")
        if student.ratings.get(item) == value:
            return self
        kept = {other: given for other, given in student.ratings.items() if other != item}
        return self._with(replace(student, ratings=kept if value is None else {**kept, item: value}))

    # -- what the lecturer does -----------------------------------------------------------------------------------

    def start(self) -> Room:
        """Ratings are taken from now on; of revealed ones, again: what the model expected is forgotten."""
        students = tuple(replace(student, expected={}) for student in self.students)
        return self._moved(RATING_NOW, students=students)

    def reveal(self, expected: Mapping[str, Mapping[int, float]]) -> Room:
        """Students see what the model expects of them: student's id -> item's id -> expected rating."""
        students = tuple(replace(student, expected=dict(expected.get(student.id, {}))) for student in self.students)
        return self._moved(REVEALED, students=students)

    def close(self) -> Room:
        """An empty room that nobody can do anything in."""
        return self._moved(CLOSED, students=(), items=(), title="", lecturer="", door=False)

    def set_door(self, door: bool) -> Room:
        """Whether more students may come in."""
        return self._changed(door=door)

    def without_student(self, id: str) -> Room:
        """The room without a student and all that the student rated."""
        return self._changed(students=tuple(student for student in self.students if student.id != id))

    def with_student_back(self, student: Student) -> Room:
        """The room with a student that was removed, as the student was then."""
        ids = {item.id for item in self.items}
        name = distinct(student.name, {other.name for other in self.students})
        kept = {item: value for item, value in student.ratings.items() if item in ids}
        back = replace(student, name=name, ratings=kept)
        if self.student(student.id) is not None or len(self.students) >= MOST_STUDENTS:
            return self
        return self._changed(students=(*self.students, back))

    def without_item(self, item: int) -> Room:
        """The room without a thing and all its ratings."""
        if len(self.items) <= FEWEST_ITEMS:
            raise RoomError(f"A room has at least {FEWEST_ITEMS} things to rate.")
        students = tuple(
            replace(student, ratings=_without(student.ratings, item), expected=_without(student.expected, item))
            for student in self.students
        )
        return self._changed(items=tuple(other for other in self.items if other.id != item), students=students)

    def without_rating(self, id: str, item: int) -> Room:
        """The room without one rating."""
        student = self.student(id)
        return self if student is None else self._with(replace(student, ratings=_without(student.ratings, item)))

    def with_lecturer(self, digest: str) -> Room:
        """The room with another secret of the lecturer: the address of before opens nothing any more."""
        return self._changed(lecturer=digest)

    # -- as JSON --------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """The room as JSON values, for a store outside this process."""
        students = [
            {"id": s.id, "name": s.name, "ratings": [*s.ratings.items()], "expected": [*s.expected.items()]}
            for s in self.students
        ]
        return vars(self) | {
            "scale": [self.scale.low, self.scale.high],
            "items": [[item.id, item.name] for item in self.items],
            "students": students,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Room:
        """The room of which ``to_json`` made ``values``."""
        students = tuple(
            Student(
                s["id"],
                s["name"],
                {int(i): int(v) for i, v in s["ratings"]},
                {int(i): float(v) for i, v in s["expected"]},
            )
            for s in values["students"]
        )
        return cls(
            **dict(values)
            | {
                "scale": Scale(*values["scale"]),
                "items": tuple(Item(*item) for item in values["items"]),
                "students": students,
            }
        )

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

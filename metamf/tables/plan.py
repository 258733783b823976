"""A plan: how a file is read, as a value that is complete, small and editable.

``metamf.tables.propose`` makes one from the bytes of a file, and ``metamf.tables.apply`` reads the
file by it. A plan is JSON, the same for the page, the command and Python. Each decision has a
margin, the bits by which it won over the next one; what has a small margin, or what only a person
can know, is amber. A person changes a plan in a little language, by ``plan.edited("cyl: fill")``,
``--column "cyl: fill"``, or a click:

    NAME: fill | NAME: keep | NAME: name
    NAME: missing TEXT | NAME: number TEXT   count TEXT as missing; it is a number like any other
    NAME: order low<mid<high                 words in this order; equal ones are written a=b
    NAME: scale 1 to 7 [step 0.5]            limits of the column's group, or of the column
    NAME: as CODE                            another code
    line 12: skip | line 12: keep            a line of the file is no row; it is one
    header: 2    form: wide    form: long ROW+ROW,COLUMN,VALUE    sheet: NAME
    encoding: cp1252    delimiter: ;    decimal: ,    thousands: .
    all: proposed                            back to what was proposed
    all: scale 1 to 7                        a change of all columns to fill

NAME is the name of a column, or its number, counted from 1. Where a name is a number or has a
colon, the name wins; the name in quotation marks serves, too. After an edit of the last three lines
the rest is proposed anew from the file: ``propose(data, edits=(*plan.edits, "header: 2"))``.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from metamf.tables.limits import TableError
from metamf.wording import first_few, shown

NAME, FILL, KEEP = "name", "fill", "keep"
ROLES = (NAME, FILL, KEEP)
WIDE, LONG = "wide", "long"
VERSION = 1  # of the JSON
MIRROR = "One half of the table is empty, the mirror of the other: copy it"  # amber of a triangle
ANEW = ("header", "form", "sheet", "encoding", "delimiter", "decimal", "thousands", "all")
_NUMBER = r"[+\-\u2212]?\d+(?:\.\d+)?"
_SCALE = re.compile(rf"({_NUMBER})\s+to\s+({_NUMBER})(?:\s+step\s+(\d*\.?\d+))?")
_VERBS = ("missing", "number", "order", "scale", "as")


@dataclass(frozen=True)
class Source:
    """Kind of a file and how its cells are told apart. What does not apply to the kind is None or
    ''."""

    kind: str = "text"  # 'text', 'xlsx', 'xls', 'ods', 'parquet', 'feather', 'stata', 'spss', 'npy'
    sheet: str | None = None  # of a workbook
    sheets: tuple[str, ...] = ()  # all of them
    encoding: str | None = None  # of a text
    delimiter: str | None = None  # of a text
    quotes: bool = True  # whether quotation marks enclose cells, or are ordinary characters
    escaped: bool = False  # whether a backslash, not a second quotation mark, escapes one
    decimal: str = "."  # one sign, or two of which the first is written
    thousands: str = ""  # '' if there is none; ' ' stands for every kind of space


@dataclass(frozen=True)
class Column:
    """What is done with one column of the file.

    name: unique in the plan; 'q4 (2)' for the second column of that name
    role: 'name' (names the rows), 'fill' (its gaps are filled) or 'keep' (written back as it is)
    code: how its cells stand for numbers, a key of ``metamf.tables.codes``; '' where they do not
    group: position in ``Plan.groups`` of the scale that it shares; None if it has its own limits
    missing: texts that a person counts as missing; these cells are overwritten
    doubtful: texts that stay as they are and teach nothing, such as -99 among 1 to 5
    numbers: texts in which a person counts the number inside, such as '<5'
    low, high: limits of the estimates of a column without a group; None where nothing is known
    why: reason for the role, as a clause
    margin: bits by which the role and the code won over the next ones
    """

    name: str
    role: str = KEEP
    code: str = ""
    group: int | None = None
    missing: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    why: str = ""
    margin: float = 0.0


@dataclass(frozen=True)
class Group:
    """The scale that some columns share, in rating units. ``guessed``: it is what was observed, not
    what was said."""

    low: float
    high: float
    step: float | None = None
    guessed: bool = True

    def __str__(self) -> str:
        """'1 to 7 in steps of 0.5'"""
        steps = f" in steps of {self.step:g}" if self.step not in (None, 1.0) else ""
        return f"{self.low:g} to {self.high:g}{steps}"


@dataclass(frozen=True)
class Line:
    """A line of the file, counted from 1, that is no row of the table: it stays as it is and
    teaches nothing."""

    line: int
    why: str
    margin: float = 0.0


@dataclass(frozen=True)
class Choice:
    """One click on something amber: its label, the edit that it makes, and how many given cells are
    overwritten."""

    label: str
    edit: str
    cells: int = 0


@dataclass(frozen=True)
class Amber:
    """Something that a person should look at: the position of a column, or a line of the file, or
    neither; what is odd, as a sentence; what may be done, the likeliest first; the margin in
    bits."""

    sentence: str
    column: int | None = None
    line: int | None = None
    edits: tuple[Choice, ...] = ()
    margin: float = 0.0


@dataclass(frozen=True)
class Plan:
    """How a file is read.

    header: lines of the file up to the last one with names; 0 without a header
    form: 'wide', a line for each row, or 'long', a line for each cell
    keys: positions of the columns that name rows; of a long table of its rows, columns and values
    columns: all columns of the file, in its order
    groups: scales that columns share
    skipped: lines below the header that are no rows
    amber: what one should look at, most uncertain first
    edits: changes that a person has made to what was proposed, in order
    """

    source: Source
    header: int
    form: str
    keys: tuple[int, ...]
    columns: tuple[Column, ...]
    groups: tuple[Group, ...] = ()
    skipped: tuple[Line, ...] = ()
    amber: tuple[Amber, ...] = ()
    edits: tuple[str, ...] = ()

    @property
    def has_own_units(self) -> bool:
        """Whether a column to fill shares its scale with no other."""
        fills = self.of(FILL) if self.form != LONG else ()
        return any(self.columns[j].group is None for j in fills)

    def of(self, role: str) -> tuple[int, ...]:
        """Positions of the columns with a role."""
        return tuple(j for j, column in enumerate(self.columns) if column.role == role)

    def edited(self, *edits: str) -> Plan:
        """Returns the plan with some changes; what was amber where they are is settled.

        TableError if an edit names nothing known, or is one after which the rest is proposed anew.
        """
        plan = self
        for text in edits:
            edit = parsed(text, plan)
            if edit.anew:
                raise TableError(
                    f"after the edit {text!r} the rest is proposed anew, which needs the file: "
                    "propose(data, edits=(*plan.edits, edit))"
                )
            at = plan.of(FILL) if edit.every else (edit.column,)
            edits = (*plan.edits, text)
            for j in at:
                plan = applied(plan, replace(edit, column=j))
            plan = replace(plan, edits=edits)
        return plan

    def to_json(self, **about: Any) -> str:
        """The plan as JSON, which ``from_json`` reads; ``about`` says what made it, and is not
        read."""
        first = {"version": VERSION} | ({"about": about} if about else {})
        return json.dumps(first | asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """The plan that ``to_json`` wrote; TableError if the text is none."""
        try:
            found = json.loads(text)
            found.pop("about", None)
            if found.pop("version") != VERSION:
                raise ValueError(f"its version is not {VERSION}")
            plan = _made(cls, found)
            plan.check()
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise TableError(f"this is not a plan: {error}") from error
        return plan

    def check(self) -> None:
        """Raises ValueError if roles, groups or keys are not those of a plan."""
        n = len(self.columns)
        if self.form not in (WIDE, LONG):
            raise ValueError(f"the form {self.form!r} is neither wide nor long")
        if any(column.role not in ROLES for column in self.columns):
            raise ValueError("a role is not one of name, fill, keep")
        if any(not 0 <= j < n for j in self.keys):
            raise ValueError("a key is not the position of a column")
        if any(c.group is not None and not 0 <= c.group < len(self.groups) for c in self.columns):
            raise ValueError("a group of a column is not the position of a group")
        if len({column.name for column in self.columns}) < n:
            raise ValueError("two columns have the same name")

    def with_column(self, j: int, **changes: Any) -> Plan:
        """The plan in which column ``j`` is another."""
        column = replace(self.columns[j], **changes)
        return replace(self, columns=(*self.columns[:j], column, *self.columns[j + 1 :]))


_PARTS: dict[type, dict[str, type]] = {
    Plan: {"source": Source, "columns": Column, "groups": Group, "skipped": Line, "amber": Amber},
    Amber: {"edits": Choice},
}


def _made(of: type, entry: dict[str, Any]) -> Any:
    """A dataclass from its JSON."""

    def value(name: str, found: Any) -> Any:
        if isinstance(found, list):
            return tuple(value(name, one) for one in found)
        part = _PARTS.get(of, {}).get(name)
        return found if part is None else _made(part, found)

    return of(**{name: value(name, found) for name, found in entry.items()})


@dataclass(frozen=True)
class Edit:
    """One change: of a column (its position), of a line of the file, or, with neither, of the
    whole."""

    verb: str
    text: str = ""
    column: int | None = None
    line: int | None = None

    @property
    def every(self) -> bool:
        """Whether all columns to fill are changed."""
        return self.column is None and self.line is None and not self.anew

    @property
    def anew(self) -> bool:
        """Whether the rest of the plan is proposed anew."""
        return self.verb in ANEW


def parsed(edit: str, plan: Plan) -> Edit:
    """The change that a text means for a plan; TableError if it names nothing known."""
    every, colon, rest = edit.partition(":")
    every = every.strip()
    named = _columns_named(edit, plan) + ([(None, rest.strip())] if every == "all" else [])
    for j, change in named:
        verb, _, text = change.partition(" ")
        if change in ROLES or verb in _VERBS and text.strip():
            return Edit(verb, text.strip(), column=j)
    if line := re.fullmatch(r"line\s+(\d+)\s*:\s*(skip|keep)", edit.strip()):
        return Edit(line[2], line=int(line[1]))
    if colon and every in ANEW:
        return Edit(every, rest.strip())
    raise TableError(
        f"the edit {edit!r} names nothing known: write COLUMN: fill, keep, name, missing TEXT, "
        "number TEXT, order low<high, scale 1 to 5 or as CODE; line 12: skip or keep; or one of "
        f"{', '.join(ANEW)}. The columns are {_names(plan)}"
    )


def _names(plan: Plan) -> str:
    return first_few([shown(column.name) for column in plan.columns], 12)


def _columns_named(edit: str, plan: Plan) -> list[tuple[int | None, str]]:
    """Positions of the columns that an edit may be about, and what follows: names first, the
    longest first."""
    found = [
        (len(column.name), j, edit[len(called) :])
        for j, column in enumerate(plan.columns)
        for called in (column.name, f'"{column.name}"')
        if edit.startswith(called)
    ]
    number = re.match(r"\s*(\d+)\s*(?=:)", edit)
    if number and 0 < int(number[1]) <= len(plan.columns):
        found.append((0, int(number[1]) - 1, edit[number.end() :]))
    found.sort(reverse=True)
    rests = [(j, rest.strip()) for _, j, rest in found]
    return [(j, rest[1:].strip()) for j, rest in rests if rest.startswith(":")]


def column_named(name: str, plan: Plan) -> int:
    """The position of the column of a name, in quotation marks or not, or of a number; TableError
    if there is none."""
    for j, _ in _columns_named(f"{name.strip()}:", plan):
        return cast(int, j)
    raise TableError(
        f"the table has no column {shown(name.strip())}; its columns are {_names(plan)}"
    )


def applied(plan: Plan, edit: Edit) -> Plan:
    """The plan after a change of a column or a line; what was amber there is settled."""
    if edit.line is not None:
        amber = tuple(a for a in plan.amber if a.line != edit.line)
        lines = {line.line: line for line in plan.skipped if line.line != edit.line}
        if edit.verb == "skip":
            lines[edit.line] = Line(edit.line, "you said so")
        return replace(plan, skipped=tuple(lines[n] for n in sorted(lines)), amber=amber)
    j = cast(int, edit.column)
    column = plan.columns[j]
    plan = replace(plan, amber=tuple(a for a in plan.amber if a.column != j))
    if edit.verb in ("missing", "number"):
        texts = {
            name: tuple(text for text in getattr(column, name) if text != edit.text)
            for name in ("missing", "doubtful", "numbers")
        }
        texts["missing" if edit.verb == "missing" else "numbers"] += (edit.text,)
        return plan.with_column(j, **texts)
    if edit.verb == "scale":
        return _with_scale(plan, j, edit.text)
    if edit.verb in ROLES:
        return _with_role(plan, j, edit.verb)
    code = f"words {edit.text}" if edit.verb == "order" else edit.text
    return _with_role(plan.with_column(j, code=code), j, FILL)


def _with_role(plan: Plan, j: int, role: str) -> Plan:
    """The plan in which column ``j`` has a role; of a long table the value is the only one that is
    filled."""
    changed = plan.with_column(j, role=role, why="you said so")
    if plan.form != LONG:
        return replace(changed, keys=changed.of(NAME))
    *rows, column, value = plan.keys
    name = shown(plan.columns[j].name)
    if role == KEEP and j in plan.keys and (j in (column, value) or len(rows) == 1):
        raise TableError(
            f"{name} is needed by a long table: write form: wide, or form: long ROW,COLUMN,VALUE"
        )
    if role == FILL and j in (*rows, column):
        raise TableError(f"{name} names rows or columns of a long table")
    if role == FILL and j != value:
        changed = changed.with_column(value, role=KEEP, why="another column has the values")
        value = j
    rows = [r for r in rows if r != j]
    if role == NAME and j not in (column, value):
        rows.append(j)
    return replace(changed, keys=(*rows, column, value))


def _with_scale(plan: Plan, j: int, text: str) -> Plan:
    """The plan in which the group of column ``j``, or the column alone, has a scale that a person
    gave."""
    match = _SCALE.fullmatch(text)
    if match is None:
        raise TableError(f"a scale is written as 1 to 7 or 1 to 7 step 0.5, not {text!r}")
    low, high = (float(end.replace("\u2212", "-")) for end in match.groups()[:2])
    if not low < high:
        raise TableError(f"the scale {text!r} ends below where it begins")
    groups = list(plan.groups)
    at = plan.columns[j].group
    if at is None:
        at = len(groups)
    groups[at : at + 1] = [Group(low, high, float(match[3]) if match[3] else None, guessed=False)]
    return replace(plan.with_column(j, group=at), groups=tuple(groups))

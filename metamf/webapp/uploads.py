"""Visitors' files: the file, the fields in which a visitor corrects how it is read, and the table in it.

The fields of a page have keys in the session that begin with its own prefix. Each starts as a guess, which it names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import streamlit as st

from metamf.files import sha256_of
from metamf.tables.limits import Limits, TableError
from metamf.tables.options import DELIMITERS, ENCODINGS, ReadOptions
from metamf.webapp import look, waiting
from metamf.wording import name_of, size_of

if TYPE_CHECKING:
    from metamf.tables.table import Table, TableReport

GUESS = "guess"
SMALL = 50_000  # bytes of a text file that is read in the page; everything else is read by the engine
_REFUSED = "table_refused"  # in the session: the latest table that was refused, and why; gone with Your table's file
GUESSED = (  # names in ``ReadOptions`` of what is guessed unless the visitor sets it
    *("form", "delimiter", "decimal", "thousands", "encoding", "header"),
    *("row_labels", "row_column", "column_column", "value_column", "sheet"),
)
ROLES = ("names", "ratings", "leave_alone", "leave_rows", "keep_rows", "words")  # in ``ReadOptions``: tuples
FIELD_STARTS: dict[str, Any] = (
    dict.fromkeys(GUESSED, GUESS) | {"markers": "", "zero": False, "duplicates": "refuse"} | dict.fromkeys(ROLES, ())
)

_SIGNS = {"": "none", ".": "point", ",": "comma", " ": "space", "'": "apostrophe"}
_YES_NO = {True: "yes", False: "no"}
_PLACES = {"row_column": "Rows are in", "column_column": "Columns are in", "value_column": "Ratings are in"}

Statements = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Upload:
    """A visitor's file."""

    name: str
    content: bytes = field(repr=False)

    @cached_property
    def size(self) -> str:
        """The size of the content in words, such as '26 bytes'."""
        return size_of(self.content)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content: everything that was computed from it is kept under that key."""
        return sha256_of(self.content)


def statements(prefix: str) -> Statements:
    """(name, value) of each field that the visitor changed."""
    values = ((name, st.session_state.get(prefix + name, start), start) for name, start in FIELD_STARTS.items())
    return tuple((name, value) for name, value, start in values if value != start)


def copy_statements(source: str, target: str) -> None:
    """Copies the fields of one page to another, by their prefixes."""
    st.session_state.update(
        {target + name: st.session_state.get(source + name, FIELD_STARTS[name]) for name in FIELD_STARTS}
    )


def forget_roles(prefix: str) -> None:
    """Forgets the statements about columns and rows of the file before."""
    for name in (*GUESSED, *ROLES):
        st.session_state.pop(prefix + name, None)


def markers(text: str) -> list[str]:
    """The texts that mean "missing", from a field that separates them by semicolons."""
    return [marker for part in text.split(";") if (marker := part.strip())]


def stated_options(about: Statements, limits: Limits) -> ReadOptions:
    """The options that the statements ask for; raises ``TableError`` if they contradict each other."""
    values = FIELD_STARTS | dict(about)
    return ReadOptions(
        **{name: values[name] for name in GUESSED if values[name] != GUESS},
        missing_markers=tuple(markers(values["markers"])),
        zero_is_missing=values["zero"],
        duplicates=values["duplicates"],
        **{name: values[name] for name in ROLES},
        limits=limits,
    )


def read_upload(upload: Upload, about: Statements, limits: Limits) -> Table:
    """The table in a visitor's file; a worker reads all that is not a small text file.

    Raises ``TableError``, with one sentence for the visitor, for a file that cannot be read with the statements
    ``about`` it. It is not read again before they change. Raises ``EngineError`` if the visitor stopped it, or it took
    too long or too much memory.
    """
    from metamf.tables.read import read_table  # with pandas, which a page without an upload does without

    asked = (upload.digest, upload.name, about, limits)
    before, error = st.session_state.get(_REFUSED, (None, None))
    if before == asked:
        raise _same(error)
    try:
        arguments = upload.content, upload.name, stated_options(about, limits)
        if len(upload.content) <= SMALL and b"\0" not in upload.content and upload.content[:2] != b"\x1f\x8b":
            return read_table(*arguments)
        return waiting.compute(("reading", asked), read_table, *arguments)
    except TableError as error:
        st.session_state[_REFUSED] = asked, _same(error)
        raise


def _same(error: TableError) -> TableError:
    """The same error without the frames in which it was raised, which hold all that was read by then."""
    same = TableError(*error.args)
    vars(same).update(vars(error))
    return same


def markers_field(prefix: str) -> None:
    """Draws the field for what else means missing."""
    st.text_input(
        "Also missing",
        key=f"{prefix}markers",
        persist_state="session",
        placeholder="99; n/a",
        help="Texts or numbers that mean “not rated”, separated by semicolons",
    )


def duplicates_field(prefix: str) -> None:
    """Draws the field for what becomes of a cell that is given twice."""
    st.selectbox(
        "A cell given twice",
        ["refuse", "mean", "last", "first"],
        key=f"{prefix}duplicates",
        persist_state="session",
        help="Whether the file is refused, or which of the values is taken",
    )


def guesses(report: TableReport) -> dict[str, Any]:
    """The guesses by the names of the fields, used where the visitor said nothing."""
    places = dict(zip(_PLACES, report.layout.columns or ()))
    return places | {name: report.guess(name) for name in GUESSED if name not in _PLACES}


def corrections(prefix: str, guessed: dict[str, Any], columns: Sequence[str], sheets: Sequence[str]) -> None:
    """Draws the fields, whose keys begin with ``prefix``, for the file's columns and the workbook's sheets.

    ``guessed`` is the result of ``guesses``, or empty where the file could not be read.
    """
    look.panel("Correct it", "whatever was guessed wrong")
    free: list[Any] = []

    def place() -> Any:
        """The place of the next field, two side by side."""
        if not free:
            free.extend(st.columns(2, vertical_alignment="bottom"))
        return free.pop(0)

    def choice(name: str, label: str, options: Sequence, words: Callable = str) -> None:
        """Draws the field of an option of ``ReadOptions`` that is guessed unless the visitor sets it."""
        chosen, guess = st.session_state.get(prefix + name, GUESS), guessed.get(name)
        options = [GUESS, *options]
        if chosen not in options:
            options.append(chosen)  # chosen when the file was read in another way
        start = f"{GUESS}ed: {words(guess)}" if chosen == GUESS and guess is not None else GUESS
        place().selectbox(
            label,
            options,
            key=prefix + name,
            persist_state="session",
            format_func=lambda value: start if value == GUESS else words(value),
        )

    with place():
        duplicates_field(prefix)
    with place():
        markers_field(prefix)
    choice("form", "Form", ["wide", "long"])
    choice("header", "First line has names", [True, False], _YES_NO.get)
    form = st.session_state.get(f"{prefix}form", GUESS)
    if (guessed.get("form") if form == GUESS else form) == "long":
        for name, label in _PLACES.items():
            choice(name, label, range(len(columns)), lambda at: numbered_name(columns, at, "column"))
    else:
        choice("row_labels", "First column has names", [True, False], _YES_NO.get)
    if sheets:
        choice("sheet", "Sheet", range(len(sheets)), lambda at: numbered_name(sheets, at, "sheet"))
    elif not guessed or guessed["delimiter"] is not None:
        choice("delimiter", "Delimiter", list(DELIMITERS), DELIMITERS.get)
        choice("encoding", "Encoding", ENCODINGS)
    choice("decimal", "Decimal sign", [".", ","], _SIGNS.get)
    choice("thousands", "Thousands sign", list(_SIGNS), _SIGNS.get)
    place().checkbox("Zero means missing", key=f"{prefix}zero", persist_state="session")
    place().button(
        "Back to what was guessed",
        on_click=guess_again,
        args=(prefix,),
        key=f"{prefix}guess",
        disabled=not statements(prefix),
    )


def guess_again(prefix: str) -> None:
    """Sets all fields back to guesses."""
    for name in FIELD_STARTS:
        st.session_state.pop(prefix + name, None)


def numbered_name(names: Sequence[str], at: int | str, noun: str) -> str:
    """'2: Tea' for position 1, 'column 2' where it has no name; a guess, which is a name already, stays as it is."""
    if isinstance(at, str):
        return at
    return f"{at + 1}: {names[at]}" if at < len(names) and names[at] else name_of(None, at, noun)

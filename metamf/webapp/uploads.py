"""Visitors' files: the file, what the visitor says about its reading, and the table in it; the same for all pages.

A page has fields whose keys in the session begin with a prefix of its own; what they hold is read from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import streamlit as st

from metamf.tables.limits import Limits
from metamf.tables.options import ReadOptions
from metamf.wording import size_of

if TYPE_CHECKING:
    from metamf.tables.table import Table

GUESS = "guess"
GUESSED = (  # the names in ``ReadOptions`` of what is guessed unless the visitor says otherwise
    "form",
    "delimiter",
    "decimal",
    "thousands",
    "encoding",
    "header",
    "row_labels",
    "row_column",
    "column_column",
    "value_column",
    "sheet",
)
ROLES = ("names", "ratings", "leave_alone", "leave_rows", "keep_rows", "words")  # in ``ReadOptions``: tuples
STARTS = (
    dict.fromkeys(GUESSED, GUESS) | {"markers": "", "zero": False, "duplicates": "refuse"} | dict.fromkeys(ROLES, ())
)

Said = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Upload:
    """A visitor's file.

    Attributes
    ----------
    name : its name
    content : its bytes
    """

    name: str
    content: bytes = field(repr=False)

    @cached_property
    def size(self) -> str:
        """The size of the content in words, such as '26 bytes'."""
        return size_of(self.content)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content: what everything is kept under that was computed from it."""
        return hashlib.sha256(self.content).hexdigest()


def said(prefix: str) -> Said:
    """The visitor's statements about the reading: (name, value) of each field that differs from its start."""
    values = ((name, st.session_state.get(prefix + name, start), start) for name, start in STARTS.items())
    return tuple((name, value) for name, value, start in values if value != start)


def markers(text: str) -> list[str]:
    """The texts that mean "missing", from a field that separates them by semicolons."""
    return [marker for part in text.split(";") if (marker := part.strip())]


def read_options(about: Said, limits: Limits) -> ReadOptions:
    """The options that the visitor's words ``about`` the reading ask for.

    Raises
    ------
    TableError
        If they contradict each other.
    """
    values = STARTS | dict(about)
    return ReadOptions(
        **{name: values[name] for name in GUESSED if values[name] != GUESS},
        missing_markers=tuple(markers(values["markers"])),
        zero_is_missing=values["zero"],
        duplicates=values["duplicates"],
        **{name: values[name] for name in ROLES},
        limits=limits,
    )


def read(upload: Upload, about: Said, limits: Limits, progress: Callable[[float], None] | None = None) -> Table:
    """The table in a visitor's file.

    Raises
    ------
    TableError
        If it cannot be read as the visitor says; the message is one sentence for the visitor.
    """
    from metamf.tables.reading.read import read_table  # with pandas, which a page without an upload does without

    return read_table(upload.content, upload.name, read_options(about, limits), progress)


def markers_field(prefix: str) -> None:
    st.text_input(
        "Also missing",
        key=f"{prefix}markers",
        persist_state="session",
        placeholder="99; n/a",
        help="Texts or numbers that mean “not rated”, separated by semicolons",
    )


def duplicates_field(prefix: str) -> None:
    st.selectbox(
        "A cell given twice",
        ["refuse", "mean", "last", "first"],
        key=f"{prefix}duplicates",
        persist_state="session",
        help="Refuse the file, or which value to take",
    )

"""The fields by which a visitor corrects how a file is read; each starts as a guess and says what was guessed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from metamf.tables.options import DELIMITERS, ENCODINGS
from metamf.tables.reading.report import TableReport
from metamf.webapp import look
from metamf.webapp.uploads import GUESS, GUESSED, duplicates_field, markers_field, said
from metamf.webapp.your_table.state import PREFIX, guess_again
from metamf.wording import name_of

_SIGNS = {"": "none", ".": "point", ",": "comma", " ": "space", "'": "apostrophe"}
_YES_NO = {True: "yes", False: "no"}
_PLACES = {"row_column": "Rows are in", "column_column": "Columns are in", "value_column": "Ratings are in"}
_SIDES = 2  # fields side by side; chosen by hand


def guesses(report: TableReport) -> dict[str, Any]:
    """The guesses by the names of the fields, used where the visitor said nothing."""
    places = dict(zip(_PLACES, report.layout.columns or ()))
    return places | {name: report.guess(name) for name in GUESSED if name not in _PLACES}


def corrections(guessed: dict[str, Any], columns: Sequence[str], sheets: Sequence[str]) -> None:
    """Draws the fields.

    Parameters
    ----------
    guessed : the result of ``guesses``; empty where the file could not be read
    columns : names of the file's columns
    sheets : names of the workbook's sheets; empty for other files
    """
    look.panel("Correct it", "whatever was guessed wrong")
    fields = _Fields(guessed)
    with fields.place():
        duplicates_field(PREFIX)
    with fields.place():
        markers_field(PREFIX)
    fields.choice("form", "Form", ["wide", "long"])
    fields.choice("header", "First line has names", [True, False], _YES_NO.get)
    form = st.session_state.get("table_form", GUESS)
    if (guessed.get("form") if form == GUESS else form) == "long":
        for name, label in _PLACES.items():
            fields.choice(name, label, range(len(columns)), lambda at: in_words(columns, at, "column"))
    else:
        fields.choice("row_labels", "First column has names", [True, False], _YES_NO.get)
    if sheets:
        fields.choice("sheet", "Sheet", range(len(sheets)), lambda at: in_words(sheets, at, "sheet"))
    elif not guessed or guessed["delimiter"] is not None:
        fields.choice("delimiter", "Delimiter", list(DELIMITERS), DELIMITERS.get)
        fields.choice("encoding", "Encoding", ENCODINGS)
    fields.choice("decimal", "Decimal sign", [".", ","], _SIGNS.get)
    fields.choice("thousands", "Thousands sign", list(_SIGNS), _SIGNS.get)
    fields.place().checkbox("Zero means missing", key="table_zero", persist_state="session")
    fields.place().button(
        "Back to what was guessed", on_click=guess_again, key="table_guess", disabled=not said(PREFIX)
    )


class _Fields:
    """Fields side by side, line by line."""

    def __init__(self, guessed: dict[str, Any]):
        self._guessed = guessed
        self._free = []

    def place(self):
        """The place of the next field."""
        if not self._free:
            self._free = list(st.columns(_SIDES, vertical_alignment="bottom"))
        return self._free.pop(0)

    def choice(self, name: str, label: str, options: Sequence, words: Callable = str) -> None:
        """Draws the field of an option of ``ReadOptions`` that is guessed unless the visitor says otherwise."""
        chosen = st.session_state.get(f"table_{name}", GUESS)
        options = [GUESS, *options]
        if chosen not in options:
            options.append(chosen)  # the visitor chose it when the file was read in another way
        guessed = self._guessed.get(name)
        known = chosen == GUESS and guessed is not None
        guess = f"{GUESS}ed: {words(guessed)}" if known else GUESS
        self.place().selectbox(
            label,
            options,
            key=f"table_{name}",
            persist_state="session",
            format_func=lambda value: guess if value == GUESS else words(value),
        )


def in_words(names: Sequence[str], at: int | str, noun: str) -> str:
    """The number and name of the column or sheet at a position, counted from 0: '2: Tea', or 'column 2' without a name.

    A guess is a name already, and stays as it is.
    """
    if isinstance(at, str):
        return at
    return f"{at + 1}: {names[at]}" if at < len(names) and names[at] else name_of(None, at, noun)

"""How a file is read, for the visitor to correct: every field starts as a guess and says what was guessed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from metamf.tables import DELIMITERS, ENCODINGS, TableError, TableReport
from metamf.webapp import look
from metamf.webapp.your_table import state as table_state
from metamf.webapp.your_table.state import GUESS

_SIGNS = {"": "none", ".": "point", ",": "comma", " ": "space", "'": "apostrophe"}
_YES_NO = {True: "yes", False: "no"}
_PLACES = (("row_column", "Rows are in"), ("column_column", "Columns are in"), ("value_column", "Ratings are in"))
_SIDES = 2  # fields side by side


def corrections(found: TableReport | TableError) -> None:
    """``found``: how the file was understood, or why it was not."""
    read = found if isinstance(found, TableReport) else None
    guess = (lambda name: None) if read is None else read.guess
    look.panel("Correct it", "whatever was guessed wrong")
    fields = _Fields()
    fields.place().selectbox(
        "A cell given twice",
        ["refuse", "mean", "last", "first"],
        key="table_duplicates",
        persist_state="session",
        help="Refuse the file, or what to take",
    )
    fields.place().text_input(
        "Also missing",
        key="table_markers",
        persist_state="session",
        placeholder="99; n/a",
        help="Texts or numbers that mean “not rated”, separated by semicolons",
    )
    fields.choice("form", "Form", ["wide", "long"], guess("form"))
    fields.choice("header", "First line has names", [True, False], guess("header"), _YES_NO.get)
    said = st.session_state.get("table_form", GUESS)
    if (said if said != GUESS else guess("form")) == "long":
        columns = read.layout.file_columns if read else found.columns
        for k, (name, label) in enumerate(_PLACES):
            guessed = read.layout.columns[k] if read and read.layout.columns else None
            fields.choice(name, label, range(len(columns)), guessed, lambda at: _name(columns, at, "column"))
    else:
        fields.choice("row_labels", "First column has names", [True, False], guess("row_labels"), _YES_NO.get)
    if sheets := read.file.sheets if read else found.sheets:
        fields.choice("sheet", "Sheet", range(len(sheets)), guess("sheet"), lambda at: _name(sheets, at, "sheet"))
    elif read is None or read.file.delimiter is not None:
        fields.choice("delimiter", "Delimiter", list(DELIMITERS), guess("delimiter"), DELIMITERS.get)
        fields.choice("encoding", "Encoding", ENCODINGS, guess("encoding"))
    fields.choice("decimal", "Decimal sign", [".", ","], guess("decimal"), _SIGNS.get)
    fields.choice("thousands", "Thousands sign", list(_SIGNS), guess("thousands"), _SIGNS.get)
    fields.place().checkbox("Zero means missing", key="table_zero", persist_state="session")
    fields.place().button(
        "Back to what was guessed",
        on_click=table_state.guess_again,
        key="table_guess",
        disabled=not table_state.has_said(),
    )


class _Fields:
    """Fields side by side, line by line."""

    def __init__(self):
        self._free = []

    def place(self):
        if not self._free:
            self._free = list(st.columns(_SIDES, vertical_alignment="bottom"))
        return self._free.pop(0)

    def choice(self, name: str, label: str, options: Sequence, guessed: Any, words: Callable = str) -> None:
        """A field of ``ReadOptions`` that is guessed unless the visitor says otherwise."""
        said = st.session_state.get(f"table_{name}", GUESS)
        options = [GUESS, *options]
        if said not in options:
            options.append(said)  # it was said of the file as it was read before
        known = said == GUESS and guessed is not None
        guess = f"{GUESS}ed: {words(guessed)}" if known else GUESS
        self.place().selectbox(
            label,
            options,
            key=f"table_{name}",
            persist_state="session",
            format_func=lambda value: guess if value == GUESS else words(value),
        )


def _name(names: Sequence[str], at: int | str, what: str) -> str:
    """Of a column or a sheet by its position; a guess is a name already."""
    if isinstance(at, str):
        return at
    return f"{at + 1}: {names[at]}" if at < len(names) else f"{what} {at + 1}"

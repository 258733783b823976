"""The first lines of the visitor's table as they are, filled in, and the one place to change how it
is read.

A click on the head of a column opens what else it may be; what is amber stands below with its
answers; the sheet of columns has all of them. Each is an edit of the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from metamf.answer.answer import Answer
from metamf.tables.plan import FILL, KEEP, LONG, NAME, Amber, Choice, Plan
from metamf.tables.table import Table
from metamf.webapp import look
from metamf.webapp.data import own
from metamf.wording import counted, first_few, percent

LINES = 12  # of the file that are shown, besides those that are amber or filled in
COLUMNS = 30
MORE_LINES = 5
MORE_FILLED = 2
LONGEST = 60  # characters of a cell
_ROLES = {FILL: "fill in", KEEP: "keep", NAME: "names"}
_OFFERS = {FILL: "Fill it in", KEEP: "Keep it as it is", NAME: "It names the rows"}
_EDITOR = "table_columns_turn"  # in the session: how often the sheet of columns began afresh


# -- what is shown -----------------------------------------------------------------------------


def preview_of(table: Table, answer: Answer | None) -> dict[str, Any]:
    """The lines, columns and amber of a table as JSON values; without an answer nothing is
    filled."""
    plan = table.plan
    amber = {entry.column: entry.sentence for entry in plan.amber if entry.column is not None}
    columns = shown_columns(plan)
    scales = scales_of(table)
    if plan.form == LONG:
        lines = _lines_as_they_are(table, columns)
        lines += _added_lines(table, answer, columns)
    else:
        lines = _lines_filled_in(table, answer, columns)
    return {
        "columns": [_head(plan, j, scales.get(j, ""), amber.get(j, "")) for j in columns],
        "more": len(plan.columns) - len(columns),
        "lines": lines,
        "amber": [*alike(plan), *(_answers(entry) for entry in plan.amber)],
    }


def _answers(entry: Amber) -> dict[str, Any]:
    choices = [[_label(choice.label, choice.cells), choice.edit] for choice in entry.edits]
    return {"column": entry.column, "sentence": entry.sentence, "choices": choices}


def alike(plan: Plan) -> list[dict[str, Any]]:
    """Answers that several columns have in common, such as "count -99 as missing": one click for
    all of these columns."""
    by_label: dict[str, list[Choice]] = {}
    for entry in plan.amber:
        for choice in entry.edits if entry.column is not None else ():
            if choice.cells:
                by_label.setdefault(choice.label, []).append(choice)
    found = []
    for label, choices in by_label.items():
        if len(choices) > 1:
            cells = sum(choice.cells for choice in choices)
            all_of_them = [
                _label(f"{label}, in all of them", cells),
                [choice.edit for choice in choices],
            ]
            sentence = f"{len(choices)} columns have this in common"
            found.append({"column": None, "sentence": sentence, "choices": [all_of_them]})
    return found


def shown_columns(plan: Plan) -> list[int]:
    """The positions of the columns that are shown: those that are amber, and the first ones."""
    amber = [entry.column for entry in plan.amber if entry.column is not None]
    order = dict.fromkeys([*plan.keys, *amber, *range(len(plan.columns))])
    return sorted([*order][:COLUMNS])


def edit_of(plan: Plan, j: int, change: str) -> str:
    """The edit ``change`` of column ``j``, by its name where that is short, or by its number."""
    name = plan.columns[j].name
    others = {column.name for column in plan.columns}
    if len(name) > LONGEST or not name.isprintable():
        number = str(j + 1)
        return f"{number}: {change}" if number not in others else f'"{name}": {change}'
    plain = ":" not in name and not name.isdecimal() and name == name.strip()
    return f"{name}: {change}" if plain else f'"{name}": {change}'


def scales_of(table: Table) -> dict[int, str]:
    """What each column to fill holds, by its position: the scale that it shares with others, such
    as '1 to 7 in steps of 0.5', or the least and the greatest number given."""
    plan = table.plan
    ratings = table.ratings
    found = {}
    if plan.form == LONG:
        ends = [(ratings.values.min(), ratings.values.max())]
    else:
        low = np.full(ratings.n_cols, np.inf)
        high = np.full(ratings.n_cols, -np.inf)
        np.minimum.at(low, ratings.cols, ratings.values)
        np.maximum.at(high, ratings.cols, ratings.values)
        ends = list(zip(low, high))
    fills = table.plan.keys[-1:] if plan.form == LONG else table.fill_columns
    for col, j in enumerate(fills):
        group = plan.columns[j].group
        if group is not None:
            found[j] = str(plan.groups[group])
        elif np.isfinite(ends[col]).all():
            found[j] = " to ".join(table.written(ends[col], col))
    return found


def _head(plan: Plan, j: int, scale: str, amber: str) -> dict[str, Any]:
    column = plan.columns[j]
    below = {NAME: "names", KEEP: "as it is"}.get(column.role) or scale
    choices = [
        [_OFFERS[role], edit_of(plan, j, role)]
        for role in (FILL, KEEP, NAME)
        if role != column.role and (role != FILL or column.code)
    ]
    for entry in plan.amber:
        if entry.column == j:
            choices += _answers(entry)["choices"]
    return {
        "at": j,
        "name": column.name,
        "role": column.role,
        "below": below or "numbers",
        "why": column.why,
        "amber": amber,
        "choices": choices,
    }


def _label(label: str, cells: int) -> str:
    label = f"{label[:1].upper()}{label[1:]}"
    return f"{label} ({counted(cells, 'cell')})" if cells else label


def _lines_as_they_are(table: Table, columns: Sequence[int]) -> list[dict[str, Any]]:
    """The first lines of the file, and those that are skipped or amber, with marks for the rest."""
    plan = table.plan
    skipped = {line.line: line.why for line in plan.skipped}
    amber = {entry.line: entry.sentence for entry in plan.amber if entry.line is not None}
    numbers = shown_lines(table)
    doubtful = [plan.columns[j].doubtful for j in columns]
    lines: list[dict[str, Any]] = []
    before = plan.header
    for number, texts in zip(numbers, table.lines(numbers)):
        if number > before + 1:
            lines.append({"gap": _more(number - before - 1)})
        before = number
        cells = []
        for j, marks in zip(columns, doubtful):
            text = texts[j]
            kind = "amber" if text.strip() in marks and text else ""
            cells.append([text[:LONGEST], kind, ""])
        why = amber.get(number) or skipped.get(number, "")
        state = "skipped" if number in skipped else ""
        lines.append({"number": number, "state": state, "why": why, "cells": cells})
    if table.n_lines > before:
        lines.append({"gap": _more(table.n_lines - before)})
    return lines


def shown_lines(table: Table) -> list[int]:
    """The numbers of the lines of the file that are shown."""
    plan = table.plan
    first = range(plan.header + 1, min(plan.header + LINES, table.n_lines) + 1)
    odd = [line.line for line in plan.skipped if line.line > plan.header]
    odd += [entry.line for entry in plan.amber if entry.line is not None]
    filled = _lines_with_gaps(table)
    late = [number for number in (*sorted(odd)[-MORE_LINES:], *filled) if number not in first]
    shown = sorted({*first, *late})
    alone = [number + 1 for number, after in pairwise(shown) if after == number + 2]
    return sorted([*shown, *alone])


def _lines_with_gaps(table: Table) -> list[int]:
    """The first lines of a wide table with a gap that is filled."""
    if table.plan.form == LONG:
        return []
    filled = table.to_fill(slice(None), slice(None)).any(axis=1)
    return table.row_lines[np.flatnonzero(filled)[:MORE_FILLED]].tolist()


def _more(count: int) -> str:
    return f"… {count:,} more {'line' if count == 1 else 'lines'}"


def _lines_filled_in(
    table: Table, answer: Answer | None, columns: Sequence[int]
) -> list[dict[str, Any]]:
    """The lines of a wide table, with estimates in their gaps, and what stays in doubt in amber."""
    lines = _lines_as_they_are(table, columns)
    row_of = {int(line): row for row, line in enumerate(table.row_lines)}
    place_of = {j: place for place, j in enumerate(columns)}
    col_of = {col: place_of[j] for col, j in enumerate(table.fill_columns) if j in place_of}
    for line in lines:
        row = row_of.get(line.get("number", 0))
        if row is None:
            continue
        for col, place in col_of.items():
            text = line["cells"][place][0]
            if text and table.stays(row, col):
                line["cells"][place][1] = "amber"
            elif answer is not None and table.to_fill(row, col):
                line["cells"][place] = _estimate(table, answer, row, col)
    return lines


def gaps_of_row(table: Table, row: int) -> list[int]:
    """The columns of the matrix in which a row has a gap that is filled."""
    return np.flatnonzero(table.to_fill(row, slice(None))).tolist()


def _estimate(table: Table, answer: Answer, row: int, col: int) -> list[str]:
    """Text, kind and hover text of an estimated cell."""
    rows = np.array([row])
    cols = np.array([col])
    [text] = table.written(answer.at(rows, cols), col)
    hover = "estimated"
    ends = answer.interval_at(rows, cols)
    if ends is not None and answer.level is not None:
        [low], [high] = (table.written(end, col) for end in ends)
        hover = f"{percent(answer.level)} interval {low} to {high}"
    return [text, "filled", hover]


def _added_lines(
    table: Table, answer: Answer | None, columns: Sequence[int]
) -> list[dict[str, Any]]:
    """The first of the lines that are added to a long table."""
    ratings = table.ratings
    count = table.n_gaps
    row_labels, col_labels = ratings.row_labels, ratings.col_labels
    if answer is None or not count or row_labels is None or col_labels is None:
        return []
    *rows, column, value = table.plan.keys
    lines: list[dict[str, Any]] = [{"gap": f"{count:,} lines are added, such as"}]
    row = int(np.argmax(ratings.row_counts < ratings.n_cols))
    missing = gaps_of_row(table, row)[:MORE_LINES]
    for col in missing:
        texts = {rows[0]: str(row_labels[row]), column: str(col_labels[col])}
        cells = [
            _estimate(table, answer, row, col) if j == value else [texts.get(j, ""), "filled", ""]
            for j in columns
        ]
        lines.append({"number": 0, "state": "", "why": "", "cells": cells})
    return lines


# -- drawing -----------------------------------------------------------------------------------


def preview(table: Table, answer: Answer | None, name: str) -> None:
    """Draws the lines, what is amber, and what the last click did."""
    key = "table_preview"
    done = own.said()
    if done and answer is not None:
        done = f"{done} {filled_sentence(table)}"
    data = preview_of(table, answer) | {"name": name, "said": done}
    change = partial(_changed, key, table.plan)
    _component()(key=key, data=data, on_edit_change=change, height="content")


def filled_sentence(table: Table) -> str:
    """How many gaps are filled in and how many of columns of numbers are left, as a sentence."""
    filled = table.n_gaps
    left = sum(
        gaps.left
        for gaps, column in zip(table.gaps, table.plan.columns)
        if column.code and column.role != NAME
    )
    done = f"{counted(filled, 'gap')} {'is' if filled == 1 else 'are'} filled in"
    if left:
        return f"{done}, {left:,} stay."
    if any(gaps.left for gaps in table.gaps):  # texts, say, which nobody expects to be estimated
        return f"{done}."
    return f"All {filled:,} gaps are filled in." if filled > 1 else "The one gap is filled in."


@cache
def _component() -> Callable[..., Any]:
    here = Path(__file__)
    script = here.with_suffix(".js").read_text("utf-8")
    style = here.with_suffix(".css").read_text("utf-8")
    return st.components.v2.component("metamf_preview", js=script, css=style)


def _changed(key: str, plan: Plan) -> None:
    """Follows a click on a head or on an answer."""
    edit = st.session_state[key].get("edit")
    if edit:
        _begin_afresh()
        own.edit(plan, *([edit] if isinstance(edit, str) else edit))


def _begin_afresh() -> None:
    st.session_state[_EDITOR] = st.session_state.get(_EDITOR, 0) + 1


# -- the sheet of columns ----------------------------------------------------------------------


def columns_sheet(table: Table) -> None:
    """Draws a line for each column, in which its role and its scale are changed."""
    plan = table.plan
    scales = scales_of(table)
    with st.container(horizontal=True, vertical_alignment="center"):
        # neither is ever disabled: it would lose the focus
        st.button("As proposed", key="table_proposed", on_click=_propose, args=(plan,))
        st.button("Undo", key="table_undo", on_click=_undo)
    if len(plan.source.sheets) > 1:
        _choose_sheet(plan)
    key = f"table_columns_{st.session_state.get(_EDITOR, 0)}"
    frame = pd.DataFrame(
        {
            "column": [column.name for column in plan.columns],
            "role": [_ROLES[column.role] for column in plan.columns],
            "scale": [scales.get(j, "") for j in range(len(plan.columns))],
            "why": [column.why for column in plan.columns],
        }
    )
    text = st.column_config.TextColumn
    with st.container(key="table_sheet"):
        st.data_editor(
            frame,
            key=key,
            hide_index=True,
            disabled=("column", "why"),
            column_config={
                "column": text("Column"),
                "role": st.column_config.SelectboxColumn("Role", options=[*_ROLES.values()]),
                "scale": text("Scale", help="Lowest and highest value, as in 1 to 7"),
                "why": text("Why", width="large"),
            },
            on_change=_edited,
            args=(key, plan, scales),
        )
    look.small(
        "Columns are filled in, kept as they are, or name the rows. A column of numbers without "
        "gaps helps to estimate the others."
    )


def _edited(key: str, plan: Plan, scales: dict[int, str]) -> None:
    """Follows a change in the sheet; what the plan has already is no change."""
    changes = []
    roles = {words: role for role, words in _ROLES.items()}
    for row, cells in st.session_state[key]["edited_rows"].items():
        j = int(row)
        column = plan.columns[j]
        role = roles.get(cells.get("role", ""), column.role)
        scale = cells.get("scale")
        if role != column.role:
            changes.append(edit_of(plan, j, role))
        if scale and scale != scales.get(j):
            changes.append(edit_of(plan, j, f"scale {scale}"))
    if changes:
        own.edit(plan, *changes)


def _propose(plan: Plan) -> None:
    _begin_afresh()
    own.edit(plan, own.PROPOSED)


def _undo() -> None:
    _begin_afresh()
    own.undo()


def _choose_sheet(plan: Plan) -> None:
    sheets = plan.source.sheets
    key = f"table_part_sheet_{st.session_state.get(_EDITOR, 0)}"
    st.segmented_control(
        "Sheet",
        range(len(sheets)),
        default=sheets.index(plan.source.sheet) if plan.source.sheet in sheets else None,
        required=True,
        format_func=lambda at: look.as_markdown(sheets[at]),
        key=key,
        on_change=_read_sheet,
        args=(key, plan),
    )


def _read_sheet(key: str, plan: Plan) -> None:
    """Reads another sheet; edits of this one's columns do not hold there."""
    chosen = st.session_state[key]
    if chosen is not None:
        own.edit(plan, own.PROPOSED)
        own.edit(plan, f"sheet: {plan.source.sheets[chosen]}")
        _begin_afresh()


def legend(table: Table) -> str:
    """How a table was read and what the colours say, in one line of HTML."""
    plan = table.plan
    size = f"{counted(table.n_lines, 'line')}, {counted(len(plan.columns), 'column')}"
    read = "." if plan.amber else f": {reading_sentence(plan)}"
    parts = [escape(size + read), '<b class="mf-filled">Bold: estimated.</b>']
    if plan.amber:
        parts.append('<b class="mf-amber">Amber: look here.</b>')
    parts.append("Click the head of a column to change how it is read.")
    return f'<p class="mf-legend-line">{" ".join(parts)}</p>'


def reading_sentence(plan: Plan) -> str:
    """How a file was read, where nothing in it is amber."""
    parts = []
    for role, one, more in (
        (NAME, "names the rows", "name the rows"),
        (FILL, "is filled in", "are filled in"),
        (KEEP, "stays as it is", "stay as they are"),
    ):
        names = [plan.columns[j].name for j in plan.of(role)]
        if names:
            parts.append(f"{first_few(names, 3)} {one if len(names) == 1 else more}")
    return f"{'; '.join(parts)}."

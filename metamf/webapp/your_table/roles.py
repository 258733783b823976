"""Roles of the columns and rows of the visitor's file, shown before anything is computed and changed by one click."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from metamf.tables.limits import Answer
from metamf.tables.options import ALL_NUMBERS
from metamf.tables.roles import ALONE, NAME, RATING, YOU_SAID_SO, Doubt, Roles
from metamf.tables.table import LayoutFacts
from metamf.webapp import look
from metamf.webapp.your_table.state import PREFIX, call_missing
from metamf.wording import counted

_MANY = 60  # columns from which only those that are left alone are shown
_SEPARATOR = " < "


def shown_roles(layout: LayoutFacts) -> None:
    """Draws the roles of a table's columns and rows; nothing for a long table."""
    roles = layout.roles
    if roles is None:
        return
    with st.container(border=True):
        look.panel("What the columns are", "click a column to change it")
        _columns(layout.file_columns, roles)
        _rows(layout)
        _orders(roles)


def _columns(names: Sequence[str], roles: Roles) -> None:
    """One button for each column: pressed where it holds ratings."""
    rated = roles.of(RATING)
    offered = [j for j, column in enumerate(roles.columns) if column.role != NAME]
    if len(offered) > _MANY:
        offered = [j for j in offered if roles.columns[j].role == ALONE or roles.columns[j].why == YOU_SAID_SO]
    key = f"{PREFIX}pills_{hash((tuple(rated), tuple(offered)))}"
    st.pills(
        "Ratings (pressed), and columns that are left alone and come back as they are",
        offered,
        selection_mode="multi",
        default=[j for j in offered if j in rated],
        format_func=lambda j: _column_label(names[j], roles, j),
        key=key,
        on_change=_press,
        args=(key, tuple(offered), tuple(rated)),
    )
    named = roles.of(NAME)
    choices = [None, *range(len(roles.columns))]
    st.selectbox(
        "Names of the rows",
        choices,
        index=choices.index(named[0]) if named else 0,
        format_func=lambda j: "none" if j is None else names[j],
        key=f"{PREFIX}naming_{hash(tuple(named))}",
        on_change=_name,
        args=(f"{PREFIX}naming_{hash(tuple(named))}",),
    )


def _column_label(name: str, roles: Roles, j: int) -> str:
    role = roles.columns[j]
    shown = look.as_markdown(name)
    return f"{shown}: {role.why}" if role.role == ALONE and role.why else shown


def _press(key: str, offered: tuple[int, ...], rated: tuple[int, ...]) -> None:
    pressed = set(st.session_state[key] or ())
    for j in offered:
        if (j in pressed) != (j in rated):
            keep_statement(j, "ratings" if j in pressed else "leave_alone")


def _name(key: str) -> None:
    chosen = st.session_state[key]
    st.session_state[PREFIX + "names"] = () if chosen is None else (chosen,)
    if chosen is None:
        st.session_state[PREFIX + "row_labels"] = False
        return
    for other in ("ratings", "leave_alone"):
        st.session_state[PREFIX + other] = tuple(k for k in choices_so_far(other) if k != chosen)


def _rows(layout: LayoutFacts) -> None:
    """A button for each row that is left alone."""
    for line, (_, role) in list(zip(layout.row_lines, layout.roles.rows))[:6]:
        words, button = st.columns([3, 1], vertical_alignment="center")
        with words:
            look.small(f"Line {line:,} is left alone: {role.why}.")
        button.button("It holds ratings", key=f"table_row_{line}", on_click=_keep_row, args=(line,))
    for line in choices_so_far("keep_rows"):
        words, button = st.columns([3, 1], vertical_alignment="center")
        with words:
            look.small(f"Line {line:,} holds ratings, as you said.")
        button.button("Leave it alone", key=f"table_row_{line}", on_click=_leave_row, args=(line,))


def _keep_row(line: int) -> None:
    st.session_state[PREFIX + "leave_rows"] = tuple(other for other in choices_so_far("leave_rows") if other != line)
    st.session_state[PREFIX + "keep_rows"] = (*choices_so_far("keep_rows"), line)


def _leave_row(line: int) -> None:
    st.session_state[PREFIX + "keep_rows"] = tuple(other for other in choices_so_far("keep_rows") if other != line)


def _orders(roles: Roles) -> None:
    """The order of the words, for each scale of words."""
    scales = dict.fromkeys(
        column.style for column in roles.columns if column.role == RATING and column.style and not column.style.template
    )
    for number, style in enumerate(scales):
        if style.name == "words":
            _order(tuple(text for text, _ in style.values), f"order_{number}")


def _order(words: tuple[str, ...], name: str) -> None:
    field, button = st.columns([3, 1], vertical_alignment="bottom")
    key = f"{PREFIX}{name}_{hash(words)}"
    field.text_input(
        "Order of the words, the lowest first", _SEPARATOR.join(words), key=key, on_change=_use_order, args=(key, words)
    )
    button.button("Turn it around", key=f"{key}_turn", on_click=_set_order, args=(words, words[::-1]))


def _use_order(key: str, words: tuple[str, ...]) -> None:
    order = tuple(dict.fromkeys(word.strip() for word in st.session_state[key].split("<") if word.strip()))
    if len(order) > 1:
        _set_order(words, order)


def _set_order(words: tuple[str, ...], order: tuple[str, ...]) -> None:
    others = tuple(scale for scale in choices_so_far("words") if set(scale) != set(words) and set(scale) != set(order))
    st.session_state[PREFIX + "words"] = (*others, order)


def ask(doubts: Sequence[Doubt]) -> None:
    """Draws the questions that have to be answered before anything is filled in; each answer is one click."""
    for doubt in doubts:
        sentence = f"{doubt.sentence[:1].upper()}{doubt.sentence[1:]}."
        key = f"table_doubt_{doubt.columns[0]}"
        if doubt.words:
            look.note(f"{sentence} In which order do they stand?", "warning")
            _order(doubt.words, "new_order")
            with st.container(horizontal=True):
                st.button("Use this order", type="primary", key=f"{key}_use", on_click=_use_shown, args=(doubt.words,))
                st.button(
                    "Leave them alone", key=f"{key}_alone", on_click=_say_all, args=(doubt.columns, "leave_alone")
                )
            continue
        look.note(sentence, "warning")
        with st.container(horizontal=True):
            for number, answer in enumerate(doubt.answers):
                kind = "secondary" if number else "primary"
                words = _answer_words(answer, doubt.names)
                st.button(words, type=kind, key=f"{key}_{number}", on_click=_answer, args=(answer, doubt.columns))
    columns = [column for doubt in doubts if len(doubt.answers) == 2 for column in doubt.columns]
    if len(columns) > 1:
        st.button(
            "Leave both columns alone" if len(columns) == 2 else f"Leave all {counted(len(columns), 'column')} alone",
            key="table_doubt_all",
            on_click=_say_all,
            args=(tuple(columns), "leave_alone"),
        )


def _answer_words(answer: Answer, names: Sequence[str]) -> str:
    """An answer as the words of a button."""
    if answer.option == "missing_markers":
        return f"{look.as_markdown(str(answer.values[0]))} means missing"
    if len(names) > 1:
        return f"{answer.words[:1].upper()}{answer.words[1:]}"
    name = look.as_markdown(names[0])
    return f"Leave {name} alone" if answer.option == "leave_alone" else f"{name} holds ratings"


def _answer(answer: Answer, columns: Sequence[int]) -> None:
    if answer.option == "missing_markers":
        call_missing(str(answer.values[0]))
    elif answer.values == (ALL_NUMBERS,):
        st.session_state[PREFIX + "ratings"] = (ALL_NUMBERS,)
    elif len(answer.values) == len(columns):
        _say_all(columns, answer.option)
    else:
        st.session_state[PREFIX + answer.option] = answer.values


def _use_shown(words: tuple[str, ...]) -> None:
    _use_order(f"{PREFIX}new_order_{hash(words)}", words)


def _say_all(columns: Sequence[int], what: str) -> None:
    for column in columns:
        keep_statement(column, what)


def keep_statement(column: int, what: str) -> None:
    """Keeps what the visitor says of a column: 'ratings' or 'leave_alone'."""
    for name in ("ratings", "leave_alone", "names"):
        st.session_state[PREFIX + name] = tuple(other for other in choices_so_far(name) if other != column)
    st.session_state[PREFIX + what] = (*choices_so_far(what), column)


def choices_so_far(name: str) -> tuple:
    """The visitor's choices so far, by the name of the option of ``ReadOptions``."""
    return st.session_state.get(PREFIX + name, ())

"""The upper part of "Your table": before the upload, and how the file was understood."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import streamlit as st

from metamf.tables.limits import WEB, Answer, TableError
from metamf.tables.options import ALL_NUMBERS
from metamf.tables.roles import ALONE, NAME, RATING, YOU_SAID_SO, Doubt, Roles
from metamf.tables.table import LayoutFacts, Table
from metamf.webapp import look
from metamf.webapp.uploads import ROLES, Upload, corrections, forget_roles, guesses, read_upload
from metamf.webapp.your_table import state as table_state
from metamf.webapp.your_table.state import PREFIX, TableKey, call_missing
from metamf.wording import MIB, counted, name_of, percent

_SEPARATOR = " < "


def shown_roles(layout: LayoutFacts) -> None:
    """Draws the roles of a table's columns and rows; nothing for a long table."""
    roles = layout.roles
    if roles is None:
        return
    with st.container(border=True):
        look.panel("What the columns are", "click a column to change it")
        _columns(layout.file_columns, roles)
        _rows(layout.row_lines, roles)
        _orders(roles)


def _columns(names: Sequence[str], roles: Roles) -> None:
    """One button for each column: pressed where it holds ratings."""
    rated = roles.of(RATING)
    offered = [j for j, column in enumerate(roles.columns) if column.role != NAME]
    if len(offered) > _MANY_COLUMNS:
        offered = [j for j in offered if roles.columns[j].role == ALONE or roles.columns[j].why == YOU_SAID_SO]
    key = f"{PREFIX}pills_{hash((tuple(rated), tuple(offered)))}"

    def label(j: int) -> str:
        shown, column = look.as_markdown(names[j]), roles.columns[j]
        return f"{shown}: {column.why}" if column.role == ALONE and column.why else shown

    st.pills(
        "Ratings (pressed), and columns that are left alone and come back as they are",
        offered,
        selection_mode="multi",
        default=[j for j in offered if j in rated],
        format_func=label,
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


def _rows(lines: Sequence[int], roles: Roles) -> None:
    """A button for each row that is left alone."""
    for line, (_, role) in list(zip(lines, roles.rows))[:6]:
        _row(line, f"is left alone: {role.why}", "It holds ratings", "keep_rows")
    for line in choices_so_far("keep_rows"):
        _row(line, "holds ratings, as you said", "Leave it alone", "")


def _row(line: int, sentence: str, answer: str, option: str) -> None:
    words, button = st.columns([3, 1], vertical_alignment="center")
    with words:
        look.small(f"Line {line:,} {sentence}.")
    button.button(answer, key=f"table_row_{line}", on_click=_say_row, args=(line, option))


def _say_row(line: int, option: str) -> None:
    """Adds the line to an option and takes it out of all others."""
    for name in ("leave_rows", "keep_rows"):
        others = tuple(other for other in choices_so_far(name) if other != line)
        st.session_state[PREFIX + name] = (*others, line) if name == option else others


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
            look.note(f"{sentence} In which order are they?", "warning")
            _order(doubt.words, "new_order")
            order = f"{PREFIX}new_order_{hash(doubt.words)}", doubt.words
            with st.container(horizontal=True):
                st.button(
                    "Use this order",
                    type="primary",
                    key=f"{key}_use",
                    on_click=_use_order,
                    args=order,
                )
                st.button(
                    "Leave them alone", key=f"{key}_alone", on_click=_say_all, args=(doubt.columns, "leave_alone")
                )
            continue
        look.note(sentence, "warning")
        with st.container(horizontal=True):
            for number, answer in enumerate(doubt.answers):
                words = _answer_words(answer, doubt.names)
                kind: Literal["primary", "secondary"] = "secondary" if number else "primary"
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


def _say_all(columns: Sequence[int], what: str) -> None:
    for column in columns:
        keep_statement(column, what)


def keep_statement(column: int, what: str) -> None:
    """Sets a column to 'ratings' or 'leave_alone'."""
    for name in ("ratings", "leave_alone", "names"):
        st.session_state[PREFIX + name] = tuple(other for other in choices_so_far(name) if other != column)
    st.session_state[PREFIX + what] = (*choices_so_far(what), column)


def choices_so_far(name: str) -> tuple:
    """The visitor's choices so far, by the name of the option of ``ReadOptions``."""
    return st.session_state.get(PREFIX + name, ())


_MANY_COLUMNS = 60  # from which columns are not offered as buttons, except those left alone
_ROLES_OF = "table_roles_of"  # in the session: digest of the file whose roles are shown on request
_PREVIEW = (6, 8)  # rows and columns
PRIVACY = (
    "Your file stays in the memory of this session and, while it is read or filled in, of a worker process of this "
    "server or its cluster. No other visitor can reach it, and it is never written to a disk, a log or a shared cache. "
    "It is gone when you press “Forget my table”, or within three minutes after you close the "
    "page; a file on the first page, when you remove it there. "
    "One worker gets the numbers, without any name, to check the methods for you alone. Another tunes a copy of the "
    "network to your table. That copy holds no rating, and stays in a folder of this server until you "
    "leave. Nothing else learns from your file."
)


def style() -> None:
    """Applies the style sheet of this page, and hides the sidebar's controls."""
    look.hide_controls()
    st.html(Path(__file__).with_name("style.css"))


def start() -> None:
    """Draws the page for a visitor without a table."""
    file, example = st.columns([2, 1], gap="large")
    with file:
        st.file_uploader(
            "A table of ratings",
            key=table_state.uploader_key(),
            max_upload_size=WEB.bytes // MIB,
            on_change=table_state.keep_upload,
        )
        look.small(
            "CSV with any delimiter, Excel or NumPy, also compressed with gzip, under any file name. "
            f"{WEB.sentence()} A larger file is refused, never cut off silently."
        )
        table_state.offers()
    with example:
        look.panel("No file at hand?")
        st.button(
            "Try an example",
            icon=":material/local_movies:",
            on_click=lambda: table_state.bring(table_state.example()),
            key="table_example",
        )
        look.small("20 people, 14 films, and most ratings missing. Or download it, to see what such a file looks like.")
        st.download_button(
            "Download the example",
            table_state.example().content,
            "film-club.csv",
            "text/csv",
            on_click="ignore",
            type="tertiary",
            key="table_example_file",
        )
    st.markdown("**Either form will do.** Empty cells, NA, NaN, null, - and ? are missing; zero is a rating.")
    wide, long = st.columns(2, gap="large")
    with wide:
        look.panel("Wide", "one line per row of the table")
        st.code("name,Tea,Coffee,Juice\nAda,5,,3\nBen,,4,1\nCleo,2,,", language=None)
    with long:
        look.panel("Long", "one line per rating")
        st.code("person,drink,rating\nAda,Tea,5\nAda,Juice,3\nBen,Coffee,4", language=None)
    privacy()


def privacy() -> None:
    """Draws what happens to the visitor's file."""
    with st.container(border=True):
        look.panel("What happens to your file")
        look.small(PRIVACY)


def understood(upload: Upload) -> tuple[TableKey, Table]:
    """Reads the file as the visitor says; where that fails, draws why and ends the page."""
    key = table_state.key_of(upload)
    try:
        table = table_state.remember(
            "table", key, lambda: read_upload(upload, key.statements, WEB), "Reading the file …"
        )
    except TableError as error:
        _refused(upload, error)
        st.stop()
    report, roles = table.report, table.report.layout.roles
    _other_sheets(report.file.sheets, report.file.sheet)
    for text, count in report.cells.suspected:
        _question(
            f"{text} is in {count:,} cells and looks like a mark for “missing”. It was read as a rating.",
            f"{look.as_markdown(text)} means missing",
            table_state.call_missing,
            text,
        )
    for text in table_state.called_missing():
        _question(f"{text} counts as missing, as you said.", "Undo", table_state.call_rating, text)
    (n_rows, n_cols), ratings = report.cells.shape, report.cells.observed
    look.finding(
        f"{counted(n_rows, 'row')} and {counted(n_cols, 'column')}: {ratings:,} of {counted(n_rows * n_cols, 'cell')} "
        f"{'holds' if ratings == 1 else 'hold'} a rating ({percent(ratings / (n_rows * n_cols), digits=3)})."
    )
    asked = any(name in ROLES for name, _ in key.statements) or st.session_state.get(_ROLES_OF) == upload.digest
    if shown := asked or (roles is not None and not roles.ordinary):
        shown_roles(report.layout)
    with st.expander(f"How {look.as_markdown(upload.name)} was understood, and corrections"):
        if not shown:
            st.button("Leave columns alone …", key="table_say_roles", on_click=_show_roles, args=(upload.digest,))
        guess, correct = st.columns([1.2, 1], gap="large")
        with guess:
            for sentence in report.sentences()[1:]:
                look.small(sentence)
            look.panel("First rows", "as they were read")
            st.dataframe(_preview(table), hide_index=True, key="table_preview")
        with correct:
            corrections(PREFIX, guesses(report), report.layout.file_columns, report.file.sheets)
    return key, table


def _show_roles(digest: str) -> None:
    st.session_state[_ROLES_OF] = digest


def _other_sheets(sheets: Sequence[str], sheet: str | None) -> None:
    """Draws which sheet of a workbook was read, with a button for each of the others."""
    if len(sheets) < 2:
        return
    read = list(sheets).index(sheet) if sheet is not None and sheet in sheets else None
    key = f"{PREFIX}part_sheet_{read}"
    st.segmented_control(
        "Sheet",
        range(len(sheets)),
        default=read,
        required=read is not None,
        format_func=lambda at: look.as_markdown(sheets[at]),
        key=key,
        on_change=_read_sheet,
        args=(key,),
    )


def _read_sheet(key: str) -> None:
    """Reads another sheet; what was said of the columns of this one does not hold there."""
    chosen = st.session_state[key]
    if chosen is not None:
        forget_roles(PREFIX)
        st.session_state[PREFIX + "sheet"] = chosen


def _refused(upload: Upload, error: TableError) -> None:
    _other_sheets(error.sheets, error.sheet)
    if error.doubts:
        ask(error.doubts)
        return
    click = " If it marks a missing rating, click below." if error.markers else ""
    look.note(f"{upload.name}: {error}.{click}", "warning")
    for text in error.markers:
        st.button(
            f"{look.as_markdown(text)} means missing",
            type="primary",
            on_click=table_state.call_missing,
            args=(text,),
            key=f"table_suspect_{text}",
        )
    if len(upload.content) > MIB:  # its matrix may be too large to be filled in whole
        look.small(
            "On this page all cells are filled in. The page Fill in takes larger matrices, as “Your own file”, and "
            "shows a part of them."
        )
    if error.columns and len(error.columns) <= _MANY_COLUMNS:
        pressed = st.pills(
            "Or click a column that holds no ratings: it is left alone, and comes back as it is",
            range(len(error.columns)),
            format_func=lambda j: look.as_markdown(error.columns[j]),
            key="table_refused_columns",
        )
        if pressed is not None:
            keep_statement(pressed, "leave_alone")
            del st.session_state.table_refused_columns
            st.rerun()
    with st.expander("How it is read", expanded=True):
        corrections(PREFIX, {}, error.columns, error.sheets)


def _question(sentence: str, answer: str, act: Callable[[str], None], text: str) -> None:
    words, button = st.columns([3, 1], vertical_alignment="center")
    with words:
        look.note(sentence)
    button.button(answer, on_click=act, args=(text,), key=f"table_suspect_{text}")


def _preview(table: Table) -> pd.DataFrame:
    """The first rows and columns as texts; a number is added to a repeated or empty name, since names must differ."""
    ratings = table.ratings
    n, m = (min(size, most) for size, most in zip(ratings.shape, _PREVIEW))
    part = ratings.submatrix(np.arange(n), np.arange(m))
    names = [""]
    for j in range(m):
        name, number = name_of(part.col_labels, j, ""), j + 1
        while name in names:
            name, number = f"{name_of(part.col_labels, j, '')} ({number})", number + 1
        names.append(name)
    rows = [
        [name_of(part.row_labels, i, ""), *("" if x != x else f"{x:.6g}" for x in row)]
        for i, row in enumerate(part.to_dense())
    ]
    return pd.DataFrame(rows, columns=names)

"""Visitors' files: the file, the table in it, and what a visitor says about it, by fields and by answers of one click.

All of that is in the session, by the names of ``ReadOptions`` behind ``PREFIX``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from metamf.files import sha256_of
from metamf.tables.limits import Answer, Doubt, Limits, TableError, likeliest_answers
from metamf.tables.options import DELIMITERS, ENCODINGS, ReadOptions
from metamf.tables.roles import ALONE, DESCRIBES, NAME, RATING, YOU_SAID_SO, Roles
from metamf.webapp import look, waiting
from metamf.webapp.engine import engine
from metamf.wording import counted, name_of, size_of

if TYPE_CHECKING:
    from metamf.tables.table import Table, TableReport

PREFIX = "table_"  # begins the keys of all that is about the visitor's file
GUESS = "guess"
SMALL = 50_000  # bytes of a text file that is read in the page; everything else is read by the engine
GUARDED = "(mean)"  # behind the name of a column that the guard drew to its mean
MANY_COLUMNS = 60  # from which columns are chosen from a list, not by chips
_REFUSED = "table_refused"  # in the session: the latest table that was refused, and why; gone with Your table's file
_MOST_SHOWN = 12  # columns of the first lines of a file
_MOST_HEADER_LINES = 10  # that are offered; a click on an answer may say more
GUESSED = (  # names in ``ReadOptions`` of what is guessed unless the visitor sets it
    *("form", "delimiter", "decimal", "thousands", "encoding", "header_lines"),
    *("row_labels", "row_column", "column_column", "value_column", "sheet"),
)
# A column, or a row, is in one of them.
_RIVALS = ("names", "ratings", "describes", "leave_alone"), ("leave_rows", "keep_rows")
ROLES = (*_RIVALS[0], *_RIVALS[1], "words", "number_in")  # in ``ReadOptions``: tuples
FIELD_STARTS: dict[str, Any] = (
    dict.fromkeys(GUESSED, GUESS) | {"markers": "", "zero": False, "duplicates": "refuse"} | dict.fromkeys(ROLES, ())
)

_SIGNS = {"": "none", ".": "point", ",": "comma", " ": "space", "'": "apostrophe"}
_YES_NO = {True: "yes", False: "no"}
_ORDER = " < "
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


class TableKey(NamedTuple):
    """The inputs that a table depends on: the digest of its file, and the visitor's statements about the reading."""

    digest: str
    statements: Statements


def held() -> Upload | None:
    """The visitor's file, of Your table and of Explore; None before there is one."""
    return st.session_state.get("table_upload")


def key_of(upload: Upload) -> TableKey:
    """The inputs that the visitor's table depends on now."""
    return TableKey(upload.digest, statements())


def statements() -> Statements:
    """(name, value) of each field that the visitor changed."""
    values = ((name, st.session_state.get(PREFIX + name, start), start) for name, start in FIELD_STARTS.items())
    return tuple((name, value) for name, value, start in values if value != start)


def forget(names: Sequence[str] = (*GUESSED, *ROLES)) -> None:
    """Forgets what was said, such as that about the columns and rows of the file before."""
    for name in names:
        st.session_state.pop(PREFIX + name, None)


def said(option: str) -> Any:
    """What the visitor has said so far about an option of ``FIELD_STARTS``."""
    return st.session_state.get(PREFIX + option, FIELD_STARTS[option])


def say(option: str, values: Sequence) -> None:
    """Says something about the file: an option of ``ReadOptions`` and its values, columns by their positions."""
    session = st.session_state
    if option == "missing_markers":
        session["table_markers"] = "; ".join(dict.fromkeys([*markers(said("markers")), *map(str, values)]))
    elif option == "columns":  # of a long table
        session.update({PREFIX + name: at for name, at in zip(_PLACES, values)})
    elif option not in ROLES:
        [session[PREFIX + option]] = values
    else:
        for other in next((rivals for rivals in _RIVALS if option in rivals), ()):
            session[PREFIX + other] = tuple(value for value in said(other) if value not in values)
        session[PREFIX + option] = (*said(option), *values)


def call_rating(text: str) -> None:
    """Takes back that a text means missing."""
    session = st.session_state
    kept = [m for m in markers(said("markers")) if m != text and not m.endswith(f"={text}")]
    session["table_markers"] = "; ".join(kept)


def markers(text: str) -> list[str]:
    """The texts that mean "missing", from a field that separates them by semicolons."""
    return [marker for part in text.split(";") if (marker := part.strip())]


def stated_options(about: Statements, limits: Limits) -> ReadOptions:
    """The options that the statements ask for; raises ``TableError`` if they contradict each other."""
    options = dict(about)
    missing, zero = markers(options.pop("markers", "")), options.pop("zero", False)
    return ReadOptions(missing_markers=tuple(missing), zero_is_missing=zero, limits=limits, **options)


def read_upload(upload: Upload, about: Statements, limits: Limits) -> Table:
    """The table in a visitor's file; a worker reads all that is not a small text file.

    Raises ``TableError``, with one sentence for the visitor, for a file that cannot be read with the statements
    ``about`` it. It is not read again before they change. Raises ``EngineError`` if the visitor stopped it, or it took
    too long or too much memory. The limits are lower where a worker has little memory.
    """
    from metamf.tables.read import read_table  # with pandas, which a page without an upload does without

    limits = limits.within(engine().memory)
    asked = (upload.digest, upload.name, about, limits)
    before, error = st.session_state.get(_REFUSED, (None, None))
    if before == asked:
        raise _same(error)
    try:
        arguments = upload.content, upload.name, stated_options(about, limits)
        if len(upload.content) <= SMALL and b"\0" not in upload.content and upload.content[:2] != b"\x1f\x8b":
            return read_table(*arguments)
        table = waiting.compute(("reading", asked), read_table, *arguments)
        same = table.source.data == upload.content
        return replace(table, source=replace(table.source, data=upload.content)) if same else table
    except TableError as error:
        st.session_state[_REFUSED] = asked, _same(error)
        raise


def _same(error: TableError) -> TableError:
    """The same error without the frames in which it was raised, which hold all that was read by then."""
    same = TableError(*error.args)
    vars(same).update(vars(error))
    return same


def corrections(columns: Sequence[str], sheets: Sequence[str], report: TableReport | None = None) -> None:
    """Draws the fields for a file of some columns and sheets; without a ``report``, it could not be read."""
    look.panel("Corrections", "if something was misread")
    guessed = {} if report is None else report.guesses | dict(zip(_PLACES, report.columns or ()))
    free: list[Any] = []

    def place() -> Any:
        """The place of the next field, two side by side."""
        if not free:
            free.extend(st.columns(2, vertical_alignment="bottom"))
        return free.pop(0)

    def choice(name: str, label: str, options: Sequence, words: Callable = str) -> None:
        """Draws the field of an option of ``ReadOptions`` that is guessed unless the visitor sets it."""
        chosen, guess = said(name), guessed.get(name)
        options = [GUESS, *options]
        if chosen not in options:
            options.append(chosen)  # chosen when the file was read in another way
        start = f"{GUESS}ed: {words(guess)}" if chosen == GUESS and guess is not None else GUESS
        place().selectbox(
            label,
            options,
            key=PREFIX + name,
            persist_state="session",
            format_func=lambda value: start if value == GUESS else words(value),
        )

    place().selectbox(
        "Duplicate cells",
        ["refuse", "mean", "last", "first"],
        key="table_duplicates",
        persist_state="session",
        help="Whether the file is refused, or which of the values is taken",
    )
    place().text_input(
        "Other missing-value markers",
        key="table_markers",
        persist_state="session",
        placeholder="99; n/a",
        help="Texts or numbers that mean “not rated”, separated by semicolons",
    )
    choice("form", "Form", ["wide", "long"])
    choice("header_lines", "Header lines", range(_MOST_HEADER_LINES + 1))
    form = said("form")
    if (guessed.get("form") if form == GUESS else form) == "long":
        for name, label in _PLACES.items():
            choice(name, label, range(len(columns)), lambda at: numbered_name(columns, at, "column"))
    else:
        choice("row_labels", "First column has names", [True, False], _YES_NO.get)
    if not sheets and (report is None or report.delimiter is not None):
        choice("delimiter", "Delimiter", list(DELIMITERS), DELIMITERS.get)
        choice("encoding", "Encoding", ENCODINGS)
    choice("decimal", "Decimal sign", [".", ","], _SIGNS.get)
    choice("thousands", "Thousands sign", list(_SIGNS), _SIGNS.get)
    place().checkbox("Zero means missing", key="table_zero", persist_state="session")
    place().button(
        "Back to what was guessed",
        on_click=forget,
        args=(tuple(FIELD_STARTS),),
        key="table_guess",
        disabled=not statements(),
    )


def numbered_name(names: Sequence[str], at: int | str | tuple, noun: str) -> str:
    """'2: Tea' for position 1, 'column 2' where it has no name; a guess, which is a name already, stays as it is; of
    several positions those of all."""
    if isinstance(at, tuple):
        return " + ".join(numbered_name(names, one, noun) for one in at)
    if isinstance(at, str):
        return at
    return f"{at + 1}: {names[at]}" if at < len(names) and names[at] else name_of(None, at, noun)


def roles_of_columns(report: TableReport) -> None:
    """Draws what the columns and rows of a wide table are, set to what was found; a click changes it."""
    if report.roles is None:
        return
    with st.container(border=True):
        look.panel("What the columns are", "click a column to change it")
        _columns(report.file_columns, report.roles)
        for line, why in report.roles.rows[:6]:
            _row(line, f"is left alone: {why}", "Use as ratings", "keep_rows")
        for line in said("keep_rows"):
            _row(line, "holds ratings, as you said", "Ignore", "leave_rows")
        styles = (column.style for column in report.roles.columns if column.role == RATING)
        scales = dict.fromkeys(style for style in styles if style and style.name == "words" and not style.template)
        for number, style in enumerate(scales):
            _order(tuple(text for text, _ in style.values), f"order_{number}")


def _columns(names: Sequence[str], roles: Roles) -> None:
    """A chip for each column, pressed where it holds ratings, or a list of those that hold none; the column with the
    names of the rows; and those that describe the rows."""
    offered = [j for j, column in enumerate(roles.columns) if column.role in (RATING, ALONE)]
    key = f"table_pills_{hash(roles.columns)}"
    press: dict[str, Any] = {"key": key, "on_change": _press, "args": (key, tuple(offered))}
    guarded = st.session_state.get("table_guarded", ())

    def label(j: int) -> str:
        why = roles.columns[j].why if roles.columns[j].role == ALONE else ""
        why = "because of its name" if why.startswith("called ") else why
        drawn = f" {GUARDED}" if roles.columns[j].role == RATING and j in guarded else ""
        return look.as_markdown(names[j]) + drawn + (f": {why}" if why and why != YOU_SAID_SO else "")

    chips, names_of_rows = st.columns([3, 1])
    if len(offered) <= MANY_COLUMNS:
        words, rated = "Rating columns (click to exclude)", roles.of(RATING)
        chips.pills(words, offered, selection_mode="multi", default=rated, format_func=label, wrap=True, **press)
    else:
        words = "Ignored columns, written back unchanged"
        chips.multiselect(words, offered, roles.of(ALONE), lambda j: numbered_name(names, j, "column"), **press)
    named = roles.of(NAME)
    choices, key = [None, *range(len(roles.columns))], f"table_naming_{hash(tuple(named))}"
    names_of_rows.selectbox(
        "Names of the rows",
        choices,
        index=choices.index(named[0]) if named else 0,
        format_func=lambda j: "none" if j is None else numbered_name(names, j, "column"),
        key=key,
        on_change=_name,
        args=(key,),
    )
    key, others = "table_describing", [j for j in choices[1:] if j not in named]
    st.session_state[key] = roles.of(DESCRIBES)
    names_of_rows.multiselect(
        "Columns that describe the rows",
        others,
        format_func=lambda j: numbered_name(names, j, "column"),
        key=key,
        placeholder="such as an age or a class",
        help="Numbers or words from which missing ratings may follow. They come back as they are",
        on_change=_describe,
        args=(key,),
    )


def _press(key: str, offered: tuple[int, ...]) -> None:
    """Says of every column what it is, so that the others stay as they are when one is clicked."""
    if (pressed := st.session_state.get(key)) is None:  # a click on chips that have gone with their table
        return
    others = (*said("names"), *said("describes"))  # said since the chips were drawn
    parts = [tuple(j for j in offered if j not in others and (j in pressed) is there) for there in (True, False)]
    rated, alone = parts if len(offered) <= MANY_COLUMNS else parts[::-1]
    st.session_state.update({"table_ratings": rated, "table_leave_alone": alone})


def _name(key: str) -> None:
    if key not in st.session_state:
        return
    chosen = st.session_state[key]
    forget(("names", "row_labels"))
    if chosen is None:
        st.session_state["table_row_labels"] = False
    else:
        say("names", (chosen,))


def _describe(key: str) -> None:
    forget(("describes",))
    say("describes", tuple(st.session_state.get(key, ())))


def _row(line: int, sentence: str, answer: str, option: str) -> None:
    words, button = st.columns([3, 1], vertical_alignment="center")
    with words:
        look.small(f"Line {line:,} {sentence}.")
    button.button(answer, key=f"table_row_{line}", on_click=say, args=(option, (line,)))


def _order(words: tuple[str, ...], name: str) -> None:
    field, button = st.columns([3, 1], vertical_alignment="bottom")
    key = f"table_{name}_{hash(words)}"
    args = key, words
    field.text_input("Order of the words, the lowest first", _ORDER.join(words), key=key, on_change=_use, args=args)
    button.button("Turn it around", key=f"{key}_turn", on_click=_set_order, args=(words, words[::-1]))


def _use(key: str, words: tuple[str, ...]) -> None:
    """Takes the order that is written in a field."""
    order = tuple(dict.fromkeys(word.strip() for word in st.session_state[key].split("<") if word.strip()))
    if len(order) > 1:
        _set_order(words, order)


def _set_order(words: tuple[str, ...], order: tuple[str, ...]) -> None:
    others = tuple(scale for scale in said("words") if set(scale) not in (set(words), set(order)))
    st.session_state["table_words"] = (*others, order)


def other_sheets(sheets: Sequence[str], sheet: str | None) -> None:
    """Draws which sheet of a workbook was read, with a button for each of the others."""
    if len(sheets) < 2:
        return
    read = list(sheets).index(sheet) if sheet is not None and sheet in sheets else None
    key = f"table_part_sheet_{read}"
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
        forget()
        st.session_state["table_sheet"] = chosen


def refused(upload: Upload, error: TableError) -> None:
    """Draws why a file could not be read, and the answers to it, each of one click."""
    other_sheets(error.sheets, error.sheet)
    if error.doubts:
        look.panel(f"{counted(len(error.doubts), 'question')} before your table is filled in")
    else:
        look.note(f"{upload.name}: {error}.", "warning")
    for number, doubt in enumerate(error.doubts):
        _ask(doubt, number)
    if len(error.doubts) > 1 and all(doubt.answers for doubt in error.doubts):
        st.button("Take the first answer to each", key="table_answer_all", on_click=_say_all, args=(error,))
    if error.doubts:
        _first_lines(error)
    of_form = [_is_of_form(doubt) or not doubt.words and len(doubt.answers) < 2 for doubt in error.doubts]
    if any(of_form) or not of_form:
        _corrected(error)


def _first_lines(error: TableError) -> None:
    """Draws the first lines of a file that has questions, with the columns in question."""
    asked = {j for doubt in error.doubts for j in doubt.columns}
    columns = sorted({*asked, *range(len(error.columns))}, key=lambda j: (j > 0, j not in asked))[:_MOST_SHOWN]
    columns.sort()
    names = [error.columns[j] for j in columns]
    with st.container(key="table_questions"):
        look.panel("First lines", "as they are in the file")
        show_texts(names, [[line[j] for j in columns] for line in error.first_lines], "table_first_lines")


def show_texts(names: Sequence[str], lines: Sequence[Sequence[str]], key: str) -> None:
    """Draws some lines of a table as texts, whatever they hold."""
    labels = {str(j): name for j, name in enumerate(names)}
    st.dataframe(
        [dict(zip(labels, line)) for line in lines],
        hide_index=True,
        column_config={place: st.column_config.TextColumn(name) for place, name in labels.items()},
        key=key,
    )


def _say_all(error: TableError) -> None:
    """Gives the likeliest answer to each question."""
    for doubt, answer in likeliest_answers(error.doubts):
        say(answer.option, _values_of(answer, doubt))


def _corrected(error: TableError) -> None:
    """Draws which columns there are, to leave some alone, and how the file is read."""
    if error.columns and len(error.columns) <= MANY_COLUMNS:
        key = f"table_refused_{hash(said('leave_alone'))}"
        st.pills(
            "Or click a column that holds no ratings: it is kept unchanged",
            range(len(error.columns)),
            format_func=lambda j: look.as_markdown(error.columns[j]),
            wrap=True,
            key=key,
            on_change=lambda: say("leave_alone", (st.session_state[key],)),
        )
    with st.expander("How it is read", expanded=True):
        corrections(error.columns, error.sheets)


def _key_of(doubt: Doubt, key: str, number: int) -> str:
    """The key of the button of an answer."""
    if len(doubt.answers) == 1 and doubt.answers[0].option == "missing_markers":
        return f"table_suspect_{doubt.answers[0].values[0]}"
    return f"table_answer_{number}" if _is_of_form(doubt) else f"{key}_{number}"


def _is_of_form(doubt: Doubt) -> bool:
    """Whether a question is about how the file is written, and not what columns and texts mean."""
    return any(answer.option not in (*ROLES, "missing_markers") for answer in doubt.answers)


def _positions(values: tuple, places: dict[str, int]) -> tuple:
    """The positions of the columns that an answer names, some of them together."""
    return tuple(_positions(v, places) if isinstance(v, tuple) else places.get(v, v) for v in values)


def _values_of(answer: Answer, doubt: Doubt) -> tuple:
    """The values of an answer, columns by their positions."""
    if answer.option not in (*_RIVALS[0], "columns"):
        return answer.values
    return _positions(answer.values, dict(zip(doubt.names[::-1], doubt.columns[::-1])))


def _ask(doubt: Doubt, place: int = 0) -> None:
    """Draws a question that has to be answered before anything is filled in."""
    key = f"table_doubt_{[*doubt.columns, ''][0]}{'_' * place}"
    sentence = f"{doubt.question[:1].upper()}{doubt.question[1:]}."
    look.note(f"{sentence} In which order are they?" if doubt.words else sentence, "warning")
    if doubt.words:
        _order(doubt.words, "new_order")
    with st.container(horizontal=True):
        if doubt.words:
            order = f"table_new_order_{hash(doubt.words)}", doubt.words
            st.button("Use this order", type="primary", key=f"{key}_use", on_click=_use, args=order)
        for number, (words, option, _) in enumerate(doubt.answers):
            st.button(
                look.as_markdown(f"{words[:1].upper()}{words[1:]}"),
                type="secondary" if number or doubt.words else "primary",
                key=_key_of(doubt, key, number),
                on_click=say,
                args=(option, _values_of(doubt.answers[number], doubt)),
            )

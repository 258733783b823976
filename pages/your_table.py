"""Your table: a table in, every gap filled in with an interval, how far to trust it, and out
again."""

import logging
import traceback
from pathlib import Path, PurePath

import streamlit as st

from metamf.checkpoints.info import CheckpointError
from metamf.tables.limits import WEB, TableError
from metamf.webapp import choices, frame, jobs, look
from metamf.webapp.data import box, own
from metamf.webapp.engine import EngineError
from metamf.webapp.your_table import check, downloads, filling, for_a_paper, preview
from metamf.webapp.your_table.cells import cells
from metamf.webapp.your_table.not_at_random import not_at_random


def start() -> None:
    """Draws the page for a visitor without a table."""
    look.title(
        "Your own table, filled in",
        "Bring any table of numbers. It is filled in at once, every gap with an interval, and a "
        "check on your own numbers shows how far to trust them.",
    )
    box.box()
    box.example()
    look.small(
        "A line per row, or a line per cell (row, column, value): either will do. Empty cells, NA, "
        "NaN, null, - and ? are gaps; zero is a number."
    )
    box.privacy()


def filled_in(upload: own.Upload) -> None:
    """Draws the table filled in, how it was read and how good it is, and the files."""
    head, take_away = st.columns([4, 1], gap="small")
    first_lines = st.container()
    settings = st.container()
    rest = st.container()
    try:
        table = own.table(upload, WEB)
    except TableError as error:
        with head:
            refused(upload, error)
        return
    key = own.key()
    answer = None
    with settings:
        if not table.nothing_to_fill:
            check.begin(table, key)
            about = filling.chosen(key, table)
            how = filling.method_of(about, check.known_errors(key))
            try:
                answer = filling.answer_of(table, about, how)
            except EngineError as error:
                jobs.show_end(error)
    with head:
        done = preview.filled_sentence(table) if answer is not None else table.nothing_to_fill
        look.title(
            f"{upload.name}: {done[:1].lower()}{done[1:].rstrip('.')}" if done else upload.name
        )
        st.html(preview.legend(table))
    with first_lines:
        preview.preview(table, answer, upload.name)
    with rest:
        ways(upload)
        if answer is not None:
            downloads.command(upload, how, about, answer)
        look.heading("How it was read")
        preview.columns_sheet(table)
    if answer is None:
        return
    table = own.with_ratings(table, answer.ratings)
    report = check.known_errors(key)
    with take_away:
        useful = report is None or bool(report.winners)
        downloads.main_download(upload, table, answer, useful)
    with rest:
        if unlike := filling.unlike_training(table, about, how):
            look.small(unlike)
        check.how_good(table, key, how)
        not_at_random(answer, about)
        cells(table, answer, about)
        for_a_paper.for_a_paper(upload, table, answer, how, about, report)
        downloads.downloads(upload, table, answer)


def ways(upload: own.Upload) -> None:
    """Draws the ways on: to Explore with the same table, and to an end."""
    with st.container(horizontal=True, vertical_alignment="center"):
        box.to_explore(choices.explore_own, "table")
        st.button(
            "Forget my table", icon=":material/delete:", on_click=own.forget, key="table_forget"
        )


def refused(upload: own.Upload, error: TableError) -> None:
    """Draws why a file could not be read, and what may be done."""
    look.title(upload.name)
    look.note(f"{error}.", "warning")
    with st.container(horizontal=True):
        if own.edits():
            st.button("Undo the last change", key="table_undo", on_click=own.undo)
        st.button(
            "Forget my table", icon=":material/delete:", on_click=own.forget, key="table_forget"
        )
    box.box()


frame.ensure()
st.html(Path(preview.__file__).with_name("style.css"))
held = own.held()
with look.place("page", None if held is None else held.digest):
    if held is None:
        start()
    else:
        try:
            filled_in(held)
        except (EngineError, MemoryError, CheckpointError):
            raise  # the frame around all pages has a sentence for them
        except TableError as error:
            look.note(f"{error}.", "warning")
        except Exception as error:  # logged without its message, which may quote a number
            at = traceback.extract_tb(error.__traceback__)[-1]
            file = PurePath(at.filename).name
            where = f"{type(error).__name__} in {at.name}, {file}:{at.lineno}"
            logging.getLogger("metamf.webapp").error("Your table: %s", where)
            look.note("This table could not be filled in: choose another method.", "warning")
        box.privacy()

"""The upper part of "Your table": before the upload, and how the file was understood."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from metamf.tables.limits import WEB, TableError
from metamf.tables.roles import ALONE
from metamf.tables.sums import sounds_like_a_sum
from metamf.tables.table import Table, TableReport
from metamf.webapp import files, look
from metamf.webapp.engine import engine
from metamf.webapp.session import remember
from metamf.webapp.your_table import state, uploads
from metamf.webapp.your_table.uploads import Upload
from metamf.wording import MIB, counted, first_few, name_of, percent, shown

_PREVIEW = (6, 8)  # rows and columns
PRIVACY = (
    "Your file stays in the memory of this session and, while it is read or filled in, of a worker process of this "
    "server or its cluster. No other visitor can reach it, and it is never written to a log or a shared cache, nor to "
    "a disk, except for an SPSS file while it is read. "
    "It is gone when you press “Forget my table”, or within three minutes after you close the "
    "page. "
    "Workers get the numbers without any name, to check the methods for you alone. A tuned copy of the network, which "
    "holds no rating, is kept until you leave. Nothing else learns from your file."
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
            key=state.uploader_key(),
            max_upload_size=WEB.bytes // MIB,
            on_change=state.keep_upload,
        )
        limits = WEB.within(engine().memory)
        look.small(
            "CSV with any delimiter, Excel or NumPy, also compressed with gzip. "
            f"Up to {limits.matrix_rows:,} rows and {limits.matrix:,} cells. Larger files are refused."
        )
        state.offers()
    with example:
        look.panel("No file at hand?")
        st.button(
            "Try an example",
            icon=":material/local_movies:",
            on_click=lambda: state.bring(state.example()),
            key="table_example",
        )
        look.small("20 people, 14 films, and most ratings missing. Or download it, to see what such a file looks like.")
        files.offer(
            "Download the example",
            lambda: state.example().content,
            "hot-or-mild.csv",
            key="table_example_file",
            type="tertiary",
        )
    st.markdown("**Either form will do.** Empty cells, NA, NaN, null, - and ? are missing; zero is a rating.")
    wide, long = st.columns(2, gap="large")
    with wide:
        look.panel("Wide", "one line per row of the table")
        st.code("name,Tea,Coffee,Juice\nAda,5,,3\nBen,,4,1\nCleo,2,,", language=None, wrap_lines=True)
    with long:
        look.panel("Long", "one line per rating")
        st.code("person,drink,rating\nAda,Tea,5\nAda,Juice,3\nBen,Coffee,4", language=None, wrap_lines=True)
    privacy()


def privacy() -> None:
    """Draws what happens to the visitor's file."""
    with st.container(border=True):
        look.panel("What happens to your file")
        look.small(PRIVACY)


def understood(upload: Upload) -> Table:
    """Reads the file as the visitor says; where that fails, draws why and ends the page."""
    about = uploads.statements()
    try:
        table = remember(
            "table", uploads.key_of(upload), lambda: uploads.read_upload(upload, about, WEB), "Reading the file …"
        )
    except TableError as error:
        with look.place("refused", True):
            uploads.refused(upload, error)
        if len(upload.content) > MIB:  # its matrix may be too large to be filled in whole
            look.small("On this page all cells are filled in. Explore takes larger matrices, and shows a part of them.")
        st.stop()
    look.place("refused", False)  # the questions before go at once
    report = table.report
    uploads.other_sheets(report.sheets, report.sheet)
    for text, count in report.suspected:
        sentence = f"{text} is in {count:,} cells and looks like a mark for “missing”. It was read as a rating."
        answer = f"{look.as_markdown(text)} means missing"
        look.note_with_button(sentence, answer, f"table_suspect_{text}", uploads.say, "missing_markers", (text,))
    for text in uploads.markers(uploads.said("markers")):
        sentence = f"{text} counts as missing, as you said."
        look.note_with_button(sentence, "Undo", f"table_suspect_{text}", uploads.call_rating, text)
    (n_rows, n_cols), ratings = report.shape, report.observed
    look.finding(
        f"{counted(n_rows, 'row')} and {counted(n_cols, 'column')}: {ratings:,} of {counted(n_rows * n_cols, 'cell')} "
        f"{'holds' if ratings == 1 else 'hold'} a rating ({percent(ratings / (n_rows * n_cols), digits=3)})."
    )
    uploads.roles_of_columns(report)
    if ratings < n_rows * n_cols and (totals := _totals(report)):
        which = first_few(totals, 4)
        many = len(totals) > 1
        look.note(
            f"{which[:1].upper()}{which[1:]} {'are' if many else 'is'} left unchanged, so totals no longer match the "
            "filled-in cells."
        )
    with st.expander(f"How {look.as_markdown(upload.name)} was understood, and corrections"):
        guess, correct = st.columns([1.2, 1], gap="large")
        with guess:
            for sentence in report.sentences()[1:]:
                look.small(sentence)
            look.panel("First rows", "as they were read")
            _preview(table)
        with correct:
            uploads.corrections(report.file_columns, report.sheets, report)
    return table


def _totals(report: TableReport) -> list[str]:
    """The columns and rows left alone that sum up the others."""
    roles = report.roles
    if roles is None:
        return []
    columns = [shown(report.file_columns[j]) for j in roles.of(ALONE) if _is_total(roles.columns[j].why)]
    return columns + [f"line {line:,}" for line, why in roles.rows if _is_total(why)]


def _is_total(why: str) -> bool:
    """Whether a column or a line is left alone because it sums up others, by arithmetic or by its name."""
    by_name = why.startswith("called ") and sounds_like_a_sum(why.removeprefix("called "))
    return by_name or why.endswith(
        (" of other columns", " in another unit", " of the lines above", " of the lines below")
    )


def _preview(table: Table) -> None:
    """Draws the first rows and columns as texts."""
    n, m = (min(size, most) for size, most in zip(table.ratings.shape, _PREVIEW))
    part = table.ratings.submatrix(np.arange(n), np.arange(m))
    frame = pd.DataFrame(part.to_dense()).map(lambda x: "" if np.isnan(x) else f"{x:.6g}")
    lines = [[name_of(part.row_labels, i, ""), *texts] for i, texts in enumerate(frame.to_numpy().tolist())]
    uploads.show_texts(["", *(name_of(part.col_labels, j, "") for j in range(m))], lines, "table_preview")

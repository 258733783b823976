"""The upper part of "Your table": before the upload, and how the file was understood."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import streamlit as st

from metamf.tables import MIB, WEB, Table, TableError, read_table
from metamf.webapp import look
from metamf.webapp.your_table import from_matrix as take_away
from metamf.webapp.your_table import state as table_state
from metamf.webapp.your_table.corrections import corrections
from metamf.webapp.your_table.state import Upload

_MANY = MIB  # bytes of a file whose matrix may be too large to be filled as a whole
_PREVIEW = (6, 8)  # rows and columns
PRIVACY = (
    "Your file stays in the memory of this session: no other visitor can reach it, it is written to no disk, no log, "
    "no shared cache, and nothing of it is sent to anybody else; a download has an address that nobody can guess. All "
    "is gone when you press “Forget my table” or close the page; a file on the first page, when you remove it there. "
    "Nothing learns from it."
)


def style() -> None:
    """What this page adds to the style of all."""
    look.hide_controls()
    st.html(Path(__file__).with_name("style.css"))


def start() -> None:
    """What a visitor sees who has brought nothing yet."""
    file, example = st.columns([2, 1], gap="large")
    with file:
        st.file_uploader(
            "A table of ratings",
            key=table_state.uploader_key(),
            max_upload_size=WEB.bytes // MIB,
            on_change=table_state.keep_upload,
        )
        look.small(
            "CSV in any dialect, Excel or NumPy, gzip too, whatever the file is called. "
            f"{WEB.sentence()} Past a limit you are told; nothing is cut."
        )
        take_away.offers()
    with example:
        look.panel("No file at hand?")
        st.button(
            "Try an example", icon=":material/local_movies:", on_click=table_state.keep_example, key="table_example"
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
    with st.container(border=True):
        look.panel("What happens to your file")
        look.small(PRIVACY)


def understood(upload: Upload) -> Table:
    """Reads the file as the visitor says; where that fails, one sentence, the settings to correct it, and the end."""
    try:
        options = table_state.read_options()
        table = table_state.remember(
            "table",
            (upload.digest, options),
            lambda: read_table(upload.content, upload.name, options),
            "Reading the file …",
        )
    except TableError as error:
        look.note(f"{upload.name}: {error}.", "warning")
        for text in error.markers:
            st.button(
                f"{text} means missing",
                type="primary",
                on_click=table_state.call_missing,
                args=(text,),
                key=f"table_suspect_{text}",
            )
        if len(upload.content) > _MANY:
            look.small(
                "On this page all cells are filled in. The page Fill in takes larger matrices, as “Your own "
                "file”, and shows a part of them."
            )
        with st.expander("How it is read", expanded=True):
            corrections(error)
        st.stop()
    report = table.report
    for text, count in report.cells.suspected:
        _question(
            f"{text} stands in {count:,} cells and looks like a mark for “missing”. It was read as a rating.",
            f"{text} means missing",
            table_state.call_missing,
            text,
        )
    for text in table_state.called_missing():
        _question(f"{text} counts as missing, as you said.", "Undo", table_state.call_rating, text)
    sentences = report.sentences()
    look.finding(sentences[0])
    with st.expander(f"How {upload.name} was understood, and corrections"):
        guess, correct = st.columns([1.2, 1], gap="large")
        with guess:
            for sentence in sentences[1:]:
                look.small(sentence)
            look.panel("First rows", "as they were read")
            st.dataframe(_preview(table), hide_index=True, key="table_preview")
        with correct:
            corrections(report)
    return table


def _question(sentence: str, answer: str, act: Callable[[str], None], text: str) -> None:
    words, button = st.columns([3, 1], vertical_alignment="center")
    with words:
        look.note(sentence)
    button.button(answer, on_click=act, args=(text,), key=f"table_suspect_{text}")


def _preview(table: Table) -> pd.DataFrame:
    """The first rows and columns; names of columns are made unique, as a data frame's must be."""
    ratings = table.ratings
    n, m = (min(size, most) for size, most in zip(ratings.shape, _PREVIEW))
    part = ratings.submatrix(range(n), range(m))
    X = part.to_dense()
    names = [str(i + 1) for i in range(m)] if part.col_labels is None else [str(label) for label in part.col_labels]
    rows = [str(i + 1) for i in range(n)] if part.row_labels is None else [str(label) for label in part.row_labels]
    cells = [["" if x != x else f"{x:.6g}" for x in X[:, j]] for j in range(m)]
    frame = {"": rows}
    for j, name in enumerate(names):
        frame[name if name and name not in frame else f"{name} ({j + 1})"] = cells[j]
    return pd.DataFrame(frame)

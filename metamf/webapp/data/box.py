"""The box that takes a table, as a file or as pasted cells, and what happens to it there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from metamf.tables.limits import WEB, Limits
from metamf.webapp import address, files, look
from metamf.webapp.address import Link
from metamf.webapp.data import own
from metamf.webapp.data.own import Upload
from metamf.webapp.engine import engine
from metamf.webapp.visits import drop_files
from metamf.wording import MIB

LONGEST = 200_000  # characters that are pasted; more is a file
PASTED = "pasted.csv"
PRIVACY = (
    "Your file stays in the memory of this session and, while it is read or filled in, of a worker "
    "process of this server or its cluster. No other visitor can reach it, and it is never written "
    "to a log or a shared cache, nor to a disk, except for an SPSS file while it is read. It is "
    "gone when you press “Forget my table”, or within three minutes after you close the page. "
    "Workers get the numbers without any name, to check the methods for you alone. Nothing learns "
    "from your file."
)


def box(limits: Limits = WEB) -> None:
    """Draws the box: a file, or cells copied from a spreadsheet."""
    upload, paste = st.columns(2, gap="medium")
    with upload:
        st.file_uploader(
            "A table, as a file",
            key=_key("file"),
            max_upload_size=limits.bytes // MIB,
            on_change=_take_file,
        )
        within = limits.within(engine().memory)
        look.small(
            "CSV with any delimiter, Excel, a data frame or NumPy, also compressed with gzip. Up "
            "to "
            f"{within.matrix_rows:,} rows and {within.matrix:,} cells."
        )
    with paste:
        st.text_area(
            "Or cells, pasted from a spreadsheet",
            key=_key("cells"),
            max_chars=LONGEST,
            height=110,
            placeholder="name\tTea\tCoffee\nAda\t5\t\nBen\t\t4",
        )
        st.button("Fill in these cells", key="table_paste", on_click=_take_cells)


def example() -> None:
    """Draws what visitors without a table may take."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Try an example",
            icon=":material/local_movies:",
            on_click=lambda: own.bring(own.example()),
            key="table_example",
        )
        files.offer(
            "Download it",
            lambda: own.example().content,
            own.example().name,
            key="table_example_file",
            type="tertiary",
        )
        look.small("20 people, 14 films, and most ratings missing.")


def privacy() -> None:
    """Draws what happens to the visitor's table."""
    with st.expander("What happens to your file"):
        look.small(PRIVACY)


def _key(name: str) -> str:
    """The key of a widget of the box: another one after each table, so that it begins empty."""
    return f"table_{name}_{own.version()}"


def _take_file() -> None:
    file: Any = st.session_state.get(_key("file"))
    if hasattr(file, "getvalue"):  # a server that was restarted does not have it any more
        own.bring(Upload(file.name, file.getvalue()))
        drop_files()


def _take_cells() -> None:
    text = st.session_state.get(_key("cells"), "")
    if text.strip():
        own.bring(Upload(PASTED, text.encode()))


def to_explore(take: Callable[[], None], key: str) -> None:
    """Draws the way to Explore; ``take`` makes a matrix the session's own."""
    st.button(
        "Explore it",
        icon=":material/grid_on:",
        key=f"{key}_explore",
        on_click=_explore,
        args=(take,),
    )


def _explore(take: Callable[[], None]) -> None:
    """Opens Explore before anything of this page is drawn again.

    The URL names the table from the start: a fragment of this page may still run when the other
    page is there, and brings the URL as it was.
    """
    take()
    chosen = {key: st.session_state[key] for key in ("data", "keep")}
    query = {key: str(value) for key, value in chosen.items()}
    address.follow(Link("pages/explore.py", chosen, query, keeps=True))

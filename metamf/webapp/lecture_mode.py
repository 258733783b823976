"""Lecture mode: large type and few controls on every page, and the corner of every page that switches it.

Whether it is on is kept in the session under ``LECTURE``, the key of the toggle in the sidebar and its name in the
address, so it outlives the page. The corner has the same switch for pages without a sidebar, and the sheet of keys.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from metamf.webapp import address
from metamf.webapp.look import LECTURE
from metamf.webapp.player.bundle import mount

_ON = ("1", "true", "on", "yes")  # in the address, as people type it
_STYLE = Path(__file__).with_name("lecture.css")
_KEYS = {  # of a page, by its name in addresses; players know theirs
    "lesson": (("Page down", "the next step"), ("Page up", "the step before")),
    "train": (("↑ ↓ ← →", "in the held-out matrix: from cell to cell"),),
    "your_table": (("↑ ↓ ← →", "in the table: from cell to cell"), ("Enter", "in the table: the cell beside it")),
}


def arrive() -> None:
    """Reads the address in the first run of a visit."""
    st.session_state[LECTURE] = st.query_params.get(LECTURE, "").lower() in _ON


def corner(page: str) -> None:
    """Draws the switch of lecture mode and the sheet of keys of a page, by its name in addresses."""
    on = bool(st.session_state.get(LECTURE))
    if not on or LECTURE not in st.query_params:
        address.write(LECTURE, "1" if on else "")
    st.html(f"<style>{_STYLE.read_text('utf-8') if on else ''}</style>")  # one element, so that nothing below it moves
    with st.container(key="corner"):
        data = {"on": on, "keys": _KEYS.get(page, ())}  # lists would be looked through for tables, with pandas
        mount("corner", key="lecture_corner", data=data, on_lecture_change=_switch)


def _switch() -> None:
    st.session_state[LECTURE] = not st.session_state.get(LECTURE)

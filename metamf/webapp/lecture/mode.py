"""Lecture mode, large type and few controls on every page, and the corner of every page that switches it.

Whether it is on stands in the session under ``LECTURE``, which is the key of the toggle in the sidebar and its name in
the address: so it outlives the page. The corner, mounted by ``metamf.webapp.frame``, has the same switch for pages
without a sidebar, and the sheet of keys.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

from metamf.webapp.look import LECTURE
from metamf.webapp.player.bundle import Component

_ON = ("1", "true", "on", "yes")  # in the address, as people type it
_FOLDER = Path(__file__).parent
KEYS: dict[str, list[tuple[str, str]]] = {  # keys of a page, by its name in addresses; players know theirs
    "lesson": [("Page down", "the next step"), ("Page up", "the step before")],
    "train": [("↑ ↓ ← →", "in the held-out matrix: from cell to cell")],
    "your_table": [("↑ ↓ ← →", "in the table: from cell to cell"), ("Enter", "in the table: the cell beside it")],
}


def arrive() -> None:
    """Reads the address; for the first run of a visit."""
    asked = st.query_params.get(LECTURE)
    st.session_state[LECTURE] = asked is not None and asked.lower() in _ON


def switch() -> None:
    """Into lecture mode, or out of it."""
    st.session_state[LECTURE] = not st.session_state.get(LECTURE)


@cache
def style(on: bool) -> str:
    """The style sheet of lecture mode where it is ``on``, as HTML."""
    return f"<style>{(_FOLDER / 'lecture.css').read_text('utf-8') if on else ''}</style>"


@cache
def corner() -> Component:
    """The component in the corner of every page."""
    return Component("metamf_corner", "corner")

"""Lecture mode: large type and few controls on every page, and the corner of every page that switches it.

Whether it is on is kept in the session under ``LECTURE``, the key of the toggle in the sidebar and its name in the
address, so it outlives the page. The corner has the same switch for pages without a sidebar, and the sheet of keys.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

from metamf.webapp.look import LECTURE
from metamf.webapp.player.bundle import Component

_ON = ("1", "true", "on", "yes")  # in the address, as people type it
KEYS: dict[str, list[tuple[str, str]]] = {  # of a page, by its name in addresses; players know theirs
    "lesson": [("Page down", "the next step"), ("Page up", "the step before")],
    "train": [("↑ ↓ ← →", "in the held-out matrix: from cell to cell")],
    "your_table": [("↑ ↓ ← →", "in the table: from cell to cell"), ("Enter", "in the table: the cell beside it")],
}


def arrive() -> None:
    """Reads the address in the first run of a visit."""
    st.session_state[LECTURE] = st.query_params.get(LECTURE, "").lower() in _ON


def switch() -> None:
    """Turns lecture mode on or off."""
    st.session_state[LECTURE] = not st.session_state.get(LECTURE)


@cache
def style(on: bool) -> str:
    """Returns the style sheet of lecture mode where it is ``on``, as HTML."""
    return f"<style>{Path(__file__).with_name('lecture.css').read_text('utf-8') if on else ''}</style>"


@cache
def corner() -> Component:
    """Returns the component in the corner of every page."""
    return Component("metamf_corner", "corner")

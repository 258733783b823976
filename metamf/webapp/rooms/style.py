"""The style sheet of the page Room."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from metamf.webapp.rooms.table import colour_style

_STYLE = Path(__file__).with_name("room.css")


def style() -> None:
    """Applies it."""
    st.html(_STYLE)
    st.html(colour_style())

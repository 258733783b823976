"""What the address of a visit asks for on the page Inside, and whether it is shown."""

from __future__ import annotations

import streamlit as st

from metamf.webapp import look
from metamf.webapp.inside import race_state
from metamf.webapp.matrix.links import not_followed

KEYS = ("experiment", *race_state.KEYS, "change", "shuffle", "other", "stage", "channel", "cell_row", "cell_col")
_OPENED = "inside_opened"


def note() -> None:
    """Says what the address asks for and the page cannot show; once, when the visit opens the page."""
    session = st.session_state
    if session.setdefault(_OPENED, False):
        return
    session[_OPENED] = True
    said = {key: _in_address(session[key]) for key in KEYS if key in session}
    if sentence := not_followed(session.get("asked", {}), said):
        look.note(sentence, "warning")


def _in_address(value: object) -> str:
    """A widget's value as the address writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)

"""An example in one click, with a way back: the matrix on which the paper's own step is too long."""

from __future__ import annotations

import streamlit as st

from metamf.datasets.examples import FULL_HOUSE
from metamf.webapp import look
from metamf.webapp.inside import race_state
from metamf.webapp.matrix.choices import DEFAULT, AppState

CHECKPOINT = "ml-1m"
_KEPT = ("data", "block", "keep", "by", "seed", "model", "steps", "sweeps", *race_state.KEYS)
_BEFORE = "before_too_long"  # what was chosen before the example, by key


def link() -> None:
    """The button that opens the example; none on its own matrix."""
    if AppState.read(st.session_state).data != FULL_HOUSE and st.button(
        "A matrix on which the step is too long", icon=":material/straighten:", key="too_long", on_click=_begin
    ):
        st.rerun()  # of the whole page, as the sidebar has changed


def way_back() -> None:
    """A note on the example and a button that restores what was on the screen before, while the example is shown."""
    before = st.session_state.get(_BEFORE)
    if before is None:
        return
    if AppState.read(st.session_state).data != FULL_HOUSE:  # the visitor has left by another way
        del st.session_state[_BEFORE]
        return
    look.note(
        "The learned step is too long here. Each of these 200 guests rated nearly all of 300 dishes: so many ratings "
        "that the step size that suits small matrices overshoots."
    )
    st.button(f"Back to {before['data']}", icon=":material/undo:", key="too_long_back", on_click=_back)


def _begin() -> None:
    session = st.session_state
    session[_BEFORE] = {key: session.get(key) for key in _KEPT}
    chosen = {"data": FULL_HOUSE, "model": CHECKPOINT} | race_state.RACE_AT_FIRST
    chosen |= {name: getattr(DEFAULT, name) for name in ("keep", "by", "seed", "steps")}
    for key, value in chosen.items():
        session[key] = value


def _back() -> None:
    for key, value in st.session_state.pop(_BEFORE).items():
        if value is not None:
            st.session_state[key] = value

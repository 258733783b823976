"""The way from a step of the lesson to another page of the app, in the state that is to be tried there, and back.

The visitor's own choices in the sidebar, edited ratings and experiments are kept, and are there again on the way back.
"""

from __future__ import annotations

from html import escape
from typing import Any

import streamlit as st

from metamf.webapp import look
from metamf.webapp.inside.race_state import ETA, LAMBDA, SAFE, SEED
from metamf.webapp.lesson.form import TRAIN, Try
from metamf.webapp.lesson.steps import STEPS
from metamf.webapp.matrix.choices import EDIT_DESK, AppState
from metamf.webapp.matrix.ways_on import LESSON_PAGE

AWAY, _BEFORE = "lesson_away", "lesson_before"  # the step that one has left, and the choices before that
_ARRIVED = "lesson_arrived"  # whether the other page has been drawn
_NOTES = "lesson_address"  # the rest of the lesson's address: whether the speaker's notes are shown
_SET = ("data", "block", "keep", "by", "seed", "model", "sweeps", "steps")  # keys of the sidebar's widgets
# keys of the session for what a visitor has left on the pages that steps lead to: edited ratings, methods, experiments
_LEFT = (EDIT_DESK, "methods", "experiment", ETA, LAMBDA, SAFE, SEED)


def leave(step: int, trial: Try) -> None:
    """Sets what is to be tried; the page itself is opened after that."""
    session = st.session_state
    session[_NOTES] = {name: value for name, value in st.query_params.items() if name == "notes"}
    session[AWAY] = step
    if trial.page != TRAIN:  # whose checkpoint the visitor may want to keep
        session.setdefault(_BEFORE, _set_aside() | _choices(AppState.read(session)))
        _choose(_choices(trial.asked) | trial.widgets)


def come_back() -> None:
    """Sets what the visitor had chosen before, however the way back was found. Before any widget is drawn."""
    if st.session_state.get(_ARRIVED):
        if (before := st.session_state.get(_BEFORE)) is not None:
            _set_aside()  # what was left while something was tried
            _choose(before)
        stay()


def stay() -> None:
    """The visitor goes on here, with what was set."""
    for name in (AWAY, _BEFORE, _ARRIVED):
        st.session_state.pop(name, None)


def banner() -> None:
    """Says, on the page to which a step of the lesson has led, what is to be tried there; with the way back.

    Only while the session says that one is away from the lesson (``AWAY``).
    """
    number = st.session_state[AWAY]
    st.session_state[_ARRIVED] = True
    step = STEPS[number - 1]
    with st.container(key="lesson-away", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<p class="mf-note" role="note"><b>Lesson, step {number}: {escape(step.trial.label)}.</b> '
            f"{look.marked(step.trial.do)}</p>"
        )
        if st.button("Back to the lesson", icon=":material/school:", key="lesson-back"):
            st.switch_page(LESSON_PAGE, query_params={"lesson": str(number)} | st.session_state[_NOTES])
        st.button("Stay here", key="lesson-stay", type="tertiary", on_click=stay)


def _set_aside() -> dict[str, Any]:
    """Takes what was left on the other pages out of the session, so that they open as if nobody had been there."""
    session = st.session_state
    return {name: session.pop(name) for name in _LEFT if name in session}


def _choices(state: AppState) -> dict[str, Any]:
    return {name: getattr(state, name) for name in _SET}


def _choose(values: dict[str, Any]) -> None:
    for name, value in values.items():
        st.session_state[name] = value

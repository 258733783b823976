"""The step control: from 0 to T with play, back, forward and the arrow keys. Only what it draws is redrawn.

It is a fragment: a step redraws the fragment's figures and nothing else. While it plays, the fragment runs by itself at
the chosen pace; a whole run of the page, which is cheap, starts and stops that.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st

from metamf.tasks.run import View

PACES = {"slow": 1.4, "normal": 0.7, "fast": 0.35}  # seconds per step
_ECHO = 3.0  # seconds that a slow browser may be behind
_LARGE = 4  # times as long where the cells are too many for their figures to be redrawn in that time


def step_control(view: View, draw: Callable[[View, int], None], play_at_start: bool = False) -> None:
    """The control, and ``draw(view, t)`` below it at the current step ``t``, which pages share and the URL keeps.

    ``play_at_start``: the first result of a session plays from step 0, unless the URL names a step.
    """
    session, T = st.session_state, view.run.T
    session.setdefault("playing", False)
    if "step" in session:
        session.t = session.step  # a slider on another page may have been the last to hold it
    if session.get("shown") is not view.run:
        opening = "shown" not in session
        session.shown, session.playing = view.run, False
        if not opening:
            _move(T)
            session.arrived = True
        elif "t" not in st.query_params and play_at_start:
            _play(T)
    pace = _pace(view) if session.playing else None
    st.fragment(_steps, run_every=pace)(view, draw, pace)


def _steps(view: View, draw: Callable[[View, int], None], pace: float | None) -> None:
    """``pace``: seconds between the runs of this fragment by itself, None if it does not run by itself."""
    session, T = st.session_state, view.run.T
    if session.playing:
        _advance(T, pace)
    if session.playing != (pace is not None) or (session.playing and pace != _pace(view)):
        st.rerun()  # only a run of the whole page starts, stops or changes the timer
    with st.container(key="control", horizontal=True, vertical_alignment="center", gap="small"):
        buttons = st.container(horizontal=True, width="content", gap="small")
        t = st.slider(view.run.round.capitalize(), 0, T, T, key="t", bind="query-params", on_change=_moved)
        if session.pop("arrived", False) and t != session.step:
            st.rerun()  # a slider with another end begins where the URL stands, and follows from its second run on
        session.step = t
        with buttons:
            st.button(
                "Back",
                icon=":material/arrow_back:",
                key="back",
                on_click=_go,
                args=(-1, T),
                shortcut="Left",
                disabled=t == 0,
            )
            label, icon = ("Pause", "pause") if session.playing else ("Play", "play_arrow")
            st.button(label, icon=f":material/{icon}:", key="play", on_click=_toggle, args=(T,), type="primary")
            st.button(
                "Forward",
                icon=":material/arrow_forward:",
                key="forward",
                on_click=_go,
                args=(1, T),
                shortcut="Right",
                disabled=t == T,
            )
        st.segmented_control(
            "Speed", list(PACES), default="normal", key="pace", required=True, label_visibility="collapsed"
        )
    draw(view, t)


def _pace(view: View) -> float:
    return PACES[st.session_state.get("pace", "normal")] * (1 if view.window.dotted else _LARGE)


def _move(t: int) -> None:
    """By a button, a key, or the timer: the slider in the browser follows when the run has ended."""
    session = st.session_state
    if (before := session.get("step", t)) != t:
        session.setdefault("steps_left", {})[before] = time.monotonic()
    session.t = session.step = t


def _moved() -> None:
    """The slider has another value. A step that was left a moment ago by other means than the slider is an echo, if it
    comes with a click or from the timer: a browser that has not moved its slider yet sends its value along."""
    session = st.session_state
    ago = lambda moment: time.monotonic() - moment  # noqa: E731
    sent_along = any(session.get(button) for button in ("back", "forward", "play"))
    sent_along |= ago(session.get("stepped", -_ECHO)) < _ECHO
    if sent_along and ago(session.get("steps_left", {}).get(session.t, -_ECHO)) < _ECHO:
        session.t = session.step
    else:
        session.step = session.t


def _advance(T: int, pace: float | None) -> None:
    """One step on where the time has come; none, and a stop, where somebody has moved the step meanwhile."""
    session = st.session_state
    if session.step != session.played:
        session.playing = False
        return
    if pace is not None and time.monotonic() - session.stepped > 0.8 * pace:
        session.played, session.stepped = min(session.played + 1, T), time.monotonic()
        session.playing = session.played < T
    _move(session.played)


def _play(T: int) -> None:
    session = st.session_state
    step = session.get("step", T)
    session.played, session.stepped, session.playing = 0 if step >= T else step, time.monotonic(), True
    _move(session.played)


def _toggle(T: int) -> None:
    if st.session_state.playing:
        st.session_state.playing = False
    else:
        _play(T)


def _go(by: int, T: int) -> None:
    st.session_state.playing = False
    _move(max(0, min(T, st.session_state.step + by)))

"""Lets a page wait for a job of the engine: it shows the place in the queue, the seconds, and a button that stops it.

A click on anything else stops the job, too. What takes minutes is followed by a fragment instead, and the page goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import TypeVar

import streamlit as st

from metamf.webapp.engine import EngineError, engine, visitor
from metamf.webapp.look import note
from metamf.webapp.session import remember

Result = TypeVar("Result")
SECONDS = 120  # time limit, about ten times what the largest table takes by the slowest method
_SILENT = 1.0  # seconds before anything is shown, so that nothing moves on the page for what is over soon
_KEPT = 12  # results in the session; a run of a million ratings has some 40 MB
_STOPPED = "stopped_job"  # in the session: name of the work that the visitor has stopped


def compute(name: Hashable, function: Callable[..., Result], *arguments: object) -> Result:
    """The result of ``function(*arguments)``, computed by the engine while the page waits.

    The work has a ``name``: what the visitor has stopped is not begun again before they say so. Raises EngineError if
    they have, it took longer than ``SECONDS``, or its process died; ``show_end`` draws that.
    """
    if st.session_state.get(_STOPPED) == name:
        raise EngineError("You stopped this.")
    job = engine().submit(function, *arguments, owner=visitor(), seconds=SECONDS)
    began = time.monotonic()
    place = None
    try:
        while not job.wait(0.05 if place is None else 0.5):
            st.session_state.get(_STOPPED)  # ends this run if the visitor has clicked something else
            waited = time.monotonic() - began
            if place is None and waited >= _SILENT:
                place = st.empty()
                with place.container(horizontal=True, vertical_alignment="center"):
                    words = st.empty()
                    key = f"stop_job_{hash(name)}"
                    st.button("Stop", icon=":material/stop_circle:", on_click=_stop, args=(name,), key=key)
            if place is not None:
                words.markdown(job.waits_for or f"{waited:.0f} s of at most {SECONDS} s")
        return job.outcome()
    finally:
        job.cancel()
        if place is not None:
            place.empty()


def compute_once(name: Hashable, function: Callable[..., Result], *arguments: object) -> Result:
    """``compute``, whose latest results the session keeps by name."""
    return remember("waited for", name, partial(compute, name, function, *arguments), most=_KEPT)


def _stop(name: Hashable) -> None:
    st.session_state[_STOPPED] = name


def show_end(error: EngineError) -> None:
    """Draws why there is no result, and a button to try again."""
    note(str(error), "warning")
    st.button(
        "Try again", icon=":material/refresh:", key="job_again", on_click=st.session_state.pop, args=(_STOPPED, 0)
    )

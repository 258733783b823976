"""Fragments of a page, which run by themselves: counted where a server is observed, and ended by a sentence.

A run of the whole page draws its fragments, too, and is counted by the frame. What a fragment does between two such
runs, such as a phone's look at its room, would be seen by nobody, and neither would its errors; and a visitor would get
Streamlit's own box where the frame has a sentence.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from metamf.webapp import look
from metamf.webapp.monitoring import observing
from metamf.webapp.monitoring.sentences import sentence_on

Arguments = ParamSpec("Arguments")


def fragment(draw: Callable[Arguments, None], name: str, run_every: float | None = None) -> Callable[Arguments, None]:
    """Returns a function that draws a fragment of the page, which then runs alone when its own widgets change.

    Parameters
    ----------
    draw : callable
        Draws it.
    name : str
        Name in the keeper's figures: the page, and what of it.
    run_every : float or None
        Seconds after which it runs again by itself.
    """

    @wraps(draw)
    def observed(*arguments: Arguments.args, **named: Arguments.kwargs) -> None:
        context = get_script_run_ctx()
        if context is None or not context.fragment_ids_this_run:  # the frame sees to whole runs
            return draw(*arguments, **named)
        began = time.perf_counter()
        try:
            draw(*arguments, **named)
        except Exception as error:
            said = sentence_on(error)
            if observing.on or said:
                observing.failed(name, error)
            if said is None:
                raise
            look.note(said, "warning")
        finally:
            if observing.on:
                observing.ran_fragment(name, time.perf_counter() - began)

    return st.fragment(observed, run_every=run_every)

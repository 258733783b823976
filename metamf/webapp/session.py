"""What a session keeps of what was computed for its visitor: the latest result, or job, of each name, by its inputs."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import nullcontext
from typing import Any, TypeVar

import streamlit as st

T = TypeVar("T")
_RESULTS = "table_results"  # in the session: key and value of the latest result, or job, by name


def recall(name: str, key: Hashable) -> Any:
    """The latest result under that name, if it was computed for the same ``key``; else None."""
    kept_key, value = st.session_state.setdefault(_RESULTS, {}).get(name, (None, None))
    return value if kept_key == key else None


def keep(name: str, key: Hashable, value: T) -> T:
    """Keeps a result in place of the one before under the same name, and returns it."""
    forget(name)
    st.session_state[_RESULTS][name] = key, value
    return value


def forget(name: str) -> None:
    """Forgets the latest result under that name; a job that has not ended is cancelled."""
    _, value = st.session_state.setdefault(_RESULTS, {}).pop(name, (None, None))
    if not getattr(value, "ended", True):
        value.cancel()


def remember(name: str, key: Hashable, make: Callable[[], T], waiting: str | None = None) -> T:
    """The result of ``make()``, computed once per ``key``; a spinner says ``waiting`` meanwhile."""
    kept = recall(name, key)
    if kept is None:
        forget(name)  # before the next one takes memory
        with nullcontext() if waiting is None else st.spinner(waiting):
            kept = keep(name, key, make())  # the end of a spinner may be the end of this run
    return kept


def forget_all() -> None:
    """Forgets all results."""
    for name in tuple(st.session_state.get(_RESULTS, ())):
        forget(name)

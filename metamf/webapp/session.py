"""What a session keeps of what was computed for its visitor: the latest results, or jobs, by name and inputs."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import nullcontext
from typing import Any, TypeVar

import streamlit as st

T = TypeVar("T")
_RESULTS = "results"  # in the session: by name, the latest results, or jobs, by key


def recall(name: str, key: Hashable) -> Any:
    """The result under that name that was computed for ``key``, if it is still kept; else None."""
    return _kept().get(name, {}).get(key)


def keep(name: str, key: Hashable, value: T, most: int = 1) -> T:
    """Keeps a result, and of those under the same name the latest ``most``; returns it."""
    _make_room(name, most - 1)
    _kept().setdefault(name, {})[key] = value
    return value


def forget(name: str) -> None:
    """Forgets what is kept under that name; jobs that have not ended are cancelled."""
    _make_room(name, 0)


def remember(name: str, key: Hashable, make: Callable[[], T], waiting: str | None = None, most: int = 1) -> T:
    """The result of ``make()``, computed once per ``key``, the latest ``most`` of them; a spinner says ``waiting``."""
    kept = recall(name, key)
    if kept is None:
        _make_room(name, most - 1)  # before the next one takes memory
        with nullcontext() if waiting is None else st.spinner(waiting):
            kept = keep(name, key, make(), most)  # the end of a spinner may be the end of this run
    return kept


def forget_all() -> None:
    """Forgets all results."""
    for name in tuple(_kept()):
        forget(name)


def _kept() -> dict[str, dict[Hashable, Any]]:
    return st.session_state.setdefault(_RESULTS, {})


def _make_room(name: str, most: int) -> None:
    kept = _kept().get(name, {})
    while len(kept) > most:
        value = kept.pop(next(iter(kept)))
        if not getattr(value, "ended", True):
            value.cancel()

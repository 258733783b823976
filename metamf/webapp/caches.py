"""What is computed once in a session, by its name and its inputs: Streamlit's own cache.

A result is gone when the session ends, and the oldest one when there are too many.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

T = TypeVar("T")


@st.cache_resource(scope="session", max_entries=60, show_spinner=False)
def once(name: Hashable, key: Hashable, _make: Callable[[], T]) -> T:
    """Returns ``_make()``, computed once for a name and inputs."""
    return _make()


@st.cache_resource(scope="session", max_entries=12, show_spinner=False)
def once_large(name: Hashable, key: Hashable, _make: Callable[[], T]) -> T:
    """Returns the same of a large table, which has some ten megabytes."""
    return _make()


def forget_all() -> None:
    """Forgets all results of the session."""
    once.clear()
    once_large.clear()

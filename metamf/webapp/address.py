"""Links: the names of controls in the URL.

Streamlit reads a URL parameter into the widget with the same key (``bind="query-params"``) and silently drops what the
widget does not take.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

T = TypeVar("T")

ARRIVED = "link_arrived"  # in the session: the URL of the first run has been read


def control(key: str) -> dict[str, Any]:
    """Returns the arguments of a widget whose value the URL holds under ``key``."""
    return {"key": key, "bind": "query-params"}


def choose(label: str, options: Iterable[T], key: str, place: DeltaGenerator | None = None, **more: Any) -> T:
    """Draws a choice of exactly one of ``options``, at first the first one, which the URL holds under ``key``.

    A mapping has the words for its keys. ``place``: where it is drawn, by default here.
    """
    words = options.__getitem__ if isinstance(options, Mapping) else str
    how: dict[str, Any] = {"default": next(iter(options)), "required": True, "format_func": words} | control(key)
    return (place or st).segmented_control(label, list(options), **how | more)


def path(place: str) -> str:
    """Returns the path of one of our own addresses on the server, below the path at which the whole app is served."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return f"/{base}/{place}" if base else f"/{place}"


def write(name: str, text: str) -> None:
    """Gives a parameter of the URL that belongs to no widget its text; '' removes it."""
    if not text:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != text:
        st.query_params[name] = text


def arrive(older: Callable[[Mapping[str, str]], Mapping[str, str]]) -> None:
    """Rewrites the URL as widgets can read it. Call it in the first run of a visit, before a widget is drawn.

    ``older`` returns today's texts for parameters of earlier forms, by name; infinite numbers, on which number inputs
    fail, are removed.
    """
    st.session_state[ARRIVED] = True
    asked = st.query_params
    meant = {name: text for name, text in older(asked.to_dict()).items() if asked.get(name) != text}
    infinite = [name for name in asked if any(map(_is_infinite, asked.get_all(name)))]
    if meant or infinite:
        asked.update({name: [] for name in infinite}, **meant)
        st.rerun()  # widgets read the URL as it was when the run began


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False

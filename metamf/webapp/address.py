"""Links: the names of controls in the URL.

Streamlit reads a URL parameter into the widget with the same key (``bind="query-params"``) and
silently drops what the widget does not take.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

T = TypeVar("T")

_CONTROLS: set[str] = set()  # keys of all controls that were drawn so far, for whomever
_FOLLOWED = "link_followed"  # in the session: the link to open
ARRIVED = "link_arrived"  # in the session: the URL of the first run has been read


def control(key: str) -> dict[str, Any]:
    """Returns the arguments of a widget whose value the URL holds under ``key``."""
    _CONTROLS.add(key)
    return {"key": key, "bind": "query-params"}


def choose(
    label: str, options: Iterable[T], key: str, place: DeltaGenerator | None = None, **more: Any
) -> T:
    """Draws a choice of exactly one of ``options``, at first the first one, which the URL holds
    under ``key``.

    A mapping has the words for its keys. ``place``: where it is drawn, by default here.
    """
    words = options.__getitem__ if isinstance(options, Mapping) else str
    how: dict[str, Any] = {
        "default": next(iter(options)),
        "required": True,
        "format_func": words,
    } | control(key)
    return (place or st).segmented_control(label, list(options), **how | more)


def path(place: str) -> str:
    """Returns the path of one of our own addresses on the server, below the path at which the whole
    app is served."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return f"/{base}/{place}" if base else f"/{place}"


def write(name: str, text: str) -> None:
    """Gives a parameter of the URL that belongs to no widget its text; '' removes it."""
    if not text:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != text:
        st.query_params[name] = text


def arrive() -> None:
    """Removes infinite numbers from the URL, on which number inputs fail.

    Call it in the first run of a visit, before a widget is drawn.
    """
    st.session_state[ARRIVED] = True
    asked = st.query_params
    infinite = [name for name in asked if any(map(_is_infinite, asked.get_all(name)))]
    if infinite:
        asked.update({name: [] for name in infinite})
        st.rerun()  # widgets read the URL as it was when the run began


class Link(NamedTuple):
    """A page with choices: ``values`` of its controls by key, and ``query``, other names in its
    URL.

    All controls that are not named have their default; where ``keeps`` is true, they stay as they
    are.
    """

    page: str
    values: Mapping[str, Any]
    query: Mapping[str, str] = {}
    keeps: bool = False


def follow(link: Link) -> None:
    """Opens a link in the run that comes: the callback of a button.

    The choices before stay in the URL of the page that is left, so the browser's Back leads to
    them.
    """
    st.session_state[_FOLLOWED] = link


def go() -> None:
    """Opens the link that was followed, if one was. Call it before a widget is drawn."""
    session = st.session_state
    link = session.pop(_FOLLOWED, None)
    if link is None:
        return
    for key in () if link.keeps else tuple(_CONTROLS):
        if key in session:
            del session[key]
    session.update(link.values)
    st.switch_page(link.page, query_params=link.query)


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False

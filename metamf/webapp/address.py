"""Links: the names of controls in the URL, and a note on what a link asks for that is not available.

Streamlit reads a URL parameter into the widget with the same key (``bind="query-params"``) and silently drops what the
widget does not take. So the parameters are kept before the first widget is drawn, and compared with what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from metamf.webapp import look
from metamf.wording import first_few, listed, shown

ASKED = "link_asked"  # in the session: the parameters of the link by which the visitor came, until they are compared
_NOTE = "link_note"  # in the session: the note, and the state of the page that it is about
_MOST, _LONGEST = 6, 30  # parameters that are named, and the length of a name
_texts: dict[str, Callable[[Any], str | None]] = {}  # by key: turns a widget's value into text


def control(key: str, text: Callable[[Any], str | None] | None = None) -> dict[str, Any]:
    """Returns the arguments of a widget whose value the URL holds under ``key``; ``text`` is its ``format_func``."""
    _texts[key] = text or _text
    return {"key": key, "bind": "query-params"}


def write(name: str, text: str) -> None:
    """Gives a parameter of the URL that belongs to no widget its text; '' removes it."""
    if not text:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != text:
        st.query_params[name] = text


def arrive(older: Callable[[Mapping[str, str]], Mapping[str, str]]) -> None:
    """Keeps what the URL asks for. Call it in the first run of a visit, before a widget is drawn.

    ``older`` returns today's texts for parameters of earlier forms, by name; the URL is rewritten accordingly.
    """
    asked = st.query_params
    meant = {name: text for name, text in older(asked.to_dict()).items() if asked.get(name) != text}
    st.session_state[ASKED] = {name: asked.get_all(name) for name in asked} | {name: [meant[name]] for name in meant}
    infinite = [name for name in asked if {"inf", "-inf"} & set(_folded(asked.get_all(name)))]  # number inputs fail
    if meant or infinite:
        asked.update({name: [] for name in infinite}, **meant)
        st.rerun()  # widgets read the URL as it was when the run began


def note(place: DeltaGenerator) -> None:
    """Names in ``place`` what the link asks for and the page does not show, until the visitor changes some of it."""
    session = st.session_state
    if (asked := session.get(ASKED)) is not None and asked != {}:
        session[ASKED] = {}
        session[_NOTE] = misfits(asked, {name: _values(name) for name in asked}), {name: _state(name) for name in asked}
    sentence, before = session.get(_NOTE, ("", {}))
    if sentence and all(_state(name) == value for name, value in before.items()):
        with place:
            look.note(sentence, "warning")
    else:
        session.pop(_NOTE, None)


def misfits(asked: Mapping[str, Sequence[str]], found: Mapping[str, Sequence[str]]) -> str:
    """Returns the sentence on the parameters whose texts differ from those found on the page; '' if none does."""
    known = [name for name in asked if name.isidentifier() and len(name) <= _LONGEST]  # others are not ours
    missed = [name for name in known if _folded(asked[name]) != _folded(found.get(name, []))]
    if not missed:
        return ""
    named = [f"{name} {first_few([shown(text) for text in asked[name][:4]])}" for name in missed[:_MOST]]
    return (
        f"This link uses settings that are not available here: {listed([*named, 'more'] if missed[_MOST:] else named)}."
        " Other values are shown instead."
    )


def _state(name: str) -> Any:
    return st.session_state[name] if name in st.session_state else st.query_params.get(name)


def _values(name: str) -> list[str]:
    """What the page shows for a parameter: the value of its widget, or else what is left of it in the URL."""
    session, text = st.session_state, _texts.get(name)
    if text is None or name not in session:
        return st.query_params.get_all(name)
    value = session[name]
    return [str(text(part)) for part in (value if isinstance(value, (list, tuple)) else [value]) if part is not None]


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _folded(texts: Sequence[str]) -> list[str]:
    """Texts to compare regardless of order and case; '47.0' equals '47'."""

    def folded(text: str) -> str:
        try:
            return repr(float(text))
        except ValueError:
            return text.lower()

    return sorted(folded(text) for text in texts if text)

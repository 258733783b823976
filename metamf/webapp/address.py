"""The address is the state: the name of each control in it, and what is said of a link that cannot be shown.

Streamlit reads a parameter of the address into the widget of the same key and drops what the widget does not take,
without a word. So the parameters are kept from before the first widget is drawn, and compared with what is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st
from streamlit.runtime.state import get_session_state

from metamf.webapp import look
from metamf.wording import first_few, listed, shown

# In the session: what the address asked for, and the ``Link`` by which the visitor came, None once all of it is said.
ASKED, LINK = "link_asked", "link"
_REFUSED = "link_refused"
UNREAD = "unread"  # instead of the Link before it has been looked at
_MOST, _LONGEST = 6, 60  # misfits that are named, and characters of what is shown instead
_texts: dict[str, Callable[[Any], str]] = {}  # by key: function that writes a value for the address


class Link(NamedTuple):
    """A link that asks for something that is not to be had.

    Attributes
    ----------
    shown : values that the controls show, by key
    written : texts of the parameters of the address that belong to no widget, by name
    sentence : note for the visitor
    """

    shown: Mapping[str, Any]
    written: Mapping[str, str | None]
    sentence: str


def control(key: str, text: Callable[[Any], str | None] | None = None) -> dict[str, Any]:
    """The arguments of a widget that has a name in the address.

    Parameters
    ----------
    key : the widget's key, which is the name
    text : the widget's ``format_func`` if it has one: the address has the options as they are shown
    """
    _texts[key] = _text if text is None else lambda value: str(text(value))
    return {"key": key, "bind": "query-params"}


def arrive(older: Callable[[Mapping[str, str]], Mapping[str, str]]) -> None:
    """Keeps what the address asks for; for the first run of a visit, before a widget is drawn.

    Parameters
    ----------
    older : gives the texts that an address of an older form means, by name; the address is written as they say
    """
    asked, session = st.query_params, st.session_state
    meant = {name: text for name, text in older(asked.to_dict()).items() if asked.get(name) != text}
    session[ASKED] = {name: asked.get_all(name) for name in asked} | {name: [text] for name, text in meant.items()}
    infinite = [name for name in asked if any(map(_is_infinite, asked.get_all(name)))]
    for name in infinite:  # Streamlit stops where a field of whole numbers reads one
        del asked[name]
    if meant:
        asked.update(meant)
    if meant or infinite:
        st.rerun()  # widgets read the address as it was when the run began


def refuse(name: str, instead: str) -> None:
    """Notes that the parameter ``name``, which belongs to no widget, cannot be shown; ``instead``: what is."""
    st.session_state.setdefault(_REFUSED, {})[name] = [instead]


def rewrite(stays: Callable[[str], bool], **texts: str) -> None:
    """Writes parameters that belong to no widget in one write, for which the history of the browser has one entry.

    (``st.query_params`` can remove parameters in that write only together with those of widgets, which it refuses.)

    Parameters
    ----------
    stays : whether the parameter of a name stays as it is; those of widgets stay in any case
    texts : texts of the parameters that are written, by name
    """
    with get_session_state().query_params() as parameters:
        kept = {name: parameters.get_all(name) for name in parameters if stays(name) or parameters.is_bound(name)}
        parameters.clear_with_no_forward_msg(preserve_embed=True)
        for name, values in kept.items():
            parameters.set_with_no_forward_msg(name, values)
        parameters.update(texts)


def appear(prefix: str) -> None:
    """Notes that controls whose names begin with ``prefix`` are drawn from the next run on: what the address asked of
    them is compared then."""
    session = st.session_state
    session[ASKED] = {name: texts for name, texts in session.get(ASKED, {}).items() if name.startswith(prefix)}
    session[LINK] = UNREAD


def note(place) -> None:
    """Says in ``place`` what the address asks for and is not shown, until the visitor chooses something else."""
    session, link = st.session_state, st.session_state.get(LINK, UNREAD)
    if link == UNREAD:
        link = _link(session)
        session[ASKED] = {name: texts for name, texts in session.get(ASKED, {}).items() if name not in session}
    elif not all(session.get(key) == value for key, value in link.shown.items()) or link.written != _written():
        link = None
    session[LINK] = link
    if link is not None:
        with place:
            look.note(link.sentence, "warning")


def _link(session) -> Link | None:
    values = {key: session[key] for key in _texts if key in session}
    texts = {key: _values(value, _texts[key]) for key, value in values.items()} | session.get(_REFUSED, {})
    sentence = not_followed(session.get(ASKED, {}), texts)
    return Link(values, _written(), sentence) if sentence else None


def _written() -> dict[str, str | None]:
    return {name: st.query_params.get(name) for name in st.session_state.get(_REFUSED, {})}


def not_followed(asked: Mapping[str, Sequence[str]], said: Mapping[str, Sequence[str]]) -> str:
    """The sentence on what an address asks for and is not shown; '' if all of it is shown.

    Parameters
    ----------
    asked : the texts of each parameter of the address
    said : texts of what is shown, in the same form, for those parameters that the page knows
    """
    missed = []
    for name, texts in asked.items():
        if name in said and not _same(texts, said[name]):
            instead = first_few([text[:_LONGEST] for text in said[name]]) or "nothing"
            missed.append(f"{name} {first_few([shown(text) for text in texts[:4]])} ({instead} is shown instead)")
    if not missed:
        return ""
    more = ["more"] if len(missed) > _MOST else []
    return f"The link asks for something that is not to be had here: {listed([*missed[:_MOST], *more])}."


def _values(value: Any, text: Callable[[Any], str]) -> list[str]:
    if value is None:
        return []
    return [text(part) for part in value] if isinstance(value, (list, tuple)) else [text(value)]


def _text(value: Any) -> str:
    """A widget's value as the address writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False


def _same(asked: Sequence[str], said: Sequence[str]) -> bool:
    asked = [text for text in asked if text]
    return len(asked) == len(said) and sorted(map(_folded, asked)) == sorted(map(_folded, said))


def _folded(text: str) -> str:
    """'47.0' and '47', 'True' and 'true' are the same."""
    try:
        return repr(float(text))
    except ValueError:
        return text.lower()

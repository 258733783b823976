"""What the address of a visit asks for: names that older links use, and wishes that the app cannot follow.

Streamlit reads a parameter of the address into the widget of the same key and drops what the widget does not take,
without a word. So the parameters are kept from before the first widget is drawn, and compared with what is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import streamlit as st

from metamf.webapp import look
from metamf.webapp.matrix.checkpoints import checkpoint_choices
from metamf.webapp.matrix.state import GRID, WHOLE, AppState
from metamf.wording import listed, shown

OLDER_TITLES = {"Jester 1, part 1": "jester"}  # of models, in links
EXTENDED = "universal"  # the model that links without a model meant while it was the first one


def open_link() -> None:
    """Keeps the parameters of the address and sets what older links mean by theirs; for the first run of a visit."""
    session = st.session_state
    session.asked = st.query_params.to_dict()
    titles = {name: choice.title for name, choice in checkpoint_choices().items()}
    for name, value in meant(session.asked, titles).items():
        session[name] = value


def note() -> None:
    """Says what the address asks for and is not shown, until the visitor chooses something else."""
    session = st.session_state
    state = AppState.read(session)
    if session.setdefault("linked", state) == state:
        said = {name: value for name, value in asdict(state).items() if name in session}
        choices = checkpoint_choices()
        if state.model in choices:
            said["model"] = choices[state.model].title
        if sentence := not_followed(session.get("asked", {}), said, state.model):
            look.note(sentence, "warning")


def meant(asked: Mapping[str, str], titles: Mapping[str, str]) -> dict[str, Any]:
    """The choices that an address of an older form means, by the keys of their widgets.

    A model may be called by the name of its checkpoint, 'ml-1m', or by an older title. A link that says a number
    of sweeps and no model is from the time when the universal model was the one that pages began with. Of an own grid
    all ratings are given, unless the link says another share.

    Parameters
    ----------
    asked : the parameters of the address
    titles : titles of the checkpoints, by name
    """
    share = {"keep": WHOLE} if asked.get("data") == GRID and "keep" not in asked else {}
    model = asked.get("model")
    model = OLDER_TITLES.get(model, model)
    if model in titles:
        return share | {"model": model}
    if model is None and "sweeps" in asked and EXTENDED in titles:
        return share | {"model": EXTENDED}
    return share


def not_followed(asked: Mapping[str, str], said: Mapping[str, Any], model: str = "") -> str:
    """The sentence on what an address asks for and is not shown; '' if all of it is shown.

    Parameters
    ----------
    asked : the parameters of the address
    said : what is shown, for those parameters that the page has a widget for; the model by its title
    model : the name of the checkpoint that is shown
    """
    asked = {name: OLDER_TITLES.get(text, text) if name == "model" else text for name, text in asked.items()}
    missed = [
        f"{name} {shown(asked[name])} ({value} is shown instead)"
        for name, value in said.items()
        if name in asked and asked[name] not in (str(value), model if name == "model" else str(value))
    ]
    return f"The link asks for something that is not to be had here: {listed(missed)}." if missed else ""

"""The sidebar and the head of Explore: which data, how much of it is given, which model.

Every widget's key is its name in the URL.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from metamf import datasets
from metamf.answer.division import SELECTIONS
from metamf.checkpoints.bundled import list_pretrained
from metamf.webapp import address, look
from metamf.webapp.explore import curve
from metamf.webapp.explore.choices import DATA_SETS, DEFAULT, GRID, TOLD, UPLOAD, AppState, checkpoint_choices

FIRST_HINTS = {  # by the name of the page in URLs
    "": "Ten steps go from the network's guess to these ratings. Play shows them again.",
    "compare": "Who comes closest? Hide more ratings, or add methods.",
    "inside": "Choose an experiment and change something in it.",
    "lesson": "Guess the first rating. Does the model come closer?",
}
_MOST_STEPS, _MOST_SWEEPS = 40, 12  # offered


def sidebar(page: str) -> None:
    """Draws the sidebar of a page, given its name in URLs; ``AppState.read`` reads the choices."""
    begin = f" <b>{FIRST_HINTS[page]}</b>" if page in FIRST_HINTS else ""
    st.html(
        '<p class="mf-brand">MetaMF<small>Nobody rates everything. A network that learned from <i>other</i> people\'s '
        f"ratings of <i>other</i> things fills the gaps.{begin}</small></p>"
    )
    _ratings()
    if page:
        _share()
        _which()
    help = "Another seed draws another film night, or hides other ratings of the same table"
    st.number_input("Seed", 0, 9999, DEFAULT.seed, help=help, **address.control("seed"))
    _model()
    help = "Large type and few controls on every page. The key L does the same"
    st.toggle("Lecture mode", key=look.LECTURE, help=help)


def _ratings() -> None:
    st.subheader("Which ratings")
    examples = datasets.example_matrices()
    linked = st.query_params.get("data") == UPLOAD
    # brought from Your table, or asked for by a link
    own = [UPLOAD] if linked or "table_upload" in st.session_state else []
    options = [*examples, *DATA_SETS, *own, GRID]
    data = st.selectbox(
        "Matrix",
        options,
        index=options.index(DEFAULT.data),
        on_change=_share_of_data,
        help="A table with a row for each person and a column for each thing that people rate",
        **address.control("data"),
    )
    if data in DATA_SETS:
        help = "30 people and 30 things of the data set, none of which the model has seen"
        st.number_input("Block", 1, 9999, DEFAULT.block, help=help, **address.control("block"))
    elif data == UPLOAD:
        st.page_link("pages/your_table.py", label="Your file: Your table", icon=":material/table_edit:")
    elif data in examples:
        look.small(examples[data].description)


class Head(NamedTuple):
    """The places at the head of Explore: ``words`` for its title and finding, ``tools`` above the player, ``sees`` for
    what the model sees."""

    words: DeltaGenerator
    tools: DeltaGenerator
    sees: DeltaGenerator


def head() -> Head:
    """Draws the head of Explore: words, how ratings are given and switches; next to them the curve and the share.

    The frame draws it, as it does the sidebar: widgets of a page forget their values when the visitor leaves it.
    """
    with st.container(key="head"):
        left, right = st.columns([10, 11], gap="large")
    with left, st.container(key="head-words", gap=6):
        words = st.container(gap=6)
        _which()
        tools = st.container(horizontal=True, vertical_alignment="center", key="tools")
    help = "The prior and the factors U and V, step by step, with the formulas"
    tools.toggle("Each step in detail", help=help, **address.control("factors"))
    if TOLD.get(AppState.read(st.session_state).data) in list_pretrained():
        tools.toggle(
            "Tell it the genre", help="Uses a model that also reads genre and year", **address.control("genre")
        )
    with right, st.container(key="head-given", gap=6):
        picture = st.container()
        _share()  # in the first run of a visit only the widget knows what the address asks for
        with picture:
            curve.draw(AppState.read(st.session_state))
        sees = st.container()
    return Head(words, tools, sees)


def _share() -> None:
    label = "Ratings that the model sees"
    st.slider(label, curve.FEWEST, 100, DEFAULT.keep, format="%d %%", **address.control("keep"))


def _which() -> None:
    help = "People rate what they like: one standard deviation more makes a rating e times as likely"
    address.choose("Given ratings", SELECTIONS, "by", default=DEFAULT.by, help=help)


def _model() -> None:
    st.subheader("Which model")
    choices = checkpoint_choices()
    if st.session_state.get("model", DEFAULT.model) not in choices:  # one trained in this visit that is gone
        st.session_state.pop("model", None)

    state = AppState.read(st.session_state)
    told = st.session_state.get("genre", st.query_params.get("genre") == "true")  # its switch is drawn later
    model = st.radio(
        "Model",
        list(choices),
        index=list(choices).index(DEFAULT.model) if DEFAULT.model in choices else 0,
        format_func=lambda name: choices[name].title,
        captions=[choice.caption for choice in choices.values()],
        help="None of them has seen the people and things on this page",
        disabled=replace(state, genre=told).told is not None,
        **address.control("model"),
    )
    if model is not None and choices[model].takes_sweeps:
        help = f"A sweep sets all rows, then all columns, to their best values. Trained with {DEFAULT.sweeps}"
        st.slider("Sweeps T", 1, _MOST_SWEEPS, DEFAULT.sweeps, help=help, **address.control("sweeps"))
    else:
        help = (
            "Each step moves the factors from the network's guess towards the given ratings (MAP: maximum a "
            f"posteriori). Trained with {DEFAULT.steps}"
        )
        st.slider("Steps T", 1, _MOST_STEPS, DEFAULT.steps, help=help, **address.control("steps"))


def _share_of_data() -> None:
    """Gives the model all ratings of a typed grid at first; other data get their share back."""
    session = st.session_state
    if session.data == GRID:
        session.share_before, session.keep = session.get("keep", DEFAULT.keep), 100
    elif "share_before" in session:
        session.keep = session.pop("share_before")

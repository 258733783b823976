"""The sidebar and the head of Explore: which data, how much of it is given, which model.

Every widget's key is its name in the URL.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from metamf import datasets
from metamf.answer.division import SELECTIONS
from metamf.checkpoints.bundled import list_pretrained
from metamf.webapp import address, look
from metamf.webapp.explore import curve
from metamf.webapp.explore.choices import DATA_SETS, DEFAULT, GRID, TOLD, UPLOAD, AppState, checkpoint_choices

FIRST_HINTS = {  # by the name of the page in URLs
    "": "move the slider on the curve, then press Play.",
    "compare": "see which method estimates the hidden ratings best. Then hide more of them, or add other methods.",
    "inside": "choose one of the four experiments and change something in it.",
    "lesson": "guess the rating of the first cell, and see whether the model comes closer.",
}
_MOST_STEPS, _MOST_SWEEPS = 40, 12  # offered


def sidebar(page: str) -> None:
    """Draws the sidebar of a page, given its name in URLs; ``AppState.read`` reads the choices."""
    begin = f" <b>Start here:</b> {FIRST_HINTS[page]}" if page in FIRST_HINTS else ""
    st.html(
        '<p class="mf-brand">MetaMF<small>Most cells of a rating table are empty. A network trained on other tables, '
        f"with other people and other things, fills them in, step by step.{begin}</small></p>"
    )
    _ratings()
    if page:
        _share()
    _which()
    _model()
    help = "Large type and few controls on every page. The key L does the same"
    st.toggle("Lecture mode", key=look.LECTURE, help=help)


def _ratings() -> None:
    st.subheader("Which ratings")
    examples = datasets.example_matrices()
    options = [*examples, *DATA_SETS, UPLOAD, GRID]
    data = st.selectbox(
        "Matrix",
        options,
        index=options.index(DEFAULT.data),
        on_change=_share_of_data,
        help="A table with a row for each person and a column for each thing that people rate",
        **address.control("data"),
    )
    if data in DATA_SETS:
        help = "30 people and 30 things, drawn at random from the data set. The model saw none of them in training"
        st.number_input("Block", 1, 9999, DEFAULT.block, help=help, **address.control("block"))
    elif data == UPLOAD:
        label = "Bring a file: Your table" if "upload" not in st.session_state else "Your file: Your table"
        st.page_link("pages/your_table.py", label=label, icon=":material/table_edit:")
    elif data in examples:
        look.small(examples[data].description)


class Head(NamedTuple):
    """The places at the head of Explore: ``words`` for its title and finding, ``tools`` above the player."""

    words: DeltaGenerator
    tools: DeltaGenerator


def head() -> Head:
    """Draws the head of Explore: beside its words the share of the ratings given, below them its switches.

    The frame draws it, as it does the sidebar: widgets of a page forget their values when the visitor leaves it.
    """
    with st.container(key="head"):
        left, right = st.columns([10, 11], gap="large")
    with left:
        words, tools = st.container(), st.container(horizontal=True, vertical_alignment="center", key="tools")
    help = "The prior and the factors U and V, step by step, with the formulas"
    tools.toggle("Factors", help=help, **address.control("factors"))
    if TOLD.get(AppState.read(st.session_state).data) in list_pretrained():
        help = "Genre and year of each film. A model that was trained with them takes the place of the chosen one"
        tools.toggle("Let the model know the genre", help=help, **address.control("genre"))
    with right:
        curve.draw(AppState.read(st.session_state), _share)
    return Head(words, tools)


def _share() -> int:
    label = "Ratings given to the model, in percent; all others are hidden from it"
    shown: dict[str, Any] = {"label_visibility": "collapsed", "format": "%d %% of the ratings given"}
    return st.slider(label, 5, 100, DEFAULT.keep, **shown, **address.control("keep"))


def _which() -> None:
    st.radio(
        "Which are given",
        SELECTIONS,
        SELECTIONS.index(DEFAULT.by),
        horizontal=True,
        help="At random: every rating is equally likely to be given. Popular columns: the k-th most rated thing has a "
        "weight of 1 / k",
        **address.control("by"),
    )
    help = "The same seed always hides the same ratings, and another seed hides others"
    st.number_input("Seed", 0, 9999, DEFAULT.seed, help=help, **address.control("seed"))


def _model() -> None:
    st.subheader("Which model")
    choices = checkpoint_choices()
    if st.session_state.get("model", DEFAULT.model) not in choices:  # one trained in this visit that is gone
        st.session_state.pop("model", None)

    def title(name: str) -> str:
        return choices[name].title

    model = st.radio(
        "Trained on",
        list(choices),
        index=list(choices).index(DEFAULT.model) if DEFAULT.model in choices else 0,
        format_func=title,
        captions=[choice.caption for choice in choices.values()],
        help="The ratings that the model was trained on. They contain none of the people and things on this page",
        **address.control("model", title),
    )
    if model is not None and choices[model].takes_sweeps:
        help = (
            "A sweep sets all rows, then all columns, to their best values, so nothing can overshoot. The model was "
            f"trained with {DEFAULT.sweeps}"
        )
        st.slider("Sweeps T", 1, _MOST_SWEEPS, DEFAULT.sweeps, help=help, **address.control("sweeps"))
    else:
        help = (
            "Each step moves the factors a little from the network's first guess towards the given ratings (MAP: "
            f"maximum a posteriori, the most probable factors). The model was trained with {DEFAULT.steps}"
        )
        st.slider("MAP steps T", 1, _MOST_STEPS, DEFAULT.steps, help=help, **address.control("steps"))


def _share_of_data() -> None:
    """Gives the model all ratings of a typed grid at first; other data get their share back."""
    session = st.session_state
    if session.data == GRID:
        session.share_before, session.keep = session.get("keep", DEFAULT.keep), 100
    elif "share_before" in session:
        session.keep = session.pop("share_before")

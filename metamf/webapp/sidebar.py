"""The sidebar and the head of Explore: which data, how much of it is given, which model.

Every widget's key is its name in the URL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from metamf import datasets
from metamf.answer.division import SELECTIONS
from metamf.checkpoints.bundled import list_pretrained
from metamf.datasets.examples import FILM_NIGHT
from metamf.webapp import address, look
from metamf.webapp.choices import (
    DATA_SETS,
    DEFAULT,
    FEATURE_MODELS,
    UPLOAD,
    AppState,
    checkpoint_choices,
    explore_own,
)
from metamf.webapp.run import curve

FIRST_HINTS = {  # by the name of the page in URLs
    "": "Choose other ratings or another model: the maps follow.",
    "compare": "Who comes closest? Hide more ratings, or add methods.",
    "inside": "Choose an experiment and change something in it.",
}
FIRST_MATRICES = (FILM_NIGHT, "Hot or mild", "Jokes")
FIRST_MODELS = ("film-nights", "ml-1m", "jester", "universal")
OPENED = "sidebar_opened"  # in the session: whether the visitor has opened Explore's sidebar
_MOST_STEPS = 40
_MOST_SWEEPS = 12


def sidebar(page: str) -> None:
    """Draws the sidebar of a page, given its name in URLs; ``AppState.read`` reads the choices."""
    begin = f" <b>{FIRST_HINTS[page]}</b>" if page in FIRST_HINTS else ""
    st.html(
        '<p class="mf-brand">MetaMF<small>Nobody rates everything. A network that learned from '
        "<i>other</i> people's "
        f"ratings of <i>other</i> things fills the gaps.{begin}</small></p>"
    )
    _ratings()
    # all of a table of one's own at first
    usual = 100 if st.session_state.get("data") == UPLOAD else DEFAULT.keep
    label = "Ratings that the model sees"
    st.slider(label, curve.FEWEST, 100, usual, format="%d %%", **address.control("keep"))
    help = (
        "People rate what they like: a rating one standard deviation higher is 2.7 times as "
        "likely to be given"
    )
    address.choose("Given ratings", SELECTIONS, "by", default=DEFAULT.by, help=help)
    help = "Another seed draws another film night, or hides other ratings of the same table"
    st.number_input("Seed", 0, 9999, DEFAULT.seed, help=help, **address.control("seed"))
    _model()
    if not page:  # the switches of Explore alone
        help = "The prior and the factors U and V, step by step, with the formulas"
        st.toggle("Each step in detail", help=help, **address.control("factors"))
        if FEATURE_MODELS.get(AppState.read(st.session_state).data) in list_pretrained():
            help = "Uses a model that also reads genre and year"
            st.toggle("Tell it the genre", help=help, **address.control("genre"))


def _ratings() -> None:
    st.subheader("Which ratings")
    examples = datasets.example_matrices()
    first = [*FIRST_MATRICES, UPLOAD]
    options = _listed(
        [*first, *(name for name in (*examples, *DATA_SETS) if name not in first)], first, "data"
    )
    data = st.selectbox(
        "Matrix",
        options,
        index=options.index(DEFAULT.data),
        on_change=_share_of_data,
        help="A table with a row for each person and a column for each thing that people rate",
        **address.control("data"),
    )
    st.checkbox("More matrices", key="more_data")
    if data in DATA_SETS:
        help = "30 people and 30 things of the data set, none of which the model has seen"
        st.number_input("Block", 1, 9999, DEFAULT.block, help=help, **address.control("block"))
    elif data == UPLOAD:
        st.page_link(
            "pages/your_table.py", label="How it is read: Your table", icon=":material/table_edit:"
        )
    elif data in examples:
        look.small(examples[data].description)


def head() -> DeltaGenerator:
    """Draws the head of Explore, one line: a place for its title, which it returns, and what opens
    the sidebar."""
    with st.container(key="head", horizontal=True, vertical_alignment="center"):
        words = st.container()
        with st.container(horizontal=True, width="content", key="tools"):
            st.button("Change", icon=":material/tune:", on_click=_open, type="tertiary")
    return words


def _open() -> None:
    st.session_state[OPENED] = True


def _model() -> None:
    st.subheader("Which model")
    choices = checkpoint_choices()
    if (
        st.session_state.get("model", DEFAULT.model) not in choices
    ):  # one trained in this visit that is gone
        st.session_state.pop("model", None)

    state = AppState.read(st.session_state)
    genre = st.session_state.get(
        "genre", st.query_params.get("genre") == "true"
    )  # its switch is drawn later
    first = [name for name in choices if name in FIRST_MODELS or choices[name].own]
    titles = {name: choice.title for name, choice in choices.items()}
    options = _listed(list(choices), first, "model", titles)
    model = st.radio(
        "Model",
        options,
        index=options.index(DEFAULT.model) if DEFAULT.model in options else 0,
        format_func=titles.__getitem__,
        captions=[choices[name].caption for name in options],
        help="None of them has seen the people and things on this page",
        disabled=replace(state, genre=genre).feature_model is not None,
        **address.control("model"),
    )
    st.checkbox("More models", key="more_model")
    if model is not None and choices[model].takes_sweeps:
        key = "sweeps"
        rounds = (1, _MOST_SWEEPS, DEFAULT.sweeps)
        does = "A sweep sets all rows, then all columns, to their best values."
    else:
        key = "steps"
        rounds = (1, _MOST_STEPS, DEFAULT.steps)
        does = (
            "Each step moves the factors from the network's guess towards the given ratings (MAP: "
            "maximum a posteriori)."
        )
    help = f"{does} Trained with {rounds[-1]}"
    st.slider(f"{key.capitalize()} T", *rounds, help=help, **address.control(key))


def _listed(
    options: list[str], first: Sequence[str], key: str, titles: Mapping[str, str] | None = None
) -> list[str]:
    """The options of a control: the ``first`` ones and the chosen one, or all where "More" is on.

    ``titles``: how the URL names the options.
    """
    if st.session_state.get(f"more_{key}") or not first:
        return options
    asked = (st.session_state.get(key), st.query_params.get(key))
    titles = titles or {}
    return [
        name
        for name in options
        if name in first or name in asked or titles.get(name, name) in asked
    ]


def _share_of_data() -> None:
    """Gives the model all of the visitor's own table at first; other data get their share back."""
    session = st.session_state
    if session.data == UPLOAD:
        explore_own()
    elif "share_before" in session:
        session.keep = session.pop("share_before")

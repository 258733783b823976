"""The sidebar: which data, how much of it is given, which model. Every widget's key is its name in the URL."""

from __future__ import annotations

from functools import cache

import streamlit as st

from metamf import datasets
from metamf.evaluate.task import SELECTIONS
from metamf.tables.limits import WINDOW
from metamf.webapp import address, look, uploads
from metamf.webapp.lecture import mode
from metamf.webapp.matrix import links
from metamf.webapp.matrix.choices import (
    DEFAULT,
    FILE,
    GRID,
    LARGEST_STEPS,
    LARGEST_SWEEPS,
    UPLOAD,
    WHOLE,
    checkpoint_choices,
)
from metamf.webapp.matrix.sources import DATA_SETS
from metamf.wording import MIB

_BLOCK, _KEEP, _BY, _SEED, _SWEEPS, _STEPS = map(address.control, ("block", "keep", "by", "seed", "sweeps", "steps"))
_DATA = address.control("data")
_MODEL = address.control("model", lambda name: checkpoint_choices()[name].title)
_PLAY = "press Play. Then hide more ratings, or choose another matrix."
FIRST_HINTS = {  # hint for the beginning on a page, by its name in addresses
    "": _PLAY,
    "watch": _PLAY,
    "compare": "see which method comes closest to the hidden ratings. Then hide more of them, or choose other methods.",
    "inside": "choose one of the three experiments, and change something in it.",
    "lesson": "guess the rating in the first cell. Then look whether the model was closer.",
}
_FILE_TYPES = ["csv", "tsv", "txt", "gz", "xlsx", "xls", "npy", "npz", "dat"]


@cache
def data_options() -> list[str]:
    """Everything that the data list offers."""
    return [*datasets.example_matrices(), *DATA_SETS, UPLOAD, GRID]


@cache
def descriptions() -> dict[str, str]:
    """Description of each example matrix, by name."""
    return {name: example.description for name, example in datasets.example_matrices().items()}


def sidebar(page: str) -> None:
    """Draws the sidebar of a page, which has that name in addresses; ``AppState.read`` reads what was chosen."""
    if address.ASKED not in st.session_state:
        mode.arrive()
        address.arrive(links.older)
    begin = f" <b>Start here:</b> {FIRST_HINTS[page]}" if page in FIRST_HINTS else ""
    st.html(
        '<p class="mf-brand">MetaMF<small>Most cells of a table of ratings are empty. Here a network that learned on '
        f"other tables, with other people and other things, fills them in, step by step.{begin}</small></p>"
    )
    st.subheader("Which ratings")
    options = data_options()
    data = st.selectbox(
        "Matrix",
        options,
        index=options.index(DEFAULT.data),
        **_DATA,
        on_change=_share_of_data,
        help="A table with a row for each person and a column for each thing that people rate",
    )
    if data in DATA_SETS:
        st.number_input(
            "Block",
            1,
            9999,
            DEFAULT.block,
            **_BLOCK,
            help="30 people and 30 things of the data set, drawn at random; the model saw none of them in training",
        )
    elif data == UPLOAD:
        _upload()
    elif data in descriptions():
        look.small(descriptions()[data])

    st.subheader("How many of them")
    st.slider(
        "Shown to the model, in percent of the ratings",
        5,
        100,
        DEFAULT.keep,
        **_KEEP,
        help="The other ratings are hidden from the model: it has to guess them, and they show how far off it is",
    )
    st.radio(
        "Which ones",
        SELECTIONS,
        SELECTIONS.index(DEFAULT.by),
        **_BY,
        horizontal=True,
        help="At random: each rating has the same chance to be shown. Popular columns: ratings of things that many "
        "people rated have the better chance (1 / k for the k-th most rated thing)",
    )
    st.number_input(
        "Seed",
        0,
        9999,
        DEFAULT.seed,
        **_SEED,
        help="The number of the draw: another one hides other ratings, the same one always the same",
    )

    st.subheader("Which model")
    choices = checkpoint_choices()
    if st.session_state.get("model", DEFAULT.model) not in choices:  # one that the visitor trained and that has gone
        st.session_state.pop("model", None)
    model = st.radio(
        "Trained on",
        list(choices),
        index=list(choices).index(DEFAULT.model) if DEFAULT.model in choices else 0,
        **_MODEL,
        format_func=lambda name: choices[name].title,
        captions=[choice.caption for choice in choices.values()],
        help="The ratings on which the model learned. None of the people and things on this page was among them",
    )
    if model is not None and choices[model].takes_sweeps:
        st.slider(
            "Sweeps T",
            1,
            LARGEST_SWEEPS,
            DEFAULT.sweeps,
            **_SWEEPS,
            help="Each sweep sets all rows to their best values, then all columns, so nothing can overshoot. The model "
            f"learned with {DEFAULT.sweeps}",
        )
    else:
        st.slider(
            "MAP steps T",
            1,
            LARGEST_STEPS,
            DEFAULT.steps,
            **_STEPS,
            help="The network makes a first guess, and each step moves it a little towards the ratings that it is "
            f"shown (MAP: maximum a posteriori, the most probable factors). The model learned with {DEFAULT.steps}",
        )

    st.toggle(
        "Lecture mode", key=look.LECTURE, help="Large type and few controls on every page. The key L does the same"
    )


def _share_of_data() -> None:
    """Gives all ratings of an own grid, unless the visitor then says otherwise; other data get their share back."""
    session = st.session_state
    if session.data == GRID:
        session.share_before, session.keep = session.get("keep", DEFAULT.keep), WHOLE
    elif "share_before" in session:
        session.keep = session.pop("share_before")


def _upload() -> None:
    st.file_uploader(
        "A table of ratings", _FILE_TYPES, key="file", on_change=_keep_upload, max_upload_size=WINDOW.bytes // MIB
    )
    look.small(f"{WINDOW.sentence()} It stays in this session only.")
    there = st.session_state.get("table_upload")
    if there is not None and there is not st.session_state.get("upload"):
        name = look.as_markdown(there.name)
        st.button(f"Take {name} from Your table", on_click=_take, args=(there,), key="upload_take")
    if "upload" in st.session_state:
        with st.expander("How it is read"):
            uploads.markers_field(FILE)
            uploads.duplicates_field(FILE)


def _keep_upload() -> None:
    """Keeps the file, since its widget is gone while other data are shown."""
    file = st.session_state.file
    if not hasattr(file, "getvalue"):  # none, or one that the server has not any more, as after a new start
        st.session_state.pop("upload", None)
    else:
        st.session_state.upload = uploads.Upload(file.name, file.getvalue())
        uploads.forget_roles(FILE)
    st.session_state.pop("upload_read", None)


def _take(file: uploads.Upload) -> None:
    """Brings the file that stands on Your table here, too, read as was said there."""
    st.session_state.upload = file
    uploads.copy_statements("table_", FILE)
    st.session_state.pop("upload_read", None)

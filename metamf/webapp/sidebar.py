"""The sidebar: which data, how much of it is given, which model. Every widget's key is its name in the URL."""

from __future__ import annotations

from functools import cache

import streamlit as st

from metamf import datasets
from metamf.tables.limits import WINDOW
from metamf.tasks.task import SELECTIONS
from metamf.webapp import look, uploads
from metamf.webapp.matrix.checkpoints import checkpoint_choices
from metamf.webapp.matrix.sources import DATA_SETS
from metamf.webapp.matrix.state import DEFAULT, FILE, GRID, LARGEST_STEPS, LARGEST_SWEEPS, UPLOAD
from metamf.wording import MIB

_BIND = "query-params"
_FILE_TYPES = ["csv", "tsv", "txt", "gz", "xlsx", "xls", "npy", "npz", "dat"]


@cache
def data_options() -> list[str]:
    """Everything that the data list offers."""
    return [*datasets.example_matrices(), *DATA_SETS, UPLOAD, GRID]


def sidebar() -> None:
    """Draws the sidebar; ``AppState.read`` reads what was chosen."""
    st.html(
        '<p class="mf-brand">MetaMF<small>Matrix factorization that learned on other matrices, '
        "none of whose rows or columns it sees here</small></p>"
    )
    st.subheader("Data")
    options = data_options()
    data = st.selectbox("Matrix", options, index=options.index(DEFAULT.data), key="data", bind=_BIND)
    if data in DATA_SETS:
        st.number_input(
            "Block",
            1,
            9999,
            DEFAULT.block,
            key="block",
            bind=_BIND,
            help="30 rows and 30 columns at random, none of them seen in training",
        )
    elif data == UPLOAD:
        _upload()

    st.subheader("Sparsify")
    st.slider(
        "Kept of the rated cells, in percent",
        5,
        100,
        DEFAULT.keep,
        5,
        key="keep",
        bind=_BIND,
        help="The model is given these. The others are hidden, and its errors are measured on them.",
    )
    st.radio(
        "Which ones",
        SELECTIONS,
        SELECTIONS.index(DEFAULT.by),
        key="by",
        bind=_BIND,
        horizontal=True,
        help="Popular columns: the k-th most rated column is kept with weight 1 / k",
    )
    st.number_input("Seed", 0, 9999, DEFAULT.seed, key="seed", bind=_BIND, help="Another seed hides other cells")

    st.subheader("Model")
    choices = checkpoint_choices()
    model = st.radio(
        "Checkpoint",
        list(choices),
        key="model",
        format_func=lambda name: choices[name].title,
        bind=_BIND,
        captions=[choice.caption for choice in choices.values()],
    )
    if model is not None and choices[model].takes_sweeps:
        st.slider(
            "Sweeps T",
            1,
            LARGEST_SWEEPS,
            DEFAULT.sweeps,
            key="sweeps",
            bind=_BIND,
            help="Each sweep sets all rows to their best values, then all columns. It has no step size, so "
            f"nothing can diverge. The checkpoint learned with {DEFAULT.sweeps}",
        )
    else:
        st.slider(
            "MAP steps T",
            1,
            LARGEST_STEPS,
            DEFAULT.steps,
            key="steps",
            bind=_BIND,
            help="Gradient steps of a fixed size from the prior that the network proposes; the paper's model "
            f"learned with {DEFAULT.steps}",
        )


def _upload() -> None:
    st.file_uploader(
        "A table of ratings", _FILE_TYPES, key="file", on_change=_keep_upload, max_upload_size=WINDOW.bytes // MIB
    )
    look.small(f"{WINDOW.sentence()} It stays in this session only.")
    if "upload" in st.session_state:
        with st.expander("How it is read"):
            uploads.markers_field(FILE)
            uploads.duplicates_field(FILE)


def _keep_upload() -> None:
    """The file outlives its widget, which is gone while other data are shown."""
    file = st.session_state.file
    if file is None:
        st.session_state.pop("upload", None)
    else:
        st.session_state.upload = uploads.Upload(file.name, file.getvalue())
    st.session_state.pop("upload_read", None)

"""Where matrices come from: presets, held-out blocks of data sets, a visitor's file, a visitor's grid.

Data sets and presets are shared by all visitors, read-only. What a visitor brings stays in the visitor's session and is
gone when the page is closed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from metamf import datasets
from metamf.episodes import held_out_blocks, split_rows_and_columns
from metamf.ratings.matrix import Ratings
from metamf.tables import WINDOW, ReadOptions, guess_scale, read_table
from metamf.tasks.task import Matrix
from metamf.webapp.matrix.state import BLOCK

SPLIT = 0  # the bundled checkpoints were meta-trained on this split: its test part shares no row or column with them
GRID_EXAMPLE = pd.DataFrame(
    [[5, 4, np.nan, 1], [4, np.nan, 2, 1], [np.nan, 5, 1, np.nan], [1, 2, 5, np.nan], [np.nan, 1, 4, 5]],
    index=["Ada", "Ben", "Cleo", "Dev", "Ema"],
    columns=["Tea", "Coffee", "Juice", "Water"],
    dtype=float,
)


def preset(name: str) -> Matrix:
    chosen = datasets.example_matrices()[name]
    return Matrix(name, chosen.description, chosen.matrix.ratings, chosen.matrix.truth)


def data_set_of(option: str) -> str | None:
    """The name of the data set that an entry of the data list stands for, or None."""
    return next((name for name, archive in datasets.ARCHIVES.items() if option == archive.title + BLOCK), None)


def held_out_block(name: str, block: int) -> Matrix:
    """A 30 x 30 block of rows and columns that no bundled checkpoint has seen."""
    title = datasets.ARCHIVES[name].title
    ratings = held_out_blocks(_test_part(name), 1, (SPLIT, block), support_share=1.0)[0].support
    description = f"Block {block} of {title}: real people and items that the checkpoint never saw in training."
    return Matrix(f"{title}, block {block}", description, ratings)


@st.cache_resource(show_spinner="Reading the data set …")
def _test_part(name: str) -> Ratings:
    return split_rows_and_columns(datasets.load(name), SPLIT).test


class Upload(NamedTuple):
    name: str
    data: bytes
    digest: str

    @classmethod
    def of(cls, name: str, data: bytes) -> Upload:
        return cls(name, data, hashlib.sha256(data).hexdigest())


class Read(NamedTuple):
    """What is kept of a visitor's file: the matrix, and the sentences on how it was understood."""

    matrix: Matrix
    sentences: tuple[str, ...]


def read_upload(upload: Upload, options: ReadOptions, progress: Callable[[float], None] | None = None) -> Read:
    """The visitor's file; TableError says in one sentence what is wrong with it."""
    table = read_table(upload.data, upload.name, options, progress)
    matrix = Matrix(upload.name or "Your file", "Your file stays in this session only.", table.ratings)
    return Read(matrix, tuple(table.report.sentences()))


def from_grid(grid: pd.DataFrame) -> Matrix:
    """The visitor's grid; cells without a number are missing."""
    X = grid.to_numpy(dtype=float)
    ratings = Ratings.from_dense(
        X,
        row_labels=tuple(map(str, grid.index)),
        col_labels=tuple(map(str, grid.columns)),
        scale=guess_scale(X[~np.isnan(X)]),
    )
    return Matrix("Your grid", "Type numbers, or delete them: everything follows.", ratings)


def read_options() -> ReadOptions:
    """How the visitor's file is to be read; what is left open is guessed."""
    markers = tuple(filter(None, (text.strip() for text in st.session_state.get("markers", "").split(";"))))
    duplicates = st.session_state.get("duplicates", "refuse")
    return ReadOptions(missing_markers=markers, duplicates=duplicates, limits=WINDOW)

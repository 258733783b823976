"""The sources of matrices that all visitors share: example matrices, held-out blocks of data sets.

They are read-only. What a visitor brings stays in the visitor's session and is gone when the page is closed.
"""

from __future__ import annotations

from functools import cache

import streamlit as st

from metamf import datasets
from metamf.evaluate.task import Matrix
from metamf.learning.episodes import held_out_blocks, split_rows_and_columns
from metamf.ratings.matrix import Ratings
from metamf.webapp.matrix.choices import BLOCK

SPLIT = 0  # the bundled checkpoints were meta-trained on this split: its test part shares no row or column with them
DATA_SETS = {archive.title + BLOCK: name for name, archive in datasets.ARCHIVES.items()}  # as the data list names them

_digests: set[str] = set()  # digests of the matrices that were asked for


@cache
def example(name: str) -> Matrix:
    """An example matrix of ``datasets.example_matrices``."""
    chosen = datasets.example_matrices()[name]
    return _public(Matrix(name, chosen.description, chosen.matrix.ratings, chosen.matrix.truth))


def held_out_block(name: str, block: int) -> Matrix:
    """A 30 x 30 block of rows and columns that no bundled checkpoint has seen."""
    title = datasets.ARCHIVES[name].title
    ratings = held_out_blocks(_test_part(name), 1, (SPLIT, block), support_share=1.0)[0].support
    description = f"Block {block} of {title}: real people and things that the model never saw in training."
    return _public(Matrix(f"{title}, block {block}", description, ratings))


def is_public(matrix: Matrix) -> bool:
    """Whether the matrix is one of these, to the last name and number, and not a visitor's."""
    return matrix.digest in _digests


def _public(matrix: Matrix) -> Matrix:
    _digests.add(matrix.digest)
    return matrix


@st.cache_resource(show_spinner="Reading the data set …")
def _test_part(name: str) -> Ratings:
    return split_rows_and_columns(datasets.load(name), SPLIT).test

"""State of the page "Your table": the visitor's file, the settings, and what was computed.

All of it is in the visitor's ``st.session_state``, under keys that begin with ``table_`` or among the results of
``metamf.webapp.session``, in no cache and no log. The address holds the settings of ``settings``, which reveal nothing
of the file.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from metamf.answer.answer import Answer
from metamf.answer.filling import FillSettings, Outside
from metamf.checkpoints.bundled import find_checkpoint, list_pretrained
from metamf.datasets.examples import example_matrices
from metamf.learning.episodes import divide_entries
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.tables import write
from metamf.tables.table import Table
from metamf.webapp import look
from metamf.webapp.explore import grid
from metamf.webapp.explore.choices import UPLOAD
from metamf.webapp.session import forget_all, keep
from metamf.webapp.your_table.uploads import PREFIX, TableKey, Upload

_VERSION = "version_of_table_uploader"  # 0 until a table was brought or forgotten
TUNED = "tuned"  # next to the keys of methods: the network tuned to the table


class ErrorsKey(NamedTuple):
    """The inputs of the errors on hidden ratings; ``outside`` is the rule for ratings outside the scale."""

    table: TableKey
    scale: RatingScale | None
    outside: Outside


class FillingKey(NamedTuple):
    """The inputs that a filling depends on; ``method`` is the key of one, or TUNED."""

    errors: ErrorsKey
    method: str
    settings: FillSettings


def uploader_key() -> str:
    """The key of the widget that takes a file; another one after each table, so that it starts empty."""
    return f"table_file_{st.session_state.setdefault(_VERSION, 0)}"


def keep_upload() -> None:
    """Keeps the file, since its widget is gone once there is a table to show."""
    file: Any = st.session_state.get(uploader_key())
    if hasattr(file, "getvalue"):  # and is still there: a server that was restarted does not have it
        bring(Upload(file.name, file.getvalue()))


def bring(file: Upload) -> None:
    """Replaces the table by ``file``."""
    clear()
    st.session_state.table_upload = file


@cache
def example() -> Upload:
    """Half of the ratings of the guests who like it hot or mild, as a file."""
    ratings = example_matrices()["Hot or mild"].matrix.ratings
    half = divide_entries(ratings, 0.5, np.random.default_rng(0)).support
    return as_file(half, "hot-or-mild.csv")


def as_file(ratings: Ratings, name: str) -> Upload:
    """A matrix as a CSV file."""
    return Upload(name, write.to_csv_wide(ratings))


def explore() -> None:
    """Shows the file on Explore."""
    st.session_state.data = UPLOAD


def clear() -> None:
    """Forgets the file, all that was computed from it, and all settings; the uploader starts again."""
    forget_all()
    for key in [key for key in st.session_state if str(key).startswith(PREFIX)]:
        del st.session_state[key]
    st.session_state[_VERSION] = st.session_state.get(_VERSION, 0) + 1


def with_ratings_of(answer: Answer, table: Table, key: TableKey) -> Table:
    """The visitor's table with the arrays of the same ratings that came back with an answer, in place of its own; of a
    large table they have a hundred megabytes."""
    if answer.ratings.values is table.ratings.values:
        return table
    return keep("table", key, replace(table, ratings=replace(answer.ratings, scale=table.ratings.scale)))


def shared_verdict(key: ErrorsKey) -> dict[str, Any] | None:
    """What all visitors share of the verdict on the example: a dictionary, with its "report" once a worker has sent it;
    None for another table."""
    if not is_example(key):
        return None
    return _verdicts(key, tuple((name, find_checkpoint(name).stat().st_mtime_ns) for name in list_pretrained()))


@st.cache_resource(max_entries=20, show_spinner=False)
def _verdicts(key: ErrorsKey, versions: tuple[tuple[str, int], ...]) -> dict[str, Any]:
    return {}


def is_example(key: ErrorsKey) -> bool:
    """Whether the table is the example."""
    return key.table.digest == example().digest


def offers() -> None:
    """Draws a button for the grid that the visitor typed on Explore."""
    if (typed := grid.desk()).touched and typed.matrix.ratings.nnz:
        file = as_file(typed.matrix.ratings, "grid.csv")
        icon = ":material/move_to_inbox:"
        label = f"Take {look.as_markdown(file.name)} from Explore"
        st.button(label, icon=icon, on_click=bring, args=(file,), type="primary", key="table_take_grid")

"""What the page "Your table" keeps: the visitor's file, what was computed from it, and the settings, all of it in the
visitor's ``st.session_state`` under keys that begin with ``table_``, in no cache, no log and no URL."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np
import streamlit as st

from metamf import datasets
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.tables import ReadOptions, Table, TableError, write

T = TypeVar("T")
GUESS = "guess"
FOUND, UNKNOWN, OTHER = "as found", "no limits", "another one"
SCALES = {
    "thumbs: 0 or 1": RatingScale(0, 1, 1),
    "whole stars: 1 to 5": RatingScale(1, 5, 1),
    "half stars: 0.5 to 5": RatingScale(0.5, 5, 0.5),
    "1 to 10": RatingScale(1, 10, 1),
    "0 to 100": RatingScale(0, 100, 1),
    "−10 to 10, any number": RatingScale(-10, 10),
}
OTHER_SCALE = {"low": 0.0, "high": 10.0, "step": 1.0}  # what the fields start with
SEED = 0  # of the cells that are held out
_PREFIX = "table_"
_VERSION = "version_of_table_uploader"
# Names of ``ReadOptions``: the ones that are guessed, and what all fields start with.
GUESSED = (
    "form",
    "delimiter",
    "decimal",
    "thousands",
    "encoding",
    "header",
    "row_labels",
    "row_column",
    "column_column",
    "value_column",
    "sheet",
)
_STARTS = dict.fromkeys(GUESSED, GUESS) | {"markers": "", "zero": False, "duplicates": "refuse"}


class Upload(NamedTuple):
    name: str
    content: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True)
class Made:
    """A file for the visitor; ``id`` tells one made later from an equal one."""

    name: str
    mime: str
    content: bytes
    id: str = field(default_factory=lambda: uuid.uuid4().hex)


def upload() -> Upload | None:
    return st.session_state.get("table_upload")


def uploader_key() -> str:
    return f"table_file_{st.session_state.setdefault(_VERSION, 0)}"


def keep_upload() -> None:
    """The file outlives its widget, which is gone once there is a table to show."""
    file = st.session_state.get(uploader_key())
    if file is not None:
        clear()
        st.session_state.table_upload = Upload(file.name, file.getvalue())


def keep_example() -> None:
    bring(example())


def bring(file: Upload, markers: str = "", duplicates: str = "refuse") -> None:
    """Puts ``file`` in place of the table that there was, with what was said about its reading elsewhere."""
    clear()
    st.session_state.update(table_upload=file, table_markers=markers, table_duplicates=duplicates)


def example() -> Upload:
    return as_file(datasets.example_matrices()["Film club"].matrix.ratings, "film-club.csv")


def as_file(ratings: Ratings, name: str) -> Upload:
    """A matrix as the CSV file that somebody could have brought."""
    return Upload(name, write.to_csv_wide(write.Filled(ratings, np.full(ratings.shape, np.nan))))


def clear() -> None:
    """Forgets the file, all that was computed from it, and all settings; the uploader starts anew."""
    for key in [key for key in st.session_state if str(key).startswith(_PREFIX)]:
        del st.session_state[key]
    st.session_state[_VERSION] = st.session_state.get(_VERSION, 0) + 1


def recall(name: str, key: Hashable) -> object | None:
    """What was computed under that name, if it was for the same ``key``."""
    kept = st.session_state.setdefault("table_results", {}).get(name)
    return kept[1] if kept is not None and kept[0] == key else None


def keep(name: str, key: Hashable, value: T) -> T:
    """Only the last one of each name is kept."""
    st.session_state.setdefault("table_results", {})[name] = key, value
    return value


def forget(name: str) -> None:
    st.session_state.setdefault("table_results", {}).pop(name, None)


def remember(name: str, key: Hashable, make: Callable[[], T], waiting: str | None = None) -> T:
    """``make()``, computed once per ``key``. ``waiting``: said meanwhile."""
    kept = recall(name, key)
    if kept is None:
        with nullcontext() if waiting is None else st.spinner(waiting):
            kept = keep(name, key, make())  # the end of a spinner may be the end of this run
    return kept


# -- settings ---------------------------------------------------------------------------------------------------------


def read_options() -> ReadOptions:
    """What the visitor said about the file; all else is guessed.

    Raises TableError for what contradicts itself.
    """
    said = {name: st.session_state.get(f"table_{name}", GUESS) for name in GUESSED}
    markers = (text.strip() for text in st.session_state.get("table_markers", "").split(";"))
    return ReadOptions(
        **{name: value for name, value in said.items() if value != GUESS},
        missing_markers=tuple(filter(None, markers)),
        zero_is_missing=st.session_state.get("table_zero", False),
        duplicates=st.session_state.get("table_duplicates", "refuse"),
    )


def has_said() -> bool:
    """Whether the visitor corrected anything about the reading."""
    return any(st.session_state.get(f"table_{name}", start) != start for name, start in _STARTS.items())


def guess_again() -> None:
    for name in _STARTS:
        st.session_state.pop(f"table_{name}", None)


def call_missing(text: str) -> None:
    """A number that looked like a marker is one."""
    st.session_state.table_markers = "; ".join(filter(None, [st.session_state.get("table_markers", ""), text]))
    st.session_state.setdefault("table_called", []).append(text)


def called_missing() -> list[str]:
    """The numbers that were called missing by a click and still are."""
    markers = read_options().missing_markers
    return [text for text in st.session_state.get("table_called", []) if text in markers]


def call_rating(text: str) -> None:
    """Takes ``call_missing`` back."""
    markers = [marker for marker in read_options().missing_markers if marker != text]
    st.session_state.table_markers = "; ".join(markers)
    st.session_state.table_called.remove(text)


def ask_for(file: str) -> None:
    """A file of that key is to be made; remembered until it is, in case the visitor goes on meanwhile."""
    st.session_state.table_asked = file


def asked_for() -> str | None:
    return st.session_state.get("table_asked")


def answered() -> None:
    st.session_state.pop("table_asked", None)


def fill_in_by(key: str) -> None:
    st.session_state.table_method = key


def scale_of(table: Table) -> RatingScale | None:
    """The scale that was found, or the one that the visitor says.

    Raises TableError for limits that make no scale.
    """
    session = st.session_state
    said = session.get("table_scale", FOUND)
    if said == OTHER:
        low, high, step = (session.get(f"table_scale_{name}", value) for name, value in OTHER_SCALE.items())
        try:
            return RatingScale(low, high, step or None)
        except ValueError as error:
            raise TableError(str(error)) from error
    return table.ratings.scale if said == FOUND else SCALES.get(said)


def scale_words(scale: RatingScale | None) -> str:
    if scale is None:
        return "no limits known"
    steps = "any number" if scale.step is None else f"steps of {scale.step:g}"
    return f"{scale.minimum:g} to {scale.maximum:g}, {steps}".replace("-", "−")

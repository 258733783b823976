"""The choices in the sidebar, and the checkpoints to choose from: bundled ones and those trained in
this visit.

``AppState`` is read from the widgets, whose keys are also the names in the address; ``AppState()``
is the state of an untouched page. The visitor's table is not part of it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from metamf import datasets
from metamf.answer.division import Matrix, Selection
from metamf.checkpoints import bundled
from metamf.checkpoints.info import CheckpointError
from metamf.datasets.archives import FEATURES
from metamf.datasets.examples import FILM_NIGHT, NIGHTS, OLD_AND_NEW, night
from metamf.learning.episodes import held_out_blocks, split_rows_and_columns
from metamf.ratings.matrix import Ratings

UPLOAD = "Your own table"
DATA_SETS = {
    f"{archive.title} block": name for name, archive in datasets.ARCHIVES.items()
}  # as the data list has them
FEATURE_MODELS = {
    title: f"{name}-genres" for title, name in DATA_SETS.items() if name != "jester"
}  # the models that read the genre
FEATURE_MODELS[OLD_AND_NEW] = "ml-1m-genres"
# the bundled checkpoints were meta-trained on this split: its test part shares no row or column
# with them
_SPLIT = 0
_CAPTIONS = {
    "film-nights": "Made-up nights, some where people rate what they like.",
    "ml-1m": "A million ratings of films, MovieLens 1M.",
    "ml-100k": "The same, trained on 100,000 ratings instead of a million.",
    "jester": "Two million ratings of jokes, Jester.",
    "jester-chosen": "The same, where people rate what they like.",
    "universal": "Our extension: any size, any scale, with intervals.",
    "ml-1m-nmf": "Non-negative factors: parts only add.",
}
TRAININGS = "trainings"  # in the session of a visitor who has started one
_OWN = "Trained by you in Live training. It is gone when you leave."


@dataclass(frozen=True)
class AppState:
    """The choices of the visitor in the sidebar.

    ``data`` is the name of an example matrix, one of DATA_SETS, or UPLOAD. The model is given
    ``keep`` percent of the ratings, chosen in the way ``by`` with ``seed``. ``model`` is the name
    of a bundled checkpoint or the path of one trained in this visit; it takes ``sweeps`` or MAP
    ``steps``. ``top`` and ``left`` are the first row and column shown of a large matrix, counted
    from 1. ``genre``: whether Explore lets a model know the genre of the films.
    """

    data: str = FILM_NIGHT
    block: int = 1
    keep: int = 30
    by: Selection = "at random"
    seed: int = 0
    model: str = "film-nights"
    sweeps: int = 4
    steps: int = 10
    top: int = 1
    left: int = 1
    genre: bool = False

    @classmethod
    def read(cls, session: Mapping[Any, Any]) -> AppState:
        """The values of the widgets; what has no widget on the page has its default."""
        names = [field.name for field in fields(cls) if session.get(field.name) is not None]
        return cls(**{name: session[name] for name in names})

    @property
    def feature_model(self) -> str | None:
        """The checkpoint that is told the genre, in place of ``model``; None if the switch is off
        or no genre known."""
        return FEATURE_MODELS.get(self.data) if self.genre else None


DEFAULT = AppState()


class CheckpointChoice(NamedTuple):
    """A checkpoint as it is offered to the visitor; ``takes_sweeps``: whether by sweeps, not the
    paper's MAP steps."""

    title: str
    caption: str
    takes_sweeps: bool
    own: bool = False  # whether the visitor trained it


def checkpoint_choices() -> dict[str, CheckpointChoice]:
    """The checkpoints by name, or by path where the visitor trained them; those of the paper's
    model first.

    The folder of the bundled ones is read again when it has changed; a file in it that is not a
    checkpoint, or not a whole one, is left out.
    """
    folder = bundled.PRETRAINED
    found = _read(folder, folder.stat().st_mtime_ns) if folder.is_dir() else {}
    return found | {
        str(path): CheckpointChoice(
            bundled.checkpoint_title(str(path)), _OWN, takes_sweeps=False, own=True
        )
        for path in _trained()
    }


def _trained() -> list[Path]:
    """The files of the checkpoints that the visitor trained in this visit, the oldest first."""
    found = (training.checkpoint() for training in st.session_state.get(TRAININGS, ()))
    return [path for path in found if path is not None]


@lru_cache(maxsize=4)
def _read(folder: Path, changed: int) -> dict[str, CheckpointChoice]:
    found = {}
    for name in sorted(bundled.list_pretrained(), key=lambda name: (*_CAPTIONS, name).index(name)):
        try:
            info = bundled.describe(name)
        except (CheckpointError, OSError) as error:  # damaged, or gone since the folder was listed
            logging.getLogger("metamf.webapp").warning("%s is left out: %s", name, error)
        else:
            if not info.features:  # those that have some are behind the switch of Explore
                caption = _CAPTIONS.get(name, "A checkpoint of your own.")
                found[name] = CheckpointChoice(
                    bundled.checkpoint_title(name), caption, info.round_name == "sweep"
                )
    return found


_digests: set[str] = set()  # of the matrices that were asked for


@lru_cache(maxsize=200)
def example(name: str, seed: int = 0) -> Matrix:
    """An example matrix of ``datasets.example_matrices``; of a film night that of the seed."""
    chosen = night(name, seed) if name in NIGHTS else datasets.example_matrices()[name]
    return _public(Matrix(name, chosen.description, chosen.matrix.ratings, chosen.matrix.truth))


def held_out_block(name: str, block: int) -> Matrix:
    """A 30 x 30 block of rows and columns that no bundled checkpoint has seen."""
    title = datasets.ARCHIVES[name].title
    ratings = held_out_blocks(_test_part(name), 1, (_SPLIT, block), support_share=1.0)[0].support
    description = (
        f"Block {block} of {title}: real people and things that the model never saw in training."
    )
    return _public(Matrix(f"{title}, block {block}", description, ratings))


def is_public(matrix: Matrix) -> bool:
    """Whether the matrix is one of these, to the last name and number, and not a visitor's."""
    return matrix.digest in _digests


def _public(matrix: Matrix) -> Matrix:
    _digests.add(matrix.digest)
    return matrix


@st.cache_resource(show_spinner="Reading the data set …")
def _test_part(name: str) -> Ratings:
    features = () if name == "jester" else FEATURES
    return split_rows_and_columns(datasets.load(name, features=features), _SPLIT).test


def explore_own(keep: int = 100) -> None:
    """Shows the visitor's table on Explore, with ``keep`` percent of it given to the model."""
    session = st.session_state
    session.data = UPLOAD
    session.setdefault("share_before", session.get("keep", DEFAULT.keep))  # of other data
    session.keep = keep

"""A room's ratings as a matrix, and what a model expects of its cells. Nothing here is kept or cached."""

from __future__ import annotations

import numpy as np

from metamf.checkpoints.bundled import checkpoint_title, list_pretrained
from metamf.imputer.estimator import MetaMFImputer
from metamf.imputer.pretrained import load_pretrained
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp.experiments.agreement import Agreement, held_out_estimates
from metamf.webapp.rooms.room import Room, RoomError
from metamf.wording import counted

FEWEST = 10  # ratings from which a room is filled in
PAPER = "ml-1m"  # the checkpoint that fills in unless the lecturer chooses another: the paper's model, for films
_SEED = 0  # seed of the folds: the same ratings have the same surprises


def matrix(room: Room) -> np.ndarray:
    """(N, M) the ratings of a room, NaN where there is none: students by things."""
    X = np.full((len(room.students), len(room.items)), np.nan)
    column = {item.id: m for m, item in enumerate(room.items)}
    for n, student in enumerate(room.students):
        for item, value in student.ratings.items():
            X[n, column[item]] = value
    return X


def ratings(room: Room) -> Ratings:
    """The ratings of a room, with the names of students and things."""
    return Ratings.from_dense(
        matrix(room),
        row_labels=tuple(student.name for student in room.students),
        col_labels=tuple(item.name for item in room.items),
        scale=RatingScale(room.scale.low, room.scale.high, 1),
    )


def filled(room: Room, checkpoint: str | None = None) -> np.ndarray:
    """(N, M) the ratings of a room, and a checkpoint's estimates of the other cells, in rating units.

    Raises
    ------
    RoomError
        if there are too few ratings to say anything.
    """
    return _imputer(room, checkpoint).impute(ratings(room)).filled


def expected(room: Room, checkpoint: str | None = None) -> np.ndarray:
    """(N, M) what the model expects of each cell, without the cell's own rating, in rating units.

    Raises
    ------
    RoomError
        if there are too few ratings to say anything.
    """
    imputer = _imputer(room, checkpoint)
    return held_out_estimates(ratings(room), lambda part: imputer.impute(part).mean, rng=np.random.default_rng(_SEED))


def by_id(room: Room, values: np.ndarray) -> dict[str, dict[int, float]]:
    """(N, M) values of the cells of a room as ``Room.reveal`` takes them."""
    return {
        student.id: {item.id: round(float(values[n, m]), 4) for m, item in enumerate(room.items)}
        for n, student in enumerate(room.students)
    }


def agreement(room: Room) -> Agreement:
    """The agreement of a revealed room."""
    values = [[student.expected.get(item.id, np.nan) for item in room.items] for student in room.students]
    return Agreement(matrix(room), np.array(values).reshape(len(room.students), len(room.items)))


def models() -> dict[str, str]:
    """Titles of the bundled checkpoints by name, that of the paper's model first."""
    names = sorted(list_pretrained(), key=lambda name: name != PAPER)
    return {name: checkpoint_title(name) for name in names}


def _imputer(room: Room, checkpoint: str | None) -> MetaMFImputer:
    if room.n_ratings < FEWEST:
        raise RoomError(f"{counted(room.n_ratings, 'rating')} so far: it takes {FEWEST} to fill in the others.")
    names = models()
    if not names:
        raise RoomError("There is no checkpoint in the folder pretrained, so nothing can be filled in.")
    return load_pretrained(checkpoint if checkpoint in names else next(iter(names)))

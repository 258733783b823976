"""A visitor's own trainings, as the pool of processes holds them, and the checkpoints that they left.

They live as long as the visit: the pool ends and removes them when the visitor has gone. The first page asks for them,
too, so nothing of torch is imported here.
"""

from __future__ import annotations

from pathlib import Path

from metamf.webapp.jobs.job import Shown
from metamf.webapp.jobs.states import State
from metamf.webapp.shared_pool import pool, visitor

TRAIN_TASK = "metamf.webapp.train.task:train"
STARTED = "training_started"  # in the session of a visitor who has started one


def trainings() -> list[Shown]:
    """The trainings of the visitor, the oldest first."""
    owner = visitor()
    return [] if owner is None else [job for job in pool().jobs(owner) if job.task == TRAIN_TASK]


def places() -> int:
    """Number of computations that run at once on this server."""
    return pool().places


def latest() -> Shown | None:
    """The training that the page Train is about."""
    return next(reversed(trainings()), None)


def checkpoint_of(job: Shown) -> Path | None:
    """The file of a training's checkpoint; None where there is none, or not any more."""
    if job.state is not State.DONE:
        return None
    path = job.folder / job.result["file"]
    return path if path.is_file() else None


def checkpoints() -> list[Path]:
    """The files of all checkpoints that the visitor trained in this visit, the oldest first."""
    return [path for path in map(checkpoint_of, trainings()) if path is not None]

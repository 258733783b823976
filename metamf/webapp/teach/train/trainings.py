"""A visitor's own trainings and the checkpoints that they left. Both are gone when the visit ends.

The other pages ask for the checkpoints, too.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from metamf import datasets
from metamf.recipes.drawn import FILM_NIGHTS
from metamf.webapp.engine import Job, engine, visitor
from metamf.webapp.teach.train import task
from metamf.webapp.visits import new_folder
from metamf.wording import slug

TITLE = "Trained by you"
TRAINING_SECONDS = 600  # time limit of a training, pauses included
OFFERED_TITLES = {FILM_NIGHTS: "Film nights"} | {name: archive.title for name, archive in datasets.ARCHIVES.items()}
_TRAININGS = "trainings"  # in the session of a visitor who has started one


@dataclass(eq=False)
class Training:
    """A training of the visitor: its job, what it was started with, and the folder of its checkpoint."""

    job: Job
    data: str
    learning_rate: float
    seed: int
    title: str
    _folder: TemporaryDirectory | None = None

    def __post_init__(self) -> None:
        self.rate_now = self.learning_rate

    def change_rate(self, rate: float) -> None:
        """Changes the learning rate from the next update on."""
        self.rate_now = rate
        self.job.set(learning_rate=rate)

    def checkpoint(self) -> Path | None:
        """The file of its checkpoint, next to its card; None before it has one."""
        if self.job.state != "done":
            return None
        if self._folder is None:
            self._folder = new_folder()
            for name, content in self.job.result["files"].items():
                Path(self._folder.name, name).write_bytes(content)
        return Path(self._folder.name, f"{self.title}.safetensors")


def data_offered() -> list[str]:
    """Film nights, which are always there, and the data sets that are on this machine."""
    return [FILM_NIGHTS, *(name for name in datasets.ARCHIVES if datasets.available(name))]


def begin(data: str, learning_rate: float, seed: int) -> None:
    """Queues a training; EngineError where too many jobs wait."""
    started = st.session_state.setdefault(_TRAININGS, [])
    title = TITLE if not started else f"{TITLE} ({len(started) + 1})"
    arguments = {"data": data, "learning_rate": learning_rate, "seed": seed, "title": title}
    job = engine().submit(task.train, arguments, owner=visitor(), seconds=TRAINING_SECONDS, long=True)
    started.append(Training(job, data, learning_rate, seed, title))


def latest() -> Training | None:
    """The training that the page Train is about."""
    return next(reversed(st.session_state.get(_TRAININGS, [])), None)


def checkpoints() -> list[Path]:
    """The files of all checkpoints that the visitor trained in this visit, the oldest first."""
    found = (training.checkpoint() for training in st.session_state.get(_TRAININGS, []))
    return [path for path in found if path is not None]


def archive(path: Path) -> bytes:
    """A zip of the checkpoint and its card, under names that any system takes."""
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as file:
        for part in (path, path.with_suffix(".md")):
            file.writestr(f"{slug(path.stem)}{part.suffix}", part.read_bytes())
    return found.getvalue()

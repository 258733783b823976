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
from metamf.webapp import jobs
from metamf.webapp.choices import TRAININGS
from metamf.webapp.engine import Job
from metamf.webapp.teach.train import task
from metamf.webapp.visits import new_folder
from metamf.wording import slug

TITLE = "Trained by you"
TRAINING_SECONDS = 600  # time limit of a training, pauses included
OFFERED_TITLES = {FILM_NIGHTS: "Film nights"} | {
    name: archive.title for name, archive in datasets.ARCHIVES.items()
}


@dataclass(eq=False)
class Training:
    """A training of the visitor: its job, what it was started with, and the folder of its
    checkpoint."""

    job: Job
    data: str
    rate_now: float
    seed: int
    title: str
    until: int = 0  # updates after which it pauses; 0: it goes on
    _folder: TemporaryDirectory | None = None

    def change_rate(self, rate: float) -> None:
        """Changes the learning rate from the next update on."""
        self.rate_now = rate
        self.job.set(learning_rate=rate)

    def go_on(self, updates: int = 0) -> None:
        """Trains on: for a number of ``updates`` from now, or without an end."""
        last = self.job.rows[-1]["update"] if self.job.rows else 0
        done = max(last, self.job.now.get("update", 0))
        self.until = done + updates if updates else 0
        self.job.set(until=self.until)
        self.job.pause(False)

    def pause_when_done(self) -> bool:
        """Pauses it once it has done the updates that it was asked for; whether it does so now."""
        done = 0 < self.until <= self.job.now.get("update", 0)
        if done:
            self.until = 0
            self.job.pause(True)
        return done

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


def begin(data: str, learning_rate: float, seed: int, updates: int = 0) -> None:
    """Queues a training, which pauses after a number of ``updates`` (0: never); EngineError where
    too many jobs wait."""
    started = st.session_state.setdefault(TRAININGS, [])
    number = len(started) + 1
    title = TITLE if number == 1 else f"{TITLE} ({number})"
    about = {"data": data, "learning_rate": learning_rate, "seed": seed}
    about |= {"title": title, "until": updates}
    job = jobs.begin(jobs.TRAINING, number, task.train, about, seconds=TRAINING_SECONDS, long=True)
    started.append(Training(job, data, learning_rate, seed, title, updates))


def latest() -> Training | None:
    """The training that the page Train is about."""
    return next(reversed(st.session_state.get(TRAININGS, [])), None)


def archive(path: Path) -> bytes:
    """A zip of the checkpoint and its card, under names that any system takes."""
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as file:
        for part in (path, path.with_suffix(".md")):
            file.writestr(f"{slug(path.stem)}{part.suffix}", part.read_bytes())
    return found.getvalue()

"""The trainings that the page Train offers, and the beginning of one."""

from __future__ import annotations

import streamlit as st

from metamf import datasets
from metamf.learning.live import LEARNING_RATE, MADE_UP
from metamf.webapp.shared_pool import pool, visitor
from metamf.webapp.train import own

TITLE = "Trained by you"
TRAINING_SECONDS = 600  # time limit of a training, pauses included
RATES = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 1.0)  # learning rates that are offered
RATE = LEARNING_RATE  # at the start
OFFERED_TITLES = {name: archive.title for name, archive in datasets.ARCHIVES.items()} | {MADE_UP: "Made-up ratings"}


def data_offered() -> list[str]:
    """The data sets that are on this machine, and the made-up ratings that always are."""
    return [*(name for name in datasets.ARCHIVES if datasets.available(name)), MADE_UP]


def begin(data: str, learning_rate: float, seed: int) -> None:
    """Queues a training.

    Raises
    ------
    PoolFullError
        If no more jobs are taken.
    """
    number = 1 + sum(job.arguments["number"] for job in own.trainings()[-1:])
    arguments = {"data": data, "learning_rate": learning_rate, "seed": seed, "number": number}
    arguments["title"] = TITLE if number == 1 else f"{TITLE} ({number})"
    pool().submit(visitor(), own.TRAIN_TASK, arguments, TRAINING_SECONDS)
    st.session_state[own.STARTED] = True

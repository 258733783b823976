"""Tunings of Your table: a table, what the task tells about it, and a worker's job."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.webapp.jobs.states import State
from metamf.webapp.your_table.task import as_values
from metamf.webapp.your_table.tuning_task import tune_table

NAME = "universal+tuned+normal"


def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2)) @ rng.normal(size=(2, 8))
    return Ratings.from_dense(np.where(rng.random(X.shape) < 0.7, X, np.nan))


def run(folder, stop_after=None):
    """All rows that the task tells, and its result; asked to stop after a given number."""
    arguments = {
        "ratings": as_values(table()),
        "seconds": 60,
        "repeats": 3,
        "level": 0.9,
        "measuring": 60,
        "name": NAME,
    }
    steps, rows, orders = tune_table(arguments, folder), [], {}
    try:
        message = next(steps)
        while True:
            rows += [message["row"]] if message and "row" in message else []
            message = steps.send({"stop": True} if stop_after is not None and len(rows) >= stop_after else orders)
    except StopIteration as end:
        return rows, end.value


def job(result, folder=Path("."), state=State.DONE, rows=(), now=None):
    return SimpleNamespace(
        result=result,
        folder=folder,
        state=state,
        rows=rows,
        now=now or {},
        place=None,
        id="job",
        arguments={"name": NAME},
    )

"""Tuning in a worker: steps that are told, and a network that is left."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
from your_table import small_world  # noqa: F401  a fixture

from metamf.filling.fill_in import fill
from metamf.ratings.matrix import Ratings
from metamf.webapp.jobs.states import State
from metamf.webapp.your_table import tuning
from metamf.webapp.your_table.task import as_values
from metamf.webapp.your_table.tuning_task import tune


def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2)) @ rng.normal(size=(2, 8))
    return Ratings.from_dense(np.where(rng.random(X.shape) < 0.7, X, np.nan))


def run(folder, stop_after=None):
    """All rows that the task tells, and its result; asked to stop after so many."""
    steps, rows, orders = tune({"ratings": as_values(table()), "seconds": 60}, folder), [], {}
    try:
        message = next(steps)
        while True:
            rows += [message["row"]] if "row" in message else []
            message = steps.send({"stop": True} if stop_after is not None and len(rows) >= stop_after else orders)
    except StopIteration as end:
        return rows, end.value


def job(result, folder=Path("."), state=State.DONE, rows=()):
    return SimpleNamespace(result=result, folder=folder, state=state, rows=rows, place=None, id="job")


def test_tuning_tells_its_steps_leaves_a_network_and_keeps_what_there_is_when_stopped(small_world, tmp_path):  # noqa: F811
    folder = tmp_path / "job"
    folder.mkdir()
    rows, result = run(folder, stop_after=2)
    assert rows[0]["step"] == 10 and 1 <= len(rows) < 16 and result["checked"] > 10
    assert result["kept"] in (0, *(row["step"] for row in rows))
    if result["kept"]:
        ended = job(result, folder)
        path = folder / result["file"]
        assert path.is_file() and np.isfinite(fill(table(), str(path)).mean).all()
        sentence = tuning.gain_in_words(ended)
        assert "the typical error fell by" in sentence and "give or take" in sentence
        assert set(folder.iterdir()) == {path}

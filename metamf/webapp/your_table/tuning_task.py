"""The second task of a worker process for Your table: the network is tuned to the table.

Nothing of Streamlit is imported here. The tuned network lies in the job's folder, which the pool removes; it holds no
rating and no name.
"""

from __future__ import annotations

import queue
import threading
from pathlib import Path
from typing import Any

from metamf.filling.methods import units_for
from metamf.imputer.estimator import MetaMFImputer
from metamf.learning.tuning import TuningProgress
from metamf.webapp.jobs.task import Steps
from metamf.webapp.your_table.task import as_ratings

TUNED_FILE = "Universal, tuned.safetensors"


def tune(arguments: dict[str, Any], folder: Path) -> Steps:
    """Tunes the universal network to a table until it helps no more, or is stopped.

    Parameters
    ----------
    arguments : dict
        ``ratings``: those of ``metamf.webapp.your_table.task.as_values``; ``seconds``: the time limit.
    folder : Path
        Folder in which the tuned network is left.

    Returns
    -------
    generator
        A row: ``step``, ``steps``, and ``error``, ``first`` and ``best`` error on the part that is hidden from tuning,
        in standardised units. The result: the ``file``, ``kept`` steps (0: tuning did not help), ``checked`` ratings,
        and ``error``, ``first``, ``gain`` and ``spread`` of ``TuningReport``.
    """
    ratings = as_ratings(arguments["ratings"])
    told: queue.SimpleQueue[TuningProgress | None] = queue.SimpleQueue()
    stopped = threading.Event()
    found: list[MetaMFImputer | str] = []

    def hear(progress: TuningProgress) -> bool:
        told.put(progress)
        return stopped.is_set()

    def fit() -> None:
        imputer = MetaMFImputer(
            "universal", tune="auto", tune_seconds=arguments["seconds"], standardize=units_for(ratings)
        )
        try:
            found.append(imputer.fit(ratings, progress=hear))
        except Exception as error:  # its message may quote a rating
            found.append(type(error).__name__)
        told.put(None)

    threading.Thread(target=fit, daemon=True).start()
    orders = yield {"now": {"begun": True}}
    while (progress := told.get()) is not None:
        if orders.get("stop"):
            stopped.set()
        row = {"step": progress.step, "steps": progress.steps, "error": progress.error}
        orders = yield {"row": row | {"first": progress.first_error, "best": progress.best_error}}
    imputer = found[0]
    if isinstance(imputer, str):
        raise RuntimeError(f"{imputer} in tuning")
    report = imputer.tuning_
    if report.kept:
        imputer.save_checkpoint(folder / TUNED_FILE)
    return {
        "file": TUNED_FILE if report.kept else "",
        "kept": report.kept,
        "checked": report.checked,
        "first": report.first_error if report.checked else None,
        "error": report.error if report.checked else None,
        "gain": report.gain,
        "spread": report.spread,
    }

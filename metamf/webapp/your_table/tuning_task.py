"""The second task of a worker process for Your table: the network is tuned to the table, and what that is worth is
measured on hidden ratings, each time with a network that was tuned anew to the others.

Nothing of Streamlit is imported here. The tuned network lies in the job's folder, which the pool removes; it holds no
rating and no name.
"""

from __future__ import annotations

import queue
import threading
from pathlib import Path
from typing import Any

import numpy as np

from metamf.evaluate.holdout import HoldoutReport, holdout_steps
from metamf.evaluate.methods import contender, has_own_units, units_for
from metamf.imputer.estimator import MetaMFImputer
from metamf.learning.tuning import TuningProgress
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By
from metamf.webapp.jobs.task import Steps
from metamf.webapp.your_table.task import HIDING_SEED, as_ratings

TUNED_FILE = "Universal, tuned.safetensors"
_HEAR_EVERY = 1.0  # seconds after which an order to stop is heard while nothing is told


def tune_table(arguments: dict[str, Any], folder: Path) -> Steps:
    """Tunes the universal network to a table until it helps no more, and measures the gain; or until it is stopped.

    Parameters
    ----------
    arguments : dict
        ``ratings``: those of ``metamf.webapp.your_table.task.as_values``; ``seconds``: the time limit of a tuning;
        ``name`` of the tuned method, as of ``metamf.evaluate.methods.contender``. For the measurement, ``repeats``, the
        first ones of the verdict, as far as ``measuring`` seconds reach; and ``level`` of the intervals.
    folder : Path
        Folder in which the tuned network is left.

    Returns
    -------
    generator
        A row for each step of tuning: ``step``, ``steps``, and ``error``, ``first`` and ``best`` error on the part that
        is hidden from tuning, in standardised units. Then, while the gain is measured, now: ``repeat`` and ``repeats``.
        The result: the ``file``, ``kept`` steps (0: tuning did not help), ``checked`` ratings, ``standardize``, by
        which the network reads the table, and ``errors``, the report of the tuned method alone on the hidden ratings;
        None where it was stopped before.
    """
    ratings = as_ratings(arguments["ratings"])
    told: queue.SimpleQueue = queue.SimpleQueue()
    stopped = threading.Event()

    def hear(progress: TuningProgress) -> bool:
        row = {"step": progress.step, "steps": progress.steps, "error": progress.error}
        told.put({"row": row | {"first": progress.first_error, "best": progress.best_error}})
        return stopped.is_set()

    def work() -> None:
        try:
            imputer = MetaMFImputer(
                "universal", tune="auto", tune_seconds=arguments["seconds"], standardize=units_for(ratings)
            )
            told.put(imputer.fit(ratings, progress=hear))
            if imputer.tuning_ is not None and imputer.tuning_.kept and not stopped.is_set():
                told.put(_measured(ratings, arguments, told))
        except Exception as error:  # its message may quote a rating
            told.put(error)
        told.put(None)

    threading.Thread(target=work, daemon=True).start()
    orders = yield {"now": {"begun": True}}
    imputer: MetaMFImputer | None = None
    errors: dict[str, Any] | None = None
    while True:
        try:
            message = told.get(timeout=_HEAR_EVERY)
        except queue.Empty:
            message = {}
        if message is None:
            break
        if isinstance(message, MetaMFImputer):
            imputer = message
        elif isinstance(message, HoldoutReport):
            errors = message.to_dict()
        elif isinstance(message, Exception):
            raise RuntimeError(f"{type(message).__name__} in tuning") from None
        else:
            orders = yield message or None
        if orders.get("stop"):
            stopped.set()
            if imputer is not None:
                break
    if imputer is None:
        raise RuntimeError("tuning ended without a network")
    return _result(imputer, folder) | {"errors": errors}


def _measured(ratings: Ratings, arguments: dict[str, Any], told: queue.SimpleQueue) -> HoldoutReport | None:
    """The report of the tuned method alone, on the ratings that the verdict hides first."""
    how = contender(arguments["name"], seconds=arguments["seconds"])
    report = None
    for step in holdout_steps(
        ratings,
        [how],
        arguments["level"],
        arguments["repeats"],
        rng=np.random.default_rng(HIDING_SEED),
        relative=has_own_units(ratings),
        seconds=arguments["measuring"],
    ):
        told.put({"now": {"repeat": step.done, "repeats": step.total}})
        report = step.report
    return report


def _result(imputer: MetaMFImputer, folder: Path) -> dict[str, Any]:
    kept, checked = (0, 0) if imputer.tuning_ is None else (imputer.tuning_.kept, imputer.tuning_.checked)
    if kept:
        imputer.save_checkpoint(folder / TUNED_FILE)
    by = imputer.unit_rule_.by
    return {
        "file": TUNED_FILE if kept else "",
        "kept": kept,
        "checked": checked,
        "standardize": "auto" if by is None else {By.COLUMN: "columns", By.ROW: "rows"}[by],
    }

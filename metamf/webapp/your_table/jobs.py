"""The jobs of Your table: the verdict on all methods, and the network tuned to the table.

Only numbers get here, without any name; of an error only the kind is reported, since its message may quote a rating.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from metamf.answer.estimator import MetaMFImputer
from metamf.answer.holdout import holdout_steps
from metamf.answer.methods import compared, contender, has_own_units
from metamf.learning.tuning import TuningProgress
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By
from metamf.webapp.engine import Tell

MEASURED_LEVEL = 0.9  # of the intervals whose coverage is measured, whatever level is shown
HIDING_SEED = 0  # seed of the choice of the hidden ratings
_EVERY = 5  # fits from one report to the next


def verdict(ratings: Ratings, repeats: int, report: Tell) -> dict[str, Any] | None:
    """Hides some of the ratings repeatedly, and has each method estimate them from the others.

    Reports ``now`` with ``report``, that of the finished methods, and ``done``, ``total`` and ``label``. Returns the
    whole report, as ``holdout.Report.to_dict`` writes it.
    """
    try:
        own_units = has_own_units(ratings)
        methods = compared(ratings, repeats, own_units)
        rng = np.random.default_rng(HIDING_SEED)
        found = None
        for step in holdout_steps(ratings, methods, MEASURED_LEVEL, repeats, rng=rng, relative=own_units):
            if step.report is not None:
                found = step.report.to_dict()
            now = {"report": found, "done": step.done, "total": step.total, "label": step.label}
            if report({"now": now} if step.report is not None or step.done % _EVERY == 0 else None).get("stop"):
                break
    except Exception as error:
        raise RuntimeError(f"{type(error).__name__} in the verdict") from None
    return found


def tune_table(
    ratings: Ratings, name: str, repeats: int, seconds: float, measuring: float, report: Tell
) -> dict[str, Any]:
    """Tunes the universal network to a table until it helps no more, and measures the gain; or until it is stopped.

    ``name`` is that of the tuned method, as of ``metamf.answer.methods.contender``, and ``seconds`` limits a tuning.
    Each of the ``repeats`` of the verdict, as many as ``measuring`` seconds allow, tunes the network again. ``report``
    gets a row for each step (``step``, ``steps``, and ``error``, ``first`` and ``best`` error on the part hidden from
    tuning, in standardised units), then ``now`` with ``repeat`` and ``repeats``.

    Returns the ``name``; ``checkpoint``, the bytes of the tuned network; ``kept`` steps (0: tuning did not help);
    ``checked`` ratings; ``standardize``, how the network reads the table; and ``errors``, the report of the tuned
    method alone, or None where it was stopped before.
    """

    def hear(progress: TuningProgress) -> bool:
        row = {"step": progress.step, "steps": progress.steps, "error": progress.error}
        return bool(report({"row": row | {"first": progress.first_error, "best": progress.best_error}}).get("stop"))

    try:
        imputer = MetaMFImputer("universal", tune="auto", tune_seconds=seconds, members=None, guard=False)
        imputer.fit(ratings, progress=hear)
        tuning = imputer.tuning_
        by = imputer.unit_rule_.by
        kept, checked = (0, 0) if tuning is None else (tuning.kept, tuning.checked)
        errors = _measured(ratings, name, repeats, seconds, measuring, report) if kept else None
        with TemporaryDirectory() as folder:
            if kept:
                imputer.save_checkpoint(Path(folder, "tuned.safetensors"))
            checkpoint = Path(folder, "tuned.safetensors").read_bytes() if kept else b""
    except Exception as error:
        raise RuntimeError(f"{type(error).__name__} in tuning") from None
    standardize = "auto" if by is None else {By.COLUMN: "columns", By.ROW: "rows"}[by]
    about = {"kept": kept, "checked": checked, "standardize": standardize, "errors": errors}
    return {"name": name, "checkpoint": checkpoint, **about}


def _measured(
    ratings: Ratings, name: str, repeats: int, seconds: float, measuring: float, report: Tell
) -> dict[str, Any] | None:
    """The report of the tuned method alone, on the ratings that the verdict hides first; None where it is stopped."""
    found = None
    how = contender(name, seconds=seconds)
    if report().get("stop"):
        return None
    rng = np.random.default_rng(HIDING_SEED)
    own_units = has_own_units(ratings)
    for step in holdout_steps(ratings, [how], MEASURED_LEVEL, repeats, rng=rng, relative=own_units, seconds=measuring):
        found = step.report
        if report({"now": {"repeat": step.done, "repeats": step.total}}).get("stop"):
            return None
    return None if found is None else found.to_dict()

"""The task of a worker process for Your table: the verdict, one method after the other.

Nothing of Streamlit is imported here. The table comes through the worker's pipe and lies in no file; of an error only
the kind is told, since its message may quote a rating.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from metamf.evaluate.holdout import holdout_steps
from metamf.evaluate.methods import compared, has_own_units
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp.jobs.task import Steps

MEASURED_LEVEL = 0.9  # of the intervals whose coverage is measured, whatever level is shown
HIDING_SEED = 0  # seed of the choice of the hidden ratings
_EVERY = 5  # fits from one message to the next


def as_values(ratings: Ratings) -> dict[str, Any]:
    """A table without its names, as JSON values."""
    scale = ratings.scale
    return {
        "rows": ratings.rows.tolist(),
        "cols": ratings.cols.tolist(),
        "values": ratings.values.tolist(),
        "shape": list(ratings.shape),
        "scale": None if scale is None else [scale.minimum, scale.maximum, scale.step],
    }


def as_ratings(values: dict[str, Any]) -> Ratings:
    """The table that ``as_values`` made values of."""
    scale = None if values["scale"] is None else RatingScale(*values["scale"])
    arrays = (np.array(values["rows"]), np.array(values["cols"]), np.array(values["values"], dtype=np.float64))
    return Ratings(*arrays, tuple(values["shape"]), scale=scale)


def verdict(arguments: dict[str, Any], folder: Path) -> Steps:
    """Hides some of the ratings again and again, and lets each method estimate them from the others.

    Parameters
    ----------
    arguments : dict
        ``ratings``: those of ``as_values``; ``level`` of the intervals; ``repeats``.
    folder : Path
        Not used.

    Returns
    -------
    generator
        Now: ``report``, that of the methods that are finished, and ``done``, ``total`` and ``label``, how far it is.
        The result has the whole report. Reports are those of ``HoldoutReport.to_dict``.
    """
    ratings, repeats = as_ratings(arguments["ratings"]), arguments["repeats"]
    try:
        own_units = has_own_units(ratings)
        methods = compared(ratings, repeats, own_units)
        rng = np.random.default_rng(HIDING_SEED)
        report: dict[str, Any] | None = None
        for step in holdout_steps(ratings, methods, arguments["level"], repeats, rng=rng, relative=own_units):
            if step.report is not None:
                report = step.report.to_dict()
            told = {"now": {"report": report, "done": step.done, "total": step.total, "label": step.label}}
            orders = yield told if step.report is not None or step.done % _EVERY == 0 else None
            if orders.get("stop"):
                break
    except Exception as error:
        raise RuntimeError(f"{type(error).__name__} in the verdict") from None
    return {"report": report}

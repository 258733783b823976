"""The job of the check: all methods estimate given cells that are hidden from them.

Only numbers get here, without any name; of an error only the kind is reported, since its message
may quote a rating.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from metamf.answer.holdout import holdout_steps
from metamf.answer.methods import compared, has_own_units
from metamf.ratings.matrix import Ratings
from metamf.webapp.engine import Tell

MEASURED_LEVEL = 0.9  # of the intervals whose coverage is measured, whatever level is shown
HIDING_SEED = 0  # seed of the choice of the hidden ratings
_EVERY = 5  # fits from one report to the next


def check(ratings: Ratings, repeats: int, report: Tell) -> dict[str, Any] | None:
    """Hides some of the given cells repeatedly, and has each method estimate them from the others.

    Reports ``now`` with ``report``, that of the finished methods, and ``done``, ``total`` and
    ``label``. Returns the whole report, as ``holdout.Report.to_dict`` writes it.
    """
    found = None
    try:
        own_units = has_own_units(ratings)
        methods = compared(ratings, repeats, own_units)
        rng = np.random.default_rng(HIDING_SEED)
        for step in holdout_steps(
            ratings, methods, MEASURED_LEVEL, repeats, rng=rng, relative=own_units
        ):
            label = f"measuring {step.method}" if step.method else ""
            if step.report is not None:
                found = step.report.to_dict()
            now = {"report": found, "done": step.done, "total": step.total, "label": label}
            due = step.report is not None or step.done % _EVERY == 0
            if report({"now": now} if due else None).get("stop"):
                break
    except Exception as error:
        raise RuntimeError(f"{type(error).__name__} in the check") from None
    return found

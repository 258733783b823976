"""Several methods on one task: their estimates, and their errors on the same hidden cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from metamf.baselines import METHODS
from metamf.ratings import RatingsBatch, RatingScale, Standardization
from metamf.webapp.run import Run, View
from metamf.webapp.task import Task
from metamf.webapp.words import checkpoint_title, count

# Methods that need no meta-training: they see this matrix alone.
BASELINES = {key: spec for key, spec in METHODS.items() if spec.kind != "meta-learned"}
AT_FIRST = ("mf", "mean", "damped_bias", "crossed_effects")
_QUICK = ("mean", "damped_bias", "crossed_effects")  # at any size
_LARGEST_FIT = 100_000  # given cells above which only the quick ones run


@dataclass(frozen=True, eq=False)
class Contender:
    """A method's answer: ``estimate(view)`` in a window, and its errors on the hidden cells, None if there are none.

    meta : whether it learned from other matrices
    """

    name: str
    description: str
    meta: bool
    estimate: Callable[[View], np.ndarray]
    rmse: float | None
    mae: float | None


def feasible(key: str, task: Task) -> bool:
    """Whether the baseline answers within some ten seconds."""
    cells, limit = task.given.n_rows * task.given.n_cols, BASELINES[key].cells
    return (key in _QUICK or task.given.nnz <= _LARGEST_FIT) and (limit is None or cells <= limit)


def of_run(run: Run) -> Contender:
    """A bundled checkpoint."""
    name, errors = checkpoint_title(run.imputation.checkpoint), run.hidden_errors
    data = "matrices of many sizes" if run.round == "sweep" else name
    return Contender(
        f"MetaMF, {name}",
        f"Meta-trained on {data}; {count(run.T, run.round)} on the given ratings.",
        True,
        lambda view: View(run, view.window).filled(run.T),
        None if errors is None else float(errors.rmse[-1]),
        None if errors is None else float(errors.mae[-1]),
    )


def of_baseline(key: str, task: Task, scale: RatingScale | None) -> Contender:
    """A method that sees this matrix alone, with its default configuration; clipped to ``scale`` as the runs are."""
    given, hidden, spec = task.given, task.hidden, BASELINES[key]
    units = Standardization.of(given.values)
    adapted = spec.build().adapt(RatingsBatch.of([given.with_values(units.apply(given.values))]))

    def predict(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            z = adapted.predict(torch.from_numpy(rows.ravel()), torch.from_numpy(cols.ravel()))
        values = units.undo(z.numpy().astype(np.float64)).reshape(rows.shape)
        return values if scale is None else scale.clip(values)

    def estimate(view: View) -> np.ndarray:
        window = view.window
        rows, cols = np.mgrid[window.rows, window.cols]  # (n, m) each
        return np.where(view.is_given, view.given, predict(rows, cols))

    E = predict(hidden.rows.copy(), hidden.cols.copy()) - hidden.values
    rmse, mae = (float(np.sqrt(np.mean(E**2))), float(np.abs(E).mean())) if hidden.nnz else (None, None)
    return Contender(spec.label, spec.explanation, False, estimate, rmse, mae)

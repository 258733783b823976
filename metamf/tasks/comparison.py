"""Several methods on one task: their estimates, and their errors on the same hidden cells."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metamf.baselines import METHODS
from metamf.baselines.predicting import predictor
from metamf.checkpoints.baselines import load_trained, trained_on
from metamf.checkpoints.bundled import checkpoint_title
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization
from metamf.tasks.run import Run, View
from metamf.tasks.task import Task
from metamf.wording import counted

# All methods but the bundled checkpoints, the fast ones first: the order in which they are computed.
_KNOWN = (
    "mean",
    "damped_bias",
    "crossed_effects",
    "eml",
    "maml",
    "als",
    "ft",
    "soft_impute",
    "knn",
    "iterative",
    "mf",
    "autorec_i",
    "autorec_u",
    "dmf",
)
_ORDER = (*_KNOWN, *(key for key in METHODS if key not in _KNOWN and key != "ours"))
BASELINES = {key: METHODS[key] for key in _ORDER if METHODS[key].kind != "meta-learned" or trained_on(key)}
AT_FIRST = ("eml", "mf", "mean", "damped_bias", "crossed_effects")
_NETWORKS = ("autorec_i", "autorec_u", "dmf")  # trained on the visitor's matrix alone
_PAUSE = 0.15  # seconds between two answers that are worth showing one by one


@dataclass(frozen=True, eq=False)
class Contender:
    """A method's answer: ``estimate(view)`` in a window, and its errors on the hidden cells, None if there are none.

    meta : whether it learned from other matrices;  network : whether it is a network that is trained on this one
    """

    name: str
    description: str
    meta: bool
    network: bool
    estimate: Callable[[View], np.ndarray]
    rmse: float | None
    mae: float | None


def meta_learned(key: str) -> bool:
    return BASELINES[key].kind == "meta-learned"


def training_data(key: str, model: str) -> str:
    """What the bundled parameters of a meta-learned baseline were trained on: as the checkpoint ``model``, if there
    are such."""
    names = trained_on(key)
    return next(name for name in (model, "ml-1m", *names) if name in names)


def in_order(keys: Sequence[str], answer: Callable[[str], Contender]) -> Iterator[tuple[list[Contender], str | None]]:
    """The answers to ``keys`` so far, and the method that is computed next, None at the end: after the fast ones, and
    then whenever some time has passed."""
    keys = sorted(keys, key=_ORDER.index)
    slow = next((key for key in keys if BASELINES[key].entries is not None), None)
    found, shown = [], time.perf_counter()
    for key in keys:
        if key == slow or time.perf_counter() - shown > _PAUSE:
            yield list(found), key
            shown = time.perf_counter()
        found.append(answer(key))
    yield found, None


def feasible(key: str, task: Task) -> bool:
    """Whether the baseline answers within some ten seconds."""
    return BASELINES[key].feasible(task.given)


def of_run(run: Run) -> Contender:
    """A bundled checkpoint."""
    name, errors = checkpoint_title(run.imputation.checkpoint), run.hidden_errors
    data = "matrices of many sizes" if run.round == "sweep" else name
    return Contender(
        f"MetaMF, {name}",
        f"Meta-trained on {data}; {counted(run.T, run.round)} on the given ratings.",
        True,
        False,
        lambda view: View(run, view.window).filled(run.T),
        None if errors is None else float(errors.rmse[-1]),
        None if errors is None else float(errors.mae[-1]),
    )


def of_baseline(key: str, task: Task, scale: RatingScale | None, like: Run | None = None) -> Contender:
    """A method with its default configuration; clipped to ``scale`` as the runs are.

    One that is meta-learned works with the parameters that were trained on the data of the run ``like``, in its units.
    """
    given, hidden, spec = task.given, task.hidden, BASELINES[key]
    if like is None:
        units, method, name = Standardization.of(given.values), spec.build(), spec.label
    else:
        data = like.imputation.checkpoint
        units, method = like.imputation.trajectory.standardization, load_trained(key, data)
        name = f"{spec.label}, {checkpoint_title(data)}"
    predicted = predictor(method, given, units)

    def predict(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        values = predicted(rows, cols)
        return values if scale is None else scale.clip(values)

    def estimate(view: View) -> np.ndarray:
        window = view.window
        rows, cols = np.mgrid[window.rows, window.cols]  # (n, m) each
        return np.where(view.is_given, view.given, predict(rows, cols))

    E = predict(hidden.rows, hidden.cols) - hidden.values
    rmse, mae = (float(np.sqrt(np.mean(E**2))), float(np.abs(E).mean())) if hidden.nnz else (None, None)
    return Contender(name, spec.explanation, like is not None, key in _NETWORKS, estimate, rmse, mae)

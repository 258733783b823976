"""Several methods on one task: their estimates, and their errors on the same hidden cells."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from metamf.answer.answer import Answer, CellByCell
from metamf.answer.division import Task
from metamf.answer.methods import label_of, plain_name
from metamf.baselines import METHODS, SIMPLE
from metamf.baselines.method import predictor
from metamf.baselines.mf import chosen_settings, factorize
from metamf.checkpoints.bundled import WORLDS, data_set_for, describe, trained_predictor
from metamf.ratings.limits import ColumnLimits
from metamf.ratings.scale import RatingScale
from metamf.webapp.explore.run import Run
from metamf.wording import counted, rounded

# All methods but the bundled checkpoints: averages, factors, regressions, networks, meta-learned.
_KINDS = (
    *("mean", "damped_bias", "crossed_effects", "mf", "als", "soft_impute", "normal", "iterative", "knn"),
    *("autorec_i", "autorec_u", "dmf", "eml", "maml", "ft"),
)
BASELINES = {key: METHODS[key] for key in _KINDS if METHODS[key].kind != "meta-learned" or data_set_for(key)}
ALONE = (*SIMPLE, "soft_impute", "als", "normal")  # see this table only, and take moments: the best is "best simple"
AT_FIRST = ("eml", "maml", *ALONE)
TRAINING_MEAN = "Average of the training tables"
_SMALL = 100_000  # cells up to which MF takes a second, and all estimates of a method are kept
Predict = Callable[[np.ndarray, np.ndarray], np.ndarray]
Scale = RatingScale | ColumnLimits | None  # to which estimates are clipped


def small(task: Task) -> bool:
    """Whether the settings of MF can be chosen, and all its steps be kept, in a moment."""
    return task.given.n_rows * task.given.n_cols <= _SMALL


def explanation_of(run: Run) -> str:
    """A sentence on the method of a run."""
    if run.explanation:
        return run.explanation
    rounds = f"{counted(run.T, run.round)} on the given ratings"
    if run.answer.step_rule == "nmf":
        return f"The same with factors that only add, trained on other tables; {rounds}."
    if run.round == "sweep":
        return f"Our extension, trained on tables of many sizes; {rounds}."
    return f"The paper's model, trained on other tables; {rounds}."


def of_baseline(key: str, task: Task, scale: Scale, data: str | None = None) -> Run:
    """One of ``BASELINES`` in its default configuration; MF with the rank and penalty that suit the given ratings best.

    Estimates are clipped to ``scale``, if it is known, as those of the runs are. ``data`` is the data set that a
    meta-learned baseline learned from; it works in the units of the checkpoint that learned from the same data.
    """
    spec = BASELINES[key]
    name = label_of(key)
    explanation = spec.explanation
    predict: Predict
    if key == "mf" and small(task):
        settings = chosen_settings(task.given)
        predict = partial(_looked_up, factorize(task.given, settings).estimate())
        explanation = (
            "Factors of rows and columns, fitted to these ratings alone by gradient steps, with "
            f"{counted(settings.rank, 'factor')} and a penalty of {settings.weight_decay:g} (chosen by "
            "cross-validation on the given ratings)."
        )
    elif data is None:
        predict = predictor(spec.build(), task.given)
    else:
        predict = trained_predictor(key, data, task.given)
        name = f"{name}, trained on {WORLDS.get(data, data)}"
    if small(task):
        N, M = task.given.shape
        predict = partial(_looked_up, predict(*np.mgrid[:N, :M]))
    answer = Answer(task.given, CellByCell(predict), scale, method=name)
    return Run(task, answer, key, explanation=explanation)


def of_training_mean(checkpoint: str, task: Task) -> Run | None:
    """The mean of the tables that a checkpoint learned from, for every cell: what it knows without any rating given.

    None where each of them had units of its own, or another scale than the task.
    """
    info = describe(checkpoint)
    mean = info.training_mean
    if mean is None or info.scale != task.given.scale:
        return None

    answer = Answer(task.given, CellByCell(partial(_constant, mean)), info.scale, method=TRAINING_MEAN)
    return Run(
        task, answer, "training_mean", explanation=f"{rounded(mean)} for every cell: no rating of this table is read."
    )


def _constant(value: float, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    return np.full(np.broadcast_shapes(np.shape(rows), np.shape(cols)), value)


def _looked_up(X: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    """Estimates from all of a method's, (N, M), which unlike the method can be sent from process to process."""
    return X[rows, cols]


def simple_errors(task: Task, scale: Scale) -> dict[str, np.ndarray]:
    """The errors, estimate minus truth, of ``ALONE`` on the hidden cells, at least one, by plain name; on a large
    matrix only those of the first two, which take a moment."""
    keys = [key for key in ALONE if BASELINES[key].feasible(task.given)] if small(task) else ALONE[:2]
    return {plain_name(key): of_baseline(key, task, scale).hidden_deviations for key in keys}

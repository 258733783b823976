"""Several methods on one task: their estimates, and their errors on the same hidden cells."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from metamf.answer.answer import Answer
from metamf.answer.division import Task
from metamf.answer.methods import label_of, plain_name
from metamf.baselines import METHODS, SIMPLE
from metamf.baselines.factorization import RANK, STEPS, factorize_by_steps
from metamf.baselines.method import predictor
from metamf.baselines.mf import MFConfig
from metamf.checkpoints.bundled import (
    WORLDS,
    data_set_for,
    describe,
    open_checkpoint,
    trained_predictor,
)
from metamf.ratings.scale import ColumnLimits, RatingScale
from metamf.webapp.run.measured_run import Run
from metamf.wording import counted, rounded

if TYPE_CHECKING:
    from metamf.network.meta_mf import MetaMF

# All methods but the bundled checkpoints: averages, factors, regressions, networks, meta-learned.
_KINDS = (
    *("mean", "damped_bias", "crossed_effects", "mf", "als", "soft_impute", "normal", "iterative"),
    *("knn", "autorec_i", "autorec_u", "dmf", "eml", "maml", "ft"),
)
BASELINES = {
    key: METHODS[key] for key in _KINDS if METHODS[key].kind != "meta-learned" or data_set_for(key)
}
# see this table only, and take moments: the best is "best simple"
ALONE = (*SIMPLE, "soft_impute", "als", "normal")
AT_ONCE = ("eml", "maml", *ALONE)  # take moments
# the methods of the paper's Table 1 next to the model
TABLE_1 = ("eml", "ft", "maml", "autorec_i", "autorec_u", "dmf", "mf", "mean")
RIVALS = ("eml", "maml")  # of Table 1, which learn from other tables, too
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
    config = cast("MetaMF", open_checkpoint(run.method).network).config
    learned = "learned" if config.learn_step_size else "fixed"
    own = f"here {counted(config.rank, 'factor')}, {learned} step size"
    return f"The paper's model ({own}), trained on other tables; {rounds}."


def of_baseline(key: str, task: Task, scale: Scale, data: str | None = None) -> Run:
    """One of ``BASELINES`` in its default configuration; MF with the rank and penalty that suit the
    given ratings best.

    Estimates are clipped to ``scale``, if it is known, as those of the runs are. ``data`` is the
    data set that a meta-learned baseline learned from; it works in the units of the checkpoint that
    learned from the same data.
    """
    spec = BASELINES[key]
    name = label_of(key)
    explanation = spec.explanation
    predict: Predict
    if data is not None:
        predict = trained_predictor(key, data, task.given)
        name = f"{name}, trained on {WORLDS.get(data, data)}"
    elif key == "mf" and small(task):
        predict = partial(_looked_up, factorize_by_steps(task.given).estimate())
        explanation = (
            f"K = {RANK} factors of each row and column (32 in the paper): {STEPS} of the model's "
            "steps on these ratings alone, from random numbers."
        )
    else:
        predict = predictor(spec.build(), task.given)
        if key == "mf":
            explanation += f" K = {MFConfig().rank} factors, as in the paper."
    if small(task):
        N, M = task.given.shape
        predict = partial(_looked_up, predict(*np.mgrid[:N, :M]))
    answer = Answer(task.given, predict, scale, method=name)
    return Run(task, answer, key, explanation=explanation)


def trained_alike(model: Run) -> dict[str, float]:
    """The errors of the paper's meta-learned rivals that learned from the same data as a
    checkpoint, by their labels; none where there are no such parameters or no cell is hidden."""
    found: dict[str, float] = {}
    if not model.task.hidden.nnz or not small(model.task):
        return found
    for key in RIVALS:
        if data_set_for(key, model.method, {model.method}):
            rival = of_baseline(key, model.task, model.answer.limits, model.method)
            found[label_of(key)] = rival.rmse or 0.0
    return found


def of_training_mean(checkpoint: str, task: Task) -> Run | None:
    """The mean of the tables that a checkpoint learned from, for every cell: what it knows without
    any rating given.

    None where each of them had units of its own, or another scale than the task.
    """
    info = describe(checkpoint)
    mean = info.training_mean
    if mean is None or info.scale != task.given.scale:
        return None

    everywhere = partial(_looked_up, np.broadcast_to(mean, task.given.shape))
    answer = Answer(task.given, everywhere, info.scale, method="Average of the training tables")
    explanation = f"{rounded(mean)} for every cell: no rating of this table is read."
    return Run(task, answer, "training_mean", explanation=explanation)


def _looked_up(X: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    """Estimates from all of a method's, (N, M), which unlike the method can be sent from process to
    process."""
    return X[rows, cols]


def simple_errors(task: Task, scale: Scale) -> dict[str, np.ndarray]:
    """The errors, estimate minus truth, of ``ALONE`` on the hidden cells, at least one, by plain
    name; on a large matrix only those of the first two, which take a moment."""
    keys = ALONE if small(task) else ALONE[:2]
    return {
        plain_name(key): of_baseline(key, task, scale).hidden_deviations
        for key in keys
        if BASELINES[key].feasible(task.given)
    }

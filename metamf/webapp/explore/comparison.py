"""Several methods on one task: their estimates, and their errors on the same hidden cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from metamf.answer.division import Task
from metamf.answer.methods import label_of, plain_name
from metamf.baselines import METHODS, SIMPLE
from metamf.baselines.method import predictor
from metamf.baselines.mf import chosen_settings, factorize
from metamf.checkpoints.bundled import WORLDS, checkpoint_title, data_set_for, trained_predictor
from metamf.ratings.limits import ColumnLimits, clipped
from metamf.ratings.scale import RatingScale
from metamf.webapp.explore.run import Run, View
from metamf.wording import counted

# All methods but the bundled checkpoints, the fast ones first: the order in which they are computed.
_FAST_FIRST = (
    *("mean", "damped_bias", "crossed_effects", "eml", "maml", "als", "ft", "soft_impute", "normal", "knn"),
    *("iterative", "mf", "autorec_i", "autorec_u", "dmf"),
)
BASELINES = {key: METHODS[key] for key in _FAST_FIRST if METHODS[key].kind != "meta-learned" or data_set_for(key)}
ALONE = (*SIMPLE, "soft_impute", "als", "normal")  # see this table only, and take moments: the best is "best simple"
AT_FIRST = ("eml", "maml", *ALONE)
_KINDS = (
    *("mean", "damped_bias", "crossed_effects", "mf", "als", "soft_impute", "normal", "iterative", "knn"),
    *("autorec_i", "autorec_u", "dmf", "eml", "maml", "ft"),
)
BY_KIND = [key for key in _KINDS if key in BASELINES]  # averages, factors, regressions, networks, meta-learned
_NETWORKS = ("autorec_i", "autorec_u", "dmf")  # trained on this matrix alone
_SMALL = 100_000  # cells up to which MF takes a second, and all estimates of a method are kept
Predict = Callable[[np.ndarray, np.ndarray], np.ndarray]
Scale = RatingScale | ColumnLimits | None  # to which estimates are clipped


@dataclass(frozen=True, eq=False)
class Contender:
    """A method's answer to a task.

    ``estimate(view)`` (n, m) are the given ratings and its estimates elsewhere, ``errors`` (n_hidden,) are estimate
    minus truth on the hidden cells, both in rating units.
    """

    name: str
    description: str
    estimate: Callable[[View], np.ndarray]
    errors: np.ndarray
    meta_learned: bool = False  # whether it learned from other matrices
    network: bool = False  # whether it is a network trained on this matrix alone
    simple: bool = False  # whether it is one of ``ALONE``

    @cached_property
    def rmse(self) -> float:
        """Root mean squared error on the hidden cells; NaN where no cell is hidden."""
        return float(np.sqrt(self.squares.mean())) if len(self.errors) else np.nan

    @property
    def squares(self) -> np.ndarray:
        """(n_hidden,) the squared errors on the hidden cells."""
        return np.square(self.errors)


def small(task: Task) -> bool:
    """Whether the settings of MF can be chosen, and all its steps be kept, in a moment."""
    return task.given.n_rows * task.given.n_cols <= _SMALL


def of_run(run: Run) -> Contender:
    """A checkpoint, by its run after the last step."""
    rounds = f"{counted(run.T, run.round)} on the given ratings"
    explanation = f"The paper's model, trained on other tables; {rounds}."
    if run.answer.step_rule == "nmf":
        explanation = f"The same with factors that only add, trained on other tables; {rounds}."
    elif run.round == "sweep":
        explanation = f"Our extension, trained on tables of many sizes; {rounds}."

    def estimate(view: View) -> np.ndarray:
        return View(run, view.window).filled(run.T)

    title = checkpoint_title(run.answer.method)
    return Contender(title, explanation, estimate, run.hidden_deviations, meta_learned=True)


def of_baseline(key: str, task: Task, scale: Scale, data: str | None = None) -> Contender:
    """One of ``BASELINES`` in its default configuration; MF with the rank and penalty that suit the given ratings best.

    Estimates are clipped to ``scale``, if it is known, as those of the runs are. ``data`` is the data set that a
    meta-learned baseline learned from; it works in the units of the checkpoint that learned from the same data.
    """
    hidden = task.hidden
    spec = BASELINES[key]
    name = label_of(key)
    explanation = spec.explanation
    unlimited: Predict
    if key == "mf" and small(task):
        settings = chosen_settings(task.given)
        unlimited = partial(_looked_up, factorize(task.given, settings).estimate())
        explanation = (
            "Factors of rows and columns, fitted to these ratings alone by gradient steps, with "
            f"{counted(settings.rank, 'factor')} and a penalty of {settings.weight_decay:g} (chosen by "
            "cross-validation on the given ratings)."
        )
    elif data is None:
        unlimited = predictor(spec.build(), task.given)
    else:
        unlimited = trained_predictor(key, data, task.given)
        name = f"{name}, trained on {WORLDS.get(data, data)}"

    def predict(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        return clipped(unlimited(rows, cols), scale)

    N, M = task.given.shape
    return Contender(
        name,
        explanation,
        partial(_filled, partial(_looked_up, predict(*np.mgrid[:N, :M])) if small(task) else predict),
        predict(hidden.rows, hidden.cols) - hidden.values,
        meta_learned=data is not None,
        network=key in _NETWORKS,
        simple=key in ALONE,
    )


def _looked_up(X: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    """Estimates from all of a method's, (N, M), which unlike the method can be sent from process to process."""
    return X[rows, cols]


def _filled(predict: Predict, view: View) -> np.ndarray:
    return np.where(view.is_given, view.given, predict(*np.mgrid[view.window.rows, view.window.cols]))


def simple_errors(task: Task, scale: Scale) -> dict[str, np.ndarray]:
    """The errors, estimate minus truth, of ``ALONE`` on the hidden cells, at least one, by plain name; on a large
    matrix only those of the first two, which take a moment."""
    keys = [key for key in ALONE if BASELINES[key].feasible(task.given)] if small(task) else ALONE[:2]
    return {plain_name(key): of_baseline(key, task, scale).errors for key in keys}

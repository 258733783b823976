"""Several methods on one task: their estimates, and their errors on the same hidden cells."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metamf.baselines import METHODS, SIMPLE
from metamf.baselines.method import predictor
from metamf.baselines.mf import chosen_settings, factorize
from metamf.checkpoints.bundled import DATA_TITLES, checkpoint_title, data_set_for, describe, trained_predictor
from metamf.evaluate.methods import plain_name
from metamf.evaluate.run import TaskRun, View
from metamf.evaluate.significance import Lead, lead_over_best
from metamf.evaluate.task import SMALL, Task
from metamf.ratings.limits import ColumnLimits
from metamf.ratings.scale import RatingScale
from metamf.wording import counted

# All methods but the bundled checkpoints, the fast ones first: the order in which they are computed.
_FAST_FIRST = (
    *("mean", "damped_bias", "crossed_effects", "eml", "maml", "als", "ft", "soft_impute", "normal", "knn"),
    *("iterative", "mf", "autorec_i", "autorec_u", "dmf"),
)
_ORDER = (*_FAST_FIRST, *(key for key in METHODS if key not in _FAST_FIRST and key != "ours"))
BASELINES = {key: METHODS[key] for key in _ORDER if METHODS[key].kind != "meta-learned" or data_set_for(key)}
AT_FIRST = ("eml", *SIMPLE)
_NETWORKS = ("autorec_i", "autorec_u", "dmf")  # trained on this matrix alone
_MF_CELLS = 100_000  # up to here MF takes a second
_PAUSE = 0.15  # seconds between two answers that are worth showing one by one
Scale = RatingScale | ColumnLimits | None  # to which estimates are clipped


@dataclass(frozen=True, eq=False)
class Contender:
    """A method's answer to a task.

    Attributes
    ----------
    name, description : str
        The method, and one sentence on it.
    meta_learned, network, simple : bool
        Whether it learned from other matrices, is a network trained on this matrix alone, or is one of ``SIMPLE``.
    estimate : callable
        ``estimate(view)``: (n, m) the given ratings and the method's estimates elsewhere, in rating units.
    rmse, mae : float or None
        Root mean squared and mean absolute error on the hidden cells, in rating units; None where no cell is hidden.
    squares : ndarray of shape (n,), or None
        The squared errors on the hidden cells.
    """

    name: str
    description: str
    meta_learned: bool
    network: bool
    estimate: Callable[[View], np.ndarray]
    rmse: float | None
    mae: float | None
    squares: np.ndarray | None = None
    simple: bool = False


def meta_learned(key: str) -> bool:
    """Whether the baseline learned from other matrices."""
    return BASELINES[key].kind == "meta-learned"


def small(task: Task) -> bool:
    """Whether the settings of MF can be chosen, and all its steps be kept, in a moment."""
    return task.given.n_rows * task.given.n_cols <= _MF_CELLS


def in_order(keys: Sequence[str], answer: Callable[[str], Contender]) -> Iterator[tuple[list[Contender], str | None]]:
    """Asks one baseline after the other, the fast ones first.

    Yields the answers so far and the baseline that is computed next, None at the end: after those that answer at once,
    and then whenever some time has passed.
    """
    keys = sorted(keys, key=_ORDER.index)
    slow = next((key for key in keys if BASELINES[key].entries is not None), None)
    found: list[Contender] = []
    shown = time.perf_counter()
    for key in keys:
        if key == slow or time.perf_counter() - shown > _PAUSE:
            yield list(found), key
            shown = time.perf_counter()
        found.append(answer(key))
    yield found, None


def of_run(run: TaskRun) -> Contender:
    """A checkpoint, by its run after the last step."""
    name, errors = checkpoint_title(run.imputation.checkpoint), run.hidden_errors
    rounds = f"{counted(run.T, run.round)} on the given ratings"
    data = DATA_TITLES.get(describe(run.checkpoint).data, "made-up people")
    explanation = f"The paper's model, trained on other ratings of {data}; {rounds}."
    if run.round == "sweep":
        explanation = f"The paper's idea extended, trained on matrices of many sizes; {rounds}."

    def estimate(view: View) -> np.ndarray:
        return View(run, view.window).filled(run.T)

    return Contender(
        name,
        explanation,
        meta_learned=True,
        network=False,
        estimate=estimate,
        rmse=run.rmse,
        mae=None if errors is None else float(errors.mae[-1]),
        squares=run.hidden_squares if run.task.hidden.nnz else None,
    )


def of_baseline(key: str, task: Task, scale: Scale, data: str | None = None) -> Contender:
    """One of ``BASELINES`` in its default configuration; MF with the rank and penalty that suit the given ratings best.

    Estimates are clipped to ``scale``, if it is known, as those of the runs are. ``data`` is the data set that a
    meta-learned baseline learned from; it works in the units of the checkpoint that learned from the same data.
    """
    hidden, spec = task.hidden, BASELINES[key]
    name, explanation = spec.label, spec.explanation
    unlimited: Callable[[np.ndarray, np.ndarray], np.ndarray]
    if key == "mf" and small(task):
        settings = chosen_settings(task.given)
        unlimited = _Estimates(factorize(task.given, settings).estimate()).at
        explanation = (
            "Factors of rows and columns, fitted to these ratings alone by gradient steps, with "
            f"{counted(settings.rank, 'factor')} and a penalty of {settings.weight_decay:g} (chosen by "
            "cross-validation on the given ratings)."
        )

    elif data is None:
        unlimited = predictor(spec.build(), task.given)
    else:
        unlimited = trained_predictor(key, data, task.given)
        name = f"{spec.label}, {checkpoint_title(data)}"

    def predict(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        values = unlimited(rows, cols)
        return values if scale is None else scale.clip(values)

    def estimate(view: View) -> np.ndarray:
        rows, cols = np.mgrid[view.window.rows, view.window.cols]  # (n, m) each
        return np.where(view.is_given, view.given, predict(rows, cols))

    N, M = task.given.shape
    E = predict(hidden.rows, hidden.cols) - hidden.values
    return Contender(
        name,
        explanation,
        meta_learned=data is not None,
        network=key in _NETWORKS,
        estimate=estimate if N * M > SMALL else _Estimates(predict(*np.mgrid[:N, :M])),
        rmse=float(np.sqrt(np.mean(E**2))) if hidden.nnz else None,
        mae=float(np.abs(E).mean()) if hidden.nnz else None,
        squares=np.square(E) if hidden.nnz else None,
        simple=key in SIMPLE,
    )


@dataclass(frozen=True, eq=False)
class _Estimates:
    """The (N, M) estimates of a method in rating units; unlike the method they can be sent from process to process."""

    X: np.ndarray

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        return self.X[rows, cols]

    def __call__(self, view: View) -> np.ndarray:
        return np.where(view.is_given, view.given, self.X[view.window.rows, view.window.cols])


def of_baselines(asked: Sequence[tuple[str, str | None]], task: Task, scale: Scale) -> dict[str, Contender]:
    """``of_baseline`` of several methods, each with the data set that it learned from or None, by their keys."""
    return {key: of_baseline(key, task, scale, data) for key, data in asked}


def simple_squares(task: Task, scale: Scale) -> dict[str, np.ndarray]:
    """The squared errors of the simple methods on the hidden cells, at least one, by plain name; on a large matrix only
    those of the first two, which take a moment."""
    found = {plain_name(key): of_baseline(key, task, scale).squares for key in (SIMPLE if small(task) else SIMPLE[:2])}
    return {name: squares for name, squares in found.items() if squares is not None}


def lead_of(run: TaskRun, squares: Callable[[Task, Scale], Mapping[str, np.ndarray]] = simple_squares) -> Lead | None:
    """The lead of a checkpoint over the best simple method, by ``simple_squares`` or what remembers its answers; None
    where no cell is hidden."""
    if not run.task.hidden.nnz:
        return None
    return lead_over_best(run.hidden_squares, squares(run.task, run.imputation.scale), run.task.hidden)

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
from metamf.tasks.run import TaskRun
from metamf.tasks.task import Task
from metamf.tasks.view import View
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
_PAUSE = 0.15  # seconds between two answers that are worth showing one by one; chosen by hand


@dataclass(frozen=True, eq=False)
class Contender:
    """A method's answer to a task.

    Attributes
    ----------
    name : str
        The method.
    description : str
        One sentence on it.
    meta_learned : bool
        Whether it learned from other matrices.
    network : bool
        Whether it is a network that is trained on this matrix alone.
    estimate : callable
        ``estimate(view)``: (n, m) the given ratings and the method's estimates elsewhere, in rating units.
    rmse, mae : float or None
        Root mean squared and mean absolute error on the hidden cells, in rating units; None where no cell is hidden.
    """

    name: str
    description: str
    meta_learned: bool
    network: bool
    estimate: Callable[[View], np.ndarray]
    rmse: float | None
    mae: float | None


def meta_learned(key: str) -> bool:
    """Whether the baseline learned from other matrices."""
    return BASELINES[key].kind == "meta-learned"


def training_data(key: str, checkpoint: str) -> str:
    """The data set whose bundled parameters a meta-learned baseline answers with: that of ``checkpoint``, if there are
    such parameters, or else ML-1M, or else the first."""
    names = trained_on(key)
    return next(name for name in (checkpoint, "ml-1m", *names) if name in names)


def in_order(keys: Sequence[str], answer: Callable[[str], Contender]) -> Iterator[tuple[list[Contender], str | None]]:
    """Asks one baseline after the other, the fast ones first.

    Yields
    ------
    contenders : list of Contender
        The answers so far: after those that answer at once, and then whenever some time has passed.
    waiting : str or None
        The baseline that is computed next; None at the end.
    """
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


def of_run(run: TaskRun) -> Contender:
    """A bundled checkpoint, by its run after the last step."""
    name, last = checkpoint_title(run.imputation.checkpoint), run.summaries[-1]
    data = "matrices of many sizes" if run.round == "sweep" else name

    def estimate(view: View) -> np.ndarray:
        return View(run, view.window).filled(run.T)

    return Contender(
        name,
        f"Meta-trained on {data}; {counted(run.T, run.round)} on the given ratings.",
        meta_learned=True,
        network=False,
        estimate=estimate,
        rmse=last.hidden_rmse,
        mae=last.hidden_mae,
    )


def of_baseline(key: str, task: Task, scale: RatingScale | None, units_of: TaskRun | None = None) -> Contender:
    """A baseline with its default configuration.

    Parameters
    ----------
    key : str
        One of ``BASELINES``.
    task : Task
        What it is given, and on what its errors are measured.
    scale : RatingScale or None
        What estimates are clipped to, as those of the runs are.
    units_of : TaskRun, optional
        For a meta-learned baseline: the run of a checkpoint that was meta-trained on the same data. The baseline works
        with its parameters for those data, in the units of that run.
    """
    hidden, spec = task.hidden, BASELINES[key]
    if units_of is None:
        units, method, name = Standardization.of(task.given.values), spec.build(), spec.label
    else:
        data = units_of.imputation.checkpoint
        units, method = units_of.imputation.trajectory.standardization, load_trained(key, data)
        name = f"{spec.label}, {checkpoint_title(data)}"
    unlimited = predictor(method, task.given, units)

    def predict(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        values = unlimited(rows, cols)
        return values if scale is None else scale.clip(values)

    def estimate(view: View) -> np.ndarray:
        rows, cols = np.mgrid[view.window.rows, view.window.cols]  # (n, m) each
        return np.where(view.is_given, view.given, predict(rows, cols))

    E = predict(hidden.rows, hidden.cols) - hidden.values
    return Contender(
        name,
        spec.explanation,
        meta_learned=units_of is not None,
        network=key in _NETWORKS,
        estimate=estimate,
        rmse=float(np.sqrt(np.mean(E**2))) if hidden.nnz else None,
        mae=float(np.abs(E).mean()) if hidden.nnz else None,
    )

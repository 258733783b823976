"""A run as the data from which a browser draws every step, so that a step costs the server nothing.

The factors of every step travel, and no matrix that follows from them:
``metamf/webapp/player/js/run.js`` computes products, residuals and pulls. Section 3 of the paper:
U(t) and V(t) of Eqs. (6) and (7).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metamf.answer.division import SMALL
from metamf.baselines.factorization import factorize_by_steps
from metamf.checkpoints.bundled import checkpoint_title
from metamf.datasets.loading import feature_words
from metamf.figures.window import Axes, Window
from metamf.webapp.player.payload import id_of, numbers_of, payload_of, text_of
from metamf.webapp.run.measured_run import Run

if TYPE_CHECKING:
    from metamf.answer.answer import Trajectory
    from metamf.baselines.factorization import Factorization


def replay(
    run: Run, window: Window | None = None, pinned: Run | None = None, by: str = "your edits"
) -> dict[str, Any]:
    """The part of a run inside a window, or all of it, as JSON values; the keys are those of
    ``Run`` in ``run.js``.

    Arrays are base64 of little-endian float32, in C order, NaN where there is no value: ``X`` and
    ``truth`` (n * m, in rating units), ``U`` ((T + 1) * n * K) and ``V`` ((T + 1) * m * K), in
    standardised units. Differences are drawn to the run ``pinned``, of as many steps; ``by``: what
    made the difference.
    """
    task = run.task
    window = window or Window.of(task.given.shape)
    size = (window.height, window.width)
    about = payload_of(
        task.matrix.name, size, Axes.of(task.matrix.ratings, window), task.given.shape
    )
    answer = run.answer
    path = answer.trajectory
    features = run.task.given.col_features
    K = path.U.shape[2]
    low, high = run.range
    lower, upper = answer.interval_block(window.rows, window.cols) or (None, None)
    # the last two coordinates of sweeps are the effect and 1 in U, 1 and the effect in V
    sweeps = run.round == "sweep"
    truth = text_of(window.dense(task.hidden)) if task.hidden.nnz else None
    mf = None
    if math.prod(task.given.shape) <= SMALL:  # on a larger matrix it takes a while
        mf = _factors_of_mf(factorize_by_steps(task.given, run.T), run, window)
    arrays = {"X": text_of(window.dense(task.given)), "truth": truth} | _factors_of(run, window)
    return about | {
        "id": id_of(answer.method, run.T, about, arrays),
        "model": {
            "name": answer.method,
            "title": checkpoint_title(answer.method),
            "kind": "universal" if sweeps else "nmf" if answer.step_rule == "nmf" else "paper",
            "rule": answer.step_rule,
        },
        "round": run.round,
        "K": K,
        "T": run.T,
        "low": float(low),
        "high": float(high),
        "clip": answer.limits is not None,
        **arrays,
        "constants": {"U": [K - 1], "V": [K - 2]} if sweeps else {"U": [], "V": []},
        "effects": {"U": [K - 2], "V": [K - 1]} if sweeps else {"U": [], "V": []},
        "eta": run.step_size,
        "lambda": run.prior_precision,
        "lower": text_of(lower),
        "upper": text_of(upper),
        "level": answer.level,
        "n_given": task.given.nnz,
        "n_hidden": task.hidden.nnz,
        "errors": {"given": numbers_of(run.given_errors), "hidden": numbers_of(run.hidden_errors)},
        "limits": {"factor": run.largest_factor, "residual": run.largest_residual},
        "mf": mf,
        "answers": None if task.matrix.truth is None else text_of(window.part(task.matrix.truth)),
        "pinned": pinned and _factors_of(pinned, window) | {"by": by},
        "features": None if features is None else feature_words(features[window.cols]),
    }


def _factors_of_mf(path: Factorization, run: Run, window: Window) -> dict[str, Any]:
    """The steps of matrix factorization on the given ratings of a run, with its errors."""
    hidden = path.rmse(run.task.hidden) if run.task.hidden.nnz else None
    return _factors(path, path.units, window) | {
        "K": path.U.shape[2],
        "model": {"name": "mf", "title": "Matrix factorization", "kind": "mf", "rule": "safe"},
        "errors": {
            "given": numbers_of(path.rmse(run.task.given)),
            "hidden": numbers_of(hidden),
        },
    }


def _factors_of(run: Run, window: Window) -> dict[str, Any]:
    path = run.answer.trajectory
    return _factors(path, path.standardization, window)


def _factors(path: Trajectory | Factorization, units: Any, window: Window) -> dict[str, Any]:
    """Factors of all steps in a window, and their units."""
    U = path.U[:, window.rows]
    V = path.V[:, window.cols]
    return {"U": text_of(U), "V": text_of(V), "mean": float(units.mean), "std": float(units.spread)}


def replay_of_mf(path: Factorization, run: Run, window: Window | None = None) -> dict[str, Any]:
    """The steps of MF, which has no prior, on the given ratings of ``run``, in the form of
    ``replay``.

    The model of the payload is MF, without step size, pulls and intervals.
    """
    task = run.task
    window = window or Window.of(task.given.shape)
    given = window.dense(task.given)
    residuals = [window.part(path.estimate(t)) - given for t in range(path.T + 1)]
    factors = _factors_of_mf(path, run, window)
    return replay(run, window) | {
        "id": id_of(window, factors),
        "round": "step",
        "T": path.T,
        **factors,
        "model": {"name": "mf", "title": "MF", "kind": "mf", "rule": "exact"},
        **dict.fromkeys(("eta", "lambda", "lower", "upper", "level")),
        "constants": {"U": [], "V": []},
        "effects": {"U": [], "V": []},
        "limits": {
            "factor": float(max(np.abs(path.U).max(), np.abs(path.V).max())),
            "residual": float(np.nanmax(np.abs(residuals), initial=0.0)),
        },
    }


def replay_of_training(
    matrix: dict[str, Any], rows: Sequence[dict[str, Any]], lines: dict[str, float]
) -> dict[str, Any]:
    """The reports of a meta-training as the steps of one held-out matrix, in the form of
    ``replay``.

    ``matrix`` has names ``rows`` and ``cols``, ``low`` and ``high`` of the scale, and ``given`` and
    ``hidden`` as [row, column, rating]; a row has ``update``, ``error``, ``loss`` and ``trail``,
    the estimates as base64 of two bytes a cell. ``lines``: errors of others on the same matrices.
    """
    low = matrix["low"]
    high = matrix["high"]
    size = (len(matrix["rows"]), len(matrix["cols"]))
    X = np.full(size, np.nan)
    truth = np.full(size, np.nan)
    for values, cells in ((X, matrix["given"]), (truth, matrix["hidden"])):
        for row, col, rating in cells:
            values[row, col] = rating
    reports = [row["trail"] for row in rows]
    shown = {
        "detail": "",
        "noun": "estimate",
        "below": "",
        "above": "",
        "kind": "rating",
        "low": low,
        "high": high,
    }
    half = (high - low) / 2  # larger errors have the colour of that
    signs = {"kind": "signed", "low": -half, "high": half, "below": "too low", "above": "too high"}
    return payload_of("Meta-training", size, Axes(matrix["rows"], matrix["cols"])) | {
        "id": f"training {len(rows)} {rows[-1]['update']} {rows[-1]['error']}",
        "round": "report",
        "T": len(rows) - 1,
        "low": low,
        "high": high,
        "X": text_of(X),
        "truth": text_of(truth),
        "n_given": len(matrix["given"]),
        "n_hidden": len(matrix["hidden"]),
        "errors": {
            "given": [row["loss"] for row in rows],
            "hidden": [row["error"] for row in rows],
        },
        "levels": [{"name": name, "value": error} for name, error in lines.items()],
        "reports": {
            "updates": [row["update"] for row in rows],
            "names": ["its training tables", "held-out tables"],
        },
        "maps": [
            shown
            | {
                "title": "The ratings",
                "noun": "rating",
                "values": text_of(np.where(np.isnan(X), truth, X)),
            },
            shown | {"title": "Estimates", "reports": reports},
            shown | signs | {"title": "Errors on the hidden ones", "reports": reports},
        ],
    }

"""A factorization of one matrix alone as a run that a browser draws step by step: what MF does without a prior."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from metamf.baselines.mf_path import MFPath
from metamf.tasks.replay import numbers_of, replay, text_of
from metamf.tasks.view import View


def replay_of_mf(path: MFPath, view: View) -> dict[str, Any]:
    """The steps of MF on the part of its matrix inside a window, in the form of ``metamf.tasks.replay.replay``.

    Parameters
    ----------
    path : MFPath
        The factorization, of the given ratings of ``view``.
    view : View
        A run on the same given ratings, for the names, the ratings and the scale; and the window.

    Returns
    -------
    dict
        A payload whose model is MF: no step size, no pulls and no intervals.
    """
    task, window = view.run.task, view.window
    U, V = path.U[:, window.rows], path.V[:, window.cols]
    estimates = np.stack([path.estimate(t)[window.rows, window.cols] for t in range(path.T + 1)])  # (T + 1, n, m)
    factors = {"U": text_of(U), "V": text_of(V)}
    identity = repr((path.settings, window, factors))
    errors = {
        "given": numbers_of(path.rmse(task.given)),
        "hidden": numbers_of(path.rmse(task.hidden)) if task.hidden.nnz else None,
    }
    return replay(view) | {
        "id": hashlib.blake2b(identity.encode(), digest_size=12).hexdigest(),
        "model": {"name": "mf", "title": "MF", "kind": "mf", "rule": "exact"},
        "round": "step",
        "K": U.shape[2],
        "T": path.T,
        "mean": float(path.units.mean),
        "std": float(path.units.spread),
        **factors,
        "constants": {"U": [], "V": []},
        "effects": {"U": [], "V": []},
        "eta": None,
        "lambda": None,
        "lower": None,
        "upper": None,
        "level": None,
        "errors": errors,
        "pulls": None,
        "limits": {
            "factor": float(max(np.abs(path.U).max(), np.abs(path.V).max())),
            "residual": _largest(estimates - view.given),
            "change": _largest(np.diff(estimates, axis=0)),
        },
    }


def _largest(values: np.ndarray) -> float:
    """The largest size of what is a number; 0 where nothing is."""
    sizes = np.abs(values[~np.isnan(values)])
    return float(sizes.max()) if sizes.size else 0.0

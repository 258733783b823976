"""Meta-trains the paper's model for the page Train, in a worker of the engine, and reports each step."""

from __future__ import annotations

import math
import time
from base64 import b64encode
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from metamf.datasets.archives import ARCHIVES
from metamf.ratings.matrix import Ratings
from metamf.recipes.live import LiveData, LiveProgress, LiveTraining
from metamf.webapp.engine import RefusedError, Tell
from metamf.wording import name_of

PACE = 0.2  # seconds from one report to the next, at least, so that the first updates can be followed


def train(arguments: dict[str, Any], report: Tell) -> dict[str, Any]:
    """Meta-trains the paper's model until it is stopped or has done its updates: a job of the engine.

    ``arguments`` are ``data``, FILM_NIGHTS or a data set, ``learning_rate``, ``seed``, and ``title``, the name of the
    checkpoint. Reports ``facts``: what errors are measured against, and the matrix that is shown; a ``row`` with
    ``update``, ``loss``, ``error``, ``rate``, and ``trail``, the estimates as ``as_sent`` writes them. Errors are root
    mean squared errors in rating units. The order ``learning_rate`` changes it from then on. Returns ``files``,
    checkpoint and card by name, ``best``, the row of the kept parameters, and what the page says of them.
    """
    training = LiveTraining(_data(arguments["data"]), arguments["learning_rate"], arguments["seed"])
    report({"facts": _facts(training.data)})
    for progress in training.run():
        began = time.monotonic()
        orders = report(progress and _as_message(training, progress))
        if orders.get("stop"):
            break
        if "learning_rate" in orders:
            training.change_learning_rate(orders["learning_rate"])
        if progress:
            time.sleep(max(0.0, began + PACE - time.monotonic()))
    with TemporaryDirectory() as folder:
        info = training.finish(Path(folder, f"{arguments['title']}.safetensors"))
        files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    rmse = {key: _rmse(training.data, info.errors[key]) for key in ("query_mse", "mean_query_mse")}
    return {
        "files": files,
        "best": _best(training),
        "updates": training.update,
        "kept": info.recipe["kept_update"],
        "diverged": training.diverged,
        "blocks": info.errors["blocks"],
        "error": rmse["query_mse"],
        "mean": rmse["mean_query_mse"],
    }


def _data(name: str) -> LiveData:
    try:
        return LiveData.load(name)
    except FileNotFoundError as error:
        raise RefusedError(f"{ARCHIVES[name].title} is not on this machine any more.") from error
    except OSError as error:
        raise RefusedError(f"{ARCHIVES[name].title} cannot be read on this machine now.") from error
    except ValueError as error:
        raise RefusedError(f"{ARCHIVES[name].title} cannot be read: its archive is damaged.") from error


def _facts(data: LiveData) -> dict[str, Any]:
    support = data.shown.support
    scale = data.scale
    bundled = data.bundled_error()
    return {
        "mean": _rmse(data, data.support_mean_error()),
        "bundled": bundled and {"title": bundled[0], "error": _rmse(data, bundled[1])},
        "blocks": len(data.validation.support),
        "matrix": {
            "rows": [name_of(support.row_labels, n, "person") for n in range(support.n_rows)],
            "cols": [name_of(support.col_labels, m, "film") for m in range(support.n_cols)],
            "low": scale.minimum,
            "high": scale.maximum,
            "given": _cells(support),
            "hidden": _cells(data.shown.query),
        },
    }


def untrained(data: str, seed: int) -> dict[str, Any]:
    """Facts, row and picture before the first update: what random weights make of the shown matrix.

    Raises RefusedError if the data are not there, or damaged.
    """
    training = LiveTraining(_data(data), seed=seed)
    return {"facts": _facts(training.data)} | _as_message(training, next(filter(None, training.run())))


def as_sent(estimates: np.ndarray, low: float, high: float) -> str:
    """Estimates as base64 of two bytes each, row by row: a shown matrix of 12 x 12 takes 384 characters."""
    share = (np.clip(estimates, low, high) - low) / (high - low)
    return b64encode(np.rint(share * np.iinfo("<u2").max).astype("<u2").tobytes()).decode("ascii")


def _as_message(training: LiveTraining, progress: LiveProgress) -> dict[str, Any]:
    loss = None if math.isnan(progress.loss) else _rmse(training.data, progress.loss)
    row = _row(training, progress.update, progress.error) | {"loss": loss, "rate": training.training.learning_rate}
    return {"row": row}


def _row(training: LiveTraining, update: int | str, error: float, best: bool = False) -> dict[str, Any]:
    """The report of an update, of the parameters of now or the ``best`` ones."""
    scale = training.data.scale
    trail = as_sent(training.estimates(best=best), scale.minimum, scale.maximum)
    return {"update": update, "loss": None, "error": _rmse(training.data, error), "trail": trail}


def _best(training: LiveTraining) -> dict[str, Any] | None:
    """The report of the parameters that are kept; None before the first update."""
    if not training.training.history:
        return None
    return _row(training, "best", training.training.history[-1].best_error, best=True)


def _cells(ratings: Ratings) -> list[list[float]]:
    """[row, column, rating] of every observed entry, in rating units."""
    return [[int(n), int(m), float(x)] for n, m, x in zip(ratings.rows, ratings.cols, ratings.values)]


def _rmse(data: LiveData, mse: float) -> float:
    """Mean squared error in standardised units -> root mean squared error in rating units."""
    return math.sqrt(mse) * data.units.std

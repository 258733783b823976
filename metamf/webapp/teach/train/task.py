"""Meta-trains the paper's model for the page Train, in a worker of the engine, and reports each
step."""

from __future__ import annotations

import math
import time
from base64 import b64encode
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
from safetensors.torch import load, save

from metamf.baselines import METHODS
from metamf.datasets.archives import ARCHIVES
from metamf.network.meta_mf import MetaMF
from metamf.ratings.matrix import Ratings
from metamf.recipes.drawn import FILM_NIGHTS
from metamf.recipes.live import LiveData, LiveProgress, LiveTraining
from metamf.webapp.engine import RefusedError, Tell
from metamf.wording import name_of

PACE = 0.2  # seconds from one report to the next, at least: the first updates can be followed


def train(arguments: dict[str, Any], report: Tell) -> dict[str, Any]:
    """Meta-trains the paper's model until it is stopped or has done its updates: a job of the
    engine.

    ``arguments`` are ``data``, FILM_NIGHTS or a data set, ``learning_rate``, ``seed``, and
    ``title``, the name of the checkpoint. Reports ``facts``: what errors are measured against, and
    the matrix that is shown; a ``row`` with ``update``, ``loss``, ``error``, ``rate``, and
    ``trail``, the estimates as ``as_sent`` writes them. Errors are root mean squared errors in
    rating units. The order ``learning_rate`` changes it from then on. After ``until`` updates it
    reports ``now``, the parameters, and waits for the order of another number (0: no end). Returns
    ``files``, checkpoint and card by name, ``best``, the row of the kept parameters, and what the
    page says of them; each report with a row has that of now as its ``best``.
    """
    training = LiveTraining(_data(arguments["data"]), arguments["learning_rate"], arguments["seed"])
    title = arguments["title"]
    until = arguments.get("until")
    report({"facts": _facts(training.data)})
    for progress in training.run():
        began = time.monotonic()
        message = None
        if progress:
            message = {"row": _row(training, progress), "best": _result(training, title)}
        orders = report(message)
        until = orders.get("until", until)
        now = None
        if until and training.update >= until:
            parameters = save(training.training.learner.state_dict())
            now = {"now": {"parameters": parameters, "update": training.update}}
        while until and training.update >= until and not orders.get("stop"):
            orders |= report(now)
            until = orders.get("until", until)
            now = None  # once is enough
            time.sleep(PACE)
        if orders.get("stop"):
            break
        if "learning_rate" in orders:
            training.change_learning_rate(orders["learning_rate"])
        if progress:
            time.sleep(max(0.0, began + PACE - time.monotonic()))
    return _result(training, title)


def untrained(data: str, seed: int) -> dict[str, Any]:
    """Facts, row and picture before the first update: what random weights make of the shown matrix.

    Raises RefusedError if the data are not there, or damaged.
    """
    training = LiveTraining(_data(data), seed=seed)
    progress = next(filter(None, training.run()))
    return {"facts": _facts(training.data), "row": _row(training, progress)}


def network_of(data: LiveData, seed: int, parameters: bytes | None = None) -> MetaMF:
    """The network of a training: with the ``parameters`` of a report, or the first random ones."""
    network = cast(MetaMF, METHODS["ours"].build(data.preset.model, seed))
    if parameters is not None:
        network.load_state_dict(load(parameters))
    return network.eval()


def _data(name: str) -> LiveData:
    try:
        return LiveData.load(name)
    except FileNotFoundError as error:
        why = "is not on this machine any more"
        raise RefusedError(f"{ARCHIVES[name].title} {why}.") from error
    except OSError as error:
        why = "cannot be read on this machine now"
        raise RefusedError(f"{ARCHIVES[name].title} {why}.") from error
    except ValueError as error:
        why = "cannot be read: its archive is damaged"
        raise RefusedError(f"{ARCHIVES[name].title} {why}.") from error


def _facts(data: LiveData) -> dict[str, Any]:
    support = data.shown.support
    bundled = data.bundled_error()
    return {
        "mean": _rmse(data, data.support_mean_error()),
        "bundled": bundled and {"title": bundled[0], "error": _rmse(data, bundled[1])},
        "blocks": len(data.validation.support),
        "level": data.units.mean,  # what random weights answer
        "liked": data.name == FILM_NIGHTS,  # people rate what they like on the held-out matrices
        "matrix": {
            "rows": [name_of(support.row_labels, n, "person") for n in range(support.n_rows)],
            "cols": [name_of(support.col_labels, m, "film") for m in range(support.n_cols)],
            "low": data.scale.minimum,
            "high": data.scale.maximum,
            "given": _cells(support),
            "hidden": _cells(data.shown.query),
        },
    }


def _cells(ratings: Ratings) -> list[list[float]]:
    """[row, column, rating] of every observed entry, in rating units."""
    entries = zip(ratings.rows.tolist(), ratings.cols.tolist(), ratings.values.tolist())
    return [list(entry) for entry in entries]


def _result(training: LiveTraining, title: str) -> dict[str, Any]:
    """The best parameters so far as files, and what the page says of them."""
    with TemporaryDirectory() as folder:
        info = training.finish(Path(folder, f"{title}.safetensors"))
        files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    history = training.training.history
    best = None
    if history:
        best = {"update": "best", "loss": None} | _estimated(training, history[-1].best_error, True)
    return {
        "files": files,
        "best": best,
        "updates": training.update,
        "kept": info.recipe["kept_update"],
        "diverged": training.diverged,
        "blocks": info.errors["blocks"],
        "error": _rmse(training.data, info.errors["query_mse"]),
        "mean": _rmse(training.data, info.errors["mean_query_mse"]),
    }


def _row(training: LiveTraining, progress: LiveProgress) -> dict[str, Any]:
    """The report of an update."""
    loss = None if math.isnan(progress.loss) else _rmse(training.data, progress.loss)
    about = {"update": progress.update, "loss": loss, "rate": training.training.learning_rate}
    return about | _estimated(training, progress.error)


def _estimated(training: LiveTraining, error: float, best: bool = False) -> dict[str, Any]:
    """Error and estimates of the parameters of now, or of the ``best`` ones."""
    scale = training.data.scale
    trail = as_sent(training.estimates(best=best), scale.minimum, scale.maximum)
    return {"error": _rmse(training.data, error), "trail": trail}


def as_sent(estimates: np.ndarray, low: float, high: float) -> str:
    """Estimates as base64 of two bytes each, row by row: a shown matrix of 12 x 12 takes 384
    characters."""
    share = (np.clip(estimates, low, high) - low) / (high - low)
    return b64encode(np.rint(share * np.iinfo("<u2").max).astype("<u2").tobytes()).decode("ascii")


def _rmse(data: LiveData, mse: float) -> float:
    """Mean squared error in standardised units -> root mean squared error in rating units."""
    return math.sqrt(mse) * data.units.std

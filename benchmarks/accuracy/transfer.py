"""A data set left out: the universal model is trained on the two others and measured on this one.

    python -m benchmarks.accuracy.transfer
    python -m benchmarks.accuracy.transfer --left-out ml-1m

Trains on the meta-training parts of the others, split 0 (a stopped run goes on from its state), calibrates, and
predicts half of the ratings that the left-out set's meta-test users gave to any item from the other half; the other
methods see the same ratings, with variances or settings fitted to them. Rows as in benchmarks/accuracy/universal.py
go to benchmarks/results/transfer.csv, in place of those of the same data set.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import pandas as pd
import torch

from benchmarks.accuracy.universal import HeldOutMatrices, methods_with, scores
from benchmarks.rows import RESULTS
from metamf import datasets
from metamf.files import write_atomically
from metamf.learning.data import load_domains
from metamf.learning.episodes import divide_entries, split_ids
from metamf.learning.recipes import UniversalRun

WHERE = {"jester": "all jokes, half given", "ml-1m": "all films, half given"}  # without ML-100K is ``universal`` itself


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--left-out", nargs="+", choices=WHERE, default=list(WHERE))
    parser.add_argument("--out", type=Path, default=RESULTS / "transfer.csv")
    parser.add_argument("--states", type=Path, default=Path(gettempdir()), help="folder of the states of stopped runs")
    parser.add_argument("--epochs", type=int, help="instead of the recipe's")
    options = parser.parse_args(arguments)
    for name in options.left_out:
        rows = judged(name, options.states / f"metamf-transfer-{name}.state", options.epochs)
        add(options.out, name, rows)
        print(rows[~rows.metric.str.contains("_at_")].to_string(index=False), flush=True)


def judged(name: str, state: Path, epochs: int | None) -> pd.DataFrame:
    trained_on = [other for other in datasets.NAMES if other != name]
    run = UniversalRun(trained_on, load_domains(trained_on, 0), epochs=epochs)
    for progress in run.train(state):
        print(progress, flush=True)
    run.finish(state.with_suffix(".safetensors"), f"python -m benchmarks.accuracy.transfer --left-out {name}")
    model, training = run.model, run.training.config
    matrices = HeldOutMatrices(name, WHERE[name], model.scale_units, [left_out(name)])
    batch = matrices.batch(matrices.episodes)
    about = {
        "trained_on": " ".join(trained_on),
        "updates": training.epochs * training.updates_per_epoch,
        "torch": torch.__version__,
    }
    return pd.DataFrame(
        {"data": matrices.data, "where": matrices.where, "method": method, "metric": metric, "value": f"{value:.5g}"}
        | about
        for method, estimate in methods_with(model).items()
        for metric, value in scores(matrices, batch, estimate(matrices, batch)).items()
    )


def left_out(name: str):
    """The meta-test users, all items, half of the ratings given."""
    ratings = datasets.load(name, zeros_are_missing=False)
    users = split_ids(ratings, 0)[0][2]
    return divide_entries(ratings.submatrix(users, np.arange(ratings.n_cols)), 0.5, np.random.default_rng([0, 0]))


def add(path: Path, name: str, rows: pd.DataFrame) -> None:
    """``rows`` of a data set in place of those that the file holds of it."""
    before = [pd.read_csv(path, dtype=str).query("data != @name")] if path.exists() else []
    write_atomically(path, pd.concat([*before, rows]).to_csv(index=False).encode())


if __name__ == "__main__":
    main()

"""A data set left out: the universal model is trained on the two others and measured on this one.

    python -m benchmarks.accuracy.transfer
    python -m benchmarks.accuracy.transfer --left-out ml-1m

Trains on the meta-training parts of the others, split 0 (a stopped run goes on from its state), calibrates, and
predicts half of the ratings that the left-out set's meta-test users gave to any item from the other half; the other
methods see the same ratings, with variances or settings fitted to them. Rows as in benchmarks/accuracy/universal.py
go to benchmarks/results/transfer.csv, in place of those of the same data set.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import gettempdir

import numpy as np
import pandas as pd
import torch

from benchmarks.accuracy.universal import HeldOutMatrices, methods_with, scores
from benchmarks.rows import RESULTS, command_line
from metamf import datasets
from metamf.files import write_atomically
from metamf.learning.data import load_domains
from metamf.learning.episodes import divide_entries, split_ids
from metamf.recipes.presets import resumable
from metamf.recipes.universal import UniversalRun

OUT = RESULTS / "transfer.csv"
WHERE = {"jester": "all jokes, half given", "ml-1m": "all films, half given"}  # without ML-100K is ``universal`` itself


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--left-out", nargs="+", choices=WHERE, default=list(WHERE))
    for name in parser.parse_args().left_out:
        rows = judged(name, Path(gettempdir()) / f"metamf-transfer-{name}.state")
        others = pd.read_csv(OUT, dtype=str).query("data != @name")
        write_atomically(OUT, pd.concat([others, rows]).to_csv(index=False).encode())
        print(rows[~rows.metric.str.contains("_at_")].to_string(index=False), flush=True)


def judged(name: str, state: Path) -> pd.DataFrame:
    trained_on = [other for other in datasets.NAMES if other != name]
    run = UniversalRun(trained_on, load_domains(trained_on, 0))
    for progress in resumable(run.training, state):
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


if __name__ == "__main__":
    main()

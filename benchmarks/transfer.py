"""A domain left out: the universal model trained on MovieLens alone, judged on Jester, whose jokes it knows nothing of.

    python -m benchmarks.transfer

Trains on the meta-training parts of ML-100K and ML-1M, split 0 (a stopped run goes on from ``--state``), calibrates,
and predicts half of the ratings of Jester's meta-test users on all 100 jokes from the other half; the other methods see
the same ratings, with variances or settings fitted to them. Rows as in benchmarks/universal.py go to
benchmarks/results/transfer.csv.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import torch

from benchmarks.splits import append
from benchmarks.universal import RESULTS, Case, als, crossed_effects, damped_bias, scores, universal
from metamf import datasets
from metamf.episodes import divide_entries, split_ids
from metamf.universal_recipe import UniversalRun, load_domains

TRAINED_ON = ("ml-100k", "ml-1m")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=RESULTS / "transfer.csv")
    parser.add_argument("--state", type=Path, default=Path(gettempdir()) / "metamf-transfer.state")
    parser.add_argument("--epochs", type=int, help="instead of the recipe's")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    run = UniversalRun(TRAINED_ON, load_domains(TRAINED_ON, 0), epochs=arguments.epochs)
    for progress in run.train(arguments.state):
        print(progress, flush=True)
    run.finish(arguments.state.with_suffix(".safetensors"), "python -m benchmarks.transfer")
    model, training = run.model, run.training.config
    updates = training.epochs * training.updates_per_epoch
    case = Case("jester", "all jokes, half given", model.scale_units, [left_out()])
    batch = case.batch(case.episodes)
    arguments.out.unlink(missing_ok=True)
    methods = {"universal": partial(universal, model), "damped_bias": damped_bias, "crossed_effects": crossed_effects,
               "als": als}  # fmt: skip
    for method, estimate in methods.items():
        for metric, value in scores(case, batch, estimate(case, batch)).items():
            append(arguments.out, {"data": case.data, "where": case.where, "method": method, "metric": metric,
                                   "value": f"{value:.5g}", "trained_on": " ".join(TRAINED_ON), "updates": updates,
                                   "torch": torch.__version__})  # fmt: skip
            if "_at_" not in metric:
                print(method, metric, f"{value:.4f}", flush=True)


def left_out():
    """Jester's meta-test users, all jokes, half of the ratings given."""
    ratings = datasets.load("jester", zeros_are_missing=False)
    users = split_ids(ratings, 0)[0][2]
    return divide_entries(ratings.submatrix(users, np.arange(ratings.n_cols)), 0.5, np.random.default_rng([0, 0]))


if __name__ == "__main__":
    main()

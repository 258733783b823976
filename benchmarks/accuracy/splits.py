"""Errors of a preset over the splits 0 to 9 of each data set, on 200 held-out blocks each, relative to Mean.

    python -m benchmarks.accuracy.splits --preset tuned

One row per (data set, split) is appended to benchmarks/results/splits-<preset>.csv as it is computed; rows that are
there already are not computed again.
"""

from __future__ import annotations

import argparse
import time

import torch
from tqdm import tqdm

from benchmarks.rows import RESULTS, append, read
from metamf.baselines.biases import Mean
from metamf.datasets import NAMES
from metamf.learning.data import prepare
from metamf.learning.evaluation import summarize
from metamf.learning.recipes import PaperRun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="tuned")
    parser.add_argument("--data", nargs="+", default=NAMES)
    parser.add_argument("--splits", type=int, default=10)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    path = RESULTS / f"splits-{arguments.preset}.csv"
    done = {(row["data"], int(row["split"])) for row in read(path)}
    todo = [(name, split) for name in arguments.data for split in range(arguments.splits) if (name, split) not in done]
    for name, split in tqdm(todo):
        append(path, measure(name, split, arguments.preset))


def measure(name: str, split: int, preset: str) -> dict:
    """The row of one split."""
    prepared = prepare(name, split)
    run = PaperRun(name, prepared, preset, split)
    start = time.perf_counter()
    for _ in run.train():
        pass
    seconds = time.perf_counter() - start
    errors = summarize(run.model, Mean(), prepared.test)
    return {
        "data": name,
        "split": split,
        "preset": preset,
        "seed": run.seed,
        **{key: f"{value:.6g}" for key, value in errors.items()},
        "best_epoch": run.training.history[-1].best_epoch,
        "training_seconds": f"{seconds:.1f}",
        "torch": torch.__version__,
    }


if __name__ == "__main__":
    main()

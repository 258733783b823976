"""How long tuning takes where there are targets for it, and what it reaches.

    METAMF_DATA=FOLDER python -m benchmarks.speed.tuning

On an idle machine, with as many cores as torch uses by default: fits of ``MetaMFImputer(tune="auto")`` and of the same
with all members to made-up tables of 1,000 x 20 and 30 x 12 whose columns have units of their own, 30 % missing,
and to the official split u1 of ML-100K, whose 20,000 test ratings are predicted. Appends to
benchmarks/results/tuning.csv: seconds of the whole fit, steps, and the error before and after.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np
import torch

from benchmarks.rows import RESULTS, append
from metamf import MetaMFImputer, Ratings
from metamf.datasets import load_official_split

TARGETS = {"1,000 x 20": 10.0, "30 x 12": 2.0, "ML-100K u1": 60.0}  # seconds of the whole fit
TUNE_SECONDS = {
    "1,000 x 20": 6.0,
    "30 x 12": 1.0,
    "ML-100K u1": 50.0,
}  # limits of tuning, which leave time for the rest
FACTORS, NOISE = 4, 0.5  # of made-up tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for what in arguments.only:
        for members in (None, "trees"):
            row = measure(what, members, arguments.seed)
            append(RESULTS / "tuning.csv", row)
            print(*row.values(), flush=True)


def measure(what: str, members: str | None, seed: int) -> dict:
    """The row of one fit."""
    given, rows, cols, truth = load_u1() if what == "ML-100K u1" else drawn_matrix(*shape_of(what), seed)
    MetaMFImputer().fit(np.array([[1.0, 2.0], [2.0, np.nan]]))  # imports and the checkpoint are not part of the fit
    untuned = MetaMFImputer(standardize="chosen" if given.scale is None else "auto").fit(given)
    start, load = time.perf_counter(), os.getloadavg()[0]
    imputer = MetaMFImputer(tune="auto", members=members, tune_seconds=TUNE_SECONDS[what], random_state=seed).fit(given)
    seconds = time.perf_counter() - start
    spread = 1.0 if given.scale is not None else np.nanstd(given.to_dense(), axis=0)[cols]
    before, after = (
        float(np.sqrt(np.mean(((fit.predict(rows, cols) - truth) / spread) ** 2))) for fit in (untuned, imputer)
    )
    report = imputer.tuning_
    return {
        "table": what,
        "members": 1 if imputer.blend_ is None else 3,
        "seconds": f"{seconds:.2f}",
        "target": TARGETS[what],
        "steps": report.steps,
        "kept": report.kept,
        "error_before": f"{before:.5g}",
        "error": f"{after:.5g}",
        "network_weight": "" if imputer.blend_ is None else f"{imputer.blend_.network_weight:.3f}",
        "threads": torch.get_num_threads(),
        "load": f"{load:.2f}",
        "torch": torch.__version__,
    }


def shape_of(what: str) -> tuple[int, int]:
    rows, cols = what.replace(",", "").split(" x ")
    return int(rows), int(cols)


def drawn_matrix(N: int, M: int, seed: int) -> tuple[Ratings, np.ndarray, np.ndarray, np.ndarray]:
    """Given ratings, and positions and values of the hidden ones."""
    rng = np.random.default_rng([seed, N, M])
    X = rng.normal(size=(N, FACTORS)) @ rng.normal(size=(FACTORS, M)) + NOISE * rng.normal(size=(N, M))
    X = X * np.exp(rng.normal(0, 2, M)) + rng.normal(0, 10, M)
    hidden = rng.random(X.shape) < 0.3
    rows, cols = np.nonzero(hidden)
    return Ratings.from_dense(np.where(hidden, np.nan, X)), rows, cols, X[hidden]


def load_u1() -> tuple[Ratings, np.ndarray, np.ndarray, np.ndarray]:
    given, test = load_official_split("ml-100k")
    return given, test.rows, test.cols, test.values


if __name__ == "__main__":
    main()

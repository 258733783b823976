"""How well MF's settings are chosen, and in what time: ranks that are tried, and steps after which they are compared.

    python -m benchmarks.accuracy.mf_choice
    python -m benchmarks.accuracy.mf_choice --seeds 2 --out /tmp/mf_choice.csv

On the examples of the app, from a quarter and from half of the ratings, and on random matrices of stars, MF is fitted
with the settings that each way chooses on the given ratings. Rows go to benchmarks/results/mf_choice.csv: the way, the
geometric mean of its error on the hidden cells over that of the first way, its standard error, and milliseconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.rows import RESULTS
from metamf.baselines import mf_path
from metamf.baselines.mf_path import MFSettings, compared_settings, factorize
from metamf.datasets.examples import FULL_HOUSE, example_matrices
from metamf.evaluate.task import Matrix, divide
from metamf.files import write_atomically
from metamf.ratings.matrix import Ratings

WAYS = (((1, 2, 4, 8), 1.0), ((1, 2, 4), 1.0), (mf_path.TRIED_RANKS, mf_path.TRIED_STEPS), ((1, 2, 4), 0.25))
SEEDS = 10
LARGEST = 2_500  # cells; of larger ones not every fold is computed


def problems(seeds: int) -> Iterator[tuple[Ratings, Ratings]]:
    """Given and hidden ratings."""
    for name, example in example_matrices().items():
        matrix = Matrix(name, "", example.matrix.ratings, example.matrix.truth)
        if name != FULL_HOUSE and np.prod(matrix.ratings.shape) <= LARGEST:
            for seed in range(seeds):
                for keep in (0.25, 0.5):
                    task = divide(matrix, keep, "at random", seed)
                    yield task.given, task.hidden
    for seed in range(6 * seeds):
        yield stars(np.random.default_rng(seed))


def stars(rng: np.random.Generator) -> tuple[Ratings, Ratings]:
    """Given and hidden stars of a random matrix with up to three factors, and noise."""
    rows, columns, factors = rng.integers(8, 45), rng.integers(6, 21), rng.integers(0, 4)
    X = rng.standard_normal((rows, factors)) @ rng.standard_normal((factors, columns)) + rng.standard_normal(columns)
    X = np.clip(np.round(3 + X + rng.uniform(0.3, 1.5) * rng.standard_normal((rows, columns))), 1, 5)
    given = rng.random(X.shape) < rng.uniform(0.15, 0.7)
    return Ratings(*np.nonzero(given), X[given], X.shape), Ratings(*np.nonzero(~given), X[~given], X.shape)


def rows(seeds: int) -> Iterator[dict]:
    """A row for each way."""
    pairs, settings, first = list(problems(seeds)), MFSettings(), None
    for ranks, share in WAYS:
        start = time.perf_counter()
        chosen = [compared_settings(given, settings, ranks, share) for given, _ in pairs]
        milliseconds = 1000 * (time.perf_counter() - start) / len(pairs)
        logs = np.log([factorize(given, one).rmse(hidden)[-1] for (given, hidden), one in zip(pairs, chosen)])
        first = logs if first is None else first
        yield {
            "ranks": " ".join(map(str, ranks)),
            "share of the steps": share,
            "error over the first": round(float(np.exp((logs - first).mean())), 4),
            "standard error": round(float((logs - first).std(ddof=1) / np.sqrt(len(pairs))), 4),
            "milliseconds": round(milliseconds, 1),
            "matrices": len(pairs),
        }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--out", type=Path, default=RESULTS / "mf_choice.csv")
    options = parser.parse_args(arguments)
    frame = pd.DataFrame(rows(options.seeds))
    write_atomically(options.out, frame.to_csv(index=False).encode())
    print(frame.to_string(index=False))


if __name__ == "__main__":
    main()

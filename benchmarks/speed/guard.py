"""What the guard costs, and how long filling in a table takes by default.

    python -m benchmarks.speed.guard  # writes benchmarks/results/guard.csv

``fit_transform`` with and without the guard takes turns, in one process and on one core. The tables, 30 % missing, have
columns of their own units, or one unit with and without a known scale. A row has the median seconds of both, the
median of the ratios of the rounds, and their quartiles. Seconds are of processor time, which other work on the machine
hardly changes.
"""

from __future__ import annotations

import os
import time
import warnings

import numpy as np
import pandas as pd
import torch

from benchmarks.rows import RESULTS, command_line
from metamf import MetaMFImputer, RatingScale

SIZES = (1_000, 20), (3_000, 60)
MOST_ROUNDS = 25
SECONDS = 45.0  # of a table, after which no round begins
STARS = RatingScale(1, 5, 1)
KINDS: dict[str, RatingScale | None] = {"own units": None, "one unit": None, "known scale": STARS}


def main() -> None:
    command_line(__doc__).parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    frame = pd.DataFrame(guard_row(shape, kind) for shape in SIZES for kind in KINDS)
    frame.to_csv(RESULTS / "guard.csv", index=False, float_format="%.4g")
    print(frame.to_string(index=False, float_format="%.4g"))


def guard_row(shape: tuple[int, int], kind: str) -> dict:
    """Seconds with and without the guard on one table."""
    X = made_table(shape, kind, np.random.default_rng(0))
    seconds = []
    load = os.getloadavg()[0]
    end = time.perf_counter() + SECONDS
    while len(seconds) < 2 or (len(seconds) <= MOST_ROUNDS and time.perf_counter() < end):
        order = (True, False) if len(seconds) % 2 else (False, True)
        took = {guard: _seconds(X, kind, guard) for guard in order}
        seconds.append((took[True], took[False]))
    measured = np.array(seconds[1:])  # the first round warms up
    low, ratio, high = np.quantile(measured[:, 0] / measured[:, 1], [0.25, 0.5, 0.75])
    return {
        "rows": shape[0],
        "columns": shape[1],
        "kind": kind,
        "seconds": np.median(measured[:, 0]),
        "seconds without": np.median(measured[:, 1]),
        "ratio": ratio,
        "ratio 25 %": low,
        "ratio 75 %": high,
        "rounds": len(measured),
        "load": load,
    }


def _seconds(X: np.ndarray, kind: str, guard: bool) -> float:
    start = time.process_time()
    MetaMFImputer(scale=KINDS[kind], guard=guard).fit_transform(X)
    return time.process_time() - start


def made_table(shape: tuple[int, int], kind: str, rng: np.random.Generator) -> np.ndarray:
    """(N, M) numbers of four factors and noise, NaN in three tenths of the cells."""
    N, M = shape
    Z = rng.normal(size=(N, 4)) @ rng.normal(size=(4, M)) / 2 + 0.7 * rng.normal(size=(N, M))
    values = np.exp(0.3 * Z) * 10.0 ** rng.integers(-2, 5, M) if kind == "own units" else np.round(3 + Z).clip(1, 5)
    return np.where(rng.random(shape) < 0.7, values, np.nan)


if __name__ == "__main__":
    main()

"""How time and memory of the universal model grow with the number of ratings.

    python -m benchmarks.speed.scale

Writes benchmarks/results/scale.csv: a fit, and a million cells predicted, of synthetic ratings
(effects, eight factors, popular columns seen more often) from 1e4 to 2e7 and of all of ML-1M, each
in a fresh process, whose peak resident size counts. Seconds are the best of the rounds, without
imports, loading the checkpoint and making or reading the ratings; ``load`` is the load average of
the minute before. The exponent is the slope of log seconds over log ratings by least squares.
"""

from __future__ import annotations

import math
import os
import resource

import numpy as np
import pandas as pd
import torch

from benchmarks.rows import RESULTS, command_line, report
from benchmarks.timing import in_a_fresh_process, seconds_of
from metamf import MetaMFImputer, Ratings, RatingScale, datasets

OUT = RESULTS / "scale.csv"
CHECKPOINT, THREADS, ROUNDS = "universal", 2, 3
SIZES = (10_000, 100_000, 1_000_000, 10_000_000, 20_000_000)
CELLS = 1_000_000


def main() -> None:
    command_line(__doc__).parse_args()
    OUT.unlink(missing_ok=True)
    for size in (*SIZES, None):
        report(OUT, in_a_fresh_process(universal_row, size))
    rows = pd.read_csv(OUT)
    print(f"exponent {exponent(rows[rows.data == 'synthetic']):.3f}")


def universal_row(nnz: int | None) -> dict:
    """The row of the universal model on ``nnz`` synthetic ratings; None: on ML-1M."""
    ratings = datasets.load("ml-1m") if nnz is None else grown_matrix(nnz, np.random.default_rng(0))
    torch.set_num_threads(THREADS)
    MetaMFImputer(CHECKPOINT).fit(np.eye(2))
    rng = np.random.default_rng(1)
    cells = [rng.integers(size, size=CELLS) for size in ratings.shape]
    load, held, imputer = os.getloadavg()[0], peak(), MetaMFImputer(CHECKPOINT)
    work = {"fit": lambda: imputer.fit(ratings), "predict": lambda: imputer.estimate(*cells)}
    seconds = seconds_of(work, ROUNDS, min)
    return {
        "data": "ml-1m" if nnz is None else "synthetic",
        "method": CHECKPOINT,
        "ratings": ratings.nnz,
        "rows": ratings.n_rows,
        "columns": ratings.n_cols,
        "threads": THREADS,
        "fit_seconds": seconds["fit"],
        "predict_seconds": seconds["predict"],
        "peak_mib": peak(),
        "peak_mib_before": held,
        "rounds": ROUNDS,
        "load": load,
        "versions": f"torch {torch.__version__}, numpy {np.__version__}",
    }


def grown_matrix(nnz: int, rng: np.random.Generator) -> Ratings:
    """``nnz`` ratings from 1 to 5 on nnz / 100 rows (from 1e4 ratings on) and 2 sqrt(nnz)
    columns."""
    N, M = max(nnz // 100, math.isqrt(nnz)), 2 * math.isqrt(nnz)
    popularity = np.cumsum((10 + np.arange(M)) ** -0.7)
    activity = np.cumsum(rng.lognormal(0, 0.5, N))
    key = np.empty(0, dtype=np.int64)
    while len(key) < nnz:
        row = np.searchsorted(activity, activity[-1] * rng.random(nnz))
        col = np.searchsorted(popularity, popularity[-1] * rng.random(nnz))
        key = np.union1d(key, row * M + col)
    key = np.sort(rng.permutation(key)[:nnz]) if len(key) > nnz else key
    rows, cols = np.divmod(key, M)
    a, b = rng.normal(0, 0.4, N).astype(np.float32), rng.normal(0, 0.5, M).astype(np.float32)
    U, V = (rng.normal(0, 0.45, (size, 8)).astype(np.float32) for size in (N, M))
    values = np.empty(nnz, dtype=np.float32)
    for start in range(0, nnz, CELLS):
        part = slice(start, start + CELLS)
        n, m = rows[part], cols[part]
        noise = rng.normal(0, 0.8, len(n)).astype(np.float32)
        values[part] = np.rint(3.5 + a[n] + b[m] + np.vecdot(U[n], V[m]) + noise).clip(1, 5)
    return Ratings(rows, cols, values, (N, M), scale=RatingScale(1, 5, 1))


def peak() -> float:
    """The largest resident size of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def exponent(rows: pd.DataFrame) -> float:
    """The slope of log seconds (fit and a million cells) over log ratings."""
    return np.polyfit(np.log(rows.ratings), np.log(rows.fit_seconds + rows.predict_seconds), 1)[0]


if __name__ == "__main__":
    main()

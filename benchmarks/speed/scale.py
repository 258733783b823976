"""How time and memory of the universal model grow with the number of ratings; whole ML-1M against Surprise's SVD.

    python -m benchmarks.speed.scale --surprise-python PATH/TO/python

Adds rows to benchmarks/results/scale.csv; those that are there are not measured again. Two parts:

1. Synthetic ratings (effects, eight factors, popular columns seen more often) from 1e4 to 2e7: fit, and a million cells
   predicted, each size in a fresh process, whose peak resident size counts. The exponent is the slope of log seconds
   over log ratings by least squares.
2. All of ML-1M: fit and a million cells by the universal model, and the fit alone of Surprise's SVD (100 factors, 20
   epochs, its defaults) by a Python that has scikit-surprise, taking turns; without --surprise-python, 'not measured'.

Seconds are the best of the rounds, without imports, loading the checkpoint, making or reading the ratings, and
Surprise's trainset; ``load`` is the load average of the minute before.
"""

from __future__ import annotations

import math
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from benchmarks.rows import RESULTS, command_line, read, report
from benchmarks.timing import in_a_fresh_process
from metamf import MetaMFImputer, Ratings, RatingScale, datasets

OUT = RESULTS / "scale.csv"
CHECKPOINT, THREADS, ROUNDS = "universal", 2, 3
SIZES = (10_000, 100_000, 1_000_000, 10_000_000, 20_000_000)
CELLS = 1_000_000
SVD = """
import sys, time
import surprise
reader = surprise.Reader(line_format="user item rating", sep=",", rating_scale=(1, 5))
data = surprise.Dataset.load_from_file(sys.argv[1], reader).build_full_trainset()
start = time.perf_counter()
surprise.SVD(random_state=0).fit(data)
print(time.perf_counter() - start, surprise.__version__)
"""


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--surprise-python", type=Path, help="a Python that has scikit-surprise")
    surprise = parser.parse_args().surprise_python
    done = {(row["data"], int(row["ratings"])) for row in read(OUT)}
    for size in SIZES:
        if ("synthetic", size) not in done:
            report(OUT, in_a_fresh_process(universal_row, size, ROUNDS if size <= 1_000_000 else ROUNDS - 1))
    if "ml-1m" not in {data for data, _ in done}:
        ours, svd = [], []
        for _ in range(ROUNDS):
            ours.append(in_a_fresh_process(universal_row, None, 1))
            if surprise is not None:
                svd.append(surprise_row(surprise, ours[-1]))
        for rows in (ours, svd):
            if rows:
                report(OUT, min(rows, key=lambda row: float(row["fit_seconds"])))
        if not svd:
            print("Surprise's SVD: not measured, give --surprise-python")
    rows = pd.read_csv(OUT)
    print(f"exponent {exponent(rows[rows.data == 'synthetic']):.3f}")


def universal_row(nnz: int | None, rounds: int) -> dict:
    """The row of the universal model on ``nnz`` synthetic ratings; None: on ML-1M."""
    ratings = datasets.load("ml-1m") if nnz is None else grown_matrix(nnz, np.random.default_rng(0))
    torch.set_num_threads(THREADS)
    MetaMFImputer(CHECKPOINT).fit(np.eye(2))
    rng = np.random.default_rng(1)
    cells = [rng.integers(size, size=CELLS) for size in ratings.shape]
    load, held, fits, predictions = os.getloadavg()[0], peak(), [], []
    for _ in range(rounds):
        start = time.perf_counter()
        imputer = MetaMFImputer(CHECKPOINT).fit(ratings)
        fits.append(time.perf_counter() - start)
        start = time.perf_counter()
        imputer.estimate(*cells)
        predictions.append(time.perf_counter() - start)
    return {
        "data": "ml-1m" if nnz is None else "synthetic",
        "method": CHECKPOINT,
        "ratings": ratings.nnz,
        "rows": ratings.n_rows,
        "columns": ratings.n_cols,
        "threads": THREADS,
        "fit_seconds": f"{min(fits):.4g}",
        "predict_seconds": f"{min(predictions):.4g}",
        "peak_mib": f"{peak():.0f}",
        "peak_mib_before": f"{held:.0f}",
        "rounds": rounds,
        "load": f"{load:.2f}",
        "versions": f"torch {torch.__version__}, numpy {np.__version__}",
    }


def surprise_row(python: Path, ours: dict) -> dict:
    """The row of Surprise's SVD, which runs on one thread, on the ratings of the row ``ours``."""
    ratings, load = datasets.load("ml-1m"), os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "ratings.csv"
        np.savetxt(table, np.column_stack([ratings.rows, ratings.cols, ratings.values]), "%d,%d,%g")
        command = [python, "-c", SVD, table]
        answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    row = ours | dict.fromkeys(("predict_seconds", "peak_mib", "peak_mib_before"), "")
    row |= {"method": "Surprise SVD", "fit_seconds": f"{float(answer[0]):.4g}", "load": f"{load:.2f}"}
    return row | {"versions": f"scikit-surprise {answer[1]}"}


def grown_matrix(nnz: int, rng: np.random.Generator) -> Ratings:
    """``nnz`` ratings from 1 to 5 on nnz / 100 rows (from 1e4 ratings on) and 2 sqrt(nnz) columns."""
    N, M = max(nnz // 100, math.isqrt(nnz)), 2 * math.isqrt(nnz)
    popularity = np.cumsum((10 + np.arange(M)) ** -0.7)
    activity = np.cumsum(rng.lognormal(0, 0.5, N))
    key = np.empty(0, dtype=np.int64)
    while len(key) < nnz:
        draw = [np.searchsorted(total, total[-1] * rng.random(nnz)) for total in (activity, popularity)]
        key = np.union1d(key, draw[0] * M + draw[1])
    key = np.sort(rng.permutation(key)[:nnz]) if len(key) > nnz else key
    rows, cols = np.divmod(key, M)
    a, b = rng.normal(0, 0.4, N).astype(np.float32), rng.normal(0, 0.5, M).astype(np.float32)
    U, V = (rng.normal(0, 0.45, (size, 8)).astype(np.float32) for size in (N, M))
    values = np.empty(nnz, dtype=np.float32)
    for start in range(0, nnz, CELLS):
        n, m = rows[start : start + CELLS], cols[start : start + CELLS]
        noise = rng.normal(0, 0.8, len(n)).astype(np.float32)
        values[start : start + CELLS] = np.rint(3.5 + a[n] + b[m] + np.vecdot(U[n], V[m]) + noise).clip(1, 5)
    return Ratings(rows, cols, values, (N, M), scale=RatingScale(1, 5, 1))


def peak() -> float:
    """The largest resident size of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def exponent(rows: pd.DataFrame) -> float:
    """The slope of log seconds (fit and a million cells) over log ratings."""
    return np.polyfit(np.log(rows.ratings), np.log(rows.fit_seconds + rows.predict_seconds), 1)[0]


if __name__ == "__main__":
    main()

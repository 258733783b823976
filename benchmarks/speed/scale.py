"""How time and memory of the universal model grow with the number of ratings; whole ML-1M against Surprise's SVD.

    python -m benchmarks.speed.scale --surprise-python PATH/TO/python

Writes benchmarks/results/scale.csv, a row as soon as it is computed; what the file holds for this number of threads is
not measured again. Two parts:

1. Synthetic ratings (effects, eight factors, popular columns seen more often) from 1e4 to 2e7: fit, and a million cells
   predicted, each size in a fresh process, whose peak resident size counts. The exponent is the slope of log seconds
   over log ratings by least squares.
2. All of ML-1M: fit and a million cells by the universal model, and the fit alone of Surprise's SVD (100 factors, 20
   epochs, its defaults) by a Python that has scikit-surprise, taking turns; without --surprise-python, 'not measured'.

Seconds are the best of the rounds, since other work on the machine can only add to them; ``load`` is the load average
of the minute before. Not counted: imports and loading the checkpoint; making or
reading the ratings, and Surprise's trainset.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from benchmarks.rows import RESULTS, append
from metamf import MetaMFImputer, Ratings, RatingScale, datasets

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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=RESULTS / "scale.csv")
    parser.add_argument("--checkpoint", default="universal")
    parser.add_argument("--threads", type=int, default=2, help="of torch")
    parser.add_argument("--sizes", type=float, nargs="*", default=SIZES)
    parser.add_argument(
        "--rounds", type=int, default=3, help="of ML-1M and of sizes up to a million; larger ones: at most 2"
    )
    parser.add_argument("--surprise-python", type=Path, help="a Python that has scikit-surprise")
    arguments = parser.parse_args()
    done = rows_of(arguments)
    for size in map(int, arguments.sizes):
        if not ((done.data == "synthetic") & (done.ratings == size)).any():
            rounds = arguments.rounds if size <= 1_000_000 else min(arguments.rounds, 2)
            report(arguments.out, alone(synthetic_row, size, arguments.checkpoint, arguments.threads, rounds))
    if not (done.data == "ml-1m").any():
        movielens(arguments)
    rows = rows_of(arguments)
    print(f"exponent {exponent(rows[rows.data == 'synthetic']):.3f}")


def rows_of(arguments: argparse.Namespace) -> pd.DataFrame:
    """The rows that the file holds for this number of threads."""
    if not arguments.out.exists():
        return pd.DataFrame(columns=["data", "ratings", "threads"])
    rows = pd.read_csv(arguments.out)
    return rows[rows.threads == arguments.threads]


def movielens(arguments: argparse.Namespace) -> None:
    ours, svd = [], []
    for _ in range(arguments.rounds):
        ours.append(alone(movielens_row, arguments.checkpoint, arguments.threads))
        if arguments.surprise_python is not None:
            svd.append(surprise_row(arguments.surprise_python, arguments.threads))
    rows = [min(each, key=lambda row: float(row["fit_seconds"])) for each in (ours, svd) if each]
    for row in rows:
        report(arguments.out, row)
    if svd:
        both = float(rows[0]["fit_seconds"]) + float(rows[0]["predict_seconds"])
        print(f"ours, fit and {CELLS:,} cells, over SVD's fit: {both / float(rows[1]['fit_seconds']):.3f}")
    else:
        print("Surprise's SVD: not measured, give --surprise-python")


def alone(function, *arguments) -> dict:
    """``function(*arguments)`` in a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def synthetic_row(nnz: int, checkpoint: str, threads: int, rounds: int) -> dict:
    return measure("synthetic", grown_matrix(nnz, np.random.default_rng(0)), checkpoint, threads, rounds)


def movielens_row(checkpoint: str, threads: int) -> dict:
    return measure("ml-1m", datasets.load("ml-1m"), checkpoint, threads, 1)


def measure(data: str, ratings: Ratings, checkpoint: str, threads: int, rounds: int) -> dict:
    torch.set_num_threads(threads)
    MetaMFImputer(checkpoint).fit(np.eye(2))
    rng = np.random.default_rng(1)
    cells = [rng.integers(size, size=CELLS) for size in ratings.shape]
    load, held, fits, predictions = os.getloadavg()[0], peak(), [], []
    for _ in range(rounds):
        start = time.perf_counter()
        imputer = MetaMFImputer(checkpoint).fit(ratings)
        fits.append(time.perf_counter() - start)
        start = time.perf_counter()
        imputer.predict(*cells)
        predictions.append(time.perf_counter() - start)
    return {
        "data": data,
        "method": checkpoint,
        "ratings": ratings.nnz,
        "rows": ratings.n_rows,
        "columns": ratings.n_cols,
        "threads": threads,
        "fit_seconds": f"{min(fits):.4g}",
        "predict_seconds": f"{min(predictions):.4g}",
        "peak_mib": f"{peak():.0f}",
        "peak_mib_before": f"{held:.0f}",
        "rounds": rounds,
        "load": f"{load:.2f}",
        "versions": f"torch {torch.__version__}, numpy {np.__version__}",
    }


def surprise_row(python: Path, threads: int) -> dict:
    """The row of Surprise's SVD, which runs on one thread; ``threads`` says which rows of ours it took turns with."""
    ratings, load = datasets.load("ml-1m"), os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "ratings.csv"
        np.savetxt(table, np.column_stack([ratings.rows, ratings.cols, ratings.values]), "%d,%d,%g")
        command = [python, "-c", SVD, table]
        answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return {
        "data": "ml-1m",
        "method": "Surprise SVD",
        "ratings": ratings.nnz,
        "rows": ratings.n_rows,
        "columns": ratings.n_cols,
        "threads": threads,
        "fit_seconds": f"{float(answer[0]):.4g}",
        "predict_seconds": "",
        "peak_mib": "",
        "peak_mib_before": "",
        "rounds": 1,
        "load": f"{load:.2f}",
        "versions": f"scikit-surprise {answer[1]}",
    }


def grown_matrix(nnz: int, rng: np.random.Generator) -> Ratings:
    """``nnz`` ratings from 1 to 5 on nnz / 100 rows (from 1e4 ratings on) and 2 sqrt(nnz) columns.

    No array of all cells is built.
    """
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
    if len(rows) < 2:
        return float("nan")
    return np.polyfit(np.log(rows.ratings), np.log(rows.fit_seconds + rows.predict_seconds), 1)[0]


def report(path: Path, row: dict) -> None:
    append(path, row)
    print(", ".join(f"{key} {row[key]}" for key in list(row)[:-1] if row[key] != ""), flush=True)


if __name__ == "__main__":
    main()

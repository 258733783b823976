"""Processor time of a default fit next to that of scikit-learn's IterativeImputer.

    OMP_NUM_THREADS=1 python -m benchmarks.speed.fill  # writes benchmarks/results/fill-times.csv

Tables of whole numbers from 1 to 5 with a fifth missing: three factors and noise, several of each
size, since the rounds of IterativeImputer depend on the table. The two take turns; the median over
tables is reported. ``fit`` decides all that is chosen on the table, ``fill`` is ``fit_transform``.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer

from benchmarks.rows import RESULTS, command_line, report
from metamf import MetaMFImputer

OUT = RESULTS / "fill-times.csv"
SIZES = ((20, 10), (100, 20), (500, 30))
TABLES = 7  # of each size
MISSING = 0.2


def main() -> None:
    command_line(__doc__).parse_args()
    OUT.unlink(missing_ok=True)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore", ConvergenceWarning)
    for N, M in SIZES:
        report(OUT, row_of(N, M))


def row_of(N: int, M: int) -> dict:
    """Seconds of one size, and their ratios to IterativeImputer's."""
    seconds: dict[str, list[float]] = {"fit": [], "fill": [], "iterative": []}
    for seed in range(-1, TABLES):  # the first one warms up
        X = made_up_survey(N, M, max(seed, 0))
        works = {
            "fit": MetaMFImputer().fit,
            "fill": MetaMFImputer().fit_transform,
            "iterative": IterativeImputer(random_state=0).fit_transform,
        }
        for name, work in works.items():
            start = time.process_time()
            work(X)
            if seed >= 0:
                seconds[name].append(time.process_time() - start)
    median = {name: float(np.median(each)) for name, each in seconds.items()}
    ratios = {f"{name} / iterative": median[name] / median["iterative"] for name in ("fit", "fill")}
    return {"rows": N, "columns": M, **median, **ratios, "torch": torch.__version__}


def made_up_survey(N: int, M: int, seed: int) -> np.ndarray:
    """(N, M) answers from 1 to 5 with NaN in their gaps."""
    rng = np.random.default_rng([N, M, seed])
    level = 3 + 0.6 * rng.normal(size=(N, 1)) + 0.5 * rng.normal(size=M)
    z = level + 0.6 * rng.normal(size=(N, 2)) @ rng.normal(size=(2, M))
    X = np.clip(np.round(z + 0.7 * rng.normal(size=(N, M))), 1, 5)
    return np.where(rng.random(X.shape) < MISSING, np.nan, X)


if __name__ == "__main__":
    main()

"""A Gaussian copula by the package gcimpute, in a process of its own, which finds the package in
the cache.

    python -m benchmarks.tables.copula GIVEN.npy ESTIMATES.npy SEED

The package writes to standard output and can fail inside SciPy; a process keeps both away from the
runner.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

TOOLS = "METAMF_TABLES_TOOLS"  # variable with the folder of the packages
TIME_LIMIT = 900  # seconds
#: A column with more distinct values is continuous; None: as the package decides, which fails on
#: columns that it takes for ordinal although their values lie close together. Tried in this order.
KINDS_OF_COLUMNS = None, 20, 0
ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def copula(given: np.ndarray, seed: int) -> np.ndarray:
    """(N, M) the copula's estimates. Raises RuntimeError with the last line that the package said,
    if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = (Path(folder) / name for name in ("given.npy", "estimates.npy"))
        np.save(source, given)
        paths = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), os.environ[TOOLS]]))
        words = [sys.executable, "-m", "benchmarks.tables.copula", source, target, str(seed)]
        environment = os.environ | ONE_CORE | {"PYTHONPATH": paths}
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=TIME_LIMIT, env=environment
        )
        if done.returncode:
            raise RuntimeError((done.stderr.strip() or "failed").splitlines()[-1])
        return np.load(target)


def main(source: str, target: str, seed: str) -> None:
    np.round_ = np.round  # noqa: NPY003, NPY201 - gcimpute 0.0.4 calls it by its name in NumPy 1
    from gcimpute.gaussian_copula import GaussianCopula

    given = np.load(source)
    distinct = np.array([len(np.unique(column[~np.isnan(column)])) for column in given.T])
    for ordinal_up_to in KINDS_OF_COLUMNS:
        continuous = None if ordinal_up_to is None else np.flatnonzero(distinct > ordinal_up_to)
        model = GaussianCopula(random_state=int(seed))
        try:
            estimates = model.fit_transform(given, continuous=continuous)
        except ValueError:
            if ordinal_up_to == KINDS_OF_COLUMNS[-1]:
                raise
        else:
            np.save(target, np.asarray(estimates))
            return


if __name__ == "__main__":
    main(*sys.argv[1:])

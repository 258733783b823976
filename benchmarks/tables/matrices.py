"""A table of the corpus as a matrix: cut, kept in the cache, and some of its entries hidden."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.tables.corpus import MOST_COLUMNS, TableSource

FEWEST_VALUES, FEWEST_USED = 3, 8  # different values, and entries, of a column that is used
# entries of a column that are never hidden, since nothing is known of a column without any
FEWEST_GIVEN = 2


class Hidden(NamedTuple):
    """A matrix with some of its entries hidden."""

    given: np.ndarray  # (N, M) NaN where nothing is observed, and where an entry is hidden
    rows: np.ndarray  # (n,) positions of the hidden entries
    cols: np.ndarray
    truth: np.ndarray  # (n,) values of the hidden entries


def used_numbers(source: TableSource, frame: pd.DataFrame) -> np.ndarray:
    """(N, M) the numbers of a data set that are used, NaN where one is missing."""
    if source.pivot:
        row, column, value = source.pivot
        frame = frame.pivot_table(value, row, column, "mean")
    frame = frame[list(source.only)] if source.only else frame.drop(columns=list(source.drop))
    values = frame.select_dtypes("number").to_numpy(np.float64)
    used = [j for j, x in enumerate(values.T) if len(np.unique(x[~np.isnan(x)])) >= FEWEST_VALUES]
    used = [j for j in used if (~np.isnan(values[:, j])).sum() >= FEWEST_USED]
    values = values[:, used]
    values = values[~np.isnan(values).all(axis=1)]
    rng = np.random.default_rng(0)
    for axis, most in enumerate((source.rows, MOST_COLUMNS)):
        if values.shape[axis] > most:
            kept = np.sort(rng.choice(values.shape[axis], most, replace=False))
            values = values.take(kept, axis)
    return values


def digest_of_matrix(values: np.ndarray) -> str:
    """SHA-256 of a matrix: its shape, then its numbers as little-endian float64, row by row."""
    code = hashlib.sha256(str(values.shape).encode())
    code.update(np.ascontiguousarray(np.where(np.isnan(values), np.nan, values), "<f8").tobytes())
    return code.hexdigest()


def path_of(name: str, cache: Path) -> Path:
    """The file that a matrix is kept in."""
    return cache / "tables" / f"{name}.npy"


def hide(values: np.ndarray, share: float, seed: int) -> Hidden:
    """Hides a share, from 0 to 1, of the observed entries of ``values``, (N, M) with NaN elsewhere,
    at random; each column keeps ``FEWEST_GIVEN`` of them at least."""
    rng = np.random.default_rng([seed, round(1000 * share)])
    observed = np.argwhere(~np.isnan(values))  # (n, 2)
    observed = observed[rng.permutation(len(observed))]
    last = pd.Series(observed[::-1, 1])  # a column keeps its last entries in the random order
    kept = (last.groupby(last).cumcount() < FEWEST_GIVEN).to_numpy()[::-1]
    first = np.arange(len(observed)) < round(share * len(observed))
    rows, cols = observed[first & ~kept].T
    given = values.copy()
    given[rows, cols] = np.nan
    return Hidden(given, rows, cols, values[rows, cols])

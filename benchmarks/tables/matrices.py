"""A table of the corpus as a matrix: cut, kept in the cache, and some of its entries hidden."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy.special

from benchmarks.tables.corpus import MOST_COLUMNS, TableSource

FEWEST_VALUES, FEWEST_USED = 3, 8  # different values, and entries, of a column that is used
# entries of a column that are never hidden, since nothing is known of a column without any
FEWEST_GIVEN = 2
WIDE = 2e4  # log odds at which chance plays no part


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
    return _without(values, *observed[first & ~kept].T)


def hide_by_others(values: np.ndarray, share: float, seed: int) -> Hidden:
    """Hides a share of the observed entries of ``values`` as other columns of the row say (missing
    at random given the rest).

    A third of the columns, one at least, is never hidden; the log odds of the others are random
    weighted sums of these, with a spread of about 2 and an intercept for each column that makes the
    expected share the same for all of them. Named after a pattern of MissBench (Feitelberg et al.,
    "TabImpute", 2025, arXiv 2510.02625); definition and numbers are ours.
    """
    rng = np.random.default_rng([seed, round(1000 * share), 0])
    observed = ~np.isnan(values)
    with np.errstate(invalid="ignore"):  # R's missing values are NaN that signal
        z = (values - np.nanmean(values, axis=0)) / np.nanstd(values, axis=0)
    whole = rng.permutation(z.shape[1])[: max(1, z.shape[1] // 3)]
    weights = rng.normal(size=(len(whole), z.shape[1]))
    odds = 2 * np.nan_to_num(z[:, whole]) @ (weights / np.linalg.norm(weights, axis=0))  # (N, M)
    odds[:, whole] = -np.inf
    odds = np.where(observed, odds, -np.inf)
    free = np.isfinite(odds).any(axis=0)  # columns of which anything is hidden
    # (M,) entries of each column
    wanted = share * observed.sum() / observed[:, free].sum() * observed.sum(axis=0)
    low, high = (np.full(values.shape[1], side * WIDE) for side in (-1, 1))
    for _ in range(60):
        middle = (low + high) / 2
        fewer = scipy.special.expit(odds + middle).sum(axis=0) < wanted
        low, high = np.where(fewer, middle, low), np.where(fewer, high, middle)
    margin = scipy.special.expit(odds + low) - rng.random(values.shape)
    hidden = (margin > 0) & observed
    order = np.argsort(np.where(observed, margin, np.inf), axis=0)
    np.put_along_axis(hidden, order[:FEWEST_GIVEN], False, axis=0)
    return _without(values, *np.nonzero(hidden))


def _without(values: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> Hidden:
    given = values.copy()
    given[rows, cols] = np.nan
    return Hidden(given, rows, cols, values[rows, cols])

"""Entries that are missing for a reason: one pattern at random given the rest (MAR), two that are
not (MNAR).

They are named after three of MissBench's thirteen (Feitelberg et al., "TabImpute", 2025, arXiv
2510.02625). We had the names and some settings of these, neither the formulas nor any code, so the
definitions and numbers are ours: log odds have a spread of about 2, and an intercept for each
column makes the expected share of its entries that are hidden the same for all columns that a
pattern may hide.
"""

from __future__ import annotations

import numpy as np
import scipy.special

from benchmarks.tables.matrices import FEWEST_GIVEN, Hidden

SLOPES = -2.0, -1.0, 1.0, 2.0  # of self-masking, per spread of the column
HARD = 1e4  # slope of the log odds at which chance plays no part


def mar(z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A third of the columns, one at least, is never hidden; the log odds of the others are random
    weighted sums of these."""
    whole = rng.permutation(z.shape[1])[: max(1, z.shape[1] // 3)]
    weights = rng.normal(size=(len(whole), z.shape[1]))
    odds = 2 * np.nan_to_num(z[:, whole]) @ (weights / np.linalg.norm(weights, axis=0))  # (N, M)
    odds[:, whole] = -np.inf
    return odds


def self_masking(z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The log odds of an entry are linear in its own value; each column has a random slope."""
    return z * rng.choice(SLOPES, z.shape[1])


def polarization(z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The middle of every column is hidden, the ends are given, as where people with a strong
    opinion answer. Among equal values chance decides."""
    order = np.lexsort((rng.random(z.shape), z), axis=0)
    ranks = np.empty(z.shape)
    np.put_along_axis(ranks, order, np.arange(len(z))[:, None], axis=0)
    observed = (~np.isnan(z)).sum(axis=0)  # NaN are sorted last
    return -HARD * np.abs((ranks + 0.5) / observed - 0.5)


#: By name, in the order of the table.
PATTERNS = {"mar": mar, "self-masking": self_masking, "polarization": polarization}


def hide_for_a_reason(values: np.ndarray, pattern: str, share: float, seed: int) -> Hidden:
    """Hides a share, from 0 to 1, of the observed entries of ``values``, (N, M) with NaN elsewhere,
    as a pattern says: the share is an expectation over draws. Each column keeps ``FEWEST_GIVEN``
    entries at least."""
    rng = np.random.default_rng([seed, round(1000 * share), list(PATTERNS).index(pattern)])
    observed = ~np.isnan(values)
    with np.errstate(invalid="ignore"):  # R's missing values are NaN that signal
        z = (values - np.nanmean(values, axis=0)) / np.nanstd(values, axis=0)
    odds = PATTERNS[pattern](z, rng)
    odds = np.where(observed, odds, -np.inf)
    free = np.isfinite(odds).any(axis=0)  # columns of which anything is hidden
    # (M,) entries of each column
    wanted = share * observed.sum() / observed[:, free].sum() * observed.sum(axis=0)
    low, high = (np.full(values.shape[1], side * 2 * HARD) for side in (-1, 1))
    for _ in range(60):
        middle = (low + high) / 2
        fewer = scipy.special.expit(odds + middle).sum(axis=0) < wanted
        low, high = np.where(fewer, middle, low), np.where(fewer, high, middle)
    margin = scipy.special.expit(odds + low) - rng.random(values.shape)
    hidden = (margin > 0) & observed
    order = np.argsort(np.where(observed, margin, np.inf), axis=0)
    np.put_along_axis(hidden, order[:FEWEST_GIVEN], False, axis=0)
    rows, cols = np.nonzero(hidden)
    given = values.copy()
    given[hidden] = np.nan
    return Hidden(given, rows, cols, values[rows, cols])

"""Columns that are exactly the sum or the mean of others.

The sum or the mean of a run of the other columns has to be a column to its last decimal. How much
that tells is counted in bits: each line tells the logarithm of the spread of the column, or of its
difference from the nearest other one, over its step, and the choice among all runs that were tried
is subtracted. So ten lines of like whole numbers, of which some sum fits by chance, tell nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

_ENOUGH = 8.0  # bits
_MOST_ROWS = 400
_MOST_COLUMNS = 40
_SLACK = 0.6  # of the step, within which a sum is exact
_GAUSS = float(np.log2(np.sqrt(2 * np.pi * np.e)))
SUM, MEAN = "the sum of other columns", "the mean of other columns"
DIFFERENCE = "the difference of other columns"

# Why a column follows from others, the bits, its position, and those of the others
Fit = tuple[str, float, int, list[int]]


def follows(X: np.ndarray, decimals: np.ndarray) -> dict[int, tuple[str, float]]:
    """The columns of (L, C) numbers, NaN in gaps, that follow from the others, with (C,) decimals:
    why, and the bits beyond those that are needed. Each is found with those found before left
    out."""
    L, C = X.shape
    if L < 5 or C < 3:
        return {}
    X = X[np.linspace(0, L - 1, min(L, _MOST_ROWS)).astype(int)]
    varied = [j for j in range(C) if len(np.unique(X[~np.isnan(X[:, j]), j])) > 2]
    left = varied[:_MOST_COLUMNS]
    found: dict[int, tuple[str, float]] = {}
    with np.errstate(all="ignore"):
        while fits := [fit for j in left for fit in _fits(X, decimals, j, left)]:
            why, bits, j, parts = max(fits, key=lambda fit: (fit[0] == SUM, fit[2], fit[1]))
            if why == SUM and len(parts) == 2 and (part := _difference(X, j, parts)) is not None:
                why, j = DIFFERENCE, part
            found[j] = why, bits
            left.remove(j)
    return found


def _difference(X: np.ndarray, j: int, parts: list[int]) -> int | None:
    """Which of the two ``parts`` of a sum ``j`` is a difference: the gaps of what was computed are
    where another one has a gap; where this tells nothing, what has fewer gaps."""
    gaps = np.isnan(X[:, [j, *parts]])
    told = [(gaps[:, m] != np.delete(gaps, m, axis=1).any(axis=1)).sum() for m in range(3)]
    best = min(range(3), key=lambda m: (told[m], gaps[:, m].sum()))
    clear = 2 * told[best] < told[0] or told[best] == told[0]
    return parts[best - 1] if best and clear else None


def _fits(X: np.ndarray, decimals: np.ndarray, j: int, left: list[int]) -> Iterator[Fit]:
    """The exact fits of column ``j`` by the others that tell enough."""
    others = [k for k in left if k != j]
    K = len(others)
    if K < 2:
        return
    given = ~np.isnan(X[:, j])
    y = X[given, j]
    P = X[given][:, others]
    step = 10.0 ** -float(decimals[j])
    spreads = np.append(np.nanstd(y[:, None] - P, axis=0), np.std(y))
    spread = spreads[spreads > 0].min()
    of_line = max(float(np.log2(spread / (2 * _SLACK * step))) + _GAUSS, 0.0)
    choice = float(np.log2(len(left) * (1.5 * K * (K + 1) + 1)))
    for why, features in _features(P):
        errors = np.abs(features - y[:, None])
        lines = (~np.isnan(errors)).sum(axis=0)
        worst = np.where(np.isnan(errors), 0.0, errors).max(axis=0)
        exact = worst <= _SLACK * step + 1e-9 * np.abs(y).max()
        best = int(np.argmax(np.where(exact, lines, 0)))
        bits = (int(lines[best]) * bool(exact[best]) - 2) * of_line - choice - _ENOUGH
        if bits >= 0:
            start, end = (ends[best] for ends in np.triu_indices(K + 1, 2))
            yield why, bits, j, others[start:end]


def _features(P: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Features of (n, K) columns, (n, F) of a kind at a time: sums of runs, gaps as zero, and where
    none has one; means of runs."""
    n, K = P.shape
    given = ~np.isnan(P)
    zero = np.zeros((n, 1))
    sums = np.cumsum(np.column_stack([zero, np.where(given, P, 0.0)]), axis=1)
    counts = np.cumsum(np.column_stack([zero, given]), axis=1)
    starts, ends = np.triu_indices(K + 1, 2)
    total = sums[:, ends] - sums[:, starts]
    number = counts[:, ends] - counts[:, starts]
    total[number == 0] = np.nan
    yield SUM, total
    yield SUM, np.where(number == ends - starts, total, np.nan)
    yield MEAN, total / np.maximum(number, 1)

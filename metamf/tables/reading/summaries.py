"""Columns and rows that sum up others: totals and averages, found by their values.

A column counts as a total if in nearly every row it is the sum, or the average, of a run of other columns beside it or
of all others; a row likewise. Beside such a total stand what else describes the same cells: their standard deviation,
number, median, lowest and highest. Names do not decide: a column called "Total" that is not a sum is a rating like any
other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

FEWEST_LINES = 5  # from which a coincidence is unlikely
MOST_SUMMED = 200  # beyond them nothing is looked for: the search grows with their square
_AGREEING = 0.95  # share of the lines
_MOST_ROWS = 3  # of averages at either end of a table
_FEWEST_DIFFERENT = 3  # values of a row of medians or extremes
_FEWEST_OF_A_ROW = 3  # cells in which a row of averages agrees
_EVIDENCE, _EVIDENCE_OF_A_ROW = (
    8,
    4,
)  # powers of ten against chance, for some thousand columns tried, and some rows; by hand
SUM, AVERAGE = "the sum", "the average"
SPREAD, CELLS, MEDIAN = "the standard deviation", "the number of cells", "the median"
LOWEST, HIGHEST = "the lowest", "the highest"


def summing_columns(X: np.ndarray) -> dict[int, tuple[str, int]]:
    """The columns of ``X`` (L, C; NaN where a cell is missing) that sum up others.

    Returns
    -------
    dict
        column -> 'the sum', 'the average' or what else it tells of others, and of how many columns
    """
    L, C = X.shape
    if L < FEWEST_LINES or not 3 <= C <= MOST_SUMMED:
        return {}
    decimals = [_decimals(X[:, j]) for j in range(C)]
    left, found, runs = list(range(C)), {}, []
    for j in range(C):
        at = left.index(j)
        for run in _runs(left, at):
            if kind := _sums_up(X[:, j], X[:, run], decimals[j]):
                found[j] = kind, len(run)
                left.remove(j)
                runs.append(run)
                break
    for run in runs:
        for j in set(left) - set(run):
            if (kind := _describes(X[:, j], X[:, run].T, decimals[j], FEWEST_LINES)) and j not in found:
                found[j] = kind, len(run)
    return found


def summing_rows(X: np.ndarray) -> dict[int, str]:
    """The first and last rows of ``X`` that are the sum or the average of the others,
    or tell something else of them beside such a row: row -> which."""
    L = len(X)
    if L < FEWEST_LINES or X.shape[1] < _FEWEST_OF_A_ROW:
        return {}
    known = ~np.isnan(X)
    lowest, highest = np.where(known, X, np.inf).min(axis=0), np.where(known, X, -np.inf).max(axis=0)
    X, known = X[:, lowest < highest], known[:, lowest < highest]  # every row is the average of columns of one value
    count, total = known.sum(axis=0), np.where(known, X, 0.0).sum(axis=0)  # (C,) of all rows but those found
    ends = list(dict.fromkeys([*range(L - 1, max(L - 1 - _MOST_ROWS, -1), -1), *range(min(_MOST_ROWS, L))]))
    found: dict[int, str] = {}
    for _ in range(_MOST_ROWS):  # an average may include no total, and the other way round
        for i in set(ends) - set(found):
            others, sums = count - known[i], total - np.where(known[i], X[i], 0.0)
            if kind := _agrees(X[i], sums, others, _decimals(X[i]), _FEWEST_OF_A_ROW):
                found[i], count, total = kind, others, sums
    for block in _blocks(L):
        body = np.setdiff1d(np.arange(L), [*block, *found])
        count, total = known[body].sum(axis=0), np.where(known[body], X[body], 0.0).sum(axis=0)
        summing = {i: _agrees(X[i], total, count, _decimals(X[i]), _FEWEST_OF_A_ROW) for i in block if i not in found}
        found |= {i: kind for i, kind in summing.items() if kind}
        if set(block) & set(found):
            described = {i: _describes(X[i], X[body], _decimals(X[i]), _FEWEST_OF_A_ROW) for i in summing}
            found |= {i: kind for i, kind in described.items() if kind and i not in found}
    return found


def _blocks(L: int) -> Iterator[range]:
    """The last rows and the first rows, two of them and more: averages with spreads or numbers of cells beside them."""
    for n in range(2, _MOST_ROWS + 1):
        if L - n >= FEWEST_LINES:
            yield range(L - n, L)
            yield range(n)


def _describes(line: np.ndarray, X: np.ndarray, decimals: int, fewest: int) -> str | None:
    """The statistic of the columns of ``X`` (L, n) that ``line`` (n,) holds, beside their sum and average."""
    known = ~np.isnan(X)
    count = known.sum(axis=0)
    use = ~np.isnan(line) & (count >= 2)
    if use.sum() < fewest or len(np.unique(line[use])) < 2:
        return None
    X, line, count = X[:, use], line[use], count[use]
    told = [(count, CELLS)]
    if decimals:  # in whole numbers somebody's low ratings look like it
        told += [(np.nanstd(X, axis=0, ddof=ddof), SPREAD) for ddof in (0, 1)]
    if len(line) >= FEWEST_LINES and len(np.unique(line)) >= _FEWEST_DIFFERENT:  # the best one of a class has 5, 5, 4
        told += [(np.nanmedian(X, axis=0), MEDIAN), (np.nanmin(X, axis=0), LOWEST), (np.nanmax(X, axis=0), HIGHEST)]
    tolerance = 0.5 * 10.0**-decimals * (1 + 1e-6) + 1e-9 * np.abs(X[~np.isnan(X)]).max()
    for values, kind in told:
        wrong = int((np.abs(line - values) > tolerance).sum())
        if wrong <= (0 if kind in (MEDIAN, LOWEST, HIGHEST) else (1 - _AGREEING) * len(line)):
            return kind
    return None


def _runs(left: list[int], at: int) -> Iterator[list[int]]:
    """Columns that column ``left[at]`` may sum up: those right before it, the longest run first; those right after it;
    all others."""
    for start in range(at - 1):
        yield left[start:at]
    for end in range(len(left), at + 2, -1):
        yield left[at + 1 : end]
    if 0 < at < len(left) - 1:
        yield left[:at] + left[at + 1 :]


def _sums_up(line: np.ndarray, parts: np.ndarray, decimals: int) -> str | None:
    """Whether ``line`` (n,) is the sum or the average of ``parts`` (n, k), of those that are known."""
    known = ~np.isnan(parts)
    parts = np.where(known, parts, 0.0)
    if (np.count_nonzero(parts, axis=1) >= 2).sum() < FEWEST_LINES or (np.ptp(parts, axis=1) > 0).sum() < FEWEST_LINES:
        return None  # what is equal to one other column, or to each of them, sums up nothing
    return _agrees(line, parts.sum(axis=1), known.sum(axis=1), decimals, FEWEST_LINES)


def _agrees(line: np.ndarray, total: np.ndarray, count: np.ndarray, decimals: int, fewest: int) -> str | None:
    """Whether ``line`` (n,) is ``total`` (n,), or that over ``count`` (n,), up to rounding."""
    use = ~np.isnan(line) & (count >= 2)
    n = int(use.sum())
    if n < fewest or len(np.unique(line[use])) < 2:
        return None
    line, total, count = line[use], total[use], count[use]
    tolerance = 0.5 * 10.0**-decimals * (1 + 1e-6) + 1e-9 * np.abs(total).max()
    for found, kind in ((total, SUM), (total / count, AVERAGE)):
        wrong = int((np.abs(line - found) > tolerance).sum())
        if wrong <= max((1 - _AGREEING) * n, 1 if n > fewest else 0):  # one exception, such as a line of averages
            surprise = (n - 3 * wrong) * -np.log10(_chance(line, decimals))
            if surprise >= (_EVIDENCE if fewest == FEWEST_LINES else _EVIDENCE_OF_A_ROW):
                return kind
    return None


def _chance(values: np.ndarray, decimals: int) -> float:
    """About how often a number of the kind of ``values`` agrees with a sum or an average by chance."""
    different = np.unique(values)
    step = np.diff(different).min()
    if decimals > 1:
        step = min(step, 10.0**-decimals)
    return min(0.5, 2 * step / (different[-1] - different[0]))


def _decimals(values: np.ndarray) -> int:
    """The most decimals that the values are written with, six at most."""
    known = values[~np.isnan(values)]
    for digits in range(6):
        if np.allclose(known, np.round(known, digits), rtol=0, atol=1e-9):
            return digits
    return 6

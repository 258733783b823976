"""Sums, means and counts of the other columns, or of the lines above, told by arithmetic: they hold no ratings."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Sequence
from itertools import chain, combinations

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from metamf.tables.words import SUMS, words_of
from metamf.wording import shown

_MOST_SEARCHED = 14  # columns of which every pair, triple and four is tried
_MOST_RUNS = 40  # columns of which every run is tried; of more, those next to a column
_FOR_TWO, _FOR_MORE, _FOR_ANY = 6, 5, 8  # rows that show a sum of two columns, of more, or of some far apart
_FOR_ALL = 3  # rows that show a sum of all other columns
_FOR_ROUNDED = 20  # rows that show a mean rounded to whole numbers
_FOR_STEPS = 12  # rows that show grades of a sum
_FEWEST_UNLIKE = 3  # rows in which the lowest of some columns, say, is not that of one of them
_FIRST = 16  # rows in which all groups of columns are tried, about
_SPARE = 4  # rows beyond the number of parts, that show a weighted sum; twice as many with weights below zero
_BITS = 16  # that the rows of a mean, or of a copy, have to tell
_BITS_OF_LINE = 12  # that a line has to tell that is asked about, and half of those that tell for sure
_ALONG, _SLACK = 0.95, 1.2  # of a copy: squared correlation, roundings that it is off
_SHARE = 0.1  # of a column's spread that rounding may account for
_MOST_STEPS = 12  # of a scale, from each of which on answers may be counted
_MAXIMUM = re.compile(r"[(/\[]\s*(\d+(?:[.,]\d+)?)\s*(?:points?|pts?\.?|p)?\s*[)\]]?\s*$", re.IGNORECASE)
_MOST_RANGE = 20  # of a column of few steps
_MOST_BY_CHANCE = 5  # numbers of a row that count on
_MOST_SUMMARIES, _MOST_ON_TOP = 8, 3  # lines that sum up a table: the sum, the mean, the least, the number, ...
_MOST_IN_LINES = 100_000  # cells of a table of which more than sums and means is looked for
_RARE = 0.1  # share of lines in which something is no rule
_MOST_WORDS = 4  # of a name that may be one of a summary


def sounds_like_a_sum(name: str) -> bool:
    """Whether a part of a short name is a word for a sum or a mean, as in "Group avg"."""
    words = [word for word in words_of(name) if not word.isdecimal()]
    return len(words) <= _MOST_WORDS and not SUMS.isdisjoint(words)


def sums_of_maxima(names: Sequence[str]) -> list[int]:
    """The columns whose largest number, as their name tells it, is the sum of those of all others that tell one."""
    found = {j: float(match[1].replace(",", ".")) for j, name in enumerate(names) if (match := _MAXIMUM.search(name))}
    total = sum(found.values())
    return [j for j, top in found.items() if len(found) > 2 and abs(2 * top - total) < 1e-9]


def find_copies(X: np.ndarray, decimals: Sequence[int]) -> dict[int, int]:
    """The columns of ``X`` (L, C), NaN in gaps, with that many ``decimals``, that are another one in another unit, and
    that one: an exact line, but for rounding, wherever both are given, such as a share next to points. That one is no
    time, which grows from line to line."""
    given = ~np.isnan(X)
    found: dict[int, int] = {}
    shared = pd.DataFrame(X).corr(min_periods=_FOR_TWO).to_numpy() ** 2
    for j, k in np.argwhere(shared > _ALONG)[::-1].tolist():
        rows = given[:, j] & given[:, k]
        x, y, tolerance = X[rows, j], X[rows, k], 0.501 * 10.0 ** -decimals[j]
        steps = len(np.unique(x))
        if j == k or {j, k} & {*found} or steps < 3 or (x == y).all() or (np.diff(y) >= 0).all():
            continue
        spread = np.subtract(*np.percentile(x, [75, 25]))
        bits = np.log2(min(max(spread / (2 * _SLACK * tolerance), 1), steps))  # that each row tells
        enough = (len(x) - 2) * bits >= _BITS
        off = np.abs(np.polyval(np.polyfit(y, x, 1), y) - x).max()
        exact = len(x) >= _FOR_ROUNDED and off <= 1e-6 * np.abs(x).max()
        if exact or enough and off <= _SLACK * tolerance:
            found[j] = k
    return found


def summaries(
    X: np.ndarray, decimals: Sequence[int], names: Sequence[str], copied: np.ndarray | bool = True
) -> tuple[dict[int, str], set[int]]:
    """Which columns of ``X`` (L, C), NaN in gaps, with that many ``decimals``, are copies of others, as far as they may
    be ``copied`` (C,), or sum them up, each with what it is; and those of which too few rows tell."""
    copies = find_copies(np.where(copied, X, np.nan), decimals)
    kept = [j for j in range(X.shape[1]) if j not in copies]
    sums, unknown = find_sums(X[:, kept], [decimals[j] for j in kept])
    why = {j: f"{shown(names[k])} in another unit" for j, k in copies.items()}
    why |= {kept[i]: f"{what} of other columns" for i, what in sums.items()}
    behind = [(j, kept[i]) for i in sums for j in kept if kept[i] < j and j not in why]
    why |= {j: f"steps of {shown(names[k])}" for j, k in behind if _are_steps(X[:, j], X[:, k])}
    return why, {kept[i] for i in unknown}


def _are_steps(x: np.ndarray, total: np.ndarray) -> bool:
    """Whether ``x`` (L,) has a value for each part of the range of a ``total`` (L,), as grades of points do."""
    given = ~np.isnan(x) & ~np.isnan(total)
    values = x[given][np.argsort(total[given], kind="stable")]
    steps = np.diff(values)
    enough = len(values) >= _FOR_STEPS and 2 < len(np.unique(values)) <= len(np.unique(total[given])) / 2
    return bool(enough and ((steps >= 0).all() or (steps <= 0).all()))


def find_sums(X: np.ndarray, decimals: Sequence[int]) -> tuple[dict[int, str], set[int]]:
    """What columns of ``X`` (L, C), NaN in gaps, with that many ``decimals``, are of others ("the sum", "the mean",
    "the count"), wherever these are given; and the columns that had too few rows to tell."""
    found: dict[int, str] = {}
    unknown: set[int] = set()
    given = ~np.isnan(X)
    for j in range(X.shape[1] - 1, -1, -1):
        others = [k for k in range(X.shape[1]) if k != j and k not in found]
        if j in found or len(others) < 2 or len(np.unique(X[given[:, j], j])) < 3:
            continue
        tolerance = 0.501 * 10.0 ** -decimals[j]
        Y = X[given[:, j]]
        groups = _candidates(j, others)
        what, parts = _sum_of(Y, j, groups, tolerance)
        if not what:
            at = bisect(others, j)
            runs = ((others, _FOR_ANY), (others[:at][::-1], _FOR_ROUNDED), (others[at:], _FOR_ROUNDED))
            for run, fewest in runs:  # from the first one on, or from those next to it
                what = what or _other_summary(Y[:, j], Y[:, run[:_MOST_RUNS]], tolerance, fewest)
        if not what and len(others) <= _MOST_RUNS and _is_weighted(Y[:, others], Y[:, j], tolerance):
            what = "a weighted sum"
        if what:
            found |= _difference(X, j, parts) or {j: what}
        elif not _is_told(~np.isnan(Y), groups):
            unknown.add(j)
    return found, unknown


def _candidates(j: int, others: list[int]) -> list[list[int]]:
    """Groups of columns of which column ``j`` may be the sum: all, runs (of many columns those next to it), and pairs,
    triples and fours of few."""
    C = len(others)
    at = bisect(others, j)
    runs = [(a, at) for a in range(at - 1)] + [(at, b) for b in range(at + 2, C + 1)]
    if C <= _MOST_RUNS:
        runs = [(a, b) for a in range(C) for b in range(a + 2, C + 1)]
    groups = [others, *(others[a:b] for a, b in runs)]
    for size in (2, 3, 4) if C <= _MOST_SEARCHED else ():
        groups += map(list, combinations(others, size))
    return groups


def _fewest(group: list[int]) -> int:
    """Rows that show a sum of these columns."""
    if group[-1] - group[0] > len(group):
        return _FOR_ANY
    return _FOR_TWO if len(group) == 2 else _FOR_MORE


def _is_told(given: np.ndarray, groups: list[list[int]]) -> bool:
    """Whether enough rows are given (L, C) for one of the groups at least, of which the first has all columns."""
    if (given[:, groups[0]].sum(axis=1) > 1).sum() >= _FOR_ANY:
        return True
    return any(given[:, group].all(axis=1).sum() >= _fewest(group) for group in groups)


def _sum_of(X: np.ndarray, j: int, groups: list[list[int]], tolerance: float) -> tuple[str, list[int]]:
    """What column ``j``, given in all rows of ``X`` (L, C), is of one of the ``groups``, in rows in which these are
    complete, or else in all; ('', []) for none. All are tried in a few rows, and those that fit there in the others."""
    given = ~np.isnan(X)
    filled = np.where(given, X, 0.0)
    first = slice(None, None, max(1, len(X) // _FIRST))
    sizes = np.array([*map(len, groups)])
    n = _totals(given[first].astype(int), groups)  # (R, P)
    sums = _totals(filled[first], groups)
    rounded = tolerance if tolerance < 2 * _SHARE * X[:, j].std() else 0.0
    for complete in (True, False):
        may = _may_be(X[first, j, None], sums, n, n == sizes if complete else n > 1, rounded)
        for group in (groups[i] for i in np.flatnonzero(may)):
            number = given[:, group].sum(axis=1)
            at = number == len(group) if complete else number > 1
            enough = at.sum() >= (_fewest(group) if complete else _FOR_ANY)
            if not enough and (at.sum() < _FOR_ALL or group is not groups[0] or len(group) < 3):
                continue
            x = X[at, j]
            parts = X[np.ix_(at, group)]
            if len(np.unique(x)) < 3 or (parts == x[:, None]).all(axis=0).any():  # or a column given twice
                continue
            sums_here = filled[np.ix_(at, group)].sum(axis=1)
            vary = np.nanmin(parts, axis=1) < np.nanmax(parts, axis=1)  # of equal numbers the mean says nothing
            different = len(np.unique(np.column_stack([x, sums_here])[vary], axis=0))
            what = _what(x, sums_here, number[at], tolerance, different)
            if what and (enough or what == "the sum"):
                return what, group
    return "", []


def _totals(A: np.ndarray, groups: list[list[int]]) -> np.ndarray:
    """(R, P) the sums over each group of the columns of ``A`` (R, C)."""
    starts = np.cumsum([0, *map(len, groups)])
    return np.add.reduceat(A[:, np.fromiter(chain.from_iterable(groups), int, starts[-1])], starts[:-1], axis=1)


def _may_be(x: np.ndarray, sums: np.ndarray, n: np.ndarray, rows: np.ndarray, tolerance: float) -> np.ndarray:
    """(P,) in which groups ``x`` (R, 1) may be the sum or the count in all ``rows`` (R, P), or, where ``tolerance`` is
    above zero, the mean or a share of the sum."""
    x = np.where(rows, x, 0.0)
    sums = np.where(rows, sums, 0.0)
    ways = [sums, np.where(rows, n, 0)]
    if tolerance:
        ways += [sums / np.maximum(n, 1), (x * sums).sum(axis=0) / np.maximum((sums**2).sum(axis=0), 1e-300) * sums]
    close = np.zeros(rows.shape[1], dtype=bool)
    for expected in ways:
        close |= np.abs(x - expected).max(axis=0) <= 4 * tolerance + 1e-6 * np.abs(x).max()
    return close


def _difference(X: np.ndarray, j: int, parts: list[int]) -> dict[int, str]:
    """Which of two ``parts``, whose sum column ``j`` is, is the difference of that and the other one: the only one of
    the three with numbers below zero."""
    below = [k for k in (j, *parts) if np.nanmin(X[:, k]) < 0]
    return {below[0]: "the difference"} if len(parts) == 2 and len(below) == 1 and below != [j] else {}


def _what(x: np.ndarray, sums: np.ndarray, n: np.ndarray, tolerance: float, different: int) -> str:
    """What ``x`` is of ``n`` numbers with these ``sums``, by so many ``different`` rows; '' for none of it."""
    if np.abs(x - sums).max() < 1e-6 * max(1.0, np.abs(x).max()):
        return "the sum"
    if (x == n).all():
        return "the count"
    spread = min(x.std(), np.subtract(*np.percentile(x, [75, 25])))  # which one number out of all proportion widens
    told = different * np.log2(max(spread / tolerance, 1))  # bits
    if tolerance < 2 * _SHARE * spread and told >= _BITS and np.abs(x - sums / n).max() <= tolerance:
        return "the mean"
    share = x @ sums / (sums @ sums) if sums.any() else 0.0
    in_proportion = len(x) > 5 and (n == n[0]).all() and np.abs(x - share * sums).max() <= 2 * tolerance
    return "the sum" if tolerance < _SHARE * spread and in_proportion else ""


def _other_summary(x: np.ndarray, others: np.ndarray, tolerance: float, fewest: int) -> str:
    """What ``x`` (L,) is of the first ones of the ``others`` (L, C), in the ``fewest`` rows at least: their median,
    spread, lowest or highest number; '' for none of it. Each number of them is tried in a few rows, and those that fit
    there in all."""
    first = slice(None, None, max(1, len(x) // _FIRST))
    runs = np.arange(3, others.shape[1] + 1)
    few = np.where(np.arange(others.shape[1]) < runs[:, None, None], others[first], np.nan)  # (runs, R, C)
    for b in runs[[bool(what) for what in _fitting(x[first], few, tolerance, True)]]:
        parts = others[:, :b]
        rows = (~np.isnan(parts)).sum(axis=1) > 1
        if rows.sum() < fewest or len(np.unique(x[rows])) < 3:
            continue
        parts = parts[rows]
        unlike = ~((parts == x[rows, None]) | np.isnan(parts))
        if unlike.sum(axis=0).min() < _FEWEST_UNLIKE:  # a column given twice, or nearly
            return ""
        rounded = tolerance if tolerance < _SHARE * x[rows].std() else 1e-9
        (what,) = _fitting(x[rows], parts[None], rounded, rows.sum() >= _FOR_ROUNDED)
        if what:
            lines = np.column_stack([x[rows], np.nan_to_num(parts)])
            return what if len(np.unique(lines, axis=0)) >= _FOR_ANY else ""  # few may be so by chance
    return ""


def _fitting(x: np.ndarray, parts: np.ndarray, rounded: float, whole: bool) -> list[str]:
    """What ``x`` (R,) is of the numbers in each line of each of the ``parts`` (P, R, C), NaN in gaps, where a line has
    two at least; '' for none of it. Means and spreads may be off by ``rounded``; ``whole``: whether there are rows
    enough to tell a mean in whole numbers."""
    n = (~np.isnan(parts)).sum(axis=2)
    ordered = np.sort(parts, axis=2)  # gaps last
    filled = np.nan_to_num(parts)
    sums = filled.sum(axis=2)

    def at(place: np.ndarray) -> np.ndarray:
        return np.take_along_axis(ordered, np.maximum(place, 0)[..., None], axis=2)[..., 0]

    lowest, highest = at(n - n), at(n - 1)
    means = sums / np.maximum(n, 1)
    spreads = np.sqrt(np.nansum((parts - means[..., None]) ** 2, axis=2) / np.maximum(n - 1, 1))
    without_ends = (sums - highest - lowest) / np.maximum(n - 2, 1)  # as in some sports
    steps = [*np.unique(filled[~np.isnan(parts)])[:_MOST_STEPS], np.inf]
    ways = [("the count", (parts >= step).sum(axis=2), 0.0) for step in steps]
    ways += [("the mean", np.round(means + 1e-9), rounded)] if whole else []
    ways += [
        ("the median", (at((n - 1) // 2) + at(n // 2)) / 2, 1e-9),
        ("the standard deviation", spreads, rounded),
        ("the range", highest - lowest, 1e-9),
        ("the highest", highest, 1e-9),
        ("the lowest", lowest, 1e-9),
        ("the mean", without_ends, rounded),
    ]
    found = [""] * len(parts)
    for what, values, off in ways:
        for i in np.flatnonzero(((np.abs(x - values) <= off) | (n < 2)).all(axis=1)):
            found[i] = found[i] or what
    return found


def _is_weighted(parts: np.ndarray, x: np.ndarray, tolerance: float) -> bool:
    """Whether ``x`` is a sum of two parts or more, each times a weight, within twice its rounding. A weight may be
    below zero where no part varies more than their sum, which tells it from a part."""
    rows = ~np.isnan(x) & ~np.isnan(parts).any(axis=1)
    spare = rows.sum() - parts.shape[1]
    if spare < _SPARE or tolerance > _SHARE * x[rows].std():
        return False
    parts, x = parts[rows], x[rows]
    ways = [nnls(parts, x)[0]]
    if spare >= 2 * _SPARE and np.linalg.matrix_rank(parts) == parts.shape[1]:
        ways.append(np.linalg.lstsq(parts, x)[0])
    for weights in ways:
        off = np.abs(parts @ weights - x).max()
        shares = np.abs(weights) * parts.std(axis=0) / x.std()
        if off <= 2 * tolerance and (shares > 0.02).sum() > 1 and ((weights >= 0).all() or shares.max() < 0.99):
            return True
    return False


def sums_of_lines(X: np.ndarray, decimals: Callable[[int], int]) -> tuple[dict[int, str], list[int]]:
    """What lines of ``X`` (L, C), NaN in gaps, are of those above or of those since the last such one ("the sum of the
    lines above"), or at either end of all others; ``decimals`` tells how many a line has. What stands below such a
    line at the end, or above one at the top, goes with it, and further ones or equal maxima above the former. And the
    lines at either end that may be so by chance."""
    L, given = len(X), ~np.isnan(X)
    end = np.zeros((1, X.shape[1]))
    sums, n = (np.vstack([end, np.cumsum(of, axis=0)]) for of in (np.nan_to_num(X), given))
    fine = (np.nan_to_num(X) % 1 > 0).any(axis=1)
    found: dict[int, str] = {}
    start = 0
    while start < L - 3:
        here = slice(start + 3, L)
        total, number = sums[start + 3 : L] - sums[start], n[start + 3 : L] - n[start]
        is_sum, is_mean = (np.abs(X[here] - of) <= 0.501 for of in (total, total / np.maximum(number, 1)))
        is_mean &= fine[here, None]
        right = (is_sum | is_mean) & given[here]
        may = right.sum(axis=1) >= 0.8 * np.maximum(given[here].sum(axis=1), 3)
        full = given[here] & (number == np.arange(3, L - start)[:, None])
        may |= (full.sum(axis=1) > 2) & (right | ~full).all(axis=1)
        likely = (start + 3 + np.flatnonzero(may)).tolist()
        i = next((i for i in likely if sums_up(X[i], decimals(i), X[start:i])), L)
        if i < L:
            found[i] = f"{sums_up(X[i], decimals(i), X[start:i])} of the lines above"
        start = i + 1
    unsure: list[int] = []
    for i in range(max(L - _MOST_SUMMARIES, 0), L):
        above = X[[k for k in range(i) if k not in found]]
        said, sure = _summary_of_lines(X[i], decimals(i), above, i >= L - 2)
        what = f"{said} of the lines above" if sure else found.get(i, "") if i >= L - 2 else ""
        if not what and not said:
            continue
        first = i
        while first > _FOR_ANY and _goes_with_sums(X[first - 1], decimals(first - 1), X[: first - 1]):
            first -= 1
        if what:
            found |= dict.fromkeys(range(first, L), what)
            break
        unsure += range(first, L) if i >= L - 2 else []
    for i in range(min(_MOST_ON_TOP, L), 0, -1):
        below = X[[k for k in range(i, L) if k not in found]]
        said, sure = _summary_of_lines(X[i - 1], decimals(i - 1), below, True)
        unsure += [0] if said and not sure and i == 1 else []
        if sure:
            found |= dict.fromkeys(range(i), f"{said} of the lines below")
            break
    return found, sorted({*unsure} - {*found})


def _summary_of_lines(line: np.ndarray, decimals: int, others: np.ndarray, sums: bool) -> tuple[str, bool]:
    """What a ``line`` (C,) at an end of a table is of all ``others`` (L, C): a sum or a mean, where these are looked
    for, or as ``_fitting`` says; '' for none of it. And whether it hardly is so by chance, as a person's answers are
    that are all in the middle."""
    what = sums_up(line, decimals, others) if sums else ""
    given = ~np.isnan(line) & ((~np.isnan(others)).sum(axis=0) > 1)
    if what or others.size > _MOST_IN_LINES or len(np.unique(line[given])) < 3:
        return what, bool(what)
    x = line[given]
    parts = others[:, given]
    tolerance = 0.501 * 10.0**-decimals
    as_often = (np.abs(parts - x) <= tolerance).sum(axis=0) + 1
    bits = np.log2((len(parts) + 1) / as_often).sum()  # that the line tells, were it one of the others
    if bits < _BITS_OF_LINE:
        return "", False
    (what,) = _fitting(x, parts.T[None], tolerance, len(x) >= _FOR_ROUNDED)
    return what, bool(what and bits >= 2 * _BITS_OF_LINE)


def _goes_with_sums(line: np.ndarray, decimals: int, above: np.ndarray) -> bool:
    """Whether a ``line`` (C,) just above a sum or a mean sums up those ``above`` (L, C), too, or has one number in all
    columns that none of them exceeds, and that is rare among them."""
    given = ~np.isnan(line) & ((~np.isnan(above)).sum(axis=0) > 1)
    if given.sum() < 3:
        return False
    x = line[given]
    above = above[:, given]
    equal_maxima = np.ptp(x) == 0 and not (above > x).any() and (above == x).mean() < _RARE
    return bool(equal_maxima or np.ptp(x) and _fitting(x, above.T[None], 0.501 * 10.0**-decimals, False)[0])


def what_it_says(line: np.ndarray, others: np.ndarray) -> tuple[str, bool]:
    """What a ``line`` (C,) that is no row may say of the columns, by its numbers and the ``others`` (L, C): 'the most',
    which no other one exceeds and which differ, 'weights', which sum up to 1 or 100 although no other line does, or
    'numbers', which count on; '' for neither. And whether its numbers hardly are those of a row."""
    if len(line) < 2:
        return "", False

    def shared(lines: np.ndarray) -> np.ndarray:
        total, most = lines.sum(axis=1), lines.max(axis=1)
        with_sum = np.isclose(total, 2 * most) & (np.isclose(most, 1) | np.isclose(most, 100))
        with_sum &= (lines < most[:, None]).sum(axis=1) > 1
        return with_sum | np.isclose(total, 1) | np.isclose(total, 100)

    low, high = np.nanmin(others, axis=0, initial=np.inf), np.nanmax(others, axis=0, initial=-np.inf)
    if (line >= high).all() and not (line % 1).any():
        rare = (others % 5 == 0).all(axis=1).mean() < _RARE and (line > high).any()
        return "the most", bool(rare and not (line % 5).any() and np.ptp(line))
    if line.min() >= 0 and shared(line[None])[0] and shared(others).mean() < _RARE:
        return "weights", bool(((line < low) | (line > high)).all())
    counts = len(line) > 3 and (np.diff(line) == 1).all()
    return "numbers" if counts else "", bool(counts and len(line) > _MOST_BY_CHANCE)


def is_outside(line: np.ndarray, others: np.ndarray) -> bool:
    """Whether a ``line`` (C,) is outside the range of the ``others`` (L, C) in most of the columns of few steps, more
    often than by chance."""
    low, high = np.nanmin(others, axis=0, initial=np.inf), np.nanmax(others, axis=0, initial=-np.inf)
    few = (high - low <= _MOST_RANGE) & ~(np.nan_to_num(others) % 1).any(axis=0) & ~np.isnan(line)
    outside = few & ((line < low) | (line > high))
    bits = np.log2((len(others) + 1) / 2)  # of each
    return bool(2 * outside.sum() > few.sum() and outside.sum() * bits >= _BITS)


def sums_up(line: np.ndarray, decimals: int, others: np.ndarray) -> str:
    """What a ``line`` (C,) is of the ``others`` (L, C) of its table: 'the mean', 'the sum', or '' for neither."""
    given = ~np.isnan(line) & (~np.isnan(others)).any(axis=0)
    if given.sum() < 3 or len(others) < 3 or len(np.unique(line[given])) < 2:
        return ""
    n = (~np.isnan(others[:, given])).sum(axis=0)
    sums = np.nansum(others[:, given], axis=0)
    full = n == len(others)
    tolerance = 0.501 * 10.0**-decimals
    for what, expected in (("the sum", sums), ("the mean", sums / n)):
        right = np.abs(line[given] - expected) <= (tolerance if what == "the mean" else 1e-6 * np.abs(sums))
        enough = right.mean() >= 0.8 or full.sum() > 2 and right[full].all()  # cells may have been deleted since
        if enough and (decimals or what == "the sum"):
            return what
    return ""

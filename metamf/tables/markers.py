"""Numbers that may mean "missing", since they stand apart from all others: 99, -9, or zero next to a scale."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from metamf.ratings.scale import guess_scale

_MARKER = re.compile(r"-\d+|[6-9]{2,}|[7-9]|-?(?=[\d.]{4})([6-9])\1*\.\1+")
_MANY = 15  # cells of a scale next to which a number of one digit stands apart; twice as many of a scale of two
_APART = 3  # steps of a scale between its end and a marker of one digit; fewer where many cells use every step
_VERY_MANY = 60
_FEW_STEPS, _MOST_STEPS = 10, 20  # of a scale on which a zero stands for a rating that was not given, or at all
_FEWEST = 6  # numbers that show a scale next to zeros
_FROM_ONE = (5, 6, 7, 9)  # ends of scales that begin at one
_LARGE = 1000  # a zero next to larger numbers alone may mean missing
_FAR = 3  # times the range of all others, a number that may be a marker in one cell
_MOST_MARKERS = 40  # of a table
_MOST_BEYOND, _OFTEN = 3, 4  # numbers beyond a scale; and times their cells squared, those of its end
_USED = 0.6  # share of the steps of a scale, or of half its cells, that a column with a number beyond it uses
_MOST_POOLED = 1000  # columns that may show their scale together
_RARE = 20  # times the cells below zero, those of a scale that has few of them
_MOST_CODES = 3  # below zero in a column of numbers above it
_MANY_CELLS = 40  # of narrow columns together, which show their scale


def markers_in(X: np.ndarray) -> set[float]:
    """The numbers of ``X`` (L, C), NaN in gaps, that may mean missing: those that do in one of its columns, or in those
    of one range together, and stand in several cells, or far from all others, or beyond the scale of these columns.
    With one below zero go whole numbers below it in other columns, too, though they stand in one cell."""
    values = [x[~np.isnan(x)] for x in X.T]
    counts: Counter[float] = Counter()
    for x in values:
        for marker in suspected_markers(x, fewest=1):
            counts[marker] += 2 if _is_far(marker, x[x != marker]) else (x == marker).sum()
    found = {marker for marker, n in counts.most_common(_MOST_MARKERS) if n > 1}
    plain = [j for j, x in enumerate(values[:_MOST_POOLED]) if len(x) > 3 and not (2 * x % 1).any()]
    tops = [np.sort(values[j])[: -max(1, len(values[j]) // _MANY)].max() for j in plain]
    items = [j for j, top in zip(plain, tops) if top <= 1.5 * np.median(tops)]
    together = np.concatenate([values[j] for j in items]) if len(items) > 2 else np.empty(0)
    for marker in suspected_markers(together, fewest=1) if len(together) else []:
        if _is_far(marker, together[together != marker]):
            found.add(marker)
    if len(together) >= _MANY_CELLS:
        for marker in suspected_markers(together):
            in_lines = (X[:, items] == marker).any(axis=1).sum()
            if in_lines > 1:
                found.add(marker)
        beyond = {*beyond_scale(together)}
        n_steps = len({*together.tolist()} - beyond)
        odd = [values[j] for j in items if np.isin(values[j], [*beyond]).any()]
        use_it = all(len({*x.tolist()} - beyond) >= _USED * min(n_steps, len(x) / 2) for x in odd)
        found |= beyond if use_it else set()
    below = {marker for marker in found if marker < 0}
    if not below:
        return found
    top = max(x.max() for x in values if len(x))
    held = np.concatenate([x for x in values if np.isin(x, [*below]).any()])
    scale = {*held[held < 0].tolist()}
    if len(scale) > 1 and -1 in scale and top >= -min(scale) < 2 * len(scale):
        often = len(below) > 1 or _RARE * np.count_nonzero(held < 0) > len(held)
        if (held == 0).any() and often or len(below) > 2:
            return found - below  # both sides of a scale such as -3 to 3
    for x in values:
        others = np.unique(x[x < 0])
        if not (x == 0).any() and len(others) <= _MOST_CODES and not (others % 1).any():
            found.update(others.tolist())
    return found


def _is_far(marker: float, others: np.ndarray) -> bool:
    """Whether a number may mean missing in a single cell: beyond 99, -9 and -99, or far from all others."""
    far = len(others) >= _MANY and abs(marker - others.mean()) > _FAR * np.ptp(others)
    return bool(far or marker > 99 or marker in (-9, -99))


def suspected_markers(values: np.ndarray, fewest: int = 2) -> list[float]:
    """Numbers of one column, or of columns on one scale, that may mean "missing", since they stand apart from the scale
    that the others form: a few whole numbers of another sign than all others; and numbers written with 6, 7, 8 and 9
    alone that are farther above the others than these span, or, where the others are few steps, three steps above; in
    ``fewest`` cells at least."""
    if not len(values):
        return []
    distinct, counts = np.unique(values, return_counts=True)
    ends = [v for v in {*distinct[:4].tolist(), *distinct[-4:].tolist()} if _MARKER.fullmatch(f"{v:.6g}")]
    while True:
        rest = distinct[~np.isin(distinct, ends)]
        if len(rest) < 2:
            return []
        low, high, span = rest[0], rest[-1], rest[-1] - rest[0]
        few = not (rest % 1).any() and span <= _MOST_STEPS and len(rest) >= 0.7 * (span + 1)
        if len(rest) < 3 and not (few and span == 1):
            return []
        above = min((v for v in ends if v > low), default=None)
        n_rest = counts[np.isin(distinct, rest)].sum()
        if above is not None and above < 10 and not (few and n_rest >= (_MANY if len(rest) > 2 else 2 * _MANY)):
            ends.remove(above)
            continue
        all_used = few and len(rest) == span + 1 and n_rest >= _VERY_MANY
        steps = _APART - all_used if few and above is not None and above < 10 else span + 1e-9
        if above is not None and above - high < steps:
            ends.remove(above)
            continue
        below = max((v for v in ends if v < low), default=None)
        if below is None or (below < 0 <= low and len([v for v in ends if v < 0]) <= 3) or low - below > 2 * span:
            break
        ends.remove(below)
    n = counts[np.isin(distinct, ends)].sum()
    sure = any(len(set(f"{v:g}".replace(".", ""))) == 1 and v > 99 for v in ends)
    return sorted(ends) if sure or n >= max(fewest, 0.01 * values.size) else []


def beyond_scale(values: np.ndarray) -> list[float]:
    """Numbers in few cells above a known scale, such as 0 to 10, of which all steps are used and the last one often."""
    distinct, counts = np.unique(values, return_counts=True)
    if len(values) < _MANY_CELLS:
        return []
    for n in range(1, min(_MOST_BEYOND, len(distinct) - 4) + 1):
        rest = distinct[:-n]
        scale = guess_scale(rest)
        all_used = scale and scale.step and scale.maximum == rest[-1] and np.ptp(np.diff(rest)) == 0
        if all_used and counts[:-n].min() > 1 and counts[-n - 1] >= _OFTEN * counts[-n:].sum() ** 2:
            return distinct[-n:].tolist()
    return []


def zero_is_apart(values: np.ndarray) -> bool:
    """Whether zero stands apart in numbers that are a scale next to it (1 to 5, 0.5 to 5, 1 to 10, ...), or all large:
    below numbers that are nearer to each other than to it, and next to a scale that ends in 5, or in 6, 7 or 9 unless
    the numbers become ever rarer from zero on; of others where there are more zeros than ones, too."""
    rest = values[values != 0]
    n_zero = len(values) - len(rest)
    if not n_zero or len(rest) < _FEWEST or rest.min() < 0 or len(np.unique(rest)) < 3:
        return False
    low, high = rest.min(), rest.max()
    steps = np.diff(np.unique(rest))
    dense = len(rest) > _VERY_MANY and low > 3 * steps[: len(steps) // 2 + 1].max()
    if low > high - low or dense and 4 * low >= high - low:
        return True
    if low >= _LARGE:
        return bool(low * low >= high)
    if high > _FEW_STEPS or high < 4 or (2 * rest % 1).any():
        return False
    return bool(high == 5 or (n_zero > np.count_nonzero(rest <= 1) or high in _FROM_ONE) and not _grow_rarer(values))


def zero_may_count(values: np.ndarray) -> bool:
    """Whether zero, where it stands apart, may be the lowest number of a scale as well. It is none below large numbers,
    or those that are nearer to each other than to it, nor below 5, or below 6, 7 or 9 where it is more frequent than
    one; unless numbers become ever rarer from zero on."""
    rest = np.unique(values[values != 0])
    if len(rest) < 2 or rest[0] >= _LARGE or 2 * rest[0] > rest[-1] - rest[0]:
        return False
    ones = np.count_nonzero((values > 0) & (values <= 1))
    often = (values == 0).sum() > ones + 2 * np.sqrt(ones + 1)
    return rest[-1] != 5 and not (often and rest[-1] in _FROM_ONE) or _grow_rarer(values)


def _grow_rarer(values: np.ndarray) -> bool:
    """Whether there are ever fewer numbers up to zero, from there up to one, and up to two."""
    zeros, ones, twos = np.histogram(values, [-np.inf, 1e-9, 1 + 1e-9, 2 + 1e-9])[0]
    return bool(zeros >= ones >= twos > 0)

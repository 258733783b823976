"""Scales that columns share, and numbers that stand apart from them.

A scale is what was observed: 1 to 7 in halves is "1 to 7". Columns in steps share one where they
have most of their values in common, others where their ends are nearly the same.

Numbers may mean something else than their column: 99, -9, or zero far below all others. They are
never changed. A number in doubt stays as it is, teaches nothing, and is shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from metamf.tables.codes import PLAIN
from metamf.tables.draft import SURE, Draft
from metamf.tables.plan import KEEP, Group
from metamf.tables.scales import RATING_WORDS, is_total, words_of
from metamf.wording import counted, shown

_FEW_LEVELS = 21  # different values of a scale in steps
_ITEMS = 4  # columns of one scale, next to which others are unlike them
_MOST_CODES = 6  # different values of a property of persons
_IN_COMMON = 0.6  # share of the values of two columns in steps
_NEAR_ENDS = 0.1  # of the range, by which the ends of two others differ
_FEWEST_OF_SCALE = 8  # numbers of a column without steps
_OUT_OF = re.compile(r"\{\}\s*(?:/|out of|of|von|sur|de)\s*(\d+)")
_MARKER = re.compile(r"-\d+|[6-9]{2,}|-?(?=[\d.]{4})([6-9])\1*\.\1+")
_MOST_MARKERS = 3  # of a column
_FEWEST = 4  # numbers next to a marker
_RARE = 0.3  # share of a column that a marker may have
_FEW_STEPS = 10  # of a scale beyond which 7, 8 and 9 stand apart
_FEW_ZEROS = 0.4  # share of a column
_LARGE = 1000  # zero among numbers from here on
_GAP = 3  # steps between the end of a scale and a marker
_FEWEST_ALIKE = 3  # columns that show a scale together
_FEWEST_CELLS = 40  # of them
_FEW_BELOW = 0.1  # share of codes such as -1 next to a scale from zero on


# Numbers in doubt


def doubt_numbers(draft: Draft) -> None:
    """Decides which numbers stay as they are and teach nothing."""
    at = [j for j in draft.filled() if draft.columns[j].code == PLAIN]
    X = draft.values[draft.rows][:, at]
    alone = _apart(X)
    beyond = _beyond_scale(X)
    for k, j in enumerate(at):
        unrated = [0.0] if _is_unrated(draft.columns[j].name, X[:, k]) else []
        values = sorted({*alone.get(k, ()), *beyond.get(k, ()), *unrated})
        for value in values:
            cells = draft.rows & (draft.values[:, j] == value)
            texts = [draft.text(code) for code in np.unique(draft.body.codes[cells, j])]
            draft.doubt(j, texts, int(cells.sum()))
        draft.values[np.isin(draft.values[:, j], values), j] = np.nan


def _is_unrated(name: str, x: np.ndarray) -> bool:
    """Whether zeros of a column that is called a rating stand for "not rated": more than ones."""
    words = words_of(name)
    if not words or words[-1] not in RATING_WORDS:
        return False
    stepped = not (2 * x[~np.isnan(x)] % 1).any() and np.nanmax(x, initial=0) <= 10
    return bool((x == 0).sum() > (x == 1).sum() and stepped)


def _apart(X: np.ndarray) -> dict[int, list[float]]:
    """For columns of (L, C) numbers, NaN in gaps, the numbers that are far from all others and look
    like markers: one sign or digit repeated, beyond the span of the others; or zero. What is a
    marker in one column is one in others that it lies beyond, however few their numbers are."""
    columns = [np.unique(x[~np.isnan(x)], return_counts=True) for x in X.T]
    found = {}
    for j, (values, counts) in enumerate(columns):
        if counts.sum() >= _FEWEST and (values[0] <= 0 or values[-1] >= 66):
            found[j] = _beyond(values, counts) + _zero(values, counts, _like(values, columns))
    known = {marker for markers in found.values() for marker in markers if marker}
    for j, (values, _) in enumerate(columns if known else ()):
        others = values[~np.isin(values, [*known])]
        if len(others) > 1:
            more = [v for v in known if v in values and _is_beyond(v, others[0], others[-1])]
            found[j] = [*found.get(j, ()), *more]
    return found


def _beyond(values: np.ndarray, counts: np.ndarray) -> list[float]:
    """Markers at the ends of (k,) different values that lie beyond the others by more than these
    span; below zero, whole numbers beneath others that are all above."""
    ends = {*values[:_MOST_MARKERS].tolist(), *values[-_MOST_MARKERS:].tolist()}
    markers = sorted(v for v in ends if _MARKER.fullmatch(f"{v:.8g}"))
    while markers:
        rest = ~np.isin(values, markers)
        if counts[rest].sum() < _FEWEST or rest.sum() < _FEWEST / 2:
            return []
        low, high = values[rest][0], values[rest][-1]
        far = [v for v in markers if _is_beyond(v, low, high)]
        if far == markers:
            break
        markers = far
    return markers


def _is_beyond(v: float, low: float, high: float) -> bool:
    if v > high:
        return v > 66 and v - high > high - low
    if v >= min(low, 0):
        return False
    repeated = bool(re.fullmatch(r"-([6-9])\1*", f"{v:g}"))
    return low >= 0 and repeated or low - v > (high - low) * (1 if low >= 0 else 2)


def _like(values: np.ndarray, columns: Iterable[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The different numbers of all columns that have zero and nearly the same highest number."""
    top = values[-1]
    like = [v for v, _ in columns if len(v) and v[0] == 0 and abs(v[-1] - top) <= 0.25 * top]
    return np.unique(np.concatenate(like)) if like else values


def _zero(values: np.ndarray, counts: np.ndarray, like: np.ndarray) -> list[float]:
    """Zero, where few cells have it and all others, those of like columns too, are nearer to each
    other than to it."""
    rest = values[values != 0]
    if values[0] != 0 or len(rest) < 3:
        return []
    if len(rest) <= _FEW_STEPS * 2 and not (2 * rest % 1).any() and rest[-1] <= 10:
        first = like[like != 0][0]
        often = counts[0] > counts[1:].sum() / 2
        far = first >= _GAP or first >= _GAP - 1 and often
        return [0.0] if far and counts[1:].sum() >= 6 else []
    if len(rest) < 5 or counts[0] > _FEW_ZEROS * counts.sum():
        return []
    if rest[0] >= _LARGE:
        return [0.0] if rest[0] ** 2 >= rest[-1] else []
    if 6 * rest[0] < rest[-1]:
        return []
    steps = np.diff(rest)
    dense = rest[0] > 3 * steps[: len(steps) // 2 + 1].max() and rest[0] >= 10 * steps.min()
    few = counts[0] <= _FEW_ZEROS / 2 * counts.sum()
    return [0.0] if dense or few and (rest % 1).any() else []


def _beyond_scale(X: np.ndarray) -> dict[int, list[float]]:
    """The numbers beyond a scale of few steps that several columns share, such as 8 and 9 on 1 to
    4, 99 on 1 to 5, or few -1 and -2."""
    whole = [j for j in range(X.shape[1]) if _is_whole(X[:, j])]
    together = X[:, whole]
    values, counts = np.unique(together[~np.isnan(together)], return_counts=True)
    few_below = counts[values < 0].sum() <= _FEW_BELOW * counts.sum() or not (values == 0).any()
    low = int((values < 0).sum()) if few_below else 0
    gaps = np.flatnonzero(np.diff(values[low:]) >= _GAP)
    if len(whole) < _FEWEST_ALIKE or counts.sum() < _FEWEST_CELLS or not (len(gaps) or low):
        return {}
    high = low + gaps[0] + 1 if len(gaps) else len(values)
    scale = values[low:high]
    beyond = np.concatenate([values[:low], values[high:]])
    n_beyond = counts.sum() - counts[low:high].sum()
    dense = len(scale) == np.ptp(scale) + 1 and 3 <= len(scale) <= _FEW_STEPS + 1
    digits = all(re.fullmatch(r"-\d|-9+|[7-9]+", f"{v:g}") for v in beyond)
    few = n_beyond <= _RARE * counts.sum() and (len(beyond) <= 3 or high == len(values))
    if not (dense and digits and n_beyond > 1 and few):
        return {}
    return {j: [float(v) for v in beyond if v in X[:, j]] for j in whole}


def _is_whole(x: np.ndarray) -> bool:
    x = x[~np.isnan(x)]
    return len(x) > 3 and not (x % 1).any() and 0 <= float(np.median(x)) <= _FEW_STEPS


# Scales


@dataclass(frozen=True)
class Scale:
    """Ends, step (0 where there is none), number of different values and of all of a column."""

    low: float
    high: float
    step: float
    n_levels: int
    n: int

    @classmethod
    def of(cls, x: np.ndarray) -> Scale:
        """The scale of (n,) numbers without gaps."""
        if not len(x):
            return cls(0.0, 0.0, 0.0, 0, 0)
        values = np.unique(x)
        low, high = float(values[0]), float(values[-1])
        for step in (1.0, 0.5, 0.25):
            if not (values / step % 1).any() and (high - low) / step < _FEW_LEVELS:
                return cls(low, high, step, len(values), len(x))
        return cls(low, high, 0.0, len(values), len(x))


def group_columns(draft: Draft) -> None:
    """Decides which columns share a scale, and the limits of those that have one of their own."""
    scales = {j: Scale.of(draft.numbers(j)) for j in draft.filled()}
    if draft.keys:
        groups = [[j for j, scale in scales.items() if scale.step]]
    else:
        kinds: dict[str, list[int]] = {}
        for j in scales:
            code = draft.columns[j].code
            kinds.setdefault(PLAIN if code == "labels" else code, []).append(j)
        names = [column.name for column in draft.columns]
        groups = [like for at in kinds.values() for like in _like_columns(at, scales, names)]
    for members in groups:
        low = min((scales[j].low for j in members), default=0.0)
        high = max((scales[j].high for j in members), default=0.0)
        if low < high:
            step = min(scales[j].step for j in members)
            draft.groups.append(Group(low, high, step or None))
            for j in members:
                draft.columns[j].group = len(draft.groups) - 1
    if not draft.keys:
        _note_unlike(draft, scales)
    _limit_columns(draft)


def _like_columns(
    columns: list[int], scales: dict[int, Scale], names: Sequence[str]
) -> list[list[int]]:
    """Groups of columns: each time the one that most others are like, and these. Where most have
    names of one kind, such as v1 ... v8, all of this kind whose numbers are on the scale; or else
    all that use a good part of it. Takes the square of the number of columns at most."""
    at = [j for j in columns if scales[j].n_levels > 1]
    kinds = np.array([kind_of(names[j]) for j in at], dtype=object)
    rows = [(s.low, s.high, s.step, s.n_levels, s.n) for s in map(scales.__getitem__, at)]
    low, high, step, n_levels, n = np.array(rows).reshape(-1, 5).T
    width = high - low
    left = np.ones(len(at), dtype=bool)

    def like(i: int) -> np.ndarray:
        """Whether each column may be on one scale with the one at ``i``."""
        together = np.maximum(high, high[i]) - np.minimum(low, low[i])
        if not step[i]:
            ends = np.maximum(np.abs(low - low[i]), np.abs(high - high[i]))
            enough = np.minimum(n, n[i]) >= _FEWEST_OF_SCALE
            return (step == 0) & enough & (ends <= _NEAR_ENDS * together)
        unit = np.where(step > 0, np.minimum(step, step[i]), 1.0)
        common = np.minimum(high, high[i]) - np.maximum(low, low[i])
        return (step > 0) & (common / unit + 1 >= _IN_COMMON * (together / unit + 1))

    n_like = np.array([like(i).sum() for i in range(len(at))])
    found = []
    while left.sum() > 1:
        most = np.where(left, n_like, -1)
        core = int(np.argmax(np.where(most == most.max(), width, -1.0)))
        members = np.arange(len(at)) == core
        if most[core] >= (2 if step[core] else max(3, 0.6 * left.sum())):
            members = left & like(core)
            kind, n_kind = Counter(kinds[members]).most_common(1)[0]
            named = n_kind >= _ITEMS and 2 * n_kind >= members.sum() and "#" in kind
            uses = (step[core] > 0) & (n_levels >= 3)
            if named:
                members &= kinds == kind
            lowest, highest = low[members].min(), high[members].max()
            more = kinds == kind if named else uses & (4 * width >= highest - lowest)
            same = (step > 0) == (step[core] > 0)
            members |= left & same & (low >= lowest) & (high <= highest) & more
            found.append([at[i] for i in np.flatnonzero(members)])
        left &= ~members
        for i in np.flatnonzero(members).tolist():
            n_like -= like(i)
    return found


def kind_of(name: str) -> str:
    """What a name has before its first number, such as v of v1 and v2R; a name without a number."""
    return re.sub(r"\d.*", "#", name, flags=re.DOTALL)


def _note_unlike(draft: Draft, scales: dict[int, Scale]) -> None:
    """Makes coded properties of persons amber next to items that have names of another kind."""
    groups = Counter(draft.columns[j].group for j in scales)
    del groups[None]
    group, most = groups.most_common(1)[0] if groups else (None, 0)
    items = [j for j in scales if draft.columns[j].group == group]
    kinds = {kind_of(draft.columns[j].name) for j in items}
    if most < _ITEMS or 2 * most < len(scales) or len(kinds) > 1:
        return
    for j, scale in scales.items():
        few = scale.step == 1 and scale.n_levels <= _MOST_CODES and scale.low >= 0
        name = draft.columns[j].name
        if few and draft.gaps[j] and j not in items and kind_of(name) not in kinds:
            levels = counted(scale.n_levels, "different value")
            unlike = f"{shown(name)} has {levels}, unlike the columns on a scale"
            draft.note_role(j, f"{unlike}: it may be a code of groups", KEEP)


def _limit_columns(draft: Draft) -> None:
    """Nothing negative where nothing is, and no more than a code or a line of maxima says."""
    maxima: dict[int, float] = {}
    for line in draft.skipped.values():
        label = line.why.removeprefix("called ")
        if label != line.why and line.margin < SURE and not is_total(label.strip('"')):
            [i] = np.flatnonzero(draft.lines == line.line)
            maxima |= {j: v for j, v in enumerate(draft.values[i].tolist()) if v == v}
    for j in draft.filled():
        column, x = draft.columns[j], draft.numbers(j)
        if not len(x):
            continue
        if x.min() >= 0:
            column.low = 0.0
        top = maxima.get(j, -np.inf)
        if column.code.endswith("%"):
            top = 100.0 if x.max() <= 100 else top
        elif match := _OUT_OF.search(column.code):
            top = float(match[1])
        if top >= x.max():
            column.high = top

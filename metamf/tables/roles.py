"""What is no row of a table, and the roles of the columns of a wide one.

No rows are the names once more, totals, weights and maxima at either end, and what stands above the
data. They stay as they are and teach nothing; where nothing but their place or their name tells,
they are amber.

Every column of numbers is filled, but for constants, row numbers, long identifiers, dates, and
columns that follow exactly from others or say that they are totals.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from metamf.tables.codes import PLAIN
from metamf.tables.draft import DOWN, SURE, Draft
from metamf.tables.follows import follows
from metamf.tables.long import is_blank_down, note_down
from metamf.tables.numerals import NO_VALUE, TEXT
from metamf.tables.plan import FILL, KEEP, NAME
from metamf.tables.scales import (
    BESIDE_TOTALS,
    is_total,
    names_rows,
    plain_name,
    says_limits,
    says_total,
)
from metamf.wording import shown

_MOST_TOTALS = 8  # lines at the end that may be totals
_MOST_LINES = 5_000  # among which sums, notes and other tables are looked for
_MOST_ABOVE = 6  # lines above the data
_MOST_BELOW = 3  # lines below a total or a blank line, which may be no rows
_CHOICE = 6.0  # bits of the choice among lines and kinds of sums
_FEWEST_CONSTANT = 5  # cells of one value that make a constant
_NEAR = 6  # columns from the first one to fill on, among which names may stand
_ROW_NUMBERS = "numbers of the lines"
_LEADING_ZEROS = "codes with leading zeros"
_IDENTIFIERS = "long identifiers"
_FIRST_NUMBER = 1000  # of rows with numbers that only grow
_FIRST_DAY, _LAST_DAY = 1_800_01_01, 2_100_12_31  # of days written as 20260401


# Lines


def skip_lines(draft: Draft) -> None:
    """Decides which lines below the header are no rows."""
    _skip_names(draft)
    lines = np.flatnonzero(draft.rows).tolist()
    if len(lines) < 3:
        return
    labels = draft.labels()
    ends = dict.fromkeys(lines[:3] + lines[-_MOST_TOTALS:])
    named = {i: labels[i] for i in ends if labels[i]}
    totals = [i for i, label in named.items() if is_total(label)]
    beside = [i for i, label in named.items() if totals and plain_name(label) in BESIDE_TOTALS]
    below = [i for i in lines[-_MOST_BELOW:] if totals and i > max(totals)]
    for i in sorted({*totals, *beside}):
        draft.skip(i, f"called {shown(labels[i])}", 2 * SURE)
    for i in below:
        draft.skip(i, "below a total", 0.0)
    _skip_tail(draft)
    for i, label in named.items():
        if says_limits(label) and _are_limits(draft, i, label):
            draft.skip(i, f"called {shown(label)}", 0.0)
    if len(draft.numeric()) > 1:
        for i in lines[: _n_above([labels[i] for i in lines])]:
            draft.skip(i, "unlike the lines below it", 0.0)
    _skip_sums(draft, [lines[0], *lines[-2:]], labels)


def _skip_names(draft: Draft) -> None:
    """Lines with the names of the columns once more."""
    for at in np.flatnonzero(draft.grid.lines == draft.header.line).tolist():
        names = [text.strip() for text in draft.grid.record(at)][: draft.width]
        filled = [j for j, name in enumerate(names) if name]
        codes: dict[str, list[int]] = {names[j]: [] for j in filled}
        for code, text in enumerate(map(str.strip, draft.cells.texts.texts)):
            if text in codes:
                codes[text].append(code)
        again = np.full(len(draft.lines), len(filled) > 1)
        for j in filled:
            again &= np.isin(draft.body.codes[:, j], codes[names[j]])
        for i in np.flatnonzero(again):
            draft.skip(int(i), "the column names again", 2 * SURE)


def _are_limits(draft: Draft, i: int, label: str) -> bool:
    """Whether a line says what columns weigh or can reach; one word alone, such as Max, may be a
    name, unless the numbers say so, too."""
    at = draft.numeric()
    x = draft.values[i, at]
    given = ~np.isnan(x)
    if " " in label or not given.any():
        return True
    others = np.delete(draft.values[:, at], i, axis=0)
    top = np.where(np.isnan(others), -np.inf, others).max(axis=0)
    constant = len(np.unique(x[given])) == 1 and given.sum() > 2
    return bool((x[given] >= top[given]).all() or constant)


def _n_above(labels: list[str]) -> int:
    """How many first lines have a text where the lines below have a number or a date: stations,
    units."""
    for n, label in enumerate(labels[:_MOST_ABOVE]):
        below = labels[n + 4 : n + 24]
        if not label or _like_number(label) or not below or not all(map(_like_number, below)):
            return n
    return min(len(labels), _MOST_ABOVE)


def _like_number(label: str) -> bool:
    return bool(re.fullmatch(r"[\s\d.,:/\-]+", label)) and any(map(str.isdigit, label))


def _skip_tail(draft: Draft) -> None:
    """What stands below the first blank line, if it is few lines, notes, or another table with
    names where this one has numbers."""
    at = np.flatnonzero(draft.rows)
    blank = np.flatnonzero(np.diff(draft.body.records[at]) > 1)
    if not len(blank) or draft.width < 2 or len(at) > _MOST_LINES:
        return
    tail = at[blank[0] + 1 :]
    numeric = draft.numeric()
    names = (draft.cells.kinds[tail[0], numeric] == TEXT).sum() > 1
    notes = np.isnan(draft.values[tail][:, numeric]).all()
    if names or notes or len(tail) <= min(_MOST_BELOW, len(at) - len(tail)):
        for i in tail.tolist():
            sure = notes or names and i > tail[0]
            draft.skip(i, "below a blank line", 2 * SURE if sure else 0.0)


def _skip_sums(draft: Draft, candidates: Sequence[int], labels: Sequence[str]) -> None:
    """Lines that are the sum or the mean of all others to the last decimal; or, where they are
    called so, of the lines above, up to the last such line."""
    at = draft.numeric()
    lines = np.flatnonzero(draft.rows).tolist()
    if not 4 <= len(lines) <= _MOST_LINES or len(at) < 2:
        return
    X = draft.values[np.ix_(lines, at)]
    steps = 10.0 ** -np.array([draft.decimals(j) for j in at], dtype=float)
    first = 0
    for k, i in enumerate(lines):
        if k > first + 1 and says_total(labels[i]):
            bits, what = _sum_bits(X[k], X[first:k], steps)
            if bits > SURE:
                draft.skip(i, f"the {what} of the lines above it", bits - SURE)
                first = k + 1
    for i in candidates:
        if not draft.rows[i]:
            continue
        others = np.delete(X, lines.index(i), axis=0)
        bits, what = _sum_bits(draft.values[i, at], others, steps)
        if bits > SURE:
            draft.skip(i, f"the {what} of the other lines", bits - SURE)


def _sum_bits(x: np.ndarray, others: np.ndarray, steps: np.ndarray) -> tuple[float, str]:
    """The bits by which a line is the sum or the mean of the others, and which: in each column the
    logarithm of its spread over its step."""
    given = ~np.isnan(x) & ((~np.isnan(others)).sum(axis=0) > 1)
    if given.sum() < 2:
        return 0.0, ""
    x, others, steps = x[given], others[:, given], steps[given]
    told = np.log2(np.maximum(np.nanstd(others, axis=0) * np.sqrt(2 * np.pi * np.e) / steps, 1.0))
    for what, value in (("sum", np.nansum(others, axis=0)), ("mean", np.nanmean(others, axis=0))):
        if (np.abs(value - x) <= 0.6 * steps + 1e-9 * np.abs(x)).all():
            return float(told.sum()) - _CHOICE, what
    return 0.0, ""


# Columns


def choose_roles(draft: Draft) -> None:
    """Decides the role of each column."""
    blocks_from = _second_block(draft)
    for j, column in enumerate(draft.columns):
        if j >= blocks_from:
            column.code = ""
            column.decide(KEEP, "belongs to another table beside it")
        elif not column.numeric or _are_truths(draft, j):
            column.decide(KEEP, column.why or ("empty" if draft.look(j) == "empty" else "texts"))
        elif why := _why_keep(draft, j):
            column.decide(KEEP, why)
            if why == _IDENTIFIERS and draft.gaps[j]:
                draft.note_role(j, f"{shown(column.name)} may be identifiers: its gaps stay", FILL)
        else:
            column.decide(FILL)
    _name_rows(draft)
    _keep_following(draft)
    _keep_totals(draft)
    if not draft.filled():  # constants, those with gaps first
        kept = [j for j in draft.numeric() if draft.columns[j].role == KEEP]
        for j in [j for j in kept if draft.gaps[j]] or kept or draft.numeric():
            draft.columns[j].decide(FILL)


def _second_block(draft: Draft) -> int:
    """Where a second table begins beside the first: behind a blank column, with names of its own;
    the first one is read. The number of columns where there is none."""
    numeric = draft.numeric()
    if not numeric:
        return draft.width
    written = (draft.cells.kinds != NO_VALUE).any(axis=0)
    for j in range(numeric[0] + 1, min(numeric[-1] - 1, draft.width - 2)):
        blank = not written[j] and draft.columns[j].name == f"column {j + 1}"
        if blank and not draft.columns[j + 1].numeric and draft.look(j + 1) == "text":
            sentence = f"Column {j + 1} is blank and another table follows: the first one is read"
            draft.note(j + 1, sentence)
            return j
    return draft.width


def _are_truths(draft: Draft, j: int) -> bool:
    """Whether a column has words such as yes and no, or classes such as 1st, 2nd and crew, and none
    with these words has a gap."""
    code = draft.columns[j].code
    two = code.startswith("words ") and code.count("<") == 1
    if not two and not (code == "places" and draft.columns[j].odd):
        return False
    alike = [k for k, column in enumerate(draft.columns) if column.code == code]
    return not draft.gaps[alike].any()


def _why_keep(draft: Draft, j: int) -> str:
    """Why a column of numbers is kept, or ''."""
    given = draft.numbers(j)
    if not len(given):
        return "empty"
    if given.min() == given.max():
        return f"always {given[0]:g}" if len(given) >= _FEWEST_CONSTANT else ""
    if draft.columns[j].code != PLAIN:
        return ""
    if draft.padded(j):
        return _LEADING_ZEROS
    if _are_days(given):
        return "dates"
    x = draft.values[draft.rows, j]
    if len(x) > 2 and x[0] in (0, 1) and (np.diff(x) == 1).all():
        return _ROW_NUMBERS
    return _IDENTIFIERS if draft.identifies(j) else ""


def _are_days(x: np.ndarray) -> bool:
    """Whether numbers are days written as 20260401."""
    if len(x) < 3 or x.min() < _FIRST_DAY or x.max() > _LAST_DAY or (x % 1).any():
        return False
    month = x // 100 % 100
    day = x % 100
    return bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())


def _name_rows(draft: Draft) -> None:
    """Chooses the column that names the rows: texts before the columns to fill, or numbers that
    are called so or stand apart; or else texts that are different in each row, names, or days."""
    first = next(iter(draft.filled()), draft.width)
    before = range(min(first + 1, draft.width))
    texts = [j for j in range(first, min(first + _NEAR, draft.width)) if draft.look(j) == "text"]
    candidates = [j for j in before if _names(draft, j, first)]
    own = [j for j in candidates[:3] if draft.look(j) == "text" and draft.each_once(j)]
    if own and candidates[0] == 0 and not names_rows(draft.columns[0].name):
        candidates = own
    candidates += [j for j in texts if draft.each_once(j)]
    candidates += [j for j in texts if names_rows(draft.columns[j].name)]
    candidates += [j for j in before if draft.look(j) == "date" and draft.each_once(j)]
    for j in candidates[:1]:
        draft.columns[j].decide(NAME, "names the rows")
        blank = draft.cells.kinds[:, j] == NO_VALUE
        if is_blank_down(np.where(blank, -1, draft.body.codes[:, j])[draft.rows]):
            draft.columns[j].code = DOWN
            note_down(draft, j)


def _names(draft: Draft, j: int, first: int) -> bool:
    """Whether a column, not behind the first one to fill, names the rows."""
    column = draft.columns[j]
    if draft.look(j) == "text":
        return len(np.unique(draft.body.codes[draft.rows, j])) > 1 or draft.rows.sum() == 1
    if column.why in (_ROW_NUMBERS, _LEADING_ZEROS, _IDENTIFIERS, "dates"):
        return j == 0 or j < first
    if j > 0 or not column.numeric or draft.width == 1 or not draft.header.line:
        return False
    x = draft.values[draft.rows, j]
    if np.isnan(x).any():
        return False
    steps = np.diff(x)
    counts = len(x) > 2 and (steps > 0).all() and (steps.max() == 1 or x.min() >= _FIRST_NUMBER)
    grows = column.code == PLAIN and bool(counts)
    whole = not (x % 1).any()
    return column.name == "column 1" or whole and (grows or names_rows(column.name))


def _keep_following(draft: Draft) -> None:
    """Keeps columns that follow exactly from others."""
    at = draft.filled()
    decimals = np.array([min(draft.decimals(j), 6) for j in at])
    for k, (why, bits) in follows(draft.values[draft.rows][:, at], decimals).items():
        j = at[k]
        column = draft.columns[j]
        column.decide(KEEP, why)
        column.margin = bits
        if draft.gaps[j] and bits < SURE:
            draft.note_role(j, f"{shown(column.name)} is {why}", FILL, bits)


def _keep_totals(draft: Draft) -> None:
    """Keeps columns that say that they are totals, amber, since their numbers do not show it."""
    at = draft.filled() if draft.header.line else []
    called = [j for j in at if says_total(draft.columns[j].name)]
    if 2 * len(called) > len(at) or len(at) - len(called) < 2:
        return
    for j in called:
        draft.columns[j].decide(KEEP, "says that it sums up others")
        if draft.gaps[j]:
            sentence = f"{shown(draft.columns[j].name)} says that it sums up others: its gaps stay"
            draft.note_role(j, sentence, FILL)

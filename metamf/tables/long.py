"""Long tables: which columns of a file with a line for each cell name its rows, its columns and its
values. Names of columns tell, or that each pair of two keys stands once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metamf.tables.draft import DOWN, SURE, Draft
from metamf.tables.limits import TableError
from metamf.tables.numerals import NO_VALUE
from metamf.tables.plan import (
    FILL,
    KEEP,
    LONG,
    NAME,
    WIDE,
    Choice,
    Column,
    Plan,
    Source,
    column_named,
)
from metamf.tables.scales import COLUMN_NAMES, ROW_NAMES, VALUE_NAMES, plain_name, words_of
from metamf.wording import counted, shown

_SURE = 30.0  # bits by which names of columns tell
_MOST_KEYS = 12  # columns of which pairs are looked at
_MOST_LINES = 20_000
_FEW_COLUMNS = 4  # of a file of which the rows are not called so
_LEVELS = 101  # different numbers of values next to keys that are numbers
_TIMESTAMP = 1e8  # numbers beside the values from here on are times or identifiers


@dataclass(frozen=True)
class _Key:
    """What one column may be in a long table: its codes with gaps as -1, how many are different,
    whether all lines have one, whether it is text, and whether blank names are those above."""

    codes: np.ndarray
    n_different: int
    complete: bool
    text: bool
    down: bool

    @property
    def repeats(self) -> bool:
        return 1 < self.n_different < len(self.codes)


Keys = tuple[int, int, int, float]  # columns of rows, columns and values, and the margin in bits


def choose_form(draft: Draft, said: str) -> None:
    """Decides whether the table is long, and the roles of its columns."""
    if said == WIDE:
        return
    text = said.removeprefix(LONG).strip()
    keys: dict[int, _Key] = {}
    margin = _SURE
    if text:
        draft.keys = _said_keys(draft, text)
    else:
        looks = [_look(draft, j) for j in range(draft.width)]
        keys = _keys(draft, looks)
        values = [j for j, look in enumerate(looks) if _has_values(draft, j, look)] if keys else []
        if found := _by_names(draft, keys, values) or _by_structure(draft, keys, values, looks):
            *draft_keys, margin = found
            draft.keys = tuple(draft_keys)
    if not draft.keys:
        if said:
            raise TableError(
                "rows, columns and values are not told apart: write form: long ROW,COLUMN,VALUE"
            )
        return
    *rows, column_key, value = draft.keys
    for j, column in enumerate(draft.columns):
        if j in (*rows, column_key):
            column.decide(NAME, "names the columns" if j == column_key else "names the rows")
            column.code = DOWN if j in keys and keys[j].down else ""
        elif j == value:
            column.decide(FILL, "the values of a long table")
        else:
            column.decide(KEEP, "not needed by a long table")
    wide = [Choice("a line for each row", f"form: {WIDE}")]
    if keys and (again := _again(keys[rows[0]], keys[column_key])):
        draft.note(None, f"{counted(again, 'line')} give a pair again: the mean counts", wide)
    for j in keys:
        if draft.columns[j].code == DOWN:
            note_down(draft, j)
    if margin < SURE:
        draft.note(None, "The file is read as a line for each cell", wide, margin)


def _said_keys(draft: Draft, text: str) -> tuple[int, ...]:
    """The keys that a person gave, as ROW+ROW,COLUMN,VALUE."""
    parts = text.split(",")
    if len(parts) != 3:
        raise TableError(f"a long table is written as form: long ROW,COLUMN,VALUE, not {text!r}")
    named = Plan(Source(), 0, WIDE, (), tuple(Column(c.name) for c in draft.columns))
    keys = tuple(column_named(part, named) for part in [*parts[0].split("+"), *parts[1:]])
    if len({*keys}) < len(keys):
        raise TableError(f"form: long {text}: a column cannot be two things")
    value = draft.columns[keys[-1]]
    if not value.numeric:
        raise TableError(f"the column {shown(value.name)} has no numbers")
    return keys


def filled_down(codes: np.ndarray) -> np.ndarray:
    """(L,) codes in which a blank, -1, is that of the line above."""
    at = np.maximum.accumulate(np.where(codes >= 0, np.arange(len(codes)), 0))
    return codes[at]


def is_blank_down(codes: np.ndarray) -> bool:
    """Whether names stand in the first line of each of their groups only."""
    given = codes >= 0
    groups = codes[given]
    if len(codes) < 4 or not given[0] or given.mean() > 0.6:
        return False
    return len(set(groups)) == len(groups)


def note_down(draft: Draft, j: int) -> None:
    """Makes names amber that stand in the first line of their group only."""
    draft.note(j, f"The blank cells of {shown(draft.columns[j].name)} have the name above them")


def _keys(draft: Draft, looks: list[str]) -> dict[int, _Key]:
    """What the columns may be in a long table."""
    keys: dict[int, _Key] = {}
    codes = _same_codes(draft)
    if draft.width < 3 or len(codes) < 3:
        return keys
    blank = draft.cells.kinds[draft.rows] == NO_VALUE
    for j, look in enumerate(looks):
        if look in ("date", "empty") or len(keys) == _MOST_KEYS and not _called(draft, j):
            continue
        column = np.where(blank[:, j], -1, codes[:, j])
        down = look == "text" and is_blank_down(column)
        if down:
            column = filled_down(column)
        n_different = len(np.unique(column[column >= 0][:_MOST_LINES]))
        is_text = look in ("text", "identifier")
        keys[j] = _Key(column, n_different, bool((column >= 0).all()), is_text, down)
    return keys


def _same_codes(draft: Draft) -> np.ndarray:
    """(L, C) codes of the cells, the same for texts that differ by spaces around them."""
    first: dict[str, int] = {}
    texts = map(str.strip, draft.cells.texts.texts)
    same = np.array([first.setdefault(text, i) for i, text in enumerate(texts)])
    return same[draft.body.codes[draft.rows]]


def _look(draft: Draft, j: int) -> str:
    return "identifier" if draft.identifies(j, once=False) else draft.look(j)


def _has_values(draft: Draft, j: int, look: str) -> bool:
    n = len(draft.numbers(j))
    return look in ("number", "constant") and (2 * n > draft.rows.sum() or n > 3)


def _called(draft: Draft, j: int) -> str:
    """Whether a column is called like the rows, the columns or the values of a long table."""
    name = draft.columns[j].name.partition(":")[0] if draft.header.line else ""
    plain = plain_name(name)
    words = words_of(name) or [""]
    for kind, known in (("row", ROW_NAMES), ("column", COLUMN_NAMES), ("value", VALUE_NAMES)):
        if plain in known or plain.removesuffix("id") in known and kind != "value":
            return kind
    return "value" if words[-1] in VALUE_NAMES and len(words) <= 3 else ""


def _by_names(draft: Draft, keys: dict[int, _Key], values: list[int]) -> Keys | None:
    """Keys of which one at least is called so, next to values that are called so or are alone."""
    called = [_called(draft, j) for j in range(draft.width)] if keys else []
    repeated = [j for j, key in keys.items() if key.repeats]
    rows = [j for j in repeated if called[j] == "row"]
    columns = [j for j in repeated if called[j] == "column"]
    if not (rows or columns):
        return None
    values = [j for j in values if j not in (*rows, *columns)]
    named = [j for j in values if called[j] == "value"]
    if not named and rows and columns and len(values) == 1:
        named = values
    if not named:
        return None
    value = named[0]
    for row in rows:
        for column in columns:
            alike = keys[row].text == keys[column].text
            if alike or not _again(keys[row], keys[column]):
                return row, column, value, _SURE
    known = (rows or columns)[0]
    if not rows and draft.width > _FEW_COLUMNS or not keys[known].complete:
        return None
    others = [
        j
        for j in repeated
        if j not in (known, value) and keys[j].complete and not _again(keys[j], keys[known])
    ]
    if not others:
        return None
    other = min(others, key=lambda j: (not keys[j].text, j))
    return (known, other, value, _SURE) if rows else (other, known, value, _SURE)


def _by_structure(
    draft: Draft, keys: dict[int, _Key], values: list[int], looks: list[str]
) -> Keys | None:
    """Two keys of which each pair stands once, next to one column of numbers."""
    if not keys:
        return None
    texts = [j for j, key in keys.items() if key.text and key.complete and key.repeats]
    numbers = [j for j in values if looks[j] == "number"]
    named = draft.header.line > 0
    if len(numbers) != 1 or len(texts) < 2:
        return None if named else _by_numbers(draft, keys)
    best = None
    for a, b in combinations(texts, 2):
        n = len(keys[a].codes)
        sizes = keys[a].n_different, keys[b].n_different
        cells = sizes[0] * sizes[1]
        dense = n <= cells <= 20 * n and max(sizes) * 1.5 <= n
        if dense and (best is None or cells < best[0]) and not _again(keys[a], keys[b]):
            best = cells, a, b, 8.0 + 1.44 * n * n / (2 * cells)
    if best is not None:
        return best[1], best[2], numbers[0], best[3]
    if not named and texts[:2] == [0, 1]:
        return 0, 1, numbers[0], 0.0  # an event on each line: pairs come again
    return None


def _by_numbers(draft: Draft, keys: dict[int, _Key]) -> Keys | None:
    """A row, a column, a value and perhaps a time, in this order and without names."""
    values = draft.values[draft.rows]
    if not 3 <= draft.width <= 4 or not {0, 1} <= keys.keys():
        return None
    if draft.width == 4 and not np.nanmin(values[:, 3], initial=np.inf) >= _TIMESTAMP:
        return None
    v = draft.numbers(2)
    pair = keys[0], keys[1]
    if not (len(v) and all(key.complete and key.repeats for key in pair)):
        return None
    for key, x in zip(pair, values.T):
        if not key.text and not (np.nanmin(x) >= 0 and np.nanmax(x) > v.max()):
            return None
        if not key.text and (x % 1).any():
            return None
    if len(np.unique(v)) > _LEVELS or _again(*pair):
        return None
    cells = pair[0].n_different * pair[1].n_different
    return 0, 1, 2, 8.0 + 1.44 * len(values) ** 2 / (2 * cells)


def _again(row: _Key, column: _Key) -> int:
    """How many lines give a pair that an earlier one has given."""
    given = (row.codes >= 0) & (column.codes >= 0)
    pairs = row.codes[given].astype(np.int64) * (int(column.codes.max(initial=0)) + 1)
    pairs += column.codes[given]
    return int(given.sum()) - len(np.unique(pairs))

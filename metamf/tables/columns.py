"""What most cells of a column look like: numbers, words, names, dates, addresses, free text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from metamf.tables.numbers import NO_VALUE, NUMBER, TEXT, Meanings, between, number_within
from metamf.tables.words import (
    KNOWN,
    MOST_WORDS,
    Style,
    decorated,
    is_place,
    order_of,
    places,
    plain_word,
    scale_of,
    style_on,
    times,
)

DATE = re.compile(
    r"\d{1,4}([-/.])\s?\d{1,2}\1\s?\d{1,4}(?:[ T,]+\d.{0,25})?"  # 2024-03-01 10:22:05, 1.3.2024, 3/1/24 10:22 AM
    r"|\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[ap]\.?m\.?)?",  # 10:22, 9:01 am
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[^@\s]++@[^@\s.]++(?:\.[^@\s.]++)++|https?://\S+|(?:\d{1,3}\.){3}\d{1,3}")
_LONGEST_NAME = 40  # characters, on average
SMALLEST_IDENTIFIER = 100_000  # postal codes have up to six digits, and no usual rating scale reaches so far
IDENTIFIERS = "long whole numbers"
FIRST_YEAR, LAST_YEAR = 1900, 2100
_LEAST_SPREAD = 0.05  # of the largest one of large numbers that measure something
_LEAST_DIFFERENT = 0.8  # share of the cells of a column of names


class Look(Enum):
    """Kinds of cells that a column holds; the value is its name in sentences."""

    EMPTY = "empty"
    NUMBERS = "numbers"
    DATES = "dates or times"
    ADDRESSES = "addresses"
    SCALE = "words of a scale"
    WORDS = "words that repeat"
    NAMES = "names"
    TEXT = "free text"


@dataclass(frozen=True)
class Column:
    """Look of one column: kind of most of its cells; form in which its ratings are written, None for plain numbers;
    number of cells of each text that is neither a plain number nor missing; number of cells that are not missing."""

    look: Look
    style: Style | None = None
    texts: dict[str, int] = field(default_factory=dict)
    written: int = 0


def plainly_no_rating(values: np.ndarray, gaps: bool | None = None) -> str:
    """Why the numbers of a column hold no ratings whatever the others hold; '' if they may. Large whole numbers are
    measured where there are ``gaps``, or they repeat, or span a factor of a hundred; None: they are identifiers."""
    values = values[~np.isnan(values)]
    if not len(values) or values.min() == values.max():
        return f"always {values[0]:g}" if len(values) else "empty"
    if (values % 1).any():
        return ""
    if values.min() >= SMALLEST_IDENTIFIER:
        measured = (
            gaps or gaps is False and (values.max() >= 100 * values.min() or len(np.unique(values)) < len(values))
        )
        return "" if measured and np.ptp(values) > _LEAST_SPREAD * values.max() else IDENTIFIERS
    return "years" if values.min() >= FIRST_YEAR and values.max() <= LAST_YEAR else ""


def look_at(body: np.ndarray, m: Meanings, orders: Sequence[Sequence[str]] = ()) -> list[Column]:
    """The look of each column of ``body`` (L, C), codes of the cells below the header; columns whose words are on one
    known scale, or on one of ``orders`` that the caller gave, each lowest first, share its values."""
    kinds = m.kinds[body]
    has_text, written = (kinds == TEXT).any(axis=0), (kinds != NO_VALUE).sum(axis=0)
    found = [
        _look_at(body[:, j], int(written[j]), m)
        if has_text[j]
        else Column(Look.NUMBERS if written[j] else Look.EMPTY, written=int(written[j]))
        for j in range(body.shape[1])
    ]
    said = [order_of(words) for words in orders]
    words = [j for j, column in enumerate(found) if column.look in (Look.WORDS, Look.NAMES, Look.TEXT)]
    for j in np.flatnonzero(has_text).tolist() if said else ():
        texts = {plain_word(m.texts[code]) for code in np.unique(body[:, j]) if m.kinds[code] != NO_VALUE}
        plain = found[j].look is Look.NUMBERS and found[j].style is None
        if plain and any(texts <= scale.keys() for scale in said):
            words.append(j)  # an order of words and numbers, such as 2-, 2, 2+
    in_place = [j for j, column in enumerate(found) if any(map(is_place, column.texts))]
    if style := places({text for j in in_place for text in found[j].texts}):
        words = [j for j in words if j not in in_place]
        for j in in_place:
            found[j] = replace(found[j], look=Look.NUMBERS, style=style)
    scales = {j: scale_of(found[j].texts, said) for j in words}
    for scale in (*said, *KNOWN):
        if any(of is scale for of in scales.values()):
            mine = [j for j in scales if scales[j] is scale or all(plain_word(t) in scale for t in found[j].texts)]
            told = {
                text for words, of in zip(orders, said) if of is scale for word in words for text in word.split("=")
            }
            style = style_on(scale, {text for j in mine for text in found[j].texts} | told)
            for j in mine:
                found[j] = replace(found[j], look=Look.SCALE, style=style)
                del scales[j]
    return found


def _look_at(column: np.ndarray, written: int, m: Meanings) -> Column:
    """The look of a column that holds a text at least."""
    codes, counts = np.unique(column, return_counts=True)
    kinds = m.kinds[codes]
    here: Counter[str] = Counter()
    for code, n in zip(codes[kinds == TEXT], counts[kinds == TEXT].tolist()):
        here[m.texts[code].strip()] += n
    n_texts, numbers = here.total(), int(counts[kinds == NUMBER].sum())
    style = decorated(here, numbers, m.form)
    plain = {m.texts[code].strip(): m.values[code] for code in codes[kinds == NUMBER]}
    if style and "%" in style.template and plain and max(plain.values()) <= 1 < style.values[0][1]:
        style = replace(style, values=(*((text, 100 * value) for text, value in plain.items()), *style.values))
    rough = (
        4 * numbers >= written and not np.isnan([number_within(text, m.form) for text in here]).any()
    )  # ~4 next to 4
    if style or rough or 2 * n_texts <= written:
        return Column(Look.NUMBERS, style, here, written)
    for look, pattern in ((Look.DATES, DATE), (Look.ADDRESSES, _ADDRESS)):
        if 2 * sum(n for text, n in here.items() if pattern.fullmatch(text)) > written:
            return Column(look, times(here) if look is Look.DATES else None, here, written)
    if len(here) <= MOST_WORDS and written >= 2 * len(here):
        return Column(Look.WORDS, None, here, written)
    length = sum(len(text) * n for text, n in here.items()) / n_texts
    if len(here) >= _LEAST_DIFFERENT * n_texts and length <= _LONGEST_NAME:
        return Column(Look.NAMES, None, here, written)
    return Column(Look.TEXT, None, here, written)


def values_of(column: np.ndarray, style: Style | None, m: Meanings) -> np.ndarray:
    """(L,) the numbers of the cells of one column, those behind its words or decorations, too; NaN elsewhere."""
    values = between(m.values[column], m.marked[column])
    if style is None:
        return values
    behind = dict(style.values)
    codes, inverse = np.unique(column, return_inverse=True)
    return np.array([behind.get(m.texts[code].strip(), m.values[code]) for code in codes], dtype=np.float64)[inverse]


def matrix_of(body: np.ndarray, columns: Sequence[int], looks: Sequence[Column], m: Meanings) -> np.ndarray:
    """(L, C) the numbers of some columns of ``body``, NaN in gaps."""
    return np.array([values_of(body[:, j], looks[j].style, m) for j in columns]).T

"""Looks of the columns, told from their cells: numbers, words, names, dates, addresses, free text.

Only the cells are looked at, never the name of the column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from metamf.tables.reading.numerals import NO_VALUE, TEXT, Meanings, NumberFormat
from metamf.tables.reading.words import MOST_WORDS, Style, decorated, known_scales, ordered_scale

DATE = re.compile(
    r"\d{1,4}([-/.])\s?\d{1,2}\1\s?\d{1,4}(?:[ T,]+\d.{0,25})?"  # 2024-03-01 10:22:05, 1.3.2024, 3/1/24 10:22 AM
    r"|\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[ap]\.?m\.?)?",  # 10:22, 9:01 am
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[^@\s]++@[^@\s.]++(?:\.[^@\s.]++)++|https?://\S+")  # read once, however long the text is
_LONGEST_NAME, _MOST_WORDS_OF_NAME = 40, 5  # characters and words, on average
_LEAST_DIFFERENT = 0.8  # share of the cells of a column of names


class Look(Enum):
    """Kinds of cells that a column holds; the value says it in a sentence."""

    EMPTY = "nothing"
    NUMBERS = "numbers"
    DATES = "dates or times"
    ADDRESSES = "addresses"
    SCALE = "words of a scale"
    WORDS = "words that repeat"
    NAMES = "names"
    TEXT = "free text"


@dataclass(frozen=True)
class ColumnLook:
    """Look of one column.

    Attributes
    ----------
    look : kind of its cells
    style : form in which its ratings are written, if they are words or decorated numbers; None for plain numbers
    texts : its different texts that are not plain numbers, as they stand, up to ``MOST_WORDS`` of them
    written : share of its cells that are not missing
    """

    look: Look
    style: Style | None = None
    texts: tuple[str, ...] = ()
    written: float = 1.0


def looks_of(
    body: np.ndarray,
    kinds: np.ndarray,
    texts: list[str],
    m: Meanings,
    form: NumberFormat,
    orders: Sequence[Sequence[str]] = (),
) -> list[ColumnLook]:
    """The look of each column.

    Parameters
    ----------
    body : (L, C) codes of the cells below the header
    kinds : (L, C) kind of each of them
    texts : the different texts of the table
    m : meanings of the texts
    form : decimal and thousands sign of the table
    orders : scales of words that the caller has put in order, each lowest first
    """
    has_text = (kinds == TEXT).any(axis=0)
    written = (kinds != NO_VALUE).any(axis=0)
    found = []
    for j in range(body.shape[1]):
        if has_text[j]:
            found.append(_look_at(body[:, j], texts, m, form, orders))
        else:
            found.append(ColumnLook(Look.NUMBERS if written[j] else Look.EMPTY))
    words = [at for at, column in enumerate(found) if column.look in (Look.WORDS, Look.NAMES, Look.TEXT)]
    for at, style in zip(words, known_scales([found[at].texts for at in words])):
        if style is not None:
            found[at] = replace(found[at], look=Look.SCALE, style=style)
    return found


def _look_at(
    column: np.ndarray, texts: list[str], m: Meanings, form: NumberFormat, orders: Sequence[Sequence[str]]
) -> ColumnLook:
    """The look of a column that holds a text at least."""
    codes, counts = np.unique(column, return_counts=True)
    kinds = m.kinds[codes]
    is_text, written = kinds == TEXT, int(counts[kinds != NO_VALUE].sum())
    here, often = [texts[code].strip() for code in codes[is_text]], counts[is_text]
    n_texts, share = int(often.sum()), written / len(column)
    few = tuple(sorted(set(here))) if len(set(here)) <= MOST_WORDS else ()

    def as_(look: Look, style: Style | None = None) -> ColumnLook:
        return ColumnLook(look, style, few, share)

    if len({plain.casefold() for plain in here}) <= MOST_WORDS:
        for order in orders:
            if style := ordered_scale(here, order):
                return as_(Look.SCALE, style)
    style = decorated(here, form) if 2 * n_texts > written else None
    if style and (style.template or written >= 2 * len(here) or len(here) <= 5):
        return as_(Look.NUMBERS, style)
    if 2 * n_texts <= written:
        return as_(Look.NUMBERS)
    dates = sum(n for text, n in zip(here, often) if DATE.fullmatch(text))
    if 2 * dates > written:
        return as_(Look.DATES)
    if 2 * sum(n for text, n in zip(here, often) if _ADDRESS.fullmatch(text)) > written:
        return as_(Look.ADDRESSES)
    if len(here) <= MOST_WORDS and written >= 2 * len(here):
        return as_(Look.WORDS)
    length = sum(len(text) * n for text, n in zip(here, often)) / n_texts
    words = sum(len(text.split()) * n for text, n in zip(here, often)) / n_texts
    if len(here) >= _LEAST_DIFFERENT * n_texts and length <= _LONGEST_NAME and words <= _MOST_WORDS_OF_NAME:
        return as_(Look.NAMES)
    return as_(Look.TEXT)

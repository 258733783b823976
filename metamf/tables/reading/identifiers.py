"""Identifiers: numbers that name something, such as ZIP codes, article numbers and compact dates, and are not ratings.

A text of digits with a leading zero (03075) is never written for a rating, unless the whole table is written like that
(05, 10). Numbers of many digits (9780141439518, 20240131) are identifiers if all in their column differ and stand
above everything beside them.
"""

from __future__ import annotations

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.tables.reading.notes import Note, label_of
from metamf.tables.reading.numerals import NUMBER, Meanings
from metamf.wording import counted, first_few, shown

MANY_DIGITS = 6  # postal codes have up to six, and no usual rating scale reaches 100,000
SMALLEST_IDENTIFIER = 10 ** (MANY_DIGITS - 1)  # number of that many digits
_HIGHEST_PADDED = 100  # up to there a rating may well be written with leading zeros (05, 085)


def identify(line: np.ndarray, beside: np.ndarray, texts: list[str], m: Meanings) -> bool:
    """Whether the numbers in one column or line of a table are identifiers.

    Parameters
    ----------
    line : (n,) codes of the cells in question
    beside : (L, C) codes of the ratings beside or below them
    texts : the different texts of the table
    m : meanings of the texts
    """
    numbers = line[m.kinds[line] == NUMBER]
    if not len(numbers) or not all(texts[code].strip().isdecimal() for code in np.unique(numbers)):
        return False
    if m.padded[numbers].any():
        return m.padded[beside].any(axis=0).mean() <= 0.5  # otherwise the ratings are written with leading zeros, too
    values, others = m.values[numbers], m.values[beside]
    if values.min() < SMALLEST_IDENTIFIER or len(np.unique(values)) < len(values):
        return False
    return not np.isfinite(others).any() or bool(values.min() > np.nanmax(others))


def notes_on_names(codes: np.ndarray, texts: list[str], m: Meanings) -> list[Note]:
    """Notes on row names that are numbers with leading zeros, or of many digits."""
    numbers = codes[m.kinds[codes] == NUMBER]
    padded = numbers[m.padded[numbers]]
    if len(padded):
        are = "is" if len(padded) == 1 else "are"
        what = f"{counted(len(padded), 'number')} of the first column, such as {shown(texts[padded[0]].strip())}, "
        return [Note("identifiers", what + f"{are} written with leading zeros: the column holds names, not ratings")]
    if len(numbers) and m.values[numbers].min() >= SMALLEST_IDENTIFIER:
        what = f"numbers such as {shown(texts[numbers[0]].strip())} in the first column have {MANY_DIGITS} digits"
        return [Note("identifiers", what + " or more: they are names, not ratings")]
    return []


def notes_on_ratings(ratings: Ratings, codes: np.ndarray, texts: list[str], m: Meanings) -> list[Note]:
    """Notes on columns that were read as ratings although their numbers look like identifiers.

    ``codes`` : (nnz,) code of each observed entry, -1 for a mean of several
    """
    suspects = (codes >= 0) & m.padded[codes]
    columns = np.unique(ratings.cols[suspects])
    if len(columns) > 0.5 * ratings.n_cols > 0.5:
        suspects[:] = False
    suspects |= _highest_numbers(ratings)
    if not suspects.any():
        return []
    first, columns = int(np.flatnonzero(suspects)[0]), np.unique(ratings.cols[suspects])
    example = shown(texts[codes[first]].strip()) if codes[first] >= 0 else f"{ratings.values[first]:g}"
    where = first_few([label_of(ratings.col_labels, j, "column") for j in columns])
    message = (
        f"{counted(len(columns), 'column')} may hold identifiers such as {example} and not ratings; kept: "
        f"take {'it' if len(columns) == 1 else 'them'} out of the file if so"
    )
    return [Note("identifiers", message, where)]


def notes_on_values(codes: np.ndarray, column: str, texts: list[str], m: Meanings) -> list[Note]:
    """Notes on a long table's value column, called ``column``, if its cells ``codes`` look like identifiers."""
    padded = codes[m.padded[codes]]
    if not len(padded) or np.nanmax(m.values[codes]) <= _HIGHEST_PADDED:
        return []
    message = f"the values may be identifiers such as {shown(texts[padded[0]].strip())} and not ratings"
    return [Note("identifiers", f"{message}; kept: choose another value column if so", f"column {shown(column)}")]


def _highest_numbers(ratings: Ratings) -> np.ndarray:
    """(nnz,) the entries of the column with the highest number, if all are different whole numbers of many digits and
    stand above all other columns; otherwise none."""
    values = ratings.values
    mine = ratings.cols == ratings.cols[np.argmax(values)]
    own, others = values[mine], values[~mine]
    numbered = (
        len(own) > 1
        and len(others)
        and own.min() >= max(SMALLEST_IDENTIFIER, np.nextafter(others.max(), np.inf))
        and not (own % 1).any()
        and len(np.unique(own)) == len(own)
    )
    return mine if numbered else np.zeros(len(values), dtype=bool)

"""Refusal of a cell that is not a rating, and what to do about it."""

from __future__ import annotations

import re

import numpy as np

from metamf.tables.limits import TableError
from metamf.tables.reading.cells import RatingCells
from metamf.tables.reading.layout import TableLayout
from metamf.tables.reading.notes import label_of
from metamf.tables.reading.numerals import NO_VALUE, TEXT, Meanings, NumberFormat
from metamf.tables.reading.vocabulary import TRUTHS
from metamf.wording import shown

_MOST_MARKERS = 4  # texts that are offered as marks for "missing"
_DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[ T]\d.{0,20})?")
_DECORATED = re.compile(r"[^\d\s.,+-]{0,3}\s*[+-]?\d[\d.,]*\s*(?:%|\D{1,3}|/\s*\d+|(?:out )?of \d+|[-:(].*)?", re.I)


def refuse_text(cells: RatingCells, m: Meanings, texts: list[str], layout: TableLayout, form: NumberFormat) -> None:
    """Raises TableError if rating cells hold texts that are neither numbers nor marked as missing.

    The error has the address of the first such cell. If they hold a few texts without a digit, the error offers these
    as marks for "missing" (``TableError.markers``).
    """
    codes = cells.codes
    wrong = np.flatnonzero(m.kinds[codes] == TEXT)
    if not len(wrong):
        return
    i = wrong[0]
    text = texts[codes[i]]
    if layout.long_names is None:
        column = label_of(None, cells.cols[i], "column")
        if cells.col_labels is not None and cells.col_labels[cells.cols[i]]:
            column = f"column {shown(cells.col_labels[cells.cols[i]])}"
        address = f"{label_of(cells.row_labels, cells.rows[i], 'row')}, {column} (line {cells.lines[i]:,})"
    else:
        address = f"line {cells.lines[i]:,}, column {shown(layout.long_names[2])}"
    if layout.form == "wide" and _holds_dates(texts, codes[cells.cols == cells.cols[i]], m):
        raise TableError(f"{address}: {shown(text)} is a date, not a rating; the column holds dates: leave it alone")
    more = f" (and {len(wrong) - 1:,} more)" if len(wrong) > 1 else ""
    sign = "comma" if form.decimal == "," else "point"
    different = {texts[code].strip() for code in np.unique(codes[wrong])}
    error = TableError(f"{address}: {shown(text)} is not a number with a decimal {sign}{more}; {_advice(text.strip())}")
    if len(different) <= _MOST_MARKERS and not any(c.isdigit() for word in different for c in word):
        error.markers = tuple(sorted(different))
    raise error


def _holds_dates(texts: list[str], column: np.ndarray, m: Meanings) -> bool:
    """Whether most cells of a column that are not missing are dates."""
    written = column[m.kinds[column] != NO_VALUE]
    dates = [_DATE.fullmatch(texts[code].strip()) is not None for code in written]
    return sum(dates) > 0.5 * len(dates)


def _advice(text: str) -> str:
    if _DATE.fullmatch(text):
        return "it looks like a date, which spreadsheets make of entries such as 1/2: write the rating itself"
    if text.casefold() in TRUTHS:
        return "write 1 for yes and 0 for no"
    if text and not text.strip("\u2605\u2606\u2b50\ufe0f*"):
        return "write how many stars there are, as a number"
    if len(text) <= 40 and _DECORATED.fullmatch(text):
        return "leave the number alone in its cell"
    return f"correct the cell, or name {shown(text)} as a missing marker if it stands for a missing rating"

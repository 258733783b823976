"""Texts -> numbers: which decimal and thousands sign a table uses, and what each of its different texts means."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from metamf.tables.options import ReadOptions

NUMBER, NO_VALUE, TEXT = range(3)
MISSING_TOKENS = {*("", "na", "n/a", "#n/a", "<na>", "nan", "null", "none"), *("-", "--", "?", ".", "\\n", "–", "—")}
FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}
_INFINITE = frozenset(sign + name for sign in ("", "+", "-", "\u2212") for name in ("inf", "infinity", "\u221e"))
_NUMBER_LIKE = re.compile(r"\s*[+\-\u2212]?[.,]?[0-9]+(?:[.,'\u2019][0-9]+)*\.?(?:[eE][+-]?[0-9]+)?\s*")
_GROUPS = {"": None, ",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['\u2019]"}
_INSIDE = re.compile("[.,]?[0-9](?:[0-9.,'\u2019 \u00a0\u2009\u202f]*[0-9])?")  # the first number in a text
_MARKER = re.compile("[6-9]{2,}")
_LONGEST = 100  # characters; a longer text is not a number
_SAMPLE = 50_000  # different texts that vote for a number format


def is_missing(cell: str) -> bool:
    """Whether the cell holds one of the usual marks for a missing value."""
    return cell.strip().casefold() in MISSING_TOKENS


def is_number_like(cell: str) -> bool:
    """Whether the cell is a number in some format; which one is decided later, from all cells."""
    return _NUMBER_LIKE.fullmatch(cell) is not None


@dataclass(frozen=True)
class NumberFormat:
    """A decimal sign and a thousands sign ('' if there is none; ' ' stands for every kind of space)."""

    decimal: str = "."
    thousands: str = ""

    @cached_property
    def pattern(self) -> re.Pattern:
        """Matches a whole cell with a number: sign, digits (perhaps in groups), fraction, exponent, space around."""
        point, group = re.escape(self.decimal), _GROUPS[self.thousands]
        whole = "[0-9]+" if group is None else f"(?:[0-9]{{1,3}}(?:{group}[0-9]{{3}})+|[0-9]+)"
        number = f"(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
        return re.compile(rf"\s*[+\-\u2212]?{number}\s*")

    def value(self, text: str) -> float:
        """The number in a cell that ``pattern`` matches."""
        if group := _GROUPS[self.thousands]:
            text = re.sub(group, "", text.strip())
        return float(text.replace(self.decimal, ".").replace("\u2212", "-"))

    def text(self, value: float) -> str:
        """An estimate with six significant digits, as a cell of this format."""
        grouped = self.thousands and 1000 <= abs(value) < 1e6
        text = f"{value + 0.0:,.6g}" if grouped else f"{value + 0.0:.6g}"
        if self.decimal == "." and not grouped:
            return text
        return text.translate({ord(","): self.thousands, ord("."): self.decimal})


_FORMATS = [NumberFormat(d, t) for t in ("", ",", ".", " ", "'") for d in (".", ",") if d != t]


@dataclass(frozen=True, eq=False)
class Meanings:
    """The (V,) different texts of a table, its number format, and what each text means in it: NUMBER, NO_VALUE or TEXT;
    the number, or NaN; whether it has leading zeros, such as 03075. ``ambiguous``: another format reads it as well."""

    texts: list[str]
    form: NumberFormat
    kinds: np.ndarray
    values: np.ndarray
    padded: np.ndarray
    ambiguous: bool = False


def understand(
    codes: np.ndarray, texts: list[str], delimiter: str, options: ReadOptions, known: Meanings | None = None
) -> Meanings:
    """The number format of the cells ``codes`` (n,), and what each of the ``texts`` means in it, which is reused from
    ``known``, an earlier result for the same texts, if the format is the same."""
    counts = np.bincount(codes, minlength=len(texts))
    form, ambiguous = guess_format(texts, counts, delimiter, options.decimal, options.thousands)
    if known is None or known.form != form:
        markers = (*options.missing_markers, 0.0) if options.zero_is_missing else options.missing_markers
        known = read_texts(texts, form, markers)
    return replace(known, ambiguous=ambiguous)


def guess_format(
    texts: list[str], counts: np.ndarray, delimiter: str, decimal: str | None, thousands: str | None
) -> tuple[NumberFormat, bool]:
    """The format that reads the numbers in most cells, and whether another one reads them as well.

    "1,234" alone may be 1.234 or 1234: behind a semicolon, the delimiter of countries with a decimal comma, the comma
    is taken as decimal sign, otherwise as thousands sign. "1.234" alone is always read as 1.234. In a file separated by
    commas a decimal comma is believed only if most of its numbers have one: a few quoted "2,3" may be two answers.
    """
    formats = [f for f in _FORMATS if decimal in (None, f.decimal) and thousands in (None, f.thousands)]
    used = np.flatnonzero(counts)
    sample = used[:: len(used) // _SAMPLE + 1]
    numbers = [(found[0], int(counts[i])) for i in sample if (found := _INSIDE.search(texts[i][:_LONGEST]))]
    signed = [(number, n) for number, n in numbers if not number.isdecimal()]
    votes = {f: sum(n for number, n in signed if f.pattern.fullmatch(number)) for f in formats}
    best = max(votes.values())
    winners = [f for f in formats if votes[f] == best]  # in order of preference: no thousands sign, decimal point
    comma, thousand = NumberFormat(",", ""), NumberFormat(".", ",")
    if best and comma in winners and thousand in winners and NumberFormat() not in winners:
        return (comma if delimiter == ";" else thousand), True
    whole = sum(n for number, n in numbers if number.isdecimal())
    if winners[0].decimal == "," == delimiter and decimal is None and best < whole:
        return NumberFormat(), False
    return winners[0], False


def read_texts(texts: list[str], form: NumberFormat, markers: tuple[str | float, ...] = ()) -> Meanings:
    """Meanings of the texts in a table of that format; ``markers``: further texts and numbers that mean "missing"."""
    match, missing = form.pattern.fullmatch, MISSING_TOKENS | _INFINITE | {str(m).strip().casefold() for m in markers}
    kinds, values = np.full(len(texts), TEXT, dtype=np.uint8), np.full(len(texts), np.nan)
    padded = np.zeros(len(texts), dtype=bool)
    for i, text in enumerate(map(str.strip, texts)):
        if text.casefold() in missing:
            kinds[i] = NO_VALUE
        elif len(text) > _LONGEST:
            continue
        elif match(text):
            values[i], padded[i] = form.value(text), text[:1] == "0" and len(text) > 1 and text.isdecimal()
        elif text[-1] in FRACTIONS and (text[:-1] == "" or text[:-1].isdecimal()):
            values[i] = float(text[:-1] or 0) + FRACTIONS[text[-1]]
    kinds[~np.isnan(values)] = NUMBER
    named = [form.value(m) if isinstance(m, str) else float(m) for m in markers if not isinstance(m, str) or match(m)]
    kinds[np.isinf(values) | np.isin(values, named)] = NO_VALUE
    values[kinds == NO_VALUE] = np.nan
    return Meanings(texts, form, kinds, values, padded & (kinds == NUMBER))


def suspected_markers(values: np.ndarray) -> list[float]:
    """Numbers of one column, or of columns on one scale, that may mean "missing": 99, -9, 888 and their like. They are
    among the three lowest or highest, negative or written with 6, 7, 8 and 9 alone, stand in two cells at least, and
    are farther from the rest (three different values at least) than twice its range."""
    if not len(values) or (values.min() >= 0 and values.max() < 66):
        return []
    distinct, counts = np.unique(values, return_counts=True)
    ends = [v for v in {*distinct[:3].tolist(), *distinct[-3:].tolist()} if v < 0 or _MARKER.fullmatch(f"{v:g}")]
    rest = distinct[~np.isin(distinct, ends)]
    if len(rest) < 3:
        return []
    far = 2 * (rest[-1] - rest[0])
    suspects = [value for value in ends if value < rest[0] - far or value > rest[-1] + far]
    return sorted(suspects) if counts[np.isin(distinct, suspects)].sum() >= max(2, 0.01 * values.size) else []

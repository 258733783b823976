"""Texts -> numbers: which decimal and thousands sign a table uses, and what each of its different texts means."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan

import numpy as np

from metamf.tables.options import ReadOptions

NUMBER, NO_VALUE, TEXT = range(3)
MISSING_TOKENS = {*("", "na", "n/a", "#n/a", "<na>", "nan", "null", "none"), *("-", "--", "?", ".", "\\n", "–", "—")}
FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}
_INFINITE = frozenset(sign + name for sign in ("", "+", "-", "\u2212") for name in ("inf", "infinity", "\u221e"))
_NUMBER_LIKE = re.compile(
    r"\s*[+\-\u2212]?[.,]?[0-9]+(?:[.,'\u2019][0-9]+|[ \u00a0\u2009\u202f][0-9]{3})*\.?(?:[eE][+-]?[0-9]+)?\s*"
)
_GROUPS = {"": None, ",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['\u2019]"}
A_NUMBER = r"[+\-\u2212]?(?:\d|(?<![^\W\d])[.,]\d)[\d.,]*(?:['\u2019\u00a0\u202f]\d{3}[\d.,]*)*"  # whatever the format
_INSIDE = re.compile("[.,]?[0-9](?:[0-9.,'\u2019 \u00a0\u2009\u202f]*[0-9])?")  # the first number in a text
_UNSEEN = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")  # marks of the writing direction
_ARABIC = str.maketrans("\u066b\u066c", ".,")  # decimal and thousands sign
_DEBT = re.compile(r"\((?P<in>.*\d.*)\)|(?P<before>[^+\-\u2212]*\d)\s*[-\u2212]")  # (3.2) or 3.2- of accountants
_MOST_CODES = 20  # in parentheses, such as (2), which are no amounts
_FAR = 50  # times another number, which is not plausible next to it
_LARGEST = 1e16  # below which every digit before the point is known
_MOST_DECIMALS = 12  # of numbers with an exponent
_EXPONENT = re.compile(r"[0-9][eE][+-]?[0-9]")
_LONGEST = 100  # characters; a longer text is not a number
_SAMPLE = 50_000  # different texts that vote for a number format


def plain_text(text: str) -> str:
    """The text without marks of the writing direction, its digits as 0 to 9, whatever their script."""
    if text.isascii():
        return text
    text = _UNSEEN.sub("", text).translate(_ARABIC)
    return re.sub(r"\d", lambda digit: str(unicodedata.decimal(digit[0])), text)


def is_missing(cell: str) -> bool:
    """Whether the cell holds one of the usual marks for a missing value."""
    return cell.strip().casefold() in MISSING_TOKENS


def is_number_like(cell: str) -> bool:
    """Whether the cell is a number in some format; which one is decided later, from all cells."""
    return _NUMBER_LIKE.fullmatch(plain_text(cell)) is not None


@dataclass(frozen=True)
class NumberFormat:
    """A decimal sign, or two of which the first is written, and a thousands sign ('' if there is none; ' ' stands for
    every kind of space)."""

    decimal: str = "."
    thousands: str = ""

    @cached_property
    def pattern(self) -> re.Pattern:
        """Matches a whole cell with a number: sign, digits (perhaps in groups), fraction, exponent, space around."""
        point, group = f"[{self.decimal}]", _GROUPS[self.thousands]
        groups = f"[1-9][0-9]{{0,2}}(?:{group}[0-9]{{2,3}})*{group}[0-9]{{3}}"  # also 1,90,958
        whole = "[0-9]+" if group is None else f"(?:{groups}|[0-9]+)"
        number = f"(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
        return re.compile(rf"\s*[+\-\u2212]?{number}\s*")

    def value(self, text: str) -> float:
        """The number in a cell that ``pattern`` matches."""
        if group := _GROUPS[self.thousands]:
            text = re.sub(group, "", text.strip())
        return float(re.sub(f"[{self.decimal}]", ".", text).replace("\u2212", "-"))

    def text(self, value: float, decimals: int | None = 0) -> str:
        """An estimate with six significant digits, as a cell of this format; beyond these with all digits and this many
        ``decimals``. None: where six are too few it has an exponent, as numbers beyond ``_LARGEST`` always have."""
        text = f"{value + 0.0:.6g}"
        if "e" in text and decimals is not None and abs(value) < _LARGEST:
            small = np.format_float_positional(value, 6, fractional=False, trim="-")
            text = f"{value:.{decimals}f}" if abs(value) > 1 else small
        if self.thousands and abs(value) >= 1000 and "e" not in text:
            whole, point, rest = text.partition(".")
            text = f"{int(whole):,}{point}{rest}"
        return text.translate({ord(","): self.thousands, ord("."): self.decimal[:1]})

    def decimals(self, texts: Iterable[str]) -> int | None:
        """The most decimals with which numbers are written; None where one has an exponent."""
        numbers = [*texts]
        if any(map(_EXPONENT.search, numbers)):
            return None
        fractions = re.findall(f"[{self.decimal}]([0-9]+)", "\n".join(numbers))
        return max(map(len, fractions), default=0)


_FORMATS = [NumberFormat(d, t) for t in ("", ",", ".", " ", "'") for d in (".", ",") if d != t]


@dataclass(frozen=True, eq=False)
class Meanings:
    """The (V,) different texts of a table, its number format, and what each text means in it: NUMBER, NO_VALUE or TEXT;
    the number, or NaN; the number that somebody called a marker for missing, or NaN; whether it has leading zeros, such
    as 03075. ``ambiguous``: another format reads it as well."""

    texts: list[str]
    form: NumberFormat
    kinds: np.ndarray
    values: np.ndarray
    marked: np.ndarray
    padded: np.ndarray
    ambiguous: bool = False

    def decimals(self, codes: np.ndarray) -> int:
        """The most decimals with which the numbers of some cells are written, ``_MOST_DECIMALS`` with an exponent."""
        found = self.form.decimals(self.texts[code] for code in np.unique(codes) if self.kinds[code] == NUMBER)
        return _MOST_DECIMALS if found is None else found


def understand(
    codes: np.ndarray,
    texts: list[str],
    delimiter: str,
    options: ReadOptions,
    known: Meanings | None = None,
    absent: Sequence[int] = (),
    form: NumberFormat | None = None,
) -> Meanings:
    """The number format of the cells ``codes`` (n,), where it is not said by ``form``, and what each of the ``texts``
    means in it, which is reused from ``known``, an earlier result for the same texts, if the format is the same; those
    at ``absent`` are no value."""
    ambiguous = False
    if form is None:
        counts = np.bincount(codes, minlength=len(texts))
        form, ambiguous = guess_format(texts, counts, delimiter, options.decimal, options.thousands)
    if known is None or known.form != form:
        markers = (*options.missing_markers, 0.0) if options.zero_is_missing else options.missing_markers
        known = read_texts(texts, form, markers, options.number_in, codes)
        known.kinds[[*absent]] = NO_VALUE
        known.values[[*absent]] = np.nan
    return replace(known, ambiguous=ambiguous)


def guess_format(
    texts: list[str], counts: np.ndarray, delimiter: str, decimal: str | None, thousands: str | None
) -> tuple[NumberFormat, bool]:
    """The format that reads the numbers in most cells, and whether another one reads them as well.

    "1,234" alone may be 1.234 or 1234: behind a semicolon, the delimiter of countries with a decimal comma, the comma
    is taken as decimal sign, otherwise as thousands sign. "1.234" alone is always read as 1.234. In a file separated by
    commas a decimal comma is believed only if most of its numbers have one: a few quoted "2,3" may be two answers.
    """
    if decimal is not None and len(decimal) > 1:
        return NumberFormat(decimal), False
    formats = [f for f in _FORMATS if decimal in (None, f.decimal) and thousands in (None, f.thousands)]
    used = np.flatnonzero(counts)
    sample = used[:: len(used) // _SAMPLE + 1]
    numbers = [(found[0], int(counts[i])) for i in sample if (found := _INSIDE.search(plain_text(texts[i][:_LONGEST])))]
    signed = [(number, n) for number, n in numbers if not number.isdecimal()]
    votes = {f: sum(n for number, n in signed if f.pattern.fullmatch(number)) for f in formats}
    best = max(votes.values())
    winners = [f for f in formats if votes[f] == best]  # in order of preference: no thousands sign, decimal point
    whole = sum(n for number, n in numbers if number.isdecimal())
    if best and whole and (grouped := [f for f in winners if f.thousands and f.decimal != winners[0].decimal]):
        read = [winners[0].value(number) for number, _ in signed if winners[0].pattern.fullmatch(number)]
        beside = [int(number) for number, _ in numbers if number.isdecimal()]
        if 100 <= max(beside) < 1000 and np.median(beside) > _FAR * np.median(read):  # 1.234 next to 950
            return grouped[0], False
    comma, thousand = NumberFormat(",", ""), NumberFormat(".", ",")
    if best and comma in winners and thousand in winners and NumberFormat() not in winners:
        return (comma if delimiter == ";" else thousand), True
    if winners[0].decimal == "," == delimiter and decimal is None and best < whole:
        return NumberFormat(), False
    return winners[0], False


def value_of(text: str, form: NumberFormat) -> float:
    """The number, with either decimal sign; NaN if the text is none."""
    text = text.rstrip(".,")
    for way in (form, NumberFormat("," if form.decimal == "." else ".")):
        if way.pattern.fullmatch(text):
            return way.value(text)
    return nan


def number_within(text: str, form: NumberFormat) -> float:
    """The one number in a text with something else around it, such as "~4" or "about 5"; NaN for other texts."""
    text = plain_text(text[:_LONGEST]).strip()
    found = re.findall(A_NUMBER, text)
    if len(found) != 1 or found[0] == text or text[0] == "#" or re.search(r"[^\W\d_][+\-\u2212]?\d", text):
        return nan
    return value_of(found[0], form)


def read_texts(
    texts: list[str],
    form: NumberFormat,
    markers: tuple[str | float, ...] = (),
    inside: tuple[str, ...] = (),
    codes: Sequence[int] | np.ndarray = (),
) -> Meanings:
    """Meanings of the texts in a table of that format; ``markers``: further texts and numbers that mean "missing";
    ``inside``: texts of which the number inside counts; ``codes`` (n,) of the cells."""
    within = {plain_text(text).strip().casefold() for text in inside}
    match, missing = form.pattern.fullmatch, MISSING_TOKENS | _INFINITE | {str(m).strip().casefold() for m in markers}
    if any(text.strip() == "+" for text in texts):
        missing -= {"-", "--"}  # words of a scale
    kinds, values = np.full(len(texts), TEXT, dtype=np.uint8), np.full(len(texts), np.nan)
    marked = values.copy()
    padded = np.zeros(len(texts), dtype=bool)
    texts = list(map(plain_text, texts))
    owed = {i: form.value(found) for i, text in enumerate(texts) if (found := _debt_in(text, form))}
    debts = [*owed.values()]
    least = min((abs(form.value(text)) for text in texts if debts and match(text)), default=0)
    whole = not any(value % 1 for value in debts) and max(debts, default=0) <= max(_MOST_CODES, 2 * least)
    at = np.flatnonzero(np.isin(codes, [*owed]) if debts else [])
    if len(at) > 2 and at[-1] - at[0] < len(at):  # in one line, of maxima where no number is above it
        whole |= not any(match(texts[code]) for code in codes[: at[0]])
    for i, text in enumerate(map(str.strip, texts)):
        if text.casefold() in missing:
            kinds[i] = NO_VALUE
            marked[i] = form.value(text) if match(text) else np.nan
        elif len(text) > _LONGEST:
            continue
        elif text.casefold() in within:
            values[i] = number_within(text, form)
        elif match(text):
            values[i], padded[i] = form.value(text), text[:1] == "0" and len(text) > 1 and text.isdecimal()
        elif text[-1] in FRACTIONS and (text[:-1] == "" or text[:-1].isdecimal()):
            values[i] = float(text[:-1] or 0) + FRACTIONS[text[-1]]
        elif not whole and (debt := _debt_in(text, form)):
            values[i] = -form.value(debt)
    kinds[~np.isnan(values)] = NUMBER
    named = [form.value(m) if isinstance(m, str) else float(m) for m in markers if not isinstance(m, str) or match(m)]
    is_marker = np.isin(values, named)
    marked[is_marker] = values[is_marker]
    kinds[np.isinf(values) | is_marker] = NO_VALUE
    values[kinds == NO_VALUE] = np.nan
    return Meanings(texts, form, kinds, values, marked, padded & (kinds == NUMBER))


def _debt_in(text: str, form: NumberFormat) -> str:
    """The number in "(3.2)" and "3.2-", as accountants write -3.2; '' in other texts."""
    found = _DEBT.fullmatch(text.strip())
    number = "" if found is None else found["in"] or found["before"]
    return number if form.pattern.fullmatch(number) else ""


def between(values: np.ndarray, marked: np.ndarray) -> np.ndarray:
    """(L,) the ``values`` of a column, NaN where there is none, with the numbers ``marked`` as missing that lie between
    two of the others: there they are numbers as any other, such as 8 in a column of 0 to 10."""
    given = values[~np.isnan(values)]
    if not len(given) or np.isnan(marked).all():
        return values
    return np.where((marked > given.min()) & (marked < given.max()), marked, values)

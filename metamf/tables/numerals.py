"""Texts -> numbers: decimal and thousands signs, and what each different text of a table means."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, nan

import numpy as np

NUMBER, NO_VALUE, TEXT = range(3)
MISSING_TOKENS = frozenset(
    ("", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "-", "--", "?", ".", "..", ":")
) | {"\\n", "\N{EN DASH}", "\N{EM DASH}", "\N{HORIZONTAL ELLIPSIS}"}
SODIUM = "Na"  # no mark for a missing value
FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}
MINUS = "\N{MINUS SIGN}"
_INFINITE = frozenset(
    sign + name for sign in ("", "+", "-", MINUS) for name in ("inf", "infinity", "\N{INFINITY}")
)
_SPACES = "\u00a0\u2009\u202f"
_GROUPS = {"": None, ",": ",", ".": r"\.", " ": f"[ {_SPACES}]", "'": "['\u2019]"}
_LIKE = re.compile(
    rf"\s*[+\-{MINUS}]?[.,]?[0-9]+(?:[.,'\u2019][0-9]+|[ {_SPACES}][0-9]{{3}})*\.?"
    r"(?:[eE][+-]?[0-9]+)?\s*"
)
A_NUMBER = rf"[+\-{MINUS}]?(?:\d|(?<![^\W\d])[.,]\d)[\d.,]*(?:['\u2019{_SPACES}]\d{{3}}[\d.,]*)*"
_UNSEEN = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")  # writing direction
_ARABIC = str.maketrans("\u066b\u066c", ".,")  # decimal and thousands sign
_LONGEST = 100  # characters; a longer text is not a number
_LONGEST_UNIT = 10  # characters around a number, such as " EUR"
_EXACT = 1e15  # below which a float tells whole numbers apart
SIGNIFICANT = 6  # digits that are written at most


def plain_text(text: str) -> str:
    """The text without marks of the writing direction, its digits as 0 to 9, whatever their
    script."""
    if text.isascii():
        return text
    text = _UNSEEN.sub("", text).translate(_ARABIC)
    return re.sub(r"\d", lambda digit: str(unicodedata.decimal(digit[0])), text)


def is_missing(cell: str) -> bool:
    """Whether the cell holds one of the usual marks for a missing value."""
    return cell.strip().casefold() in MISSING_TOKENS and cell.strip() != SODIUM


def is_number_like(cell: str) -> bool:
    """Whether the cell is a number in some format."""
    return len(cell) <= _LONGEST and _LIKE.fullmatch(plain_text(cell)) is not None


def number_in(cell: str) -> str:
    """The text of the one number in a cell, in some format, with perhaps a short unit around it;
    or ''."""
    if len(cell) > _LONGEST:
        return ""
    text = plain_text(cell).strip()
    if _LIKE.fullmatch(text):
        return text
    found = re.findall(A_NUMBER, text)
    unit = len(found) == 1 and len(text) <= len(found[0]) + _LONGEST_UNIT
    return found[0] if unit and _LIKE.fullmatch(found[0]) else ""


@dataclass(frozen=True)
class NumberFormat:
    """A decimal sign, or two of which the first is written, and a thousands sign ('' if there is
    none; ' ' stands for every kind of space)."""

    decimal: str = "."
    thousands: str = ""

    @cached_property
    def pattern(self) -> re.Pattern:
        """Matches a whole cell with a number: sign, digits (perhaps in groups), fraction, exponent,
        space around."""
        point = f"[{self.decimal}]"
        group = _GROUPS[self.thousands]
        groups = f"[1-9][0-9]{{0,2}}(?:{group}[0-9]{{2,3}})*{group}[0-9]{{3}}"  # also 1,90,958
        whole = "[0-9]+" if group is None else f"(?:{groups}|[0-9]+)"
        number = f"(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
        return re.compile(rf"\s*[+\-{MINUS}]?{number}\s*")

    def value(self, text: str) -> float:
        """The number in a text; NaN if it is none in this format, or infinite."""
        if len(text) > _LONGEST:
            return nan
        text = plain_text(text).strip()
        if text.isdecimal():
            return float(text)
        if text[-1:] in FRACTIONS and (text[:-1] == "" or text[:-1].isdecimal()):
            return float(text[:-1] or 0) + FRACTIONS[text[-1]]
        if not self.pattern.fullmatch(text):
            return nan
        if group := _GROUPS[self.thousands]:
            text = re.sub(group, "", text)
        found = float(re.sub(f"[{self.decimal}]", ".", text).replace(MINUS, "-"))
        return found if isfinite(found) else nan

    def inside(self, text: str) -> float:
        """The one number in a text with something else around it, such as "<5" or "about 5"; NaN
        for other texts."""
        found = re.findall(A_NUMBER, plain_text(text[:_LONGEST]))
        return self.value(found[0].rstrip(".,")) if len(found) == 1 else nan

    def decimals(self, text: str) -> int:
        """The number of decimals that a text with a number has."""
        if text.strip()[-1:] in FRACTIONS:
            return 2 if text.strip()[-1] in "¼¾" else 1
        mantissa, _, exponent = plain_text(text).strip().lower().partition("e")
        fraction = re.split(f"[{self.decimal}]", mantissa)[-1]
        n = len(fraction) if len(fraction) < len(mantissa) and fraction.isdecimal() else 0
        return n - int(exponent.replace(MINUS, "-")) if exponent else n

    def text(self, value: float, digits: int) -> str:
        """A number with this many decimals, or rounded to tens, hundreds, ... where ``digits`` is
        negative, as a cell of this format; very small and large ones have an exponent."""
        if abs(value) >= _EXACT or digits > 12:
            return f"{value:.{SIGNIFICANT}g}".replace(".", self.decimal[:1])
        text = f"{round(value, digits) + 0.0:.{max(digits, 0)}f}"
        if self.thousands and abs(value) >= 1000:
            whole, point, rest = text.partition(".")
            text = f"{int(whole):,}{point}{rest}"
        return text.translate({ord(","): self.thousands, ord("."): self.decimal[:1]})


FORMATS = tuple(
    NumberFormat(d, t) for t in ("", ",", ".", " ", "'") for d in (".", ",") if d != t
) + (NumberFormat(".,"), NumberFormat(",."))


@dataclass(frozen=True, eq=False)
class Texts:
    """What each of the (V,) different texts of a table means in a number format: NUMBER, NO_VALUE
    or TEXT; its number, or NaN; the decimals that it is written with; whether it has leading zeros,
    such as 03075."""

    texts: list[str]
    form: NumberFormat
    kinds: np.ndarray
    values: np.ndarray
    decimals: np.ndarray
    padded: np.ndarray


def read_texts(texts: list[str], form: NumberFormat) -> Texts:
    """The meanings of all different texts of a table in a number format."""
    n = len(texts)
    kinds = np.full(n, TEXT, dtype=np.uint8)
    values = np.full(n, np.nan)
    decimals = np.zeros(n, dtype=np.int16)
    padded = np.zeros(n, dtype=bool)
    stripped = list(map(str.strip, texts))
    missing = MISSING_TOKENS | _INFINITE
    if "+" in stripped:
        missing -= {"-", "--"}  # words of a scale
    for i, text in enumerate(stripped):
        if text.casefold() in missing and text != SODIUM:
            kinds[i] = NO_VALUE
            continue
        value = form.value(text)
        if value == value:
            kinds[i] = NUMBER
            values[i] = value
            decimals[i] = 0 if text.isdecimal() else form.decimals(text)
            padded[i] = text.isdecimal() and text[0] == "0" and len(text) > 1
        elif len(text) <= _LONGEST and form.pattern.fullmatch(plain_text(text)):
            kinds[i] = NO_VALUE  # beyond the numbers that a float holds, such as 1e999
    return Texts(texts, form, kinds, values, decimals, padded)


def digits_of(values: np.ndarray, decimals: int) -> int:
    """Decimals with which estimates of a column are written, given its numbers and the most
    decimals that one has: no more than six significant digits, and negative where all of many
    numbers are tens, hundreds, ... Whole numbers that are written as 3.0, as by pandas where a gap
    makes a column of integers one of floats, are whole."""
    if decimals == 1 and not (values % 1).any():
        decimals = 0
    top = float(np.abs(values).max()) if len(values) else 0.0
    size = int(np.floor(np.log10(top))) if top > 0 else 0
    digits = min(decimals, SIGNIFICANT - 1 - size) if decimals > 0 else 0
    while digits <= 0 and len(values) >= 10 and not (values % 10 ** (1 - digits)).any() and top > 0:
        if 10 ** (1 - digits) > top / 5:
            break
        digits -= 1
    return max(digits, 0) if decimals > 0 else digits

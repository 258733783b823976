"""Numbers and lists in sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

MIB = 2**20  # bytes of a mebibyte
_PERCENT = "\N{NO-BREAK SPACE}%"  # that no line break divides from its number
_LONGEST_QUOTE = 40  # characters of a quoted text, so that a message stays one line
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def counted(n: int, noun: str) -> str:
    """A number with its noun: '1 row', '2,000 rows'."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def rounded(value: float) -> str:
    """Two decimals; three significant digits where that says more or less: '3.14', '−0.0123',
    '1.23e+04'."""
    return with_minus(f"{value:.2f}" if 0.1 <= abs(value) < 100 or value == 0 else f"{value:.3g}")


def written(value: float) -> str:
    """A number of any size as a person writes it: '0.0014', '3.70', '7 × 10⁴⁵'; '–' where there is
    none."""
    if not math.isfinite(value):
        return "–"
    if value == 0 or 1e-4 <= abs(value) < 1e4:
        return with_minus(f"{value:.2g}") if 0 < abs(value) < 1 else rounded(value)
    digits, exponent = f"{value:.0e}".split("e")
    return with_minus(f"{digits} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}")


def slug(text: str) -> str:
    """A text in the name of a file: 'Trained by you (2)' -> 'trained-by-you-2'."""
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")


def with_minus(text: str) -> str:
    """A number's text with the minus sign of typography instead of the hyphen: '−0.4'."""
    return text.replace("-", "\N{MINUS SIGN}")


def percent(share: float, decimals: int = 0, *, digits: int | None = None) -> str:
    """A share from 0 to 1 as a percentage that no line break divides: '12 %'; with ``digits``, as
    many significant digits at most: '92.5 %'."""
    return (
        f"{100 * share:z.{decimals}f}{_PERCENT}"
        if digits is None
        else f"{100 * share:.{digits}g}{_PERCENT}"
    )


def percent_of_any_size(share: float) -> str:
    """The same for shares that may be tiny: two significant digits below ten percent: '65 %', '4.2
    %', '0.005 %'."""
    return percent(share) if share >= 0.0995 else percent(share, digits=2)


def percent_with_error(share: float, error: float, decimals: int = 0) -> str:
    """A share and its standard error, which goes unsaid where it is unknown or rounds to zero: '13
    ± 3 %'."""
    if not math.isfinite(error) or not round(100 * error, decimals):
        return percent(share, decimals)
    number = f"{100 * share:.{decimals}f} ± {100 * error:.{decimals}f}"
    return number.replace(" ", "\N{NO-BREAK SPACE}") + _PERCENT


def in_mib(size: int) -> str:
    """A number of bytes as people write file sizes: '12.3 kB', '4 MB' (of 2**20 bytes)."""
    return f"{size / MIB:,.0f} MB" if size >= MIB else f"{size / 1024:,.1f} kB"


def shown(text: str) -> str:
    """``text`` in quotation marks for a message: at most 40 characters, none that a terminal would
    obey."""
    text = text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 3] + "..."
    return '"' + "".join(c if c.isprintable() else repr(c)[1:-1] for c in text) + '"'


def listed(words: Sequence[str]) -> str:
    """All of ``words``: 'a', 'a and b', 'a, b and c'."""
    *others, last = words or ("",)
    return f"{', '.join(others)} and {last}" if others else last


def first_few(items: Sequence[str], at_most: int = 3) -> str:
    """The first of ``items``, with how many more there are: 'a, b, c and 4 more'."""
    more = len(items) - at_most
    return ", ".join(items[:at_most]) + (f" and {more:,} more" if more > 0 else "")


def name_of(labels: Sequence[str] | None, position: int, noun: str) -> str:
    """The name of a row or column, or its noun and number ('row 3', counted from 1) where it has no
    name."""
    return (
        f"{noun} {position + 1}".strip()
        if labels is None or not str(labels[position])
        else str(labels[position])
    )

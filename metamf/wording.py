"""Numbers and lists in sentences."""

from __future__ import annotations

MIB = 2**20


def count(n: int, what: str) -> str:
    """'1 row', '2,000 rows'."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def in_mib(size: int) -> str:
    return f"{size / MIB:,.0f} MB" if size >= MIB else f"{size / 1024:,.1f} kB"


def shown(text: str) -> str:
    """``text`` in quotation marks for a message: at most 40 characters, none that a terminal could obey."""
    text = text if len(text) <= 40 else text[:37] + "..."
    return '"' + "".join(c if c.isprintable() else repr(c)[1:-1] for c in text) + '"'


def listed(items: list[str], at_most: int = 3) -> str:
    """A few of ``items`` for a message, with how many more there are."""
    more = len(items) - at_most
    return ", ".join(items[:at_most]) + (f" and {more:,} more" if more > 0 else "")


def number(value: float) -> str:
    """Two decimals; three significant digits where that says more or less."""
    return f"{value:.2f}" if 0.1 <= abs(value) < 100 or value == 0 else f"{value:.3g}"


def percent(value: float) -> str:
    return f"{100 * value:.0f}\N{NO-BREAK SPACE}%"


def size_of(content: bytes) -> str:
    """'783 bytes', '12.3 kB', '4 MB'."""
    return count(len(content), "byte") if len(content) < 1024 else in_mib(len(content))

"""Markdown tables, and the numbers inside them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pandas as pd

from metamf.wording import with_minus

_NEGATIVE = re.compile(r"(?<![\w.])-\d[\d.]*")  # not the 1 of ML-1M, a range 3-5 or an exponent e-08

TITLES = {"ml-100k": "ML-100K", "ml-1m": "ML-1M", "jester": "Jester"}


def markdown(rows: pd.DataFrame | Iterable[dict]) -> str:
    """Rows of texts and numbers as a Markdown table, without the index of a data frame."""
    frame = pd.DataFrame(rows)
    cells = [[_NEGATIVE.sub(_minus, cell) for cell in line] for line in frame.astype(str).values.tolist()]
    lines = [list(frame.columns), ["---"] * frame.shape[1], *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _minus(negative: re.Match[str]) -> str:
    """A negative number with the minus sign of typography; without one where it was rounded to zero."""
    return with_minus(negative[0]) if negative[0].strip("-0.") else negative[0].removeprefix("-")


def number(value: float, form: str = ".3f") -> str:
    """``value`` in the format ``form``, empty where it is not a number."""
    return "" if pd.isna(value) else format(value, form)


def with_error(mean: float, error: float) -> str:
    """'0.875 ± 0.008', without the second part where there is no standard error."""
    return number(mean) + ("" if pd.isna(error) else f" ± {error:.3f}")


def p_value(p: float) -> str:
    return "" if pd.isna(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"

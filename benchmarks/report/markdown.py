"""Markdown tables, and the numbers inside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from metamf.wording import with_minus

# not the 1 of ML-1M, a range 3-5 or an exponent e-08
_NEGATIVE = re.compile(r"(?<![\w.])-\d[\d.]*")
TITLES = {"ml-100k": "ML-100K", "ml-1m": "ML-1M", "jester": "Jester"}


def markdown(rows: pd.DataFrame | Iterable[dict]) -> str:
    """Rows of texts and numbers as a Markdown table, without the index of a data frame."""
    frame = pd.DataFrame(rows)
    lines = [list(frame.columns), ["---"] * frame.shape[1]]
    for row in frame.astype(str).values.tolist():
        lines.append([_NEGATIVE.sub(_minus, cell) for cell in row])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def lines_of_data(line: Callable[[str], dict]) -> str:
    """A table with a line for each data set, ``line(data)``."""
    return markdown({"data": title} | line(data) for data, title in TITLES.items())


def columns_of_data(
    lines: Iterable[tuple[dict, Any]], cells: Callable[[Any, str], dict[str, str]]
) -> str:
    """A table of lines (first cells, item), with the data sets side by side: ``cells(item, data)``,
    by what follows the name of the data set in the head."""
    found = []
    for first, item in lines:
        line = dict(first)
        for data, title in TITLES.items():
            line |= {f"{title}{what}": cell for what, cell in cells(item, data).items()}
        found.append(line)
    return markdown(found)


def _minus(negative: re.Match[str]) -> str:
    """A negative number with the minus sign of typography; without one where it was rounded to
    zero."""
    return with_minus(negative[0]) if negative[0].strip("-0.") else negative[0].removeprefix("-")


def number(value: float, form: str = ".3f") -> str:
    """``value`` in the format ``form``, empty where it is not a number."""
    return "" if pd.isna(value) else format(value, form)


def with_error(mean: float, error: float) -> str:
    """'0.875 ± 0.008', without the second part where there is no standard error."""
    return number(mean) + ("" if pd.isna(error) else f" ± {error:.3f}")

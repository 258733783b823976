"""Markdown tables, and the numbers inside them."""

from __future__ import annotations

import pandas as pd

TITLES = {"ml-100k": "ML-100K", "ml-1m": "ML-1M", "jester": "Jester"}


def markdown(frame: pd.DataFrame) -> str:
    """A data frame of texts and numbers as a Markdown table, without its index."""
    lines = [list(frame.columns), ["---"] * frame.shape[1], *frame.astype(str).values.tolist()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float, form: str = ".3f") -> str:
    """``value`` in the format ``form``, empty where it is not a number."""
    return "" if pd.isna(value) else format(value, form)


def with_error(mean: float, error: float) -> str:
    """'0.875 ± 0.008', without the second part where there is no standard error."""
    return number(mean) + ("" if pd.isna(error) else f" ± {error:.3f}")


def p_value(p: float) -> str:
    return "" if pd.isna(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"

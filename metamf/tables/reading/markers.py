"""Observed numbers that look like marks for "missing"."""

from __future__ import annotations

import numpy as np


def suspected_markers(values: np.ndarray) -> tuple[tuple[float, int], ...]:
    """Observed numbers that may mean "missing", and how often each occurs.

    Up to three values at one end are suspected if the gap between them and the rest is more than twice the range of the
    rest (three different values at least), and they make up one percent of the observed cells, two cells at least. Zero
    is suspected if it is the smallest value and more than half of all observed cells, beside three other values at
    least. The thresholds are chosen by hand: they find the 99 of Jester and leave its ratings of zero alone.
    """
    distinct, counts = np.unique(values, return_counts=True)
    suspects: dict[float, int] = {}
    for sign in (1, -1):
        v, c = (distinct, counts) if sign == 1 else (-distinct[::-1], counts[::-1])
        for k in range(1, min(3, len(v) - 3) + 1):
            gap, span = v[-k] - v[-k - 1], v[-k - 1] - v[0]
            if gap > 2 * span and c[-k:].sum() >= max(2, 0.01 * values.size):
                suspects |= {sign * v[-i]: int(c[-i]) for i in range(1, k + 1)}
    if len(distinct) > 3 and distinct[0] == 0 and counts[0] > 0.5 * values.size:
        suspects[0.0] = int(counts[0])
    return tuple((float(v), n) for v, n in sorted(suspects.items()))

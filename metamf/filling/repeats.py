"""Number of times ratings are hidden for a verdict, where nobody asks for another number."""

from __future__ import annotations

REPEATS_OF_FEW, REPEATS_OF_MANY = 20, 5
_FEW = 2_000  # observed ratings up to which they are hidden more often


def usual_repeats(nnz: int) -> int:
    """Returns how many times ratings are hidden where ``nnz`` are observed: more often where fits take moments."""
    return REPEATS_OF_FEW if nnz <= _FEW else REPEATS_OF_MANY

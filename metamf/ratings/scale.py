"""A rating scale, and which one a set of observed ratings comes from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class RatingScale:
    """The values that a rating can take: ``minimum`` to ``maximum`` in multiples of ``step`` (None: continuous)."""

    minimum: float
    maximum: float
    step: float | None = None

    def __post_init__(self):
        if not (np.isfinite(self.minimum) and np.isfinite(self.maximum) and self.minimum < self.maximum):
            raise ValueError(f"a rating scale needs finite minimum < maximum, got {self.minimum} and {self.maximum}")
        if self.step is not None and not 0 < self.step <= self.maximum - self.minimum:
            raise ValueError(f"the step of a rating scale must lie in (0, maximum - minimum], got {self.step}")

    def clip(self, values: np.ndarray) -> np.ndarray:
        """``values`` clipped to the scale, in rating units."""
        return np.clip(values, self.minimum, self.maximum)


# minimum, maximum, step, and how far up a rating must reach for the scale to be taken; the first that fits wins.
_STEPPED = (
    (0, 1, 1, 1),
    (-1, 1, 2, 1),
    (-1, 1, 1, 1),
    (1, 5, 1, 3),
    (0, 5, 1, 3),
    (1, 7, 1, 7),
    (1, 10, 1, 6),
    (0, 10, 1, 6),
    (0.5, 5, 0.5, 3),
    (0, 5, 0.5, 3),
    (0.5, 10, 0.5, 6),
    (0, 10, 0.5, 6),
    (-5, 5, 1, 3),
    (-10, 10, 1, 6),
    (0, 20, 1, 14),
    (0, 100, 1, 60),
    (-100, 100, 1, 60),
)
_CONTINUOUS = ((0, 1), (-1, 1), (1, 5), (0, 5), (1, 10), (0, 10), (-5, 5), (-10, 10), (0, 20), (0, 100), (-100, 100))


def guess_scale(values: np.ndarray) -> RatingScale | None:
    """The known scale that ``values`` lie on, or None: no limits are known, and ratings are continuous.

    1. Values in whole or half steps: the first of thumbs (0, 1 or -1, 1), whole stars, 1 to 10, half stars, -5 to 5,
       -10 to 10, 0 to 20, 0 to 100 that has all of them, if the highest reaches well into its upper half.
    2. Other values: the first of the same ranges that holds all of them, if lowest and highest lie within a tenth of
       the range from its ends; its step is None.
    """
    values = np.unique(np.asarray(values, dtype=np.float64))
    if not values.size:
        return None
    low, high = values[0], values[-1]
    for minimum, maximum, step, reach in _STEPPED:
        if minimum <= low and reach <= high <= maximum and not ((values - minimum) % step).any():
            return RatingScale(minimum, maximum, step)
    if not (values % 0.5).any():
        return None
    for minimum, maximum in _CONTINUOUS:
        slack = 0.1 * (maximum - minimum)
        if minimum <= low <= minimum + slack and maximum - slack <= high <= maximum:
            return RatingScale(minimum, maximum)
    return None

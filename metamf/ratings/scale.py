"""Rating scales, limits of columns, and the guess which scale observed ratings come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class RatingScale:
    """The values that a rating can take: ``minimum`` to ``maximum`` in steps of ``step`` (None: any
    value between).

    Raises ValueError unless ``minimum`` < ``maximum`` are finite and ``step`` lies in (0, maximum -
    minimum].
    """

    minimum: float
    maximum: float
    step: float | None = None

    def __post_init__(self) -> None:
        if not (
            np.isfinite(self.minimum) and np.isfinite(self.maximum) and self.minimum < self.maximum
        ):
            raise ValueError(
                f"a rating scale needs finite minimum < maximum, got {self.minimum} and "
                f"{self.maximum}"
            )
        if self.step is not None and not 0 < self.step <= self.maximum - self.minimum:
            raise ValueError(
                f"the step of a rating scale must lie in (0, maximum - minimum], got {self.step}"
            )

    def clip(self, values: np.ndarray) -> np.ndarray:
        """Moves values, of any shape and in rating units, to the nearest end of the scale where
        they exceed it."""
        return np.clip(values, self.minimum, self.maximum)

    def clip_at(self, values: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """The same for estimates at the cells ``rows``, ``cols``, which have the same limits
        everywhere."""
        return self.clip(values)


@dataclass(frozen=True, eq=False)
class ColumnLimits:
    """The lowest and the highest value of each column, (M,) each, in rating units."""

    lower: np.ndarray
    upper: np.ndarray

    def __post_init__(self) -> None:
        """ValueError for ends that are not two (M,) arrays of numbers, the lower one not above the
        upper one."""
        lower = np.asarray(self.lower, dtype=np.float64)
        upper = np.asarray(self.upper, dtype=np.float64)
        if lower.ndim != 1 or lower.shape != upper.shape:
            raise ValueError(
                f"limits of columns are two arrays of one length, got {lower.shape} and "
                f"{upper.shape}"
            )
        crossed = np.flatnonzero(~(lower <= upper))
        if crossed.size:
            m = crossed[0]
            raise ValueError(
                f"column {m} has the limits {lower[m]:g} and {upper[m]:g}: give the lower one first"
            )
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    def of_columns(self, cols: slice | np.ndarray) -> ColumnLimits:
        """The limits of some of the columns."""
        return ColumnLimits(self.lower[cols], self.upper[cols])

    def within(self, known: RatingScale | ColumnLimits) -> ColumnLimits:
        """These limits, moved into other ones where they exceed them."""
        return ColumnLimits(known.clip(self.lower), known.clip(self.upper))

    def clip(self, values: np.ndarray) -> np.ndarray:
        """Moves estimates of all columns (..., M), in rating units, to the nearest limit where they
        exceed it."""
        return np.clip(values, self.lower, self.upper)

    def clip_at(self, values: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """The same for estimates at cells; values and positions of shapes that broadcast."""
        return np.clip(values, self.lower[cols], self.upper[cols])


# Scales of public data and of common forms (minimum, maximum, step, lowest number that the highest
# observed rating may be), narrow ones first, since the first that fits is taken. The last number is
# about 60 % of the maximum, so that 3, 4, 5 is not taken for a part of 0 to 100.
_STEPPED = (
    (0, 1, 1, 1),  # liked or not, right or wrong
    (-1, 1, 2, 1),  # thumbs down or up
    (-1, 1, 1, 1),  # against, neutral, in favour
    (1, 5, 1, 3),  # stars: MovieLens 100K and 1M, Netflix, Amazon; Likert items
    (0, 5, 1, 3),  # stars with zero
    (1, 7, 1, 7),  # Likert items of seven points
    (1, 10, 1, 6),  # IMDb, Book-Crossing
    (0, 10, 1, 6),  # recommendation question of the Net Promoter Score
    (0.5, 5, 0.5, 3),  # half stars: MovieLens 10M and later
    (0, 5, 0.5, 3),  # half stars with zero
    (0.5, 10, 0.5, 6),  # ten stars in halves
    (0, 10, 0.5, 6),  # ten stars in halves with zero
    (-5, 5, 1, 3),  # semantic differentials
    (-10, 10, 1, 6),  # Jester's range in whole numbers
    (0, 20, 1, 14),  # school marks in France
    (0, 20, 0.5, 14),  # the same in halves
    (0, 100, 1, 60),  # Yahoo! Music, percentages
    (-100, 100, 1, 60),  # differences of percentages
)
# Ranges of ratings that are not in steps: those of above, narrow ones first; Jester's is -10 to 10.
_CONTINUOUS = (
    (0, 1),
    (-1, 1),
    (1, 5),
    (0, 5),
    (1, 10),
    (0, 10),
    (-5, 5),
    (-10, 10),
    (0, 20),
    (0, 100),
    (-100, 100),
)
_SLACK = 0.1  # share of the range that may stay empty at either end


def guess_scale(values: np.ndarray) -> RatingScale | None:
    """The known scale of the observed ratings ``values``, of any shape and in rating units.

    1. Values in whole or half steps: the first of thumbs (0, 1 or -1, 1), whole stars, 1 to 10,
    half stars, -5 to 5,
       -10 to 10, 0 to 20, 0 to 100 that has all of them, if the highest lies well in its upper
       half.
    2. Other values: the first of the same ranges that holds all of them, if lowest and highest lie
    within a tenth of
       the range from its ends; its step is None.

    None if no scale fits: then nothing is known of limits or steps.
    """
    values = np.unique(np.asarray(values, dtype=np.float64))
    if not values.size:
        return None
    low = values[0]
    high = values[-1]
    for minimum, maximum, step, reached in _STEPPED:
        if minimum <= low and reached <= high <= maximum and not ((values - minimum) % step).any():
            return RatingScale(minimum, maximum, step)
    if not (values % 0.5).any():
        return None
    for minimum, maximum in _CONTINUOUS:
        slack = _SLACK * (maximum - minimum)
        if minimum <= low <= minimum + slack and maximum - slack <= high <= maximum:
            return RatingScale(minimum, maximum)
    return None

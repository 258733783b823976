"""Whether one method predicts better than another by more than chance explains: the one rule that
every page uses.

``beyond_chance`` is a one-sided t-test at 5 %, divided by the number of methods of which the better
one was picked as the best (Bonferroni).

The standard error depends on what was measured, because two questions are asked:

- *One division* (the pages on one matrix): is the method better on the cells of this matrix, given
  these ratings? The methods are fixed and hidden cells are sampled, but cells of a row or column
  are not independent. So ``lead`` clusters by both. With the mean squared errors A and B over n
  hidden cells,

      lead = 1 - sqrt(A / B),    psi_i = sqrt(A / B) (b_i / B - a_i / A) / (2 n)  for the squared errors a_i, b_i,

  and by the delta method the variance is the squares of the sums of psi over rows, plus those over
  columns, less those of single cells (Cameron, Gelbach and Miller, "Robust inference with multiway
  clustering", 2011, Eq. 2.11). Degrees of freedom: the smaller number of rows or columns with
  hidden cells, less one. Whichever of the two is better, it has to be so by the same 5 %: neither
  direction is easier to say.
- *Repeated divisions* (Your table, ``metamf impute``): which method fills in this table better,
  whichever of its ratings are given? Each repeat refits the methods, to training sets that overlap,
  so ``repeats_error`` is that of Nadeau and Bengio, "Inference for the generalization error",
  Machine Learning 52 (2003): the variance over R repeats times (1 / R + hidden / given ratings).
  Degrees of freedom: R - 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metamf.ratings.matrix import Ratings

LEVEL = 0.05
FEWEST_HIDDEN = 10  # hidden cells from which chance can be judged


def beyond_chance(
    gain: float, standard_error: float, freedom: float = np.inf, picked_from: int = 1
) -> bool:
    """Whether a mean gain is positive beyond chance, for the best of ``picked_from`` methods."""
    from scipy.special import stdtrit  # here, so that the first page opens without scipy

    if not gain > 0 or freedom < 1:
        return False
    return bool(gain > stdtrit(freedom, 1 - LEVEL / max(1, picked_from)) * standard_error)


def repeats_error(gain: np.ndarray, hidden: int, given: int) -> float:
    """The standard error of the mean of ``gain`` (R,) over repeats that hide ``hidden`` ratings and
    give ``given``."""
    return float(gain.std(ddof=1) * np.sqrt(1 / len(gain) + hidden / given))


@dataclass(frozen=True)
class Lead:
    """The lead of the method in question over another on the same hidden cells."""

    over: str  # name of the other method
    # by which the root mean squared error is smaller than the other's; negative where it is larger
    share: float
    standard_error: float  # of the share; infinite below ``FEWEST_HIDDEN`` hidden cells
    rmse: float  # the other's, in rating units
    freedom: float = np.inf  # degrees of freedom of the standard error

    @property
    def ahead(self) -> bool:
        """Whether the one is better beyond chance."""
        return beyond_chance(self.share, self.standard_error, self.freedom)

    @property
    def behind(self) -> bool:
        """Whether the other is better beyond chance."""
        return beyond_chance(-self.share, self.standard_error, self.freedom)


def lead(own: np.ndarray, other: np.ndarray, cells: Ratings, over: str = "") -> Lead:
    """The lead of a method over another one, from their squared errors (n,) on the hidden
    ``cells``, at least one."""
    n = len(own)
    A = float(own.mean())
    B = float(other.mean())
    by_row, by_col = (np.unique(side, return_inverse=True)[1] for side in (cells.rows, cells.cols))
    freedom = float(min(by_row.max(), by_col.max()))
    ratio = np.sqrt(A / B) if B > 0 else 1.0 if A == 0 else np.inf
    if n < FEWEST_HIDDEN:
        error = np.inf
    elif B == 0:  # nothing is ahead of a method without an error
        error = 0.0
    else:
        psi = ratio * (other / B - (own / A if A > 0 else 0.0)) / (2 * n)
        rows, cols, single = (
            float(np.square(part).sum())
            for part in (np.bincount(by_row, psi), np.bincount(by_col, psi), psi)
        )
        error = float(np.sqrt(max(rows + cols - single, single)))
    return Lead(over, float(1 - ratio), error, float(np.sqrt(B)), freedom)


def lead_over_best(own: np.ndarray, others: Mapping[str, np.ndarray], cells: Ratings) -> Lead:
    """The lead over the best of several methods; ``others``: their squared errors by name, at least
    one."""
    best = min(others, key=lambda name: float(others[name].mean()))
    return lead(own, others[best], cells, best)

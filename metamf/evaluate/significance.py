"""How far one method is ahead of another on the same hidden cells, and whether chance may explain it.

    lead = 1 - sqrt(A / B),    A, B: mean squared errors of the one and of the other over the hidden cells

Its standard error is that of the delta method: the lead moves by psi_i = sqrt(A / B) (b_i / B - a_i / A) / (2 n) for
the squared errors a_i, b_i of cell i of n. The cells of a row or of a column are not independent, so the variance is
two-way clustered: the squares of the sums of psi over rows, plus those over columns, less those of single cells
(Cameron, Gelbach and Miller 2011, "Robust inference with multiway clustering", Eq. 2.11).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from metamf.ratings.matrix import Ratings

FEWEST_HIDDEN = 10  # hidden cells from which chance can be judged
SIGNIFICANCE = 0.05  # the usual level, two-sided; divided by the number of methods that the other was picked from


@dataclass(frozen=True)
class Lead:
    """The lead of one method over another.

    Attributes
    ----------
    over : str
        The name of the other method.
    share : float
        Share by which the root mean squared error is smaller than the other's; negative where it is larger.
    standard_error : float
        Standard error of the share; infinite where there are fewer than ten hidden cells, which say nothing about
        chance.
    rmse : float
        The other's root mean squared error, in rating units.
    of : int
        Number of methods of which the other is the best one.
    """

    over: str
    share: float
    standard_error: float
    rmse: float
    of: int = 1

    @property
    def beyond_chance(self) -> bool:
        """Whether the lead differs from zero by more than chance explains: a two-sided test at a level of 0.05 over
        ``of`` (Bonferroni)."""
        limit = NormalDist().inv_cdf(1 - SIGNIFICANCE / (2 * self.of))
        return abs(self.share) > limit * self.standard_error

    @property
    def ahead(self) -> bool:
        """Whether the one is ahead beyond chance."""
        return self.beyond_chance and self.share > 0

    @property
    def behind(self) -> bool:
        """Whether the one is behind beyond chance."""
        return self.beyond_chance and self.share < 0


def lead(own: np.ndarray, other: np.ndarray, cells: Ratings, over: str = "", of: int = 1) -> Lead:
    """The lead of a method over another one.

    Parameters
    ----------
    own, other : ndarray of shape (n,)
        The squared errors of the one and of the other on ``cells``, in squared rating units.
    cells : Ratings
        The hidden cells; there is at least one.
    over, of : str, int
        Fields of ``Lead``.
    """
    A, B = float(own.mean()), float(other.mean())
    if B == 0 or len(own) < FEWEST_HIDDEN:  # nothing is ahead of a method without an error
        ratio = np.sqrt(A / B) if B > 0 else 1.0 if A == 0 else np.inf
        return Lead(over, float(1 - ratio), np.inf if len(own) < FEWEST_HIDDEN else 0.0, float(np.sqrt(B)), of)
    ratio = np.sqrt(A / B)
    psi = ratio * (other / B - (own / A if A > 0 else 0.0)) / (2 * len(own))
    by_row, by_col = (np.bincount(side, psi, minlength=1) for side in (cells.rows, cells.cols))
    single = float(np.square(psi).sum())
    variance = max(float(np.square(by_row).sum() + np.square(by_col).sum()) - single, single)
    return Lead(over, float(1 - ratio), float(np.sqrt(variance)), float(np.sqrt(B)), of)


def lead_over_best(own: np.ndarray, others: Mapping[str, np.ndarray], cells: Ratings) -> Lead:
    """The lead over the best one of several methods; ``others``: their squared errors by name, at least one."""
    best = min(others, key=lambda name: float(others[name].mean()))
    return lead(own, others[best], cells, best, len(others))

"""Whether one method's lead over another on the hidden cells of one matrix is more than chance.

Errors of two cells in the same row, or in the same column, are not independent: a generous person or a loved film moves
many of them together. The variance of the mean difference therefore adds up differences by row and by column before it
squares them: Cameron, Gelbach and Miller, "Robust inference with multiway clustering", Journal of Business & Economic
Statistics 29 (2011).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.stats

SIGNIFICANCE = 0.05  # the usual level


class Lead(NamedTuple):
    """How much smaller the squared errors of one method are than those of another, on the same cells.

    Attributes
    ----------
    gain : float
        Mean difference of the squared errors, in squared rating units; positive where the first method is better.
    error : float
        Its standard error, for which the cells of a row, and those of a column, count as dependent.
    limit : float
        How many standard errors the gain has to exceed to be more than chance.
    """

    gain: float
    error: float
    limit: float

    @property
    def beyond_chance(self) -> bool:
        """Whether the first method is better by more than chance explains."""
        return bool(self.gain > self.limit * self.error)


def lead(squares: np.ndarray, others: np.ndarray, rows: np.ndarray, cols: np.ndarray, comparisons: int = 1) -> Lead:
    """The lead of one method over another.

    Parameters
    ----------
    squares, others : ndarray of shape (n,)
        Squared errors of the two methods on the same cells, in squared rating units.
    rows, cols : ndarray of shape (n,)
        Row and column of each cell.
    comparisons : int
        Among how many comparisons this one was picked: the one-sided level of 0.05 is divided by it (Bonferroni).

    Returns
    -------
    Lead
        With an infinite limit where there are fewer than two rows or columns, from which nothing follows.
    """
    difference = others - squares
    groups = [np.unique(side, return_inverse=True)[1] for side in (rows, cols)]
    counts = [int(group.max()) + 1 if len(group) else 0 for group in groups]
    if min(counts) < 2:
        return Lead(float(difference.mean()) if len(difference) else 0.0, 0.0, float("inf"))
    centred = difference - difference.mean()
    by_side = [(np.bincount(group, centred) ** 2).sum() * count / (count - 1) for group, count in zip(groups, counts)]
    variance = max(sum(by_side) - (centred**2).sum(), *by_side)  # never below that of one side alone
    limit = scipy.stats.t.ppf(1 - SIGNIFICANCE / comparisons, min(counts) - 1)
    return Lead(float(difference.mean()), float(np.sqrt(variance)) / len(difference), float(limit))

"""Who agrees: ratings next to what a model expects of them, and people next to each other.

Ratings are hidden in turn and estimated from the others, as in cross-validation (Stone,
"Cross-validatory choice and assessment of statistical predictions", Journal of the Royal
Statistical Society B 36, 1974).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from metamf.ratings.matrix import Ratings

FOLDS = 10  # the usual number
FEWEST_RATINGS = 3  # of a person or column, below which it has no numbers
SHARED = 5  # columns that a pair has to share, unless there are few columns
# with fewer of them, or with fewer ratings than the next number, nobody is told who guesses best
FEWEST_RATERS = 5
FEWEST_TO_JUDGE = 40
CLOSE = 0.02  # relative difference up to which two errors are called equal


def held_out_estimates(
    ratings: Ratings, estimate: Callable[[Ratings], np.ndarray], folds: int = FOLDS, seed: int = 0
) -> np.ndarray:
    """(N, M) estimates in rating units, those of rated cells without the cell's own rating.

    The ratings, at least two, are dealt to folds at random, and those of a fold are estimated from
    all other folds by ``estimate(ratings)``, (N, M).
    """
    from sklearn.model_selection import KFold

    found = np.array(estimate(ratings), dtype=np.float64)
    dealt = KFold(min(folds, ratings.nnz), shuffle=True, random_state=seed)
    for kept, hidden in dealt.split(ratings.values):
        cells = ratings.rows[hidden], ratings.cols[hidden]
        found[cells] = estimate(ratings.select(kept))[cells]
    return found


@dataclass(frozen=True, eq=False)
class Agreement:
    """How ratings agree with what was expected of them, and with each other, in rating units."""

    X: np.ndarray  # (N, M), NaN where there is no rating
    expected: np.ndarray  # (N, M); the expectation for a rated cell does not use its own rating

    @cached_property
    def surprise(self) -> np.ndarray:
        """(N, M) rating minus expectation; NaN where there is no rating."""
        return self.X - self.expected

    @cached_property
    def ratings(self) -> np.ndarray:
        """(n,) all ratings."""
        return self.X[np.isfinite(self.X)]

    @property
    def n_raters(self) -> int:
        """The number of people who have rated anything."""
        return int(np.isfinite(self.X).any(axis=1).sum())

    @property
    def can_judge(self) -> bool:
        """Whether enough people have rated enough for a verdict on the expectations."""
        return self.n_raters >= FEWEST_RATERS and self.ratings.size >= FEWEST_TO_JUDGE

    @property
    def typical_error(self) -> float:
        """The root mean squared surprise."""
        return float(np.sqrt(np.nanmean(self.surprise**2)))

    @property
    def typical_error_of_the_mean(self) -> float:
        """The error of guessing each rating by the mean of all others."""
        n = self.ratings.size
        return float(self.ratings.std() * n / (n - 1))

    @property
    def beats_the_mean(self) -> bool:
        """Whether the expectations are clearly better than that."""
        return self.typical_error < (1 - CLOSE) * self.typical_error_of_the_mean

    @cached_property
    def departure(self) -> np.ndarray:
        """(N,) root mean squared surprise of each row; NaN for a row of fewer than
        ``FEWEST_RATINGS`` ratings."""
        squares = pd.DataFrame(self.surprise.T**2)
        enough = squares.count() >= FEWEST_RATINGS
        return np.sqrt(squares.mean()).where(enough).to_numpy()

    @cached_property
    def spread(self) -> np.ndarray:
        """(M,) standard deviation of each column; NaN for a column of fewer than ``FEWEST_RATINGS``
        ratings."""
        ratings = pd.DataFrame(self.X)
        return ratings.std(ddof=0).where(ratings.count() >= FEWEST_RATINGS).to_numpy()

    @cached_property
    def shared(self) -> np.ndarray:
        """(N, N) number of columns that both rows of a pair have rated, int."""
        rated = np.isfinite(self.X).astype(int)
        return rated @ rated.T

    @cached_property
    def distance(self) -> pd.Series:
        """The mean absolute difference of each pair of rows (n, n'), n < n', in the columns that
        both have rated.

        Without pairs that share too few: fewer than ``SHARED`` or, if that is less, than half of
        all columns, but ``FEWEST_RATINGS`` at least.
        """
        least = min(SHARED, max(FEWEST_RATINGS, self.X.shape[1] // 2))
        people = pd.DataFrame(self.X.T)
        D = people.corr(lambda one, other: np.abs(one - other).mean(), least)  # (N, N)
        return D.where(~np.tri(len(D), dtype=bool)).stack().dropna()

"""Who agrees: ratings beside what a model expects of them, and people beside each other.

What a model says of a rating that it was given is not an expectation, so ratings are held out in turn: each is
estimated from the others, as in cross-validation (Stone, "Cross-validatory choice and assessment of statistical
predictions", Journal of the Royal Statistical Society B 36, 1974).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metamf.ratings.matrix import Ratings

FOLDS = 10  # the usual number
FEWEST_RATINGS = 3  # ratings of a person or column below which nothing is said of it
SHARED = 5  # columns that a pair has to share, unless there are few columns


def held_out_estimates(
    ratings: Ratings,
    estimate: Callable[[Ratings], np.ndarray],
    folds: int = FOLDS,
    *,
    rng: np.random.Generator,
) -> np.ndarray:
    """Estimates of all cells, those of rated cells without the cell's own rating.

    The ratings are dealt out to folds at random; those of a fold are estimated from the ratings of all other folds, and
    cells without a rating from all ratings.

    Parameters
    ----------
    ratings : Ratings
        The ratings, N x M.
    estimate : callable
        ``estimate(ratings)``: (N, M) estimates of all cells from some of the ratings, in rating units.
    folds : int
        Number of folds; at most one for each rating.
    rng : numpy.random.Generator
        Deals out the ratings.

    Returns
    -------
    ndarray of shape (N, M)
        In rating units.

    Raises
    ------
    ValueError
        If there are fewer than two ratings, or fewer than two folds.
    """
    if ratings.nnz < 2 or folds < 2:
        raise ValueError(f"holding out takes at least two ratings and two folds, got {ratings.nnz} and {folds}")
    found = np.array(estimate(ratings), dtype=np.float64)
    fold_of = rng.permutation(ratings.nnz) % min(folds, ratings.nnz)  # (nnz,)
    for fold in range(fold_of.max() + 1):
        hidden = np.nonzero(fold_of == fold)[0]
        rows, cols = ratings.rows[hidden], ratings.cols[hidden]
        found[rows, cols] = estimate(ratings.select(np.nonzero(fold_of != fold)[0]))[rows, cols]
    return found


@dataclass(frozen=True, eq=False)
class Agreement:
    """How ratings agree with what was expected of them, and with each other.

    Attributes
    ----------
    X : ndarray of shape (N, M)
        The ratings, NaN where there is none, in rating units.
    expected : ndarray of shape (N, M)
        Expectation for each cell, in rating units; of a rated cell, without its own rating.
    """

    X: np.ndarray
    expected: np.ndarray

    def __post_init__(self) -> None:
        if self.X.ndim != 2 or self.X.shape != self.expected.shape:
            raise ValueError(f"ratings and expectations differ in shape: {self.X.shape} and {self.expected.shape}")

    @cached_property
    def surprise(self) -> np.ndarray:
        """(N, M) rating minus expectation, in rating units; NaN where there is no rating."""
        return self.X - self.expected

    @cached_property
    def departure(self) -> np.ndarray:
        """(N,) root mean squared surprise of each row, in rating units; NaN for a row of fewer than ``FEWEST_RATINGS``
        ratings."""
        counts = np.isfinite(self.surprise).sum(axis=1)
        squares = np.nansum(self.surprise**2, axis=1)
        return np.sqrt(np.divide(squares, counts, out=np.full(len(counts), np.nan), where=counts >= FEWEST_RATINGS))

    @cached_property
    def spread(self) -> np.ndarray:
        """(M,) standard deviation of the ratings of each column, in rating units; NaN for a column of fewer than
        ``FEWEST_RATINGS`` ratings."""
        rated = np.isfinite(self.X)
        counts = rated.sum(axis=0)
        means = np.divide(np.nansum(self.X, axis=0), counts, out=np.zeros(len(counts)), where=counts > 0)
        squares = np.where(rated, (self.X - means) ** 2, 0.0).sum(axis=0)
        return np.sqrt(np.divide(squares, counts, out=np.full(len(counts), np.nan), where=counts >= FEWEST_RATINGS))

    @cached_property
    def shared(self) -> np.ndarray:
        """(N, N) how many columns both rows of a pair have rated, int."""
        rated = np.isfinite(self.X).astype(int)
        return rated @ rated.T

    @cached_property
    def distance(self) -> np.ndarray:
        """(N, N) mean absolute difference of the ratings of the columns that both rows of a pair have rated, in rating
        units; NaN on the diagonal and where there are too few such columns: fewer than ``SHARED``, or than half of a
        matrix of less than twice as many columns, which is ``FEWEST_RATINGS`` at least."""
        least = min(SHARED, max(FEWEST_RATINGS, self.X.shape[1] // 2))
        D = np.abs(self.X[:, None] - self.X[None])  # (N, N, M)
        distance = np.divide(
            np.nansum(D, axis=2), self.shared, out=np.full(self.shared.shape, np.nan), where=self.shared >= least
        )
        np.fill_diagonal(distance, np.nan)
        return distance

    def surprises(self, row: int, at_most: int = 3) -> list[int]:
        """The columns of a row's most surprising ratings, the largest surprise first; ties in the order of columns."""
        sizes = np.abs(self.surprise[row])
        return [int(m) for m in np.argsort(-sizes, kind="stable")[:at_most] if np.isfinite(sizes[m]) and sizes[m] > 0]

    @property
    def furthest(self) -> tuple[int, int] | None:
        """The two rows that differ most in what both have rated; None where no pair shares enough columns."""
        return _pair(self.distance, np.nanargmax)

    @property
    def closest(self) -> tuple[int, int] | None:
        """The two rows that differ least in what both have rated; None where no pair shares enough columns."""
        return _pair(self.distance, np.nanargmin)


def _pair(distance: np.ndarray, choose: Callable[[np.ndarray], np.intp]) -> tuple[int, int] | None:
    upper = np.where(np.tri(len(distance), dtype=bool), np.nan, distance)  # each pair once
    if not np.isfinite(upper).any():
        return None
    n, other = np.unravel_index(choose(upper), upper.shape)
    return int(n), int(other)

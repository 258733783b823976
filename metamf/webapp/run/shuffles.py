"""No shared rows or columns: answers when rows and columns are shuffled, halved
or doubled.

A checkpoint has no number that belongs to a row or a column, so their order cannot matter: if P and
Q permute rows and columns, the answer to P X Q is P (answer to X) Q, up to the rounding of sums in
another order. This has to hold for permutations only. Half of the rows have other averages; doubled
rows have the same averages, Eqs. (4) and (5), and hence the same prior means, but every column has
twice as many ratings, which pull twice as hard in Eq. (7).

Factors that are fitted to one matrix belong to its rows and columns: shuffled, they start again
from random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from metamf.answer.estimator import MetaMFImputer
from metamf.baselines.factorization import factorize_by_steps
from metamf.checkpoints.bundled import one_unit, open_checkpoint
from metamf.ratings.limits import clipped, observed_range
from metamf.ratings.matrix import Ratings

SAME = 1e-3  # rating units; closer answers count as equal
SHUFFLES = ("Shuffle rows", "Shuffle columns", "Shuffle both")


@dataclass(frozen=True, eq=False)
class Changed:
    """A matrix made of rows and columns of another, and their positions (n,), (m,) there; a row may
    occur twice."""

    ratings: Ratings
    rows: np.ndarray
    cols: np.ndarray


@dataclass(frozen=True, eq=False)
class Comparison:
    """A method's estimates in rating units, clipped to the scale, of a matrix, (N, M), and of a
    changed one, (n, m)."""

    before: np.ndarray
    after: np.ndarray
    changed: Changed

    @property
    def undone(self) -> np.ndarray:
        """(N, M) the answer to the changed matrix, in the order of the first; NaN where it has no
        answer."""
        back = np.full(self.before.shape, np.nan)
        back[self.changed.rows[::-1, None], self.changed.cols[None, ::-1]] = self.after[::-1, ::-1]
        return back

    @property
    def difference(self) -> np.ndarray:
        """(N, M) difference of the answers once the change is undone; NaN where there is none."""
        return self.undone - self.before

    @property
    def largest(self) -> float:
        """The largest difference of an answer: of a shuffle, the equivariance error."""
        return float(np.nanmax(np.abs(self.difference)))


def change(ratings: Ratings, what: str, seed: int) -> Changed:
    """A matrix made of ``ratings``: 'Halve' keeps half of the rows, at random, one at least and one
    with a rating among them; 'Every row twice' adds a second copy of all rows below the first."""
    rng = np.random.default_rng(seed)
    rows = np.arange(ratings.n_rows)
    cols = np.arange(ratings.n_cols)
    if what in ("Shuffle rows", "Shuffle both"):
        rows = rng.permutation(rows)
    if what in ("Shuffle columns", "Shuffle both"):
        cols = rng.permutation(cols)
    if what == "Halve":
        rated = rng.choice(np.unique(ratings.rows), 1) if ratings.nnz else rows[:1]
        others = rng.permutation(np.delete(rows, rated))
        rows = np.sort(np.concatenate([rated, others[: max(1, ratings.n_rows // 2) - 1]]))
    if what == "Every row twice":
        labels = ratings.row_labels
        doubled = replace(
            ratings,
            rows=np.concatenate([ratings.rows, ratings.rows + ratings.n_rows]),
            cols=np.tile(ratings.cols, 2),
            values=np.tile(ratings.values, 2),
            shape=(2 * ratings.n_rows, ratings.n_cols),
            row_labels=None
            if labels is None
            else labels + tuple(f"{label} (again)" for label in labels),
        )
        return Changed(doubled, np.tile(rows, 2), cols)
    return Changed(ratings.submatrix(rows, cols), rows, cols)


def answers(
    ratings: Ratings, checkpoint: str, steps: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(N, M) each: a checkpoint's estimates, and those of its prior."""
    found = MetaMFImputer(
        checkpoint, steps=steps, standardize=one_unit(checkpoint, ratings)
    ).impute(ratings)
    return found.mean, clipped(found.trajectory.estimate(0), found.limits)


def answers_of_mf(ratings: Ratings, seed: int = 0) -> np.ndarray:
    """(N, M) the estimates of matrix factorization from a random start."""
    found = factorize_by_steps(ratings, seed=seed).estimate()
    return clipped(found, ratings.scale or observed_range(ratings))


def learned_numbers(checkpoint: str) -> int:
    """Number of parameters of a checkpoint, the same for every matrix."""
    return sum(parameter.numel() for parameter in open_checkpoint(checkpoint).network.parameters())

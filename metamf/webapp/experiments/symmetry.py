"""No shared rows or columns: a checkpoint's answers when rows and columns are shuffled, halved or doubled.

A checkpoint has no number that belongs to a row or a column, so their order cannot matter: if P and Q permute rows and
columns, the answer to P X Q is P (answer to X) Q, up to the rounding of sums in another order. This has to hold for
permutations only. Half of the rows have other averages; doubled rows have the same averages, Eqs. (4) and (5), and
hence the same prior means, but every column has twice as many ratings, which pull twice as hard in Eq. (7).

Factors that are fitted to one matrix belong to its rows and columns: shuffled, they start again from random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from metamf.baselines.method import predictor
from metamf.baselines.mf import MF, MFConfig
from metamf.checkpoints.bundled import open_checkpoint
from metamf.imputer.estimator import MetaMFImputer
from metamf.ratings.limits import clipped, observed_range
from metamf.ratings.matrix import Ratings

Change = Literal["shuffle rows", "shuffle columns", "shuffle both", "halve", "double"]
CHANGES: tuple[Change, ...] = ("shuffle rows", "shuffle columns", "shuffle both", "halve", "double")
SHUFFLES = CHANGES[:3]
# Of the paper's grid (Section 4.3), with 100 updates: better than the mean on all small example matrices, where the
# default of ``MFConfig``, the strongest weight decay, answers with the mean.
MF_SETTINGS = MFConfig(rank=32, weight_decay=1e-2, learning_rate=1e-2, steps=100, loss="mean")


@dataclass(frozen=True, eq=False)
class Changed:
    """A matrix made of rows and columns of another, and their positions (n,), (m,) there; a row may occur twice."""

    ratings: Ratings
    rows: np.ndarray
    cols: np.ndarray

    def undone(self, X: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
        """(N, M) the values of ``X`` (n, m) in the order of the other matrix; NaN where it has none."""
        back = np.full(shape, np.nan)
        back[self.rows[::-1, None], self.cols[None, ::-1]] = X[::-1, ::-1]
        return back


@dataclass(frozen=True, eq=False)
class Answers:
    """A method's estimates (N, M) after the last step, and those of the prior, if there is one, in rating units and
    clipped to the scale."""

    prior: np.ndarray | None
    estimate: np.ndarray


@dataclass(frozen=True, eq=False)
class Comparison:
    """The answers to a matrix, (N, M), and to a changed one, (n, m)."""

    before: Answers
    after: Answers
    changed: Changed

    @property
    def undone(self) -> np.ndarray:
        """(N, M) the answer to the changed matrix, in the order of the first; NaN where it has no answer."""
        return self.changed.undone(self.after.estimate, self.before.estimate.shape)

    @property
    def difference(self) -> np.ndarray:
        """(N, M) difference of the answers once the change is undone, in rating units; NaN where there is none."""
        return self.undone - self.before.estimate

    @property
    def largest(self) -> float:
        """The largest difference of an answer, in rating units: of a shuffle, the equivariance error."""
        return float(np.nanmax(np.abs(self.difference)))

    @property
    def largest_of_prior(self) -> float | None:
        """The same for the prior's estimates; None for a method without a prior."""
        if self.before.prior is None or self.after.prior is None:
            return None
        undone = self.changed.undone(self.after.prior, self.before.prior.shape)
        return float(np.nanmax(np.abs(undone - self.before.prior)))


def change(ratings: Ratings, what: Change, seed: int) -> Changed:
    """A matrix made of ``ratings``.

    'halve' keeps half of the rows, at random, one at least and one with a rating among them; 'double' adds a second
    copy of all rows below the first.
    """
    rng = np.random.default_rng(seed)
    rows, cols = np.arange(ratings.n_rows), np.arange(ratings.n_cols)
    if what in ("shuffle rows", "shuffle both"):
        rows = rng.permutation(rows)
    if what in ("shuffle columns", "shuffle both"):
        cols = rng.permutation(cols)
    if what == "halve":
        rated = rng.choice(np.unique(ratings.rows), 1) if ratings.nnz else rows[:1]
        others = rng.permutation(np.delete(rows, rated))
        rows = np.sort(np.concatenate([rated, others[: max(1, ratings.n_rows // 2) - 1]]))
    if what == "double":
        return Changed(_doubled(ratings), np.tile(rows, 2), cols)
    return Changed(ratings.submatrix(rows, cols), rows, cols)


def compare(
    ratings: Ratings, changed: Changed, checkpoint: str, steps: int | None = None, before: Answers | None = None
) -> Comparison:
    """A checkpoint's answers to both matrices after ``steps`` rounds; ``before``: those to the first, if known."""
    before = before or answers(ratings, checkpoint, steps)
    return Comparison(before, answers(changed.ratings, checkpoint, steps), changed)


def compare_mf(
    ratings: Ratings, changed: Changed, config: MFConfig = MF_SETTINGS, before: Answers | None = None
) -> Comparison:
    """The answers of MF, trained on each matrix from the same random seed."""
    before = before or answers_of_mf(ratings, config)
    return Comparison(before, answers_of_mf(changed.ratings, config), changed)


def answers(ratings: Ratings, checkpoint: str, steps: int | None = None) -> Answers:
    """A checkpoint's answers to one matrix."""
    found = MetaMFImputer(checkpoint, steps=steps).impute(ratings)
    return Answers(clipped(found.trajectory.estimate(0), found.scale), found.mean)


def answers_of_mf(ratings: Ratings, config: MFConfig = MF_SETTINGS) -> Answers:
    """The answers of MF, trained on one matrix."""
    predict = predictor(MF(config), ratings)
    estimate = predict(np.arange(ratings.n_rows)[:, None], np.arange(ratings.n_cols))
    return Answers(None, clipped(estimate, ratings.scale or observed_range(ratings)))


def another_start(ratings: Ratings, config: MFConfig = MF_SETTINGS, before: Answers | None = None) -> float:
    """The largest difference, in rating units, between the answers of MF from two seeds to the same matrix."""
    before = before or answers_of_mf(ratings, config)
    other = answers_of_mf(ratings, replace(config, seed=config.seed + 1))
    return float(np.abs(before.estimate - other.estimate).max())


def learned_numbers(checkpoint: str) -> int:
    """Number of parameters of a checkpoint, the same for every matrix."""
    return sum(parameter.numel() for parameter in open_checkpoint(checkpoint)[0].network.parameters())


def fitted_numbers(shape: tuple[int, int], config: MFConfig = MF_SETTINGS) -> int:
    """How many numbers MF has to learn for a matrix of a shape (N, M): (N + M) K, each for one row or column."""
    return sum(shape) * config.rank


def _doubled(ratings: Ratings) -> Ratings:
    labels = ratings.row_labels
    return replace(
        ratings,
        rows=np.concatenate([ratings.rows, ratings.rows + ratings.n_rows]),
        cols=np.tile(ratings.cols, 2),
        values=np.tile(ratings.values, 2),
        shape=(2 * ratings.n_rows, ratings.n_cols),
        row_labels=None if labels is None else labels + tuple(f"{label} (again)" for label in labels),
    )

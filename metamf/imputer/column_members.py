"""Members beside the network, fitted to the columns of one matrix: a normal distribution and trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from metamf.baselines.normal import ColumnNormal, fit_normal
from metamf.baselines.residual_trees import ResidualTrees, can_grow, fit_residual_trees
from metamf.imputer.choice import SMALLEST_SCALE
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, SidedStandardization, SidedUnits

Beside = Literal["normal", "trees"]
BESIDE: tuple[Beside, ...] = "normal", "trees"
# Limits of the members; some ten seconds
MOST_BLENDED_COLUMNS, MOST_BLENDED_CELLS = 256, 2_000_000


@dataclass(frozen=True, eq=False)
class ColumnMembers:
    """The members that are fitted to the columns of one matrix.

    Parameters
    ----------
    units : units of the columns
    normal : normal distribution of the columns, in these units
    trees : forests for what it leaves over; None where there are none
    """

    units: SidedStandardization
    normal: ColumnNormal
    trees: ResidualTrees | None

    def __len__(self) -> int:
        return 1 if self.trees is None else 2

    @property
    def beside(self) -> Beside:
        """The name of these members."""
        return "normal" if self.trees is None else "trees"

    def completed(self, ratings: Ratings) -> tuple[np.ndarray, np.ndarray]:
        """Estimates (members, n, M) of all cells of rows with the same columns, and the predictive standard deviations
        (n, M) of the normal distribution, in rating units."""
        entries = _entries(ratings, self.units)
        mean, variance = self.normal.complete(*entries, ratings.n_rows)
        means = [mean] if self.trees is None else [mean, self.trees.complete(*entries, ratings.n_rows)]
        estimates = np.stack([each.numpy() * self.units.std + self.units.mean for each in means])
        return estimates, np.sqrt(variance.numpy()) * self.units.std


def can_blend(ratings: Ratings) -> bool:
    """Whether a matrix is small enough for members beside the network, has two columns at least, and numbers whose
    squares are numbers."""
    N, M = ratings.shape
    largest = float(np.abs(ratings.values).max(initial=0.0))
    small = M <= MOST_BLENDED_COLUMNS and N * M <= MOST_BLENDED_CELLS
    return small and M >= 2 and SMALLEST_SCALE < largest < 1 / SMALLEST_SCALE


def most_members(ratings: Ratings) -> Beside | None:
    """The most members for which a matrix is small enough; None: none."""
    if not can_blend(ratings):
        return None
    return "trees" if can_grow(ratings.shape) else "normal"


def fit_members(ratings: Ratings, beside: Beside, trees_of: int | None = None) -> ColumnMembers:
    """The members beside the network, fitted to a matrix.

    Parameters
    ----------
    ratings : the observed entries, in rating units
    beside : 'normal'; or 'trees', the normal distribution and trees, in a matrix that is small enough for them
    trees_of : the one column that gets trees; None: all columns do
    """
    units = SidedUnits(By.COLUMN).of(ratings)
    entries = _entries(ratings, units)
    normal = fit_normal(*entries, ratings.shape)
    grown = beside == "trees" and can_grow(ratings.shape)
    trees = fit_residual_trees(normal, *entries, ratings.n_rows, trees_of) if grown else None
    return ColumnMembers(units, normal, trees)


def _entries(ratings: Ratings, units: SidedStandardization) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    z = units.apply_at(ratings.values.astype(np.float64), ratings.rows, ratings.cols)
    order = np.argsort(ratings.rows, kind="stable")
    z, rows, cols = (torch.as_tensor(part[order]) for part in (z.clip(-1e6, 1e6), ratings.rows, ratings.cols))
    return z, rows, cols

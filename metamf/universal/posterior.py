"""The posterior of the extended model on a matrix: factors, effects, noise and the variance of an estimate."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from metamf.model.map_steps import Factors
from metamf.ratings.batch import RatingsBatch
from metamf.universal.effects import Effects, VarianceComponents
from metamf.universal.statistics import Statistics
from metamf.universal.variational import Posterior, Prior, estimate_variance, estimate_variance_matrix

OVERSTATED = 0.8  # log of the factor by which a score is too large at leverage 1 on meta-validation rows
LARGEST_LEVERAGE = 0.95  # so that no entry's residual is magnified without bound


class Context(NamedTuple):
    """The part of a matrix that was adapted to which new rows are read with.

    Attributes
    ----------
    effects, variances : effects of the matrix, and their variances
    col_stats : statistics of the columns
    column_terms : L tensors (M, C), the terms of the columns in each layer
    col_prior : prior of the columns
    cols_before : posterior of the columns with which the rows were last updated
    """

    effects: Effects
    variances: VarianceComponents
    col_stats: Statistics
    column_terms: list[Tensor]
    col_prior: Prior
    cols_before: Posterior


class AdaptedUniversal(NamedTuple):
    """The posterior of a batch of matrices, in standardised units.

    Attributes
    ----------
    factors : U = (u, a, 1) and V = (v, 1, b), so that U V^T is the estimate
    rows, cols : posteriors of the two sides
    log_noise : (), (N,), (M,) tensors, whose sum is the log of the noise variance of a cell
    context : the context in which new rows are folded in
    """

    factors: Factors
    rows: Posterior
    cols: Posterior
    log_noise: tuple[Tensor, Tensor, Tensor]
    context: Context

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """Estimates (n,) at the positions ``row``, ``col`` (n,) of the batch."""
        return torch.linalg.vecdot(self.factors.U.index_select(0, row), self.factors.V.index_select(0, col))

    def variance(self, row: Tensor, col: Tensor) -> Tensor:
        """Predictive variances (n,) of ratings at the positions ``row``, ``col`` (n,) of the batch.

        They are the cell's noise variance, times 1 plus the variance of the estimate in units of the noise. The model
        of ``variational`` has the noise level of the matrix as that unit; here it is the cell's own, since that is how
        the network was meta-trained and calibrated.
        """
        base, row_noise, col_noise = self.log_noise
        noise = (base + row_noise.index_select(0, row) + col_noise.index_select(0, col)).exp()
        return noise * (1 + estimate_variance(self.rows, self.cols, row, col))

    def left_out(self, support: RatingsBatch) -> Tensor:
        """Scores (nnz,) of the observed entries of ``support``, approximately as if each had been left out.

        A score is |x - estimate| in predictive standard deviations. Given the other side and the priors, an update is a
        linear Gaussian regression. In it the leverage h of an entry, its share in its own estimate, is the variance of
        the estimate times the precision of the entry; the left-out residual is e / (1 - h), as in PRESS (Allen 1974),
        and its variance s^2 / (1 - h), with the residual e and the noise variance s^2. So the score is
        |e| / (s sqrt(1 - h)). Here both sides have a share in h, and the priors have seen the entry; the factor
        exp(-``OVERSTATED`` h^2) corrects for that.
        """
        base, row_noise, col_noise = self.log_noise
        of_cell = row_noise.index_select(0, support.row) + col_noise.index_select(0, support.col)
        unit = self.context.variances.noise[support.row_matrix[support.row], 0]
        h = estimate_variance(self.rows, self.cols, support.row, support.col) * unit / of_cell.exp()
        h = h.clamp(max=LARGEST_LEVERAGE)
        residual = (support.x - self.predict(support.row, support.col)).abs()
        return residual / ((base + of_cell).exp() * (1 - h)).sqrt() * (-OVERSTATED * h.square()).exp()

    def variance_matrix(self, rows: slice = slice(None), cols: slice = slice(None)) -> Tensor:
        """Predictive variances (n, m) of ratings at all cells of one matrix, or at those of some rows and columns."""
        base, row_noise, col_noise = self.log_noise
        noise = (base + row_noise[rows].unsqueeze(1) + col_noise[cols]).exp()
        sides = (Posterior(side.mean[part], side.cov[part]) for side, part in ((self.rows, rows), (self.cols, cols)))
        return noise * (1 + estimate_variance_matrix(*sides))

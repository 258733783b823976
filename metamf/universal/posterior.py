"""What the extended model has found on a matrix: factors, effects, noise and the variance of an estimate."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from metamf.model.map_steps import Factors
from metamf.ratings.batch import RatingsBatch
from metamf.universal.effects import Effects, Variances
from metamf.universal.variational import Prior, Side, estimate_variance, estimate_variance_matrix

OVERSTATED, LARGEST_LEVERAGE = 0.8, 0.95  # see ``AdaptedUniversal.left_out``


class Facts(NamedTuple):
    """What is known of the rows, or of the columns, in closed form, before the network reads them."""

    effect: Tensor  # (n, 1)
    count: Tensor  # (n, 1)
    features: Tensor  # (n, F)
    precision: Tensor  # (n, 1) of the effect, in units of the noise, by the variance that effects have in the matrix
    unit: Tensor  # (n, 1) standard deviation of the noise in the matrix: the sweeps count in it


class Context(NamedTuple):
    """What new rows need of a matrix that was adapted to: everything that its columns know."""

    effects: Effects
    variances: Variances
    facts: Facts
    columns: list[Tensor]  # L tensors (M, C)
    prior: Prior  # of the columns
    before: Side  # the columns that the last update of the rows was made with


class AdaptedUniversal(NamedTuple):
    """The posterior of a batch of matrices, in standardised units."""

    factors: Factors  # U = (u, a, 1) and V = (v, 1, b), so that U V^T is the estimate
    rows: Side
    cols: Side
    log_noise: tuple[Tensor, Tensor, Tensor]  # (), (N,), (M,): the log of the noise variance of a cell is their sum
    context: Context

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) estimates at positions of the batch."""
        return torch.linalg.vecdot(self.factors.U.index_select(0, row), self.factors.V.index_select(0, col))

    def variance(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) predictive variances of ratings at positions of the batch: the cell's noise, and the uncertainty of the
        factors, which the cell's own noise scales, too, where the model of ``variational`` has the noise of all cells:
        that is how it was meta-trained and calibrated."""
        base, row_noise, col_noise = self.log_noise
        noise = (base + row_noise.index_select(0, row) + col_noise.index_select(0, col)).exp()
        return noise * (1 + estimate_variance(self.rows, self.cols, row, col))

    def left_out(self, support: RatingsBatch) -> Tensor:
        """(nnz,) residuals of the observed entries, each about as if it had not been observed, in predictive standard
        deviations.

        Given the other side and the priors, an update is a linear Gaussian regression, in which the leverage h, the
        share of an entry in its own estimate, is its variance times its precision, and the residual of the entry left
        out has the variance of its noise, times 1 - h, once divided by 1 - h. Here both sides share in h, and the
        priors have seen the entry: ``OVERSTATED`` was found on matrices of meta-validation rows.
        """
        base, row_noise, col_noise = self.log_noise
        of_cell = row_noise.index_select(0, support.row) + col_noise.index_select(0, support.col)
        unit = self.context.variances.noise[support.row_matrix[support.row], 0]
        h = estimate_variance(self.rows, self.cols, support.row, support.col) * unit / of_cell.exp()
        h = h.clamp(max=LARGEST_LEVERAGE)
        residual = (support.x - self.predict(support.row, support.col)).abs()
        return residual / ((base + of_cell).exp() * (1 - h)).sqrt() * (-OVERSTATED * h.square()).exp()

    def variance_matrix(self, rows: slice = slice(None), cols: slice = slice(None)) -> Tensor:
        """(n, m) predictive variances of ratings at all cells, or at those of some rows and columns, of one matrix."""
        base, row_noise, col_noise = self.log_noise
        noise = (base + row_noise[rows].unsqueeze(1) + col_noise[cols]).exp()
        sides = (Side(side.mean[part], side.cov[part]) for side, part in ((self.rows, rows), (self.cols, cols)))
        return noise * (1 + estimate_variance_matrix(*sides))

"""Shrunken row and column effects: what a practitioner would try first, and what the universal model starts from.

    x_nm = a_n + b_m + e_nm,    a_n ~ N(0, sigma_a^2),    b_m ~ N(0, sigma_b^2),    e_nm ~ N(0, sigma^2)

in standardised units, fitted by a few sweeps that take turns (backfitting): each sets the effects of one side to their
posterior mean given the other side, a_n = sum_m b_nm (x_nm - b_m) / (n_n + d_r) with the damping d_r = sigma^2 /
sigma_a^2. The variances are given, or each matrix's own are found in between the sweeps.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from metamf.ratings.batch import RatingsBatch


class Variances(NamedTuple):
    """Of each matrix, (D, 1), or alike for all of them, (), in standardised units, squared."""

    row: Tensor
    col: Tensor
    noise: Tensor


class Effects(NamedTuple):
    row: Tensor  # (N, 1)
    col: Tensor  # (M, 1)
    col_before: Tensor  # (M, 1) the column effects that the last row effects were found with


def shrunken_effects(batch: RatingsBatch, d_r: Tensor, d_c: Tensor, sweeps: int, col: Tensor | None = None) -> Effects:
    """``d_r``, ``d_c``: damping of rows and columns, in observations. With ``col`` (M, 1), only the rows are fitted, to
    columns that are known (folding in)."""
    fit = _Backfitting(batch)
    if col is not None:
        return Effects(fit.row(col, d_r), col, col)
    before = col = batch.x.new_zeros(batch.M, 1)
    for _ in range(sweeps):
        before = col
        row = fit.row(before, d_r)
        col, _ = fit.col(row, d_c)
    return Effects(row, col, before)


def fitted_effects(
    batch: RatingsBatch, expected: Variances, weight: Variances, sweeps: int
) -> tuple[Effects, Variances]:
    """Effects and, of each matrix, the variances that the last sweep was made with: variational EM.

    After each sweep but the last, a variance becomes the posterior expectation of the squares that it is the mean of,
    averaged with what is ``expected`` (scalars), which is worth ``weight`` squares (scalars): a matrix that tells
    little keeps what was expected. Only sums over rows and columns are needed, so that it costs less than the sweeps.
    """
    fit = _Backfitting(batch)
    variances = Variances(*(variance.expand(len(batch), 1) for variance in expected))
    before = col = batch.x.new_zeros(batch.M, 1)
    for sweep in range(sweeps):
        before = col
        row = fit.row(before, (variances.noise / variances.row)[batch.row_matrix])
        col, across = fit.col(row, (variances.noise / variances.col)[batch.col_matrix])
        if sweep < sweeps - 1:
            variances = fit.variances(variances, expected, weight, row, col, across)
    return Effects(row, col, before), variances


class _Backfitting:
    def __init__(self, batch: RatingsBatch):
        self.batch = batch
        x = batch.x.unsqueeze(1)
        self.row_total, self.col_total = batch.by_row.sum(x), batch.by_col.sum(x)  # (N, 1), (M, 1)

    @cached_property
    def squares(self) -> Tensor:
        """(D, 1) the sum of the squared entries of each matrix, float64."""
        return self.batch.rows_by_matrix.sum(self.batch.by_row.sum(self.batch.x.square().unsqueeze(1)).double())

    def row(self, col: Tensor, d_r: Tensor) -> Tensor:
        across = self.batch.by_row.sum_across(col, self.batch.by_col)
        return (self.row_total - across) / (self.batch.row_count + d_r)

    def col(self, row: Tensor, d_c: Tensor) -> tuple[Tensor, Tensor]:
        """The effects of the columns, and the sum over each column's entries of the rows' effects."""
        across = self.batch.by_col.sum_across(row, self.batch.by_row)
        return (self.col_total - across) / (self.batch.col_count + d_c), across

    def variances(self, now: Variances, expected: Variances, weight: Variances, row, col, across) -> Variances:
        """From posterior means ``row`` and ``col`` of the effects, and their variances by what the variances are
        ``now``; ``across``: as ``col`` returned it. The squared residuals are expanded, so that no entry is visited."""
        batch, parts = self.batch, []
        sides = (
            (row, now.row, self.row_total, batch.row_count, batch.row_matrix, batch.rows_by_matrix),
            (col, now.col, self.col_total - across, batch.col_count, batch.col_matrix, batch.cols_by_matrix),
        )
        for effect, variance, total, count, matrix, by_matrix in sides:
            posterior = now.noise[matrix] / (count + (now.noise / variance)[matrix])
            square = effect.square() + posterior
            seen = (count > 0).to(square.dtype)
            columns = torch.cat([seen, seen * square, count * square - 2 * effect * total], 1)
            parts.append(by_matrix.sum(columns.double()).split(1, 1))
        (rows, of_rows, change_by_rows), (cols, of_cols, change_by_cols) = parts
        residuals = (self.squares + change_by_rows + change_by_cols).clamp(min=0)
        found = (of_rows, rows), (of_cols, cols), (residuals, batch.matrix_count)
        return Variances(
            *(((total + w * prior) / (n + w)).to(row.dtype) for (total, n), prior, w in zip(found, expected, weight))
        )

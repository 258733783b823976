"""Shrunken row and column effects: the first thing to try, and the input of the universal model.

    x_nm = a_n + b_m + e_nm,    a_n ~ N(0, sigma_a^2),    b_m ~ N(0, sigma_b^2),    e_nm ~ N(0, sigma^2)

in standardised units, fitted by a few alternating sweeps (backfitting). Each sweep sets the effects of one side to
their posterior mean given the other side, a_n = (sum over the observed m of x_nm - b_m) / (n_n + d_r), with the number
n_n of observed entries and the damping d_r = sigma^2 / sigma_a^2. The variances are given, or those of each matrix are
estimated between the sweeps by variational EM (Neal and Hinton 1998).

``Statistics`` are what is known of rows and columns in closed form before the network reads the entries.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.segments import Segments


class VarianceComponents(NamedTuple):
    """Of each kind of variance a number: the variance, in standardised units squared, or that of squares which it is
    the mean of; (D, 1) each, or () for all matrices alike."""

    row: Tensor  # of the row effects
    col: Tensor  # of the column effects
    noise: Tensor  # of the entries around the sum of both effects


class Effects(NamedTuple):
    """Row and column effects in standardised units."""

    row: Tensor  # (N, 1)
    col: Tensor  # (M, 1)
    col_before: Tensor  # (M, 1) the column effects with which the row effects were last updated


def shrunken_effects(batch: RatingsBatch, d_r: Tensor, d_c: Tensor, sweeps: int) -> Effects:
    """Effects with given damping d_r of rows and d_c of columns, in observations.

    Each of the ``sweeps`` updates the rows and then the columns.
    """
    fit = _Backfitting(batch)
    before = col = batch.x.new_zeros(batch.M, 1)
    for _ in range(sweeps):
        before = col
        row = fit.row_effects(before, d_r)
        col, _ = fit.col_effects(row, d_c)
    return Effects(row, col, before)


def new_row_effects(rows: RatingsBatch, d_r: Tensor, col: Tensor) -> Tensor:
    """Effects (n, 1) of new rows, with given damping, next to known column effects ``col`` (M, 1) (folding in)."""
    return _Backfitting(rows).row_effects(col, d_r)


def fitted_effects(
    batch: RatingsBatch, expected: VarianceComponents, weight: VarianceComponents, sweeps: int
) -> tuple[Effects, VarianceComponents]:
    """Effects, and the variances of each matrix with which the last sweep was made, by variational EM.

    After each sweep but the last, every variance becomes the posterior expectation of the mean of the squares that it
    describes, averaged with the ``expected`` one, which counts as ``weight`` squares: a matrix with few entries keeps
    what was expected. Only sums over rows and columns are needed, so this costs less than the sweeps.

    ``expected`` are the variances before anything is observed, and ``weight`` the number of squares that each of them
    counts for, scalars; each of the ``sweeps`` updates the rows and then the columns.
    """
    fit = _Backfitting(batch)
    variances = VarianceComponents(*(variance.expand(len(batch), 1) for variance in expected))
    before = col = batch.x.new_zeros(batch.M, 1)
    for sweep in range(sweeps):
        before = col
        row = fit.row_effects(before, (variances.noise / variances.row)[batch.row_matrix])
        col, row_sum = fit.col_effects(row, (variances.noise / variances.col)[batch.col_matrix])
        if sweep < sweeps - 1:
            variances = fit.variances(variances, expected, weight, row, col, row_sum)
    return Effects(row, col, before), variances


class _Backfitting:
    def __init__(self, batch: RatingsBatch):
        self.batch = batch
        x = batch.x.unsqueeze(1)
        self.row_total, self.col_total = batch.by_row.sum(x), batch.by_col.sum(x)  # (N, 1), (M, 1)

    @cached_property
    def squares(self) -> Tensor:
        """The sum of the squared entries of each matrix, (D, 1), float64."""
        return self.batch.rows_by_matrix.sum(self.batch.by_row.sum(self.batch.x.square().unsqueeze(1)).double())

    def row_effects(self, col: Tensor, d_r: Tensor) -> Tensor:
        """The row effects (N, 1) given the column effects (M, 1)."""
        col_sum = self.batch.by_row.sum_across(col, self.batch.by_col)
        return (self.row_total - col_sum) / (self.batch.row_count + d_r)

    def col_effects(self, row: Tensor, d_c: Tensor) -> tuple[Tensor, Tensor]:
        """The column effects (M, 1) given the row effects (N, 1), and the sum (M, 1) of these over each column."""
        row_sum = self.batch.by_col.sum_across(row, self.batch.by_row)
        return (self.col_total - row_sum) / (self.batch.col_count + d_c), row_sum

    def variances(
        self,
        now: VarianceComponents,
        expected: VarianceComponents,
        weight: VarianceComponents,
        row: Tensor,
        col: Tensor,
        row_sum: Tensor,
    ) -> VarianceComponents:
        """The variances of each matrix after a sweep.

        The expected squared residuals of a matrix are its squared entries plus what the row effects, and then the
        column effects, change in them; so no entry is visited.

        now : the variances with which the posterior means ``row`` (N, 1) and ``col`` (M, 1) were found
        row_sum : (M, 1) sum of the row effects over the entries of each column
        """
        batch = self.batch
        n_rows, of_rows, by_rows = _expected_squares(
            row, self.row_total, batch.row_count, batch.rows_by_matrix, now.row, now.noise
        )
        n_cols, of_cols, by_cols = _expected_squares(
            col, self.col_total - row_sum, batch.col_count, batch.cols_by_matrix, now.col, now.noise
        )
        totals = of_rows, of_cols, (self.squares + by_rows + by_cols).clamp(min=0)
        numbers = n_rows, n_cols, batch.matrix_count
        means = ((total + w * prior) / (n + w) for total, n, prior, w in zip(totals, numbers, expected, weight))
        return VarianceComponents(*(mean.to(row.dtype) for mean in means))


def _expected_squares(
    effect: Tensor, total: Tensor, count: Tensor, by_matrix: Segments, variance: Tensor, noise: Tensor
) -> tuple[Tensor, ...]:
    """Posterior expectations of the rows, or of the columns, from their posterior means ``effect`` (n, 1).

    ``total`` (n, 1) are sums over their ``count`` (n, 1) entries, x minus the effects of the other side that were
    fitted before; ``variance`` and ``noise`` (D, 1) those of the prior. Returns sums over each matrix, (D, 1) float64:
    the number of those with an entry, the expected squares of their effects, and the change of the expected sum of
    squared residuals by their effects.
    """
    matrix = by_matrix.index
    square = effect.square() + noise[matrix] / (count + (noise / variance)[matrix])  # E[a^2]
    seen = (count > 0).to(square.dtype)
    sums = torch.cat([seen, seen * square, count * square - 2 * effect * total], 1)
    return by_matrix.sum(sums.double()).split(1, 1)


class Side(IntEnum):
    """The two sides of a matrix; where parameters are stacked, the index of each."""

    ROWS = 0
    COLS = 1


class Statistics(NamedTuple):
    """Statistics of the n rows, or of the n columns, of a batch; in standardised units."""

    effect: Tensor  # (n, 1) shrunken effect
    count: Tensor  # type: ignore[assignment]  # (n, 1) number of observed entries
    log_count: Tensor  # (n, 1) log(count + 1) / 5
    root_share: Tensor  # (n, 1) square root of the observed share of its cells
    log_length: Tensor  # (n, 1) log(number of its cells + 1) / 5
    log_variances: Tensor  # (n, 3) logarithms of its matrix's variances, over 4; (n, 0) without variance components
    effect_precision: Tensor  # (n, 1) prior precision of the effect over that of the noise; 1 without components
    noise_deviation: Tensor  # (n, 1) standard deviation of the noise in its matrix, the unit of the sweeps


def statistics_of(
    side: Side, batch: RatingsBatch, effect: Tensor, variances: VarianceComponents, components: bool
) -> Statistics:
    """The statistics of one side of a batch, from its shrunken effects (n, 1) and the matrices' variances (D, 1) each.

    ``components`` says whether the variances were estimated for each matrix.
    """
    if side is Side.ROWS:
        count = batch.row_count
        cells = batch.n_cols
        matrix = batch.row_matrix
        of_effect = variances.row
    else:
        count = batch.col_count
        cells = batch.n_rows
        matrix = batch.col_matrix
        of_effect = variances.col
    log_variances = effect.new_empty(len(effect), 0)
    effect_precision = torch.ones_like(effect)
    if components:
        log_variances = torch.cat(variances, 1).log()[matrix] / 4
        effect_precision = (variances.noise / of_effect)[matrix]
    counts = count_features(count, cells[matrix].to(effect.dtype).unsqueeze(1))
    return Statistics(effect, count, *counts, log_variances, effect_precision, variances.noise.sqrt()[matrix])


def count_features(count: Tensor, cells: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """``log_count``, ``root_share`` and ``log_length`` of ``Statistics``, of ``count`` entries among ``cells``.

    The divisor 5 brings logarithms of realistic sizes to the order of 1.
    """
    return (count + 1).log() / 5, (count / cells).sqrt(), (cells + 1).log() / 5

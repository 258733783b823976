"""Shrunken row and column effects: the first thing to try, and the input of the universal model.

    x_nm = a_n + b_m + e_nm,    a_n ~ N(0, sigma_a^2),    b_m ~ N(0, sigma_b^2),    e_nm ~ N(0, sigma^2)

in standardised units, fitted by a few alternating sweeps (backfitting). Each sweep sets the effects
of one side to their posterior mean given the other side, a_n = (sum over the observed m of x_nm -
b_m) / (n_n + d_r), with the number n_n of observed entries and the damping d_r = sigma^2 /
sigma_a^2. The variances of each matrix are estimated between the sweeps by variational EM (Neal and
Hinton 1998).

``Statistics`` are what is known of rows and columns in closed form before the network reads the
entries.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.segments import Segments


class VarianceComponents(NamedTuple):
    """Of each kind of variance a number: the variance, in standardised units squared, or that of
    squares which it is the mean of; (D, 1) each, or () for all matrices alike."""

    row: Tensor  # of the row effects
    col: Tensor  # of the column effects
    noise: Tensor  # of the entries around the sum of both effects


class Effects(NamedTuple):
    """Row and column effects in standardised units."""

    row: Tensor  # (N, 1)
    col: Tensor  # (M, 1)
    col_before: Tensor  # (M, 1) the column effects with which the row effects were last updated


def new_row_effects(rows: RatingsBatch, d_r: Tensor, col: Tensor) -> Tensor:
    """Effects (n, 1) of new rows, with given damping, next to known column effects ``col`` (M, 1)
    (folding in)."""
    left = rows.by_row.sum(rows.x.unsqueeze(1)) - rows.by_row.sum_across(col, rows.by_col)
    return left / (rows.row_count + d_r)


def fitted_effects(
    batch: RatingsBatch, expected: VarianceComponents, weight: VarianceComponents, sweeps: int
) -> tuple[Effects, VarianceComponents]:
    """Effects, and the variances of each matrix with which the last sweep was made, by variational
    EM.

    After each sweep but the last, every variance becomes the posterior expectation of the mean of
    the squares that it describes, averaged with the ``expected`` one, which counts as ``weight``
    squares: a matrix with few entries keeps what was expected. The expected squared residuals of a
    matrix are its squared entries plus what the row effects, and then the column effects, change in
    them; so no entry is visited, and this costs less than the sweeps.

    ``expected`` are the variances before anything is observed, and ``weight`` the number of squares
    that each of them counts for, scalars; each of the ``sweeps`` updates the rows and then the
    columns.
    """
    x = batch.x.unsqueeze(1)
    row_total = batch.by_row.sum(x)  # (N, 1)
    col_total = batch.by_col.sum(x)  # (M, 1)
    squares = batch.rows_by_matrix.sum(batch.by_row.sum(x.square()).double())  # (D, 1)
    variances = VarianceComponents(*(variance.expand(len(batch), 1) for variance in expected))
    before = col = x.new_zeros(batch.M, 1)
    for sweep in range(sweeps):
        before = col
        damping = (variances.noise / variances.row)[batch.row_matrix]
        row = (row_total - batch.by_row.sum_across(before, batch.by_col)) / (
            batch.row_count + damping
        )
        left = col_total - batch.by_col.sum_across(row, batch.by_row)  # (M, 1)
        damping = (variances.noise / variances.col)[batch.col_matrix]
        col = left / (batch.col_count + damping)
        if sweep == sweeps - 1:
            break
        n_rows, of_rows, by_rows = _expected_squares(
            row, row_total, batch.row_count, batch.rows_by_matrix, variances.row, variances.noise
        )
        n_cols, of_cols, by_cols = _expected_squares(
            col, left, batch.col_count, batch.cols_by_matrix, variances.col, variances.noise
        )
        totals = of_rows, of_cols, (squares + by_rows + by_cols).clamp(min=0)
        numbers = n_rows, n_cols, batch.matrix_count
        variances = VarianceComponents(
            *(
                ((total + w * prior) / (n + w)).to(row.dtype)
                for total, n, prior, w in zip(totals, numbers, expected, weight)
            )
        )
    return Effects(row, col, before), variances


def _expected_squares(
    effect: Tensor,
    total: Tensor,
    count: Tensor,
    by_matrix: Segments,
    variance: Tensor,
    noise: Tensor,
) -> tuple[Tensor, ...]:
    """Posterior expectations of the rows, or of the columns, from their posterior means ``effect``
    (n, 1).

    ``total`` (n, 1) are sums over their ``count`` (n, 1) entries, x minus the effects of the other
    side that were fitted before; ``variance`` and ``noise`` (D, 1) those of the prior. Returns sums
    over each matrix, (D, 1) float64: the number of those with an entry, the expected squares of
    their effects, and the change of the expected sum of squared residuals by their effects.
    """
    matrix = by_matrix.index
    square = effect.square() + noise[matrix] / (count + (noise / variance)[matrix])  # E[a^2]
    seen = (count > 0).to(square.dtype)
    sums = torch.cat([seen, seen * square, count * square - 2 * effect * total], 1)
    return by_matrix.sum(sums.double()).split(1, 1)


class Statistics(NamedTuple):
    """Statistics of the n rows, or of the n columns, of a batch; in standardised units."""

    effect: Tensor  # (n, 1) shrunken effect
    count: Tensor  # type: ignore[assignment]  # (n, 1) number of observed entries
    log_count: Tensor  # (n, 1) log(count + 1) / 5
    # (n, 5) square root of the observed share of its cells, log(number of its cells + 1) / 5, and
    # the logarithms of its matrix's three variances, over 4
    others: Tensor
    effect_precision: Tensor  # (n, 1) prior precision of the effect over that of the noise
    # (n, 1) standard deviation of the noise in its matrix, the unit of the sweeps
    noise_deviation: Tensor


def statistics_of(
    effect: Tensor,
    variance: Tensor,
    variances: VarianceComponents,
    count: Tensor,
    cells: Tensor,
    matrix: Tensor,
) -> Statistics:
    """The statistics of one side of a batch, from its shrunken effects (n, 1), their prior variance
    and all variances of the matrices, (D, 1) each, the number of observed entries (n, 1), the
    number of cells of a row, or column, of each matrix (D,), and the matrix (n,).

    The divisors 5 and 4 bring logarithms of realistic sizes to the order of 1.
    """
    cells = cells[matrix].to(effect.dtype).unsqueeze(1)  # (n, 1)
    log_variances = torch.cat(variances, 1).log()[matrix] / 4  # (n, 3)
    others = torch.cat([(count / cells).sqrt(), (cells + 1).log() / 5, log_variances], 1)
    return Statistics(
        effect,
        count,
        (count + 1).log() / 5,
        others,
        (variances.noise / variance)[matrix],
        variances.noise.sqrt()[matrix],
    )

"""Shrunken row and column effects: what a practitioner would try first, and what the universal model starts from.

    x_nm = a_n + b_m + e_nm,    a_n ~ N(0, sigma^2 / d_r),    b_m ~ N(0, sigma^2 / d_c)

in standardised units, fitted by a few sweeps that take turns (backfitting): each sets the effects of one side to their
posterior mean given the other side, a_n = sum_m b_nm (x_nm - b_m) / (n_n + d_r).
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from metamf.ratings import RatingsBatch


class Effects(NamedTuple):
    row: Tensor  # (N, 1)
    col: Tensor  # (M, 1)
    col_before: Tensor  # (M, 1) the column effects that the last row effects were found with


def shrunken_effects(batch: RatingsBatch, d_r: Tensor, d_c: Tensor, sweeps: int, col: Tensor | None = None) -> Effects:
    """``d_r``, ``d_c``: damping of rows and columns, in observations. With ``col`` (M, 1), only the rows are fitted, to
    columns that are known (folding in)."""
    x = batch.x.unsqueeze(1)
    by_row, by_col = batch.by_row, batch.by_col
    row_total, row_weight = by_row.sum(x), batch.row_count + d_r  # (N, 1)
    if col is not None:
        return Effects((row_total - by_row.sum_across(col, by_col)) / row_weight, col, col)
    col_total, col_weight = by_col.sum(x), batch.col_count + d_c  # (M, 1)
    col = x.new_zeros(batch.M, 1)
    for _ in range(sweeps):
        before = col
        row = (row_total - by_row.sum_across(before, by_col)) / row_weight
        col = (col_total - by_col.sum_across(row, by_row)) / col_weight
    return Effects(row, col, before)

"""Exchangeable matrix layers, Eq. (3) of the paper, on the observed entries only.

A layer multiplies z by b before it uses it, so nothing but the observed entries of its input is ever read, and its
output at a cell (n, m) is the sum of three terms, one per entry, one per row, one per column. ``Terms`` keeps them
apart: their sum at the observed entries feeds the next layer in O(nnz), and the averages over all cells of a row or of
a column, which Eq. (4) needs, are exact in O(nnz + N + M).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from metamf.ratings.batch import RatingsBatch


class Terms(NamedTuple):
    """The output of a linear exchangeable layer at every cell: entry (observed cells only) + row + col."""

    entry: Tensor  # (nnz, C) zero at every cell without an observation
    row: Tensor  # (N, C)
    col: Tensor  # (M, C) with the term of the whole matrix and the bias

    def at_observed(self, batch: RatingsBatch) -> Tensor:
        """(nnz, C) the output at the observed entries."""
        return self.entry + batch.by_row.gather(self.row) + batch.by_col.gather(self.col)


class Averages(NamedTuple):
    """The output of a linear exchangeable layer averaged over all cells, observed or not: the arguments in Eq. (4)."""

    row: Tensor  # (N, C) over the M cells of each row
    col: Tensor  # (M, C) over the N cells of each column


class ExchangeableLayer(nn.Module):
    """One exchangeable matrix layer without its activation, Eq. (3).

    The five weights w_1 ... w_5 of the paper are ``entry``, ``column``, ``row``, ``matrix`` (each C x C') and ``bias``.
    An average over no observation is zero. Source: Hartford et al. (2018), Eq. (3) of the paper.
    """

    def __init__(self, in_channels: int, out_channels: int):
        super().__init__()
        weight = lambda: nn.Parameter(torch.empty(in_channels, out_channels))  # noqa: E731
        self.entry, self.column, self.row, self.matrix = weight(), weight(), weight(), weight()
        self.bias = nn.Parameter(torch.zeros(out_channels))
        for parameter in (self.entry, self.column, self.row, self.matrix):
            # the four terms add up, so each gets a quarter of the variance of He's initialisation
            if not parameter.is_meta:  # a second saved when a checkpoint is loaded: torch would import its compiler
                nn.init.normal_(parameter, std=math.sqrt(2 / (4 * in_channels)))

    def forward(self, z: Tensor, batch: RatingsBatch, col: Tensor | None = None) -> Terms:
        """z: (nnz, C) at the observed entries -> Terms with C' channels.

        ``col`` (M, C'), where given, replaces the term of the columns: that is how new rows are read in the context of
        columns that were seen before (folding in).
        """
        row_term, col_term = self.row_and_column_terms(batch.by_row.sum(z), batch.by_col.sum(z), batch, col)
        return Terms(z @ self.entry, row_term, col_term)

    def averages(self, z: Tensor, batch: RatingsBatch, col: Tensor | None = None) -> tuple[Averages, Tensor]:
        """The averages of the same output over all cells, and the term of the columns.

        The entries' term is linear, so its sum over a row is the weight times the sum of z over that row.
        """
        row_sum, col_sum = batch.by_row.sum(z), batch.by_col.sum(z)  # (N, C), (M, C)
        row_term, col_term = self.row_and_column_terms(row_sum, col_sum, batch, col)
        N, M = (sizes.to(z.dtype).unsqueeze(1) for sizes in (batch.n_rows, batch.n_cols))  # (D, 1)
        col_average = batch.cols_by_matrix.sum(col_term) / M  # (D, C')
        row_average = batch.rows_by_matrix.sum(row_term) / N  # (D, C')
        over_row = torch.addmm(row_term, row_sum / M[batch.row_matrix], self.entry)
        over_col = torch.addmm(col_term, col_sum / N[batch.col_matrix], self.entry)
        return Averages(
            over_row + batch.rows_by_matrix.gather(col_average), over_col + batch.cols_by_matrix.gather(row_average)
        ), col_term

    def row_and_column_terms(self, row_sum, col_sum, batch: RatingsBatch, col: Tensor | None) -> tuple[Tensor, Tensor]:
        """(N, C'), (M, C') from the sums of z over the entries of each row, (N, C), and of each column, (M, C)."""
        if col is None:
            col_mean = col_sum / batch.col_count.clamp(min=1)  # (M, C)
            matrix_mean = batch.rows_by_matrix.sum(row_sum) / batch.matrix_count.clamp(min=1)  # (D, C)
            whole = torch.addmm(self.bias, matrix_mean, self.matrix)  # (D, C')
            col = torch.addmm(batch.cols_by_matrix.gather(whole), col_mean, self.column)  # (M, C')
        row_mean = row_sum / batch.row_count.clamp(min=1)  # (N, C)
        return row_mean @ self.row, col

"""Exchangeable matrix layers, Eq. (4) of the paper, on the observed entries only.

A layer multiplies z by b before it uses it, so nothing but the observed entries of its input is ever read, and its
output at a cell (n, m) is the sum of three terms, one per entry, one per row, one per column. ``Terms`` keeps them
apart: their sum at the observed entries feeds the next layer in O(nnz), and the averages over all cells of a row or of
a column, which Eq. (5) needs, are exact in O(nnz + N + M).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from metamf.ratings.batch import RatingsBatch


class Terms(NamedTuple):
    """The output of a linear exchangeable layer at every cell: entry (observed cells only) + row + col.

    Attributes
    ----------
    entry : (nnz, C) terms of the observed entries; zero at every other cell
    row : (N, C) terms of the rows
    col : (M, C) terms of the columns, which include the term of the whole matrix and the bias
    """

    entry: Tensor
    row: Tensor
    col: Tensor

    def at_observed(self, batch: RatingsBatch) -> Tensor:
        """The output at the observed entries, (nnz, C)."""
        return self.entry + batch.by_row.gather(self.row) + batch.by_col.gather(self.col)


class Averages(NamedTuple):
    """The output of a linear exchangeable layer averaged over all cells, observed or not: the arguments in Eq. (5).

    Attributes
    ----------
    row : (N, C) averages over the M cells of each row
    col : (M, C) averages over the N cells of each column
    """

    row: Tensor
    col: Tensor


class ExchangeableLayer(nn.Module):
    """One exchangeable matrix layer without its activation, Eq. (4).

    The five weights w_1 ... w_5 of the paper are ``entry``, ``column``, ``row``, ``matrix`` (each C x C') and ``bias``.
    The mean of an empty row, column or matrix is defined as 0. Source: Hartford et al. (2018), Eq. (4) of the paper.

    Parameters
    ----------
    in_channels, out_channels : C, C'
    """

    def __init__(self, in_channels: int, out_channels: int):
        super().__init__()
        self.entry = nn.Parameter(torch.empty(in_channels, out_channels))
        self.column = nn.Parameter(torch.empty(in_channels, out_channels))
        self.row = nn.Parameter(torch.empty(in_channels, out_channels))
        self.matrix = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.zeros(out_channels))
        for parameter in (self.entry, self.column, self.row, self.matrix):
            # the four terms add up, so each gets a quarter of the variance of He's initialisation
            if not parameter.is_meta:  # torch would import its compiler, which takes a second of loading a checkpoint
                nn.init.normal_(parameter, std=math.sqrt(2 / (4 * in_channels)))

    def forward(self, z: Tensor, batch: RatingsBatch, col: Tensor | None = None) -> Terms:
        """The output as three terms with C' channels.

        Parameters
        ----------
        z : (nnz, C) the input at the observed entries
        batch : the observed entries
        col : (M, C') terms of the columns to use in place of those of ``batch``: new rows are read in the context of
            columns that were seen before (folding in)
        """
        row_term, col_term = self.row_and_column_terms(batch.by_row.sum(z), batch.by_col.sum(z), batch, col)
        return Terms(z @ self.entry, row_term, col_term)

    def averages(self, z: Tensor, batch: RatingsBatch, col: Tensor | None = None) -> tuple[Averages, Tensor]:
        """The averages of the same output over all cells, and the terms (M, C') of the columns.

        The terms of the entries are linear, so their sum over a row is the sum of z over that row times the weight.
        Parameters as for ``forward``.
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
        """The terms of the rows (N, C') and of the columns (M, C').

        row_sum, col_sum : (N, C), (M, C) sums of z over the entries of each row and of each column
        """
        if col is None:
            col_mean = col_sum / batch.col_count.clamp(min=1)  # (M, C)
            matrix_mean = batch.rows_by_matrix.sum(row_sum) / batch.matrix_count.clamp(min=1)  # (D, C)
            whole = torch.addmm(self.bias, matrix_mean, self.matrix)  # (D, C') term of the whole matrix, and bias
            col = torch.addmm(batch.cols_by_matrix.gather(whole), col_mean, self.column)  # (M, C')
        row_mean = row_sum / batch.row_count.clamp(min=1)  # (N, C)
        return row_mean @ self.row, col

"""Exchangeable matrix layers, Eq. (4), on the observed entries only.

A layer multiplies z by b before it uses it, so only the observed entries of its input are ever
read, and its output at a cell (n, m) is a sum of three terms, one each for the entry, its row and
its column. ``Terms`` keeps them apart: their sum at the observed entries feeds the next layer in
O(nnz), and the averages over all cells of a row or of a column, which Eq. (5) needs, are exact in
O(nnz + N + M).

Source of the layers: Hartford et al. (2018), "Deep models of interactions across sets".
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from metamf.ratings.batch import RatingsBatch


class Terms(NamedTuple):
    """The output of a linear exchangeable layer at every cell (n, m): entry (observed cells only) +
    row[n] + col[m]."""

    entry: Tensor  # (nnz, C) zero at every cell that is not observed
    row: Tensor  # (N, C)
    col: Tensor  # (M, C) with the term of the whole matrix and the bias

    def at_observed(self, batch: RatingsBatch) -> Tensor:
        """Returns the output at the observed entries, (nnz, C)."""
        return self.entry + batch.by_row.gather(self.row) + batch.by_col.gather(self.col)


class Averages(NamedTuple):
    """The output of a linear exchangeable layer averaged over all cells, observed or not: the
    arguments in Eq. (5)."""

    row: Tensor  # (N, C) over the M cells of each row
    col: Tensor  # (M, C) over the N cells of each column


class ExchangeableLayer(nn.Module):
    """One exchangeable matrix layer without its activation, Eq. (4), from C to C' channels.

    The weights w_1 ... w_5 of the paper are ``entry``, ``column``, ``row``, ``matrix`` (C, C') each
    and ``bias`` (C',). The mean of an empty row, column or matrix is defined as 0. A layer that
    reads features of rows or columns, beyond the paper, has a term a_n A of each row and a_m B of
    each column more; A (P, C') and B (Q, C') are ``of_row_features`` and ``of_col_features``.
    """

    of_row_features: nn.Parameter | None
    of_col_features: nn.Parameter | None

    def __init__(
        self, in_channels: int, out_channels: int, row_features: int = 0, col_features: int = 0
    ):
        super().__init__()
        self.entry = nn.Parameter(torch.empty(in_channels, out_channels))
        self.column = nn.Parameter(torch.empty(in_channels, out_channels))
        self.row = nn.Parameter(torch.empty(in_channels, out_channels))
        self.matrix = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.zeros(out_channels))
        for parameter in (self.entry, self.column, self.row, self.matrix):
            # the four terms add up, so each gets a quarter of the variance of He's initialisation
            # torch would import its compiler, which takes a second of loading a checkpoint
            if not parameter.is_meta:
                nn.init.normal_(parameter, std=math.sqrt(2 / (4 * in_channels)))
        for name, size in (("of_row_features", row_features), ("of_col_features", col_features)):
            # from zero on, so that features of any size leave the first MAP steps as they are
            self.register_parameter(
                name, nn.Parameter(torch.zeros(size, out_channels)) if size else None
            )

    def forward(self, z: Tensor, batch: RatingsBatch, col: Tensor | None = None) -> Terms:
        """Returns the output as three terms with C' channels.

        Parameters
        ----------
        z : (nnz, C) the input at the observed entries
        batch : the observed entries
        col : (M, C') terms of the columns that replace those of ``batch``, to read new rows in the
            context of columns that were read before (folding in)
        """
        row_term, col_term = self.row_and_column_terms(
            batch.by_row.sum(z), batch.by_col.sum(z), batch, col
        )
        return Terms(z @ self.entry, row_term, col_term)

    def averages(
        self, z: Tensor, batch: RatingsBatch, col: Tensor | None = None
    ) -> tuple[Averages, Tensor]:
        """Returns the averages of the same output over all cells, and the terms (M, C') of the
        columns.

        The terms of the entries are linear, so their sum over a row is the sum of z over that row
        times the weight. When folding in, the averages over the columns mean nothing: the other
        rows of the columns are not here.
        """
        row_sum, col_sum = batch.by_row.sum(z), batch.by_col.sum(z)  # (N, C), (M, C)
        # (N, C'), (M, C')
        row_term, col_term = self.row_and_column_terms(row_sum, col_sum, batch, col)
        N, M = (sizes.to(z.dtype).unsqueeze(1) for sizes in (batch.n_rows, batch.n_cols))  # (D, 1)
        col_average = batch.cols_by_matrix.sum(col_term) / M  # (D, C')
        row_average = batch.rows_by_matrix.sum(row_term) / N  # (D, C')
        over_row = torch.addmm(row_term, row_sum / M[batch.row_matrix], self.entry)  # (N, C')
        over_col = torch.addmm(col_term, col_sum / N[batch.col_matrix], self.entry)  # (M, C')
        return Averages(
            over_row + batch.rows_by_matrix.gather(col_average),
            over_col + batch.cols_by_matrix.gather(row_average),
        ), col_term

    def row_and_column_terms(
        self, row_sum: Tensor, col_sum: Tensor, batch: RatingsBatch, col: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Returns the terms of the rows (N, C') and columns (M, C') from sums of z, (N, C) and (M,
        C), over them."""
        if col is None:
            col_mean = col_sum / batch.col_count.clamp(min=1)  # (M, C)
            # (D, C)
            matrix_mean = batch.rows_by_matrix.sum(row_sum) / batch.matrix_count.clamp(min=1)
            whole = torch.addmm(self.bias, matrix_mean, self.matrix)  # (D, C')
            col = torch.addmm(batch.cols_by_matrix.gather(whole), col_mean, self.column)  # (M, C')
            if self.of_col_features is not None and batch.col_features is not None:
                col = torch.addmm(col, batch.col_features, self.of_col_features)
        row = (row_sum / batch.row_count.clamp(min=1)) @ self.row  # (N, C')
        if self.of_row_features is not None and batch.row_features is not None:
            row = torch.addmm(row, batch.row_features, self.of_row_features)
        return row, col

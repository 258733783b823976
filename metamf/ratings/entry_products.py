"""Inner products at the observed entries alone: u_n . v_m for every entry (n, m) of a batch."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor

from metamf.ratings.batch import RatingsBatch

warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")  # in the whole process; the tests hold it


class EntryProducts:
    """Adds products to values, in place; not differentiable.

    On CPU a sampled matrix product, which reads U and V where they are, without an (nnz, K) intermediate; elsewhere,
    and where the entries do not lie row by row, the products of copies of their rows.
    """

    def __init__(self, batch: RatingsBatch):
        self.row, self.col, self.shape = batch.row, batch.col, (batch.N, batch.M)
        self.sampled = batch.x.device.type == "cpu" and batch.by_row.in_order
        if self.sampled:
            self.bounds = torch.cat([batch.by_row.starts, batch.by_row.starts.new_tensor([len(batch.row)])])

    def add(self, values: Tensor, U: Tensor, V: Tensor) -> Tensor:
        """values (nnz,), in the order of ``batch.x``, plus the products of U (N, K) and V (M, K)."""
        if not self.sampled:
            return values.add_(torch.linalg.vecdot(U.index_select(0, self.row), V.index_select(0, self.col)))
        pattern = torch.sparse_csr_tensor(self.bounds, self.col, values, self.shape, check_invariants=False)  # a view
        torch.sparse.sampled_addmm(pattern, U, V.t(), out=pattern)
        return values

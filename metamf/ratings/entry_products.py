"""Inner products at the observed entries alone: u_n . v_m for every entry (n, m) of a batch."""

from __future__ import annotations

import warnings
from functools import cache

import torch
from torch import Tensor

from metamf.ratings.batch import RatingsBatch


class EntryProducts:
    """Adds the products to values, in place; not differentiable.

    On a CPU this is a sampled matrix product, which reads U and V where they are, without an (nnz, K) intermediate.
    Elsewhere, and where the entries are not sorted by row, the rows of U and V are copied for every entry.

    Parameters
    ----------
    batch : the observed entries
    """

    def __init__(self, batch: RatingsBatch):
        self.row, self.col, self.shape = batch.row, batch.col, (batch.N, batch.M)
        self.sampled = batch.x.device.type == "cpu" and batch.by_row.in_order
        if self.sampled:
            self.bounds = torch.cat([batch.by_row.starts, batch.by_row.starts.new_tensor([len(batch.row)])])  # (N + 1,)
            _use_up_the_beta_warning()

    def add(self, values: Tensor, U: Tensor, V: Tensor) -> Tensor:
        """Adds u_n . v_m to ``values`` (nnz,), in the order of ``batch.x``; U (N, K), V (M, K)."""
        if not self.sampled:
            return values.add_(torch.linalg.vecdot(U.index_select(0, self.row), V.index_select(0, self.col)))
        pattern = torch.sparse_csr_tensor(self.bounds, self.col, values, self.shape, check_invariants=False)  # a view
        torch.sparse.sampled_addmm(pattern, U, V.t(), out=pattern)
        return values


@cache
def _use_up_the_beta_warning() -> None:
    """Lets torch say once in a process that sparse CSR tensors are in beta, where nobody has to hear it.

    A filter would have to stay in the whole process: warnings are filtered by the program, not by the library.
    """
    none = torch.zeros(0, dtype=torch.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.sparse_csr_tensor(torch.zeros(2, dtype=torch.int64), none, none.float(), (1, 1))

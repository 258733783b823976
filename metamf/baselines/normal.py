"""A normal distribution over the columns, fitted by EM (not in the paper).

``metamf.network.tables.normal`` has the equations: the table network stands on the same one.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from metamf.baselines.method import PerMatrix, check_settings
from metamf.baselines.stacked import AdaptedTable, PaddedMatrices
from metamf.network.tables.normal import fit_normals, left_out, standard
from metamf.ratings.batch import RatingsBatch

PLAIN = 6  # iterations that are not relaxed


@dataclass(frozen=True)
class NormalConfig:
    """Settings of the normal distribution. Shrinkages of 0.3 to 1 are equally good on the deciding
    half of benchmarks/tables."""

    shrinkage: float = 0.5  # nu, the rows that the target counts for, over the number of columns
    iterations: int = 60  # of EM, at most
    # EM ends when no covariance changes by more, in units of the largest variance
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        check_settings(self, "shrinkage", "tolerance", iterations=0)


class Normal(PerMatrix):
    """Conditional means of the normal distribution; of an observed cell, given the others."""

    default = NormalConfig()

    @torch.no_grad()
    def adapt(self, support: RatingsBatch) -> AdaptedTable:
        padded = PaddedMatrices(support)
        table = support.x.new_zeros(padded.shape)
        Z = padded.dense(support.x).double()
        B = padded.mask.double()
        sizes = torch.stack([support.n_rows, support.n_cols], 1).tolist()
        for d, (N, M) in enumerate(sizes):
            own = Z[d : d + 1, :N, :M], B[d : d + 1, :N, :M]
            table[d, :N, :M] = self._completed(*own).to(table)
        return AdaptedTable(table, padded)

    def _completed(self, Z: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
        """(N, M) the means of all cells of a table (1, N, M)."""
        start = standard(1, Z.shape[2], Z)
        config = self.config
        normals = fit_normals(
            Z, B, start, config.shrinkage, config.iterations, PLAIN, config.tolerance
        )
        return left_out(Z, B, normals)[0][0]

"""What the table network reads of tables: of each cell a few numbers, and of each pair of columns
their correlations.

``TableColumns`` is what the given cells of a table say of its columns, two normal distributions
among it, one shrunken as ``metamf.baselines.normal`` is and one less. Any rows with these columns
can be read with it (``TableRows``): those of the table, or new ones. Shapes as in
``metamf.network.tables.normal``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Self

import torch
from torch import Tensor

from metamf.network.tables.normal import Normals, correlations, fit_normals, left_out, standard

FEATURES = 22  # of a cell
PAIR_FEATURES = 4
SHRINKAGE, LESS_SHRINKAGE = 0.5, 0.05
PLAIN, LESS_ITERATIONS, LESS_PLAIN = 6, 8, 2  # iterations of EM, see ``fit_normals``
LARGEST_FEATURE = 10.0
LARGEST_ENTRY = 1e6
LOWEST_RANK = 1e-3  # of an entry in its column, from 0 to 1


@dataclass(frozen=True, eq=False)
class TableRows:
    """Rows of D tables, as the network reads them; in the units of the entries."""

    features: Tensor  # (D, N, M, FEATURES)
    pairs: Tensor  # (D, M, M, PAIR_FEATURES)
    estimate: Tensor  # (D, N, M) of the normal distribution, each without its own entry
    less_shrunken: Tensor  # (D, N, M) of the other one
    deviation: Tensor  # (D, N, M) of the first
    low: Tensor  # (D, 1, M) lowest and highest entry of each column
    high: Tensor

    def to(self, dtype: torch.dtype) -> TableRows:
        return TableRows(*(getattr(self, field.name).to(dtype) for field in fields(self)))

    def tables(self, some: slice | Tensor) -> TableRows:
        """Some of the tables."""
        return TableRows(*(getattr(self, field.name)[some] for field in fields(self)))

    def clipped(self, estimates: Tensor) -> Tensor:
        """Estimates (D, N, M) within what their columns hold."""
        return torch.maximum(torch.minimum(estimates, self.high), self.low)


@dataclass(frozen=True, eq=False)
class TableColumns:
    """What is known of the columns of D tables."""

    rows: int  # N
    count: Tensor  # (D, M) entries
    ordered: Tensor  # (D, M, N) entries, ascending, then infinity
    normals: Normals
    less_shrunken: Normals
    features: Tensor  # (D, M, 8)
    pairs: Tensor  # (D, M, M, PAIR_FEATURES)

    @classmethod
    def of(
        cls,
        Z: Tensor,
        B: Tensor,
        iterations: int,
        tolerance: float = 0.0,
        like: TableColumns | None = None,
        useful: Tensor | None = None,
    ) -> Self:
        """Those of tables Z (D, N, M) with entries where B is 1, by some iterations of EM, from
        the covariances of tables that are nearly the same, if there are any; ``tolerance`` and
        ``useful`` as in ``fit_normals``."""
        D, N, M = Z.shape
        Z = (Z * B).clamp(-LARGEST_ENTRY, LARGEST_ENTRY)
        start = standard(D, M, Z) if like is None else like.normals
        plain = PLAIN if like is None else LESS_PLAIN
        first = fit_normals(Z, B, start, SHRINKAGE, iterations, plain, tolerance, useful)
        second = fit_normals(
            Z, B, first, LESS_SHRINKAGE, LESS_ITERATIONS, LESS_PLAIN, useful=useful
        )
        count = B.sum(1)
        entries = torch.where(B > 0, Z, torch.inf).transpose(1, 2).contiguous()
        ordered = entries.sort(-1).values

        def mean_of(values: Tensor) -> Tensor:
            return (values * B).sum(1) / count.clamp(min=1)

        differ = (ordered[..., 1:] > ordered[..., :-1]) & torch.isfinite(ordered[..., 1:])
        distinct = (1 + differ.sum(-1)) / count.clamp(min=1)
        mean = mean_of(Z)
        scale = mean_of(Z**2).clamp(min=1e-4).sqrt()
        own = (Z - mean.unsqueeze(1)) / scale.unsqueeze(1)
        errors = [mean_of((Z - left_out(Z, B, normals)[0]) ** 2) for normals in (first, second)]
        features = [
            mean,
            scale.log(),
            count.clamp(min=1).log() / 3 - 1,
            distinct.clamp(min=1e-3).log(),
            _squashed(mean_of(own**3)),
            _squashed(mean_of(own**4)) - 1.4,
            *(error.clamp(min=1e-5).log() / 2 for error in errors),
        ]
        correlation, partial = correlations(second.covariance)
        pairs = torch.stack([correlation, correlation.abs(), partial, partial.abs()], -1).clamp(
            -1, 1
        )
        return cls(N, count, ordered, first, second, torch.stack(features, -1), pairs)

    def read(self, Z: Tensor, B: Tensor) -> TableRows:
        """Rows with these columns, Z (D, n, M) with entries where B is 1."""
        D, n, M = Z.shape
        Z = (Z * B).clamp(-LARGEST_ENTRY, LARGEST_ENTRY)
        estimate, variance = left_out(Z, B, self.normals)
        other, other_variance = left_out(Z, B, self.less_shrunken)
        deviation = variance.sqrt()
        other_deviation = other_variance.sqrt()
        cell = [
            B,
            _squashed(Z),
            self._scores(Z, B),
            _squashed(estimate),
            deviation.log(),
            _squashed((Z - estimate) / deviation * B),
            _squashed(other),
            other_deviation.log(),
            _squashed((Z - other) / other_deviation * B),
            _squashed((other - estimate) / deviation),
        ]
        share = self.count.sum(1) / (self.rows * M)
        row = torch.stack([B.mean(2), share.unsqueeze(1).expand(D, n)], -1)
        size = Z.new_tensor([math.log(self.rows) / 3 - 1, math.log(M) / 2 - 1])
        parts = [
            torch.stack(cell, -1),
            self.features.unsqueeze(1).expand(D, n, M, -1),
            row.unsqueeze(2).expand(D, n, M, -1),
            size.expand(D, n, M, -1),
        ]
        features = torch.cat(parts, -1).clamp(-LARGEST_FEATURE, LARGEST_FEATURE).nan_to_num()
        last = (self.count.long() - 1).clamp(min=0).unsqueeze(-1)
        ends = self.ordered[..., :1], self.ordered.gather(2, last)
        low, high = (torch.where(torch.isfinite(end), end, 0.0).transpose(1, 2) for end in ends)
        return TableRows(features, self.pairs.nan_to_num(), estimate, other, deviation, low, high)

    def _scores(self, Z: Tensor, B: Tensor) -> Tensor:
        """(D, n, M) the normal score of each entry's mean rank in its column, 0 elsewhere."""
        entries = torch.where(B > 0, Z, torch.inf).transpose(1, 2).contiguous()
        below = torch.searchsorted(self.ordered, entries, right=False)
        up_to = torch.searchsorted(self.ordered, entries, right=True)
        rank = (below + up_to) / 2 / self.count.clamp(min=1).unsqueeze(-1)
        return (
            torch.special.ndtri(rank.clamp(LOWEST_RANK, 1 - LOWEST_RANK)).transpose(1, 2).to(Z) * B
        )


def _squashed(values: Tensor) -> Tensor:
    return values.sign() * values.abs().log1p()

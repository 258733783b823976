"""AutoRec and DMF: neural networks that are fitted to each matrix by itself (the paper's Section
4.3).

AutoRec (Sedhain et al. 2015) is an autoencoder of the rows or of the columns of a matrix,

    minimise  mean over observed (n, m) of (x_nm - f(x_n)_m)^2  +  weight decay,

where x_n is row n with zeros for missing values (AutoRecI; x_m, column m, for AutoRecU) and f a
feed-forward network. The names follow the paper, where AutoRecI reads rows and AutoRecU reads
columns.

DMF, deep matrix factorization (Xue et al. 2017), multiplies the outputs of two such networks, its
towers:

    minimise  mean over observed (n, m) of (x_nm - f(x_n) . g(x_m))^2  +  weight decay.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from metamf.baselines.method import PerMatrix
from metamf.baselines.stacked import (
    AdaptedTable,
    FitConfig,
    PaddedMatrices,
    StackedNetwork,
    entry_weights,
    minimise,
)
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class AutoRecConfig(FitConfig):
    """Settings of AutoRec beyond those of every fit: the paper's units and linear layers, and the
    side that the network reads and reproduces, 'rows' (AutoRecI) or 'columns' (AutoRecU)."""

    hidden: int = 32
    layers: int = 4
    reads: str = "rows"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reads not in ("rows", "columns"):
            raise ValueError(f"reads must be 'rows' or 'columns', got {self.reads!r}")


class AutoRec(PerMatrix):
    """AutoRec of the rows or of the columns."""

    default = AutoRecConfig()

    def adapt(self, support: RatingsBatch) -> AdaptedTable:
        padded = PaddedMatrices(support)
        config = self.config
        x, weight = (
            padded.dense(support.x),
            padded.dense(entry_weights(support, config)),
        )  # (D, n, m)
        size = support.n_cols
        if config.reads == "columns":
            x = x.mT
            weight = weight.mT
            size = support.n_rows
        network = StackedNetwork(size, config.hidden, config.layers, size, support.x, [config.seed])

        def loss() -> Tensor:
            return (weight * (network(x) - x).square()).sum()

        minimise(loss, network.parameters, config)
        table = network(x)
        return AdaptedTable(table.mT if config.reads == "columns" else table, padded)


@dataclass(frozen=True)
class DMFConfig(FitConfig):
    """Settings of DMF beyond those of every fit: the paper's units and linear layers of a tower,
    and K."""

    hidden: int = 32
    layers: int = 4
    rank: int = 32


class DMF(PerMatrix):
    """Deep matrix factorization."""

    default = DMFConfig()

    def adapt(self, support: RatingsBatch) -> AdaptedTable:
        padded = PaddedMatrices(support)
        config = self.config
        x = padded.dense(support.x)  # (D, n, m)
        weight = padded.dense(entry_weights(support, config))
        K = torch.full_like(support.n_rows, config.rank)
        f, g = (
            StackedNetwork(size, config.hidden, config.layers, K, support.x, [config.seed, side])
            for side, size in enumerate((support.n_cols, support.n_rows))
        )

        def estimate() -> Tensor:
            return f(x) @ g(x.mT).mT  # (D, n, K) @ (D, K, m)

        def loss() -> Tensor:
            return (weight * (estimate() - x).square()).sum()

        minimise(loss, f.parameters + g.parameters, config)
        return AdaptedTable(estimate(), padded)

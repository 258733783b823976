"""DMF: deep matrix factorization of each matrix by itself (Section 4.3; Xue et al. 2017).

    minimise  mean over observed (n, m) of (x_nm - f(x_n) . g(x_m))^2  +  weight decay,

where x_n and x_m are row n and column m with zeros for missing values, and f and g feed-forward networks: the towers.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from metamf.baselines.layout import AdaptedTable, Layout
from metamf.baselines.stacked import FitConfig, StackedNetwork, entry_weights, minimise, paper_grid
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class DMFConfig(FitConfig):
    """Towers of four linear layers of 32 units and K = 32 factors, as in the paper."""

    hidden: int = 32
    layers: int = 4
    rank: int = 32


class DMF(nn.Module):
    """No parameters of its own: two towers per matrix of the batch, all fitted at once."""

    grid = paper_grid(DMFConfig())

    def __init__(self, config: DMFConfig = DMFConfig()):
        super().__init__()
        self.config = config

    def adapt(self, support: RatingsBatch) -> AdaptedTable:
        layout, config = Layout(support), self.config
        x = layout.dense(support.x)  # (D, n, m)
        weight = layout.dense(entry_weights(support, config))
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
        return AdaptedTable(estimate(), layout)

"""DMF: deep matrix factorization of each matrix by itself (Section 4.3; Xue et al. 2017).

    minimise  mean over observed (n, m) of (x_nm - f(x_n) . g(x_m))^2  +  weight decay,

where x_n and x_m are row n and column m with zeros for missing values, and f and g are feed-forward
networks, the two towers.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from metamf.baselines.padding import AdaptedTable, PaddedMatrices
from metamf.baselines.spec import FITTED_PER_MATRIX, MethodSpec
from metamf.baselines.stacked import FitConfig, StackedNetwork, entry_weights, minimise, paper_grid
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class DMFConfig(FitConfig):
    """Settings of DMF beyond those of every fit; the defaults are the paper's.

    Parameters
    ----------
    hidden : the number of units of a hidden layer
    layers : the number of linear layers of a tower
    rank : K, the number of factors
    """

    hidden: int = 32
    layers: int = 4
    rank: int = 32


class DMF(nn.Module):
    """No parameters of its own: two towers per matrix of the batch, all fitted at once."""

    def __init__(self, config: DMFConfig = DMFConfig()):
        super().__init__()
        self.config = config

    def adapt(self, support: RatingsBatch) -> AdaptedTable:
        padded, config = PaddedMatrices(support), self.config
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


SPEC = MethodSpec(
    key="dmf",
    label="DMF",
    kind=FITTED_PER_MATRIX,
    explanation="Two neural networks turn rows and columns into factors, whose product gives the ratings.",
    method=DMF,
    default=DMFConfig(),
    grid=paper_grid(DMFConfig()),
    cells=2_000_000,
)

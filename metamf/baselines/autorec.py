"""AutoRec: an autoencoder of the rows or of the columns of each matrix (Section 4.3; Sedhain et al. 2015).

    minimise  mean over observed (n, m) of (x_nm - f(x_n)_m)^2  +  weight decay,

where x_n is row n with zeros for missing values (AutoRecI; x_m, column m, for AutoRecU) and f a feed-forward network.
The paper says that AutoRecI reads rows and AutoRecU reads columns, and the names here follow the paper.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from metamf.baselines.layout import AdaptedTable, Layout
from metamf.baselines.stacked import FitConfig, StackedNetwork, entry_weights, minimise
from metamf.ratings.batch import RatingsBatch

INPUTS = ("rows", "columns")


@dataclass(frozen=True)
class AutoRecConfig(FitConfig):
    """Four linear layers of 32 units, as in the paper. ``reads``: 'rows' (AutoRecI) or 'columns' (AutoRecU)."""

    hidden: int = 32
    layers: int = 4
    reads: str = "rows"

    def __post_init__(self):
        super().__post_init__()
        if self.reads not in INPUTS:
            raise ValueError(f"reads must be 'rows' or 'columns', got {self.reads!r}")


class AutoRec(nn.Module):
    """No parameters of its own: one network per matrix of the batch, all fitted at once."""

    def __init__(self, config: AutoRecConfig = AutoRecConfig()):
        super().__init__()
        self.config = config

    def adapt(self, support: RatingsBatch) -> AdaptedTable:
        layout, config = Layout(support), self.config
        x, weight = layout.dense(support.x), layout.dense(entry_weights(support, config))  # (D, n, m)
        size = support.n_cols
        if config.reads == "columns":
            x, weight, size = x.mT, weight.mT, support.n_rows
        network = StackedNetwork(size, config.hidden, config.layers, size, support.x, [config.seed])

        def loss() -> Tensor:
            return (weight * (network(x) - x).square()).sum()

        minimise(loss, network.parameters, config)
        table = network(x)
        return AdaptedTable(table.mT if config.reads == "columns" else table, layout)

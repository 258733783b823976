"""The table network: attention over the rows of a column and over the columns of a row, in turn.

    estimate = e + a (e' - e) + b e + s c,

with the estimate e of a normal distribution over the columns, its standard deviation s, the estimate e' of a less
shrunken one, and three outputs a, b, c of the network for each cell; without training they are zero. Every cell has a
state of ``width`` numbers. A layer lets it attend to the cells of its column, then to those of its row, where pairs of
columns weigh by their correlations, and then moves it on its own. Nothing depends on the order of rows or columns.

Rows attend to those of the fitted table alone, so that a row gets the same estimates on its own as among others.
Meta-training: ``metamf.recipes.tables``. Attention over both sides of a table is from Kossen et al. (2021),
"Self-Attention Between Datapoints"; training on made-up tables from Hollmann et al. (2023), "TabPFN".
"""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from metamf.learning.episodes import canonical_lines
from metamf.network.tables.reading import FEATURES, PAIR_FEATURES, TableColumns, TableRows
from metamf.ratings.matrix import Ratings

CONTEXT_ROWS = 512  # of a longer table, that its rows attend to
ITERATIONS = 60  # of EM; the estimates of the deciding half of benchmarks/tables no longer change
DOUBLE_UP_TO = 2_000  # cells of a table that is read in double precision
FEWEST_COLUMNS = 2
MOST_SECONDS = 4.0  # that a table may take on one core, with the weighing
ROWS_AT_ONCE_CELLS = 20_000
START = 0.007  # standard deviation of the weights of what a layer adds to the states


@dataclass(frozen=True)
class TableNetworkConfig:
    """Sizes of a table network."""

    width: int = 128  # of a cell's state; a multiple of ``heads``
    layers: int = 6
    heads: int = 4
    hidden: int = 256  # of the network for each cell


class TableLayer(nn.Module):
    """Attention over rows, over columns, and a network for each cell."""

    def __init__(self, config: TableNetworkConfig):
        super().__init__()
        d = config.width
        self.heads = config.heads
        self.rows_norm = nn.LayerNorm(d)
        self.cols_norm = nn.LayerNorm(d)
        self.cell_norm = nn.LayerNorm(d)
        self.rows_in = nn.Linear(d, 3 * d, bias=False)
        self.cols_in = nn.Linear(d, 3 * d, bias=False)
        self.rows_out = nn.Linear(d, d, bias=False)
        self.cols_out = nn.Linear(d, d, bias=False)
        self.pair_weight = nn.Linear(PAIR_FEATURES, config.heads)
        self.up = nn.Linear(d, config.hidden)
        self.down = nn.Linear(config.hidden, d)

    def forward(self, h: Tensor, context: Tensor, pairs: Tensor) -> Tensor:
        """The states h (D, n, M, d) after this layer; ``context`` (D, N, M, d) are those of the rows that are attended
        to, before it."""
        q, k, v = self.rows_in(self.rows_norm(h)).chunk(3, -1)
        if context is not h:
            _, k, v = self.rows_in(self.rows_norm(context)).chunk(3, -1)
        q, k, v = (self._split(part).permute(0, 2, 3, 1, 4) for part in (q, k, v))  # (D, M, heads, n or N, d / heads)
        found = functional.scaled_dot_product_attention(q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1))
        h = h + self.rows_out(found.view_as(q).permute(0, 3, 1, 2, 4).flatten(3))
        q, k, v = (self._split(part).transpose(2, 3) for part in self.cols_in(self.cols_norm(h)).chunk(3, -1))
        weight = self.pair_weight(pairs).permute(0, 3, 1, 2).unsqueeze(1)  # (D, 1, heads, M, M)
        logits = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + weight
        found = logits.softmax(-1) @ v  # (D, n, heads, M, d / heads)
        h = h + self.cols_out(found.transpose(2, 3).flatten(3))
        return h + self.down(functional.gelu(self.up(self.cell_norm(h))))

    def _split(self, states: Tensor) -> Tensor:
        """(..., d) -> (..., heads, d / heads)"""
        return states.unflatten(-1, (self.heads, -1))


class TableNetwork(nn.Module):
    """Estimates of all cells of tables; the normal distribution's, before training."""

    def __init__(self, config: TableNetworkConfig = TableNetworkConfig()):
        super().__init__()
        d = config.width
        self.config = config
        self.into = nn.Sequential(nn.Linear(FEATURES, d), nn.GELU(), nn.Linear(d, d))
        self.layers = nn.ModuleList(TableLayer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, 3)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def start_small(self) -> None:
        """Draws small weights for what a layer adds to the states, to begin training with."""
        for name, weight in self.named_parameters():
            if name.endswith(("rows_out.weight", "cols_out.weight", "down.weight")):
                nn.init.normal_(weight, std=START)

    def forward(self, context: TableRows, asked: TableRows | None = None) -> Tensor:
        """Estimates (D, n, M) of all cells of the rows that are ``asked``, by default those of the context, in the
        units of the entries; not clipped."""
        dtype = self.head.weight.dtype
        pairs = context.pairs.to(dtype)
        h = self.into(context.features.to(dtype))
        states = h if asked is None else self.into(asked.features.to(dtype))
        for layer in self.layers:
            before = h
            h = layer(before, before, pairs)
            states = h if asked is None else layer(states, before, pairs)
        out = self.head(self.norm(states)).to(context.estimate.dtype)
        rows = context if asked is None else asked
        e = rows.estimate
        return e * (1 + out[..., 2]) + (rows.less_shrunken - e) * out[..., 1] + rows.deviation * out[..., 0]


@dataclass(frozen=True, eq=False)
class TableReader:
    """The network, fitted to the columns of one table."""

    network: TableNetwork
    columns: TableColumns
    Z: np.ndarray  # (N, M) the rows that are attended to
    context: TableRows  # the same, read

    @torch.inference_mode()
    def complete(self, Z: np.ndarray) -> np.ndarray:
        """(n, M) estimates of all cells of any rows Z (n, M) with NaN in their gaps, in the units of the fit, within
        what their columns hold."""
        if np.array_equal(Z, self.Z, equal_nan=True):
            return self._finite(self.network(self.context), self.context)
        n, M = Z.shape
        found = np.empty((n, M))
        at_once = max(1, ROWS_AT_ONCE_CELLS // M)
        for start in range(0, n, at_once):
            rows = self.columns.read(*_dense(Z[start : start + at_once])).to(self.context.features.dtype)
            found[start : start + at_once] = self._finite(self.network(self.context, rows), rows)
        return found

    def _finite(self, estimates: Tensor, rows: TableRows) -> np.ndarray:
        """(n, M) estimates that are numbers, within what their columns hold."""
        estimates = torch.where(torch.isfinite(estimates), estimates, rows.estimate)
        return rows.clipped(estimates)[0].double().numpy()


def seconds_to_read(shape: tuple[int, int]) -> float:
    """About how long a matrix (N, M) takes on one core, with the weighing (``benchmarks.speed.members``)."""
    N, M = shape
    return N * M * (2.4e-4 + 6.5e-6 * M)


def can_read(shape: tuple[int, int]) -> bool:
    """Whether a matrix (N, M) is small enough for the table network, and has a column to learn from."""
    return shape[1] >= FEWEST_COLUMNS and seconds_to_read(shape) <= MOST_SECONDS


@torch.inference_mode()
def fit_reader(network: TableNetwork, Z: np.ndarray) -> TableReader:
    """Fits the network to a table Z (N, M) with NaN in its gaps, in units in which columns vary by about one.

    Of a table of more than ``CONTEXT_ROWS`` rows, that many are attended to, evenly spaced in an order of their values.
    """
    columns = TableColumns.of(*_dense(Z), ITERATIONS)
    rows = Z
    if len(Z) > CONTEXT_ROWS:
        at = np.nonzero(~np.isnan(Z))
        order, _ = canonical_lines(Ratings(at[0], at[1], Z[at], (len(Z), Z.shape[1])))
        rows = Z[order[np.linspace(0, len(Z) - 1, CONTEXT_ROWS).round().astype(int)]]
    dtype = torch.double if Z.size <= DOUBLE_UP_TO else torch.float
    read = columns.read(*_dense(rows)).to(dtype)
    return TableReader(_in_precision(network, dtype), columns, rows, read)


@lru_cache(maxsize=2)
def _in_precision(network: TableNetwork, dtype: torch.dtype) -> TableNetwork:
    """The network, or a copy of it in another precision, which is kept for the next table."""
    return network if network.head.weight.dtype == dtype else deepcopy(network).to(dtype)


def _dense(Z: np.ndarray) -> tuple[Tensor, Tensor]:
    """A table with NaN in its gaps as one of D = 1: entries, and where they are."""
    given = ~np.isnan(Z)
    entries = torch.as_tensor(np.where(given, Z, 0.0))
    return entries.unsqueeze(0), torch.as_tensor(given).double().unsqueeze(0)

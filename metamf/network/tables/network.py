"""The table network: attention over the rows of a column and over the columns of a row, in turn.

    estimate = e + a (e' - e) + b e + s c,    deviation = s exp(d),

with the estimate e of a normal distribution over the columns, its standard deviation s, the
estimate e' of a less shrunken one, and four outputs a, b, c, d of the network for each cell;
without training they are zero. Every cell has a state of ``width`` numbers. A layer lets it attend to the
cells of its column, then to those of its row, where pairs of columns weigh by their correlations,
and then moves it on its own. Nothing depends on the order of rows or columns.

Rows attend to those of the fitted table alone, so that a row gets the same estimates on its own as
among others. Meta-training: ``metamf.recipes.tables``. Attention over both sides of a table is from
Kossen et al. (2021), "Self-Attention Between Datapoints"; training on made-up tables from Hollmann
et al. (2023), "TabPFN".
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
DOUBLE_UP_TO = 500  # cells of a table that is read in double precision
ITERATIONS_LIKE = 12  # the same from the covariance of nearly the same table
TOLERANCE = 1e-3  # of a covariance, in units of the largest variance, at which EM ends
MOST_ROWS = 5_000  # that the normal distribution is fitted to
MOST_WORK = 500_000_000  # rows x columns^3 of an iteration
FEWEST_ROWS = 2  # for each column, that it has to be fitted to where there are as many
MOST_COLUMNS = 256
MOST_CELLS = 2_000_000
MOST_READ = 150_000  # cells, each more costly by a share of the columns that it attends to
COSTLY_COLUMNS = 40  # that double the cost of a cell
NUMBERS_AT_ONCE = 4_000_000  # in the inverses for rows that are read at once
CELLS_OF_A_LAYER = 8_000  # that a layer moves at once, so that they stay in the cache
START = 0.007  # standard deviation of the weights of what a layer adds to the states
# of freedom of the t distribution of errors, which has heavier tails than the normal distribution
DEGREES = 8
LARGEST_LOG_DEVIATION = 0.4  # in natural logarithms, from the normal distribution's


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

    def read(self, context: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values (D, M, heads, N, d / heads) of the rows that are attended to, whose
        states before this layer are ``context`` (D, N, M, d)."""
        d = context.shape[-1]
        k, v = linear(self.rows_norm(context), self.rows_in.weight[d:]).chunk(2, -1)
        return self._by_column(k), self._by_column(v)

    def forward(self, h: Tensor, read: tuple[Tensor, Tensor], pairs: Tensor) -> Tensor:
        """The states h (D, n, M, d) after this layer, by what ``read`` says of the rows that are
        attended to."""
        d = h.shape[-1]
        q = self._by_column(linear(self.rows_norm(h), self.rows_in.weight[:d]))
        k, v = (part.flatten(0, 1) for part in read)
        found = functional.scaled_dot_product_attention(q.flatten(0, 1), k, v)
        found = found.view_as(q).permute(0, 3, 1, 2, 4).flatten(3)  # (D, n, M, d)
        h = h + linear(found, self.rows_out.weight)
        q, k, v = (
            self._split(part).transpose(2, 3)
            for part in linear(self.cols_norm(h), self.cols_in.weight).chunk(3, -1)
        )  # (D, n, heads, M, d / heads)
        weight = self.pair_weight(pairs).permute(0, 3, 1, 2).unsqueeze(1)  # (D, 1, heads, M, M)
        logits = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + weight
        found = logits.softmax(-1) @ v  # (D, n, heads, M, d / heads)
        h = h + linear(found.transpose(2, 3).flatten(3), self.cols_out.weight)
        up = functional.gelu(linear(self.cell_norm(h), self.up.weight, self.up.bias))
        return h + linear(up, self.down.weight, self.down.bias)

    def _by_column(self, states: Tensor) -> Tensor:
        """(D, n, M, d) -> (D, M, heads, n, d / heads)"""
        return self._split(states).permute(0, 2, 3, 1, 4)

    def _split(self, states: Tensor) -> Tensor:
        """(..., d) -> (..., heads, d / heads)"""
        return states.unflatten(-1, (self.heads, -1))


def linear(states: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A linear layer of the states (D, n, M, d).

    In single precision a convolution over one cell computes the same in about half of the time, on
    processors for which torch has only a slow product of matrices.
    """
    if torch.is_grad_enabled() or states.dtype != torch.float or states.device.type != "cpu":
        return functional.linear(states, weight, bias)
    rows = states.flatten(0, 1).unsqueeze(2).permute(0, 3, 1, 2)  # (D n, d, M, 1), as it lies
    found = functional.conv2d(rows, weight[:, :, None, None], bias)
    return found.permute(0, 2, 3, 1).reshape(*states.shape[:3], -1)


class TableNetwork(nn.Module):
    """Estimates of all cells of tables and their deviations; the normal distribution's, before
    training."""

    def __init__(self, config: TableNetworkConfig = TableNetworkConfig()):
        super().__init__()
        d = config.width
        self.config = config
        self.into = nn.Sequential(nn.Linear(FEATURES, d), nn.GELU(), nn.Linear(d, d))
        self.layers = nn.ModuleList(TableLayer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, 4)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def start_small(self) -> None:
        """Draws small weights for what a layer adds to the states, to begin training with."""
        for name, weight in self.named_parameters():
            if name.endswith(("rows_out.weight", "cols_out.weight", "down.weight")):
                nn.init.normal_(weight, std=START)

    def forward(self, rows: TableRows, context: int | None = None) -> tuple[Tensor, Tensor]:
        """Estimates of all cells of rows, of which the first ``context`` are attended to, by
        default all, not clipped, and their deviations: the scales of a t distribution (``DEGREES``)
        of their errors. (D, n, M) each, in the units of the entries."""
        return self.said(self.states(rows, context), rows)

    def states(self, rows: TableRows, context: int | None = None) -> Tensor:
        """The states (D, n, M, d) that the outputs of cells are linear in."""
        dtype = self.head.weight.dtype
        pairs = rows.pairs.to(dtype)
        h = self.into(rows.features.to(dtype))
        n, M = h.shape[1:3]
        at_once = n if torch.is_grad_enabled() else max(1, CELLS_OF_A_LAYER // M)
        for layer in self.layers:
            assert isinstance(layer, TableLayer)
            read = layer.read(h[:, :context])
            h = torch.cat([layer(part, read, pairs) for part in h.split(at_once, 1)], 1)
        return self.norm(h)

    def said(self, states: Tensor, rows: TableRows) -> tuple[Tensor, Tensor]:
        """What ``forward`` returns, by the ``states`` of the rows."""
        out = self.head(states).to(rows.estimate.dtype)
        log = out[..., 3].clamp(-LARGEST_LOG_DEVIATION, LARGEST_LOG_DEVIATION)
        estimates = (
            rows.estimate * (1 + out[..., 2])
            + (rows.less_shrunken - rows.estimate) * out[..., 1]
            + rows.deviation * out[..., 0]
        )
        return estimates, rows.deviation * log.exp()


@dataclass(frozen=True, eq=False)
class TableReader:
    """The normal distribution and, unless the table is too large, the network, fitted to the
    columns of one table."""

    network: TableNetwork | None
    columns: TableColumns
    Z: np.ndarray  # (N, M) the rows that are attended to
    precision: torch.dtype

    @torch.inference_mode()
    def complete(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Estimates of all cells of any rows Z (n, M) with NaN in their gaps, and their deviations,
        (n, M) each, in the units of the fit.

        The estimate of an entry follows from the others of its row, and stays within what its
        column holds. Rows that are alike, or attended to, are read once.
        """
        context = [] if self.network is None else [*self.Z]
        place = {row.tobytes(): n for n, row in enumerate(context)}
        new: list[np.ndarray] = []
        for row in Z:
            if place.setdefault(row.tobytes(), len(context) + len(new)) == len(context) + len(new):
                new.append(row)
        M = Z.shape[1]
        at_once = max(1, min(MOST_READ // M, NUMBERS_AT_ONCE // M**2))
        parts = []
        for start in range(0, max(1, len(new)), at_once):
            found = self._complete(np.stack([*context, *new[start : start + at_once]]))
            parts.append(found[:, len(context) :] if start else found)
        estimates, deviations = np.concatenate(parts, axis=1)
        at = [place[row.tobytes()] for row in Z]
        return estimates[at], deviations[at]

    def _complete(self, Z: np.ndarray) -> np.ndarray:
        """(2, n, M) estimates that are numbers, and deviations, of rows of which the first ones are
        those that are attended to."""
        rows = self.columns.read(*dense(Z)).to(self.precision)
        estimates = rows.estimate
        deviations = rows.deviation
        if self.network is not None:
            found, spread = self.network(rows, len(self.Z))
            good = torch.isfinite(found) & torch.isfinite(spread)
            estimates = torch.where(good, found, estimates)
            deviations = torch.where(good, spread, deviations)
        return torch.cat([rows.clipped(estimates), deviations]).double().numpy()


def can_fit(shape: tuple[int, int]) -> bool:
    """Whether a matrix (N, M) has a column to learn from, and columns few enough for a normal
    distribution over them, which is fitted to some thousand rows at most."""
    N, M = shape
    small = 2 <= M <= MOST_COLUMNS and N * M <= MOST_CELLS
    return small and _rows_to_fit(M) >= min(N, FEWEST_ROWS * M)


def can_read(shape: tuple[int, int]) -> bool:
    """Whether a matrix (N, M) is small enough for the table network."""
    N, M = shape
    return can_fit(shape) and N * M * (1 + M / COSTLY_COLUMNS) <= MOST_READ


def _rows_to_fit(M: int) -> int:
    """The rows to which a normal distribution over M columns is fitted, at most."""
    return int(min(MOST_ROWS, MOST_WORK // M**3))


@torch.inference_mode()
def fit_reader(
    network: TableNetwork | None,
    Z: np.ndarray,
    like: TableReader | None = None,
    useful: np.ndarray | None = None,
    precision: torch.dtype | None = None,
) -> TableReader:
    """Fits the normal distribution and the network to a table Z (N, M) with NaN in its gaps, in
    units in which columns vary by about one.

    Of a long table some rows are enough: the normal distribution is fitted to ``MOST_ROWS`` at
    most, and ``CONTEXT_ROWS`` are attended to, evenly spaced in an order of their values.

    Parameters
    ----------
    network : None: the normal distribution alone
    like : the reader of nearly the same table, from whose covariance EM starts
    useful : (P,) where the last columns are features of rows: what their correlations are
        multiplied by
    precision : by default double for a small table, else single
    """
    order = None
    fitted = _rows_to_fit(Z.shape[1])
    if len(Z) > min(fitted, CONTEXT_ROWS):
        at = np.nonzero(~np.isnan(Z))
        order, _ = canonical_lines(Ratings(at[0], at[1], Z[at], Z.shape))
    columns = TableColumns.of(
        *dense(_spaced(Z, order, fitted)),
        ITERATIONS if like is None else ITERATIONS_LIKE,
        TOLERANCE,
        like=None if like is None else like.columns,
        useful=None if useful is None else torch.as_tensor(useful),
    )
    rows = _spaced(Z, order, CONTEXT_ROWS)
    if precision is None:
        precision = torch.double if Z.size <= DOUBLE_UP_TO else torch.float
    exact = None if network is None else _in_precision(network, precision)
    return TableReader(exact, columns, rows, precision)


def _spaced(Z: np.ndarray, order: np.ndarray | None, most: int) -> np.ndarray:
    """Rows of Z, evenly spaced in an order; all where there are no more than ``most``."""
    if order is None or len(Z) <= most:
        return Z
    return Z[order[np.linspace(0, len(Z) - 1, most).round().astype(int)]]


@lru_cache(maxsize=2)
def _in_precision(network: TableNetwork, dtype: torch.dtype) -> TableNetwork:
    """The network, or a copy of it in another precision, which is kept for the next table."""
    return network if network.head.weight.dtype == dtype else deepcopy(network).to(dtype)


def dense(Z: np.ndarray) -> tuple[Tensor, Tensor]:
    """A table with NaN in its gaps as one of D = 1: entries, and where they are."""
    given = ~np.isnan(Z)
    entries = torch.as_tensor(np.where(given, Z, 0.0))
    return entries.unsqueeze(0), torch.as_tensor(given).double().unsqueeze(0)

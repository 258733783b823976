"""The matrices of a batch side by side, padded, and D models of one architecture fitted to them at
once.

The parameters of the models are stacked along a first axis. Every operation and every step of Adam
acts on each model separately, so each is fitted as if it were alone. All D models start from the
same random numbers, whatever else is in the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from metamf.baselines.method import check_settings
from metamf.ratings.batch import RatingsBatch

WEIGHT_DECAYS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)  # the paper's grid, Section 4.3
LEARNING_RATES = (1e-3, 1e-2, 1e-1)  # the paper's grid, Section 4.3
STEPS_TRIED = (10, 30, 100, 300)


class PaddedGroups:
    """The items 0..n-1 of D consecutive groups of any sizes, padded to (D, width). Differentiable
    to any order.

    ``group`` : (n,) the group of each item, ascending.
    """

    def __init__(self, group: Tensor, D: int):
        size = torch.bincount(group, minlength=D)  # (D,)
        self.shape = D, int(size.max())
        self.place = position_in_group(group, size)  # (n,) the position of each item in its group
        self.at = group * self.shape[1] + self.place  # (n,)
        self.full = len(group) == D * self.shape[1]

    def pad(self, values: Tensor) -> Tensor:
        """(n, C) -> (D, width, C), zero where a group has no item."""
        if not self.full:
            values = values.new_zeros(self.shape[0] * self.shape[1], values.shape[1]).index_copy(
                0, self.at, values
            )
        return values.view(*self.shape, values.shape[1])

    def unpad(self, padded: Tensor) -> Tensor:
        """(D, width, C) -> (n, C)."""
        flat = padded.reshape(-1, padded.shape[2])
        return flat if self.full else flat.index_select(0, self.at)


class PaddedMatrices:
    """Every matrix of ``batch`` padded to n x m, the largest numbers of rows and of columns in the
    batch."""

    def __init__(self, batch: RatingsBatch):
        self.batch = batch
        self.row = position_in_group(
            batch.row_matrix, batch.n_rows
        )  # (N,) position of each row in its matrix
        self.col = position_in_group(batch.col_matrix, batch.n_cols)  # (M,) the same of columns
        self.shape = len(batch), int(batch.n_rows.max()), int(batch.n_cols.max())  # D, n, m

    def dense(self, values: Tensor) -> Tensor:
        """(nnz,) values of the observed entries -> (D, n, m), zero elsewhere."""
        return values.new_zeros(self.shape).index_put(
            self.cells(self.batch.row, self.batch.col), values
        )

    @cached_property
    def mask(self) -> Tensor:
        """(D, n, m): 1 where an entry is observed."""
        return self.dense(torch.ones_like(self.batch.x))

    def cells(self, row: Tensor, col: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The indices into (D, n, m) of positions of the batch."""
        return self.batch.row_matrix[row], self.row[row], self.col[col]


class AdaptedTable(NamedTuple):
    table: Tensor  # (D, n, m) standardised units
    padded: PaddedMatrices

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) estimates at positions of the batch."""
        return self.table[self.padded.cells(row, col)]


def similar_sizes(count: Tensor) -> Iterator[tuple[Tensor, int]]:
    """The positions of groups with ``count`` (n,) items, those of similar count together, empty
    ones left out, with the power of two that holds their items."""
    exponent = torch.ceil(torch.log2(count.clamp(min=1).double())).long()
    for e in torch.unique(exponent[count > 0]).tolist():
        yield torch.nonzero((exponent == e) & (count > 0)).squeeze(1), 2**e


def position_in_group(group: Tensor, size: Tensor) -> Tensor:
    """(n,) the position of each item in its group; groups are consecutive and have ``size`` (D,)
    items."""
    start = torch.cumsum(size, 0) - size
    return torch.arange(len(group), device=group.device) - start[group]


@dataclass(frozen=True)
class FitConfig:
    """Settings of a fit by Adam on the whole matrix.

    The squared errors of the observed entries are averaged ('mean', as in the paper) or added up
    ('sum', with which one weight decay serves matrices of any size). For MF and a sum, a weight
    decay of 10 is close to the best on ML-100K blocks, on Jester blocks and on the whole of ML-100K
    alike (split 0, meta-validation).
    """

    weight_decay: float = 10.0  # added to the gradient of the loss, times the parameters
    learning_rate: float = 1e-3  # of Adam
    steps: int = 300  # full-batch updates
    loss: str = "sum"
    seed: int = 0  # of the initial values

    def __post_init__(self) -> None:
        check_settings(self, "learning_rate", weight_decay=0, steps=0)
        if self.loss not in ("mean", "sum"):
            raise ValueError(f"loss must be 'mean' or 'sum', got {self.loss!r}")
        sizes = {name: 1 for name in ("rank", "hidden", "layers") if hasattr(self, name)}
        check_settings(self, **sizes)


def paper_grid(config: FitConfig) -> tuple[FitConfig, ...]:
    """``config`` with every weight decay and every learning rate of the paper, for the mean squared
    error.

    The number of updates, which the paper does not give, is chosen with them: early stopping on
    validation data.
    """
    return tuple(
        replace(config, weight_decay=decay, learning_rate=rate, steps=steps, loss="mean")
        for steps in STEPS_TRIED
        for decay in WEIGHT_DECAYS
        for rate in LEARNING_RATES
    )


def minimise(loss: Callable[[], Tensor], parameters: Sequence[Tensor], config: FitConfig) -> None:
    """Fits ``parameters`` in place by Adam; ``loss`` has to be a sum over matrices."""
    fused = parameters[0].device.type == "cpu"
    with torch.enable_grad():
        for parameter in parameters:
            parameter.requires_grad_()
        optimizer = torch.optim.Adam(
            parameters, config.learning_rate, weight_decay=config.weight_decay, fused=fused
        )
        for _ in range(config.steps):
            optimizer.zero_grad(set_to_none=True)
            loss().backward()
            optimizer.step()
    for parameter in parameters:
        parameter.requires_grad_(False)


def entry_weights(batch: RatingsBatch, config: FitConfig) -> Tensor:
    """(nnz,) the weight of each entry's square in the loss: 1, or 1 over the number of entries of
    its matrix."""
    if config.loss == "sum":
        return torch.ones_like(batch.x)
    return 1 / batch.matrix_count[batch.row_matrix[batch.row], 0]


class StackedNetwork:
    """D feed-forward networks, ``layers`` linear layers with ReLU in between: (D, B, n_in) -> (D,
    B, n_out).

    Inputs and outputs, ``n_in`` and ``n_out`` (D,) in number, are padded to the largest sizes; the
    padding of a network has no influence on the rest. Parameters are of the dtype and on the device
    of ``like``; their initial values, drawn from ``seed``, are uniform in +-1 / sqrt(number of
    inputs of the layer).
    """

    def __init__(
        self,
        n_in: Tensor,
        hidden: int,
        layers: int,
        n_out: Tensor,
        like: Tensor,
        seed: Sequence[int],
    ):
        fixed = torch.full_like(n_in, hidden)
        sizes = [n_in] + [fixed] * (layers - 1) + [n_out]
        self.weights = []
        self.biases = []
        for index, (a, b) in enumerate(zip(sizes, sizes[1:])):
            A = int(a.max())
            B = int(b.max())
            bound = a.to(like).clamp(min=1).rsqrt().view(-1, 1, 1)  # (D, 1, 1)
            # drawn along the padded axis, so that the first values do not depend on the size of the
            # padding
            shape = (A, B) if index == 0 else (B, A)
            weight = uniform(shape, like, [*seed, index, 0])
            self.weights.append((weight if index == 0 else weight.T) * bound)  # (D, A, B)
            self.biases.append(uniform((1, B), like, [*seed, index, 1]) * bound)  # (D, 1, B)
        self.parameters = self.weights + self.biases

    def __call__(self, x: Tensor) -> Tensor:
        for index, (weight, bias) in enumerate(zip(self.weights, self.biases)):
            x = torch.baddbmm(bias, torch.relu(x) if index else x, weight)  # (D, B, C)
        return x


def uniform(shape: tuple[int, int], like: Tensor, seed: Sequence[int]) -> Tensor:
    """Uniform numbers in (-1, 1); the first rows are the same for every number of rows."""
    return torch.as_tensor(np.random.default_rng(seed).uniform(-1, 1, shape)).to(like)

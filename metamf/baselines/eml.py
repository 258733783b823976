"""EML, and FT and MAML, which adapt its parameters to each matrix (the paper's Section 4.3).

EML: exchangeable matrix layers alone, 1 -> 32 -> 32 -> 1 channels (Hartford et al. 2018). FT: a
meta-trained EML, finetuned on the support entries of each matrix. MAML: model-agnostic
meta-learning of EML (Finn et al. 2017),

    theta(s+1) = theta(s) - alpha * gradient of the support error at theta(s),      s = 0 .. 4,      for each matrix,

and theta(0), shared by all matrices, is trained for a low query error at theta(5). The gradient of
that goes through the inner gradients, which takes second derivatives of the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from metamf.baselines.method import check_settings
from metamf.baselines.stacked import FitConfig, PaddedGroups, minimise
from metamf.network.exchangeable import ExchangeableLayer, Terms
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class EMLConfig:
    """Settings of EML, by default the paper's: channels between the layers, number of exchangeable
    layers, and the probability of dropout after an activation, in training."""

    channels: int = 32
    layers: int = 3
    dropout: float = 0.1

    def __post_init__(self) -> None:
        check_settings(self, channels=1, layers=1)
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must lie in [0, 1), got {self.dropout}")


class EML(nn.Module):
    """The estimate of a cell is the last layer's output there; dropout follows every activation."""

    default = EMLConfig()

    def __init__(self, config: EMLConfig | None = None):
        super().__init__()
        self.config = config = self.default if config is None else config
        sizes = [1] + [config.channels] * (config.layers - 1) + [1]
        self.layers = nn.ModuleList(
            ExchangeableLayer(n_in, n_out) for n_in, n_out in zip(sizes, sizes[1:])
        )
        self.dropout = nn.Dropout(config.dropout)

    def adapt(self, support: RatingsBatch) -> AdaptedEML:
        z = support.x.unsqueeze(1)  # (nnz, 1)
        for layer in self.layers[:-1]:
            z = self.dropout(torch.relu(layer(z, support).at_observed(support)))  # (nnz, C)
        return AdaptedEML(self.layers[-1](z, support), support)


class AdaptedEML(NamedTuple):
    """The last layer's output as its three terms, one channel each."""

    terms: Terms
    support: RatingsBatch

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) estimates at positions of the batch: row + column effect, and the entry's own term
        where observed."""
        effects = self.terms.row[row, 0] + self.terms.col[col, 0]
        observed, at = self.support.find(row, col)
        if not observed.any():
            return effects
        return effects + torch.where(observed, self.terms.entry[:, 0].index_select(0, at), 0)


class LayerWeights(NamedTuple):
    """The parameters of one exchangeable layer, for each of D matrices."""

    entry: Tensor  # (D, C, C')
    column: Tensor  # (D, C, C')
    row: Tensor  # (D, C, C')
    matrix: Tensor  # (D, C, C')
    bias: Tensor  # (D, C')


class StackedEML:
    """EML on the D matrices of ``batch``, with weights for each passed in at every call;
    differentiable to any order.

    The arithmetic is that of ``ExchangeableLayer`` and ``EML``; only the products with weights
    differ, z W with one W per matrix, so entries, rows and columns are padded to (D, width, C).
    """

    def __init__(self, batch: RatingsBatch, dropout: nn.Dropout):
        self.batch = batch
        self.dropout = dropout
        self.entries, self.rows, self.cols = (
            PaddedGroups(matrix, len(batch))
            for matrix in (batch.row_matrix[batch.row], batch.row_matrix, batch.col_matrix)
        )

    def __call__(self, weights: Sequence[Tensor]) -> AdaptedEML:
        """``weights``: those of the layers, one layer after the other, each in the order of
        ``LayerWeights``."""
        size = len(LayerWeights._fields)
        *hidden, last = (
            LayerWeights(*weights[at : at + size]) for at in range(0, len(weights), size)
        )
        z = self.batch.x.unsqueeze(1)  # (nnz, 1)
        for layer in hidden:
            z = self.dropout(torch.relu(self._layer(layer, z).at_observed(self.batch)))  # (nnz, C)
        return AdaptedEML(self._layer(last, z), self.batch)

    def _layer(self, w: LayerWeights, z: Tensor) -> Terms:
        batch = self.batch
        row_sum = batch.by_row.sum(z)  # (N, C)
        row_mean = row_sum / batch.row_count.clamp(min=1)
        col_mean = batch.by_col.sum(z) / batch.col_count.clamp(min=1)  # (M, C)
        matrix_mean = batch.rows_by_matrix.sum(row_sum) / batch.matrix_count.clamp(min=1)  # (D, C)
        whole = (matrix_mean.unsqueeze(1) @ w.matrix).squeeze(1) + w.bias  # (D, C')
        return Terms(
            multiply(z, w.entry, self.entries),
            multiply(row_mean, w.row, self.rows),
            multiply(col_mean, w.column, self.cols) + batch.cols_by_matrix.gather(whole),
        )

    def support_error(self, adapted: AdaptedEML) -> Tensor:
        """The mean squared error of each matrix over its observed entries, summed over the
        matrices."""
        batch = self.batch
        squares = (adapted.terms.at_observed(batch)[:, 0] - batch.x).square()
        return (squares / batch.matrix_count[batch.row_matrix[batch.row], 0]).sum()


def multiply(z: Tensor, weight: Tensor, groups: PaddedGroups) -> Tensor:
    """(n, C) and (D, C, C') -> (n, C'): every item times the weight of its matrix."""
    return groups.unpad(groups.pad(z) @ weight)


def stack(eml: EML, D: int) -> list[Tensor]:
    """The weights of ``eml`` as ``StackedEML`` takes them, the same for each of D matrices, as
    views."""
    weights = (getattr(layer, name) for layer in eml.layers for name in LayerWeights._fields)
    return [weight.unsqueeze(0).expand(D, *weight.shape) for weight in weights]


@dataclass(frozen=True)
class FTConfig(EMLConfig):
    """Settings of FT beyond those of EML, which the paper does not give: full-batch updates of Adam
    on all parameters, without dropout, and its learning rate."""

    steps: int = 10
    learning_rate: float = 1e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        check_settings(self, "learning_rate", steps=0)


class FT(EML):
    """Parameters and meta-training are those of EML: while ``training``, ``adapt`` is EML's own.

    A copy of the parameters is finetuned for each matrix, all matrices at once; the method itself
    never changes.
    """

    config: FTConfig
    default = FTConfig()

    def adapt(self, support: RatingsBatch) -> AdaptedEML:
        if self.training or self.config.steps == 0:
            return super().adapt(support)
        network = StackedEML(support, self.dropout)
        weights = [w.detach().clone() for w in stack(self, len(support))]
        fit = FitConfig(
            weight_decay=0.0, learning_rate=self.config.learning_rate, steps=self.config.steps
        )

        minimise(lambda: network.support_error(network(weights)), weights, fit)
        with torch.no_grad():
            return network(weights)


@dataclass(frozen=True)
class MAMLConfig(EMLConfig):
    """Settings of MAML beyond those of EML: the paper's five gradient steps on a matrix, and alpha,
    which it does not give."""

    inner_steps: int = 5
    inner_learning_rate: float = 1e-2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_settings(self, "inner_learning_rate", inner_steps=0)


class MAML(EML):
    """The parameters are those of EML, from which the inner steps start."""

    config: MAMLConfig
    default = MAMLConfig()

    def adapt(self, support: RatingsBatch) -> AdaptedEML:
        network = StackedEML(support, self.dropout)
        second_order = torch.is_grad_enabled()
        with torch.enable_grad():
            weights = stack(self, len(support))
            for _ in range(self.config.inner_steps):
                weights = [w if w.requires_grad else w.detach().requires_grad_() for w in weights]
                error = network.support_error(network(weights))
                gradients = torch.autograd.grad(error, weights, create_graph=second_order)
                weights = [
                    w - self.config.inner_learning_rate * g for w, g in zip(weights, gradients)
                ]
        return network(weights)

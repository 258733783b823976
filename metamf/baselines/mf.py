"""MF: matrix factorization of each matrix by itself (the paper's Section 4.3), for benchmarks and
step by step.

    minimise  J(U, V) = sum over given (n, m) of (x_nm - u_n . v_m)^2  +  weight_decay / 2 * (sum |u_n|^2 + sum |v_m|^2)

by Adam, from small random factors; the paper has the mean of the squares in place of their sum.
``MF`` is the method of the benchmarks and fits all matrices of a batch at once. ``factorize`` keeps
the factors after every step, for the lesson, which shows what no penalty does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from metamf.baselines.factorization import Factorization
from metamf.baselines.method import PerMatrix, check_settings, matrix_units
from metamf.baselines.stacked import FitConfig, entry_weights, minimise, position_in_group
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings

START_DEVIATION = 0.1  # standard deviation of the initial factors; the paper gives none
_BETAS = (0.9, 0.999)  # Adam's, Kingma and Ba (2015)
_EPS = 1e-8


@dataclass(frozen=True)
class MFConfig(FitConfig):
    """Settings of MF beyond those of every fit: K, 32 in the paper."""

    rank: int = 32


class MF(PerMatrix):
    """Matrix factorization by gradient descent, the paper's baseline (Section 4.2)."""

    default = MFConfig()

    def adapt(self, support: RatingsBatch) -> AdaptedFactors:
        K = self.config.rank
        seed = self.config.seed
        U = initial_factors(support.row_matrix, support.n_rows, K, support.x, [seed, 0])  # (N, K)
        V = initial_factors(support.col_matrix, support.n_cols, K, support.x, [seed, 1])  # (M, K)
        weight = entry_weights(support, self.config)

        def loss() -> Tensor:
            estimate = (support.by_row.gather(U) * support.by_col.gather(V)).sum(1)  # (nnz,)
            return (weight * (estimate - support.x).square()).sum()

        minimise(loss, [U, V], self.config)
        return AdaptedFactors(U, V)


class AdaptedFactors(NamedTuple):
    U: Tensor  # (N, K)
    V: Tensor  # (M, K)

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) estimates u_n . v_m at positions of the batch."""
        return torch.linalg.vecdot(self.U.index_select(0, row), self.V.index_select(0, col))


def initial_factors(
    matrix: Tensor, size: Tensor, rank: int, like: Tensor, seed: Sequence[int]
) -> Tensor:
    """Small random factors of the rows or of the columns, the same for every matrix of the
    batch."""
    table = np.random.default_rng(seed).standard_normal(
        (int(size.max()), rank)
    )  # its first rows depend on no size
    return START_DEVIATION * torch.as_tensor(table).to(like)[position_in_group(matrix, size)]


@dataclass(frozen=True)
class MFSettings:
    """Settings of a factorization step by step; ValueError for a value out of range."""

    rank: int = 2  # K
    weight_decay: float = 3.0  # the penalty on large factors
    seed: int = 0  # of the random numbers
    steps: int = 200  # T, full-batch updates by Adam
    learning_rate: float = 0.05  # of Adam

    def __post_init__(self) -> None:
        check_settings(self, "learning_rate", rank=1, steps=0, seed=0, weight_decay=0)


def factorize(given: Ratings, settings: MFSettings = MFSettings()) -> Factorization:
    """Returns the factors of the given ratings after each of Adam's steps on J.

    The updates are those of Kingma and Ba (2015) with the whole matrix as one batch.
    """
    units = matrix_units(given)
    X = np.zeros(given.shape)
    B = np.zeros(given.shape)
    X[given.rows, given.cols] = units.apply(given.values)
    B[given.rows, given.cols] = 1.0
    N = given.n_rows
    start = [
        np.random.default_rng([settings.seed, side]).standard_normal((length, settings.rank))
        for side, length in enumerate(given.shape)
    ]
    UV = START_DEVIATION * np.concatenate(start)  # (N + M, K), U above V
    first = np.zeros_like(UV)
    second = np.zeros_like(UV)
    path = [UV]
    for t in range(1, settings.steps + 1):
        U, V = np.split(UV, [N])
        E = 2 * B * (U @ V.T - X)
        gradient = np.concatenate([E @ V, E.T @ U]) + settings.weight_decay * UV
        first = _BETAS[0] * first + (1 - _BETAS[0]) * gradient
        second = _BETAS[1] * second + (1 - _BETAS[1]) * np.square(gradient)
        mean = first / (1 - _BETAS[0] ** t)
        variance = second / (1 - _BETAS[1] ** t)
        UV = UV - settings.learning_rate * mean / (np.sqrt(variance) + _EPS)
        path.append(UV)
    U_path, V_path = np.split(np.array(path), [N], axis=1)
    return Factorization(U_path, V_path, units)

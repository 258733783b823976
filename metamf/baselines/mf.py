"""MF: matrix factorization of each matrix by itself (the paper's Section 4.3), for benchmarks and step by step.

    minimise  J(U, V) = sum over given (n, m) of (x_nm - u_n . v_m)^2  +  weight_decay / 2 * (sum |u_n|^2 + sum |v_m|^2)

by Adam, from small random factors; the paper has the mean of the squares in place of their sum. ``MF`` is the method of
the benchmarks and fits all matrices of a batch at once. ``factorize`` keeps the factors after every step, for a reader
who chooses rank, weight decay and start; ``chosen_settings`` runs many small factorizations at once, to choose them by
cross-validation on the given ratings.

The penalty is weight_decay times the nuclear norm of the product (Srebro et al. 2005), so zero factors, which estimate
the mean everywhere, minimise J if and only if weight_decay is at least twice the largest singular value of the matrix X
of given ratings with zeros elsewhere (``shrinks_to_zero``): along a product s u v^T of unit vectors u and v, J changes
by s (weight_decay - 2 u^T X v) and terms of s^2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
import torch
from torch import Tensor

from metamf.baselines.method import PerMatrix, matrix_units
from metamf.baselines.stacked import FitConfig, entry_weights, minimise, position_in_group
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization

START_DEVIATION = 0.1  # standard deviation of the initial factors; the paper gives none
Start = Literal["random", "almost zero", "column means"]
MF_STARTS: tuple[Start, ...] = get_args(Start)
MOST_FACTORS = 8  # the largest K that a reader may choose
# Settings that ``chosen_settings`` compares. With eight factors, too, and all steps, the choice is no better and takes
# three times as long.
TRIED_RANKS = (1, 2, 4)
TRIED_DECAYS = (0.3, 1.0, 3.0, 10.0)
TRIED_STEPS = 0.5  # share of the steps
_TINY = 1e-3  # standard deviation of factors that are almost zero
_FOLDS = 5  # of the cross-validation
_CELLS = 400_000  # cells of all factorizations of a cross-validation: half a second
_TOGETHER = 2**16  # factors of cells at several steps that fit a core's cache, half a megabyte
_BETAS, _EPS = (0.9, 0.999), 1e-8  # Adam's, Kingma and Ba (2015)


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


def initial_factors(matrix: Tensor, size: Tensor, rank: int, like: Tensor, seed: Sequence[int]) -> Tensor:
    """Small random factors of the rows or of the columns, the same for every matrix of the batch."""
    table = np.random.default_rng(seed).standard_normal((int(size.max()), rank))  # its first rows depend on no size
    return START_DEVIATION * torch.as_tensor(table).to(like)[position_in_group(matrix, size)]


@dataclass(frozen=True)
class MFSettings:
    """Settings of a factorization step by step; ValueError for a value out of range.

    ``start`` gives the factors at step 0: normal numbers of standard deviation 0.1 or 0.001; or a first factor of 1 for
    every row and the mean of its given ratings for every column, and the others random.
    """

    rank: int = 2  # K
    weight_decay: float = 3.0  # the penalty on large factors
    start: Start = "random"
    seed: int = 0  # of the random numbers
    steps: int = 200  # T, full-batch updates by Adam
    learning_rate: float = 0.05  # of Adam

    def __post_init__(self) -> None:
        if self.rank < 1 or self.steps < 0 or self.seed < 0:
            raise ValueError(f"MF needs rank >= 1, steps >= 0 and seed >= 0, got {self}")
        if not self.weight_decay >= 0 or not self.learning_rate > 0:
            raise ValueError(f"MF needs weight_decay >= 0 and learning_rate > 0, got {self}")
        if self.start not in MF_STARTS:
            raise ValueError(f"start must be one of {', '.join(map(repr, MF_STARTS))}, got {self.start!r}")


@dataclass(frozen=True, eq=False)
class MFPath:
    """A factorization after each of its T steps."""

    settings: MFSettings
    units: Standardization  # mean and standard deviation of the given ratings
    U: np.ndarray  # (T + 1, N, K), in these units
    V: np.ndarray  # (T + 1, M, K)

    @property
    def T(self) -> int:
        """The number of steps."""
        return len(self.U) - 1

    def estimate(self, t: int = -1) -> np.ndarray:
        """(N, M) the estimates U(t) V(t)^T in rating units, not clipped."""
        return self.units.undo(self.U[t] @ self.V[t].T)

    def rmse(self, cells: Ratings) -> np.ndarray:
        """(T + 1,) root mean squared errors on ``cells``, in rating units, clipped to their scale where it is known."""
        squares = []
        steps = max(1, _TOGETHER // max(cells.nnz * self.settings.rank, 1))
        for t in range(0, self.T + 1, steps):  # all steps at once would take gigabytes
            U, V = self.U[t : t + steps, cells.rows], self.V[t : t + steps, cells.cols]  # (steps, nnz, K)
            estimates = self.units.undo(np.vecdot(U, V))
            estimates = estimates if cells.scale is None else cells.scale.clip(estimates)
            squares.extend(np.square(estimates - cells.values).mean(axis=1))
        return np.sqrt(squares)


def factorize(given: Ratings, settings: MFSettings = MFSettings()) -> MFPath:
    """The factorization of the given ratings, with all its steps."""
    X, W, units = _dense(given)
    U0, V0 = _start(X, W, settings)
    steps = _descend(X[None], W[None], (U0[None], V0[None]), np.array([settings.weight_decay]), settings)
    path = np.array([UV[0].copy() for UV in steps])
    return MFPath(settings, units, *np.split(path, [len(U0)], axis=1))


def shrinks_to_zero(given: Ratings) -> float:
    """The smallest weight decay with which no factors but zero, which estimate the mean, minimise J: twice the largest
    singular value of the given ratings in standardised units, zero elsewhere."""
    X, _, _ = _dense(given)
    return 2 * float(np.linalg.norm(X, 2))


def chosen_settings(given: Ratings) -> MFSettings:
    """The settings with the rank of ``TRIED_RANKS`` and the weight decay of ``TRIED_DECAYS`` that predict given ratings
    best.

    They have the smallest squared error in a cross-validation, after ``TRIED_STEPS`` of the steps; of equally good ones
    those with fewer factors and more decay are taken. A matrix that is too large for five folds is divided once; one
    that is too large for that gets the defaults.
    """
    settings = MFSettings()
    grid = [(rank, decay) for rank in TRIED_RANKS for decay in TRIED_DECAYS[::-1]]
    folds = min(_FOLDS, _CELLS // (given.n_rows * given.n_cols * len(grid)), given.nnz)
    if folds < 1 or given.nnz < 2:
        return settings
    X, W, _ = _dense(given)
    fold = np.random.default_rng(settings.seed).permutation(given.nnz) % _FOLDS
    left_out = np.zeros((folds, *X.shape))
    for k in range(folds):
        left_out[k, given.rows[fold == k], given.cols[fold == k]] = 1.0
    U0, V0 = (np.zeros((len(grid), folds, length, max(TRIED_RANKS))) for length in X.shape)
    for rank in TRIED_RANKS:
        same = [g for g, (of_rank, _) in enumerate(grid) if of_rank == rank]
        for k in range(folds):  # factors beyond the rank are zero, and stay so
            U0[same, k, :, :rank], V0[same, k, :, :rank] = _start(X, W - left_out[k], replace(settings, rank=rank))
    starts = [factors.reshape(-1, *factors.shape[2:]) for factors in (U0, V0)]
    decays = np.repeat([decay for _, decay in grid], folds)
    kept = np.tile(W - left_out, (len(grid), 1, 1))
    fewer = replace(settings, steps=math.ceil(TRIED_STEPS * settings.steps))
    *_, UV = _descend(X[None], kept, starts, decays, fewer, np.float32)
    U, V = np.split(UV, [len(X)], axis=1)
    E = ((U @ V.transpose(0, 2, 1)) - X) * np.tile(left_out, (len(grid), 1, 1))
    errors = np.square(E).sum(axis=(1, 2)).reshape(len(grid), folds).sum(axis=1)
    rank, decay = grid[int(errors.argmin())]
    return replace(settings, rank=rank, weight_decay=decay)


def _descend(
    X: np.ndarray,
    W: np.ndarray,
    starts: Sequence[np.ndarray],
    decays: np.ndarray,
    settings: MFSettings,
    dtype: type[np.floating] = np.float64,
) -> Iterator[np.ndarray]:
    """The factors of B factorizations at the start and after every step of Adam: (B, N + M, K) U above V.

    X, W (B, N, M) or (1, N, M) the ratings, and 1 where they are given; starts (B, N, K) and (B, M, K) U and V; decays
    (B,) the penalties on large factors. Single precision is enough to compare settings, and takes 0.6 of the time. All
    arrays, the one that is yielded too, are written in place, since new ones would take most of the time.
    """
    UV = np.concatenate(starts, axis=1).astype(dtype)
    W = (2 * W).astype(dtype)
    decay = np.empty_like(UV)
    decay[:] = decays[:, None, None]
    WX = (W * X).astype(dtype)
    N = starts[0].shape[1]
    U = UV[:, :N]
    V = UV[:, N:]
    E, gradient, first, second, step = np.empty(W.shape, dtype), *(np.zeros_like(UV) for _ in range(4))
    gradient_U = gradient[:, :N]
    gradient_V = gradient[:, N:]
    Vt = V.transpose(0, 2, 1)
    Et = E.transpose(0, 2, 1)
    yield UV
    for t in range(1, settings.steps + 1):
        np.matmul(U, Vt, out=E)
        E *= W
        E -= WX
        np.matmul(E, V, out=gradient_U)
        np.matmul(Et, U, out=gradient_V)
        gradient += np.multiply(UV, decay, out=step)
        first *= _BETAS[0]
        first += np.multiply(gradient, 1 - _BETAS[0], out=step)
        second *= _BETAS[1]
        second += np.multiply(np.square(gradient, out=step), 1 - _BETAS[1], out=step)
        unbiased = math.sqrt(1 - _BETAS[1] ** t)
        np.sqrt(second, out=step)
        step += _EPS * unbiased
        np.divide(first, step, out=step)
        step *= settings.learning_rate * unbiased / (1 - _BETAS[0] ** t)
        UV -= step
        yield UV


def _dense(given: Ratings) -> tuple[np.ndarray, np.ndarray, Standardization]:
    """(N, M) the given ratings in standardised units with zeros elsewhere, 1 where they are given, and the units."""
    units = matrix_units(given)
    X = np.zeros(given.shape)
    W = np.zeros(given.shape)
    X[given.rows, given.cols] = units.apply(given.values)
    W[given.rows, given.cols] = 1.0
    return X, W, units


def _start(X: np.ndarray, W: np.ndarray, settings: MFSettings) -> tuple[np.ndarray, np.ndarray]:
    """(N, K) and (M, K) the factors at step 0."""
    size = _TINY if settings.start == "almost zero" else START_DEVIATION
    U, V = (
        size * np.random.default_rng([settings.seed, side]).standard_normal((length, settings.rank))
        for side, length in enumerate(X.shape)
    )
    if settings.start == "column means":
        U[:, 0] = 1.0
        V[:, 0] = (W * X).sum(axis=0) / np.maximum(W.sum(axis=0), 1.0)
    return U, V

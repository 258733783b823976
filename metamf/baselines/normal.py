"""A normal distribution over the columns, fitted by EM, and trees on what it leaves over (not in the paper).

    x_n ~ N(mu, S) for every row n, of which only the cells o(n) are observed,
    mu ~ N(0, v I),    S ~ inverse Wishart with the mode T after nu rows,

and a missing cell is estimated by its conditional mean given the observed cells of its row,

    E[x_nm] = mu_m + S_mo S_oo^-1 (x_no - mu_o),    Var = S_mm - S_mo S_oo^-1 S_om.

With a_n = S_oo^-1 (x_no - mu_o) and P_n = S_oo^-1, both zero outside of o(n), EM sums small matrices over the rows and
completes none of them: the expected scatter of the N rows that have an entry is

    Q = N S + S (sum of a_n a_n' - P_n) S,    mu <- mu + S (sum of a_n) / N,    S <- (Q + nu T) / (N + nu).

T has the variances of Q and one correlation between all columns, the mean one if that is positive. So the covariance is
shrunken towards rows with a level of their own (crossed effects), or else towards independent columns. The variance of
a column of few entries is drawn towards one. Little and Rubin (2002), "Statistical Analysis with
Missing Data", Section 11.2; the target is Ledoit and Wolf's (2004, "Honey, I shrunk the sample covariance matrix").

The normal distribution is linear. With e_nm, the conditional mean of cell (n, m) given the *other* entries of its row,
known exactly for all cells at once, a forest for each column m learns

    x_nm - e_nm    from    row n, completed by the normal distribution, with e_nm in the place of column m,

over the rows n with an entry in column m. The estimate of a cell, observed or not, is e_nm plus the forest's. Trees of
Geurts, Ernst and Wehenkel (2006), "Extremely randomized trees".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor

from metamf.baselines.method import PerMatrix
from metamf.baselines.stacked import AdaptedTable, PaddedMatrices, similar_sizes
from metamf.learning.episodes import canonical_lines
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings

if TYPE_CHECKING:
    from sklearn.tree import ExtraTreeRegressor

JITTER = 1e-6  # added to variances to keep equal columns apart
USUAL_ENTRIES = 2.0  # that the unit variance counts for, in the variance of a column
LARGEST_CORRELATION = 0.95  # correlation in the target, at most
NUMBERS_AT_ONCE = 2**22  # numbers of a part of the rows; 32 MB
# Of the trees; chosen on the deciding half of benchmarks/tables (``benchmarks.accuracy.sensitivity``).
TREES = 30
LEAF_ENTRIES = 5
COLUMN_SHARE = 0.7
FEWEST_ENTRIES = 8  # of a column that gets a forest
DECIMALS = 5  # of what trees read: numbers that differ by rounding alone would be split at differently
MOST_TREE_WORK = 5_000_000  # rows x columns x columns; some thirty seconds with their weighing


@dataclass(frozen=True)
class NormalConfig:
    """Settings of the normal distribution. Shrinkages of 0.3 to 1 are equally good on the deciding half of
    benchmarks/tables."""

    shrinkage: float = 0.5  # nu, the rows that the target counts for, over the number of columns
    iterations: int = 100  # of EM, at most
    tolerance: float = 1e-3  # EM ends when no covariance changes by more, in units of the largest variance

    def __post_init__(self) -> None:
        if not self.shrinkage > 0 or self.iterations < 0 or not self.tolerance > 0:
            raise ValueError(f"the normal needs shrinkage > 0, iterations >= 0 and tolerance > 0, got {self}")


class _Rows(NamedTuple):
    """Rows with about as many entries, padded to one width w."""

    row: Tensor  # (G,) which rows
    col: Tensor  # (G, w) the columns of their entries, 0 beyond
    inside: Tensor  # (G, w)
    x: Tensor  # (G, w)


@dataclass(frozen=True, eq=False)
class ColumnNormal:
    """N(mean, covariance) over the columns of a matrix, float64, in the units of the entries."""

    mean: Tensor  # (M,)
    covariance: Tensor  # (M, M), positive definite

    def complete(self, x: Tensor, row: Tensor, col: Tensor, n_rows: int) -> tuple[Tensor, Tensor]:
        """Conditional means and variances of all cells of any rows, (N, M) each, from their observed entries: values
        and positions (nnz,), ``row`` ascending."""
        S = self.covariance
        M = len(self.mean)
        mean = self.mean.expand(n_rows, M).clone()
        variance = S.diagonal().expand(n_rows, M).clone()
        for rows in _grouped(x.to(S), row, col, n_rows, M):
            inverse, weight = _given(self, rows)  # (G, w, w), (G, w)
            table = S[rows.col] * rows.inside.unsqueeze(2)  # (G, w, M)
            mean[rows.row] += (weight.unsqueeze(1) @ table).squeeze(1)
            variance[rows.row] -= ((inverse @ table) * table).sum(1)
        return mean, variance.clamp(min=JITTER)

    def left_out(self, x: Tensor, row: Tensor, col: Tensor, n_rows: int) -> Tensor:
        """(N, M) conditional means of all cells, each given the *other* entries of its row; parameters as ``complete``.

        For an observed cell that is x_nm - a_nm / P_nmm (Sundararajan and Keerthi 2001, Equation 10), without another
        solution.
        """
        mean = self.mean.expand(n_rows, len(self.mean)).clone()
        for rows in _grouped(x.to(self.covariance), row, col, n_rows, len(self.mean)):
            inverse, weight = _given(self, rows)  # (G, w, w), (G, w)
            table = self.covariance[rows.col] * rows.inside.unsqueeze(2)  # (G, w, M)
            mean[rows.row] += (weight.unsqueeze(1) @ table).squeeze(1)
            left = rows.x - weight / inverse.diagonal(dim1=1, dim2=2).clamp(min=1e-12)
            at = rows.row.unsqueeze(1).expand_as(rows.col)
            mean[at[rows.inside], rows.col[rows.inside]] = left[rows.inside]
        return mean


@torch.no_grad()
def fit_normal(
    x: Tensor,
    row: Tensor,
    col: Tensor,
    shape: tuple[int, int],
    config: NormalConfig = NormalConfig(),
    useful: Tensor | None = None,
) -> ColumnNormal:
    """The mode of mu and S by EM, from the observed entries of an N x M matrix.

    x (nnz,) in units in which the variance of a column is about one; row, col (nnz,) ascending by row. The last columns
    may be features of the rows, whose correlations are multiplied by ``useful`` (P,), from 0 to 1.
    """
    N, M = shape
    x = x.double()
    parts = list(_grouped(x, row, col, N, M))
    n = sum(len(part.row) for part in parts)  # rows that have an entry
    count = torch.bincount(col, minlength=M).double()
    found = ColumnNormal(x.new_zeros(M), torch.eye(M, dtype=x.dtype, device=x.device))
    spread = x.new_ones(())  # v, of the means
    useful = x.new_ones(0) if useful is None else useful
    rated = M - len(useful)
    for _ in range(config.iterations if n else 0):
        pull = x.new_zeros(M)
        scatter = x.new_zeros(M * M)
        for part in parts:
            inverse, weight = _given(found, part)
            pull.index_add_(0, part.col.flatten(), weight.flatten())
            at = (part.col.unsqueeze(2) * M + part.col.unsqueeze(1)).flatten()  # (G w w)
            scatter.index_add_(0, at, (weight.unsqueeze(2) * weight.unsqueeze(1) - inverse).flatten())
        S = found.covariance
        total = n * found.mean + S @ pull  # the sum of the completed rows
        mean = torch.linalg.solve(n * torch.eye(M).to(S) + S / spread, total)
        moved = mean - found.mean
        sum_moved = total - n * found.mean
        Q = n * S + S @ scatter.view(M, M) @ S  # about the mean of before
        Q = Q - torch.outer(moved, sum_moved) - torch.outer(sum_moved, moved) + n * torch.outer(moved, moved)
        Q = (Q + Q.T) / 2  # rounding that is not symmetric would grow from one iteration to the next
        new = _shrunken(Q, n, count, config.shrinkage * rated, useful)
        done = (new - S).abs().max() <= config.tolerance * S.diagonal().max()
        found = ColumnNormal(mean, new)
        spread = mean[:rated].square().mean().clamp(min=1e-3)
        if done:
            break
    return found


def _shrunken(Q: Tensor, n: int, count: Tensor, nu: float, useful: Tensor) -> Tensor:
    """(M, M) the covariance from the expected scatter (M, M) of n rows, with ``count`` (M,) entries in each column. The
    target has no correlation with features."""
    M = len(Q) - len(useful)
    variance = (Q.diagonal() / n).clamp(min=JITTER)
    variance = (count * variance + USUAL_ENTRIES) / (count + USUAL_ENTRIES)
    scale = variance.sqrt()
    correlation = Q / torch.outer(Q.diagonal(), Q.diagonal()).clamp(min=JITTER**2).sqrt()
    common = (correlation[:M, :M].sum() - correlation[:M, :M].trace()) / max(M * (M - 1), 1)
    target = torch.zeros_like(Q)
    target[:M, :M] = common.clamp(0, LARGEST_CORRELATION)
    keep = torch.cat([useful.new_ones(M), useful])
    mixed = torch.outer(keep, keep) * (n * correlation + nu * target) / (n + nu)
    mixed.fill_diagonal_(1.0)
    return mixed * torch.outer(scale, scale)


def _given(normal: ColumnNormal, rows: _Rows) -> tuple[Tensor, Tensor]:
    """P (G, w, w) and a (G, w) of rows, zero outside of their entries."""
    both = rows.inside.unsqueeze(2) & rows.inside.unsqueeze(1)
    A = normal.covariance[rows.col.unsqueeze(2), rows.col.unsqueeze(1)] * both
    A.diagonal(dim1=1, dim2=2).add_(torch.where(rows.inside, JITTER, 1.0))
    root, failed = torch.linalg.cholesky_ex(A)
    for power in range(-5, 1):  # collinear columns can lose definiteness
        if not failed.any():
            break
        root, failed = torch.linalg.cholesky_ex(A + 10.0**power * torch.eye(A.shape[1]).to(A))
    inverse = torch.cholesky_inverse(root) * both
    residual = (rows.x - normal.mean[rows.col]) * rows.inside
    return inverse, (inverse @ residual.unsqueeze(2)).squeeze(2)


def _grouped(x: Tensor, row: Tensor, col: Tensor, N: int, M: int) -> Iterator[_Rows]:
    """The rows that have entries, those of similar length together, ``NUMBERS_AT_ONCE`` numbers at a time."""
    count = torch.bincount(row, minlength=N)
    start = count.cumsum(0) - count
    for which, width in similar_sizes(count):
        width = min(width, M)
        slot = torch.arange(width, device=x.device)
        for some in which.split(max(1, NUMBERS_AT_ONCE // (width * max(width, M)))):
            inside = slot < count[some].unsqueeze(1)  # (G, w)
            entry = (start[some].unsqueeze(1) + slot).clamp(max=len(x) - 1)
            yield _Rows(some, col[entry] * inside, inside, x[entry] * inside)


@dataclass(frozen=True, eq=False)
class ResidualTrees:
    """A normal distribution over the columns, and a forest for each; () for a column with too few entries."""

    normal: ColumnNormal
    forests: tuple[tuple[ExtraTreeRegressor, ...], ...]
    order: np.ndarray  # (M,) of the columns, in which the forests read them

    def complete(self, x: Tensor, row: Tensor, col: Tensor, n_rows: int) -> Tensor:
        """(N, M) estimates of all cells of any rows, observed ones without their own entry in the row; parameters as
        for ``ColumnNormal.complete``."""
        left_out = self.normal.left_out(x, row, col, n_rows).numpy()
        estimates = left_out.copy()
        for m, forest in enumerate(self.forests):
            if forest and n_rows:
                features = _features(left_out, x, row, col, m, self.order)
                estimates[:, m] += sum(tree.predict(features, check_input=False) for tree in forest) / len(forest)
        return torch.as_tensor(estimates)


def can_grow(shape: tuple[int, int]) -> bool:
    """Whether a matrix (N, M) is small enough for forests."""
    N, M = shape
    return N * M * M <= MOST_TREE_WORK


def fit_residual_trees(
    normal: ColumnNormal, x: Tensor, row: Tensor, col: Tensor, n_rows: int, only: Iterable[int] | None = None
) -> ResidualTrees:
    """Forests for the residuals of a normal distribution over the columns of a matrix; parameters as for
    ``ColumnNormal.complete``. ``only``, if given, are the columns that get a forest.

    Rows and columns are drawn in an order of their values, so that the answer does not depend on how they are arranged.
    A forest is that of scikit-learn's ``ExtraTreesRegressor``, which takes as long to make a tree as to grow it.
    """
    from sklearn import config_context  # takes a second
    from sklearn.tree import ExtraTreeRegressor
    from sklearn.utils import check_random_state

    M = len(normal.mean)
    values = x.numpy()
    rows, order = canonical_lines(Ratings(row.numpy(), col.numpy(), values, (n_rows, M)))
    left_out = normal.left_out(x, row, col, n_rows).numpy()
    table = np.full((n_rows, M), np.nan)
    table[row.numpy(), col.numpy()] = values
    forests: list[tuple[ExtraTreeRegressor, ...]] = [()] * M
    for seed, m in enumerate(order):
        given = rows[~np.isnan(table[rows, m])]
        if len(given) < FEWEST_ENTRIES or (only is not None and m not in only):
            continue
        draws = check_random_state(seed).randint(np.iinfo(np.int32).max, size=TREES)
        settings = {"min_samples_leaf": LEAF_ENTRIES, "max_features": COLUMN_SHARE}
        features = _features(left_out, x, row, col, m, order)[given]
        residuals = np.round(table[given, m] - left_out[given, m], DECIMALS)
        trees = [ExtraTreeRegressor(**settings, random_state=draw) for draw in draws]
        with config_context(skip_parameter_validation=True):
            forests[m] = tuple(tree.fit(features, residuals, check_input=False) for tree in trees)
    return ResidualTrees(normal, tuple(forests), order)


def _features(left_out: np.ndarray, x: Tensor, row: Tensor, col: Tensor, m: int, order: np.ndarray) -> np.ndarray:
    """(N, M) the rows, completed, from which column m is predicted, with their columns in an order; in the single
    precision in which trees read."""
    features = left_out.copy()
    features[row.numpy(), col.numpy()] = x.numpy()
    features[:, m] = left_out[:, m]
    return np.ascontiguousarray(np.round(features[:, order], DECIMALS), dtype=np.float32)


class Normal(PerMatrix):
    """The normal distribution over the columns, alone."""

    default = NormalConfig()

    @torch.no_grad()
    def adapt(self, support: RatingsBatch) -> AdaptedTable:
        padded = PaddedMatrices(support)
        table = support.x.new_zeros(padded.shape)
        matrix = support.row_matrix[support.row]
        for d, shape in enumerate(torch.stack([support.n_rows, support.n_cols], 1).tolist()):
            own = matrix == d
            entries = support.x[own].double(), padded.row[support.row[own]], padded.col[support.col[own]]
            mean, _ = fit_normal(*entries, tuple(shape), self.config).complete(*entries, shape[0])
            table[d, : shape[0], : shape[1]] = mean.to(table)
        return AdaptedTable(table, padded)

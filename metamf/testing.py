"""The promises of the model as assertions, for the layers here and for whatever is built on them.

Rows and columns carry no meaning by their position: permuting them permutes the answers and changes nothing else. A
matrix gets the same answer alone and among others. Computing on observed entries gives what the dense equations say.
Each assertion runs in float64 and in float32. What is checked is a module and how it ``answer``s a batch; the default
is the method protocol, ``module.adapt(support)`` and then ``predict`` at every cell of every matrix.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings

#: Largest difference, relative to the largest number of the expected answer (or to 1, where all are smaller).
#: float64: the order of a sum's terms costs about 1e-14. float32: about 1e-6, some ten times more after ten MAP steps.
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-4}


class Answer(NamedTuple):
    """What a module says of a batch; the first dimension runs over rows, columns, observed entries or all cells."""

    rows: Tensor | None = None  # (N, ...)
    cols: Tensor | None = None  # (M, ...)
    entries: Tensor | None = None  # (nnz, ...)
    cells: Tensor | None = None  # (sum of N_d * M_d, ...) matrix by matrix, row by row


AnswerFunction = Callable[[nn.Module, RatingsBatch], Answer]


def estimates(method: nn.Module, batch: RatingsBatch) -> Answer:
    """The answer of a method: its estimate of every cell of every matrix of the batch."""
    return Answer(cells=method.adapt(batch).predict(*all_cells(batch)))


def all_cells(batch: RatingsBatch) -> tuple[Tensor, Tensor]:
    """Row and column, as positions in the batch, of every cell of its matrices, matrix by matrix, row by row."""
    rows, cols = [], []
    for d in range(len(batch)):
        matrix_rows = torch.nonzero(batch.row_matrix == d).flatten()
        matrix_cols = torch.nonzero(batch.col_matrix == d).flatten()
        rows.append(matrix_rows.repeat_interleave(len(matrix_cols)))
        cols.append(matrix_cols.repeat(len(matrix_rows)))
    return torch.cat(rows), torch.cat(cols)


def assert_permutation_equivariant(
    module: nn.Module,
    ratings: Ratings,
    axis: str,
    rng: np.random.Generator,
    answer: AnswerFunction = estimates,
) -> None:
    """Permuting the rows (``axis`` "rows") or the columns ("cols") permutes the answer likewise, and changes no more.

    Raises
    ------
    AssertionError
        naming the part of the answer that differs, its dtype, and by how much.
    ValueError
        if no permutation of ``axis`` can change anything: fewer than two rows or columns.
    """
    N, M = ratings.shape
    row_ids, col_ids = np.arange(N), np.arange(M)
    if axis == "rows":
        row_ids = _moving_permutation(N, rng)
    elif axis == "cols":
        col_ids = _moving_permutation(M, rng)
    else:
        raise ValueError(f"axis must be 'rows' or 'cols', got {axis!r}")
    permuted = ratings.submatrix(row_ids, col_ids)
    cell = np.arange(N * M).reshape(N, M)
    entry = np.full((N, M), -1)
    entry[ratings.rows, ratings.cols] = np.arange(ratings.nnz)
    moved = Answer(
        row_ids,
        col_ids,
        entry[row_ids][:, col_ids][permuted.rows, permuted.cols],
        cell[row_ids][:, col_ids].reshape(-1),
    )
    for dtype, answer_to in _in_each_dtype(module, answer):
        before, after = answer_to([ratings]), answer_to([permuted])
        expected = Answer(*(part if part is None else part[torch.as_tensor(ids)] for part, ids in zip(before, moved)))
        _assert_same(after, expected, dtype, f"a permutation of the {axis} changed the answer")


def assert_equal_alone_and_in_batch(
    module: nn.Module, matrices: Sequence[Ratings], answer: AnswerFunction = estimates
) -> None:
    """Each of ``matrices`` gets the answer in a batch of all of them that it gets alone.

    Raises
    ------
    AssertionError
        naming the matrix, the part of the answer that differs, its dtype, and by how much.
    """
    sizes = Answer(*zip(*((r.n_rows, r.n_cols, r.nnz, r.n_rows * r.n_cols) for r in matrices)))
    for dtype, answer_to in _in_each_dtype(module, answer):
        together = answer_to(matrices)
        parts = zip(
            *([None] * len(matrices) if part is None else part.split(size) for part, size in zip(together, sizes))
        )
        for index, (ratings, in_batch) in enumerate(zip(matrices, parts)):
            alone = answer_to([ratings])
            _assert_same(Answer(*in_batch), alone, dtype, f"matrix {index} {ratings.shape}: not the same in a batch")


def assert_sparse_equals_dense(
    module: nn.Module,
    dense: Callable[[nn.Module, Tensor, Tensor], Answer],
    matrices: Sequence[Ratings],
    answer: AnswerFunction = estimates,
) -> None:
    """The answer to a batch, and its derivative in every parameter, are those of the dense equations.

    ``dense(module, X, B)`` answers for one matrix: X (N, M), zero where unobserved, and mask B (N, M). Its ``rows`` and
    ``cols`` are those of an Answer; its ``entries`` and ``cells`` have shape (N, M, ...). The derivative is that of a
    random projection of the answer.

    Raises
    ------
    AssertionError
        naming the part of the answer, or the parameter, that differs, its dtype, and by how much.
    """

    def dense_answer(module: nn.Module, batch: RatingsBatch) -> Answer:
        answers = []
        for ratings in matrices:
            X = torch.as_tensor(np.nan_to_num(ratings.to_dense()), dtype=batch.x.dtype)
            B = torch.as_tensor(~np.isnan(ratings.to_dense()))
            rows, cols, entries, cells = dense(module, X, B)
            entries = None if entries is None else entries[B]  # (nnz, ...)
            cells = None if cells is None else cells.flatten(0, 1)  # (N * M, ...)
            answers.append(Answer(rows, cols, entries, cells))
        return Answer(*(None if parts[0] is None else torch.cat(parts) for parts in zip(*answers)))

    sparse_runs, dense_runs = _in_each_dtype(module, answer, True), _in_each_dtype(module, dense_answer, True)
    for (dtype, sparse_to), (_, dense_to) in zip(sparse_runs, dense_runs):
        (found, found_slopes), (expected, expected_slopes) = sparse_to(matrices), dense_to(matrices)
        _assert_same(found, expected, dtype, "the sparse answer differs from the dense one")
        for name, slope in expected_slopes.items():
            _assert_close(found_slopes[name], slope, dtype, f"the derivative in {name} differs from the dense one")


def assert_map_gradient(
    gradient: Callable[..., tuple[Tensor, Tensor]],
    batch: RatingsBatch,
    factors: tuple[Tensor, Tensor],
    prior: tuple[Tensor, Tensor],
    lam: Tensor,
) -> None:
    """``gradient(U, V, U0, V0, batch, lam)`` is the gradient, in U and V, of the negative log posterior

        1/2 sum over observed (u_n . v_m - x_nm)^2  +  lam/2 (||U - U0||^2 + ||V - V0||^2),

    as automatic differentiation finds it. ``factors``: U, V; ``prior``: U0, V0; all in the batch's dtype.

    Raises
    ------
    AssertionError
        naming the factor whose gradient differs, and by how much.
    """
    U, V = (factor.detach().requires_grad_() for factor in factors)
    error = (U[batch.row] * V[batch.col]).sum(1) - batch.x
    away = (U - prior[0]).square().sum() + (V - prior[1]).square().sum()
    expected = torch.autograd.grad(error.square().sum() / 2 + lam / 2 * away, (U, V))
    for name, found, slope in zip("UV", gradient(*factors, *prior, batch, lam), expected):
        _assert_close(found, slope, batch.x.dtype, f"the written gradient in {name} is not that of the objective")


def _in_each_dtype(module: nn.Module, answer: AnswerFunction, with_slopes: bool = False):
    """For each dtype: it, and a function from matrices to the answer of a copy of ``module`` in evaluation mode."""
    for dtype in TOLERANCE:
        converted = copy.deepcopy(module).to(dtype).eval()

        def answer_to(matrices: Sequence[Ratings], converted=converted, dtype=dtype):
            found = answer(converted, RatingsBatch.of(matrices, dtype))
            detached = Answer(*(part if part is None else part.detach() for part in found))
            return (detached, _slopes(converted, found)) if with_slopes else detached

        yield dtype, answer_to


def _slopes(module: nn.Module, answer: Answer) -> dict[str, Tensor]:
    """The derivative of a random projection of the answer in every trained parameter."""
    noise = torch.Generator().manual_seed(0)
    parts = [part for part in answer if part is not None]
    weights = [torch.randn(part.shape, generator=noise, dtype=torch.float64).to(part.dtype) for part in parts]
    projection = sum((part * weight).sum() for part, weight in zip(parts, weights))
    parameters = {name: p for name, p in module.named_parameters() if p.requires_grad}
    if not parameters:
        return {}
    slopes = torch.autograd.grad(projection, list(parameters.values()), allow_unused=True, materialize_grads=True)
    return dict(zip(parameters, slopes))


def _moving_permutation(size: int, rng: np.random.Generator) -> np.ndarray:
    if size < 2:
        raise ValueError(f"permuting {size} of them proves nothing; pass a matrix with at least two rows and columns")
    order = rng.permutation(size)
    return np.roll(order, 1) if np.array_equal(order, np.arange(size)) else order


def _assert_same(found: Answer, expected: Answer, dtype: torch.dtype, message: str) -> None:
    if all(part is None for part in expected):
        raise ValueError("the answer has no part: there is nothing to compare")
    for name, a, b in zip(Answer._fields, found, expected):
        if b is not None:
            _assert_close(a, b, dtype, f"{message}: {name}")


def _assert_close(found: Tensor, expected: Tensor, dtype: torch.dtype, message: str) -> None:
    if found.shape != expected.shape:
        raise AssertionError(f"{message}: shape {tuple(found.shape)}, expected {tuple(expected.shape)}")
    if found.dtype != dtype:
        raise AssertionError(f"{message}: dtype {found.dtype}, expected {dtype}")
    if not expected.numel():
        return
    scale = expected.abs().max().clamp(min=1).item()
    off = (found - expected).abs().max().item() / scale
    if not off <= TOLERANCE[dtype]:  # NaN fails, too
        allowed = TOLERANCE[dtype]
        raise AssertionError(f"{message}: off by {off:.3g} of {scale:.3g} in {dtype}, allowed are {allowed:.0e}")

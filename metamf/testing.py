"""The symmetries of the model as assertions, for its layers and for modules built on them.

1. The position of a row or column has no meaning: permuting them permutes the answers and changes nothing else.
2. A matrix gets the same answer alone and in a batch with others.
3. Computing on the observed entries gives the same as the dense equations.

Each assertion runs in float64 and in float32. It checks a module by a function (module, batch) -> ``Answer``; by
default that is ``estimates``, the protocol of methods: ``module.adapt(support)``, then ``predict`` at every cell. An
AssertionError names the part of the answer that differs, its dtype, and by how much.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings

#: Largest difference, relative to the largest number of the expected answer (or to 1 if all are smaller). Chosen by
#: hand: sums in another order differ by about 1e-14 in float64 and 1e-6 in float32, ten times that after ten MAP steps.
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-4}


class Answer(NamedTuple):
    """The answer of a module to a batch of matrices; parts that it does not have are None."""

    rows: Tensor | None = None  # (N, ...) for the rows
    cols: Tensor | None = None  # (M, ...) for the columns
    entries: Tensor | None = None  # (nnz, ...) for the observed entries
    cells: Tensor | None = None  # (sum of N_d * M_d, ...) for all cells, matrix by matrix, row by row


AnswerFunction = Callable[[nn.Module, RatingsBatch], Answer]


def estimates(method: nn.Module, batch: RatingsBatch) -> Answer:
    """The answer of a method: its estimates (sum of N_d * M_d,) of every cell of every matrix of the batch."""
    adapt: Any = method.adapt  # every method has it; nn.Module does not know
    return Answer(cells=adapt(batch).predict(*all_cells(batch)))


def all_cells(batch: RatingsBatch) -> tuple[Tensor, Tensor]:
    """The rows and the columns, as positions in the batch, of all cells, matrix by matrix, row by row."""
    rows = []
    cols = []
    for d in range(len(batch)):
        matrix_rows = torch.nonzero(batch.row_matrix == d).flatten()
        matrix_cols = torch.nonzero(batch.col_matrix == d).flatten()
        rows.append(matrix_rows.repeat_interleave(len(matrix_cols)))
        cols.append(matrix_cols.repeat(len(matrix_rows)))
    return torch.cat(rows), torch.cat(cols)


def assert_permutation_equivariant(
    module: nn.Module, ratings: Ratings, axis: str, rng: np.random.Generator, answer: AnswerFunction = estimates
) -> None:
    """Asserts that permuting the rows, or the columns, permutes the answer in the same way and changes nothing else.

    ``axis`` is "rows" or "cols", and ``rng`` draws the permutation. Raises ValueError if there are fewer than two rows
    or columns, so that no permutation can change anything.
    """
    if axis not in ("rows", "cols"):
        raise ValueError(f"axis must be 'rows' or 'cols', got {axis!r}")
    N, M = ratings.shape
    row_ids = _moving_permutation(N, rng) if axis == "rows" else np.arange(N)
    col_ids = _moving_permutation(M, rng) if axis == "cols" else np.arange(M)
    permuted = ratings.submatrix(row_ids, col_ids)
    cell = np.arange(N * M).reshape(N, M)
    entry = np.full((N, M), -1)
    entry[ratings.rows, ratings.cols] = np.arange(ratings.nnz)
    moved = (  # where each part of the answer was before, in the order of ``Answer``
        row_ids,
        col_ids,
        entry[row_ids][:, col_ids][permuted.rows, permuted.cols],
        cell[row_ids][:, col_ids].reshape(-1),
    )
    for dtype in TOLERANCE:
        before, after = (_answered(module, answer, [matrix], dtype)[0] for matrix in (ratings, permuted))
        expected = Answer(*(part if part is None else part[torch.as_tensor(ids)] for part, ids in zip(before, moved)))
        _assert_same(after, expected, dtype, f"a permutation of the {axis} changed the answer")


def assert_equal_alone_and_in_batch(
    module: nn.Module, matrices: Sequence[Ratings], answer: AnswerFunction = estimates
) -> None:
    """Asserts that each matrix gets the same answer alone and in a batch of all of them."""
    sizes = [*zip(*((r.n_rows, r.n_cols, r.nnz, r.n_rows * r.n_cols) for r in matrices))]  # of each part of an answer
    for dtype in TOLERANCE:
        together, _ = _answered(module, answer, matrices, dtype)
        parts = zip(
            *([None] * len(matrices) if part is None else part.split(size) for part, size in zip(together, sizes))
        )
        for index, (ratings, in_batch) in enumerate(zip(matrices, parts)):
            alone, _ = _answered(module, answer, [ratings], dtype)
            _assert_same(Answer(*in_batch), alone, dtype, f"matrix {index} {ratings.shape}: not the same in a batch")


def assert_sparse_equals_dense(
    module: nn.Module,
    dense: Callable[[nn.Module, Tensor, Tensor], Answer],
    matrices: Sequence[Ratings],
    answer: AnswerFunction = estimates,
) -> None:
    """Asserts that the answer and its derivative in every parameter are those of the dense equations.

    The derivative is that of a random projection of the answer. ``dense`` is a function (module, X, B) -> the answer to
    one matrix X (N, M), zero where unobserved, with the mask B (N, M); its ``entries`` and ``cells`` have shape
    (N, M, ...).
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

    for dtype in TOLERANCE:
        found, sparse_module = _answered(module, answer, matrices, dtype)
        expected, dense_module = _answered(module, dense_answer, matrices, dtype)
        _assert_same(found, expected, dtype, "the sparse answer differs from the dense one")
        found_slopes = _slopes(sparse_module, found)
        for name, slope in _slopes(dense_module, expected).items():
            _assert_close(found_slopes[name], slope, dtype, f"the derivative in {name} differs from the dense one")


def _answered(
    module: nn.Module, answer: AnswerFunction, matrices: Sequence[Ratings], dtype: torch.dtype
) -> tuple[Answer, nn.Module]:
    """The answer of a copy of ``module`` in ``dtype``, in evaluation mode, and the copy."""
    converted = copy.deepcopy(module).to(dtype).eval()
    return answer(converted, RatingsBatch.of(matrices, dtype)), converted


def _slopes(module: nn.Module, answer: Answer) -> dict[str, Tensor]:
    """The derivatives of a random projection of the answer in all trained parameters, by their names."""
    noise = torch.Generator().manual_seed(0)
    parts = [part for part in answer if part is not None]
    weights = [torch.randn(part.shape, generator=noise, dtype=torch.float64).to(part.dtype) for part in parts]
    projection = torch.stack([(part * weight).sum() for part, weight in zip(parts, weights)]).sum()
    parameters = {name: p for name, p in module.named_parameters() if p.requires_grad}
    if not parameters:
        return {}
    slopes = torch.autograd.grad(projection, list(parameters.values()), allow_unused=True, materialize_grads=True)
    return dict(zip(parameters, slopes))


def _moving_permutation(size: int, rng: np.random.Generator) -> np.ndarray:
    if size < 2:
        raise ValueError(f"permuting {size} of them checks nothing; pass a matrix with at least two rows and columns")
    order = rng.permutation(size)
    return np.roll(order, 1) if np.array_equal(order, np.arange(size)) else order


def _assert_same(found: Answer, expected: Answer, dtype: torch.dtype, message: str) -> None:
    if all(part is None for part in expected):
        raise ValueError("all parts of the answer are None: there is nothing to compare")
    for name, a, b in zip(Answer._fields, found, expected):
        if b is not None:
            if a is None:
                raise AssertionError(f"{message}: {name} is missing")
            _assert_close(a, b, dtype, f"{message}: {name}")


def _assert_close(found: Tensor, expected: Tensor, dtype: torch.dtype, message: str) -> None:
    scale = max(1.0, expected.detach().abs().max().item()) if expected.numel() else 1.0
    torch.testing.assert_close(
        found, expected.to(dtype), rtol=0, atol=TOLERANCE[dtype] * scale, msg=lambda why: f"{message}, {dtype}: {why}"
    )

"""The symmetries of the model as assertions, for its layers and for modules built on them.

1. The position of a row or column has no meaning: permuting them permutes the answers and changes
nothing else.
2. A matrix gets the same answer alone and in a batch with others.

Each assertion runs in float64 and in float32. It checks a module by a function (module, batch) ->
``Answer``; by default that is ``estimates``, the protocol of methods: ``module.adapt(support)``,
then ``predict`` at every cell. An AssertionError names the part of the answer that differs, its
dtype, and by how much.
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

#: Largest difference, relative to the largest number of the expected answer (or to 1 if all are
#: smaller). Chosen by hand: sums in another order differ by about 1e-14 in float64 and 1e-6 in
#: float32, ten times that after ten MAP steps.
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-4}


class Answer(NamedTuple):
    """The answer of a module to a batch of matrices; parts that it does not have are None."""

    rows: Tensor | None = None  # (N, ...) for the rows
    cols: Tensor | None = None  # (M, ...) for the columns
    entries: Tensor | None = None  # (nnz, ...) for the observed entries
    # (sum of N_d * M_d, ...) for all cells, matrix by matrix, row by row
    cells: Tensor | None = None


AnswerFunction = Callable[[nn.Module, RatingsBatch], Answer]


def estimates(method: nn.Module, batch: RatingsBatch) -> Answer:
    """The answer of a method: its estimates (sum of N_d * M_d,) of every cell of every matrix of
    the batch."""
    adapt: Any = method.adapt  # every method has it; nn.Module does not know
    return Answer(cells=adapt(batch).predict(*all_cells(batch)))


def all_cells(batch: RatingsBatch) -> tuple[Tensor, Tensor]:
    """The rows and the columns, as positions in the batch, of all cells, matrix by matrix, row by
    row."""
    rows = []
    cols = []
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
    """Asserts that permuting the rows, or the columns, permutes the answer in the same way and
    changes nothing else.

    ``axis`` is "rows" or "cols", and ``rng`` draws the permutation. Raises ValueError if there are
    fewer than two rows or columns, so that no permutation can change anything.
    """
    if axis not in ("rows", "cols"):
        raise ValueError(f"axis must be 'rows' or 'cols', got {axis!r}")
    N, M = ratings.shape
    row_ids = np.arange(N)
    col_ids = np.arange(M)
    moving = row_ids if axis == "rows" else col_ids
    if len(moving) < 2:
        raise ValueError(
            f"permuting {len(moving)} of them checks nothing; pass a matrix with at least two rows "
            "and columns"
        )
    order = rng.permutation(moving)
    moving[:] = np.roll(order, 1) if np.array_equal(order, moving) else order
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
        before, after = (
            answered(module, answer, [matrix], dtype)[0] for matrix in (ratings, permuted)
        )
        expected = (
            None if part is None else part[torch.as_tensor(ids)] for part, ids in zip(before, moved)
        )
        message = f"a permutation of the {axis} changed the answer"
        assert_same(after, Answer(*expected), dtype, message)


def assert_equal_alone_and_in_batch(
    module: nn.Module, matrices: Sequence[Ratings], answer: AnswerFunction = estimates
) -> None:
    """Asserts that each matrix gets the same answer alone and in a batch of all of them."""
    for dtype in TOLERANCE:
        together, _ = answered(module, answer, matrices, dtype)
        before = [0, 0, 0, 0]  # lengths of the parts of the answers to the matrices before
        for index, r in enumerate(matrices):
            sizes = (r.n_rows, r.n_cols, r.nnz, r.n_rows * r.n_cols)
            in_batch = Answer(
                *(
                    None if part is None else part[start : start + size]
                    for part, start, size in zip(together, before, sizes)
                )
            )
            before = [start + size for start, size in zip(before, sizes)]
            alone, _ = answered(module, answer, [r], dtype)
            assert_same(
                in_batch, alone, dtype, f"matrix {index} {r.shape}: not the same in a batch"
            )


def answered(
    module: nn.Module, answer: AnswerFunction, matrices: Sequence[Ratings], dtype: torch.dtype
) -> tuple[Answer, nn.Module]:
    """The answer of a copy of ``module`` in ``dtype``, in evaluation mode, and the copy."""
    converted = copy.deepcopy(module).to(dtype).eval()
    return answer(converted, RatingsBatch.of(matrices, dtype)), converted


def assert_same(found: Answer, expected: Answer, dtype: torch.dtype, message: str) -> None:
    """Asserts that an answer has the parts of the ``expected`` one."""
    if all(part is None for part in expected):
        raise ValueError("all parts of the answer are None: there is nothing to compare")
    for name, a, b in zip(Answer._fields, found, expected):
        if b is not None:
            if a is None:
                raise AssertionError(f"{message}: {name} is missing")
            assert_close(a, b, dtype, f"{message}: {name}")


def assert_close(found: Tensor, expected: Tensor, dtype: torch.dtype, message: str) -> None:
    """Asserts that two tensors differ by ``TOLERANCE`` at most."""
    scale = max(1.0, expected.detach().abs().max().item()) if expected.numel() else 1.0
    torch.testing.assert_close(
        found,
        expected.to(dtype),
        rtol=0,
        atol=TOLERANCE[dtype] * scale,
        msg=lambda why: f"{message}, {dtype}: {why}",
    )

"""The sparse computation against dense equations: the answer, and its derivative in every parameter."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.testing import (
    TOLERANCE,
    Answer,
    AnswerFunction,
    answered,
    assert_close,
    assert_same,
    estimates,
)


def assert_sparse_equals_dense(
    module: nn.Module,
    dense: Callable[[nn.Module, Tensor, Tensor], Answer],
    matrices: Sequence[Ratings],
    answer: AnswerFunction = estimates,
) -> None:
    """Asserts that the answer and its derivative in every parameter are those of the dense
    equations.

    The derivative is that of a random projection of the answer. ``dense`` is a function (module, X,
    B) -> the answer to one matrix X (N, M), zero where unobserved, with the mask B (N, M); its
    ``entries`` and ``cells`` have shape (N, M, ...).
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
        found, sparse_module = answered(module, answer, matrices, dtype)
        expected, dense_module = answered(module, dense_answer, matrices, dtype)
        assert_same(found, expected, dtype, "the sparse answer differs from the dense one")
        found_slopes = _slopes(sparse_module, found)
        for name, slope in _slopes(dense_module, expected).items():
            message = f"the derivative in {name} differs from the dense one"
            assert_close(found_slopes[name], slope, dtype, message)


def _slopes(module: nn.Module, answer: Answer) -> dict[str, Tensor]:
    """The derivatives of a random projection of the answer in all trained parameters, by their
    names."""
    noise = torch.Generator().manual_seed(0)
    projection = torch.zeros(())
    for part in answer:
        if part is not None:
            weight = torch.randn(part.shape, generator=noise, dtype=torch.float64)
            projection = projection + (part * weight.to(part.dtype)).sum()
    parameters = {name: p for name, p in module.named_parameters() if p.requires_grad}
    if not parameters:
        return {}
    slopes = torch.autograd.grad(
        projection, list(parameters.values()), allow_unused=True, materialize_grads=True
    )
    return dict(zip(parameters, slopes))

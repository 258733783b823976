"""Sums over groups and their adjoint: against loops, for empty groups, and differentiable to any
order."""

import pickle

import pytest
import torch
from problems import CORNER_CASES, random_ratings, structured_ratings
from torch_threads import three_threads  # noqa: F401  a fixture

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.segments import Segments, weighted_sums
from metamf.ratings.threads import run_with_helpers

INDEX = torch.tensor([3, 1, 1, 5, 3, 1])  # unordered; groups 0, 2, 4 and 6 are empty


def values(n, C=3, dtype=torch.float64):
    return torch.randn(n, C, dtype=dtype, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_sum_and_gather_are_what_they_say(dtype):
    segments, x, groups = Segments(INDEX, 7), values(6, dtype=dtype), values(7, dtype=dtype)
    expected = torch.stack([x[INDEX == group].sum(0) for group in range(7)])
    torch.testing.assert_close(segments.sum(x), expected)
    assert torch.equal(segments.gather(groups), groups[INDEX])


def test_a_worker_gets_the_groups_by_pickle():
    batch = RatingsBatch.of([random_ratings(5, 4)], torch.float64)
    groups = values(batch.M)
    expected = batch.by_row.sum_across(groups, batch.by_col)  # keeps the partners
    rows, cols = pickle.loads(pickle.dumps((batch.by_row, batch.by_col)))
    torch.testing.assert_close(rows.sum_across(groups, cols), expected)


@pytest.mark.parametrize("n_groups", [1, 3])
def test_no_entries_give_zeros(n_groups):
    none = torch.zeros(0, dtype=torch.int64)
    segments, zeros = Segments(none, n_groups), torch.zeros(n_groups, 3, dtype=torch.float64)
    assert torch.equal(segments.sum(values(0)), zeros)
    assert torch.equal(weighted_sums(segments.starts, values(2), none, values(0)[:, 0]), zeros)
    assert segments.gather(values(n_groups)).shape == (0, 3)


@pytest.mark.parametrize("name, n", [("sum", 6), ("gather", 7)])
@pytest.mark.parametrize("check", [torch.autograd.gradcheck, torch.autograd.gradgradcheck])
def test_derivatives_of_first_and_second_order(check, name, n):
    function = getattr(Segments(INDEX, 7), name)
    assert check(lambda x: function(x).square().sin(), (values(n).requires_grad_(),))


@pytest.mark.parametrize("side", ["by_row", "by_col"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_sums_of_parts_are_those_of_the_whole(side, size):
    matrices = [CORNER_CASES["empty rows and columns"], random_ratings(9, 8)]
    segments = getattr(RatingsBatch.of(matrices, torch.float64), side)
    x = values(sum(ratings.nnz for ratings in matrices))
    total = torch.zeros(segments.n_groups, 3, dtype=torch.float64)
    for start in range(0, len(x), size):
        part = slice(start, min(start + size, len(x)))
        segments.add_part(total, x[part], part)
    torch.testing.assert_close(total, segments.sum(x))


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(
    "matrices",
    [[structured_ratings(40, 30), *CORNER_CASES.values()], [CORNER_CASES["1 x M"]]],
    ids=["many", "1 x M"],
)
def test_sums_of_groups_by_several_threads_are_those_by_one(three_threads, matrices, weighted):
    batch = RatingsBatch.of(matrices, torch.float64)
    table, weight = torch.randn(batch.M, 3, dtype=torch.float64), batch.x if weighted else None
    expected = batch.by_row.sum_across(table, batch.by_col, weight)
    found = run_with_helpers(lambda: batch.by_row.sum_across(table, batch.by_col, weight))
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("check", [torch.autograd.gradcheck, torch.autograd.gradgradcheck])
def test_derivatives_of_the_sum_across(check):
    near, far = Segments(INDEX, 7), Segments(torch.tensor([0, 2, 0, 1, 1, 2]), 4)
    table = values(4)
    torch.testing.assert_close(near.sum_across(table, far), near.sum(far.gather(table)))
    function = lambda table: near.sum_across(table, far).square().sin()  # noqa: E731
    assert check(function, (table.requires_grad_(),))

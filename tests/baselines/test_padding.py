"""Padding: into one dense array, and back."""

import numpy as np
import pytest
import torch
from estimates import batch_of
from problems import CORNER_CASES, random_ratings

from metamf.baselines.padding import PaddedGroups, PaddedMatrices

MIXED = [*CORNER_CASES.values(), random_ratings(12, 9)]


@pytest.mark.parametrize("width", [3, 8])
def test_groups_pad_with_zeros_and_back(width):
    group = torch.arange(4).repeat_interleave(torch.tensor([3, 0, 1, 2]) if width == 3 else torch.tensor([8] * 4))
    values = torch.randn(len(group), 2, generator=torch.Generator().manual_seed(0))
    groups = PaddedGroups(group, 4)
    padded = groups.pad(values)
    assert padded.shape == (4, width, 2) and padded.abs().sum() == pytest.approx(values.abs().sum().item())
    assert torch.equal(padded[2, 0], values[3 if width == 3 else 16])
    assert torch.equal(groups.unpad(padded), values)


def test_layout_puts_every_matrix_in_its_own_corner():
    batch = batch_of(*MIXED)
    padded = PaddedMatrices(batch)
    dense, mask = padded.dense(batch.x), padded.mask
    assert dense.shape == (len(MIXED), 12, 9)
    for d, ratings in enumerate(MIXED):
        N, M = ratings.shape
        X = ratings.to_dense()
        np.testing.assert_array_equal(dense[d, :N, :M], np.nan_to_num(X))
        np.testing.assert_array_equal(mask[d, :N, :M], ~np.isnan(X))
        assert mask[d].sum() == ratings.nnz

"""Jester on a tiny archive in the publisher's layout, and on the real one (marker data)."""

import numpy as np
import pytest
from tiny_archives import tiny_jester

from metamf import datasets


def test_jester_zeros_are_missing_as_in_the_paper_or_kept(folders, monkeypatch, capfd):
    tiny_jester(folders, monkeypatch)
    nan = np.nan
    np.testing.assert_array_equal(datasets.load("jester").to_dense(), [[-7.82, nan], [nan, 9.5], [10, nan]])
    kept = datasets.load("jester", zeros_are_missing=False)
    np.testing.assert_array_equal(kept.to_dense(), [[-7.82, 0], [nan, 9.5], [10, nan]])
    assert kept.col_labels == ("joke 1", "joke 2")
    assert capfd.readouterr() == ("", "")


@pytest.mark.data
def test_the_real_jester():
    ratings, kept = datasets.load("jester"), datasets.load("jester", zeros_are_missing=False)
    assert ratings.shape == kept.shape == (24983, 100)
    assert (ratings.nnz, kept.nnz) == (1_805_072, 1_810_455)
    assert -10 <= kept.values.min() < -9 and 9 < kept.values.max() <= 10
    np.testing.assert_array_equal(kept.values, np.round(kept.values, 2))

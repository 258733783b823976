"""Data sets by name, and the publisher's own split."""

import pytest
from tiny_archives import U_DATA, tiny_100k

from metamf import datasets


def test_official_split(folders, monkeypatch):
    tiny_100k(folders, monkeypatch)
    base, test = datasets.load_official_split("ml-100k")
    assert (base.nnz, test.nnz) == (2, 2)
    assert base.shape == test.shape == (3, 3)
    assert base.col_labels == datasets.load("ml-100k").col_labels
    tiny_100k(folders, monkeypatch, **{"ml-100k/u1.test": U_DATA.splitlines()[3]})
    with pytest.raises(ValueError, match="holds 3 ratings"):
        datasets.load_official_split("ml-100k")
    with pytest.raises(ValueError, match="only ml-100k"):
        datasets.load_official_split("ml-1m")

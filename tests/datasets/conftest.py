"""Folders of their own for the tests of data sets."""

import pytest


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch, request):
    """An empty cache, and, but for the tests on real data, an empty data folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if not request.node.get_closest_marker("data"):
        monkeypatch.setenv("METAMF_DATA", str(tmp_path / "data"))
        (tmp_path / "data").mkdir()
    return tmp_path

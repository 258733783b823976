"""The checks of what was parsed, and its cache."""

import numpy as np
import pytest
from tiny_archives import U_DATA, tiny_100k

from metamf import datasets
from metamf.datasets import archives, loading, parsed


def test_an_archive_may_lack_one_rating_in_a_thousand_and_no_more(monkeypatch):
    archive = archives.ARCHIVES["ml-1m"]
    for count in (1_000_209, 1_000_205, 999_209):
        parsed.check_count(count, archive)
    for count in (1_000_210, 999_208):
        with pytest.raises(ValueError, match="1,000,209"):
            parsed.check_count(count, archive)


@pytest.fixture
def parsings(folders, monkeypatch):
    """A tiny ml-100k in the data folder, and the list of the files that its parser was called with."""
    tiny_100k(folders, monkeypatch)
    calls, parse = [], loading.PARSERS["ml-100k"]
    monkeypatch.setitem(loading.PARSERS, "ml-100k", lambda *inputs: calls.append(inputs) or parse(*inputs))
    return calls


def cache_file(folders):
    (file,) = (folders / "cache" / "metamf" / "parsed").iterdir()
    return file


def test_a_second_load_reads_the_cache(parsings):
    first, second = datasets.load("ml-100k"), datasets.load("ml-100k")
    assert len(parsings) == 1
    for attribute in ("rows", "cols", "values"):
        np.testing.assert_array_equal(getattr(first, attribute), getattr(second, attribute))
    assert first.col_labels == second.col_labels
    assert type(second.col_labels[0]) is str


def test_another_archive_is_not_taken_for_the_cached_one(parsings, folders, monkeypatch):
    datasets.load("ml-100k")
    tiny_100k(folders, monkeypatch, U_DATA.replace("2\t1\t3", "2\t1\t2"))
    assert datasets.load("ml-100k").to_dense()[1, 0] == 2
    assert len(parsings) == 2


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: b"", id="empty"),
        pytest.param(lambda content: content[: len(content) // 2], id="cut short"),
        pytest.param(lambda content: b"not an npz file", id="another file"),
        pytest.param(lambda content: content.replace(b"Gleich"[:1] + b"\0\0\0l", b"X\0\0\0l", 1), id="one byte"),
    ],
)
def test_a_damaged_cache_is_rebuilt(parsings, folders, damage):
    datasets.load("ml-100k")
    whole = cache_file(folders).read_bytes()
    assert damage(whole) != whole
    cache_file(folders).write_bytes(damage(whole))
    assert datasets.load("ml-100k").col_labels[1] == "Gleich (1991) [2]"
    assert len(parsings) == 2
    datasets.load("ml-100k")
    assert len(parsings) == 2


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"rows": np.arange(4), "stars": np.arange(4)}, id="layout"),
        pytest.param(dict(zip(("rows", "cols", "values", "titles"), np.zeros((4, 4), int))), id="content"),
    ],
)
def test_a_cached_table_of_another_layout_or_content_is_rebuilt(parsings, folders, columns):
    datasets.load("ml-100k")
    np.savez(cache_file(folders), **columns)
    assert datasets.load("ml-100k").nnz == 4
    assert len(parsings) == 2


def test_a_cache_that_cannot_be_written_is_not_an_error(parsings, folders, monkeypatch):
    (folders / "cache").write_text("a file where the folder should be")
    assert datasets.load("ml-100k").nnz == datasets.load("ml-100k").nnz == 4
    assert len(parsings) == 2


def test_an_interrupted_write_leaves_no_cache(parsings, folders, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        datasets.load("ml-100k")
    assert not list((folders / "cache" / "metamf" / "parsed").iterdir())

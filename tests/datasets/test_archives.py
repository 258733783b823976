"""Archives in the data folder: where they are looked for, and what is refused."""

import pytest
from tiny_archives import U_DATA, describe, tiny_100k, write_zip

from metamf import datasets
from metamf.datasets import archives


def test_a_missing_archive_names_the_folder_and_the_command(folders):
    assert not datasets.available("ml-100k")
    with pytest.raises(FileNotFoundError, match="python -m metamf download ml-100k") as caught:
        datasets.load("ml-100k")
    assert str(folders / "data") in str(caught.value)
    with pytest.raises(ValueError, match="'ml-2k'.*ml-100k, ml-1m, jester"):
        datasets.load("ml-2k")


def test_an_archive_in_a_folder_of_the_callers_choice(folders, monkeypatch):
    path = tiny_100k(folders, monkeypatch)
    elsewhere = folders / "elsewhere"
    elsewhere.mkdir()
    path.rename(elsewhere / path.name)
    assert not datasets.available("ml-100k")
    assert datasets.available("ml-100k", elsewhere)
    assert datasets.load("ml-100k", elsewhere).nnz == 4


def test_the_data_folder_is_the_cache_where_no_other_is_named(folders, monkeypatch):
    monkeypatch.delenv("METAMF_DATA")
    assert datasets.data_folder() == folders / "cache" / "metamf"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(folders))
    assert datasets.data_folder() == folders / ".cache" / "metamf"


def test_damaged_archives_are_refused_with_their_name(folders, monkeypatch):
    path = tiny_100k(folders, monkeypatch)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"ml-100k\.zip.*not a readable zip"):
        datasets.load("ml-100k")
    write_zip(folders, "ml-100k", {"other/u.data": U_DATA})
    with pytest.raises(ValueError, match=r"does not hold ml-100k/u\.data"):
        datasets.load("ml-100k")
    describe(monkeypatch, "jester", shape=(3, 2), ratings=4)
    write_zip(folders, "jester", {"jester-data-1.xls": b"no spreadsheet"})
    with pytest.raises(ValueError, match="not an Excel"):
        datasets.load("jester")


def test_a_member_that_would_unpack_beyond_the_bound_is_refused(folders, monkeypatch):
    path = tiny_100k(folders, monkeypatch, b"\0" * (archives.MAX_MEMBER_BYTES + 1))
    assert path.stat().st_size < 1_000_000
    with pytest.raises(ValueError, match="would unpack to 67,108,865 bytes"):
        datasets.load("ml-100k")

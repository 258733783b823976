"""Data sets from tiny archives in the publishers' layout, their cache, and the real ones (marker
data)."""

from unittest.mock import Mock

import numpy as np
import pytest
from tiny_archives import MOVIES, U_DATA, describe, tiny_100k, tiny_jester, write_zip

from metamf import datasets
from metamf.datasets import archives, loading


def test_a_missing_archive_names_the_folder_and_the_command(folders):
    assert not datasets.available("ml-100k")
    with pytest.raises(FileNotFoundError, match="python -m metamf download ml-100k") as caught:
        datasets.load("ml-100k")
    assert str(folders / "data") in str(caught.value)
    with pytest.raises(ValueError, match="'ml-2k'.*ml-100k, ml-1m, jester"):
        datasets.load("ml-2k")


def test_the_data_folder_is_the_cache_where_no_other_is_named(folders, monkeypatch):
    monkeypatch.delenv("METAMF_DATA")
    assert datasets.data_folder() == folders / "cache" / "metamf"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(folders))
    assert datasets.data_folder() == folders / ".cache" / "metamf"


def test_damaged_archives_are_refused_with_their_name(folders, monkeypatch):
    path = tiny_100k(folders, monkeypatch)
    path.write_bytes(path.read_bytes()[:-100])
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


def test_movielens_100k_is_read_in_its_publishers_layout(folders, monkeypatch):
    tiny_100k(folders, monkeypatch)
    ratings = datasets.load("ml-100k")
    np.testing.assert_array_equal(
        ratings.to_dense(), [[4, np.nan, 5], [3, np.nan, np.nan], [np.nan, 1, np.nan]]
    )
    assert ratings.row_labels == ("user 1", "user 2", "user 3")
    assert ratings.col_labels == ("Plätze (1990)", "Gleich (1991) [2]", "Gleich (1991) [3]")
    assert ratings.scale == datasets.ARCHIVES["ml-100k"].scale


def test_movielens_1m_has_a_column_for_every_id(folders, monkeypatch):
    describe(monkeypatch, "ml-1m", shape=(2, 4), ratings=3)
    text = "1::3::5::0\n1::1::4::0\n2::3::2::0\n"
    write_zip(folders, "ml-1m", {"ml-1m/ratings.dat": text, "ml-1m/movies.dat": MOVIES})
    ratings = datasets.load("ml-1m")
    np.testing.assert_array_equal(
        ratings.to_dense(), [[4, np.nan, 5, np.nan], [np.nan, np.nan, 2, np.nan]]
    )
    assert ratings.col_labels == ("Plätze (1990)", "movie 2", "Nur einer (1991)", "movie 4")


def test_genres_and_years_of_films_are_the_same_in_both_layouts(folders, monkeypatch):
    flags = dict.fromkeys(loading.GENRES, 0) | {"Comedy": 1, "Crime": 1}
    line = "3|Nur (1980) einer (1970)|01-Jan-1970||http|0|" + "|".join(map(str, flags.values()))
    tiny_100k(folders, monkeypatch, **{"ml-100k/u.item": f"{line}\n1|unknown||||1{'|0' * 18}\n"})
    describe(monkeypatch, "ml-1m", shape=(2, 3), ratings=3)
    movies = "3::Nur (1980) einer (1970)::Comedy|Crime\n1::unknown::\n"
    write_zip(folders, "ml-1m", {"ml-1m/ratings.dat": "", "ml-1m/movies.dat": movies})
    expected = np.zeros((3, 19))
    expected[2] = [-1, *flags.values()]
    for name in ("ml-100k", "ml-1m"):
        np.testing.assert_array_equal(datasets.load_features(name, ("year", "genre")), expected)
        np.testing.assert_array_equal(datasets.load_features(name, ("year",)), expected[:, :1])


@pytest.mark.parametrize(
    ("name", "features"), [("jester", ("year",)), ("ml-1m", ("age",)), ("ml-1m", ())]
)
def test_features_that_nobody_knows_are_refused(name, features):
    with pytest.raises(ValueError, match="features are genre, year of ml-100k and ml-1m"):
        datasets.load_features(name, features)


LAST = "3\t2\t1"
NOT_THE_DATA_SET = [
    ("", "empty"),
    ("1\t1\t4\t0\n", "holds 1 ratings"),
    (U_DATA + "3\t3\t3\t0\n", "holds 5 ratings"),
    (U_DATA.replace(LAST, "9\t2\t1"), "row 8 lies outside"),
    (U_DATA.replace(LAST, "3\t0\t1"), "column -1 lies outside"),
    (U_DATA.replace(LAST, "3\t2\t6"), "lies outside the scale 1 to 5: ml-100k.zip is not"),
    (U_DATA.replace(LAST, "1\t1\t1"), "given twice"),
    (U_DATA.replace(LAST, "3\ttwo\t1"), "not a table of user, item and rating"),
]


@pytest.mark.parametrize(("u_data", "message"), NOT_THE_DATA_SET)
def test_contents_that_are_not_the_data_set_are_refused(folders, monkeypatch, u_data, message):
    tiny_100k(folders, monkeypatch, u_data)
    with pytest.raises(ValueError, match=message):
        datasets.load("ml-100k")


@pytest.mark.data
def test_the_real_ml_100k():
    ratings = datasets.load("ml-100k")
    assert (ratings.shape, ratings.nnz) == ((943, 1682), 100_000)
    assert set(np.unique(ratings.values)) == {1, 2, 3, 4, 5}
    assert ratings.row_counts.min() == 20
    assert len(set(ratings.col_labels)) == 1682
    base, test = datasets.load_official_split()
    assert (base.nnz, test.nnz) == (80_000, 20_000)
    both = np.sort(np.concatenate([part.rows * 1682 + part.cols for part in (base, test)]))
    np.testing.assert_array_equal(both, ratings.rows * 1682 + ratings.cols)


@pytest.mark.data
def test_the_real_ml_1m():
    ratings = datasets.load("ml-1m")
    assert ratings.shape == (6040, 3952)
    assert ratings.nnz in (1_000_205, 1_000_209)
    assert (ratings.col_counts == 0).sum() == 246
    assert len(set(ratings.col_labels)) == 3952


def test_jester_zeros_are_missing_as_in_the_paper_or_kept(folders, monkeypatch, capfd):
    tiny_jester(folders, monkeypatch)
    nan = np.nan
    missing = datasets.load("jester").to_dense()
    np.testing.assert_array_equal(missing, [[-7.82, nan], [nan, 9.5], [10, nan]])
    kept = datasets.load("jester", zeros_are_missing=False)
    np.testing.assert_array_equal(kept.to_dense(), [[-7.82, 0], [nan, 9.5], [10, nan]])
    assert kept.col_labels == ("joke 1", "joke 2")
    assert capfd.readouterr() == ("", "")


@pytest.mark.data
def test_the_real_jester():
    kept = datasets.load("jester", zeros_are_missing=False)
    assert kept.shape == (24983, 100)
    assert (np.count_nonzero(kept.values), kept.nnz) == (1_805_072, 1_810_455)
    assert -10 <= kept.values.min() < -9 and 9 < kept.values.max() <= 10
    np.testing.assert_array_equal(kept.values, np.round(kept.values, 2))


def test_official_split(folders, monkeypatch):
    tiny_100k(folders, monkeypatch)
    base, test = datasets.load_official_split()
    assert (base.nnz, test.nnz) == (2, 2)
    assert base.shape == test.shape == (3, 3)
    assert base.col_labels == datasets.load("ml-100k").col_labels
    tiny_100k(folders, monkeypatch, **{"ml-100k/u1.test": U_DATA.splitlines()[3]})
    with pytest.raises(ValueError, match="holds 3 ratings"):
        datasets.load_official_split()


@pytest.fixture
def parsings(folders, monkeypatch):
    """A tiny ml-100k in the data folder, and the list of the files that its parser was called
    with."""
    tiny_100k(folders, monkeypatch)
    parse = Mock(wraps=loading.PARSERS["ml-100k"])
    monkeypatch.setitem(loading.PARSERS, "ml-100k", parse)
    return parse.mock_calls


def test_a_second_load_reads_the_cache_and_another_archive_is_not_taken_for_it(
    parsings, folders, monkeypatch
):
    first, second = datasets.load("ml-100k"), datasets.load("ml-100k")
    assert len(parsings) == 1
    np.testing.assert_array_equal(first.to_dense(), second.to_dense())
    assert first.col_labels == second.col_labels
    assert type(second.col_labels[0]) is str
    tiny_100k(folders, monkeypatch, U_DATA.replace("2\t1\t3", "2\t1\t2"))
    assert datasets.load("ml-100k").to_dense()[1, 0] == 2
    assert len(parsings) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[: len(content) // 2],
        lambda content: b"not an npz file",
        lambda content: content.replace(b"G\0\0\0l", b"X\0\0\0l", 1),
    ],
    ids=["cut short", "another file", "one byte"],
)
def test_a_damaged_cache_is_rebuilt(parsings, folders, damage):
    datasets.load("ml-100k")
    (file,) = (folders / "cache" / "metamf" / "parsed").iterdir()
    whole = file.read_bytes()
    assert damage(whole) != whole
    file.write_bytes(damage(whole))
    for _ in range(2):
        assert datasets.load("ml-100k").col_labels[1] == "Gleich (1991) [2]"
        assert len(parsings) == 2

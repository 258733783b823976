"""MovieLens on tiny archives in the publisher's layout, and on the real ones (marker data)."""

import numpy as np
import pytest
from tiny_archives import MOVIES, U_DATA, describe, tiny_100k, write_zip

from metamf import datasets


def test_movielens_100k_is_read_in_its_publishers_layout(folders, monkeypatch):
    tiny_100k(folders, monkeypatch)
    ratings = datasets.load("ml-100k")
    np.testing.assert_array_equal(ratings.to_dense(), [[4, np.nan, 5], [3, np.nan, np.nan], [np.nan, 1, np.nan]])
    assert ratings.row_labels == ("user 1", "user 2", "user 3")
    assert ratings.col_labels == ("Plätze (1990)", "Gleich (1991) [2]", "Gleich (1991) [3]")
    assert ratings.scale == datasets.ARCHIVES["ml-100k"].scale


def test_movielens_1m_has_a_column_for_every_id(folders, monkeypatch):
    describe(monkeypatch, "ml-1m", shape=(2, 4), ratings=3)
    text = "1::3::5::0\n1::1::4::0\n2::3::2::0\n"
    write_zip(folders, "ml-1m", {"ml-1m/ratings.dat": text, "ml-1m/movies.dat": MOVIES})
    ratings = datasets.load("ml-1m")
    np.testing.assert_array_equal(ratings.to_dense(), [[4, np.nan, 5, np.nan], [np.nan, np.nan, 2, np.nan]])
    assert ratings.col_labels == ("Plätze (1990)", "movie 2", "Nur einer (1991)", "movie 4")


@pytest.mark.parametrize(
    ("u_data", "message"),
    [
        ("", "empty"),
        ("1\t1\t4\t0\n", "holds 1 ratings"),
        (U_DATA + "3\t3\t3\t0\n", "holds 5 ratings"),
        (U_DATA.replace("3\t2\t1", "9\t2\t1"), "user ids run from 1 to 9"),
        (U_DATA.replace("3\t2\t1", "3\t0\t1"), "item ids run from 0 to 3"),
        (U_DATA.replace("3\t2\t1", "3\t2\t6"), "ratings from 3 to 6 lie outside"),
        (U_DATA.replace("3\t2\t1", "1\t1\t1"), "given twice"),
        (U_DATA.replace("3\t2\t1", "3\ttwo\t1"), "not a table of user, item and rating"),
    ],
)
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
    base, test = datasets.load_official_split("ml-100k")
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

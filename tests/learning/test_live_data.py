"""The data of a training that is watched: held out what is shown, made up where none is there."""

from dataclasses import replace

import pytest

from metamf.learning.live import MADE_UP, SHOWN_LINES, LiveData, made_up_matrix


@pytest.fixture(scope="module")
def data():
    """Made-up ratings whose truth is not told, with names."""
    ratings = made_up_matrix().ratings
    named = replace(ratings, row_labels=tuple(map(str, range(900))), col_labels=tuple(map(str, range(600))))
    return LiveData.of(MADE_UP, named)


def test_the_shown_matrix_is_held_out(data):
    """Its names are those of rows and columns that no matrix of the training has."""
    for side in ("row_labels", "col_labels"):
        assert not set(getattr(data.shown.support, side)) & set(getattr(data.prepared.train, side))


def test_half_of_the_shown_ratings_are_given_where_no_truth_is_known(data):
    given, hidden = data.shown.support, data.shown.query
    assert abs(given.nnz - hidden.nnz) <= 1 and given.shape == hidden.shape == (SHOWN_LINES, SHOWN_LINES)
    assert {1, 5} <= set(given.values) | set(hidden.values) <= {1, 2, 3, 4, 5}  # rating units


def test_a_data_set_that_is_not_there_says_how_to_get_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="metamf download ml-100k"):
        LiveData.load("ml-100k", tmp_path)

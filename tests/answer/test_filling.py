"""A table filled in as the command and the page do it: scale, rounding and hidden cells."""

from dataclasses import replace

import numpy as np
import pytest
from problems import STARS

from metamf.answer.methods import Method, method
from metamf.answer.table_filling import fill_in
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.tables import write
from metamf.tables.table import read

pytestmark = pytest.mark.usefixtures("small_checkpoints")
ROW_MEANS = method("row_means")


def row_means_and_four(given, level):
    found = ROW_MEANS.predict(given, level)
    return replace(found, estimates=lambda rows, cols: found.estimates(rows, cols) + 4)


def test_clipped_and_rounded_cells_are_marked_and_only_missing_ones():
    ratings = Ratings.from_dense([[5.0, 5.0, np.nan], [np.nan, 1.0, 2.0]], scale=STARS)
    too_high = fill_in(ratings, Method("too high", "Too high", "", row_means_and_four))
    np.testing.assert_allclose(too_high.mean, [[5, 5, 5], [5, 5, 5]])
    np.testing.assert_array_equal(too_high.clipped, [[False, False, True], [True, False, False]])
    assert not too_high.rounded.any()
    found = fill_in(ratings, ROW_MEANS)
    np.testing.assert_allclose(found.mean, [[5, 5, 5], [2, 2, 2]])  # 1.5 is rounded to 2
    np.testing.assert_array_equal(found.rounded, [[False, False, False], [True, False, False]])
    half = replace(ratings, scale=RatingScale(0.8, 5, 0.5))  # steps count from the lowest rating
    assert fill_in(half, ROW_MEANS).mean[1, 0] == pytest.approx(1.3)


@pytest.mark.parametrize("key", ["universal", "row_means"])
def test_held_out_cells_are_hidden_from_the_method_and_say_so(key):
    table = read(b"name,a,b,c\nx,1,,3\ny,5,4,\nz,,2,1\n")
    ratings = replace(table.ratings, scale=STARS)
    how = method(key)
    found = fill_in(ratings, how, 0.9, hold_out=0.3, seed=4)
    assert (found.hidden.sum(), found.given.nnz, found.ratings.nnz) == (2, 4, 6)
    np.testing.assert_array_equal(found.mean, fill_in(found.given, how).mean)
    provenance = found.provenance[ratings.rows, ratings.cols]
    assert ((provenance == "held out") == found.hidden).all()
    interval = "lower,upper,interval," if key == "universal" else ""
    header = write.to_csv_long(table, found).decode().splitlines()[0]
    assert header.endswith(f"provenance,estimate,{interval}method")
    again, other = (fill_in(ratings, how, hold_out=0.3, seed=seed).hidden for seed in (4, 5))
    assert (again == found.hidden).all() and (other != again).any()
    with pytest.raises(ValueError, match="a share of 0.99 of 6 given cells leaves none"):
        fill_in(ratings, how, hold_out=0.99)


@pytest.mark.parametrize("key", ["row_means", "universal"])
def test_a_number_beyond_the_scale_is_given_as_its_end_and_written_as_it_was_read(key):
    X = [[9.0, 4.0, np.nan], [np.nan, 1.0, 2.0], [3.0, np.nan, 5.0]]
    found = fill_in(Ratings.from_dense(X, scale=STARS), method(key))
    assert found.given.values.tolist() == [5, 4, 1, 2, 3, 5]
    assert found.ratings.values[0] == 9 == found.filled[0, 0]
    assert write.to_csv_wide(found.ratings, found).startswith(b"9,")
    np.testing.assert_array_equal(found.mean, fill_in(found.given, method(key)).mean)

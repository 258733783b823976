"""The methods that fill in a matrix: by name, with settings, and which are offered; a table filled in as
the command and the page do it; and which observed ratings matter for an estimate."""

from dataclasses import replace

import numpy as np
import pytest
from problems import STARS
from small_checkpoints import made_up

from metamf.answer.adaptation import adapt
from metamf.answer.influence import influence, influence_at_once
from metamf.answer.methods import (
    TUNED_BASELINES,
    Method,
    compared,
    contender,
    method,
    offered,
    tuned_baseline,
)
from metamf.answer.table_filling import fill_in
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.tables import write
from metamf.tables.table import read

pytestmark = pytest.mark.usefixtures("small_checkpoints")


def test_means_of_rows_and_columns_are_those_means():
    X = np.array([[1.0, 2.0, np.nan], [np.nan, 5.0, np.nan], [np.nan, np.nan, np.nan]])
    ratings = Ratings.from_dense(X)
    of_rows, of_cols = (method(key).predict(ratings, None) for key in ("row_means", "col_means"))
    np.testing.assert_allclose(of_rows.mean[:, 0], [1.5, 5, 8 / 3])
    np.testing.assert_allclose(of_cols.mean[0], [1, 3.5, 8 / 3])


def test_settings_of_a_checkpoint_are_followed():
    assert method("ml-1m", steps=0).predict(made_up(), None).path.T == 0
    with pytest.raises(
        ValueError, match="steps: .* of checkpoints, and 'mean' is not a checkpoint"
    ):
        method("mean", steps=3)


def test_unknown_and_untrained_methods_are_refused():
    with pytest.raises(ValueError, match="'ours' has to be meta-trained"):
        method("ours")
    with pytest.raises(FileNotFoundError, match="no checkpoint 'novelty': .* universal; .* eml, "):
        method("novelty")


def test_offered_methods_start_with_intervals_and_end_with_the_means_and_drop_what_is_slow():
    keys = [how.key for how in offered(made_up())]
    assert keys[:2] == ["universal", "ml-1m"]
    assert keys[-3:] == ["mean", "row_means", "col_means"]
    assert "mf" in keys
    assert "mf" not in [how.key for how in offered(made_up(250, 200, 0.5))]


def table(scales=1.0, n=25, m=8):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)) @ rng.normal(size=(2, m)) + 0.3 * rng.normal(size=(n, m))
    X[rng.random(X.shape) < 0.3] = np.nan
    return Ratings.from_dense(X * scales)


@pytest.mark.slow
@pytest.mark.parametrize("key", TUNED_BASELINES)
def test_a_tuned_baseline_estimates_cells_that_it_was_not_given(key):
    ratings = table()
    hidden = np.arange(0, ratings.nnz, 7)
    given = ratings.select(np.delete(np.arange(ratings.nnz), hidden))
    mean = tuned_baseline(key).predict(given, None).at(ratings.rows[hidden], ratings.cols[hidden])
    truth = ratings.values[hidden]
    assert np.sqrt(np.mean((mean - truth) ** 2)) < 1.15 * truth.std()


def test_a_contender_is_found_again_by_its_name():
    for how in compared(table(), 5):
        assert contender(how.name).label == how.label


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


def test_an_answer_that_somebody_waits_for_is_the_same_and_bounded(monkeypatch):
    ratings = made_up(7, 6)
    whole = influence(adapt(ratings, "ml-1m", steps=3), 2, 3)
    quick = influence_at_once(ratings, "ml-1m", 3, 2, 3)
    assert (quick.entries == whole.entries).all() and (quick.change == whole.change).all()
    monkeypatch.setattr("metamf.answer.influence.AT_ONCE", 100)
    quick = influence_at_once(ratings, "ml-1m", 3, 2, 3)
    assert quick.examined <= 10 < whole.examined
    assert np.all((ratings.rows[quick.entries] == 2) | (ratings.cols[quick.entries] == 3))


def test_one_value_everywhere_has_no_influence_and_a_cell_outside_is_named():
    flat = adapt(Ratings([0, 0, 1], [0, 1, 1], np.full(3, 4.0), (2, 2)), "universal")
    np.testing.assert_array_equal(influence(flat, 1, 0).change, 0)
    with pytest.raises(IndexError, match="row 2 lies outside"):
        influence(flat, 2, 0)


@pytest.mark.parametrize(
    "key, settings", [("universal", {}), ("ml-1m", {}), ("ml-1m", {"steps": 2})]
)
def test_a_filling_answers_without_a_second_fit(monkeypatch, key, settings):
    ratings = made_up(7, 6)
    how = method(key, **settings)
    answer = how.predict(ratings, None)
    monkeypatch.setattr("metamf.answer.adaptation.adapt", None)
    monkeypatch.setattr("metamf.checkpoints.bundled.open_checkpoint", None)
    found = influence(answer.fitted, 2, 3)
    assert found.estimate == pytest.approx(answer.unclipped[2, 3], rel=1e-6)
    assert found.examined == ratings.nnz and np.all(np.diff(np.abs(found.change)) <= 0)
    monkeypatch.undo()
    k = found.entries[0]
    without = how.predict(ratings.select(np.arange(ratings.nnz) != k), None).unclipped[2, 3]
    assert found.change[0] == pytest.approx(found.estimate - without, abs=1e-4)

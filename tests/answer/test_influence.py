"""Which observed ratings matter for an estimate."""

import numpy as np
import pytest
from small_checkpoints import made_up

from metamf.answer.adaptation import adapt
from metamf.answer.influence import influence, influence_at_once
from metamf.answer.methods import method
from metamf.ratings.matrix import Ratings

pytestmark = pytest.mark.usefixtures("small_checkpoints")


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

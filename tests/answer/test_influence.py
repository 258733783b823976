"""Which observed ratings matter for an estimate."""

import numpy as np
import pytest
from sklearn.base import clone
from small_checkpoints import made_up, small_checkpoints  # noqa: F401  a fixture

import metamf
from metamf.answer.filling import fill
from metamf.answer.influence import influence, influence_at_once
from metamf.answer.methods import method
from metamf.ratings.matrix import Ratings

pytestmark = pytest.mark.usefixtures("small_checkpoints")


def fitted(ratings, checkpoint="universal", **settings):
    return metamf.load_pretrained(checkpoint, clip=False, **settings).fit(ratings)


@pytest.mark.slow
@pytest.mark.parametrize("checkpoint", ["universal", "ml-1m"])
def test_influence_is_that_of_a_new_imputation_without_the_entry(checkpoint):
    ratings = made_up(7, 6)
    imputer = metamf.load_pretrained(checkpoint, clip=False)
    found = influence(clone(imputer).fit(ratings), 2, 3)
    whole = imputer.impute(ratings).mean[2, 3]
    assert found.estimate == pytest.approx(whole, abs=1e-4) and found.examined == ratings.nnz
    expected = [whole - imputer.impute(ratings.select(np.arange(ratings.nnz) != k)).mean[2, 3] for k in found.entries]
    np.testing.assert_allclose(found.change, expected, atol=1e-4)
    assert np.all(np.diff(np.abs(found.change)) <= 0) and np.abs(found.change).max() > 1e-3


def test_an_answer_that_somebody_waits_for_is_the_same_and_bounded(monkeypatch):
    ratings = made_up(7, 6)
    whole, quick = influence(fitted(ratings, "ml-1m", steps=3), 2, 3), influence_at_once(ratings, "ml-1m", 3, 2, 3)
    assert (quick.entries == whole.entries).all() and (quick.change == whole.change).all()
    monkeypatch.setattr("metamf.answer.influence.AT_ONCE", 100)
    quick = influence_at_once(ratings, "ml-1m", 3, 2, 3)
    assert quick.examined <= 10 < whole.examined
    assert np.all((ratings.rows[quick.entries] == 2) | (ratings.cols[quick.entries] == 3))


def test_one_value_everywhere_has_no_influence_and_odd_questions_are_refused():
    flat = Ratings([0, 0, 1], [0, 1, 1], np.full(3, 4.0), (2, 2))
    np.testing.assert_array_equal(influence(fitted(flat), 1, 0).change, 0)
    with pytest.raises(IndexError, match="row 2 lies outside"):
        influence(fitted(flat), 2, 0)
    with pytest.raises(ValueError, match="leaving it out leaves nothing"):
        influence(fitted(flat.select([0])), 0, 0)


@pytest.mark.parametrize("key, settings", [("universal", {}), ("ml-1m", {}), ("ml-1m", {"steps": 2})])
def test_a_filling_answers_without_a_second_fit(monkeypatch, key, settings):
    ratings = made_up(7, 6)
    filling = fill(ratings, method(key, **settings), clip=False)
    monkeypatch.setattr("metamf.answer.estimator.MetaMFImputer.fit", None)
    monkeypatch.setattr("metamf.checkpoints.bundled.open_checkpoint", None)
    found = influence(filling.imputer, 2, 3)
    assert found.estimate == pytest.approx(filling.mean[2, 3], rel=1e-6)
    monkeypatch.undo()
    k = found.entries[0]
    without = fill(ratings.select(np.arange(ratings.nnz) != k), method(key, **settings), clip=False).mean[2, 3]
    assert found.change[0] == pytest.approx(found.estimate - without, abs=1e-4)

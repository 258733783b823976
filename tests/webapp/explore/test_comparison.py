"""Several methods on one task."""

import numpy as np
import pytest
import torch
from problems import STARS, ratings_matrix
from tasks_of_tests import example  # noqa: F401  a fixture

from metamf.answer.division import Matrix, divide
from metamf.answer.filling import fill
from metamf.baselines.method import predictor
from metamf.checkpoints.bundled import data_set_for, load_trained
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.webapp.explore import comparison
from metamf.webapp.explore.run import run


def test_contenders_are_measured_on_the_same_hidden_cells(example):
    mean = comparison.of_baseline("mean", example.task, example.answer.limits)
    hidden, guess = example.task.hidden.values, example.task.given.values.mean()
    assert mean.rmse == pytest.approx(np.sqrt(np.mean((hidden - guess) ** 2)), rel=1e-5)
    assert mean.rmse == pytest.approx(example.task.mean_rmse, rel=1e-5)
    assert example.rmse == pytest.approx(example.hidden_errors[-1], rel=1e-12)
    assert example.name == "Universal" and mean.name == "Average of all ratings"
    filled, given = mean.answer.filled, example.task.given.to_dense()
    is_given = ~np.isnan(given)
    np.testing.assert_array_equal(filled[is_given], given[is_given])
    np.testing.assert_allclose(filled[~is_given], guess, rtol=1e-5)


@pytest.mark.slow
def test_meta_learned_baselines_answer_in_the_units_that_they_were_trained_in(example):
    task, like = example.task, run(example.task, "ml-1m", 6)
    for key in ("eml", "ft"):
        every = ["jester", "ml-100k", "ml-1m", "universal"]
        assert data_set_for(key, "jester", every) == "jester"
        assert data_set_for(key, "universal", every) == "ml-1m"
        assert data_set_for(key, "universal", ["jester", "universal"]) == "jester"
        assert data_set_for(key, "universal", ["universal"]) is None
        contender = comparison.of_baseline(key, task, like.answer.limits, "ml-1m")
        assert contender.name.endswith(", trained on films")
        assert 0 < contender.rmse < 1.2 * task.mean_rmse
    units, cell = like.answer.trajectory.standardization, (int(task.hidden.rows[0]), int(task.hidden.cols[0]))
    given = RatingsBatch.of([task.given.with_values(units.apply(task.given.values))])
    estimate = load_trained("eml", "ml-1m").adapt(given).predict(*(torch.tensor([at]) for at in cell))
    drawn = comparison.of_baseline("eml", task, None, "ml-1m").answer.filled
    assert drawn[cell] == pytest.approx(float(units.undo(estimate.numpy())[0]), rel=1e-5)


@pytest.mark.parametrize("key", ["eml", "maml"])
def test_meta_learned_baselines_answer_as_when_they_fill_in_a_table(key):
    ratings = Ratings.from_dense(ratings_matrix(), scale=STARS)
    task = divide(Matrix("mine", "", ratings, None), 0.6, "at random", 1)
    like = run(task, "ml-1m", 10)
    predict = predictor(load_trained(key, "ml-1m"), task.given, like.answer.trajectory.standardization)
    shown = comparison.of_baseline(key, task, STARS, "ml-1m").answer.filled
    filled = fill(task.given, key)
    hidden = np.isnan(task.given.to_dense())
    np.testing.assert_array_equal(filled.mean[hidden], shown[hidden])
    np.testing.assert_array_equal(STARS.clip(predict(*np.nonzero(hidden))), shown[hidden])

"""Several methods on one task."""

import numpy as np
import pytest
from problems import STARS, ratings_matrix
from tasks_of_tests import example  # noqa: F401  a fixture

from metamf.answer.division import Matrix, divide
from metamf.answer.methods import method
from metamf.baselines.method import predictor
from metamf.checkpoints.bundled import load_trained
from metamf.datasets import example_matrices
from metamf.ratings.matrix import Ratings
from metamf.webapp.run import comparison, sentences
from metamf.webapp.run.measured_run import run


def test_contenders_are_measured_on_the_same_hidden_cells(example):
    mean = comparison.of_baseline("mean", example.task, example.answer.limits)
    hidden, guess = example.task.hidden.values, example.task.given.values.mean()
    assert mean.rmse == pytest.approx(np.sqrt(np.mean((hidden - guess) ** 2)), rel=1e-5)
    assert mean.rmse == pytest.approx(example.task.mean_rmse, rel=1e-5)
    assert (example.name, mean.name) == ("Universal", "Average of the known ratings")
    given = example.task.given.to_dense()
    expected = np.where(np.isnan(given), guess, given)
    np.testing.assert_allclose(mean.answer.filled, expected, rtol=1e-5)


@pytest.mark.parametrize("key", ["eml", "maml"])
def test_meta_learned_baselines_answer_as_when_they_fill_in_a_table(key):
    ratings = Ratings.from_dense(ratings_matrix(), scale=STARS)
    task = divide(Matrix("mine", "", ratings, None), 0.6, "at random", 1)
    units = run(task, "ml-1m", 10).answer.trajectory.standardization
    predict = predictor(load_trained(key, "ml-1m"), task.given, units)
    shown = comparison.of_baseline(key, task, STARS, "ml-1m").answer.filled
    hidden = np.isnan(task.given.to_dense())
    np.testing.assert_array_equal(method(key).predict(task.given, None).mean[hidden], shown[hidden])
    np.testing.assert_array_equal(STARS.clip(predict(*np.nonzero(hidden))), shown[hidden])


def test_rivals_that_learned_from_the_same_tables_are_measured_on_the_same_cells():
    made = example_matrices()["Film night"].matrix
    task = divide(Matrix("", "", made.ratings, made.truth), 0.3, "at random", 0)
    model = run(task, "film-nights", 10)
    found = comparison.trained_alike(model)
    assert found.keys() == {"EML", "MAML"}
    eml = comparison.of_baseline("eml", task, model.answer.limits, "film-nights")
    assert found["EML"] == eml.rmse
    assert "EML by" in sentences.rivals(found, "stars")
    assert comparison.trained_alike(run(task, "universal", 3)) == {}
    assert sentences.rivals({}, "stars") == ""


def test_the_mean_of_the_training_tables_is_a_method_on_their_scale_alone():
    night, jokes = (
        divide(Matrix("", "", example_matrices()[name].matrix.ratings), 0.5, "at random", 0)
        for name in ("Film night", "Jokes")
    )
    constant = comparison.of_training_mean("film-nights", night)
    assert constant.rmse == pytest.approx(
        np.sqrt(np.mean((night.hidden.values - 3.53) ** 2)), rel=0.01
    )
    assert comparison.of_training_mean("film-nights", jokes) is None

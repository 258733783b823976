"""A task, a checkpoint's run on it, and the part of a run inside a window."""

import numpy as np
import pytest
from tasks_of_tests import example, made_up_matrix  # noqa: F401  a fixture

from metamf.answer.division import Matrix, divide
from metamf.datasets import synthetic
from metamf.figures.window import Window
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp.explore.run import Patterns, patterns, run


def cells(ratings):
    return {(int(n), int(m)): float(x) for n, m, x in zip(ratings.rows, ratings.cols, ratings.values)}


@pytest.mark.parametrize("selection", ["at random", "what people like"])
def test_rated_cells_are_either_given_or_hidden(selection):
    matrix = made_up_matrix(truth=False)
    task = divide(matrix, 0.3, selection, 1)
    given, hidden = cells(task.given), cells(task.hidden)
    assert len(given) == np.ceil(0.3 * matrix.ratings.nnz)
    assert given | hidden == cells(matrix.ratings) and not given.keys() & hidden.keys()
    assert cells(divide(matrix, 0.3, selection, 1).given) == given != cells(divide(matrix, 0.3, selection, 2).given)


def test_with_a_known_truth_every_cell_that_is_not_given_is_hidden():
    matrix = made_up_matrix()
    task = divide(matrix, 0.5, "at random", 1)
    assert task.hidden.nnz == 12 * 9 - task.given.nnz
    assert all(matrix.truth[at] == value for at, value in cells(task.hidden).items())
    errors = [value - task.given.values.mean() for value in cells(task.hidden).values()]
    assert task.mean_rmse == pytest.approx(np.sqrt(np.mean(np.square(errors))))


def test_what_people_like_is_given_more_often_by_the_odds_that_are_documented():
    rng = np.random.default_rng(0)
    values = rng.integers(1, 6, (60, 40)).astype(float)
    matrix = Matrix("", "", Ratings.from_dense(values))
    given = np.concatenate([divide(matrix, 0.02, "what people like", seed).given.values for seed in range(40)])
    shares = np.array([(given == star).mean() / (values == star).mean() for star in (2, 4)])
    assert np.log(shares[1] / shares[0]) == pytest.approx(2 / values.std(), abs=0.25)  # few are given: odds are shares
    even = Matrix("", "", Ratings.from_dense(np.full((4, 4), 3.0)))
    assert divide(even, 0.5, "what people like", 0).given.nnz == 8


def test_digests_tell_matrices_apart():
    X = np.array([[1.0, 2.0], [np.nan, 4.0]])
    base = Matrix("a", "", Ratings.from_dense(X))
    others = [
        Matrix("a", "", Ratings.from_dense(X + [[0, 0], [0, 1e-9]])),
        Matrix("a", "", Ratings.from_dense(X.T)),
        Matrix("a", "", Ratings.from_dense(X, row_labels=("p", "q"))),
        Matrix("a", "", Ratings.from_dense(X, scale=RatingScale(1, 5))),
        Matrix("a", "", Ratings.from_dense(X), np.ones((2, 2))),
    ]
    assert len({matrix.digest for matrix in [base, *others]}) == len(others) + 1
    assert Matrix("a", "", Ratings.from_dense(X)).digest == base.digest


def test_errors_per_step_are_those_of_the_clipped_estimates(example):
    path, scale, task = example.answer.trajectory, example.answer.limits, example.task
    for known, errors in ((task.given, example.given_errors), (task.hidden, example.hidden_errors)):
        for t in range(example.T + 1):
            E = scale.clip(path.estimate(t))[known.rows, known.cols] - known.values
            assert errors[t] == pytest.approx(np.sqrt(np.mean(E**2)), rel=1e-5)
    assert example.rmse == example.hidden_errors[-1] and example.round == "sweep"


def test_there_is_no_error_where_nothing_is_hidden():
    found = run(divide(made_up_matrix(truth=False), 1.0, "at random", 1), "ml-1m", 2)
    assert found.hidden_errors is found.rmse is found.covered is None and found.round == "step"


def test_the_two_pulls_are_the_terms_of_the_first_steps(example):
    assert example.round == "sweep" and example.pulls is None  # Eq. (6) is not the universal model's
    paper = run(example.task, "ml-1m", 6)
    U, pulls = paper.answer.trajectory.U, paper.pulls
    assert paper.round == "step" and paper.T == 6 and pulls.prior[0] == 0
    assert np.linalg.norm(U[1] - U[0]) == pytest.approx(paper.step_size * pulls.data[0], rel=1e-4)
    assert pulls.prior[2] == pytest.approx(paper.prior_precision * np.linalg.norm(U[2] - U[0]), rel=1e-4)
    assert paper.covered is None and paper.answer.interval_block() is None


def test_the_intervals_of_a_run_are_those_of_the_library(example):
    whole, hidden = example.answer, example.task.hidden
    part = whole.interval_block(slice(4, 9), slice(2, 7))
    for end, expected in zip(part, (whole.lower, whole.upper)):
        np.testing.assert_allclose(end, expected[4:9, 2:7], atol=1e-5)
    at = hidden.rows, hidden.cols
    assert example.covered == np.sum((whole.lower[at] <= hidden.values) & (hidden.values <= whole.upper[at]))
    estimate, lower, upper, truth = example.hidden_intervals
    np.testing.assert_allclose(lower, whole.lower[at], atol=1e-5)
    np.testing.assert_allclose(estimate, whole.mean[at], atol=1e-5)
    np.testing.assert_array_equal(truth, hidden.values)


def test_a_window_is_a_part_of_the_matrix(example):
    given, hidden = example.task.given, example.task.hidden
    window = Window.of(given.shape, 4, 2, largest=5)
    for ratings in (given, hidden):
        np.testing.assert_array_equal(Window.of(given.shape).dense(ratings), ratings.to_dense())
        np.testing.assert_array_equal(window.dense(ratings), ratings.to_dense()[4:9, 2:7])
    np.testing.assert_allclose(example.filled(window), example.answer.filled[4:9, 2:7])


def test_safe_steps_are_taken_where_the_fixed_one_diverges():
    matrix = synthetic(np.random.default_rng(0), 200, 200, density=1.0, taste=0.4, noise=0.02).ratings
    result = run(divide(Matrix("", "", matrix), 1.0, "at random", 1), "ml-1m", 10)
    assert result.answer.step_rule == "safe"
    assert result.given_errors[-1] < result.given_errors[0]


def test_patterns_are_counted_by_known_singular_values():
    rows, cols, turn = (np.linalg.qr(np.random.default_rng(n).normal(size=(n, 3)))[0] for n in (20, 14, 32))
    U, V = rows * [4.0, 2.0, 0.1] @ turn.T, cols @ turn.T  # 32 factors, singular values 4, 2 and 0.1
    two, three = patterns(U, V), patterns(rows @ turn.T, V)
    assert (two.count, two.share) == (2, pytest.approx(20 / 20.01)) and three.count == 3
    assert patterns(np.zeros((4, 2)), np.ones((3, 2))) == Patterns(0, 1.0)

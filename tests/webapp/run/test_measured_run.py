"""A task, a checkpoint's run on it, and the part of a run inside a window."""

import numpy as np
import pytest
from tasks_of_tests import cells, example, made_up_matrix  # noqa: F401  a fixture

from metamf.answer.division import Matrix, divide
from metamf.figures.window import Window
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp.run.measured_run import Patterns, patterns, run


@pytest.mark.parametrize("selection", ["at random", "what people like"])
def test_rated_cells_are_either_given_or_hidden(selection):
    matrix = made_up_matrix(truth=False)
    task, again, other = (divide(matrix, 0.3, selection, seed) for seed in (1, 1, 2))
    given, hidden = cells(task.given), cells(task.hidden)
    assert len(given) == np.ceil(0.3 * matrix.ratings.nnz)
    assert given | hidden == cells(matrix.ratings)
    assert not given.keys() & hidden.keys()
    assert cells(again.given) == given != cells(other.given)
    known = made_up_matrix()  # of which every cell that is not given is hidden
    task = divide(known, 0.3, selection, 1)
    assert task.hidden.nnz == 12 * 9 - task.given.nnz
    assert all(known.truth[at] == value for at, value in cells(task.hidden).items())


def test_what_people_like_is_given_more_often_by_the_odds_that_are_documented():
    liked = "what people like"
    values = np.random.default_rng(0).integers(1, 6, (60, 40)).astype(float)
    matrix = Matrix("", "", Ratings.from_dense(values))
    given = np.concatenate([divide(matrix, 0.02, liked, seed).given.values for seed in range(40)])
    shares = np.array([(given == star).mean() / (values == star).mean() for star in (2, 4)])
    # few are given: odds are shares
    assert np.log(shares[1] / shares[0]) == pytest.approx(2 / values.std(), abs=0.25)
    even = Matrix("", "", Ratings.from_dense(np.full((4, 4), 3.0)))
    assert divide(even, 0.5, liked, 0).given.nnz == 8


def test_digests_tell_matrices_apart():
    def digest(values, truth=None, **more):
        return Matrix("a", "", Ratings.from_dense(values, **more), truth).digest

    X = np.array([[1.0, 2.0], [np.nan, 4.0]])
    found = {
        digest(X),
        digest(X + [[0, 0], [0, 1e-9]]),
        digest(X.T),
        digest(X, row_labels=("p", "q")),
        digest(X, scale=RatingScale(1, 5)),
        digest(X, np.ones((2, 2))),
    }
    assert len(found) == 6
    assert digest(X) == digest(X.copy())


def test_errors_per_step_are_those_of_the_clipped_estimates(example):
    task = example.task
    for known, errors in ((task.given, example.given_errors), (task.hidden, example.hidden_errors)):
        for t in range(example.T + 1):
            estimates = example.answer.limits.clip(example.answer.trajectory.estimate(t))
            E = estimates[known.rows, known.cols] - known.values
            assert errors[t] == pytest.approx(np.sqrt(np.mean(E**2)), rel=1e-5)
    assert example.rmse == example.hidden_errors[-1]


def test_the_intervals_of_a_run_are_those_of_the_library_where_the_model_has_some(example):
    whole, hidden = example.answer, example.task.hidden
    part = whole.interval_block(slice(4, 9), slice(2, 7))
    for end, expected in zip(part, (whole.lower, whole.upper)):
        np.testing.assert_allclose(end, expected[4:9, 2:7], atol=1e-5)
    window = Window.of(example.task.given.shape, 4, 2, largest=5)
    np.testing.assert_allclose(example.filled(window), whole.filled[4:9, 2:7])
    at = hidden.rows, hidden.cols
    inside = (whole.lower[at] <= hidden.values) & (hidden.values <= whole.upper[at])
    assert example.covered == inside.sum()
    estimate, lower, _, truth = example.hidden_intervals()
    np.testing.assert_allclose(lower, whole.lower[at], atol=1e-5)
    np.testing.assert_allclose(estimate, whole.mean[at], atol=1e-5)
    np.testing.assert_array_equal(truth, hidden.values)
    paper = run(divide(made_up_matrix(truth=False), 1.0, "at random", 1), "ml-1m", 2)
    assert (example.round, paper.round, paper.T) == ("sweep", "step", 2)
    assert paper.covered is paper.answer.interval_block() is None
    assert paper.hidden_errors is paper.rmse is None  # nothing is hidden


def test_patterns_are_counted_by_known_singular_values():
    rows, cols, turn = (
        np.linalg.qr(np.random.default_rng(n).normal(size=(n, 3)))[0] for n in (20, 14, 32)
    )
    V = cols @ turn.T
    two = patterns(rows * [4.0, 2.0, 0.1] @ turn.T, V)  # 32 factors, these singular values
    assert (two.count, two.share) == (2, pytest.approx(20 / 20.01))
    assert patterns(rows @ turn.T, V).count == 3
    assert patterns(np.zeros((4, 2)), np.ones((3, 2))) == Patterns(0, 1.0)

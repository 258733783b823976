"""One matrix, divided into what is given and what is hidden."""

import numpy as np
import pytest
from tasks_of_tests import made_up_matrix

from metamf.evaluate.task import Matrix, divide
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale


def cells(ratings):
    return {(int(n), int(m)): float(x) for n, m, x in zip(ratings.rows, ratings.cols, ratings.values)}


@pytest.mark.parametrize("selection", ["at random", "popular columns"])
def test_rated_cells_are_either_given_or_hidden(selection):
    matrix = made_up_matrix(truth=False)
    task = divide(matrix, 0.3, selection, 1)
    given, hidden = cells(task.given), cells(task.hidden)
    assert len(given) == np.ceil(0.3 * matrix.ratings.nnz)
    assert given | hidden == cells(matrix.ratings) and not given.keys() & hidden.keys()
    assert cells(divide(matrix, 0.3, selection, 1).given) == given
    assert cells(divide(matrix, 0.3, selection, 2).given) != given


def test_with_a_known_truth_every_cell_that_is_not_given_is_hidden():
    matrix = made_up_matrix()
    task = divide(matrix, 0.5, "at random", 1)
    assert task.hidden.nnz == 12 * 9 - task.given.nnz
    assert all(matrix.truth[at] == value for at, value in cells(task.hidden).items())


def test_keeping_everything_hides_nothing_that_was_rated():
    task = divide(made_up_matrix(truth=False), 1.0, "popular columns", 1)
    assert task.hidden.nnz == 0 and task.given.nnz == task.matrix.ratings.nnz
    assert divide(Matrix("", "", Ratings.from_dense([[3.0]])), 0.05, "at random", 1).given.nnz == 1


def test_popular_columns_are_kept_more_often():
    observed = np.zeros((40, 10), bool)
    for m in range(10):
        observed[: 40 - 3 * m, m] = True
    ratings = Ratings.from_dense(np.where(observed, 3.0, np.nan))
    kept = np.mean([divide(Matrix("", "", ratings), 0.3, "popular columns", s).given.col_counts for s in range(20)], 0)
    share = kept / ratings.col_counts
    assert share[0] > 0.6 and share[-3:].max() < 0.35
    at_random = np.mean([divide(Matrix("", "", ratings), 0.3, "at random", s).given.col_counts for s in range(20)], 0)
    np.testing.assert_allclose(at_random / ratings.col_counts, 0.3, atol=0.1)


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


def test_guessing_the_mean_errs_by_the_spread_around_it():
    task = divide(made_up_matrix(), 0.5, "at random", 1)
    errors = [value - task.given.values.mean() for value in cells(task.hidden).values()]
    assert task.mean_rmse == pytest.approx(np.sqrt(np.mean(np.square(errors))))
    assert divide(made_up_matrix(truth=False), 1.0, "at random", 1).mean_rmse is None

"""Guessing hidden ratings: which cells are asked, and who is closest."""

import numpy as np
import pytest
from tasks_of_tests import example, made_up_matrix  # noqa: F401  a fixture

from metamf.answer.division import Matrix, divide
from metamf.ratings.matrix import Ratings
from metamf.webapp.explore.run import run
from metamf.webapp.teach.lesson.cells import COUNT, HiddenCells, hidden_cells, score


def cells(truth, model, mean):
    n = len(truth)
    return HiddenCells(np.zeros(n, int), np.arange(n), np.array(truth, float), np.array(model, float), mean)


def test_the_cells_are_hidden_ones_with_their_truth_the_same_for_the_same_seed(example):
    first, again, other = (hidden_cells(example, seed) for seed in (3, 3, 4))
    places = [set(zip(c.rows.tolist(), c.cols.tolist())) for c in (first, again, other)]
    assert len(first.rows) == len(places[0]) == COUNT and places[0] == places[1] != places[2]
    np.testing.assert_array_equal(first.truth, example.task.matrix.truth[first.rows, first.cols])
    assert not np.isin(first.rows * 9 + first.cols, example.task.given.rows * 9 + example.task.given.cols).any()
    np.testing.assert_allclose(first.model, example.answer.mean[first.rows, first.cols])
    assert first.mean == pytest.approx(example.task.given.values.mean())


def test_cells_that_something_is_known_about_are_asked_first():
    ratings = Ratings(
        np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 2]), np.array([1.0, 5, 2, 4, 3]), (3, 3), scale=None
    )
    task = divide(Matrix("corner", "", ratings), 0.5, "at random", 0)
    for seed in range(5):
        asked = hidden_cells(run(task, "universal", 1), seed, count=100)
        known = (task.given.row_counts[asked.rows] > 0) & (task.given.col_counts[asked.cols] > 0)
        assert len(asked.rows) == task.hidden.nnz and (np.diff(known.astype(int)) <= 0).all()


def test_the_score_is_the_mean_distance_in_rating_units():
    found = score(cells(truth=[5, 1, 3], model=[4, 2, 3.5], mean=3.0), [5, 3, 2])
    assert found.answered == 3
    assert found.errors == {"you": 1.0, "model": pytest.approx(0.83), "mean": pytest.approx(1.33)}
    assert found.closest == {"you": 1, "model": 1, "mean": 1} and found.best == ("model",)


def test_a_tie_counts_for_all_who_are_equally_close():
    found = score(cells(truth=[4, 4], model=[3, 4.001], mean=5.0), [5, 4])
    assert found.closest == {"you": 2, "model": 2, "mean": 1}
    assert found.best == ("you", "model")  # 0.5 and 0.5005: the same on the page


def test_a_cell_that_was_left_out_counts_for_nobody():
    game = cells(truth=[5, 1], model=[1, 1], mean=1.0)
    assert score(game, [None, None]) is None
    found = score(game, [5, None])
    assert found.answered == 1 and found.errors == {"you": 0.0, "model": 4.0, "mean": 4.0}

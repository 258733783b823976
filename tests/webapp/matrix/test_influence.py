"""What a cell leans on."""

import numpy as np
import pytest
from tasks_of_tests import made_up_matrix

from metamf.evaluate.run import View, run
from metamf.evaluate.task import divide
from metamf.figures.window import Window
from metamf.webapp.matrix import what_if


@pytest.fixture(scope="module")
def view():
    task = divide(made_up_matrix(14, 11), 0.5, "at random", 1)
    return View(run(task, "ml-1m", 3), Window.of(task.given.shape, 4, 2, 6))


def test_a_cell_leans_on_the_ratings_that_would_move_it_most(view):
    answer = what_if.influence_of(view, 1, 2)
    assert answer["cell"] == [1, 2] and len(answer["items"]) == 6 and answer["examined"] == view.run.task.given.nnz
    sizes = [abs(change) for _, _, change, *_ in answer["items"]]
    assert sizes == sorted(sizes, reverse=True)
    row, col, change, rating, row_name, col_name = answer["items"][0]
    given = view.run.task.given
    at = (given.rows == row + 4) & (given.cols == col + 2)
    assert given.values[at] == [rating] and (row_name, col_name) == (f"row {row + 5}", f"column {col + 3}")
    without = run(divide(made_up_matrix(14, 11), 0.5, "at random", 1), "ml-1m", 3)
    without = run(type(without.task)(without.task.matrix, given.select(~at), without.task.hidden), "ml-1m", 3)
    before, after = (found.imputation.trajectory.estimate(3)[5, 4] for found in (view.run, without))
    assert change == pytest.approx(before - after, abs=1e-4)


def test_a_single_rating_is_leaned_on_by_every_estimate(view):
    task = view.run.task
    lonely = run(type(task)(task.matrix, task.given.select(np.array([0])), task.hidden), "ml-1m", 1)
    assert "one rating alone" in what_if.influence_of(View(lonely, view.window), 0, 0)["note"]

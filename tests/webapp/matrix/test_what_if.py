"""What if, on the pages: edits from the address and from the picture, and what a cell leans on."""

import numpy as np
import pytest
from opened import PAGES, healthy, no_data_sets, opened, players, shown_run, text  # noqa: F401  a fixture
from tasks_of_tests import made_up_matrix

from metamf.figures.window import Window
from metamf.tasks.edits import Edits
from metamf.tasks.run import run
from metamf.tasks.task import divide
from metamf.tasks.view import View
from metamf.webapp.matrix import what_if
from metamf.webapp.matrix.edits import EditDesk


def linked(at):
    """The edits that the address names."""
    return "".join(at.query_params.get("edits", ""))


def test_a_link_reopens_the_edits_and_the_way_back_leads_to_the_data():
    plain = shown_run(healthy(opened()))
    assert plain["edits"]["made"] == [] and plain["pinned"] is None
    assert plain["edits"]["scale"] == [1, 5, 1] and not plain["edits"]["can_undo"]
    at = healthy(opened(edits="1_2_5~3_2_x"))
    found = shown_run(at)
    assert found["edits"]["made"] == [[0, 1, 5], [2, 1, None]] and found["edits"]["count"] == 2
    assert found["id"] != plain["id"] and found["pinned"] and found["n_given"] == plain["n_given"]  # one more, one less
    for page in PAGES[1:]:
        healthy(at.switch_page(page).run())
        assert linked(at) == "1_2_5~3_2_x"
    assert "2 cells are edited here; the way back is on Fill in." in text(at)  # Compare has no picture to edit in
    healthy(at.switch_page(PAGES[0]).run())
    at.session_state.edit_desk.take({"id": 1, "op": "reset"}, None)
    back = shown_run(healthy(at.run()))
    assert back["id"] == plain["id"] and back["pinned"] is None and back["edits"]["can_undo"]
    assert not linked(at)


def test_edits_belong_to_their_matrix():
    at = healthy(opened(edits="1_2_5"))
    healthy(at.selectbox(key="data").select("Jokes").run())
    assert shown_run(at)["edits"]["count"] == 0 and not linked(at)
    healthy(at.selectbox(key="data").select("Film club").run())
    assert shown_run(at)["edits"]["made"] == [[0, 1, 5]] and linked(at) == "1_2_5"
    healthy(at.number_input(key="seed").set_value(7).run())
    assert shown_run(at)["edits"]["made"] == [[0, 1, 5]]


def test_a_hostile_address_is_answered_with_a_note():
    at = healthy(opened(edits="<script>~1_2_5~9_9_9"))
    said = shown_run(at)["edits"]
    assert said["made"] == [[0, 1, 5]] and "others were left out" in said["note"]
    assert linked(at) == "1_2_5"


@pytest.fixture(scope="module")
def view():
    task = divide(made_up_matrix(14, 11), 0.5, "at random", 1)
    return View(run(task, "ml-1m", 3), Window.of(task.given.shape, 4, 2, 6))


def test_cells_of_a_window_are_those_of_the_matrix(view):
    moved = what_if.in_matrix({"id": 1, "op": "set", "row": 0, "col": 3, "value": 2}, view)
    assert moved == {"id": 1, "op": "set", "row": 4, "col": 5, "value": 2}
    assert what_if.in_matrix({"op": "undo"}, view) == {"op": "undo"}
    assert what_if.in_matrix({"op": "hide", "row": "x"}, view)["row"] == "x"  # refused by who makes the edit
    held = EditDesk("a", {"a": Edits().set(4, 5, 2).set(0, 0, 1)})
    said = what_if.said(held, view)
    assert said["made"] == [[0, 3, 2.0]] and said["count"] == 2


def test_a_cell_leans_on_the_ratings_that_would_move_it_most(view):
    answer = what_if.leaning(view, 1, 2)
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
    assert "one rating alone" in what_if.leaning(View(lonely, view.window), 0, 0)["note"]


def test_both_pages_with_a_picture_can_be_edited():
    for page in PAGES[:2]:
        [mounted] = players(healthy(opened(page)))
        assert mounted["asks"] == ["edit", "lean"]

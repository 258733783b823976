"""The edits of a visit, without Streamlit: which matrix they belong to, and what the visitor is told of them."""

import pytest
from tasks_of_tests import made_up_matrix

from metamf.tasks.edits import IN_ADDRESS
from metamf.tasks.task import divide
from metamf.webapp.matrix.edits import EditDesk


@pytest.fixture(scope="module")
def task():
    return divide(made_up_matrix(), 0.5, "at random", 1)


def test_the_first_matrix_takes_its_edits_from_the_address_and_others_do_not(task):
    desk, ratings = EditDesk(), task.matrix.ratings
    assert desk.show("a", ratings, "1_2_5~1_3_9").made == ((0, 1, 5.0),)
    assert "9 is not a rating here" in desk.note
    assert desk.show("a", ratings, "1_2_4").made == ((0, 1, 5.0),)  # the address follows the session, not the reverse
    assert "9 is not a rating here" in desk.note
    assert desk.show("b", ratings, "1_2_5").made == () and desk.note == ""
    assert desk.show("a", ratings, "").made == ((0, 1, 5.0),)


def test_an_edit_is_made_once_and_a_refused_one_says_why(task):
    desk = EditDesk()
    desk.show("a", task.matrix.ratings, "")
    edit = {"op": "set", "row": 0, "col": 0, "value": 2}
    desk.take({"id": 1, **edit}, task)
    desk.take({"id": 1, **edit, "value": 3}, task)  # comes twice, as triggers of a browser may
    assert desk.edits.made == ((0, 0, 2.0),) and desk.seen == 1
    desk.take({"id": 2, **edit, "value": 7}, task)
    assert desk.note == "7 is not a rating here: ratings go from 1 to 5 in steps of 1."
    assert desk.edits.made == ((0, 0, 2.0),) and desk.seen == 2  # it was heard: the browser goes on
    desk.take({"id": 3, "op": "undo"}, task)
    assert desk.edits.made == () and desk.note == ""
    for nonsense in ({}, {"id": "4"}, {"id": None, **edit}):
        desk.take(nonsense, task)
    assert desk.seen == 3


def test_more_edits_than_the_address_holds_are_made_and_it_is_said(task):
    desk = EditDesk()
    desk.show("a", task.matrix.ratings, "")
    cells = [(n, m) for n in range(12) for m in range(9)][: IN_ADDRESS + 1]
    for k, (n, m) in enumerate(cells, 1):
        value = 1 if task.given.to_dense()[n, m] != 1 else 2
        desk.take({"id": k, "op": "set", "row": n, "col": m, "value": value}, task)
    assert len(desk.edits.made) == IN_ADDRESS + 1
    assert desk.note == "51 cells are edited; the address holds the first 50 of them."


def test_a_session_keeps_the_edits_of_a_bounded_number_of_matrices(task):
    desk = EditDesk()
    for k in range(30):
        desk.show(str(k), task.matrix.ratings, "")
        desk.take({"id": k + 1, "op": "hide", "row": int(task.given.rows[0]), "col": int(task.given.cols[0])}, task)
    assert len(desk.by_source) == 20 and desk.edits.made

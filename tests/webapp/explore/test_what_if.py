"""What if: edits from the address and from the picture, and the ratings that an estimate leans on."""

import numpy as np
import pytest
from opened import PAGES, healthy, no_data_sets, opened, players, shown_run, text  # noqa: F401  a fixture
from tasks_of_tests import made_up_matrix

from metamf.answer.division import divide
from metamf.figures.window import Window
from metamf.webapp.explore import what_if
from metamf.webapp.explore.edits import EDITS_IN_ADDRESS, Edits
from metamf.webapp.explore.run import run
from metamf.webapp.explore.what_if import EditDesk
from metamf.webapp.player.replay import floats_of

pytestmark = pytest.mark.slow


def linked(at):
    """The edits that the address names."""
    return "".join(at.query_params.get("edits", ""))


def test_a_link_reopens_the_edits_and_the_way_back_leads_to_the_data():
    plain = shown_run(healthy(opened()))
    assert plain["edits"]["made"] == [] and plain["pinned"] is None
    assert plain["edits"]["scale"] == [1, 5, 1] and not plain["edits"]["can_undo"]
    given = np.isfinite(floats_of(plain["X"])[: plain["m"]])  # of the first row
    more, less = int(given.argmin()), int(given.argmax())
    link = f"1_{more + 1}_5~1_{less + 1}_x"
    at = healthy(opened(edits=link))
    found = shown_run(at)
    assert found["edits"]["made"] == [[0, more, 5], [0, less, None]] and found["edits"]["count"] == 2
    assert found["id"] != plain["id"] and found["pinned"] and found["n_given"] == plain["n_given"]  # one more, one less
    for page in PAGES[1:]:
        healthy(at.switch_page(page).run())
        assert linked(at) == link
    assert "2 cells are edited here. Explore shows and undoes the edits." in text(
        at
    )  # Compare has no picture to edit in
    healthy(at.switch_page(PAGES[0]).run())
    at.session_state.edit_desk.take({"id": 1, "op": "reset"}, None)
    back = shown_run(healthy(at.run()))
    assert back["id"] == plain["id"] and back["pinned"] is None and back["edits"]["can_undo"]
    assert not linked(at)


def test_edits_belong_to_their_matrix():
    at = healthy(opened(edits="1_2_5"))
    healthy(at.selectbox(key="data").select("Jokes").run())
    assert shown_run(at)["edits"]["count"] == 0 and not linked(at)
    healthy(at.selectbox(key="data").select("Film night").run())
    assert shown_run(at)["edits"]["made"] == [[0, 1, 5]] and linked(at) == "1_2_5"
    healthy(at.number_input(key="seed").set_value(7).run())  # another night
    assert not shown_run(at)["edits"]["made"] and not linked(at)
    healthy(at.number_input(key="seed").set_value(0).run())
    assert shown_run(at)["edits"]["made"] == [[0, 1, 5]]


def test_edits_stay_when_other_ratings_of_their_matrix_are_given():
    at = healthy(opened(data="Jokes", edits="1_2_5"))
    healthy(at.number_input(key="seed").set_value(7).run())
    assert shown_run(at)["edits"]["made"] == [[0, 1, 5]] and linked(at) == "1_2_5"


def test_a_hostile_address_is_answered_with_a_note():
    at = healthy(opened(edits="<script>~1_2_5~9_9_9"))
    said = shown_run(at)["edits"]
    assert said["made"] == [[0, 1, 5]] and "others were left out" in said["note"]
    assert linked(at) == "1_2_5"


@pytest.fixture(scope="module")
def found():
    task = divide(made_up_matrix(14, 11), 0.5, "at random", 1)
    return run(task, "ml-1m", 3)


WINDOW = Window.of((14, 11), 4, 2, 6)


def test_cells_of_a_window_are_those_of_the_matrix():
    moved = what_if.in_matrix({"id": 1, "op": "set", "row": 0, "col": 3, "value": 2}, WINDOW)
    assert moved == {"id": 1, "op": "set", "row": 4, "col": 5, "value": 2}
    assert what_if.in_matrix({"op": "undo"}, WINDOW) == {"op": "undo"}
    assert what_if.in_matrix({"op": "hide", "row": "x"}, WINDOW)["row"] == "x"  # refused by who makes the edit
    held = EditDesk("a", {"a": Edits().set(4, 5, 2).set(0, 0, 1)})
    said = what_if.edits_in_window(held, WINDOW, None)
    assert said["made"] == [[0, 3, 2.0]] and said["count"] == 2


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
    cells = [(n, m) for n in range(12) for m in range(9)][: EDITS_IN_ADDRESS + 1]
    for k, (n, m) in enumerate(cells, 1):
        value = 1 if task.given.to_dense()[n, m] != 1 else 2
        desk.take({"id": k, "op": "set", "row": n, "col": m, "value": value}, task)
    assert len(desk.edits.made) == EDITS_IN_ADDRESS + 1
    assert desk.note == "51 cells are edited; the address holds the first 50 of them."


def test_a_session_keeps_the_edits_of_a_bounded_number_of_matrices(task):
    desk = EditDesk()
    for k in range(30):
        desk.show(str(k), task.matrix.ratings, "")
        desk.take({"id": k + 1, "op": "hide", "row": int(task.given.rows[0]), "col": int(task.given.cols[0])}, task)
    assert len(desk.by_source) == 20 and desk.edits.made


def test_a_cell_leans_on_the_ratings_that_would_move_it_most(found):
    answer = what_if.influence_of(found, WINDOW, 1, 2)
    assert answer["cell"] == [1, 2] and len(answer["items"]) == 6 and answer["examined"] == found.task.given.nnz
    sizes = [abs(change) for _, _, change, *_ in answer["items"]]
    assert sizes == sorted(sizes, reverse=True)
    row, col, change, rating, row_name, col_name = answer["items"][0]
    given = found.task.given
    at = (given.rows == row + 4) & (given.cols == col + 2)
    assert given.values[at] == [rating] and (row_name, col_name) == (f"row {row + 5}", f"column {col + 3}")
    without = run(divide(made_up_matrix(14, 11), 0.5, "at random", 1), "ml-1m", 3)
    without = run(type(without.task)(without.task.matrix, given.select(~at), without.task.hidden), "ml-1m", 3)
    before, after = (one.answer.trajectory.estimate(3)[5, 4] for one in (found, without))
    assert change == pytest.approx(before - after, abs=1e-4)


def test_a_single_rating_is_leaned_on_by_every_estimate(found):
    task = found.task
    lonely = run(type(task)(task.matrix, task.given.select(np.array([0])), task.hidden), "ml-1m", 1)
    assert "only one rating" in what_if.influence_of(lonely, WINDOW, 0, 0)["note"]

"""The player on Explore: edits from the address and from the picture, and the ratings that an
estimate depends on."""

import numpy as np
import pytest
from opened import PAGES, healthy, no_data_sets, opened, shown_run, text  # noqa: F401  a fixture
from payloads import floats_of
from tasks_of_tests import made_up_matrix

from metamf.answer.division import Task, divide
from metamf.figures.window import Window
from metamf.webapp.explore import editable_player
from metamf.webapp.run.edits import EditDesk, Edits
from metamf.webapp.run.measured_run import run

pytestmark = pytest.mark.slow


def linked(at):
    """The edits that the address names."""
    return "".join(at.query_params.get("edits", ""))


def made(at):
    return shown_run(at)["edits"]["made"]


def test_a_link_reopens_the_edits_and_the_way_back_leads_to_the_data():
    plain = shown_run(healthy(opened()))
    assert plain["pinned"] is None
    assert plain["edits"]["made"] == []
    assert plain["edits"]["scale"] == [1, 5, 1]
    given = np.isfinite(floats_of(plain["X"])[: plain["m"]])  # of the first row
    more, less = int(given.argmin()), int(given.argmax())
    link = f"1_{more + 1}_5~1_{less + 1}_x"
    at = healthy(opened(edits=link))
    found = shown_run(at)
    assert found["edits"]["made"] == [[0, more, 5], [0, less, None]]
    assert found["id"] != plain["id"]
    assert found["pinned"]
    assert found["n_given"] == plain["n_given"]  # one more, one less
    healthy(at.switch_page(PAGES[1]).run())
    assert linked(at) == link
    # Compare has no picture to edit in
    assert "2 cells are edited here. Explore shows and undoes the edits." in text(at)
    healthy(at.switch_page(PAGES[0]).run())
    at.session_state.edit_desk.take({"id": 1, "op": "reset"}, None)
    back = shown_run(healthy(at.run()))
    assert (back["id"], back["pinned"]) == (plain["id"], None)
    assert back["edits"]["can_undo"]
    assert not linked(at)


def test_edits_belong_to_their_matrix_whichever_of_its_ratings_are_given():
    at = healthy(opened(edits="1_2_5"))
    healthy(at.selectbox(key="data").select("Jokes").run())
    assert (made(at), linked(at)) == ([], "")
    healthy(at.selectbox(key="data").select("Film night").run())
    assert (made(at), linked(at)) == ([[0, 1, 5]], "1_2_5")
    healthy(at.number_input(key="seed").set_value(7).run())  # another night
    assert (made(at), linked(at)) == ([], "")
    at = healthy(opened(data="Jokes", edits="1_2_5"))
    healthy(at.number_input(key="seed").set_value(7).run())
    assert (made(at), linked(at)) == ([[0, 1, 5]], "1_2_5")


TASK = divide(made_up_matrix(14, 11), 0.5, "at random", 1)
WINDOW = Window.of((14, 11), 4, 2, 6)


def test_cells_of_a_window_are_those_of_the_matrix():
    action = {"id": 1, "op": "set", "row": 0, "col": 3, "value": 2}
    assert editable_player.in_matrix(action, WINDOW) == action | {"row": 4, "col": 5}
    assert editable_player.in_matrix({"op": "undo"}, WINDOW) == {"op": "undo"}
    # refused by who makes the edit
    assert editable_player.in_matrix({"op": "hide", "row": "x"}, WINDOW)["row"] == "x"
    held = EditDesk("a", {"a": Edits().set(4, 5, 2).set(0, 0, 1)})
    said = editable_player.edits_in_window(held, WINDOW, None)
    assert (said["made"], said["count"]) == ([[0, 3, 2.0]], 2)


def test_a_cell_depends_on_the_ratings_that_would_move_it_most():
    given = TASK.given
    found = run(TASK, "ml-1m", 3)
    answer = editable_player.influence_of(found, WINDOW, 1, 2)
    assert answer["cell"] == [1, 2]
    assert answer["examined"] == given.nnz
    sizes = [abs(change) for _, _, change, *_ in answer["items"]]
    assert len(sizes) == 6
    assert sizes == sorted(sizes, reverse=True)
    row, col, change, rating, *names = answer["items"][0]
    at = (given.rows == row + 4) & (given.cols == col + 2)
    assert given.values[at] == [rating]
    assert names == [f"row {row + 5}", f"column {col + 3}"]
    without = run(Task(TASK.matrix, given.select(~at), TASK.hidden), "ml-1m", 3)
    before, after = (one.answer.trajectory.estimate(3)[5, 4] for one in (found, without))
    assert change == pytest.approx(before - after, abs=1e-4)
    lonely = Task(TASK.matrix, given.select(np.array([0])), TASK.hidden)
    said = editable_player.influence_of(run(lonely, "ml-1m", 1), WINDOW, 0, 0)["note"]
    assert "only one rating" in said

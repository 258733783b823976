"""Edits of a task, the way back, the text that an address holds, and what a session keeps."""

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as some
from tasks_of_tests import cells, made_up_matrix

from metamf.answer.division import Matrix, divide
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp.run.edits import (
    EDITS_IN_ADDRESS,
    MOST_EDITS,
    Edit,
    EditDesk,
    EditError,
    Edits,
    checked,
)

STARS = RatingScale(1, 5, 1)


@pytest.fixture(scope="module", params=[True, False], ids=["truth known", "rated cells only"])
def task(request):
    return divide(made_up_matrix(truth=request.param), 0.5, "at random", 1)


def test_a_rating_that_is_set_is_given_and_not_measured(task):
    here, there = next(iter(cells(task.given))), next(iter(cells(task.hidden)))
    assert Edits((Edit(99, 0, 3.0),)).apply(task) is task  # outside the matrix
    edited = Edits().set(*here, 2).set(*there, 5).apply(task)
    assert cells(edited.given) == cells(task.given) | {here: 2.0, there: 5.0}
    assert cells(edited.hidden) == {at: x for at, x in cells(task.hidden).items() if at != there}
    assert edited.given.row_labels == task.given.row_labels
    assert edited.given.scale == task.given.scale
    assert edited.matrix is task.matrix


def test_a_rating_that_is_hidden_is_measured_by_the_truth_or_by_itself(task):
    here = next(iter(cells(task.given)))
    edited = Edits().hide(*here).apply(task)
    true = cells(task.given)[here] if task.matrix.truth is None else float(task.matrix.truth[here])
    assert cells(edited.given) == {at: x for at, x in cells(task.given).items() if at != here}
    assert cells(edited.hidden) == cells(task.hidden) | {here: true}


def test_a_rating_can_be_added_where_nobody_rated_and_taken_away_again():
    task = divide(made_up_matrix(truth=False), 0.5, "at random", 1)
    n, m = np.argwhere(np.isnan(task.matrix.ratings.to_dense()))[0].tolist()
    added = Edits().set(n, m, 4)
    assert cells(added.apply(task).given) == cells(task.given) | {(n, m): 4.0}
    assert added.after({"op": "hide", "row": n, "col": m}, task).made == ()


def test_undo_and_redo_walk_through_all_that_a_browser_asked_for(task):
    n, m = int(task.given.rows[0]), int(task.given.cols[0])
    value = float(task.given.values[0])
    other = 1.0 if value > 3 else 5.0
    at = {"row": n, "col": m}
    asked = [
        ({"op": "set", **at, "value": f" {other} "}, ((n, m, other),)),
        ({"op": "hide", **at}, ((n, m, None),)),
        ({"op": "set", **at, "value": value}, ()),  # as in the data
        ({"op": "hide", **at}, ((n, m, None),)),
        ({"op": "restore", **at}, ()),
        ({"op": "hide", **at}, ((n, m, None),)),
        ({"op": "reset"}, ()),
    ]
    edits = Edits()
    for action, made in asked:
        edits = edits.after(action, task)
        assert edits.made == made
    made = [(), *(made for _, made in asked)]
    for expected in [*reversed(made[:-1]), ()]:
        edits = edits.after({"op": "undo"}, task)
        assert edits.made == expected
    for expected in [*made[1:], ()]:
        edits = edits.after({"op": "redo"}, task)
        assert edits.made == expected
    back = edits.undo().set(1, 1, 5)
    assert back.future == ()
    assert back.undo().made == ((n, m, None),)


REFUSED = {  # the value that is set, or the whole action
    9: "9 is not a rating here: ratings go from 1 to 5 in steps of 1.",
    2.5: "2.5 is not a rating here",
    "four": '"four" is not a number.',
    None: '"None" is not a number.',
    True: '"True" is not a number.',
    "inf": '"inf" is not a number.',
    ("hide", 12, 0): "outside the matrix of 12 × 9 cells",
    ("hide", "0", 0): "outside the matrix",
    ("hide", True, 0): "outside the matrix",
    ("drop table", 0, 0): '"drop table" is not an action on a rating',
}


@pytest.mark.parametrize("asked", REFUSED, ids=str)
def test_what_cannot_be_done_is_refused_with_a_sentence(asked):
    op, row, col = asked if isinstance(asked, tuple) else ("set", 0, 0)
    action = {"op": op, "row": row, "col": col, "value": asked}
    with pytest.raises(EditError, match=REFUSED[asked]):
        Edits().after(action, divide(made_up_matrix(), 0.5, "at random", 1))


def test_the_last_rating_stays_and_edits_are_bounded():
    def all_given(values):
        return divide(Matrix("", "", Ratings.from_dense(values)), 1.0, "at random", 1)

    with pytest.raises(EditError, match="The last given rating cannot be hidden"):
        Edits().after({"op": "hide", "row": 0, "col": 0}, all_given([[3.0, np.nan]]))
    full = Edits(tuple(Edit(0, m, 4.0) for m in range(MOST_EDITS)))
    one_more = {"op": "set", "row": 0, "col": MOST_EDITS, "value": 1}
    with pytest.raises(EditError, match="1,000 cells are edited already"):
        full.after(one_more, all_given(np.full((1, MOST_EDITS + 2), 3.0)))


@pytest.mark.parametrize(
    "scale, value",
    [(STARS, 4.0), (RatingScale(0.5, 5, 0.5), 3.5), (RatingScale(0, 1, 0.1), 0.3), (None, -1e6)],
)
def test_what_lies_on_the_scale_is_a_rating(scale, value):
    assert checked(value, scale) == checked(str(value).replace(".", ","), scale) == value
    too_large = "is too large" if scale is None else "is not a rating here"
    with pytest.raises(EditError, match=too_large):
        checked(1e300, scale)


values = some.none() | some.floats(-1e9, 1e9, allow_nan=False).map(lambda x: x + 0.0)
made = some.lists(
    some.builds(Edit, some.integers(0, 29), some.integers(0, 19), values), max_size=EDITS_IN_ADDRESS
).map(lambda edits: tuple({edit[:2]: edit for edit in edits}.values()))
FREE = Ratings([0], [0], [3.0], (30, 20))  # without a scale


@drawn(made)
@settings(max_examples=25, deadline=None)
def test_edits_come_back_from_the_address(made):
    text = Edits(made).to_text()
    assert all(sign.isalnum() or sign in "-_.~" for sign in text)  # none that an address escapes
    assert Edits.from_text(text, FREE) == (Edits(made), "")


@drawn(some.text(max_size=80) | some.text("0123456789_~x.e-", max_size=80))
@settings(max_examples=25, deadline=None)
def test_whatever_stands_in_an_address_gives_edits_that_can_be_written(text):
    edits, note = Edits.from_text(text, FREE)
    assert Edits.from_text(edits.to_text(), FREE) == (edits, "")
    assert not edits.past
    assert note or text == "" or edits.made


def test_of_an_address_that_is_partly_wrong_the_rest_is_kept_and_it_is_said():
    stars = Ratings([0], [0], [3.0], (4, 3), scale=STARS)
    edits, note = Edits.from_text("2_3_4~9_1_x~1_1_7~1_2_x~<script>", stars)
    assert edits.made == ((1, 2, 4.0), (0, 1, None))
    assert note == (
        "2 edits from the link are shown; the others were skipped: The cell is outside the matrix "
        "of 4 × 3 cells. (3 such reasons in all)"
    )
    assert Edits.from_text("0_1_3", stars)[0].made == ()
    assert '"1_1_nan" is not an edit' in Edits.from_text("1_1_nan", stars)[1]


@pytest.fixture
def desk(task):
    made = EditDesk()
    made.show("a", task.matrix.ratings, "")
    return made


def test_the_first_matrix_takes_its_edits_from_the_address_and_others_do_not(task):
    ratings = task.matrix.ratings
    desk = EditDesk()
    for linked in ("1_2_5~1_3_9", "1_2_4"):  # the address follows the session, not the reverse
        assert desk.show("a", ratings, linked).made == ((0, 1, 5.0),)
        assert "9 is not a rating here" in desk.note
    assert desk.show("b", ratings, "1_2_5").made == ()
    assert desk.note == ""
    assert desk.show("a", ratings, "").made == ((0, 1, 5.0),)


def test_an_edit_is_made_once_and_a_refused_one_says_why(desk, task):
    edit = {"op": "set", "row": 0, "col": 0, "value": 2}
    desk.take({"id": 1, **edit}, task)
    desk.take({"id": 1, **edit, "value": 3}, task)  # comes twice, as triggers of a browser may
    assert (desk.edits.made, desk.seen) == (((0, 0, 2.0),), 1)
    desk.take({"id": 2, **edit, "value": 7}, task)
    assert desk.note == "7 is not a rating here: ratings go from 1 to 5 in steps of 1."
    assert (desk.edits.made, desk.seen) == (((0, 0, 2.0),), 2)  # it was heard: the browser goes on
    desk.take({"id": 3, "op": "undo"}, task)
    assert (desk.edits.made, desk.note) == ((), "")
    for nonsense in ({}, {"id": "4"}, {"id": None, **edit}):
        desk.take(nonsense, task)
    assert desk.seen == 3


def test_more_edits_than_the_address_holds_are_made_and_it_is_said(desk, task):
    given = task.given.to_dense()
    for k in range(EDITS_IN_ADDRESS + 1):
        n, m = divmod(k, 9)
        value = 1 if given[n, m] != 1 else 2
        desk.take({"id": k + 1, "op": "set", "row": n, "col": m, "value": value}, task)
    assert len(desk.edits.made) == EDITS_IN_ADDRESS + 1
    assert desk.note == "51 cells are edited; the address holds the first 50 of them."
    text = desk.edits.to_text()
    assert len(Edits.from_text(text, FREE)[0].made) == EDITS_IN_ADDRESS
    assert "A link holds the edits of 50 cells." in Edits.from_text(text + "~9_9_1", FREE)[1]
    assert Edits.from_text("1_1_3~" * 100_000, FREE)[1]


def test_a_session_keeps_the_edits_of_a_bounded_number_of_matrices(desk, task):
    n, m = next(iter(cells(task.given)))
    for k in range(30):
        desk.show(str(k), task.matrix.ratings, "")
        desk.take({"id": k + 1, "op": "hide", "row": n, "col": m}, task)
    assert len(desk.by_source) == 20
    assert desk.edits.made

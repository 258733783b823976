"""What if: edits of a task, the way back, and the text that an address holds."""

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as some
from tasks_of_tests import made_up_matrix

from metamf.answer.division import Matrix, divide
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp.explore.edits import EDITS_IN_ADDRESS, MOST_EDITS, Edit, EditError, Edits, checked

STARS = RatingScale(1, 5, 1)


def cells(ratings):
    return {(int(n), int(m)): float(x) for n, m, x in zip(ratings.rows, ratings.cols, ratings.values)}


@pytest.fixture(scope="module", params=[True, False], ids=["truth known", "rated cells only"])
def task(request):
    return divide(made_up_matrix(truth=request.param), 0.5, "at random", 1)


def a_given(task, k=0):
    return int(task.given.rows[k]), int(task.given.cols[k])


def a_hidden(task):
    return int(task.hidden.rows[0]), int(task.hidden.cols[0])


def test_a_rating_that_is_set_is_given_and_not_measured(task):
    here, there = a_given(task), a_hidden(task)
    assert Edits((Edit(99, 0, 3.0),)).apply(task) is task  # outside the matrix
    edited = Edits().set(*here, 2).set(*there, 5).apply(task)
    assert cells(edited.given) == cells(task.given) | {here: 2.0, there: 5.0}
    assert cells(edited.hidden) == {at: x for at, x in cells(task.hidden).items() if at != there}
    assert edited.given.row_labels == task.given.row_labels and edited.given.scale == task.given.scale
    assert edited.matrix is task.matrix


def test_a_rating_that_is_hidden_is_measured_by_the_truth_or_by_itself(task):
    here = a_given(task)
    edited = Edits().hide(*here).apply(task)
    true = cells(task.given)[here] if task.matrix.truth is None else float(task.matrix.truth[here])
    assert cells(edited.given) == {at: x for at, x in cells(task.given).items() if at != here}
    assert cells(edited.hidden) == cells(task.hidden) | {here: true}


def test_a_rating_can_be_added_where_nobody_rated_and_taken_away_again():
    task = divide(made_up_matrix(truth=False), 0.5, "at random", 1)
    rated = cells(task.matrix.ratings)
    empty = next((n, m) for n in range(12) for m in range(9) if (n, m) not in rated)
    added = Edits().set(*empty, 4)
    assert cells(added.apply(task).given) == cells(task.given) | {empty: 4.0}
    hidden = added.after({"op": "hide", "row": empty[0], "col": empty[1]}, task)
    assert hidden.made == () and hidden.apply(task) is task


def test_undo_and_redo_walk_through_all_that_was_done():
    states = [Edits()]
    for step in (
        lambda e: e.set(0, 1, 3),
        lambda e: e.set(0, 1, 4),
        lambda e: e.hide(2, 2),
        lambda e: e.restore(0, 1),
        Edits.reset,
    ):
        states.append(step(states[-1]))
    made = [(), ((0, 1, 3),), ((0, 1, 4),), ((0, 1, 4), (2, 2, None)), ((2, 2, None),), ()]
    assert [state.made for state in states] == made
    edits = states[-1]
    for expected in reversed(made[:-1]):
        edits = edits.undo()
        assert edits.made == expected
    assert edits.undo() == edits and not edits.past
    for expected in made[1:]:
        edits = edits.redo()
        assert edits.made == expected
    assert edits.redo() == edits and not edits.future
    back = edits.undo().set(1, 1, 5)
    assert back.future == () and back.undo().made == ((2, 2, None),)


def test_a_browser_asks_by_name(task):
    (n, m), value = a_given(task), float(task.given.values[0])
    other = 1 if value > 3 else 5
    at = {"row": n, "col": m}
    edits = Edits().after({"op": "set", **at, "value": f" {other} "}, task)
    assert edits.made == ((n, m, float(other)),)
    assert edits.after({"op": "set", **at, "value": value}, task).made == ()  # as in the data
    assert edits.after({"op": "restore", **at}, task).made == ()
    hidden = edits.after({"op": "hide", **at}, task)
    assert hidden.made == ((n, m, None),)
    assert hidden.after({"op": "undo"}, task).made == edits.made
    assert hidden.after({"op": "undo"}, task).after({"op": "redo"}, task).made == hidden.made
    assert hidden.after({"op": "reset"}, task).made == ()


@pytest.mark.parametrize(
    "action, sentence",
    [
        (
            {"op": "set", "row": 0, "col": 0, "value": 9},
            "9 is not a rating here: ratings go from 1 to 5 in steps of 1.",
        ),
        ({"op": "set", "row": 0, "col": 0, "value": 2.5}, "2.5 is not a rating here"),
        ({"op": "set", "row": 0, "col": 0, "value": "four"}, '"four" is not a number.'),
        ({"op": "set", "row": 0, "col": 0}, '"None" is not a number.'),
        ({"op": "set", "row": 0, "col": 0, "value": True}, '"True" is not a number.'),
        ({"op": "set", "row": 0, "col": 0, "value": "inf"}, '"inf" is not a number.'),
        ({"op": "hide", "row": 12, "col": 0}, "outside the matrix of 12 × 9 cells"),
        ({"op": "hide", "row": 0, "col": -1}, "outside the matrix"),
        ({"op": "hide", "row": "0", "col": 0}, "outside the matrix"),
        ({"op": "hide", "row": True, "col": 0}, "outside the matrix"),
        ({"op": "drop table"}, '"drop table" is not an action on a rating'),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(action, sentence):
    with pytest.raises(EditError, match=sentence.replace("(", r"\(")):
        Edits().after(action, divide(made_up_matrix(), 0.5, "at random", 1))


def test_the_last_rating_stays_and_edits_are_bounded():
    matrix = Matrix("", "", Ratings.from_dense([[3.0, np.nan]]))
    with pytest.raises(EditError, match="The last given rating cannot be hidden"):
        Edits().after({"op": "hide", "row": 0, "col": 0}, divide(matrix, 1.0, "at random", 1))
    wide = Ratings.from_dense(np.full((1, MOST_EDITS + 2), 3.0))
    full = Edits(tuple(Edit(0, m, 4.0) for m in range(MOST_EDITS)))
    with pytest.raises(EditError, match="1,000 cells are edited already"):
        full.after(
            {"op": "set", "row": 0, "col": MOST_EDITS, "value": 1}, divide(Matrix("", "", wide), 1.0, "at random", 1)
        )


@pytest.mark.parametrize(
    "scale, value", [(STARS, 4.0), (RatingScale(0.5, 5, 0.5), 3.5), (RatingScale(0, 1, 0.1), 0.3), (None, -1e6)]
)
def test_what_lies_on_the_scale_is_a_rating(scale, value):
    assert checked(value, scale) == checked(str(value).replace(".", ","), scale) == value
    with pytest.raises(EditError, match="is too large" if scale is None else "is not a rating here"):
        checked(1e300, scale)


# -- the address ----------------------------------------------------------------------------------------------------

values = some.none() | some.floats(-1e9, 1e9, allow_nan=False).map(lambda x: x + 0.0)
made = some.lists(some.builds(Edit, some.integers(0, 29), some.integers(0, 19), values), max_size=EDITS_IN_ADDRESS).map(
    lambda edits: tuple({edit[:2]: edit for edit in edits}.values())
)
FREE = Ratings([0], [0], [3.0], (30, 20))  # without a scale


@drawn(made)
@settings(max_examples=25, deadline=None)
def test_edits_come_back_from_the_address(made):
    text = Edits(made).to_text()
    assert all(character.isalnum() or character in "-_.~" for character in text)  # none that an address escapes
    assert Edits.from_text(text, FREE) == (Edits(made), "")


@drawn(some.text(max_size=80) | some.text("0123456789_~x.e-", max_size=80))
@settings(max_examples=25, deadline=None)
def test_whatever_stands_in_an_address_gives_edits_that_can_be_written(text):
    edits, note = Edits.from_text(text, FREE)
    assert Edits.from_text(edits.to_text(), FREE) == (edits, "")
    assert not edits.past and (note or text == "" or edits.made)


def test_of_an_address_that_is_partly_wrong_the_rest_is_kept_and_it_is_said():
    stars = Ratings([0], [0], [3.0], (4, 3), scale=STARS)
    edits, note = Edits.from_text("2_3_4~9_1_x~1_1_7~1_2_x~<script>", stars)
    assert edits.made == ((1, 2, 4.0), (0, 1, None))
    assert note == (
        "2 edits of the address are shown, others were left out: The cell is outside the matrix of 4 × 3 cells. "
        "(3 such reasons in all)"
    )
    assert Edits.from_text("0_1_3", stars)[0].made == ()
    assert '"1_1_nan" is not an edit' in Edits.from_text("1_1_nan", stars)[1]


def test_an_address_holds_fifty_edits():
    many = Edits(tuple(Edit(n, m, 3.0) for n in range(6) for m in range(10)))
    text = many.to_text()
    assert Edits.from_text(text, FREE) == (Edits(many.made[:EDITS_IN_ADDRESS]), "")
    edits, note = Edits.from_text(text + "~9_9_1", FREE)
    assert len(edits.made) == EDITS_IN_ADDRESS and "An address holds the edits of 50 cells." in note
    assert Edits.from_text("1_1_3~" * 100_000, FREE)[1]

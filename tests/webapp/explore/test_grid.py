"""An own matrix: the sheet that is typed, its address, and what the pages make of it."""

import numpy as np
import pytest
from opened import PAGES, healthy, no_data_sets, opened, text  # noqa: F401  a fixture

from metamf.webapp.explore.choices import GRID, AppState
from metamf.webapp.explore.grid import EXAMPLE, IN_ADDRESS, GridDesk, Sheet, TypedError


def sheet(rows=("Ada", "Ben"), cols=("Alien", "Brazil"), cells=(("5", ""), ("", "1"))):
    return Sheet((("", *cols), *((name, *texts) for name, texts in zip(rows, cells))))


def test_names_and_numbers_make_a_matrix():
    matrix = sheet(rows=(" Ada  L. ", ""), cells=(("4,5", " "), ("", "−1"))).matrix()
    np.testing.assert_array_equal(matrix.ratings.to_dense(), [[4.5, np.nan], [np.nan, -1]])
    assert matrix.ratings.row_labels == ("Ada L.", "row 2") and matrix.ratings.col_labels == ("Alien", "Brazil")
    assert EXAMPLE.matrix().ratings.scale.maximum == 5


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"rows": ("Ada", " Ada ")}, 'Two rows are called "Ada": give one of them another name.'),
        ({"cols": ("", "column 1")}, 'Two columns are called "column 1"'),
        ({"cells": (("lots", ""), ("", "1"))}, 'Ada, Alien: "lots" is not a number.'),
        ({"cells": (("5", "1e999"), ("", "1"))}, 'Ada, Brazil: "1e999" is not a number.'),
        ({"cells": (("5", "1e300"), ("", "1"))}, "is too large"),
        ({"cols": ("x" * 61, "y")}, "is longer than 60 characters"),
    ],
)
def test_what_is_not_a_matrix_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(TypedError, match=sentence):
        sheet(**changes).matrix()


@pytest.mark.parametrize(
    "sent",
    [
        None,
        [],
        [["", "b"]],
        [["", "b"], ["a", "1", "2"]],
        [["", "b"], ["a", 1]],
        [["", "b"], 5],
        [[], []],
        [["", "b"], *[["a", ""]] * 31],
        {"rows": ["a"], "cols": ["b"]},
    ],
)
def test_whatever_a_browser_sends_is_a_sheet_or_refused(sent):
    with pytest.raises(TypedError):
        Sheet.sent(sent)


def test_a_sheet_comes_back_from_the_address_unless_it_is_too_large():
    typed = sheet(rows=("Ada ~_!t", "²"), cols=("", "<b>"), cells=(("5", "x"), ("", " 1,5")))
    assert Sheet.from_text(typed.to_text()) == typed
    large = sheet(("row",) * 30, ("column",) * 30, (("−1,234.5",) * 30,) * 30)
    assert large.to_text() == ""
    assert len(sheet(("",) * 30, ("",) * 30, (("5",) * 30,) * 30).to_text()) < IN_ADDRESS


def test_what_was_typed_stays_and_the_picture_shows_the_last_matrix():
    desk = GridDesk()
    assert not desk.touched and desk.sheet.lines[1][0] == "Ada"
    desk.take(sheet().lines)
    assert desk.touched and desk.note == "" and desk.matrix.ratings.nnz == 2
    desk.take(sheet(cols=("Alien", "Alien")).lines)
    assert "Two columns" in desk.note and desk.sheet.lines[0] == ("", "Alien", "Alien")
    assert desk.matrix.ratings.col_labels == ("Alien", "Brazil")
    desk.take(sheet(cells=(("5", "2"), ("", "1"))).lines)
    assert desk.note == "" and desk.matrix.ratings.nnz == 3


@pytest.mark.slow
def test_all_ratings_of_an_own_grid_are_given_and_other_data_get_their_share_back():
    at = healthy(opened(keep=35))
    healthy(at.selectbox(key="data").select(GRID).run())
    assert AppState.read(at.session_state.to_dict()).keep == 100 and "fills in 6 of 20 cells" in text(at)
    healthy(at.selectbox(key="data").select("Old and new").run())
    assert AppState.read(at.session_state.to_dict()).keep == 35


def test_a_sheet_without_a_number_gives_one_sentence_on_every_page():
    at = healthy(opened(data=GRID))
    assert "fills in 6 of 20 cells" in text(at)
    at.session_state.grid_desk.take(sheet(cells=(("", ""), ("", ""))).lines)
    for page in PAGES:
        healthy(at.switch_page(page).run())
        assert "type at least one rating" in text(at)


def test_what_was_edited_in_one_grid_is_not_edited_in_a_matrix_that_another_page_brings():
    at = healthy(opened(data=GRID, edits="1_1_3"))
    assert at.session_state.edit_desk.edits.made == ((0, 0, 3.0),)
    at.session_state.grid_desk.bring(EXAMPLE.matrix().ratings)
    healthy(at.run())
    assert at.session_state.edit_desk.edits.made == () and "edits" not in at.query_params


@pytest.mark.parametrize("text", ["x", "~", "a_b~c_1", "a~b_1~c", "~".join(["a"] * 40), "_" * 5000, "!", "\x00~"])
def test_an_address_that_says_no_sheet_is_refused(text):
    desk = GridDesk.linked(text)
    assert desk.sheet == EXAMPLE and "an example is shown" in desk.note and desk.in_address == ""


def test_a_grid_that_a_room_has_filled_stays_out_of_the_address():
    desk = GridDesk()
    desk.bring(EXAMPLE.matrix().ratings.select(np.arange(14) > 3))
    desk.take(desk.sheet.lines)
    assert desk.touched and desk.in_address == ""

"""The desk of an own matrix: what was typed stays, and what the pages make of it."""

import numpy as np
import pytest
from opened import PAGES, healthy, no_data_sets, opened, text  # noqa: F401  a fixture

from metamf.webapp.matrix.choices import GRID, AppState
from metamf.webapp.matrix.grid import EXAMPLE, GridDesk, Sheet


def sheet(rows=("Ada", "Ben"), cols=("Alien", "Brazil"), cells=(("5", ""), ("", "1"))):
    return Sheet(tuple(rows), tuple(cols), tuple(map(tuple, cells)))


def test_what_was_typed_stays_and_the_picture_shows_the_last_matrix():
    desk = GridDesk()
    assert not desk.touched and desk.sheet.data()["rows"][0] == "Ada"
    desk.take(sheet().data())
    assert desk.touched and desk.note == "" and desk.matrix.ratings.nnz == 2
    desk.take(sheet(cols=("Alien", "Alien")).data())
    assert "Two columns" in desk.note and desk.sheet.cols == ("Alien", "Alien")
    assert desk.matrix.ratings.col_labels == ("Alien", "Brazil")
    desk.take(sheet(cells=(("5", "2"), ("", "1"))).data())
    assert desk.note == "" and desk.matrix.ratings.nnz == 3


def test_all_ratings_of_an_own_grid_are_given_and_other_data_get_their_share_back():
    at = healthy(opened(keep=35))
    healthy(at.selectbox(key="data").select(GRID).run())
    assert AppState.read(at.session_state.to_dict()).keep == 100 and "From 14 of 20 cells" in text(at)
    healthy(at.selectbox(key="data").select("Film club").run())
    assert AppState.read(at.session_state.to_dict()).keep == 35


def test_a_sheet_without_a_number_gives_one_sentence_on_every_page():
    at = healthy(opened(data=GRID))
    assert "From 14 of 20 cells" in text(at)
    at.session_state.grid_desk.take(sheet(cells=(("", ""), ("", ""))).data())
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
    desk.take(desk.sheet.data())
    assert desk.touched and desk.in_address == ""

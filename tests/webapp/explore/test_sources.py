"""Files that visitors bring to the pages, good and bad."""

import peoples_files
import pytest
from addresses import address, arrived
from made_up import ratings_log
from opened import (  # noqa: F401  a fixture
    PAGES,
    brought,
    charts,
    healthy,
    no_data_sets,
    opened,
    players,
    shown_run,
    text,
    with_file,
)

from metamf.webapp.explore.choices import UPLOAD

pytestmark = pytest.mark.slow


def test_an_upload_is_understood_and_shown_on_every_page():
    at = with_file("film;Ann;Bo;Cy\nA;4,5;;3\nB;1;2;\nC;;5;4\n")
    assert shown_run(at)["n_given"] == 2
    assert "3 rows and 3 columns: 6 of 9 cells are observed" in text(at)
    for page in PAGES[1:]:
        healthy(at.switch_page(page).run())
        assert "4 rated cells hidden from the model" in text(at)
    healthy(at.selectbox(key="data").select("Old and new").run())
    healthy(at.selectbox(key="data").select(UPLOAD).run())
    assert players(at), "the file outlives its widget"


def test_a_large_upload_is_read_once_and_shows_a_window_of_its_result_at_once(straight_engine):
    data = ratings_log(21_000, 1600, 1300)  # 2 million cells
    at = opened(data=UPLOAD, model="Universal", keep=50)
    healthy(brought(at, data, "log.csv").run())
    assert "1,300 columns. All of it is filled in and measured; the page shows rows 1 to 300" in text(at)
    assert "10,500 rated cells hidden from the model" in text(at) and shown_run(at)["n"] == 300
    at.number_input(key="top").set_value(500)
    healthy(at.number_input(key="left").set_value(7).run())
    assert "rows 500 to 799" in text(at) and [shown_run(at)[name] for name in ("top", "left")] == [499, 6]
    assert straight_engine.called.count("read_table") == 1
    link = address(at)
    assert link["data"] == [UPLOAD] and link["top"] == ["500"] and link["left"] == ["7"]
    again = healthy(brought(arrived("", link), data, "log.csv").run())  # on another machine, with the same file
    assert [shown_run(again)[name] for name in ("top", "left")] == [499, 6]
    healthy(at.selectbox(key="table_duplicates").select("mean").run())  # it may now mean something else
    assert straight_engine.called.count("read_table") == 3


def test_a_cell_given_twice_in_an_upload_is_named_and_can_be_settled():
    at = with_file("user,item,rating\na,x,1\nb,y,2\na,x,3\na,y,3\n")
    assert "given more than once" in text(at) and not players(at)
    healthy(at.button(key="table_answer_0").click().run())
    assert players(at) and "3 of 4 cells are observed" in text(at)
    assert at.selectbox(key="table_duplicates").value == "mean"


def test_a_file_that_is_refused_has_the_answers_of_your_table():
    at = with_file(peoples_files.marks())
    healthy(at.button(key="table_suspect_abs").click().run())
    assert players(at) and "14 rows and 7 columns" in text(at)
    at = with_file(peoples_files.form().replace(b",19,", b",,", 1))
    assert not players(at)
    healthy(at.button(key="table_doubt_3_0").click().run())  # the age is left alone
    [chips] = [group for group in at.get("button_group") if "pills" in group.key]
    assert players(at) and "12 rows and 12 columns" in text(at) and 3 not in chips.value
    healthy(chips.set_value([*chips.value, 3]).run())
    assert "12 rows and 13 columns" in text(at)


def test_a_matrix_of_one_cell():
    at = with_file("4\n")
    assert "Every cell is given" in text(at) and players(at) and not charts(at)

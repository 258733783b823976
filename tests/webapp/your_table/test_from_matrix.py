"""One file for the whole app: brought to one page, it is there on the other, read as was said."""

from opened import healthy, opened, players, text, with_file
from your_table import PAGE, WIDE, keys, small_world, uploaded  # noqa: F401  a fixture

from metamf.webapp.matrix.choices import UPLOAD

NINES = b"name,Tea,Coffee,Juice\nAda,4,99,3\nBen,1,2,\nCleo,,5,4\nDev,3,4,2\n"


def test_a_file_of_the_first_page_is_on_your_table_without_another_upload_and_read_as_was_said():
    at = with_file(NINES, "drinks.csv")
    healthy(at.text_input(key="file_markers").set_value("99").run())
    at = healthy(at.switch_page(PAGE).run())
    assert "drinks.csv" in text(at) and at.session_state["table_upload"].content == NINES
    assert "3 of 12 cells estimated" in text(at)  # 99 is missing, too
    healthy(at.button(key="table_forget").click().run())
    assert "table_upload" not in at.session_state and "table_take_file" in keys(at)  # it stays away, and can be had


def test_a_file_of_your_table_is_taken_to_the_first_page_by_a_click():
    at = uploaded(NINES)
    at.session_state["table_markers"] = "99"
    at = healthy(at.run())
    at = healthy(at.switch_page("pages/fill_in.py").run())
    healthy(at.selectbox(key="data").set_value(UPLOAD).run())
    healthy(at.button(key="upload_take").click().run())
    assert players(at) and at.session_state["upload_read"].matrix.ratings.nnz == 9


def test_a_matrix_too_large_for_your_table_is_not_taken_there(monkeypatch):
    monkeypatch.setattr("metamf.webapp.your_table.state.WEB", type("Limits", (), {"matrix": 11}))
    at = with_file(WIDE, "drinks.csv")
    at = healthy(at.switch_page(PAGE).run())
    assert "table_upload" not in at.session_state and "No file at hand?" in text(at)


def test_nothing_is_taken_where_nothing_was_brought():
    at = healthy(opened(PAGE))
    assert "table_upload" not in at.session_state and "table_take_file" not in keys(at)

"""What Your table keeps, forgets, takes from other pages, shows to nobody else, and logs."""

import pytest
from opened import healthy, opened, players, text
from your_table import PAGE, WIDE, keys, small_world, stars, uploaded  # noqa: F401  a fixture

pytestmark = pytest.mark.slow


def test_file_and_settings_survive_a_change_of_page():
    at = uploaded(WIDE)
    healthy(at.selectbox(key="table_method").select("ml-1m").run())
    healthy(at.text_input(key="table_markers").set_value("2").run())
    before = text(at)
    healthy(at.switch_page("pages/explore.py").run())
    healthy(at.switch_page(PAGE).run())
    assert text(at) == before and at.selectbox(key="table_method").value == "ml-1m"


def test_nothing_is_computed_twice(monkeypatch):
    at = uploaded(stars(), "stars.csv")
    healthy(at.button(key="table_measure").click().run())

    def refuse(*_, **__):
        raise AssertionError("computed again")

    for name in (
        "tables.read.read_table",
        "webapp.your_table.settings.fill",
        "webapp.your_table.jobs.holdout_steps",
        "webapp.your_table.cells.influence",
    ):
        monkeypatch.setattr(f"metamf.{name}", refuse)
    healthy(at.run())


def test_the_button_forgets_everything():
    at = uploaded(WIDE)
    healthy(at.text_input(key="table_markers").set_value("2").run())
    healthy(at.button(key="table_forget").click().run())
    assert "Larger files are refused" in text(at) and "Cleo" not in text(at)
    held = at.session_state._state.filtered_state
    assert not [
        key
        for key in held
        if key.startswith("table_") and key not in ("table_example", "table_example_file") and held[key]
    ]
    again = uploaded(stars(), "stars.csv", at)
    assert again.text_input(key="table_markers").value == "" and "r1" in text(again)


def test_a_second_session_never_sees_the_first_ones_data(capfd, tmp_path):
    secret = WIDE.replace(b"Ada", b"Wilhelmina").replace(b"4,5", b"4,37")
    first = uploaded(secret, "secret-drinks.csv")
    assert "Wilhelmina" in text(first)
    second = opened(PAGE)
    uploaded(WIDE, "other.csv", second)
    everything = text(second) + repr(second.session_state._state.filtered_state) + str(second.query_params)
    assert not any(word in everything for word in ("Wilhelmina", "secret-drinks", "4,37", "4.37"))
    assert not first.query_params or "secret" not in str(first.query_params)
    out, err = capfd.readouterr()
    assert "Wilhelmina" not in out + err and "secret-drinks" not in out + err
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"Wilhelmina" in path.read_bytes()]


NINES = b"name,Tea,Coffee,Juice\nAda,4,99,3\nBen,1,2,\nCleo,,5,4\nDev,3,4,2\n"


def test_a_file_of_your_table_is_taken_to_explore_by_a_click():
    at = uploaded(NINES)
    at.session_state["table_markers"] = "99"
    at = healthy(at.run())
    healthy(at.button(key="table_factors_True").click().run())
    [player] = players(at)
    assert player["scene"] == "watch" and "9 of 12 cells are observed" in text(at)
    healthy(at.switch_page(PAGE).run())
    healthy(at.button(key="table_forget").click().run())
    assert "table_upload" not in at.session_state


def test_what_goes_wrong_unforeseen_is_logged_without_a_word_of_the_table(monkeypatch, caplog):
    message = "Ada gave 4.5"

    def fails(*_, **__):
        raise ValueError(message)

    monkeypatch.setattr("metamf.webapp.your_table.settings.fill", fails)
    at = uploaded(WIDE)
    assert "could not be filled in with these settings" in text(at)
    [record] = [record for record in caplog.records if record.name == "metamf.webapp"]
    said = record.getMessage()
    assert "ValueError in fails, test_state.py" in said
    assert "Ada" not in said and "4.5" not in said


def test_an_error_of_the_library_is_said_and_not_logged(caplog):
    at = uploaded(b"a,b\n1e300,\n,-1e300\n")
    assert "divide all of them by a common factor" in text(at)
    assert not [record for record in caplog.records if record.name == "metamf.webapp"]

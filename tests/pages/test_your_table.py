"""The page Your table when something goes wrong: what it says, and what it logs."""

from opened import text
from your_table import WIDE, small_world, uploaded  # noqa: F401  a fixture


def test_what_goes_wrong_unforeseen_is_logged_without_a_word_of_the_table(monkeypatch, caplog):
    message = "Ada gave 4.5"

    def fails(*_, **__):
        raise ValueError(message)

    monkeypatch.setattr("metamf.webapp.your_table.settings.fill", fails)
    at = uploaded(WIDE)
    assert "could not be filled in with these settings" in text(at)
    [record] = [record for record in caplog.records if record.name == "metamf.webapp"]
    said = record.getMessage()
    assert "ValueError in fails, test_your_table.py" in said
    assert "Ada" not in said and "4.5" not in said


def test_an_error_of_the_library_is_said_and_not_logged(caplog):
    at = uploaded(b"a,b\n1e300,\n,-1e300\n")
    assert "divide all of them by a common factor" in text(at)
    assert not [record for record in caplog.records if record.name == "metamf.webapp"]

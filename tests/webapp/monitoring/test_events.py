"""The log: a line of JSON for each event, and in none of them anything that a visitor brought."""

import json
import logging
from contextlib import suppress
from pathlib import Path

import pytest

from metamf.webapp.monitoring import events

NAME = "Ada Lovelace gave 42000042"


@pytest.fixture
def log(monkeypatch, capsys):
    """The lines that were written since it was asked last."""
    monkeypatch.setenv(events.SWITCH, "json")
    return lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def failing():
    raise KeyError(NAME)


def caught():
    try:
        failing()
    except KeyError as error:
        return error


def test_an_event_is_a_line_with_its_time(log):
    events.write("run", page="Watch", seconds=0.123456)
    events.write("full", waiting=3)
    run, full = log()
    assert (run["event"], run["level"], run["page"], run["seconds"]) == ("run", "info", "Watch", 0.1235)
    assert full["level"] == "warning" and full["time"].endswith("+00:00")


def test_what_does_not_belong_to_an_event_is_refused(log):
    with pytest.raises(ValueError, match="'run' has no name"):
        events.write("run", page="Watch", name=NAME)
    with pytest.raises(ValueError, match="no place in EVENTS"):
        events.write("upload")
    assert log() == []


def test_an_error_is_written_with_its_place_and_without_its_message(log, monkeypatch, caplog):
    events.write_error("Watch", caught())
    [line] = log()
    assert line["kind"] == "KeyError" and line["where"][-1].endswith(" failing") and NAME not in json.dumps(line)
    monkeypatch.delenv(events.SWITCH)
    events.write_error("Watch", caught())
    assert "Watch failed with KeyError" in caplog.text and "in failing" in caplog.text
    assert log() == []  # off: a text in the log, which has no message either
    assert NAME not in caplog.text.replace("NAME", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_log_on_a_full_disk_stops_nothing(log):
    with open("/dev/full", "w") as full:
        events.write("run", full, page="Watch", seconds=0.1)
        with suppress(OSError):  # Python's own buffer, at its end
            full.close()


def test_what_other_packages_log_comes_without_values():
    record = logging.makeLogRecord({"name": "other", "levelno": 30, "levelname": "WARNING", "msg": "a file %s"})
    record.args, record.exc_info = (NAME,), (KeyError, caught(), None)
    line = json.loads(events.JsonFormatter().format(record))
    assert line["message"] == "a file %s" and line["logger"] == "other" and line["kind"] == "KeyError"
    assert NAME not in json.dumps(line)
    record = logging.makeLogRecord({"msg": caught()})  # an error in place of a text
    assert json.loads(events.JsonFormatter().format(record))["message"] == "KeyError"

"""Progress of a command: a line now and then, and nothing when quiet."""

from commands import in_an_empty_folder, process, run  # noqa: F401  fixtures

from metamf.cli.progress import progress


def test_progress_is_told_now_and_then_and_not_at_all_when_quiet(capsys, monkeypatch):
    monkeypatch.setattr("metamf.cli.progress._SECONDS", -1)
    for quiet in (False, True):
        with progress("Reading", quiet) as show:
            show(0.25)
            show(1.0)
    assert capsys.readouterr().err == "Reading: 25 %\nReading: 100 %\n"

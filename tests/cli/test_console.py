"""The command line: exit codes and sentences of failures, progress, and what is imported before a
command begins."""

import re

import pytest
from commands import failure, in_an_empty_folder, process, run  # noqa: F401  fixtures

from metamf.cli import console, impute
from metamf.cli.options import COMMANDS

SLOW_TO_IMPORT = {"torch", "pandas", "sklearn", "scipy", "streamlit", "plotly", "pytest"}
QUICK = "--version", "--help", *(f"{name} --help" for name in COMMANDS), "impute x --steps ten"
IMPORTED = """\
import contextlib, io, sys
from metamf.__main__ import main
for line in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with contextlib.suppress(SystemExit):
            main(line.split())
    print(line, *sys.modules)
"""


def test_help_and_mistakes_are_answered_without_torch():
    child = process("-c", IMPORTED, *QUICK)
    out, said = child.communicate(timeout=60)
    assert child.returncode == 0, said.decode()
    lines = out.decode().splitlines()
    assert len(lines) == len(QUICK)
    for line in lines:
        assert not SLOW_TO_IMPORT & set(line.split()), line


def test_a_table_is_filled_in_without_scikit_learn_and_streamlit(run, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,c\n1,2,3\n2,,4\n4,5,\n3,3,3\n")
    child = process("-c", IMPORTED, f"impute {tmp_path}/t.csv --out {tmp_path}/filled.csv")
    out, said = child.communicate(timeout=60)
    assert (tmp_path / "filled.csv").exists(), said.decode()
    unneeded = {"sklearn", "scipy.stats", "streamlit", "plotly", "pytest"}
    assert not unneeded & set(out.decode().split())


@pytest.mark.parametrize(
    ("content", "argv", "message"),
    [
        (b"a,b\nx,great\ny,good\nz,bad\n", (), "number"),
        (b"\x01\x02\x03", (), "control character"),
        (b"a,b\n1,2\n3,\n", ("--column", "c: keep"), "names nothing known"),
        (b"a,b\n1,2\n3,\n", ("--plan", "t.csv"), "this is not a plan"),
    ],
)
def test_a_table_that_cannot_be_read_is_answered_by_one_sentence(
    run, tmp_path, content, argv, message
):
    (tmp_path / "t.csv").write_bytes(content)
    assert message in failure(run("impute", "t.csv", *argv))


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--model", "t.csv"), "t.csv is not a safetensors checkpoint"),
        (("--model", "mean", "--steps", "3"), "steps: these are settings of checkpoints"),
        (("--out", "no/such/x.csv"), "there is no folder no/such for no/such/x.csv"),
        (("--report-json", "no/such/x.json"), "there is no folder no/such for no/such/x.json"),
        (("--out", "x.csv", "--report-json", "x.csv"), "x.csv would be written twice"),
        (("--out", "x.json"), "x.json ends in none of"),
        (("--report",), "2 given cells are too few for a report: it takes 10"),
    ],
)
def test_what_cannot_be_done_is_answered_by_one_sentence_and_nothing_is_written(
    run, tmp_path, argv, message
):
    (tmp_path / "t.csv").write_bytes(b"a,b\n1,\n,2\n")
    assert re.search(message, failure(run("impute", "t.csv", *argv)))
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_missing_file_is_named(run):
    assert failure(run("impute", "nowhere.csv")) == "error: No such file or directory: nowhere.csv"
    assert "Is a directory" in failure(run("impute", "."))


NO_ARROW = "Missing optional dependency 'pyarrow'. Use pip or conda to install pyarrow."
NO_MEMORY = "there is not enough memory for a matrix of this size"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), NO_MEMORY),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: 1 TB"), NO_MEMORY),
        (ModuleNotFoundError("...", name="xlrd"), "this needs xlrd: pip install xlrd"),
        (ImportError(NO_ARROW), "this needs pyarrow: pip install pyarrow"),
        (RuntimeError("a mistake of ours"), None),
    ],
)
def test_what_the_machine_lacks_is_a_sentence_and_a_bug_is_a_traceback(
    run, monkeypatch, error, message
):
    def fail(*_):
        raise error

    monkeypatch.setattr(impute, "check_names", fail)
    if message is None:
        with pytest.raises(RuntimeError, match="a mistake of ours"):
            run("impute", "x.csv")
    else:
        assert failure(run("impute", "x.csv")) == f"error: {message}"


def test_progress_is_shown_unless_quiet(capsys, monkeypatch):
    monkeypatch.setattr(console, "_DELAY", 0)
    for quiet in (False, True):
        with console.progress("Reading", quiet) as show:
            show(0.25)
            show(1.0)
        assert ("Reading: " in capsys.readouterr().err) != quiet

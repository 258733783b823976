"""The command line: exit codes and sentences of failures, progress, and what is imported before a command begins."""

import re

import pytest
from commands import failure, in_an_empty_folder, process, run  # noqa: F401  fixtures

from metamf.cli import console, impute
from metamf.cli.options import COMMANDS

SLOW_TO_IMPORT = {"torch", "pandas", "sklearn", "scipy", "streamlit", "plotly", "pytest"}
QUICK = ("--version", "--help", *(f"{name} --help" for name in COMMANDS), "impute x.csv --steps ten")
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


@pytest.mark.parametrize(
    ("content", "argv", "message"),
    [
        (b"a,b\n1,great\n2,3\n4,5\n", (), '"great" is not a number'),
        (b"", (), "the file is empty"),
        (b"a,b\n,\n,\n", (), "no ratings"),
        (b"u,i,r\nann,x,1\nann,x,2\n", ("--form", "long"), "given more than once"),
        (b"a,b\n1,2\n", ("--decimal", ",", "--thousands", "comma"), "decimal and thousands sign cannot both be"),
        (b"u,i,r\nann,x,1\n", ("--columns", "u", "i", "9"), "no column at position 8"),
        (b"\x01\x02\x03", (), "the control character"),
    ],
)
def test_a_table_that_cannot_be_read_is_answered_by_one_sentence_and_a_code_of_its_own(
    run, tmp_path, content, argv, message
):
    (tmp_path / "t.csv").write_bytes(content)
    assert re.search(message, failure(run("impute", "t.csv", *argv), impute.UNREADABLE))


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--model", "ml-2m"), "there is no checkpoint 'ml-2m': .* jester, .*ml-100k, .*ml-1m"),
        (("--model", "t.csv"), "t.csv is not a safetensors checkpoint"),
        (("--model", "ours"), "'ours' has to be meta-trained"),
        (
            ("--model", "mean", "--steps", "3"),
            "steps: these are settings of checkpoints, and 'mean' is not a checkpoint",
        ),
        (("--out", "no/such/folder/x.csv"), "there is no folder no/such/folder for no/such/folder/x.csv"),
        (("--report-json", "no/such/x.json"), "there is no folder no/such for no/such/x.json"),
        (("--out", "x.csv", "--report-json", "x.csv"), "x.csv would be written twice"),
        (("--out", "x.json"), "x.json ends in none of"),
        (("--report",), "2 observed cells are too few for a report: it takes 10"),
        (("--round", "--scale", "none"), "can only be rounded to a scale with steps"),
        (("--hold-out", "0.9"), "leaves none to estimate from"),
    ],
)
def test_what_cannot_be_done_is_answered_by_one_sentence_and_nothing_is_written(run, tmp_path, argv, message):
    (tmp_path / "t.csv").write_bytes(b"a,b\n1,\n,2\n")
    assert re.search(message, failure(run("impute", "t.csv", *argv)))
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_missing_file_is_named(run):
    assert failure(run("impute", "nowhere.csv")) == "error: No such file or directory: nowhere.csv"
    assert "Is a directory" in failure(run("impute", "."))


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: 1 TB")])
def test_a_lack_of_memory_is_a_sentence_and_a_bug_is_a_traceback(run, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(impute, "check_names", fail)
    assert failure(run("impute", "x.csv")) == "error: there is not enough memory for a matrix of this size"
    error = RuntimeError("a mistake of ours")
    with pytest.raises(RuntimeError, match="a mistake of ours"):
        run("impute", "x.csv")


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'xlrd'", name="xlrd"),
        ImportError("Missing optional dependency 'pyarrow'. Use pip or conda to install pyarrow."),
    ],
)
def test_a_package_that_is_not_installed_is_named(run, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(impute, "check_names", fail)
    assert re.fullmatch(r"error: this needs (xlrd|pyarrow): pip install \1", failure(run("impute", "x.csv")))


@pytest.mark.parametrize("delay, quiet, said", [(0, False, True), (0, True, False), (60, False, False)])
def test_progress_is_shown_after_a_moment_and_not_at_all_when_quiet(capsys, monkeypatch, delay, quiet, said):
    monkeypatch.setattr(console, "_DELAY", delay)
    with console.progress("Reading", quiet) as show:
        show(0.25)
        show(1.0)
    assert ("Reading: " in capsys.readouterr().err) == said

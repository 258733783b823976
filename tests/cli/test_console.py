"""The command line: commands, mistakes, exit codes, and what is imported before a command begins."""

import os
import re

import pytest
from commands import failure, in_an_empty_folder, process, run  # noqa: F401  fixtures

import metamf
from metamf.cli import choices, impute
from metamf.cli.parser import COMMANDS


def test_help_shows_every_command_with_examples(run):
    result = run("--help")
    assert result.code == 0
    for name in COMMANDS:
        assert f"    {name} " in result.out
    assert "examples:\n  python -m metamf impute ratings.csv --out filled.csv" in result.out


def test_version(run):
    assert run("--version").out == f"metamf {metamf.__version__}\n"


def test_the_names_that_options_offer_are_those_of_the_registries():
    from metamf.baselines import METHODS
    from metamf.evaluate.methods import REFERENCES
    from metamf.learning.recipes import PRESETS

    assert tuple(METHODS) == choices.METHODS and tuple(REFERENCES) == choices.REFERENCES
    assert [*PRESETS, choices.UNIVERSAL] == list(choices.PRESETS)


# -- what is imported before a command begins -------------------------------------------------------------------------

SLOW_TO_IMPORT = {"torch", "pandas", "sklearn", "scipy", "streamlit", "plotly", "pytest"}
IMPORTED = """\
import sys
from metamf.__main__ import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(*sys.modules, sep="\\n", file=sys.stderr)
"""


@pytest.mark.parametrize(
    "argv",
    [("--version",), ("--help",), *((name, "--help") for name in COMMANDS), ("impute", "x.csv", "--steps", "ten")],
    ids=" ".join,
)
def test_help_and_mistakes_are_answered_without_torch(argv):
    child = process("-c", IMPORTED, *argv)
    out, imported = child.communicate(timeout=60)
    assert child.returncode == 0, imported.decode()
    assert not SLOW_TO_IMPORT & set(imported.decode().splitlines())


def test_version_takes_less_than_half_a_second_of_processor_time():
    before = os.times()
    assert process("-m", "metamf", "--version").wait(timeout=60) == 0
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    assert 0 < spent < 0.5


# -- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "required: COMMAND"),
        (("fill",), "invalid choice: 'fill'"),
        (("download", "netflix"), "invalid choice: 'netflix'"),
        (("impute",), "required: IN"),
        (("impute", "x.csv", "--steps", "-1"), "'-1' is not a whole number of at least 0"),
        (("impute", "x.csv", "--steps", "ten"), "'ten' is not a whole number of at least 0"),
        (("impute", "x.csv", "--interval", "90"), "'90' is not a level between 0.01 and 0.99, such as 0.9"),
        (("impute", "x.csv", "--interval", "wide"), "'wide' is not a level between 0.01 and 0.99"),
        (("impute", "x.csv", "--scale", "5:1"), "'5:1' is not a scale such as 1:5 or 0.5:5:0.5"),
        (("impute", "x.csv", "--scale", "1:5:1:2"), "'1:5:1:2' is not a scale"),
        (("impute", "x.csv", "--hold-out", "10"), "'10' is not a share of at least 0 and less than 1"),
        (("impute", "x.csv", "--delimiter", "x"), "'x' is not one of comma, semicolon, tab"),
        (("impute", "x.csv", "--device", "abacus"), "the device 'abacus' is not available here"),
        (("impute", "x.csv", "--columns", "user", "item"), "expected 3 arguments"),
        (("train",), "required: --data"),
        (("train", "--data", "ml-100k", "--epochs", "0"), "'0' is not a whole number of at least 1"),
        (("train", "--data", "ml-100k", "--out", "x.pt"), "'x.pt' does not end in .safetensors"),
        (("train", "--data", "ml-100k", "--resume", "--fresh"), "not allowed with argument"),
        (("evaluate", "--methods", "ours,magic"), "there is no method 'magic'; choose from ours, eml"),
        (("benchmark", "nothing"), "invalid choice: 'nothing'"),
    ],
)
def test_wrong_usage_is_answered_by_usage_one_line_and_exit_code_2(run, argv, message):
    result = run(*argv)
    assert result.code == 2 and result.out == ""
    assert result.said.startswith("usage: python -m metamf")
    assert message in result.said.splitlines()[-1]


@pytest.mark.parametrize(
    ("content", "argv", "message"),
    [
        (b"a,b\n1,great\n2,3\n4,5\n", (), '"great" is not a number'),
        (b"", (), "the file is empty"),
        (b"a,b\n,\n,\n", (), "no observed cell"),
        (b"u,i,r\nann,x,1\nann,x,2\n", ("--form", "long"), "given more than once"),
        (b"a,b\n1,2\n", ("--decimal", ",", "--thousands", "comma"), "decimal and thousands sign cannot both be"),
        (b"u,i,r\nann,x,1\n", ("--columns", "u", "i", "9"), "not have a column at position 8"),
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
        (("--model", "ml-2m"), "there is no checkpoint 'ml-2m': .* jester, ml-100k, ml-1m"),
        (("--model", "t.csv"), "t.csv is not a safetensors checkpoint"),
        (("--model", "ours"), "'ours' has to be meta-trained"),
        (
            ("--model", "mean", "--steps", "3"),
            "steps: these are settings of checkpoints, and 'mean' is not a checkpoint",
        ),
        (("--out", "no/such/folder/x.csv"), "there is no folder no/such/folder for no/such/folder/x.csv"),
        (("--manifest", "no/such/x.json"), "there is no folder no/such for no/such/x.json"),
        (("--out", "x.csv", "--snippet", "x.csv"), "x.csv would be written twice"),
        (("--out", "x.json"), "x.json ends in none of"),
        (("--report",), "2 observed cells are too few for a report: it takes 10"),
        (("--round", "--scale", "none"), "can only be rounded to a scale with steps"),
        (("--hold-out", "0.9"), "leaves none to estimate from"),
    ],
)
def test_what_cannot_be_done_is_answered_by_one_sentence_and_nothing_is_written(run, tmp_path, argv, message):
    (tmp_path / "t.csv").write_bytes(b"a,b\n1,2\n")
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
def test_a_package_that_is_left_to_the_user_is_named_with_its_extra(run, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(impute, "check_names", fail)
    assert re.fullmatch(
        r"error: this needs (xlrd|pyarrow): pip install 'metamf\[tables\]'", failure(run("impute", "x.csv"))
    )


def test_another_package_that_is_missing_is_a_traceback(run, monkeypatch):
    def fail(*_):
        raise ModuleNotFoundError("No module named 'torhc'", name="torhc")

    monkeypatch.setattr(impute, "check_names", fail)
    with pytest.raises(ModuleNotFoundError, match="torhc"):
        run("impute", "x.csv")

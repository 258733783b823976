"""The parser: its help, its examples, and the name of the program."""

import re
import shlex

import pytest
from commands import in_an_empty_folder, run  # noqa: F401  fixtures

from metamf.cli.parser import COMMANDS, build_parser


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_shows_defaults_and_examples_that_parse(run, name):
    result = run(name, "--help")
    assert result.code == 0 and f"examples:\n  python -m metamf {name}" in result.out
    assert "SUPPRESS" not in result.out and "%%" not in result.out
    if name not in ("app", "benchmark", "download"):
        assert "(default: " in " ".join(result.out.split())  # wherever the line is broken
    assert max(map(len, result.out.split("examples:")[0].splitlines())) <= 80


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_every_example_parses(run, name):
    said = run(*filter(None, [name, "--help"])).out
    lines = said.partition("examples:\n")[2].partition("\n\n")[0].rstrip().splitlines()
    assert len(lines) >= 2 and all("-m metamf" in line for line in lines)
    for line in lines:
        words = shlex.split(re.split("[|>]", line.partition("-m metamf")[2])[0])
        if "--help" not in words:
            assert build_parser(words).parse_args(words).command == words[0]


@pytest.mark.parametrize(
    ("started_as", "name"),
    [("/usr/bin/metamf", "metamf"), ("metamf.exe", "metamf"), ("/some/metamf/__main__.py", "python -m metamf")],
)
def test_help_shows_the_name_by_which_the_program_was_started(run, monkeypatch, started_as, name):
    monkeypatch.setattr("sys.argv", [started_as])
    assert run("--help").out.startswith(f"usage: {name} [-h]")
    for said in (run("--help").out, run("impute", "--help").out):
        assert f"examples:\n  {name} impute ratings.csv --out filled.csv\n" in said

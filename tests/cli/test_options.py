"""The parser: its help, its examples, what options accept, and how mistakes are answered."""

import re
import shlex

import pytest
from commands import in_an_empty_folder, run  # noqa: F401  fixtures

import metamf
from metamf.cli import options
from metamf.cli.options import COMMANDS, build_parser


def test_help_lists_commands_and_version_is_printed(run):
    said = run("--help").out
    assert all(f"    {name} " in said for name in COMMANDS)
    assert run("--version").out == f"metamf {metamf.__version__}\n"


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_of_a_command_shows_defaults_and_examples_that_parse(run, name):
    said = run(*filter(None, [name, "--help"])).out
    assert "SUPPRESS" not in said and "%%" not in said
    if name in ("train", "impute", "evaluate"):
        assert "(default: " in " ".join(said.split())
    lines = said.partition("examples:\n")[2].partition("\n\n")[0].rstrip().splitlines()
    assert len(lines) >= 2 and all("-m metamf" in line for line in lines)
    for line in lines:
        words = shlex.split(re.split("[|>]", line.partition("-m metamf")[2])[0])
        if "--help" not in words:
            assert build_parser(words).parse_args(words).command == words[0]


@pytest.mark.parametrize(
    ("started_as", "name"),
    [("metamf.exe", "metamf"), ("/some/metamf/__main__.py", "python -m metamf")],
)
def test_help_shows_the_name_by_which_the_program_was_started(run, monkeypatch, started_as, name):
    monkeypatch.setattr("sys.argv", [started_as])
    said = run("impute", "--help").out
    assert said.startswith(f"usage: {name} impute [-h]")
    assert f"examples:\n  {name} impute ratings.csv --out filled.csv\n" in said


def test_presets_and_drawn_data_that_options_offer_are_those_of_the_registries():
    from metamf.datasets.archives import DRAWN
    from metamf.recipes.drawn import RECIPES
    from metamf.recipes.presets import PRESETS

    assert [*PRESETS, options.UNIVERSAL] == list(options.PRESETS)
    assert set(DRAWN) == set(RECIPES)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "required: COMMAND"),
        (("fill",), "invalid choice: 'fill'"),
        (("download", "netflix"), "invalid choice: 'netflix'"),
        (("impute",), "required: IN"),
        (("impute", "x.csv", "--steps", "-1"), "'-1' is not a whole number of at least 0"),
        (("impute", "x.csv", "--interval", "90"), "'90' is not a level between 0.01 and 0.99"),
        (("impute", "x.csv", "--interval", "wide"), "'wide' is not a level between 0.01 and 0.99"),
        (("impute", "x.csv", "--hold-out", "10"), "'10' is not a share of at least 0 and less"),
        (("impute", "x.csv", "--tune", "2.5"), "'2.5' is not a whole number of at least 1, nor"),
        (("impute", "x.csv", "--device", "abacus"), "the device 'abacus' is not available here"),
        (("train",), "required: --data"),
        (("train", "--epochs", "0"), "'0' is not a whole number of at least 1"),
        (("train", "--data", "ml-100k", "--out", "x.pt"), "'x.pt' does not end in .safetensors"),
        (("train", "--data", "ml-100k", "--resume", "--fresh"), "not allowed with argument"),
        (("benchmark", "nothing"), "invalid choice: 'nothing'"),
    ],
)
def test_wrong_usage_is_answered_by_usage_one_line_and_exit_code_2(run, argv, message):
    result = run(*argv)
    assert result.code == 2 and result.out == ""
    assert result.said.startswith("usage: python -m metamf")
    assert message in result.said.splitlines()[-1]

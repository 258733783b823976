"""The parser: its help, its examples, what options accept, and how mistakes are answered."""

import argparse
import re
import shlex

import pytest
from commands import in_an_empty_folder, run  # noqa: F401  fixtures

import metamf
from metamf.cli import options
from metamf.cli.impute import error_sentence
from metamf.cli.options import COMMANDS, build_parser
from metamf.tables import Answer, ReadOptions, TableError
from metamf.tables.limits import COMMAND_LINE, Doubt, in_doubt


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
    [("/usr/bin/metamf", "metamf"), ("metamf.exe", "metamf"), ("/some/metamf/__main__.py", "python -m metamf")],
)
def test_help_shows_the_name_by_which_the_program_was_started(run, monkeypatch, started_as, name):
    monkeypatch.setattr("sys.argv", [started_as])
    assert run("--help").out.startswith(f"usage: {name} [-h]")
    assert f"examples:\n  {name} impute ratings.csv --out filled.csv\n" in run("impute", "--help").out


def test_the_names_that_options_offer_are_those_of_the_registries():
    from metamf.answer.methods import REFERENCES
    from metamf.baselines import METHODS
    from metamf.recipes.presets import PRESETS

    assert tuple(METHODS) == options.METHODS and tuple(REFERENCES) == options.REFERENCES
    assert [*PRESETS, options.UNIVERSAL] == list(options.PRESETS)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "required: COMMAND"),
        (("fill",), "invalid choice: 'fill'"),
        (("download", "netflix"), "invalid choice: 'netflix'"),
        (("impute",), "required: IN"),
        (("impute", "x.csv", "--steps", "-1"), "'-1' is not a whole number of at least 0"),
        (("impute", "x.csv", "--interval", "90"), "'90' is not a level between 0.01 and 0.99, such as 0.9"),
        (("impute", "x.csv", "--interval", "wide"), "'wide' is not a level between 0.01 and 0.99"),
        (("impute", "x.csv", "--scale", "5:1"), "'5:1' is not a scale such as 1:5 or 0.5:5:0.5"),
        (("impute", "x.csv", "--scale", "1:5:1:2"), "'1:5:1:2' is not a scale"),
        (("impute", "x.csv", "--hold-out", "10"), "'10' is not a share of at least 0 and less than 1"),
        (("impute", "x.csv", "--tune", "2.5"), "'2.5' is not a whole number of at least 1, nor 'auto'"),
        (("impute", "x.csv", "--tune-seconds", "inf"), "'inf' is not a positive number of seconds"),
        (("impute", "x.csv", "--delimiter", "x"), "'x' is not one of comma, semicolon, tab"),
        (("impute", "x.csv", "--words", "good<good"), "not a scale of different words"),
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


def read_options(*words):
    parser = argparse.ArgumentParser(exit_on_error=False)
    options.add_reading(parser)
    return options.read_options(parser.parse_args(words))


def test_without_options_a_table_is_detected():
    assert read_options() == ReadOptions(limits=COMMAND_LINE)
    assert ReadOptions().limits.bytes < COMMAND_LINE.bytes  # larger tables than on the page


def test_signs_have_names_columns_count_from_1_and_words_an_order():
    found = read_options(
        *("--delimiter", "\\t", "--thousands", "point", "--no-header", "--columns", "1", "film", "3"),
        *(
            "--leave-alone",
            "Age",
            "--leave-alone",
            "2",
            "--describes",
            "4",
            "--describes",
            "class",
            "--leave-rows",
            "9",
            "--words",
            "bad < fair<good",
        ),
    )
    assert (found.delimiter, found.thousands, found.header) == ("\t", ".", False)
    assert (found.row_column, found.column_column, found.value_column) == (0, "film", 2)
    assert found.describes == (3, "class")
    assert (found.leave_alone, found.leave_rows, found.words) == (("Age", 1), (9,), (("bad", "fair", "good"),))


def test_a_question_of_the_reader_comes_with_the_option_that_answers_it():
    answers = Answer("the header ends there", "header_lines", (2,)), Answer("", "missing_markers", ("-99",))
    units = Doubt((), (), "line 2 holds units", answers)
    text = Doubt((1,), ("a",), "a cell holds a text", (Answer("", "missing_markers", ("n/a?",)),))
    said = "line 2 holds units: say --header-lines 2 (the header ends there), or --missing=-99"
    assert error_sentence(in_doubt(units, text)) == f"{said}; and a cell holds a text: say --missing 'n/a?'"
    assert error_sentence(TableError("there is no cell")) == "there is no cell"

"""The command that fills in a table again: the command line reads from it what it was made of."""

import shlex

import pytest

from metamf.answer.command import impute_command
from metamf.answer.filling import FillSettings
from metamf.answer.methods import method
from metamf.cli.options import build_parser, read_options
from metamf.ratings.scale import RatingScale
from metamf.tables import COMMAND_LINE, ReadOptions

READINGS = {
    "nothing": ReadOptions(limits=COMMAND_LINE),
    "wide": ReadOptions(
        form="wide",
        delimiter=";",
        decimal=",",
        thousands=".",
        encoding="utf-8",
        header_lines=2,
        row_labels=False,
        missing_markers=("99", "-1"),
        zero_is_missing=True,
        duplicates="mean",
        names=(0,),
        ratings=("all-numbers", 3),
        describes=("an age", 1),
        leave_alone=("-x",),
        leave_rows=(7,),
        keep_rows=("sum",),
        words=(("Disagree", "Agree"),),
        limits=COMMAND_LINE,
    ),
    "long": ReadOptions(row_column=(0, 1), column_column="item; $(x)", value_column=3, limits=COMMAND_LINE),
}


def parsed(command):
    python, dash, metamf, *argv = shlex.split(command)
    assert (python, dash, metamf) == ("python", "-m", "metamf")
    return build_parser(argv).parse_args(argv)


@pytest.mark.parametrize("reading", READINGS)
def test_the_command_line_reads_the_options_that_went_in(reading):
    options = READINGS[reading]
    name = "-it's $(a) file.csv"
    arguments = parsed(impute_command(name, options, method("universal"), FillSettings(), out="again.csv"))
    assert read_options(arguments) == options
    assert (arguments.input, arguments.out, arguments.model) == (f"./{name}", "again.csv", "universal")


def test_the_command_line_reads_the_method_the_scale_and_the_settings_that_went_in():
    settings = FillSettings(clip=False, round_to_scale=True, hold_out=0.1, seed=4, outside="hide")
    how = method("ml-1m", steps=3)
    arguments = parsed(impute_command("a.csv", READINGS["nothing"], how, settings, RatingScale(-10, 10, 0.5)))
    assert (arguments.model, arguments.steps, arguments.scale) == ("ml-1m", 3, RatingScale(-10, 10, 0.5))
    assert arguments.no_clip and arguments.round
    assert (arguments.hold_out, arguments.seed, arguments.outside) == (0.1, 4, "hide")
    assert parsed(impute_command("a.csv", READINGS["nothing"], how, settings, None)).scale is None
    assert parsed(impute_command("a.csv", READINGS["nothing"], how, settings)).scale == "found"

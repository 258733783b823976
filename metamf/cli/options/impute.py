"""The options of impute."""

from __future__ import annotations

import argparse

from metamf.checkpoints.bundled import list_pretrained
from metamf.cli.arguments import add_device, level, scale, seconds, share, tuning, whole_number
from metamf.cli.choices import METHODS, REFERENCES
from metamf.cli.parser import explain
from metamf.cli.reading import add_reading

STREAM = "-"
FORMATS = {"csv": (".csv", ".tsv", ".txt", ""), "xlsx": (".xlsx",), "parquet": (".parquet", ".pq"), "svg": (".svg",)}
EXAMPLES = """\
  {metamf} impute ratings.csv --out filled.csv
  {metamf} impute ratings.xlsx --out filled.xlsx --missing 99 --missing n/a
  {metamf} impute log.tsv --form long --duplicates last --long --out filled.csv
  {metamf} impute form.csv --leave-alone Age --words "Disagree<Neutral<Agree" --out filled.csv
  {metamf} impute ratings.csv --interval 0.9 --long --out filled.csv
  {metamf} impute ratings.csv --scale=-10:10:0.5 --round --out filled.csv
  {metamf} impute ratings.csv --report --manifest made.json --snippet again.py --out filled.csv
  cat ratings.csv | {metamf} impute - --quiet --format xlsx > filled.xlsx"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Gives the parser of the command its description, options and examples."""
    explain(
        parser,
        "Fills in the missing cells of a rating table: CSV in any dialect, Excel or NumPy, one line per row of the "
        "matrix (wide) or one line per rating (long). What is not said is guessed, and what was understood is "
        "reported. Observed cells are written as they were read.\n\n"
        "Exit codes: 0 done; 1 failed; 2 wrong usage; 3 the table cannot be read as it is: the line that begins with "
        "'error:' says which cell or option to change; 130 stopped by Ctrl-C. Only the filled table is written to the "
        "standard output, everything else to the standard error; files appear whole or not at all.",
        EXAMPLES,
    )
    parser.add_argument("input", metavar="IN", help="the table; - reads the standard input")
    parser.add_argument(
        "--out", default=STREAM, help=".csv, .xlsx, .parquet or, as a picture, .svg; - is the standard output"
    )
    parser.add_argument(
        "--format", choices=FORMATS, help="format of the filled table (default: by the name of --out, or csv)"
    )
    parser.add_argument(
        "--long",
        action="store_true",
        help="CSV with one line per cell: row, column, value, "
        "provenance (observed, held out, imputed, clipped), estimate, interval, method",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")
    _add_method(parser.add_argument_group("method"))
    _add_trust(parser.add_argument_group("how good it is, and how to repeat it"))
    add_reading(parser)


def _add_method(group: argparse._ArgumentGroup) -> None:
    others = ", ".join([*(key for key in METHODS if key != "ours"), *REFERENCES])
    group.add_argument(
        "--model",
        "--method",
        default="universal",
        metavar="METHOD",
        help=f"a bundled checkpoint ({', '.join(list_pretrained())}; all but universal are the paper's "
        f"model), a safetensors file, or another method ({others})",
    )
    group.add_argument(
        "--interval",
        type=level,
        metavar="LEVEL",
        help="adds lower and upper ends between which this share of the missing ratings should lie, "
        "such as 0.9; written where there is room for them: with --long, in Excel and Parquet",
    )
    group.add_argument(
        "--scale",
        type=scale,
        default="found",
        metavar="LOW:HIGH[:STEP]",
        help="the rating scale; none for no limits, found for the one that the ratings show; "
        "write --scale=-10:10 where it begins with a minus",
    )
    group.add_argument(
        "--outside",
        choices=("error", "nearest", "hide"),
        default="error",
        help="treatment of an observed rating outside the rating scale: an error, or the method is given the "
        "nearest end of the scale, or it is hidden from the method; it is written as it was read",
    )
    group.add_argument(
        "--no-clip",
        action="store_true",
        help="let estimates leave the rating scale, or the range of their column where columns have units of their own",
    )
    group.add_argument("--round", action="store_true", help="round estimates to the steps of the rating scale")
    group.add_argument(
        "--hold-out",
        type=share,
        default=0.0,
        metavar="SHARE",
        help="hide this share of the observed cells from the method; they are written as they were "
        "read, called held out, with an estimate beside them",
    )
    group.add_argument("--seed", type=whole_number(0), default=0, help="seed by which the hidden cells are drawn")
    group.add_argument(
        "--steps", type=whole_number(0), help="number of sweeps or MAP steps (default: the checkpoint's)"
    )
    group.add_argument(
        "--step-rule", choices=("auto", "paper", "safe"), default="auto", help="how the paper's MAP steps are bounded"
    )
    group.add_argument(
        "--standardize",
        choices=("auto", "checkpoint", "matrix", "columns", "rows", "chosen"),
        metavar="UNITS",
        default="auto",
        help="whose mean and spread the ratings are measured in: checkpoint, matrix, columns, rows; chosen: the "
        "table's own cells decide between the last three; auto: they do where no rating scale is known (default: auto)",
    )
    group.add_argument(
        "--tune",
        type=tuning,
        metavar="STEPS",
        help="move the network a little for this table, by that number of steps, or auto for as many as help",
    )
    group.add_argument(
        "--tune-seconds", type=seconds, default=60.0, metavar="SECONDS", help="time limit of --tune (default: 60)"
    )
    group.add_argument(
        "--members",
        choices=("normal", "trees"),
        help="methods beside the network, weighed by the table's own cells: a normal distribution over the columns, in "
        "a table of at most 256 columns, or this and trees",
    )
    add_device(group)


def _add_trust(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--report",
        action="store_true",
        help="hide a tenth of the observed cells again and again, "
        "let all methods estimate them, and say which one to use",
    )
    group.add_argument("--report-json", metavar="FILE", help="the figures of --report, which it implies, as JSON")
    group.add_argument(
        "--repeats",
        type=whole_number(1),
        help="how often --report hides cells (default: 20, or 5 for a table of many observed cells)",
    )
    group.add_argument("--manifest", metavar="FILE", help="digest of the input, versions, settings, counts, as JSON")
    group.add_argument("--snippet", metavar="FILE", help="a Python program that makes the same file again")

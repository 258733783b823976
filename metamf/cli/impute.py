"""python -m metamf impute: a table of ratings in any form, filled in, in the same form."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import numpy as np

from metamf.checkpoints import find_checkpoint, list_pretrained
from metamf.cli.console import add_device, say, subcommand, whole_number
from metamf.imputation import Imputation
from metamf.imputer import MetaMFImputer
from metamf.tables import COMMAND_LINE, DELIMITERS, ENCODINGS, ReadOptions, Table, read_table, write

STREAM = "-"
DELIMITER_NAMES = {name.replace(" ", "-"): sign for sign, name in DELIMITERS.items()} | {"\\t": "\t"}
EXAMPLES = """\
  python -m metamf impute ratings.csv --out filled.csv
  python -m metamf impute ratings.xlsx --out filled.xlsx --missing 99 --missing n/a
  python -m metamf impute log.tsv --form long --duplicates last --long --out filled.csv
  python -m metamf impute ratings.csv --interval 0.9 --long --out filled.csv
  cat ratings.csv | python -m metamf impute - --quiet > filled.csv"""


def add_to(subparsers) -> None:
    parser = subcommand(
        subparsers,
        "impute",
        help="fill in a table of ratings",
        description="Fills in the missing cells of a rating table: CSV in any dialect, Excel or NumPy, one line per "
        "row of the matrix (wide) or one line per rating (long). What is not said is guessed, and what was understood "
        "is reported. Observed cells are written as they were read.",
        examples=EXAMPLES,
    )
    parser.add_argument("input", metavar="IN", help="the table; - reads the standard input")
    parser.add_argument("--out", default=STREAM, help=".csv, .xlsx or .parquet; - writes CSV to the standard output")
    parser.add_argument("--long", action="store_true", help="one line per cell: row, column, value, provenance, ...")
    parser.add_argument("-q", "--quiet", action="store_true", help="do not report what was understood")

    model = parser.add_argument_group("model")
    names = ", ".join(list_pretrained())
    model.add_argument("--model", default="universal",
                       help=f"a bundled checkpoint ({names}; all but universal are the paper's model) or a safetensors "
                       "file")  # fmt: skip
    model.add_argument("--steps", type=whole_number(0), help="sweeps or MAP steps (default: the checkpoint's)")
    model.add_argument("--step-rule", choices=("auto", "paper", "safe"), default="auto",
                       help="how the paper's MAP steps are bounded")  # fmt: skip
    model.add_argument("--standardize", choices=("auto", "checkpoint", "matrix"), default="auto",
                       help="whose mean and spread the ratings are measured in")  # fmt: skip
    model.add_argument("--interval", type=level, metavar="LEVEL",
                       help="adds lower and upper ends between which this share of the missing ratings should lie, "
                       "such as 0.9, where there is room for them: with --long, in Excel and Parquet")  # fmt: skip
    model.add_argument("--no-clip", action="store_true", help="let estimates leave the rating scale")
    add_device(model)

    table = parser.add_argument_group("table (what is not given is guessed)")
    table.add_argument(
        "--form", choices=("auto", "wide", "long"), default="auto", help="one line per row, or per rating"
    )
    table.add_argument("--delimiter", type=delimiter, help=f"a sign, or {', '.join(DELIMITER_NAMES)}")
    table.add_argument("--decimal", choices=(".", ","), help="the decimal sign")
    table.add_argument("--encoding", choices=ENCODINGS, metavar="CODEC", help="such as utf-8 or cp1252")
    table.add_argument(
        "--header", action=argparse.BooleanOptionalAction, default="auto", help="the first line has names"
    )
    table.add_argument("--row-labels", action=argparse.BooleanOptionalAction, default="auto",
                       help="the first column of a wide table has names")  # fmt: skip
    table.add_argument("--columns", nargs=3, metavar=("ROW", "COLUMN", "VALUE"), help="names of a long table's columns")
    table.add_argument("--sheet", help="the sheet of a workbook (default: the first)")
    table.add_argument("--missing", action="append", metavar="MARKER",
                       help="a text or number that means missing; may be repeated")  # fmt: skip
    table.add_argument("--zero-is-missing", action="store_true", help="0 means missing; otherwise it is a rating")
    table.add_argument("--duplicates", choices=("refuse", "mean", "last", "first"), default="refuse",
                       help="what to do with a cell that is given more than once")  # fmt: skip
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    tell = (lambda message: None) if arguments.quiet else say
    check_names(arguments)
    content = sys.stdin.buffer.read() if arguments.input == STREAM else Path(arguments.input).read_bytes()
    table = read_table(content, arguments.input, read_options(arguments))
    for line in table.report.sentences():
        tell(line)
    imputer = MetaMFImputer(
        arguments.model,
        standardize=arguments.standardize,
        steps=arguments.steps,
        step_rule=arguments.step_rule,
        clip=not arguments.no_clip,
        device=arguments.device,
    )
    result = imputer.impute(table.ratings, interval=arguments.interval)
    tell(summary(result))
    filled = to_filled(table, result)
    if arguments.out == STREAM:
        sys.stdout.buffer.write(to_bytes(filled, "", arguments.long))
        sys.stdout.buffer.flush()
    else:
        write.write_atomically(arguments.out, to_bytes(filled, Path(arguments.out).suffix, arguments.long))
        tell(f"Written to {arguments.out}.")
    return 0


def check_names(arguments: argparse.Namespace) -> None:
    """Tells of a wrong name before a long table is read and filled in, and of intervals that would be lost."""
    find_checkpoint(arguments.model)
    if arguments.interval is not None and not (arguments.long or Path(arguments.out).suffix in (".xlsx", ".parquet")):
        raise ValueError("a wide CSV has no room for the ends of --interval: add --long, or write .xlsx or .parquet")
    folder = Path(arguments.out).parent
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder} for {arguments.out}: make it, or choose another one")


def read_options(arguments: argparse.Namespace) -> ReadOptions:
    row, column, value = arguments.columns or (None, None, None)
    return ReadOptions(
        form=arguments.form,
        delimiter=arguments.delimiter,
        decimal=arguments.decimal,
        encoding=arguments.encoding,
        header=arguments.header,
        row_labels=arguments.row_labels,
        row_column=row,
        column_column=column,
        value_column=value,
        missing_markers=tuple(arguments.missing or ()),
        zero_is_missing=arguments.zero_is_missing,
        duplicates=arguments.duplicates,
        sheet=arguments.sheet,
        limits=COMMAND_LINE,
    )


def level(text: str) -> float:
    """The level of an interval, as a share."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.01 <= value <= 0.99:
        raise argparse.ArgumentTypeError(f"{text!r} is no level between 0.01 and 0.99, such as 0.9")
    return value


def delimiter(text: str) -> str:
    """A delimiter by its sign or by its name."""
    sign = DELIMITER_NAMES.get(text, text)
    if sign not in DELIMITERS:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(DELIMITER_NAMES)}")
    return sign


def summary(result: Imputation) -> str:
    missing = result.mean.size - result.ratings.nnz
    text = f"{result.checkpoint} filled in {missing:,} cells in {rounds(result)}"
    if result.scale is None:
        return text + "; no limits were put on the estimates."
    clipped = int(result.clipped.sum())
    return text + f"; {clipped:,} were clipped to {result.scale.minimum:g} ... {result.scale.maximum:g}."


def rounds(result: Imputation) -> str:
    T = result.trajectory.T
    what = "sweep" if result.step_rule == "exact" else f"{result.step_rule} step"
    return f"{T} {what}{'' if T == 1 else 's'}"


def to_filled(table: Table, result: Imputation) -> write.Filled:
    provenance = np.where(result.clipped, write.CLIPPED, write.IMPUTED).astype(np.uint8)
    provenance[table.ratings.rows, table.ratings.cols] = write.OBSERVED
    interval = {"lower": result.lower, "upper": result.upper, "level": result.level}
    return write.Filled(table, result.mean, **interval, provenance=provenance, method=f"metamf {result.checkpoint}")


def to_bytes(filled: write.Filled, suffix: str, long: bool) -> bytes:
    if suffix == ".xlsx":
        return write.to_excel(filled)
    if suffix == ".parquet":
        return write.to_parquet(filled)
    return write.to_csv_long(filled) if long else write.to_csv_wide(filled)

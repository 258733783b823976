"""The parser: every command with its options, and the types of their values. Imports no torch: --help is fast."""

from __future__ import annotations

import argparse
import math
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from metamf.checkpoints.bundled import list_pretrained
from metamf.cli.commands import benchmarks, list_benchmarks
from metamf.datasets.archives import DRAWN, FEATURES, NAMES
from metamf.ratings.scale import RatingScale
from metamf.tables.limits import COMMAND_LINE
from metamf.tables.options import DELIMITERS, ENCODINGS, ReadOptions
from metamf.version import __version__

# Names that options offer. The registries need torch, so the names are repeated here; a test compares them.
METHODS = (
    *("ours", "eml", "ft", "maml", "autorec_i", "autorec_u", "dmf", "mf", "mean", "crossed_effects", "damped_bias"),
    *("knn", "iterative", "soft_impute", "als", "normal"),
)
REFERENCES = ("row_means", "col_means")
UNIVERSAL = "universal"
PRESETS = {
    "paper": "the paper's settings: Adam, 1e-4, 1,000 epochs (of 16 updates), early stopping",
    "tuned": "1e-3 with cosine decay, 2,000 updates, a learned step size, averaged parameters, no dropout",
    "last": "as tuned, but the parameters of the last epoch, whatever the meta-validation blocks show",
    "nmf": "as tuned, with eight factors without minus signs, fitted by multiplicative steps",
    UNIVERSAL: "the extended model, on matrices of every size from one data set or several",
}
STREAM = "-"
FORMATS = {"csv": (".csv", ".tsv", ".txt", ""), "xlsx": (".xlsx",), "parquet": (".parquet", ".pq")}
DELIMITER_NAMES = {name.replace(" ", "-"): sign for sign, name in DELIMITERS.items()} | {"\\t": "\t"}
DEVICES = "where to compute: cpu, cuda, cuda:1, ..."
# The defaults of the options that only checkpoints take.
CHECKPOINT_SETTINGS: dict[str, Any] = {"steps": None, "step_rule": "auto", "standardize": "auto", "device": "cpu"}
CHECKPOINT_SETTINGS |= {"tune": None, "tune_seconds": 60.0, "members": "auto"}
HELP: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("help.toml").read_text("utf-8"))
THOUSANDS = {"none": "", "point": ".", "comma": ",", "space": " ", "apostrophe": "'"}


def build_parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """The parser for the words ``argv``. Only the command among them gets its options."""
    parser = argparse.ArgumentParser(
        prog="metamf" if Path(sys.argv[0]).stem == "metamf" else "python -m metamf",  # as it was started
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _explain(parser, "metamf")
    parser.epilog = (
        f"{parser.epilog}\n\n'%(prog)s COMMAND --help' explains a command.\n"
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C."
    )
    parser.add_argument("-V", "--version", action="version", version=f"metamf {__version__}")
    parser.set_defaults(command_line=(*parser.prog.split(), *argv))
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    chosen = next((word for word in argv if not word.startswith("-")), None)  # no option before it takes a value
    for name, describe in COMMANDS.items():
        command = subparsers.add_parser(name, help=HELP[name]["summary"], formatter_class=_HelpFormatter)
        if name == chosen:
            describe(command)
    return parser


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Shows the default of options that have one."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        default = action.default
        if not action.option_strings or default in (None, False, argparse.SUPPRESS, []):
            return action.help
        return f"{action.help} (default: {','.join(default) if isinstance(default, list | tuple) else default})"


def _explain(parser: argparse.ArgumentParser, name: str, more: str = "") -> None:
    """Sets the description of a command, with ``more`` behind it, and its examples."""
    lines = (HELP[name]["description"] + more).split("\n")
    filled = [textwrap.fill(line, 79, subsequent_indent="    " if line.startswith("  ") else "") for line in lines]
    parser.description = "\n".join(filled)
    parser.epilog = "\n".join(["examples:", *(f"  %(prog)s {words}".rstrip() for words in HELP[name]["examples"])])


# -- types of values --------------------------------------------------------------------------------------------------


def device(text: str) -> str:
    """A device on which this machine can hold tensors."""
    import torch  # not for --help

    try:
        torch.empty(0, device=text)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise argparse.ArgumentTypeError(f"the device {text!r} is not available here") from error
    return text


def checked(kind: Callable[[str], Any], accepts: Callable[[Any], bool], what: str) -> Callable[[str], Any]:
    """The type of a value that ``kind`` makes of a text and ``accepts`` takes; ``what`` describes it in the error."""

    def parse(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not accepts(value):
            raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
        return value

    return parse


def whole_number(minimum: int) -> Callable[[str], int]:
    """The type of an integer of at least ``minimum``."""
    return checked(int, lambda value: value >= minimum, f"a whole number of at least {minimum}")


level = checked(float, lambda value: 0.01 <= value <= 0.99, "a level between 0.01 and 0.99, such as 0.9")
seconds = checked(float, lambda value: 0 < value < math.inf, "a positive number of seconds")
share = checked(float, lambda value: 0 <= value < 1, "a share of at least 0 and less than 1, such as 0.1")
number = checked(float, math.isfinite, "a number, such as -0.5")
delimiter = checked(  # by its sign or by its name
    lambda text: DELIMITER_NAMES.get(text, text), DELIMITERS.__contains__, f"one of {', '.join(DELIMITER_NAMES)}"
)
scale_of_words = checked(  # words that stand for ratings, the lowest first, with < between them
    lambda text: tuple(word.strip() for word in text.split("<" if "<" in text else ",")),
    lambda words: all(words) and len(set(words)) == len(words) > 1,
    "a scale of different words such as 'Disagree<Neutral<Agree'",
)


def tuning(text: str) -> int | str:
    """How long a network is tuned: a number of steps, or 'auto'."""
    return text if text == "auto" else checked(int, lambda n: n >= 1, "a whole number of at least 1, nor 'auto'")(text)


def scale(text: str) -> RatingScale | str | None:
    """A rating scale by its ends and its step; 'found' for the scale that the ratings show; None for no limits."""
    if text in ("found", "none"):
        return None if text == "none" else text
    try:
        return RatingScale(*map(float, text.split(":")))
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a scale such as 1:5 or 0.5:5:0.5 ({error})") from error


def safetensors_path(text: str) -> Path:
    """A path that ends in .safetensors."""
    if not text.endswith(".safetensors"):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .safetensors")
    return Path(text)


def names_of(noun: str, known: Sequence[str]) -> Callable[[str], list[str]]:
    """The type of different names of ``known``, separated by commas; ``noun`` is what each of them names."""

    def parse(text: str) -> list[str]:
        names = list(dict.fromkeys(name.strip() for name in text.split(",")))
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {noun} {name!r}; choose from {', '.join(known)}")
        return names

    return parse


def column(text: str) -> str | int:
    """A column by its name, or by its number, which users count from 1 and the reader from 0."""
    return int(text) - 1 if text.isdecimal() and int(text) else text


def row(text: str) -> str | int:
    """A row by its name, or by the line of the file, counted from 1."""
    return int(text) if text.isdecimal() and int(text) else text


# -- commands ---------------------------------------------------------------------------------------------------------


def _app(parser: argparse.ArgumentParser) -> None:
    _explain(parser, "app")
    parser.add_argument("--port", type=whole_number(1), help="the app's port (default: the first that is free)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")


def _download(parser: argparse.ArgumentParser) -> None:
    _explain(parser, "download")
    _add_data(parser, "names")


def _add_data(
    parser: argparse.ArgumentParser, name: str, more: str = "", names: Sequence[str] = NAMES, **how: Any
) -> None:
    """Adds the option of data sets, and of the folder that has them."""
    parser.add_argument(
        name, nargs="+", choices=names, metavar="NAME", help=f"data sets: {', '.join(names)}{more}", **how
    )
    parser.add_argument(
        "--folder",
        type=Path,
        help="folder of the archives (default: METAMF_DATA if that is set, otherwise the user's cache folder)",
    )


def _add_meta_training(parser: argparse.ArgumentParser, presets: Iterable[str]) -> None:
    """Adds the options that train and evaluate share."""
    add = parser.add_argument
    add("--preset", choices=presets, default="tuned", help="settings of model and training")
    add("--epochs", type=whole_number(1), help="number of epochs of meta-training, instead of the preset's")
    add("--seed", type=whole_number(0), default=0, help="seed of initial parameters, episodes and dropout")
    add("--device", type=device, default="cpu", help=DEVICES)
    features = (
        f"what the paper's model is told of the films of ml-100k or ml-1m in addition to ratings: {', '.join(FEATURES)}"
    )
    add("--features", type=names_of("feature", FEATURES), default=[], metavar="A,B", help=features)


def _train(parser: argparse.ArgumentParser) -> None:
    presets = "\n".join(f"  {name}: {description}" for name, description in PRESETS.items())
    _explain(parser, "train", f"\n{presets}")
    more = "; preset universal takes several; the last three, which are drawn afresh, have presets of their own"
    _add_data(parser, "--data", more, (*NAMES, *DRAWN), required=True)
    _add_meta_training(parser, PRESETS)
    add = parser.add_argument
    add("--split", type=whole_number(0), default=0, metavar="SEED", help="seed of the split")
    add(
        "--out",
        type=safetensors_path,
        metavar="FILE",
        help="the checkpoint (default: DATA.safetensors, universal.safetensors)",
    )
    add("--log", type=Path, metavar="FILE.csv", help="a table of the errors of each epoch")
    add = parser.add_mutually_exclusive_group().add_argument
    add("--resume", action="store_true", help="fail unless there is a stopped run to continue")
    add("--fresh", action="store_true", help="start over, even if a stopped run could continue")


def _evaluate(parser: argparse.ArgumentParser) -> None:
    _explain(parser, "evaluate")
    _add_data(parser, "--data", default=["ml-100k"])
    _add_meta_training(parser, [preset for preset in PRESETS if preset != UNIVERSAL])
    add = parser.add_argument
    methods = f"methods to compare: {', '.join(METHODS)}"
    add("--methods", type=names_of("method", METHODS), default=["ours", "eml", "mean"], metavar="A,B,...", help=methods)
    add("--splits", type=whole_number(1), default=10, metavar="N", help="use the splits 0 to N - 1")
    add("--blocks", type=whole_number(1), default=200, metavar="N", help="held-out blocks per split")
    add("--tune", action="store_true", help="choose settings of other methods on meta-validation blocks (slow)")
    add("--out", type=Path, metavar="FILE.csv", help="a table with one line per data set, split and method")


def _benchmark(parser: argparse.ArgumentParser) -> None:
    _explain(parser, "benchmark", f"\n{list_benchmarks()}")
    found = benchmarks()  # none where the package is installed
    parser.add_argument("name", nargs="?", choices=found or None, metavar="NAME", help="the script")
    parser.add_argument("options", nargs=argparse.REMAINDER, metavar="...", help="options of the script")


def _impute(parser: argparse.ArgumentParser) -> None:
    _explain(parser, "impute")
    add = parser.add_argument
    cell = "row, column, value, provenance (observed, held out, imputed, clipped), estimate"
    add("input", metavar="IN", help="the table; - reads the standard input")
    add("--out", default=STREAM, help=".csv, .xlsx or .parquet; - is the standard output")
    add("--format", choices=FORMATS, help="format of the filled table (default: by the name of --out, or csv)")
    add("--long", action="store_true", help=f"CSV with one line per cell: {cell}, interval, method")
    add("-q", "--quiet", action="store_true", help="print nothing but errors")

    add = parser.add_argument_group("method").add_argument
    others = ", ".join([*(key for key in METHODS if key != "ours"), *REFERENCES])
    add(
        "--model",
        "--method",
        default="universal",
        metavar="METHOD",
        help=f"a bundled checkpoint ({', '.join(list_pretrained())}; all but universal have the paper's network), a "
        f"safetensors file, or another method ({others})",
    )
    add(
        "--interval",
        type=level,
        metavar="LEVEL",
        help="adds the ends between which this share of missing ratings should lie; written with --long, in Excel "
        "and in Parquet",
    )
    add(
        "--scale",
        type=scale,
        default="found",
        metavar="LOW:HIGH[:STEP]",
        help="the rating scale; none: unknown; found: the one the ratings show; --scale=-10:10 if it begins with "
        "a minus",
    )
    add(
        "--outside",
        choices=("error", "nearest", "hide"),
        default="error",
        help="an observed rating outside the rating scale is an error, given to the method as the nearest end of the "
        "scale, or hidden from it; it is always written as it was read",
    )
    add(
        "--no-clip",
        action="store_true",
        help="let estimates leave the rating scale, or the range of what was observed where none is known",
    )
    add("--round", action="store_true", help="round estimates to the steps of the rating scale")
    add(
        "--hold-out",
        type=share,
        default=0.0,
        metavar="SHARE",
        help="hide this share of the observed cells from the method, and write its estimates next to them",
    )
    add("--seed", type=whole_number(0), default=0, help="seed of the choice of hidden cells")
    add("--steps", type=whole_number(0), help="number of sweeps or MAP steps (default: the checkpoint's)")
    add("--step-rule", choices=("auto", "paper", "safe"), help="how the paper's MAP steps are bounded")
    choices = ("auto", "checkpoint", "matrix", "columns", "rows")
    add(
        "--standardize",
        choices=choices,
        metavar="UNITS",
        help="whose mean and spread the ratings are measured in: checkpoint, matrix, columns, rows; auto: where no "
        "rating scale is known, the table's own cells decide between the last three",
    )
    add("--tune", type=tuning, metavar="STEPS", help="tune the network for this table: a number of steps, or auto")
    add("--tune-seconds", type=seconds, metavar="SECONDS", help="time limit of --tune")
    add(
        "--members",
        choices=("auto", "normal", "trees"),
        help="methods next to the network, weighed by the table's own cells: a normal distribution over at most 256 "
        "columns, regressions and a network trained on made-up tables, or these and trees; auto: as many as take under "
        "five seconds, where no rating scale is known",
    )
    add("--device", type=device, help=DEVICES)
    parser.set_defaults(**CHECKPOINT_SETTINGS)

    add(
        "--draws",
        type=whole_number(2),
        metavar="M",
        help="write this many filled-in tables that differ as the estimates are uncertain, for correlations, tests and "
        "regressions: below each other with a column imputation, or a sheet for each in Excel",
    )
    add(
        "--shift",
        type=number,
        default=0.0,
        metavar="SPREADS",
        help="take what is missing to lie this many spreads above what the model expects, or below it: --shift=-0.5",
    )

    add = parser.add_argument_group("how good it is, and how to repeat it").add_argument
    add(
        "--report",
        action="store_true",
        help="hide a tenth of the observed cells repeatedly, let all methods estimate them, and recommend one",
    )
    add("--report-json", metavar="FILE", help="the figures of --report, which it implies, as JSON")
    add(
        "--repeats",
        type=whole_number(1),
        help="how often --report hides cells (default: 20, or 5 for a table of many observed cells)",
    )
    add("--snippet", action="store_true", help="print the command with all that was stated, to repeat it")
    add_reading(parser)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Adds the options of reading a table."""
    add = parser.add_argument_group("table (what is not given is detected)").add_argument
    yes_no: dict[str, Any] = {"action": argparse.BooleanOptionalAction, "default": "auto"}
    add(
        "--form",
        choices=("auto", "wide", "long"),
        default="auto",
        help="wide: one line per row of the matrix; long: one line per rating",
    )
    add("--delimiter", type=delimiter, help=f"the sign between cells, or its name: {', '.join(DELIMITER_NAMES)}")
    add("--decimal", choices=(".", ",", ".,", ",."), help="the decimal sign, or both, the one to write first")
    add("--thousands", choices=THOUSANDS, help="the sign that separates thousands")
    add("--encoding", choices=ENCODINGS, metavar="CODEC", help="encoding of the text, such as utf-8 or cp1252")
    add("--header", **yes_no, help="whether the first line holds the names of the columns")
    add(
        "--header-lines",
        type=int,
        metavar="N",
        help="number of lines of the file above the data, with titles, names and units; 0: no header",
    )
    add("--row-labels", **yes_no, help="whether the first column of a wide table holds the names of the rows")
    add(
        "--columns",
        nargs=3,
        type=column,
        metavar=("ROW", "COLUMN", "VALUE"),
        help="columns of a long table, by name or by number from 1; several that name a row together: A+B",
    )
    for name, kind, what in (
        ("names", column, "holds the names of the rows"),
        ("ratings", column, "holds ratings, whatever it looks like; all-numbers: all but text, identifiers and totals"),
        ("describes", column, "describes the rows, by numbers or words, such as an age or a class"),
        ("leave-alone", column, "holds no ratings and is written as it was read, such as an age or a remark"),
        ("leave-rows", row, "holds no ratings, such as one of averages"),
        ("keep-rows", row, "holds ratings although it looks like a sum or an average of the others"),
    ):
        noun = kind.__name__
        help = f"a {noun} that {what}; by name or number from 1 (of a row: its line); may be repeated"
        add(f"--{name}", action="append", type=kind, default=[], metavar=noun.upper(), help=help)
    add(
        "--words",
        action="append",
        type=scale_of_words,
        default=[],
        metavar="A<B<C",
        help='words that stand for ratings, lowest first, as in "Disagree<Neutral<Agree" or "no<yes=yup"; repeatable',
    )
    add("--sheet", help="the sheet of a workbook (default: the first that looks like a table)")
    add(
        "--missing",
        action="append",
        dest="missing_markers",
        metavar="MARKER",
        default=[],
        help="a text or number that stands for a missing rating, or COLUMN=MARKER for one column; may be repeated",
    )
    add(
        "--number-in",
        action="append",
        metavar="TEXT",
        default=[],
        help="a text of which the number inside counts, such as '~4' or 'about 5'; may be repeated",
    )
    add("--zero-is-missing", action="store_true", help="0 means missing; otherwise it is a rating")
    add(
        "--duplicates",
        choices=("refuse", "mean", "last", "first"),
        default="refuse",
        help="what to do with a cell that is given more than once",
    )


def read_options(arguments: argparse.Namespace) -> ReadOptions:
    """The ``ReadOptions`` that these options mean."""
    given = {field.name: getattr(arguments, field.name) for field in fields(ReadOptions) if field.name in arguments}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    given["thousands"] = THOUSANDS.get(arguments.thousands)
    if arguments.columns is not None:
        row, given["column_column"], given["value_column"] = arguments.columns
        together = isinstance(row, str) and "+" in row  # several columns that name a row
        given["row_column"] = tuple(map(column, row.split("+"))) if together else row
    return ReadOptions(**given, limits=COMMAND_LINE)


COMMANDS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "app": _app,
    "download": _download,
    "train": _train,
    "impute": _impute,
    "evaluate": _evaluate,
    "benchmark": _benchmark,
}

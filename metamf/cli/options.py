"""The parser: every command with its options, and the types of their values. Imports no torch:
--help is fast."""

from __future__ import annotations

import argparse
import math
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from metamf.checkpoints.bundled import list_pretrained
from metamf.cli.commands import benchmarks, titles
from metamf.datasets.archives import DRAWN, FEATURES, NAMES
from metamf.version import __version__

# Imports of the presets need torch, so their names are repeated here; a test compares them.
UNIVERSAL = "universal"
PRESETS = {
    "paper": "the paper's settings: Adam, 1e-4, 1,000 epochs (of 16 updates), early stopping",
    "tuned": (
        "1e-3 with cosine decay, 2,000 updates, a learned step size, averaged parameters, no "
        "dropout"
    ),
    "last": (
        "as tuned, but the parameters of the last epoch, whatever the meta-validation blocks show"
    ),
    "nmf": "as tuned, with eight factors without minus signs, fitted by multiplicative steps",
    UNIVERSAL: "the extended model, on matrices of every size from one data set or several",
}
STREAM = "-"
DEVICES = "where to compute: cpu, cuda, cuda:1, ..."
# The defaults of the options that only checkpoints take.
CHECKPOINT_SETTINGS: dict[str, Any] = {
    "steps": None,
    "standardize": "auto",
    "device": "cpu",
    "tune": None,
}
HELP: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("help.toml").read_text("utf-8")
)


def build_parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """The parser for the words ``argv``. Only the command among them gets its options."""
    parser = argparse.ArgumentParser(
        prog="metamf" if Path(sys.argv[0]).stem == "metamf" else "python -m metamf",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _explain(parser, "metamf")
    parser.epilog = (
        f"{parser.epilog}\n\n'%(prog)s COMMAND --help' explains a command.\n"
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C."
    )
    parser.add_argument("-V", "--version", action="version", version=f"metamf {__version__}")
    parser.set_defaults(command_line=(*parser.prog.split(), *argv))
    subparsers = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", required=True
    )
    # no option before it takes a value
    chosen = next((word for word in argv if not word.startswith("-")), None)
    for name, describe in COMMANDS.items():
        summary = HELP[name]["summary"]
        command = subparsers.add_parser(name, help=summary, formatter_class=_HelpFormatter)
        if name == chosen:
            listed = {"train": PRESETS, "benchmark": titles()}.get(name, {})
            _explain(command, name, "".join(f"\n  {key}: {text}" for key, text in listed.items()))
            describe(command)
    return parser


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Shows the default of options that have one."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        default = action.default
        if not action.option_strings or default in (None, False, argparse.SUPPRESS, []):
            return action.help
        written = ",".join(default) if isinstance(default, list) else default
        return f"{action.help} (default: {written})"


def _explain(parser: argparse.ArgumentParser, name: str, more: str = "") -> None:
    """Sets the description of a command, with ``more`` behind it, and its examples."""
    lines = (HELP[name]["description"] + more).split("\n")
    indents = ["    " if line.startswith("  ") else "" for line in lines]
    parser.description = "\n".join(
        textwrap.fill(line, 79, subsequent_indent=indent) for line, indent in zip(lines, indents)
    )
    examples = [f"  %(prog)s {words}".rstrip() for words in HELP[name]["examples"]]
    parser.epilog = "\n".join(["examples:", *examples])


# -- types of values
# -------------------------------------------------------------------------------------------------


def device(text: str) -> str:
    """A device on which this machine can hold tensors."""
    import torch  # not for --help

    try:
        torch.empty(0, device=text)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise argparse.ArgumentTypeError(f"the device {text!r} is not available here") from error
    return text


def checked(
    kind: Callable[[str], Any], accepts: Callable[[Any], bool], what: str
) -> Callable[[str], Any]:
    """The type of a value that ``kind`` makes of a text and ``accepts`` takes; ``what`` describes
    it in the error."""

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


level = checked(
    float, lambda value: 0.01 <= value <= 0.99, "a level between 0.01 and 0.99, such as 0.9"
)
share = checked(
    float, lambda value: 0 <= value < 1, "a share of at least 0 and less than 1, such as 0.1"
)
number = checked(float, math.isfinite, "a number, such as -0.5")


_tuning_steps = checked(int, lambda n: n >= 1, "a whole number of at least 1, nor 'auto'")


def tuning(text: str) -> int | str:
    """How long a network is tuned: a number of steps, or 'auto'."""
    return text if text == "auto" else _tuning_steps(text)


def safetensors_path(text: str) -> Path:
    """A path that ends in .safetensors."""
    if not text.endswith(".safetensors"):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .safetensors")
    return Path(text)


def names_of(noun: str, known: Sequence[str]) -> Callable[[str], list[str]]:
    """The type of different names of ``known``, separated by commas; ``noun`` is what each of them
    names."""

    def parse(text: str) -> list[str]:
        names = list(dict.fromkeys(name.strip() for name in text.split(",")))
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(
                    f"there is no {noun} {name!r}; choose from {', '.join(known)}"
                )
        return names

    return parse


# -- commands
# -------------------------------------------------------------------------------------------------


def _app(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--port", type=whole_number(1), help="the app's port (default: the first that is free)")
    add("--no-browser", action="store_true", help="do not open the browser")


def _download(parser: argparse.ArgumentParser) -> None:
    _add_data(parser, "names")


def _add_data(
    parser: argparse.ArgumentParser,
    name: str,
    more: str = "",
    names: Sequence[str] = NAMES,
    **how: Any,
) -> None:
    """Adds the option of data sets, and of the folder that has them."""
    listed = f"data sets: {', '.join(names)}{more}"
    parser.add_argument(name, nargs="+", choices=names, metavar="NAME", help=listed, **how)
    parser.add_argument(
        "--folder",
        type=Path,
        help="folder of the archives (default: METAMF_DATA if that is set, otherwise the user's "
        "cache folder)",
    )


def _add_meta_training(parser: argparse.ArgumentParser, presets: Iterable[str]) -> None:
    """Adds the options that train and evaluate share."""
    add = parser.add_argument
    natural = whole_number(0)
    epochs = "number of epochs of meta-training, instead of the preset's"
    features = (
        "what the paper's model is told of the films of ml-100k or ml-1m in addition to "
        f"ratings: {', '.join(FEATURES)}"
    )
    add("--preset", choices=presets, default="tuned", help="settings of model and training")
    add("--epochs", type=whole_number(1), help=epochs)
    add("--seed", type=natural, default=0, help="seed of initial parameters, episodes and dropout")
    add("--device", type=device, default="cpu", help=DEVICES)
    add("--features", type=names_of("feature", FEATURES), default=[], metavar="A,B", help=features)


def _train(parser: argparse.ArgumentParser) -> None:
    more = (
        "; preset universal takes several; the last three, which are drawn afresh, have "
        "presets of their own"
    )
    _add_data(parser, "--data", more, (*NAMES, *DRAWN), required=True)
    _add_meta_training(parser, PRESETS)
    add = parser.add_argument
    out = "the checkpoint (default: DATA.safetensors, universal.safetensors)"
    add("--split", type=whole_number(0), default=0, metavar="SEED", help="seed of the split")
    add("--out", type=safetensors_path, metavar="FILE", help=out)
    add("--log", type=Path, metavar="FILE.csv", help="a table of the errors of each epoch")
    add = parser.add_mutually_exclusive_group().add_argument
    add("--resume", action="store_true", help="fail unless there is a stopped run to continue")
    add("--fresh", action="store_true", help="start over, even if a stopped run could continue")


def _evaluate(parser: argparse.ArgumentParser) -> None:
    _add_data(parser, "--data", default=["ml-100k"])
    _add_meta_training(parser, [preset for preset in PRESETS if preset != UNIVERSAL])
    add = parser.add_argument
    count = whole_number(1)
    methods = "keys of methods to compare; a wrong one lists them"
    tune = "choose settings of other methods on meta-validation blocks (slow)"
    out = "a table with one line per data set, split and method"
    add(
        "--methods",
        type=lambda text: text.split(","),
        default=["ours", "eml", "mean"],
        metavar="A,B,...",
        help=methods,
    )
    add("--splits", type=count, default=10, metavar="N", help="use the splits 0 to N - 1")
    add("--blocks", type=count, default=200, metavar="N", help="held-out blocks per split")
    add("--tune", action="store_true", help=tune)
    add("--out", type=Path, metavar="FILE.csv", help=out)


def _benchmark(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    found = benchmarks()  # none where the package is installed
    add("name", nargs="?", choices=found or None, metavar="NAME", help="the script")
    add("options", nargs=argparse.REMAINDER, metavar="...", help="options of the script")


def _impute(parser: argparse.ArgumentParser) -> None:
    def add(name: str, metavar: str | None, help: str, **how: Any) -> None:
        group.add_argument(name, metavar=metavar, help=help, **how)

    def flag(name: str, help: str) -> None:
        group.add_argument(name, action="store_true", help=help)

    natural = whole_number(0)
    cell = "row, column, value, provenance (observed, held out, imputed, clipped), estimate"
    group: Any = parser
    out = ".csv, .xlsx or .parquet; - is the standard output, for CSV"
    add("input", "IN", "the table; - reads the standard input")
    add("--out", "OUT", out, default=STREAM)
    flag("--long", f"CSV with one line per cell: {cell}, interval, method")
    group.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")

    group = parser.add_argument_group("how the table is read (all of it is proposed)")
    add(
        "--column",
        "EDIT",
        "one change of the plan, as often as needed: 'cyl: fill', 'Total: keep', 'id: name', "
        "'q4: missing -99', 'mood: order bad<fair<good', 'q1: scale 1 to 7', 'line 12: skip'",
        action="append",
        default=[],
    )
    add("--sheet", "NAME", "the sheet of a workbook")
    add("--encoding", "CODEC", "encoding of a text, such as utf-8 or cp1252")
    add("--plan", "FILE", "read the table by the plan in this file")
    add("--save-plan", "FILE", "write the plan by which it was read, as JSON")
    flag("--strict", "end with exit code 3 while there is something to look at, and fill nothing")

    group = parser.add_argument_group("method")
    add(
        "--model",
        "METHOD",
        f"a bundled checkpoint ({', '.join(list_pretrained())}; all but universal have the "
        "paper's network), a safetensors file, or another method; a wrong name lists them",
        default="universal",
    )
    add(
        "--interval",
        "LEVEL",
        "adds the ends between which this share of missing values should lie; written with "
        "--long, in Excel and in Parquet",
        type=level,
    )
    add(
        "--hold-out",
        "SHARE",
        "hide this share of the given cells from the method, and write its estimates next to them",
        type=share,
        default=0.0,
    )
    seed = "seed of the choice of hidden cells, and of drawn tables"
    add("--seed", None, seed, type=natural, default=0)
    steps = "number of sweeps or MAP steps (default: the checkpoint's)"
    add("--steps", None, steps, type=natural)
    add(
        "--standardize",
        "UNITS",
        "whose mean and spread values are measured in: checkpoint, matrix, columns, rows; "
        "auto: where no scale is known, the table's own cells decide between the last three",
        choices=("auto", "checkpoint", "matrix", "columns", "rows"),
    )
    tune = "tune the network for this table: a number of steps, or auto"
    add("--tune", "STEPS", tune, type=tuning)
    add("--device", None, DEVICES, type=device)
    parser.set_defaults(**CHECKPOINT_SETTINGS)

    group = parser.add_argument_group("analyses, and how good it is")
    add(
        "--draws",
        "M",
        "write this many filled-in tables that differ as the estimates are uncertain, for "
        "correlations, tests and regressions: below each other with a column imputation, or a "
        "sheet for each in Excel",
        type=whole_number(2),
    )
    add(
        "--shift",
        "SPREADS",
        "take what is missing to lie this many spreads above what the model expects, or below "
        "it: --shift=-0.5",
        type=number,
        default=0.0,
    )
    flag(
        "--report",
        "hide a tenth of the given cells repeatedly, let all methods estimate them, and "
        "recommend one",
    )
    add("--report-json", "FILE", "the figures of --report, which it implies, as JSON")


COMMANDS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "app": _app,
    "download": _download,
    "train": _train,
    "impute": _impute,
    "evaluate": _evaluate,
    "benchmark": _benchmark,
}

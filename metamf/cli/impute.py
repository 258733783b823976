"""python -m metamf impute: a table of ratings in any form, filled in, in the same form.

The page "Your table" for scripts: the same methods, settings, files and figures, from ``metamf.filling``.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from functools import partial
from pathlib import Path

import numpy as np

from metamf.baselines import METHODS
from metamf.checkpoints.bundled import list_pretrained
from metamf.cli.console import add_device, progress, say, subcommand, whole_number
from metamf.cli.reading import add_reading, read_options
from metamf.filling.departures import departures
from metamf.filling.fill_in import Filling, FillSettings, fill
from metamf.filling.holdout import FEWEST, HoldoutReport, holdout_steps
from metamf.filling.manifest import Output, manifest
from metamf.filling.methods import REFERENCES, Method, method, offered
from metamf.filling.outside import OUTSIDE, OutsideScaleError, outside_scale
from metamf.filling.snippet import snippet
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.tables import Table, TableError, read_table
from metamf.tables.writing import text as write
from metamf.wording import counted, name_of, shown

STREAM = "-"
UNREADABLE = 3
SUFFIXES = {"csv_wide": ".csv", "csv_long": ".csv", "excel": ".xlsx", "parquet": ".parquet"}
FORMATS = {"csv": (".csv", ".tsv", ".txt", ""), "xlsx": (".xlsx",), "parquet": (".parquet", ".pq")}
CHECKPOINT_SETTINGS = {"steps": None, "step_rule": "auto", "standardize": "auto", "device": "cpu"}
_LEVEL = 0.9  # of the intervals in a report, where none is asked for
_MANY = 2_000  # observed cells above which a report repeats less often
EXAMPLES = """\
  python -m metamf impute ratings.csv --out filled.csv
  python -m metamf impute ratings.xlsx --out filled.xlsx --missing 99 --missing n/a
  python -m metamf impute log.tsv --form long --duplicates last --long --out filled.csv
  python -m metamf impute ratings.csv --interval 0.9 --long --out filled.csv
  python -m metamf impute ratings.csv --scale=-10:10:0.5 --round --out filled.csv
  python -m metamf impute ratings.csv --report --manifest made.json --snippet again.py --out filled.csv
  cat ratings.csv | python -m metamf impute - --quiet --format xlsx > filled.xlsx"""


def add_to(subparsers) -> None:
    parser = subcommand(
        subparsers,
        "impute",
        help="fill in a table of ratings",
        description="Fills in the missing cells of a rating table: CSV in any dialect, Excel or NumPy, one line per "
        "row of the matrix (wide) or one line per rating (long). What is not said is guessed, and what was understood "
        "is reported. Observed cells are written as they were read.\n\n"
        "Exit codes: 0 done; 1 failed; 2 wrong usage; 3 the table cannot be read as it is: the line that begins with "
        "'error:' says which cell or option to change; 130 stopped by Ctrl-C. Only the filled table is written to the "
        "standard output, everything else to the standard error; files appear whole or not at all.",
        examples=EXAMPLES,
    )
    parser.add_argument("input", metavar="IN", help="the table; - reads the standard input")
    parser.add_argument("--out", default=STREAM, help=".csv, .xlsx or .parquet; - is the standard output")
    parser.add_argument("--format", choices=FORMATS, help="of the filled table (default: by the name of --out, or csv)")
    parser.add_argument(
        "--long",
        action="store_true",
        help="CSV with one line per cell: row, column, value, "
        "provenance (observed, held out, imputed, clipped), estimate, interval, method",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")

    model = parser.add_argument_group("method")
    simple = ", ".join([*(key for key, spec in METHODS.items() if key != "ours"), *REFERENCES])
    model.add_argument(
        "--model",
        "--method",
        default="universal",
        metavar="METHOD",
        help=f"a bundled checkpoint ({', '.join(list_pretrained())}; all but universal are the paper's "
        f"model), a safetensors file, or another method ({simple})",
    )
    model.add_argument(
        "--interval",
        type=level,
        metavar="LEVEL",
        help="adds lower and upper ends between which this share of the missing ratings should lie, "
        "such as 0.9, where there is room for them: with --long, in Excel and Parquet",
    )
    model.add_argument(
        "--scale",
        type=scale,
        default="found",
        metavar="LOW:HIGH[:STEP]",
        help="the rating scale; none for no limits, found for the one that the ratings show; "
        "write --scale=-10:10 where it begins with a minus",
    )
    model.add_argument(
        "--outside",
        choices=OUTSIDE,
        default="error",
        help="what becomes of an observed rating outside the rating scale: an error, or the method is given the "
        "nearest end of the scale, or it is hidden from the method; it is written as it was read",
    )
    model.add_argument("--no-clip", action="store_true", help="let estimates leave the rating scale")
    model.add_argument("--round", action="store_true", help="round estimates to the steps of the rating scale")
    model.add_argument(
        "--hold-out",
        type=share,
        default=0.0,
        metavar="SHARE",
        help="hide this share of the observed cells from the method; they are written as they were "
        "read, called held out, with an estimate beside them",
    )
    model.add_argument("--seed", type=whole_number(0), default=0, help="draws the cells that are hidden")
    model.add_argument("--steps", type=whole_number(0), help="sweeps or MAP steps (default: the checkpoint's)")
    model.add_argument(
        "--step-rule", choices=("auto", "paper", "safe"), default="auto", help="how the paper's MAP steps are bounded"
    )
    model.add_argument(
        "--standardize",
        choices=("auto", "checkpoint", "matrix"),
        default="auto",
        help="whose mean and spread the ratings are measured in",
    )
    add_device(model)

    trusted = parser.add_argument_group("how good it is, and how to repeat it")
    trusted.add_argument(
        "--report",
        action="store_true",
        help="hide a tenth of the observed cells again and again, "
        "let all methods estimate them, and say which one to use",
    )
    trusted.add_argument("--report-json", metavar="FILE", help="the figures of --report, which it implies, as JSON")
    trusted.add_argument(
        "--repeats", type=whole_number(1), help=f"of --report (default: 20, or 5 above {_MANY:,} observed cells)"
    )
    trusted.add_argument("--manifest", metavar="FILE", help="digest of the input, versions, settings, counts, as JSON")
    trusted.add_argument("--snippet", metavar="FILE", help="a Python program that makes the same file again")
    add_reading(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    tell = (lambda message: None) if arguments.quiet else say
    form = form_of(arguments)
    how = check_names(arguments, form)
    content = sys.stdin.buffer.read() if arguments.input == STREAM else Path(arguments.input).read_bytes()
    name = "stdin" if arguments.input == STREAM else arguments.input
    try:
        options = read_options(arguments)
        with progress("Reading", arguments.quiet) as show:
            table = read_table(content, name, options, show)
    except TableError as error:
        say(f"error: {error}")
        return UNREADABLE
    for line in table.report.sentences():
        tell(line)
    try:
        filling = filled(arguments, table, how, tell)
    except OutsideScaleError as error:
        say(f"error: {outside_sentence(error, table, arguments.scale)}")
        return UNREADABLE
    report = measured(arguments, filling.measurable, how) if arguments.report or arguments.report_json else None
    for line in () if report is None else report_lines(report):
        tell(line)
    result = filling.filled_table(table)
    data = getattr(write, f"to_{form}")(result)
    out = f"{Path(name).stem}-filled{SUFFIXES[form]}" if arguments.out == STREAM else Path(arguments.out).name
    describe = partial(manifest, name, content, options, table, filling, report, arguments.seed, Output(out, form))
    texts = {
        arguments.manifest: lambda: to_json(describe()),
        arguments.snippet: lambda: snippet(describe()),
        arguments.report_json: lambda: to_json(report.to_dict() | {"seed": arguments.seed}),
    }
    files = {path: make().encode() for path, make in texts.items() if path is not None}
    if arguments.out == STREAM:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        files = {arguments.out: data} | files
    for path, content in files.items():
        write.write_atomically(path, content)
        tell(f"Written to {path}.")
    if arguments.snippet and arguments.input == STREAM:
        tell(f"{arguments.snippet} reads a file called {name}: save the input beside it under that name.")
    return 0


def form_of(arguments: argparse.Namespace) -> str:
    """Which ``metamf.tables.writing.text.to_...`` writes the filled table."""
    suffix = "" if arguments.out == STREAM else Path(arguments.out).suffix.lower()
    found = arguments.format or next((name for name, suffixes in FORMATS.items() if suffix in suffixes), None)
    if found is None:
        raise ValueError(f"{arguments.out} ends in none of .csv, .xlsx and .parquet: say what to write with --format")
    return {"csv": "csv_long" if arguments.long else "csv_wide", "xlsx": "excel", "parquet": "parquet"}[found]


def check_names(arguments: argparse.Namespace, form: str) -> Method:
    """The method. Tells of a wrong name, and of intervals that would be lost, before a long table is read."""
    chosen = {name: getattr(arguments, name) for name in CHECKPOINT_SETTINGS}
    settings = {name: value for name, value in chosen.items() if value != CHECKPOINT_SETTINGS[name]}
    how = method(arguments.model, **settings)
    if arguments.interval is not None and form == "csv_wide":
        raise ValueError("a wide CSV has no room for the ends of --interval: add --long, or write .xlsx or .parquet")
    if arguments.interval is not None and not how.gives_intervals:
        raise ValueError(f"{arguments.model!r} gives no intervals: use --model universal")
    outputs = [arguments.out, arguments.manifest, arguments.snippet, arguments.report_json]
    paths = [Path(path) for path in outputs if path not in (None, STREAM)]
    for path in paths:
        if not path.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {path.parent} for {path}: make it, or choose another one")
        if paths.count(path) > 1:
            raise ValueError(f"{path} would be written twice: give each file a name of its own")
    return how


def filled(arguments: argparse.Namespace, table: Table, how: Method, tell) -> Filling:
    ratings, the_scale = table.ratings, table.ratings.scale if arguments.scale == "found" else arguments.scale
    if how.info is not None and (found := departures(ratings, how.info)):
        tell(f"This table lies outside what {how.label} was trained on: {'; '.join(found)}.")
    missing = ratings.n_rows * ratings.n_cols - ratings.nnz
    tell(f"Filling in {missing:,} cells by {how.label} ...")
    settings = FillSettings(
        arguments.interval,
        clip=not arguments.no_clip,
        round_to_scale=arguments.round,
        hold_out=arguments.hold_out,
        seed=arguments.seed,
        outside=arguments.outside,
    )
    filling = fill(ratings, how, scale=the_scale, settings=settings)
    if outside := int(outside_scale(filling.ratings).sum()):
        fate = {"nearest": "read as its nearest end", "hide": "hidden from the method"}[arguments.outside]
        tell(f"{counted(outside, 'observed rating')} outside the scale: {fate}, and written as in the table.")
    if arguments.no_clip or the_scale is None:
        tell("No limits were put on the estimates.")
    else:
        clipped = int(filling.clipped.sum())
        tell(f"{clipped:,} were clipped to {the_scale.minimum:g} ... {the_scale.maximum:g}.")
    if arguments.round:
        tell(f"{int(filling.rounded.sum()):,} were rounded to steps of {the_scale.step:g}.")
    if arguments.hold_out:
        tell(f"{int(filling.hidden.sum()):,} observed cells were hidden from the method.")
    return filling


def outside_sentence(error: OutsideScaleError, table: Table, scale: RatingScale) -> str:
    """Which cell lies outside the scale, by the names that the table gives it, and which option to change."""
    row = shown(name_of(table.ratings.row_labels, error.row, "row"))
    col = shown(name_of(table.ratings.col_labels, error.col, "column"))
    others = f" ({error.number:,} such ratings in all)" if error.number > 1 else ""
    return (
        f"the rating {error.value:g} in row {row}, column {col} lies outside the scale "
        f"{scale.minimum:g} to {scale.maximum:g}{others}: change --scale, or say with --outside nearest or --outside "
        "hide what becomes of it"
    )


def measured(arguments: argparse.Namespace, ratings: Ratings, how: Method) -> HoldoutReport:
    """All methods that are offered for such a table, and the one that fills it in, on held-out cells."""
    if ratings.nnz < FEWEST:
        raise ValueError(f"{ratings.nnz} observed cells are too few for a report: it takes {FEWEST} at least")
    methods = [how, *(other for other in offered(ratings) if other.key != how.key)]
    repeats = arguments.repeats or (20 if ratings.nnz <= _MANY else 5)
    rng = np.random.default_rng(arguments.seed)
    with progress("Estimating hidden cells", arguments.quiet) as show:
        for step in holdout_steps(ratings, methods, arguments.interval or _LEVEL, repeats, rng=rng):
            show(step.done / step.total)
    return step.report


def report_lines(report: HoldoutReport) -> list[str]:
    width = max(len(errors.method.label) for errors in report.errors)
    lines = [f"Errors on {report.n_hidden:,} of {report.observed:,} observed cells, hidden {report.repeats} times:"]
    for errors in report.errors:
        line = f"  {errors.method.label:{width}}  RMSE {_spread(errors.rmse)}   MAE {_spread(errors.mae)}"
        if errors.covered is not None:
            line += f"   {100 * errors.covered.mean():.0f} % inside the {100 * report.level:g} % interval"
        lines.append(line)
    return [*lines, report.verdict()]


def _spread(values: np.ndarray) -> str:
    return f"{values.mean():.3f}" + (f" ± {values.std(ddof=1):.3f}" if len(values) > 1 else "")


def to_json(values: dict) -> str:
    return json.dumps(values, indent=2, ensure_ascii=False) + "\n"


def level(text: str) -> float:
    """The level of an interval, as a share."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.01 <= value <= 0.99:
        raise argparse.ArgumentTypeError(f"{text!r} is no level between 0.01 and 0.99, such as 0.9")
    return value


def share(text: str) -> float:
    """A share of the observed cells."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share between 0 and 1, such as 0.1")
    return value


def scale(text: str) -> RatingScale | str | None:
    """A rating scale by its ends and its step, 'found', or None for no limits."""
    if text in ("found", "none"):
        return None if text == "none" else text
    try:
        return RatingScale(*map(float, text.split(":")))
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no scale such as 1:5 or 0.5:5:0.5 ({error})") from error

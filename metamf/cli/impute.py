"""metamf impute: a table of ratings in any form, filled in, in the same form.

The page "Your table" for scripts: the same methods, settings, files and figures, from ``metamf.answer``.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import numpy as np

from metamf.answer.answer import Answer as Estimated
from metamf.answer.command import impute_command
from metamf.answer.domain_shift import adapted_sentences, domain_shift
from metamf.answer.draws_file import drawn_file
from metamf.answer.estimator import MetaMFImputer
from metamf.answer.filling import FillSettings, fill, within_scale
from metamf.answer.holdout import FEWEST_OBSERVED, Report, holdout_steps
from metamf.answer.methods import Method, compared, has_own_units, method, usual_repeats
from metamf.answer.shift import shifted
from metamf.cli.console import progress, say
from metamf.cli.options import CHECKPOINT_SETTINGS, FORMATS, STREAM, THOUSANDS, read_options
from metamf.ratings.limits import OutsideScaleError, outside_scale
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.tables import Answer, Table, TableError, read_table, write
from metamf.tables.limits import Doubt, likeliest_answers
from metamf.wording import counted, percent, shown

UNREADABLE, NOTHING = 3, 4  # exit codes: the table cannot be read, or has no gap; argparse takes 2, Python 1
HOW_TO_CHANGE_ROLES = (
    "To change that: --ratings, --describes, --leave-alone or --names COLUMN, --leave-rows LINE, --header-lines N."
)
TUNINGS = 10  # times the time limit of tuning that a report may take for a tuned method
_LEVEL = 0.9  # of the intervals in a report, unless --interval gives another


def impute(arguments: argparse.Namespace) -> int:
    """Fills in a table and writes the files; the exit code."""
    write_line = (lambda message: None) if arguments.quiet else say
    format = _format_of(arguments)
    how = check_names(arguments, format)
    content = sys.stdin.buffer.read() if arguments.input == STREAM else Path(arguments.input).read_bytes()
    name = "stdin" if arguments.input == STREAM else arguments.input
    measured = arguments.report or arguments.report_json is not None
    try:
        options = read_options(arguments)
        with progress("Reading", arguments.quiet) as show:
            table = read_table(content, name, options, show)
        for line in table.report.sentences():
            write_line(line)
        if table.report.roles is not None:
            write_line(HOW_TO_CHANGE_ROLES)
        if (nothing := table.report.nothing_missing) and not measured and not arguments.hold_out:
            say(f"error: {nothing}{_hint(table)}")
            return NOTHING
        filled = _fill_table(arguments, table, how, write_line)
    except TableError as error:
        say(f"error: {error_sentence(error)}")
        if command := command_with_answers(error, arguments.command_line):
            say(f"To answer all of that at once, as far as it can be guessed:\n  {command}")
        return UNREADABLE
    except OutsideScaleError as error:
        say(f"error: {_outside_sentence(error, table, arguments.scale)}")
        return UNREADABLE
    measurable = within_scale(filled.ratings, arguments.outside)
    report = _measure_errors(arguments, measurable, how) if measured else None
    for line in () if report is None else _write_lines(report):
        write_line(line)
    form = {"xlsx": "excel", "csv": "csv_long" if arguments.long else "csv"}.get(format, format)
    if arguments.draws is None:
        data = getattr(write, f"to_{form}")(table, filled)
    else:
        about = arguments.draws, arguments.seed, arguments.shift, arguments.round
        data = drawn_file(_imputer_of(filled), filled.ratings, *about, format, write_line)
    files = {}
    if report is not None and arguments.report_json is not None:
        guarded = {} if filled.imputer is None else filled.imputer.guarded_
        found = report.to_dict() | {"seed": arguments.seed, "guarded": {str(key): guarded[key] for key in guarded}}
        files[arguments.report_json] = f"{json.dumps(found, indent=2, ensure_ascii=False)}\n".encode()
    if arguments.out == STREAM:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        files = {arguments.out: data} | files
    for path, content in files.items():
        write.write_atomically(path, content)
        write_line(f"Written to {path}.")
    if arguments.snippet:
        command = impute_command(arguments.input, options, how, _settings(arguments), arguments.scale, arguments.out)
        drawn = "" if arguments.draws is None else f" --draws {arguments.draws}"
        say(f"{command}{drawn}{f' --shift={arguments.shift:g}' if arguments.shift else ''}")
    return 0


def _imputer_of(filled: Estimated) -> MetaMFImputer:
    if not isinstance(filled.imputer, MetaMFImputer):
        raise ValueError(f"{filled.method} can neither draw tables nor shift estimates: use --model universal")
    return filled.imputer


def _format_of(arguments: argparse.Namespace) -> str:
    """The format of the filled table, a key of ``FORMATS``."""
    suffix = "" if arguments.out == STREAM else Path(arguments.out).suffix.lower()
    found = arguments.format or next((name for name, suffixes in FORMATS.items() if suffix in suffixes), None)
    if found is None:
        raise ValueError(f"{arguments.out} ends in none of .csv, .xlsx and .parquet: name the format with --format")
    return found


def check_names(arguments: argparse.Namespace, format: str) -> Method:
    """The method. Tells of a wrong name, and of intervals that would be lost, before a long table is read."""
    given = {name: getattr(arguments, name) for name in CHECKPOINT_SETTINGS}
    how = method(arguments.model, **{key: value for key, value in given.items() if value != CHECKPOINT_SETTINGS[key]})
    if arguments.interval is not None and format == "csv" and not arguments.long:
        raise ValueError("a wide CSV has no room for the ends of --interval: add --long, or write .xlsx or .parquet")
    if arguments.interval is not None and not how.gives_intervals:
        raise ValueError(f"{arguments.model!r} gives no intervals: use --model universal")
    outputs = [arguments.out, arguments.report_json]
    paths = [Path(path) for path in outputs if path not in (None, STREAM)]
    for path in paths:
        if not path.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {path.parent} for {path}: create it, or choose another one")
        if paths.count(path) > 1:
            raise ValueError(f"{path} would be written twice: give the files different names")
    return how


def _fill_table(
    arguments: argparse.Namespace, table: Table, how: Method, write_line: Callable[[str], None]
) -> Estimated:
    """Fills in a table by the options; ``write_line`` prints messages."""
    ratings, the_scale = table.ratings, table.ratings.scale if arguments.scale == "found" else arguments.scale
    if how.info is not None and (found := domain_shift(ratings, how.info)):
        write_line(f"This table is outside what {how.label} was trained on: {'; '.join(found)}.")
    missing = ratings.n_rows * ratings.n_cols - ratings.nnz
    write_line(f"Filling in {missing:,} cells by {how.label} ...")
    filled = fill(ratings, how, scale=the_scale, settings=_settings(arguments))
    if arguments.shift:
        filled = shifted(filled, _imputer_of(filled).standardization_, arguments.shift)
        write_line(f"Missing ratings are assumed to lie {arguments.shift:+g} spreads from what the model expects.")
    for sentence in adapted_sentences(filled.imputer) if filled.imputer else ():
        write_line(sentence)
    members = filled.imputer is not None and filled.imputer.ensemble_ is not None
    if ratings.row_features is not None and how.hardly_reads and not members:
        write_line(f"{how.hardly_reads} Add --members normal or --members trees.")
    if outside := int(outside_scale(filled.ratings, filled.ratings.scale).sum()):
        fate = {"nearest": "read as its nearest end", "hide": "hidden from the method"}[arguments.outside]
        write_line(f"{counted(outside, 'observed rating')} outside the scale: {fate}, and written as in the table.")
    if arguments.no_clip:
        write_line("No limits were put on the estimates.")
    else:
        ends = "" if the_scale is None else f"to {the_scale.minimum:g} ... {the_scale.maximum:g}, or "
        near = "near what their column holds" if ends or not isinstance(filled.limits, RatingScale) else "near the rest"
        write_line(f"{counted(int(filled.clipped.sum()), 'estimate')} clipped {ends}{near}.")
    if arguments.round and the_scale is not None:
        write_line(f"{counted(int(filled.rounded.sum()), 'estimate')} rounded to steps of {the_scale.step:g}.")
    if arguments.hold_out:
        write_line(f"{int(filled.hidden.sum()):,} observed cells were hidden from the method.")
    return filled


def _settings(arguments: argparse.Namespace) -> FillSettings:
    return FillSettings(
        arguments.interval,
        clip=not arguments.no_clip,
        round_to_scale=arguments.round,
        hold_out=arguments.hold_out,
        seed=arguments.seed,
        outside=arguments.outside,
    )


def _outside_sentence(error: OutsideScaleError, table: Table, scale: RatingScale) -> str:
    """Names the cell outside the scale as the table does, and the options that help."""

    def place(labels: Sequence[str] | None, position: int, noun: str) -> str:
        return f"{noun} {position + 1}" if labels is None else f"{noun} {shown(str(labels[position]))}"

    row, col = place(table.ratings.row_labels, error.row, "row"), place(table.ratings.col_labels, error.col, "column")
    others = f" ({error.number:,} such ratings in all)" if error.number > 1 else ""
    return (
        f"the rating {error.value:g} in {row}, {col} is outside the scale "
        f"{scale.minimum:g} to {scale.maximum:g}{others}: change --scale, or add --outside nearest or --outside hide"
    )


def _measure_errors(arguments: argparse.Namespace, ratings: Ratings, how: Method) -> Report:
    """Measures on held-out cells all methods that a verdict compares, and the one that fills the table in; where that
    is tuned, it is tuned again each time, for ``TUNINGS`` times the time limit of tuning, and measured without, too."""
    if ratings.nnz < FEWEST_OBSERVED:
        raise ValueError(f"{ratings.nnz} observed cells are too few for a report: it takes {FEWEST_OBSERVED} at least")
    repeats = arguments.repeats or usual_repeats(ratings.nnz)
    own_units = has_own_units(ratings)
    contenders = {other.name: other for other in compared(ratings, repeats, own_units)}
    if how.tuned:
        untuned = {name: value for name, value in how.settings.items() if name not in ("tune", "tune_seconds")}
        contenders[how.name_untuned] = method(how.key, **untuned)
    methods = [how, *(other for name, other in contenders.items() if name != how.name)]
    rng = np.random.default_rng(arguments.seed)
    level, limit = arguments.interval or _LEVEL, TUNINGS * arguments.tune_seconds
    with progress("Estimating hidden cells", arguments.quiet) as show:
        for step in holdout_steps(ratings, methods, level, repeats, rng=rng, relative=own_units, seconds=limit):
            show(step.done / step.total)
    return cast(Report, step.report)  # the last step has it


def _write_lines(report: Report) -> list[str]:
    """The errors on hidden cells as lines of text, and the verdict."""

    def with_deviation(values: np.ndarray) -> str:
        return f"{values.mean():.3f}" + (f" ± {values.std(ddof=1):.3f}" if len(values) > 1 else "")

    width = max(len(errors.method.label) for errors in report.errors)
    units = ", each in units of the spread of its column" if report.relative else ""
    counts = f"{report.n_hidden:,} of {report.observed:,} observed cells, hidden {report.repeats} times"
    lines = [f"Errors on {counts}{units}:"]
    for errors in report.errors:
        rmse, mae = with_deviation(errors.rmse), with_deviation(errors.mae)
        line = f"  {errors.method.label:{width}}  RMSE {rmse}   MAE {mae}"
        if errors.covered is not None:
            line += f"   {percent(errors.covered.mean())} inside the {percent(report.level, digits=6)} interval"
        if len(errors.rmse) < report.repeats:
            line += f"   ({len(errors.rmse)} times)"
        lines.append(line)
    sentences = report.tuning_sentence(), report.describing_sentence(), report.selection_sentence()
    return [*lines, report.verdict(), *filter(None, sentences)]


def _hint(table: Table) -> str:
    """The options that may help where there is nothing to fill in."""
    report = table.report
    if report.gaps:
        return " (" + " ".join(f"--ratings {shlex.quote(name)}" for name in report.gaps) + ")"
    return " (--form long)" if report.form == "wide" and report.repeated_names else ""


def error_sentence(error: TableError) -> str:
    """Why a table cannot be read, and which option to give."""
    return "; and ".join(map(_question, error.doubts)) or str(error)


def command_with_answers(error: TableError, command_line: Sequence[str]) -> str:
    """The same command with the likeliest answers to all questions; '' where there are not several, or one has none."""
    if len(error.doubts) < 2 or not all(doubt.answers for doubt in error.doubts):
        return ""
    answers = (_by_number(answer, doubt) for doubt, answer in likeliest_answers(error.doubts))
    flags = [_flags(answer._replace(words="")) for answer in answers]
    return " ".join([shlex.join(command_line), *flags])


def _question(doubt: Doubt) -> str:
    """A question about a table, and the options that answer it."""
    order = "<".join(doubt.words) if doubt.ordered else "LOWEST<...<HIGHEST"
    words = [f"what their order is, --words={shlex.quote(order)}"] if doubt.words else []
    options = [_flags(_by_number(answer, doubt)) for answer in doubt.answers]
    place = sum(answer.option == "missing_markers" for answer in doubt.answers)  # an order in front of the rest
    options[place:place] = words
    return f"{doubt.question}: say {', or '.join(options)}" if options else doubt.question


def _by_number(answer: Answer, doubt: Doubt) -> Answer:
    """The same answer with the numbers of columns whose names the command would take for something else."""
    odd = {name for name in doubt.names if name.isdecimal() or "+" in name or name[:1] == "-"}
    number = {name: str(j + 1) for j, name in zip(doubt.columns, doubt.names) if name in odd}
    return answer if answer.option == "missing_markers" else answer._replace(values=_renamed(answer.values, number))


def _renamed(values: tuple, names: dict[str, str]) -> tuple:
    return tuple(_renamed(value, names) if isinstance(value, tuple) else names.get(value, value) for value in values)


def _flags(answer: Answer) -> str:
    """An answer as options: "--leave-alone Age (it is left alone)"."""
    name = "missing" if answer.option == "missing_markers" else answer.option.replace("_", "-")
    between = "<" if name == "words" else "+"
    texts = [between.join(value) if isinstance(value, tuple) else str(value) for value in answer.values]
    values = [shlex.quote(text) for text in texts]
    if name == "thousands":
        values = [next(sign for sign, text in THOUSANDS.items() if text == values[0])]
    if name == "columns":
        flags = f"--columns {' '.join(values)}"
    else:
        flags = " ".join(f"--{name}{'=' if value.startswith('-') else ' '}{value}" for value in values)
    return f"{flags} ({answer.words})" if answer.words else flags

"""metamf impute: a table in any form, filled in, in the same form.

The page "Your table" for scripts: the same reader, plan, methods and files. It fills at once and
prints how the file was read, what one should look at first; ``--column`` changes that.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np

from metamf.answer.adaptation import Adaptation
from metamf.answer.answer import Answer
from metamf.answer.crossfit import TABLE
from metamf.answer.domain_shift import adapted_sentences, domain_shift
from metamf.answer.draws_file import drawn_file
from metamf.answer.holdout import FEWEST_OBSERVED, Report, holdout_steps
from metamf.answer.methods import Method, compared, has_own_units, method, usual_repeats
from metamf.answer.methods_paragraph import methods_paragraph
from metamf.answer.shift import shifted
from metamf.answer.table_filling import fill_in
from metamf.cli.console import progress, say
from metamf.cli.options import CHECKPOINT_SETTINGS, STREAM
from metamf.ratings.matrix import Ratings
from metamf.tables import write
from metamf.tables.limits import COMMAND_LINE
from metamf.tables.plan import Plan
from metamf.tables.table import Table, read
from metamf.version import __version__
from metamf.wording import counted, percent

# Exit codes of this command: something is amber and --strict was given; the table has no gap that
# can be filled. argparse takes 2, Python 1.
AMBER = 3
NOTHING = 4
WRITERS = {  # by the ending of the name: the function of metamf.tables.write
    **dict.fromkeys((".csv", ".tsv", ".txt", ""), "to_csv"),
    ".xlsx": "to_excel",
    **dict.fromkeys((".parquet", ".pq"), "to_parquet"),
}
_LEVEL = 0.9  # of the intervals in a report, unless --interval gives another


def impute(arguments: argparse.Namespace) -> int:
    """Reads, fills in and writes a table; the exit code."""
    write_line = (lambda message: None) if arguments.quiet else say
    how, writes = check_names(arguments)
    table = _read(arguments)
    for line in table.summary():
        write_line(line)
    made_by = {"metamf": __version__, "seed": arguments.seed, "sha256": table.digest}
    if arguments.save_plan is not None:
        plan = f"{table.plan.to_json(**made_by)}\n"
        write.write_atomically(arguments.save_plan, plan.encode())
        write_line(f"The plan is written to {arguments.save_plan}.")
    if arguments.strict and table.plan.amber:
        what = counted(len(table.plan.amber), "thing")
        say(f"error: {what} to look at, and --strict: settle it by --column, or leave --strict out")
        return AMBER
    measured = arguments.report or arguments.report_json is not None
    nothing = table.nothing_to_fill
    if nothing and not measured and not arguments.hold_out:
        say(f"error: {nothing}")
        return NOTHING
    filled = _fill_in(arguments, table, how, write_line)
    report = _measure_errors(arguments, filled.ratings, how) if measured else None
    for line in () if report is None else report_lines(report):
        write_line(line)
    drawn = None
    if arguments.draws is None:
        more = {"seed": arguments.seed} if writes == "to_excel" else {}
        data = getattr(write, writes)(table, filled, **more)
    else:
        about = (arguments.draws, arguments.seed, arguments.shift, filled.round_to_scale)
        kind = {"to_excel": "xlsx", "to_parquet": "parquet"}.get(writes, "csv")
        drawn = drawn_file(_models_of(filled), table, *about, kind)
        data = drawn.content
        for line in drawn.sentences():
            write_line(line)
    files = {}
    if report is not None:
        words = methods_paragraph(
            table.n_gaps,
            math.prod(filled.shape),
            how.label,
            scales=tuple(dict.fromkeys(map(str, table.plan.groups))),
            own_units=table.plan.has_own_units,
            report=report,
            report_seed=arguments.seed,
            used=how.name,
            drawn=drawn,
        )
        write_line(f"For a methods section: {words}")
        if arguments.report_json is not None:
            guarded = {} if filled.fitted is None else filled.fitted.guarded
            found = report.to_dict() | made_by
            found["plan"] = json.loads(table.plan.to_json())
            found["methods paragraph"] = words
            found["guarded"] = {str(key): value for key, value in guarded.items()}
            content = f"{json.dumps(found, indent=2, ensure_ascii=False)}\n"
            files[arguments.report_json] = content.encode()
    if arguments.out == STREAM:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        files = {arguments.out: data} | files
    for path, content in files.items():
        write.write_atomically(path, content)
        write_line(f"Written to {path}.")
    return 0


def check_names(arguments: argparse.Namespace) -> tuple[Method, str]:
    """The method, and the function of ``metamf.tables.write`` that writes the filled table. Tells
    of a wrong name, and of intervals that would be lost, before a long table is read."""
    given = {name: getattr(arguments, name) for name in CHECKPOINT_SETTINGS}
    changed = {key: value for key, value in given.items() if value != CHECKPOINT_SETTINGS[key]}
    how = method(arguments.model, **changed)
    writes = WRITERS.get("" if arguments.out == STREAM else Path(arguments.out).suffix.lower())
    if writes is None:
        raise ValueError(f"{arguments.out} ends in none of .csv, .xlsx and .parquet")
    if arguments.draws is not None and arguments.long:
        raise ValueError("--draws writes whole tables, --long one line per cell: leave one out")
    if writes == "to_csv" and arguments.long:
        writes = "to_csv_long"
    if arguments.interval is not None and writes == "to_csv":
        raise ValueError(
            "a wide CSV has no room for the ends of --interval: add --long, or write .xlsx or "
            ".parquet"
        )
    if arguments.interval is not None and not how.gives_intervals:
        raise ValueError(f"{arguments.model!r} gives no intervals: use --model universal")
    outputs = (arguments.out, arguments.report_json, arguments.save_plan)
    paths = [Path(path) for path in outputs if path not in (None, STREAM)]
    for path in paths:
        if not path.parent.is_dir():
            raise FileNotFoundError(
                f"there is no folder {path.parent} for {path}: create it, or choose another one"
            )
        if paths.count(path) > 1:
            raise ValueError(f"{path} would be written twice: give the files different names")
    return how, writes


def _read(arguments: argparse.Namespace) -> Table:
    """The table, read by the plan of ``--plan`` or a proposed one, with the edits of the
    options."""
    plan = None
    if arguments.plan is not None:
        plan = Plan.from_json(Path(arguments.plan).read_text("utf-8"))
    given = {"sheet": arguments.sheet, "encoding": arguments.encoding}
    edits = [f"{name}: {value}" for name, value in given.items() if value is not None]
    edits += arguments.column
    stream = arguments.input == STREAM
    content = sys.stdin.buffer.read() if stream else Path(arguments.input).read_bytes()
    with progress("Reading", arguments.quiet) as show:
        return read(content, plan=plan, edits=edits, limits=COMMAND_LINE, progress=show)


def _fill_in(
    arguments: argparse.Namespace, table: Table, how: Method, write_line: Callable[[str], None]
) -> Answer:
    """Fills in a table by the options; ``write_line`` prints messages."""
    ratings = table.ratings
    write_line(f"Filling in {counted(table.n_gaps, 'cell')} by {how.label} ...")
    filled = fill_in(ratings, how, arguments.interval, arguments.hold_out, arguments.seed)
    info = None if _led_by_the_table_model(filled) else how.info
    if info is not None and (found := domain_shift(ratings, info)):
        write_line(f"This table is outside what {how.label} was trained on: {'; '.join(found)}.")
    if arguments.shift:
        _models_of(filled)
        filled = shifted(filled, arguments.shift)
        write_line(
            f"What is missing is assumed to lie {arguments.shift:+g} spreads from what the model "
            "expects."
        )
    for sentence in adapted_sentences(filled.fitted) if filled.fitted else ():
        write_line(sentence)
    if arguments.hold_out:
        write_line(f"{int(filled.hidden.sum()):,} given cells were hidden from the method.")
    return filled


def _led_by_the_table_model(filled: Answer) -> bool:
    """Whether the model of the columns weighs more than the checkpoint, of which one then need not
    be warned."""
    mixture = None if filled.fitted is None else filled.fitted.mixture
    return mixture is not None and mixture.weighing.weights[TABLE] > 0.5


def _models_of(filled: Answer) -> Adaptation:
    if filled.fitted is None:
        raise ValueError(
            f"{filled.method} can neither draw tables nor shift estimates: use --model universal"
        )
    return filled.fitted


def _measure_errors(arguments: argparse.Namespace, ratings: Ratings, how: Method) -> Report:
    """Measures on held-out cells all methods that a verdict compares, and the one that fills the
    table in; where that is tuned, it is tuned again each time, and measured without, too."""
    if ratings.nnz < FEWEST_OBSERVED:
        raise ValueError(
            f"{ratings.nnz} given cells are too few for a report: it takes {FEWEST_OBSERVED} at "
            "least"
        )
    repeats = usual_repeats(ratings.nnz)
    own_units = has_own_units(ratings)
    contenders = {how.name: how}
    contenders |= {other.name: other for other in compared(ratings, repeats, own_units)}
    if how.tuned:
        untuned = {name: value for name, value in how.settings.items() if name != "tune"}
        contenders[how.key] = method(how.key, **untuned)
    methods = list((contenders | {how.name: how}).values())
    rng = np.random.default_rng(arguments.seed)
    level = arguments.interval or _LEVEL
    with progress("Estimating hidden cells", arguments.quiet) as show:
        for step in holdout_steps(ratings, methods, level, repeats, rng=rng, relative=own_units):
            show(step.done / step.total)
    return cast(Report, step.report)  # the last step has it


def report_lines(report: Report) -> list[str]:
    """The errors on hidden cells as lines of text, and the verdict."""
    width = max(len(errors.method.label) for errors in report.errors)
    units = ", each in units of the spread of its column" if report.relative else ""
    counts = (
        f"{report.n_hidden:,} of {report.observed:,} given cells, hidden {report.repeats} times"
    )
    lines = [f"Errors on {counts}{units}:"]
    for errors in report.errors:
        rmse = _with_deviation(errors.rmse)
        line = f"  {errors.method.label:{width}}  RMSE {rmse}   MAE {_with_deviation(errors.mae)}"
        if errors.covered is not None:
            level = percent(report.level, digits=6)
            line += f"   {percent(errors.covered.mean())} inside the {level} interval"
        if len(errors.rmse) < report.repeats:
            line += f"   ({len(errors.rmse)} times)"
        lines.append(line)
    sentences = (report.tuning_sentence(), report.selection_sentence())
    return [*lines, report.verdict(), *filter(None, sentences)]


def _with_deviation(values: np.ndarray) -> str:
    deviation = f" ± {values.std(ddof=1):.3f}" if len(values) > 1 else ""
    return f"{values.mean():.3f}{deviation}"

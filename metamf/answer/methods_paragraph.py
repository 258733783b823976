"""A paragraph for the methods section of a paper: what filled a table in, and how well it
predicts."""

from __future__ import annotations

from metamf.answer.draws_file import SeveralTables
from metamf.answer.holdout import Report
from metamf.version import __version__
from metamf.wording import listed, percent

COLUMN_MEANS = "col_means"  # key of the method that the error is compared with


def methods_paragraph(
    missing: int,
    cells: int,
    method: str,
    *,
    scales: tuple[str, ...] = (),
    own_units: bool = False,
    report: Report | None = None,
    report_seed: int | None = None,
    used: str = "",
    drawn: SeveralTables | None = None,
) -> str:
    """Returns one paragraph in the past tense, without line breaks, that can be printed as it is.

    missing, cells : gaps that were filled, and all cells of the columns with gaps
    method : what filled the gaps, as people read it, such as 'universal'
    scales : the scales of the columns, such as '1 to 7'; none where each column has its own unit
    own_units : whether there are columns that share no scale, each in its own unit
    report, used : errors on hidden values, and the ``Method.name`` of the method that was used, by
        default the first one that has intervals; report_seed : the seed of what was hidden
    drawn : the tables of multiple imputation
    """
    share = percent(missing / cells) if cells else percent(0.0)
    details = [f"method \u201c{method}\u201d"]
    if scales:
        noun = "scale" if len(scales) == 1 else "scales"
        details.append(f"{noun} {listed(list(scales))}")
    if own_units:
        details.append(
            "other columns in their own units" if scales else "each column in its own unit"
        )
    sentences = [
        f"Missing values ({missing:,} of {cells:,} cells, {share}) were estimated with MetaMF "
        f"{__version__} ({', '.join(details)})."
    ]
    if report is not None:
        sentences.append(_of_the_check(report, used, report_seed))
    if drawn is not None:
        sentences.append(
            f"Analyses used {drawn.m} multiply imputed tables (seed {drawn.seed}; for "
            f"{drawn.purpose})."
        )
    return " ".join(sentence for sentence in sentences if sentence)


def _of_the_check(report: Report, used: str, seed: int | None) -> str:
    """A sentence on the errors of the hidden values, next to the column means', and coverage."""
    errors = report.named(used)
    if not used:
        errors = next((one for one in report.errors if one.covered is not None), None)
    if errors is None:
        return ""
    share = percent(report.n_hidden / report.observed)
    unit = " standard deviations of the column" if report.relative else ""
    times = "once" if report.repeats == 1 else f"{report.repeats} times"
    hidden = f"When {share} of the given values were hidden at random, {times}"
    said = f"{hidden}{'' if seed is None else f' (seed {seed})'}, the root mean squared error was "
    said += f"{report.typical(errors):.3g}{unit}"
    means = report.named(COLUMN_MEANS)
    if means is not None and means is not errors:
        said += f" (column means: {report.typical(means):.3g})"
    if errors.covered is None:
        return f"{said}."
    inside, level = percent(float(errors.covered.mean())), percent(report.level)
    return f"{said}; {inside} of the hidden values lay in their {level} intervals."

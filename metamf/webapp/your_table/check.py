"""How good the estimates are on the visitor's own numbers: the errors of all methods on given cells
that were hidden from them, measured by a worker."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from metamf.answer.holdout import FEWEST_OBSERVED, MethodErrors, Report
from metamf.answer.methods import Method, contender, usual_repeats
from metamf.checkpoints.bundled import find_checkpoint, list_pretrained
from metamf.tables.table import Table
from metamf.webapp import jobs, look
from metamf.webapp.data import own
from metamf.webapp.data.own import TableKey
from metamf.webapp.engine import EngineError, Job
from metamf.webapp.your_table.measuring import check
from metamf.wording import counted, percent, rounded

_SECONDS = 300  # time limit of a check
_UNASKED = 5_000  # given cells up to which errors are measured without being asked for
_MEASURED = 200_000  # given cells up to which they are measured at all


def begin(table: Table, key: TableKey) -> None:
    """Begins the check of a small table, so that it is measured while the table is filled in."""
    if FEWEST_OBSERVED <= table.ratings.nnz <= _UNASKED and known_errors(key) is None:
        _begin(table, key)


def how_good(table: Table, key: TableKey, shown: Method) -> None:
    """Draws the verdict as far as it is known; ``shown`` is the method that fills in now."""
    look.heading("How good is it on your data?")
    report = known_errors(key)
    if report is not None:
        _draw(report, shown)
        return
    given = table.ratings.nnz
    if not FEWEST_OBSERVED <= given <= _MEASURED:
        few = "too few to check the estimates"
        many = "too many to check while you wait"
        look.small(f"{counted(given, 'number')}: {few if given < FEWEST_OBSERVED else many}.")
        return
    job = jobs.known("check", key)
    if job is None:
        look.small("A tenth of your numbers is hidden repeatedly and estimated by all methods.")
        if not st.button("Check it, about a minute", key="table_measure"):
            return
        job = _begin(table, key)
        report = known_errors(key)
        if report is not None:
            _draw(report, shown)
            return
    if job.ended:
        failed = "The check failed on this machine."
        look.note(str(job.error) if isinstance(job.error, EngineError) else failed, "warning")
        again = partial(jobs.forget, "check")
        st.button("Check again", key="table_check_again", on_click=again)
        return
    doing = "Hiding some of your numbers and estimating them, about a minute"
    jobs.follow("check", partial(_draw_so_far, shown), doing)


def _begin(table: Table, key: TableKey) -> Job:
    ratings = replace(table.ratings, row_labels=None, col_labels=None)  # no name leaves the page
    repeats = usual_repeats(ratings.nnz)
    return jobs.begin("check", key, check, ratings, repeats, seconds=_SECONDS, long=True)


def known_errors(key: TableKey) -> Report | None:
    """The errors on hidden cells, once all are measured or the check was stopped."""
    job = jobs.known("check", key)
    found = None
    if job is not None and job.ended:
        found = job.result or job.now.get("report")
    shared = _shared(key)
    if shared is not None:
        if found and job is not None and job.result and not job.limited:  # complete
            shared["report"] = found
        if shared:
            jobs.forget("check")
        found = shared.get("report", found)
    return report_of(found) if found else None


def _shared(key: TableKey) -> dict[str, Any] | None:
    """What all visitors share of the check of the example; None for another table."""
    if key.edits or key.digest != own.example().digest:
        return None
    return _reports(
        tuple((name, find_checkpoint(name).stat().st_mtime_ns) for name in list_pretrained())
    )


@st.cache_resource(max_entries=5, show_spinner=False)
def _reports(versions: tuple[tuple[str, int], ...]) -> dict[str, Any]:
    return {}


def report_of(values: dict) -> Report:
    """The report that a worker has sent."""
    methods = {found["key"]: contender(found["key"]) for found in values["methods"]}
    return Report.from_dict(values, methods)


def _draw_so_far(shown: Method, job: Job) -> None:
    if found := job.now.get("report"):
        report = report_of(found)
        look.small(so_far(report))
        with st.expander("The errors of all methods", expanded=True):
            _table(report, None)


def _draw(report: Report, shown: Method) -> None:
    """Draws the verdict, the coverage of intervals, other methods to choose, and the errors."""
    if report.winners:
        look.finding(report.verdict())
        look.small(report.selection_sentence())
    else:
        look.note(report.verdict(), "warning")
    for errors in report.errors:
        if errors.covered is not None and errors.method.name == shown.name:
            look.small(
                f"Of the {len(errors.rmse) * report.n_hidden:,} hidden numbers "
                f"{percent(errors.covered.mean())} lay inside the {percent(report.level)} interval "
                f"of {errors.method.label}."
            )
    for how, sentence in other_methods(report, shown):
        label = f"Fill in by {how.label}"
        look.note_with_button(sentence, label, f"table_use_{how.name}", _choose, how.name)
    with st.expander("The errors of all methods"):
        _table(report, report.recommended.method.name)


def so_far(report: Report) -> str:
    """What the methods that are measured by now show."""
    first = report.errors[0]
    if all(errors.method.reference for errors in report.errors):
        return "So far: only averages. The methods that should beat them are still being measured."
    if first.method.reference:
        return (
            f"So far: no method has a smaller error than {first.method.in_sentence}. Others are "
            "still being measured."
        )
    chance = "" if first in report.winners else ", though its lead over the averages may be chance"
    return (
        f"So far: {first.method.in_sentence} has the smallest error{chance}. Others are still "
        "being measured."
    )


def other_methods(report: Report, shown: Method) -> list[tuple[Method, str]]:
    """The methods to choose instead of the shown one, each with the reason: one that is better, and
    one with intervals. None has a larger error than the shown one, but for its intervals."""
    before = next((errors for errors in report.errors if errors.method.name == shown.name), None)
    found: list[tuple[Method, str]] = []
    better = report.recommended if report.winners else report.errors[0]
    how = better.method
    if how.name != shown.name and _is_better(report, better, before):
        sentence = f"Filled in by {shown.in_sentence} now. {_gain(report, better, before)}"
        if shown.gives_intervals and not how.gives_intervals:
            sentence += f" It gives no intervals; those of {shown.label} stay a click away."
        found.append((how, sentence))
    if shown.gives_intervals or any(how.gives_intervals for how, _ in found):
        return found
    for errors in report.errors:
        if errors.method.gives_intervals:
            words = f"{shown.label} gives no intervals. {errors.method.label} does."
            return [*found, (errors.method, words)]
    return found


def _is_better(report: Report, better: MethodErrors, before: MethodErrors | None) -> bool:
    """Whether a method has a smaller error than the shown one, or, where that was not measured,
    surely a smaller one than the averages."""
    if before is None:
        return bool(report.winners)
    return report.typical(better) < report.typical(before)


def _gain(report: Report, better: MethodErrors, before: MethodErrors | None) -> str:
    how = better.method.in_sentence
    if before is None:
        return f"Of the methods that were measured, the check recommends {how}."
    gain = percent(1 - report.typical(better) / report.typical(before), 1)
    chance = "" if report.surely_smaller(better, before) else ", which may be chance"
    return f"The typical error of {how} is {gain} smaller{chance}."


def _choose(method: str) -> None:
    st.session_state.table_method = method


def _table(report: Report, use: str | None) -> None:
    """Draws the errors of all methods; ``use``: name of the method to use, None while others are
    being measured."""
    worst = max(report.typical(errors) for errors in report.errors) or 1.0
    rows = "".join(
        _row(report, errors, worst, errors.method.name == use) for errors in report.errors
    )
    st.html(
        '<table class="mf-table mf-holdout"><thead><tr><th scope="col">Method</th><th scope="col" '
        'class="n">typical error</th><th scope="col" class="n">in the interval</th><td '
        f'class="bars"></td></tr></thead><tbody>{rows}</tbody></table>'
    )
    units = "In the units of your columns."
    if report.relative:
        units = (
            "Your columns are measured in different units, so each error is in units of the spread "
            "of its column: 1 is as bad as guessing the column's average."
        )
    look.small(
        f"{counted(report.n_hidden, 'number')} of {report.observed:,} were hidden from all methods "
        f"alike, {report.repeats} times; mean and spread over these times. The typical error is "
        f"the root of the mean squared error. {units}"
    )


def _row(report: Report, errors: MethodErrors, worst: float, best: bool) -> str:
    """A line of the table of errors as HTML."""
    how = errors.method
    tag = ""
    if best:
        tag = '<span class="tag">use this</span>'
    elif how.reference:
        tag = "<i>to beat</i>"
    about = how.explanation
    if len(errors.rmse) < report.repeats:
        about += f"; measured {len(errors.rmse)} times"
    typical = report.typical(errors)
    spread = rounded(errors.rmse.std(ddof=1))
    inside = "" if errors.covered is None else percent(errors.covered.mean())
    return (
        f'<tr class="{"best" if best else ""}"><td>{escape(how.label)} {tag}'
        f'<small class="said">{escape(about)}</small></td>'
        f'<td class="n">{rounded(typical)} <small>± {spread}</small></td>'
        f'<td class="n">{inside}</td><td class="bars">'
        f'<span class="bar" style="width:{100 * typical / worst:.0f}%"></span></td></tr>'
    )

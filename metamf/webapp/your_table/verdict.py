"""How good the estimates are: the verdict on all methods, measured by a worker, and tuning to the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from metamf.answer.filling import within_scale
from metamf.answer.holdout import FEWEST_OBSERVED, MethodErrors, Report
from metamf.answer.methods import (
    ADDS_TUNING,
    Method,
    contender,
    label_in_sentence,
    method,
    usual_repeats,
    with_members,
)
from metamf.learning.tuning import FEWEST_TO_TUNE
from metamf.ratings.matrix import Ratings
from metamf.tables.table import Table
from metamf.webapp import look
from metamf.webapp.engine import EngineError, Job, RefusedError, engine, visitor
from metamf.webapp.session import forget, keep, recall, remember
from metamf.webapp.visits import new_folder
from metamf.webapp.your_table import jobs, state
from metamf.webapp.your_table.state import TUNED, ErrorsKey, FillingKey
from metamf.wording import counted, percent, rounded, with_minus

_SECONDS = 300  # time limit of a verdict
_UNASKED = 5_000  # ratings up to which errors are measured without being asked for
_MEASURED = 200_000  # ratings up to which they are measured at all
REFRESH = 0.5  # seconds between two looks at a job
TUNING_SECONDS = 30  # time limit of tuning
MEASURING_SECONDS = 45  # time limit of the measurement of its gain
_MOST_REPEATS = 10  # of the verdict that are measured with a tuned network, each with another tuning
_PATIENCE = 90  # seconds more, for starting and for the last check
TUNED_UNASKED = 20_000  # ratings up to which tuning begins by itself
MOST_TUNED = 200_000  # ratings up to which it is offered
LABEL = "Universal, tuned to your table"


def how_good(table: Table, key: FillingKey) -> None:
    """Draws the verdict and the tuning as far as they are known, and asks workers for them: on request, or at once for
    a small table, which they then measure while it is filled in."""
    look.heading("How good is it on your data?")
    ratings = within_scale(replace(table.ratings, scale=key.errors.scale), key.errors.outside)
    ratings = replace(ratings, row_labels=None, col_labels=None)  # no name leaves the page
    _verdict(ratings, key)
    _tuning(ratings, key.errors)


def known_errors(key: ErrorsKey) -> Report | None:
    """The errors on hidden ratings once all is measured, with those of the tuned network where they were measured."""
    job = recall("verdict", key)
    tuning = recall("tuning", key)
    shared = state.shared_verdict(key)
    found = None if job is None or not job.ended else job.result or job.now.get("report")
    if shared is not None:  # the example, which is measured once for all visitors
        if found and job.result and not job.limited:  # complete
            shared["report"] = found
        if shared:
            forget("verdict")
            found = shared["report"]
    if not found:
        return None
    tuned_by = tuning.id if tuning is not None and tuning.ended else None
    return remember("errors", (key, job and job.id, tuned_by), lambda: with_tuned(report_of(found), key))


def report_of(values: dict) -> Report:
    """The report that a worker has sent."""
    return Report.from_dict(values, {found["key"]: contender(found["key"]) for found in values["methods"]})


def with_tuned(report: Report, key: ErrorsKey) -> Report:
    """A verdict with the errors of the network that was tuned to this table, where they were measured."""
    how = tuned(key)
    if how is None or not (measured := recall("tuning", key).result["errors"]):
        return report
    [errors] = Report.from_dict(measured, {how.name: how}).errors
    return report.and_of(errors)


def tuned(key: ErrorsKey) -> Method | None:
    """The network that was tuned to this table as a method; None where there is none."""
    job: Job | None = recall("tuning", key)
    if job is None or job.state != "done" or not job.result["kept"]:
        return None
    return remember("tuned", job.id, lambda: _tuned(job))[0]


def _tuned(job: Job) -> tuple[Method, TemporaryDirectory]:
    """The tuned network as a method, and the folder of its file, which is gone with the visit."""
    folder = new_folder()
    path = Path(folder.name, "Universal, tuned.safetensors")
    path.write_bytes(job.result["checkpoint"])
    asked = contender(job.result["name"], seconds=float(TUNING_SECONDS))
    members = {name: value for name, value in asked.settings.items() if name == "members"}
    how = method(str(path), standardize=job.result["standardize"], **members)
    explanation = "Learned from many tables, and moved a little for this one."
    return replace(asked, label=LABEL, explanation=explanation, predict=how.predict, info=how.info), folder


def method_of(key: FillingKey) -> Method:
    """The method that fills in.

    Where some ratings are hidden from it, the network before tuning replaces the tuned one, which has seen them.
    """
    report, name = known_errors(key.errors), key.method
    if name == TUNED and (how := tuned(key.errors)) is not None:
        if not key.settings.hold_out:
            return how
        name = how.name_untuned
    own_units = report is not None and report.relative
    return remember("method", (name, own_units), lambda: contender(name, own_units))


def _begin(name: str, key: ErrorsKey, function: Callable, *arguments: object, seconds: float) -> bool:
    """Asks a worker for a job, in place of the one before under that name; whether it has taken that on."""
    forget(name)
    try:
        keep(name, key, engine().submit(function, *arguments, owner=visitor(), seconds=seconds, long=True))
    except EngineError as error:
        look.note(str(error), "warning")
        st.button("Try again", key=f"table_{name}_again")
        return False
    return True


def _verdict(ratings: Ratings, key: FillingKey) -> None:
    report, job = known_errors(key.errors), recall("verdict", key.errors)
    if report is not None:
        _draw(report, key)
    elif not FEWEST_OBSERVED <= ratings.nnz <= _MEASURED:
        few = "too few to check the estimates" if ratings.nnz < FEWEST_OBSERVED else "too many to check while you wait"
        look.small(f"{counted(ratings.nnz, 'rating')}: {few}.")
    elif job is not None and job.ended:
        why = str(job.error) if isinstance(job.error, EngineError) else "The check failed on this machine."
        look.note(why, "warning")
        st.button("Check again", key="table_verdict_again", on_click=forget, args=("verdict",))
    else:
        if job is None:
            if ratings.nnz > _UNASKED:
                look.small("Some of your ratings are hidden, and all methods estimate them from the others.")
                if not st.button("Measure", type="primary", key="table_measure"):
                    return
            repeats = usual_repeats(ratings.nnz)
            if not _begin("verdict", key.errors, jobs.verdict, ratings, repeats, seconds=_SECONDS):
                return
        st.fragment(_follow_verdict, run_every=REFRESH)(key)


def _follow_verdict(key: FillingKey) -> None:
    """Draws what is known by now; the whole page once everything is."""
    job: Job | None = recall("verdict", key.errors)
    if job is None or job.ended or known_errors(key.errors) is not None:
        st.rerun()
    now = job.now
    if found := now.get("report"):
        _draw(report_of(found), key, whole=False)
    share = now["done"] / now["total"] if now else 0.0
    doing = f"measuring {label_in_sentence(now['label'])} …" if now and now["label"] else job.waits_for or "beginning …"
    st.progress(share, f"Hiding some of your ratings and estimating them: {doing}")


def _tuning(ratings: Ratings, key: ErrorsKey) -> None:
    """Draws the gain of tuning or its progress; begins it once the verdict on a small table is known."""
    job, report = recall("tuning", key), known_errors(key)
    if job is not None and job.ended:
        look.small(outcome_in_words(job, report))
        return
    if job is None:
        if not FEWEST_TO_TUNE <= ratings.nnz <= MOST_TUNED:
            return
        unasked = report is not None and ratings.nnz <= TUNED_UNASKED and not state.is_example(key)
        if not (unasked or st.button("Tune to this table", icon=":material/tune:", key="table_tune")):
            return
        beside = "".join(how.name.removeprefix("universal") for how in with_members(ratings))
        name = f"universal{ADDS_TUNING}{beside}"  # of which the verdict measures the untuned one, too
        how = ratings, name, min(_MOST_REPEATS, usual_repeats(ratings.nnz)), TUNING_SECONDS, MEASURING_SECONDS
        limit = TUNING_SECONDS + MEASURING_SECONDS + _PATIENCE
        if not _begin("tuning", key, jobs.tune_table, *how, seconds=limit):
            return
    st.fragment(_follow_tuning, run_every=REFRESH)(key)


def _follow_tuning(key: ErrorsKey) -> None:
    job: Job | None = recall("tuning", key)
    if job is None or job.ended:
        st.rerun()  # the whole page, since it may be the best method here
    bar, button = st.columns([4, 1], vertical_alignment="center")
    bar.progress(*progress_of(job))
    button.button(
        "Stop tuning",
        key="table_tune_stop",
        on_click=job.stop,
        disabled=job.state == "stopping",
        help="The progress so far is kept",
    )


def progress_of(job: Job) -> tuple[float, str]:
    """The share that is done, and a sentence."""
    if job.waits_for:
        return 0.0, f"Tuning to this table: {job.waits_for}"
    if repeats := job.now.get("repeats"):
        done = job.now["repeat"]
        return done / repeats, (
            f"Tuned to this table. Measuring the gain by tuning again without some ratings: {done} of at most "
            f"{repeats} times"
        )
    if not job.rows:
        return 0.0, "Tuning to this table: beginning …"
    row = job.rows[-1]
    change = with_minus(percent(row["best"] / row["first"] - 1, 1))
    return (
        min(1.0, row["step"] / row["steps"]),
        f"Tuning to this table: step {row['step']} of at most {row['steps']}. The error on hidden ratings of yours "
        f"changed by {change}",
    )


def outcome_in_words(job: Job, report: Report | None) -> str:
    """The gain of the tuning with its spread, where ``report`` has the errors of the tuned network."""
    found = job.result
    if job.state != "done":
        ended = "Tuning to this table ended before its first result."
        return str(job.error) if isinstance(job.error, (EngineError, RefusedError)) else ended
    if not found["kept"]:
        return (
            f"Tuning to this table did not help on {counted(found['checked'], 'rating')} hidden from it, so the "
            "network is used as it is."
        )
    steps = f"Tuned to this table in {counted(found['kept'], 'step')}."
    if report is not None and (sentence := report.tuning_sentence()):
        return f"{steps} {sentence}"
    return f"{steps} The gain on hidden ratings was not measured, so it is used only if you choose it."


def _draw(report: Report, key: FillingKey, whole: bool = True) -> None:
    """Draws the verdict, the intervals' coverage, other methods to choose, and the errors; ``whole``: whether all
    methods are measured."""
    best = report.recommended.method
    if not whole:
        look.small(so_far(report))
    elif report.winners:
        look.finding(report.verdict())
        look.small(report.selection_sentence())
    else:
        look.note(report.verdict(), "warning")
    if whole:
        if sentence := report.describing_sentence():
            look.small(sentence)
        for errors in report.errors:
            if errors.covered is not None:
                look.small(
                    f"Of the {len(errors.rmse) * report.n_hidden:,} hidden ratings {percent(errors.covered.mean())} "
                    f"lay inside the {percent(report.level)} interval of {errors.method.label}."
                )
        for how, sentence in other_methods(report, key, method_of(key)):
            use = TUNED if how.tuned else how.name
            look.note_with_button(sentence, f"Fill in by {how.label}", f"table_use_{use}", _choose, use)
    with st.expander("The errors of all methods", expanded=not whole):
        st.html(_table(report, best.name if whole else None))
        units = (
            "Your columns are measured in different units, so each error is in units of the spread of its column: 1 is "
            "as bad as guessing the column's average."
            if report.relative
            else "In the units of your ratings."
        )
        look.small(
            f"{counted(report.n_hidden, 'rating')} of {report.observed:,} were hidden from all methods alike, "
            f"{report.repeats} times; mean and spread over these times. The typical error is the root of the mean "
            f"squared error, before anything is rounded. {units} Settings of each method were chosen on your other "
            "ratings."
        )


def so_far(report: Report) -> str:
    """What the rows that are measured by now show; the table below it begins with the method that it names first."""
    first = report.errors[0]
    if all(errors.method.reference for errors in report.errors):
        return "So far: only averages. The methods that should beat them are still being measured."
    if first.method.reference:
        return (
            f"So far: no method has a smaller error than {first.method.in_sentence}. Others are still being measured."
        )
    chance = "" if first in report.winners else ", though its lead over the averages may be chance"
    return f"So far: {first.method.in_sentence} has the smallest error{chance}. Others are still being measured."


def better_average(report: Report, shown: MethodErrors | None) -> tuple[Method, str] | None:
    """The method with the smallest error and the reason to choose it, where no method surely beats the averages and the
    shown one is worse than the best of them."""
    means = report.reference
    if report.winners or shown is None or means is None or report.typical(shown) <= report.typical(means):
        return None
    first = report.errors[0]
    sentence = (
        f"Filled in by {shown.method.in_sentence} now, which is worse here than {means.method.in_sentence}: typical "
        f"error {report.typical(shown):.3g}, against {report.typical(means):.3g}."
    )
    if first is not means:
        sentence += f" {first.method.label} has the smallest, {report.typical(first):.3g}."
    return first.method, sentence


def other_methods(report: Report, key: FillingKey, shown: Method) -> list[tuple[Method, str]]:
    """The methods to choose instead of the shown one, each with the reason: a better one, and one with intervals."""
    before = next((errors for errors in report.errors if errors.method.name == shown.name), None)
    if better := better_average(report, before):
        return [better]
    found: list[tuple[Method, str]] = []
    best = report.recommended
    how = best.method
    chosen = how.name == shown.name or (how.tuned and key.method == TUNED)
    if report.winners and not chosen:
        gain = 0.0 if before is None else 1 - report.typical(best) / report.typical(before)
        if before is not None and gain > 0:
            chance = "" if report.surely_smaller(best, before) else ", which may be chance"
            sentence = f"The typical error of {how.in_sentence} is {percent(gain, 1)} smaller{chance}."
        else:
            sentence = f"The check recommends {how.in_sentence}."
        if shown.gives_intervals and not how.gives_intervals:
            sentence += f" It gives no intervals; those of {shown.label} stay a click away."
        found.append((how, f"Filled in by {shown.in_sentence} now. {sentence}"))
    if not (shown.gives_intervals or (found and how.gives_intervals)):
        sure = next((errors.method for errors in report.errors if errors.method.gives_intervals), None)
        if sure is not None:
            found.append((sure, f"{shown.label} gives no intervals. {sure.label} does."))
    return found


def _choose(method: str) -> None:
    st.session_state.table_method = method


def _table(report: Report, use: str | None) -> str:
    """The errors of all methods as HTML; ``use``: name of the method to use, None while others are being measured."""
    worst = max(report.typical(errors) for errors in report.errors) or 1.0
    rows = ""
    for errors in report.errors:
        best = errors.method.name == use
        tag = '<span class="tag">use this</span>' if best else "<i>to beat</i>" if errors.method.reference else ""
        inside = "" if errors.covered is None else percent(errors.covered.mean())
        bar = f'<span class="bar" style="width:{100 * report.typical(errors) / worst:.0f}%"></span>'
        about = escape(errors.method.explanation)
        if len(errors.rmse) < report.repeats:
            about += f"; measured {len(errors.rmse)} times"
        spread = f"{rounded(report.typical(errors))} <small>± {rounded(errors.rmse.std(ddof=1))}</small>"
        rows += (
            f'<tr class="{"best" if best else ""}"><td>{escape(errors.method.label)} {tag}<small class="said">{about}'
            f'</small></td><td class="n">{spread}</td><td class="n">{inside}</td><td class="bars">{bar}</td></tr>'
        )
    return (
        '<table class="mf-table mf-holdout"><thead><tr><th scope="col">Method</th><th scope="col" class="n">typical '
        'error</th><th scope="col" class="n">in the interval</th><td class="bars"></td></tr>'
        f"</thead><tbody>{rows}</tbody></table>"
    )

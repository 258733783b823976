"""Quality of the estimates: the errors of all methods on the visitor's own ratings, the verdict on them, and the gain
of tuning the network to the table.

Jobs of the engine measure (``task``) and tune (``tuning``), so no click disturbs them; this module draws how far they
are.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from html import escape

import streamlit as st

from metamf.evaluate.filling import Filling, within_scale
from metamf.evaluate.holdout import FEWEST_OBSERVED, HoldoutReport, MethodErrors
from metamf.evaluate.methods import contender, label_in_sentence, usual_repeats
from metamf.learning.tuning import FEWEST_TO_TUNE
from metamf.ratings.matrix import Ratings
from metamf.tables.table import Table
from metamf.webapp import look
from metamf.webapp.engine import EngineError, Job, engine, visitor
from metamf.webapp.your_table import of_example, task, tuning
from metamf.webapp.your_table.keys import TUNED, ErrorsKey, FillingKey
from metamf.webapp.your_table.state import fill_in_by, forget, keep, recall, remember
from metamf.webapp.your_table.words import SAID
from metamf.wording import counted, percent, rounded

REFRESH = 0.5  # seconds between two looks at a job
_SECONDS = 300  # time limit of a verdict
_UNASKED = 5_000  # ratings up to which errors are measured without being asked for
_MEASURED = 200_000  # ratings up to which they are measured at all

_NOTHING_YET = "nothing predicts these ratings better than their average; other methods are still to come."
_AVERAGES_YET = "averages alone; what has to beat them is still to come."


@dataclass(frozen=True)
class Verdict:
    """A report, ready to be drawn.

    Attributes
    ----------
    sentence : recommendation of a method, or the news that none is better than an average
    helps : whether there is one that is
    so_far : the same while other methods are still to come
    use, label : key and label of the method to use
    coverage : sentences on the intervals
    table : the errors of all methods, as HTML
    measured : account of how they were measured
    """

    sentence: str
    helps: bool
    so_far: str
    use: str
    label: str
    coverage: list[str]
    table: str
    measured: str


def known_errors(key: FillingKey) -> HoldoutReport | None:
    """The errors on hidden ratings, if they are known by now."""
    return recall("holdout", key.errors)


def begin_measuring(table: Table, key: FillingKey) -> None:
    """Asks a worker for the verdict on a small table before the table is filled in, so that both are under way."""
    if recall("measuring", key.errors) is not None or known_errors(key) is not None or table.ratings.nnz > _UNASKED:
        return
    ratings = within_scale(replace(table.ratings, scale=key.errors.scale), key.errors.outside)
    if ratings.nnz >= FEWEST_OBSERVED and _of_others(key.errors, ratings) is None:
        with suppress(EngineError):  # ``how_good`` asks again, and says it
            _submit(ratings, key.errors)


def how_good(filling: Filling, key: FillingKey) -> None:
    """Draws the verdict, as far as it is known; a worker is asked for it where that takes seconds, or the visitor asks
    for it."""
    st.header("How good is it on your data?", anchor=False)
    ratings = filling.measurable
    report = known_errors(key) or _of_others(key.errors, ratings)
    if report is not None:
        _draw(remember("verdict", (key.errors, len(report.errors)), lambda: verdict_of(report)), key)
        return
    if not FEWEST_OBSERVED <= ratings.nnz <= _MEASURED:
        few = "too few to hide some and check" if ratings.nnz < FEWEST_OBSERVED else "too many to check while you wait"
        look.small(f"{counted(ratings.nnz, 'rating')}: {few}. Nobody can say how good the estimates are here.")
        return
    if recall("measuring", key.errors) is None:
        if ratings.nnz > _UNASKED:
            look.small("Some of your ratings are hidden, and all methods estimate them from the others.")
            if not st.button("Measure", type="primary", key="table_measure"):
                return
        if not _begin(ratings, key.errors):
            return
    st.fragment(_follow, run_every=REFRESH)(key, ratings)


def _of_others(key: ErrorsKey, ratings: Ratings) -> HoldoutReport | None:
    """The errors on the example table, if they were measured for somebody else.

    Then this visitor's own worker, whose turn may not even have come, is not needed any more.
    """
    found = of_example.verdict(key, usual_repeats(ratings.nnz))
    if found is None:
        return None
    if (begun := st.session_state.pop("table_verdict_job", None)) is not None:
        begun.cancel()
    forget("measuring")
    return keep("holdout", key, tuning.with_tuned(report_of(found), key))


def tuned(filling: Filling, key: FillingKey) -> None:
    """Draws what tuning has gained, or how far it is; begins it where the verdict is known and the table is small."""
    if (job := recall("tuned", key.errors)) is not None:
        report = known_errors(key)
        known = key.errors, job.id, report and len(report.errors)
        look.small(remember("tuned in words", known, lambda: tuning.outcome_in_words(job, report)))
        return
    ratings = filling.measurable
    observed = ratings.values.size
    if not FEWEST_TO_TUNE <= observed <= tuning.MOST_TUNED:
        return
    begun = recall("tuning", key.errors) is not None
    if begun and tuning.follow(key.errors):
        return
    small = observed <= tuning.TUNED_UNASKED and not of_example.is_it(key.errors)
    by_itself = not begun and known_errors(key) is not None and small
    wanted = by_itself or st.button("Tune to this table", icon=":material/tune:", key="table_tune")
    if wanted and tuning.begin(ratings, key.errors):
        tuning.follow(key.errors)


def _begin(ratings: Ratings, key: ErrorsKey) -> bool:
    """Asks a worker for the errors; whether it has taken that on."""
    try:
        _submit(ratings, key)
    except EngineError as error:
        look.note(str(error), "warning")
        st.button("Try again", key="table_verdict_again")
        return False
    return True


def _submit(ratings: Ratings, key: ErrorsKey) -> None:
    """Asks a worker for the errors; those of other settings are not wanted any more."""
    if (before := st.session_state.pop("table_verdict_job", None)) is not None:
        before.cancel()
    numbers, repeats = replace(ratings, row_labels=None, col_labels=None), usual_repeats(ratings.nnz)
    job = engine().submit(task.verdict, numbers, repeats, owner=visitor(), seconds=_SECONDS, long=True)
    st.session_state.table_verdict_job = keep("measuring", key, job)


def _follow(key: FillingKey, ratings: Ratings) -> None:
    """Draws what is known by now; the whole page once everything is."""
    job: Job | None = recall("measuring", key.errors)
    if job is not None and _of_others(key.errors, ratings) is not None:
        st.rerun()
    if job is None or (job.ended and not _latest(job)):
        forget("measuring")
        ended = job is not None and isinstance(job.error, EngineError)
        look.note(str(job.error) if ended else "The check could not be finished on this machine.", "warning")
        st.button("Check again", key="table_verdict_again")
        return
    found = _latest(job)
    if job.ended:
        if job.result and not job.limited:  # to its own end
            of_example.keep_verdict(key.errors, usual_repeats(ratings.nnz), found)
        keep("holdout", key.errors, tuning.with_tuned(report_of(found), key.errors))
        forget("measuring")
        st.rerun()
    now = job.now
    if found:
        known = remember("verdict so far", (key.errors, len(found["methods"])), lambda: verdict_of(report_of(found)))
        _draw(known, key, whole=False)
    share = now["done"] / now["total"] if now else 0.0
    waiting = f"waiting, number {job.place} in the queue" if job.place else "beginning …"
    doing = f"measuring {label_in_sentence(now['label'])} …" if now and now["label"] else waiting
    st.progress(share, f"Hiding some of your ratings and estimating them: {doing}")


def _latest(job: Job) -> dict | None:
    return job.result or job.now.get("report")


def report_of(values: dict) -> HoldoutReport:
    """The report that a worker has sent."""
    return HoldoutReport.from_dict(values, {found["key"]: contender(found["key"]) for found in values["methods"]})


def _draw(verdict: Verdict, key: FillingKey, whole: bool = True) -> None:
    if not whole:
        until = " Once all are measured, the best one fills in the table." if key.auto else ""
        look.small(f"So far: {verdict.so_far}{until}")
    elif verdict.helps:
        look.finding(verdict.sentence)
    else:
        look.note(verdict.sentence, "warning")
    if whole:
        for sentence in verdict.coverage:
            look.small(sentence)
        if verdict.use != key.method and not key.auto:
            st.button(f"Fill in by {verdict.label}", on_click=fill_in_by, args=(verdict.use,), key="table_use")
    with st.expander("The errors of all methods", expanded=not whole):
        st.html(verdict.table)
        look.small(verdict.measured)


def verdict_of(report: HoldoutReport) -> Verdict:
    """A report in words and as a table."""
    use = report.recommended.method
    coverage = [
        f"Of the {len(errors.rmse) * report.n_hidden:,} hidden ratings {percent(errors.covered.mean())} lay inside "
        f"the {percent(report.level)} interval of {errors.method.label}."
        for errors in report.errors
        if errors.covered is not None
    ]
    units = (
        "Your columns are measured in different units, so each error is in units of the spread of its column: 1 is as "
        "bad as guessing the column's average."
        if report.relative
        else "In the units of your ratings."
    )
    how = (
        f"{counted(report.n_hidden, 'rating')} of {report.observed:,} were hidden from all methods alike, "
        f"{report.repeats} times; mean and spread over these times. The typical error is the root of the mean squared "
        f"error, before anything is rounded. {units} Settings of each method were chosen on your other ratings."
    )
    key = TUNED if use.tuned else use.name
    helps = bool(report.winners)
    if helps:
        so_far = f"{use.label} predicts best."
    else:
        so_far = _AVERAGES_YET if all(errors.method.reference for errors in report.errors) else _NOTHING_YET
    return Verdict(report.verdict(), helps, so_far, key, use.label, coverage, _table(report, use.name), how)


def _table(report: HoldoutReport, use: str) -> str:
    worst = max(report.typical(errors) for errors in report.errors) or 1.0
    rows = ""
    for errors in report.errors:
        name, few = errors.method.name, len(errors.rmse) < report.repeats
        best = name == use
        tag = '<span class="tag">use this</span>' if best else "<i>to beat</i>" if errors.method.reference else ""
        inside = "" if errors.covered is None else percent(errors.covered.mean())
        bar = f'<span class="bar" style="width:{100 * report.typical(errors) / worst:.0f}%"></span>'
        said = escape(SAID.get(TUNED if errors.method.tuned else name, ""))
        said += f"; measured {len(errors.rmse)} times" if few else ""
        rows += (
            f'<tr class="{"best" if best else ""}"><td>{escape(errors.method.label)} {tag}<small class="said">{said}'
            f'</small></td><td class="n">{_spread(report, errors)}</td><td class="n">{inside}</td>'
            f'<td class="bars">{bar}</td></tr>'
        )
    return (
        '<table class="mf-table mf-holdout"><thead><tr><th scope="col">Method</th><th scope="col" class="n">typical '
        'error</th><th scope="col" class="n">in the interval</th><td class="bars"></td></tr>'
        f"</thead><tbody>{rows}</tbody></table>"
    )


def _spread(report: HoldoutReport, errors: MethodErrors) -> str:
    return f"{rounded(report.typical(errors))} <small>± {rounded(errors.rmse.std(ddof=1))}</small>"

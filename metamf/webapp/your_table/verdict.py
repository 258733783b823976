"""A description of each method, in words that need no book."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from metamf.evaluate.filling import Filling, within_scale
from metamf.evaluate.holdout import FEWEST_OBSERVED, HoldoutReport, MethodErrors
from metamf.evaluate.methods import ADDS_TUNING, Method, contender, label_in_sentence, method, usual_repeats
from metamf.imputer.adaptation import CONVERGED
from metamf.imputer.ensemble import most_members
from metamf.learning.tuning import FEWEST_TO_TUNE
from metamf.ratings.matrix import Ratings
from metamf.tables.table import Table
from metamf.webapp import look
from metamf.webapp.engine import EngineError, Job, RefusedError, engine, visitor
from metamf.webapp.your_table import state, task
from metamf.webapp.your_table.state import (
    AUTO,
    TUNED,
    ErrorsKey,
    FillingKey,
    fill_in_by,
    forget,
    keep,
    recall,
    remember,
)
from metamf.wording import counted, percent, rounded, with_minus

SAID = {
    "mean": "the average of all ratings, everywhere",
    "row_means": "the average of the row",
    "col_means": "the average of the column",
    "universal": "learned from many tables; with intervals",
    "universal+normal": "Universal and a linear model of the columns together, weighed by your ratings; with intervals",
    "universal+trees": "the same and trees on what the linear model misses, weighed by your ratings; with intervals",
    "tuned": "Universal moved a little for your table, anew each time ratings were hidden, with the same beside it",
    "ml-1m": "the paper's model, learned from film ratings",
    "ml-100k": "the paper's model, learned from film ratings",
    "jester": "the paper's model, learned from ratings of jokes",
    "damped_bias": "how high the row and the column lie, drawn to the average",
    "crossed_effects": "how high the row and the column lie, by what the table itself says",
    "normal": "what the other answers of the row say, by how columns go together",
    "knn": "the average of the most similar rows",
    "soft_impute": "the simplest pattern that agrees with the ratings",
    "als": "a few hidden traits of rows and columns",
    "iterative": "each column predicted from the others",
}


REFRESH = 0.5  # seconds between two looks at a job
TUNING_SECONDS = 30  # time limit of tuning
MEASURING_SECONDS = 45  # time limit of the measurement of its gain
_MOST_REPEATS = 10  # of the verdict that are measured with a tuned network, each with another tuning
_PATIENCE = 90  # seconds more, for starting and for the last check
TUNED_UNASKED = 20_000  # ratings up to which tuning begins by itself
MOST_TUNED = 200_000  # ratings up to which it is offered
LABEL = "Universal, tuned to your table"


def begin(ratings: Ratings, key: ErrorsKey) -> bool:
    """Asks a worker to tune the network to a table; whether it has taken that on."""
    if (before := st.session_state.pop("table_tuning_job", None)) is not None:
        before.cancel()
    numbers = replace(ratings, row_labels=None, col_labels=None)
    repeats = min(_MOST_REPEATS, usual_repeats(ratings.nnz))
    how = numbers, tuned_name(ratings), repeats, TUNING_SECONDS, MEASURING_SECONDS
    limit = TUNING_SECONDS + MEASURING_SECONDS + _PATIENCE
    try:
        job = engine().submit(task.tune_table, *how, owner=visitor(), seconds=limit, long=True)
    except EngineError as error:
        look.note(str(error), "warning")
        return False
    st.session_state.table_tuning_job = keep("tuning", key, job)
    return True


def tuned_name(ratings: Ratings) -> str:
    """The name of the tuned method for a table, as of ``metamf.evaluate.methods.contender``."""
    beside = most_members(ratings)
    return f"universal{ADDS_TUNING}" + ("" if beside is None else f"+{beside}")


def follow(key: ErrorsKey) -> bool:
    """Draws how far tuning is, and the whole page again once it has ended; whether there is a tuning to follow."""
    job: Job | None = recall("tuning", key)
    if job is None:
        return False
    if job.ended:
        keep("tuned", key, job)
        if (report := recall("holdout", key)) is not None:
            keep("holdout", key, with_tuned(report, key))
        st.rerun()  # it may be what does best here
    st.fragment(_follow, run_every=REFRESH)(key)
    return True


def _follow(key: ErrorsKey) -> None:
    job: Job | None = recall("tuning", key)
    if job is None or job.ended:
        st.rerun()  # the whole page
    bar, button = st.columns([4, 1], vertical_alignment="center")
    bar.progress(*progress_of(job))
    button.button(
        "Stop tuning",
        key="table_tune_stop",
        on_click=job.stop,
        disabled=job.state == "stopping",
        help="What it has reached is kept",
    )


def progress_of(job: Job) -> tuple[float, str]:
    """The share that is done, and a sentence on the error on the hidden part."""
    if job.place:
        return 0.0, f"Tuning to this table: waiting, number {job.place} in the queue"
    if repeats := job.now.get("repeats"):
        done = job.now["repeat"]
        return done / repeats, (
            f"Tuned to this table. Ratings are hidden, and it is tuned anew to the others, to measure the gain: "
            f"{done} of at most {repeats} times"
        )
    if not job.rows:
        return 0.0, "Tuning to this table: beginning …"
    row = job.rows[-1]
    change = with_minus(percent(row["best"] / row["first"] - 1, 1))
    return (
        min(1.0, row["step"] / row["steps"]),
        f"Tuning to this table: step {row['step']} of at most {row['steps']}; the error on a hidden part of your "
        f"ratings has changed by {change}",
    )


def outcome_in_words(job: Job, report: HoldoutReport | None) -> str:
    """The outcome of the tuning: its gain with its spread, where that was measured.

    ``report`` : the verdict, with the errors of the tuned network where they are known.
    """
    found = job.result
    if job.state != "done":
        ended = "Tuning to this table was ended before it had reached anything."
        return str(job.error) if isinstance(job.error, (EngineError, RefusedError)) else ended
    if not found["kept"]:
        return (
            f"Tuned to this table: that did not help on {counted(found['checked'], 'rating')} that were hidden from "
            "it, so the network is used as it is."
        )
    steps = f"Tuned to this table in {counted(found['kept'], 'step')}."
    if report is not None and (sentence := report.tuning_sentence()):
        return f"{steps} {sentence}"
    return f"{steps} What that gains on hidden ratings was not measured, so it is used only where you choose it."


def with_tuned(report: HoldoutReport, key: ErrorsKey) -> HoldoutReport:
    """A verdict with the errors of the network that was tuned to this table, where they were measured."""
    job: Job | None = recall("tuned", key)
    how = tuned(key)
    if job is None or how is None or not job.result["errors"]:
        return report
    [errors] = HoldoutReport.from_dict(job.result["errors"], {how.name: how}).errors
    return report.and_of(errors)


def tuned(key: ErrorsKey) -> Method | None:
    """The network that was tuned to this table as a method; None where there is none."""
    job: Job | None = recall("tuned", key)
    if job is None or job.state != "done" or not job.result["kept"]:
        return None
    asked = contender(job.arguments[1], seconds=float(TUNING_SECONDS))
    members = {name: value for name, value in asked.settings.items() if name == "members"}
    how = method(str(_file_of(job)), steps=CONVERGED, standardize=job.result["standardize"], **members)
    explanation = "Learned from many tables, and moved a little for this one."
    return replace(asked, label=LABEL, explanation=explanation, predict=how.predict, info=how.info)


def _file_of(job: Job) -> Path:
    """The file of the tuned network, in a folder that is gone with the visit."""
    folder = remember("tuned file", job.id, lambda: TemporaryDirectory(prefix="metamf-tuned-"))
    path = Path(folder.name, "Universal, tuned.safetensors")
    if not path.is_file():
        path.write_bytes(job.result["checkpoint"])
    return path


AT_FIRST = "universal"  # before anything is known


def used(choice: str, key: ErrorsKey, hide_some: bool = False) -> tuple[str, Method]:
    """The key of the method that a choice means, and the method.

    What does best here (``AUTO``) is Universal as long as nothing is known, then what the verdict recommends, which may
    be the network tuned to the table. Where some ratings are to be hidden from the method, that is the same network as
    it was before: the tuned one has seen them.
    """
    report: HoldoutReport | None = recall("holdout", key)
    if choice == AUTO:
        choice = AT_FIRST if report is None else recommended(report)
    how = tuned(key)
    if how is not None and choice in (TUNED, how.name):
        if not hide_some:
            return TUNED, how
        choice = how.name_untuned
    if choice == TUNED:  # there is none any more
        choice = AT_FIRST
    return choice, contender(choice, own_units=report is not None and report.relative)


def recommended(report: HoldoutReport) -> str:
    """The name of the method that a report recommends."""
    return report.recommended.method.name


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
    st.fragment(_follow_verdict, run_every=REFRESH)(key, ratings)


def _of_others(key: ErrorsKey, ratings: Ratings) -> HoldoutReport | None:
    """The errors on the example table, if they were measured for somebody else.

    Then this visitor's own worker, whose turn may not even have come, is not needed any more.
    """
    found = state.verdict(key, usual_repeats(ratings.nnz))
    if found is None:
        return None
    if (begun := st.session_state.pop("table_verdict_job", None)) is not None:
        begun.cancel()
    forget("measuring")
    return keep("holdout", key, with_tuned(report_of(found), key))


def show_tuning(filling: Filling, key: FillingKey) -> None:
    """Draws what tuning has gained, or how far it is; begins it where the verdict is known and the table is small."""
    if (job := recall("tuned", key.errors)) is not None:
        report = known_errors(key)
        known = key.errors, job.id, report and len(report.errors)
        look.small(remember("tuned in words", known, lambda: outcome_in_words(job, report)))
        return
    ratings = filling.measurable
    observed = ratings.values.size
    if not FEWEST_TO_TUNE <= observed <= MOST_TUNED:
        return
    begun = recall("tuning", key.errors) is not None
    if begun and follow(key.errors):
        return
    small = observed <= TUNED_UNASKED and not state.is_it(key.errors)
    by_itself = not begun and known_errors(key) is not None and small
    wanted = by_itself or st.button("Tune to this table", icon=":material/tune:", key="table_tune")
    if wanted and begin(ratings, key.errors):
        follow(key.errors)


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


def _follow_verdict(key: FillingKey, ratings: Ratings) -> None:
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
            state.keep_verdict(key.errors, usual_repeats(ratings.nnz), found)
        keep("holdout", key.errors, with_tuned(report_of(found), key.errors))
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

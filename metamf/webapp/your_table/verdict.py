"""How good the estimates are: the verdict on all methods, measured by a worker, and tuning to the table."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from metamf.evaluate.filling import Filling, within_scale
from metamf.evaluate.holdout import FEWEST_OBSERVED, HoldoutReport
from metamf.evaluate.methods import ADDS_TUNING, Method, contender, label_in_sentence, method, usual_repeats
from metamf.imputer.adaptation import CONVERGED
from metamf.imputer.ensemble import most_members
from metamf.learning.tuning import FEWEST_TO_TUNE
from metamf.ratings.matrix import Ratings
from metamf.tables.table import Table
from metamf.webapp import look
from metamf.webapp.engine import EngineError, Job, RefusedError, engine, visitor
from metamf.webapp.your_table import state, task
from metamf.webapp.your_table.state import AUTO, TUNED, ErrorsKey, FillingKey, forget, keep, recall, remember
from metamf.wording import counted, percent, rounded, with_minus

DESCRIPTIONS = {  # of each method, in words that need no book
    "mean": "the average of all ratings, everywhere",
    "row_means": "the average of the row",
    "col_means": "the average of the column",
    "universal": "learned from many tables; with intervals",
    "universal+normal": "Universal and a linear model of the columns together, weighed by your ratings; with intervals",
    "universal+trees": "the same and trees on what the linear model misses, weighed by your ratings; with intervals",
    "tuned": "Universal adjusted to your table, again each time ratings were hidden, with the same methods beside it",
    "ml-1m": "the paper's model, learned from film ratings",
    "ml-100k": "the paper's model, learned from film ratings",
    "jester": "the paper's model, learned from ratings of jokes",
    "damped_bias": "the levels of the row and the column, pulled towards the average",
    "crossed_effects": "the levels of the row and the column, pulled towards the average as the table suggests",
    "normal": "a linear model of each column from the other columns",
    "knn": "the average of the most similar rows",
    "soft_impute": "the simplest pattern that agrees with the ratings",
    "als": "a few hidden traits of rows and columns",
    "iterative": "each column predicted from the others",
}


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


def begin(ratings: Ratings, key: ErrorsKey) -> bool:
    """Asks a worker to tune the network to a table; False if it refuses."""
    if (before := st.session_state.pop("table_tuning_job", None)) is not None:
        before.cancel()
    numbers = replace(ratings, row_labels=None, col_labels=None)
    repeats = min(_MOST_REPEATS, usual_repeats(ratings.nnz))
    beside = most_members(ratings)
    name = f"universal{ADDS_TUNING}" + ("" if beside is None else f"+{beside}")  # as of ``contender``
    how = numbers, name, repeats, TUNING_SECONDS, MEASURING_SECONDS
    limit = TUNING_SECONDS + MEASURING_SECONDS + _PATIENCE
    try:
        job = engine().submit(task.tune_table, *how, owner=visitor(), seconds=limit, long=True)
    except EngineError as error:
        look.note(str(error), "warning")
        return False
    st.session_state.table_tuning_job = keep("tuning", key, job)
    return True


def follow(key: ErrorsKey) -> bool:
    """Draws the progress of tuning, and the whole page again once it has ended; False if there is no tuning."""
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
        help="The progress so far is kept",
    )


def progress_of(job: Job) -> tuple[float, str]:
    """The share that is done, and a sentence."""
    if job.place:
        return 0.0, f"Tuning to this table: waiting, number {job.place} in the queue"
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


def outcome_in_words(job: Job, report: HoldoutReport | None) -> str:
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


def used(choice: str, key: ErrorsKey, hide_some: bool = False) -> tuple[str, Method]:
    """The key of the method that a choice means, and the method.

    What does best here (``AUTO``) is Universal until the verdict recommends a method. Where some ratings are hidden
    from the method, the network before tuning replaces the tuned one, which has seen them.
    """
    report: HoldoutReport | None = recall("holdout", key)
    if choice == AUTO:
        choice = "universal" if report is None else recommended(report)
    how = tuned(key)
    if how is not None and choice in (TUNED, how.name):
        if not hide_some:
            return TUNED, how
        choice = how.name_untuned
    if choice == TUNED:  # which is gone
        choice = "universal"
    return choice, contender(choice, own_units=report is not None and report.relative)


def recommended(report: HoldoutReport) -> str:
    """The name of the method that a report recommends."""
    return report.recommended.method.name


def known_errors(key: FillingKey) -> HoldoutReport | None:
    """The errors on hidden ratings, if they are known by now."""
    return recall("holdout", key.errors)


def begin_measuring(table: Table, key: FillingKey) -> None:
    """Asks a worker for the verdict on a small table, which then runs while the table is filled in."""
    if recall("measuring", key.errors) is not None or known_errors(key) is not None or table.ratings.nnz > _UNASKED:
        return
    ratings = within_scale(replace(table.ratings, scale=key.errors.scale), key.errors.outside)
    if ratings.nnz >= FEWEST_OBSERVED and _of_others(key.errors, ratings) is None:
        with suppress(EngineError):  # ``how_good`` asks again, and shows the error
            _submit(ratings, key.errors)


def how_good(filling: Filling, key: FillingKey) -> None:
    """Draws the verdict as far as it is known, and asks a worker for it: at once for a small table, else on request."""
    st.header("How good is it on your data?", anchor=False)
    ratings = filling.measurable
    report = known_errors(key) or _of_others(key.errors, ratings)
    if report is not None:
        _draw(report, key)
        return
    if not FEWEST_OBSERVED <= ratings.nnz <= _MEASURED:
        few = "too few to hide some and check" if ratings.nnz < FEWEST_OBSERVED else "too many to check while you wait"
        look.small(f"{counted(ratings.nnz, 'rating')}: {few}. So nobody knows how good the estimates are here.")
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
    """The errors on the example, if they were measured for another visitor; then this one's worker is cancelled."""
    found = (state.shared_verdict(key, usual_repeats(ratings.nnz)) or {}).get("report")
    if found is None:
        return None
    if (begun := st.session_state.pop("table_verdict_job", None)) is not None:
        begun.cancel()
    forget("measuring")
    return keep("holdout", key, with_tuned(report_of(found), key))


def show_tuning(filling: Filling, key: FillingKey) -> None:
    """Draws the gain of tuning or its progress; begins it once the verdict on a small table is known."""
    if (job := recall("tuned", key.errors)) is not None:
        look.small(outcome_in_words(job, known_errors(key)))
        return
    ratings = filling.measurable
    observed = ratings.values.size
    if not FEWEST_TO_TUNE <= observed <= MOST_TUNED:
        return
    begun = recall("tuning", key.errors) is not None
    if begun and follow(key.errors):
        return
    small = observed <= TUNED_UNASKED and not state.is_example(key.errors)
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
    if job is None or (job.ended and not (job.result or job.now.get("report"))):
        forget("measuring")
        error = None if job is None else job.error
        why = str(error) if isinstance(error, EngineError) else "The check could not be finished on this machine."
        look.note(why, "warning")
        st.button("Check again", key="table_verdict_again")
        return
    found = job.result or job.now.get("report") or {}
    if job.ended:
        shared = state.shared_verdict(key.errors, usual_repeats(ratings.nnz))
        if shared is not None and job.result and not job.limited:  # complete
            shared["report"] = found
        keep("holdout", key.errors, with_tuned(report_of(found), key.errors))
        forget("measuring")
        st.rerun()
    now = job.now
    if found:
        _draw(report_of(found), key, whole=False)
    share = now["done"] / now["total"] if now else 0.0
    waiting = f"waiting, number {job.place} in the queue" if job.place else "beginning …"
    doing = f"measuring {label_in_sentence(now['label'])} …" if now and now["label"] else waiting
    st.progress(share, f"Hiding some of your ratings and estimating them: {doing}")


def report_of(values: dict) -> HoldoutReport:
    """The report that a worker has sent."""
    return HoldoutReport.from_dict(values, {found["key"]: contender(found["key"]) for found in values["methods"]})


def _draw(report: HoldoutReport, key: FillingKey, whole: bool = True) -> None:
    """Draws the recommendation, the intervals' coverage and the errors; ``whole``: whether all methods are measured."""
    best = report.recommended.method
    if not whole:
        until = " Once all are measured, the best one fills in the table." if key.auto else ""
        if report.winners:
            so_far = f"{best.label} predicts best."
        elif all(errors.method.reference for errors in report.errors):
            so_far = "only averages. The methods that should beat them are still being measured."
        else:
            so_far = "no method predicts these ratings better than their average. Others are still being measured."
        look.small(f"So far: {so_far}{until}")
    elif report.winners:
        look.finding(report.verdict())
    else:
        look.note(report.verdict(), "warning")
    if whole:
        for errors in report.errors:
            if errors.covered is not None:
                look.small(
                    f"Of the {len(errors.rmse) * report.n_hidden:,} hidden ratings {percent(errors.covered.mean())} "
                    f"lay inside the {percent(report.level)} interval of {errors.method.label}."
                )
        use = TUNED if best.tuned else best.name
        if use != key.method and not key.auto:
            st.button(f"Fill in by {best.label}", on_click=_choose, args=(use,), key="table_use")
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


def _choose(method: str) -> None:
    st.session_state.table_method = method


def _table(report: HoldoutReport, use: str | None) -> str:
    """The errors of all methods as HTML; ``use``: name of the method to use, None while others are being measured."""
    worst = max(report.typical(errors) for errors in report.errors) or 1.0
    rows = ""
    for errors in report.errors:
        name, best = errors.method.name, errors.method.name == use
        tag = '<span class="tag">use this</span>' if best else "<i>to beat</i>" if errors.method.reference else ""
        inside = "" if errors.covered is None else percent(errors.covered.mean())
        bar = f'<span class="bar" style="width:{100 * report.typical(errors) / worst:.0f}%"></span>'
        about = escape(DESCRIPTIONS.get(TUNED if errors.method.tuned else name, ""))
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

"""Tune to this table: the network is moved a little for the visitor's table by a worker, which measures what that is
worth on hidden ratings; the verdict takes it from there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import streamlit as st

from metamf.evaluate.holdout import HoldoutReport
from metamf.evaluate.methods import ADDS_TUNING, Method, contender, method, usual_repeats
from metamf.imputer.adaptation import CONVERGED
from metamf.imputer.ensemble import most_members
from metamf.ratings.matrix import Ratings
from metamf.webapp import look
from metamf.webapp.jobs.job import Shown
from metamf.webapp.jobs.line import PoolFullError
from metamf.webapp.jobs.states import State
from metamf.webapp.monitoring.fragments import fragment
from metamf.webapp.shared_pool import REFRESH, pool, visitor
from metamf.webapp.your_table.keys import ErrorsKey
from metamf.webapp.your_table.state import forget, keep, recall
from metamf.webapp.your_table.task import MEASURED_LEVEL, as_values
from metamf.wording import counted, percent, with_minus

TUNE_TASK = "metamf.webapp.your_table.tuning_task:tune_table"
TUNING_SECONDS = 30  # time limit of tuning
MEASURING_SECONDS = 45  # time limit of the measurement of its gain
_MOST_REPEATS = 10  # of the verdict that are measured with a tuned network, each with another tuning
_PATIENCE = 90  # seconds more, for starting and for the last check
TUNED_UNASKED = 20_000  # ratings up to which tuning begins by itself
MOST_TUNED = 200_000  # ratings up to which it is offered
LABEL = "Universal, tuned to your table"


def begin(ratings: Ratings, key: ErrorsKey) -> bool:
    """Asks a worker to tune the network to a table; whether it has taken that on."""
    before = st.session_state.pop("table_tuning_job", None)
    if before is not None:
        pool().forget(visitor(), before)
    try:
        arguments = {
            "ratings": as_values(ratings),
            "seconds": TUNING_SECONDS,
            "name": tuned_name(ratings),
            "level": MEASURED_LEVEL,
            "repeats": min(_MOST_REPEATS, usual_repeats(ratings.nnz)),
            "measuring": MEASURING_SECONDS,
        }
        limit = TUNING_SECONDS + MEASURING_SECONDS + _PATIENCE
        id = pool().submit(visitor(), TUNE_TASK, arguments, limit)
    except PoolFullError as error:
        look.note(str(error), "warning")
        return False
    st.session_state.table_tuning_job = keep("tuning", key, id)
    return True


def tuned_name(ratings: Ratings) -> str:
    """The name of the tuned method for a table, as of ``metamf.evaluate.methods.contender``."""
    beside = most_members(ratings)
    return f"universal{ADDS_TUNING}" + ("" if beside is None else f"+{beside}")


def follow(key: ErrorsKey) -> bool:
    """Draws how far tuning is, and the whole page again once it has ended; whether there is a tuning to follow."""
    job = pool().look(visitor(), recall("tuning", key))
    if job is None:
        return False
    if job.state.ended:
        keep("tuned", key, job)
        if (report := recall("holdout", key)) is not None:
            keep("holdout", key, with_tuned(report, key))
        st.rerun()  # it may be what does best here
    fragment(_follow, "Your table: tuning", REFRESH)(key)
    return True


def _follow(key: ErrorsKey) -> None:
    job = pool().look(visitor(), recall("tuning", key))
    if job is None or job.state.ended:
        st.rerun()  # the whole page
    bar, button = st.columns([4, 1], vertical_alignment="center")
    bar.progress(*progress_of(job))
    button.button(
        "Stop tuning",
        key="table_tune_stop",
        on_click=_stop,
        args=(job.id,),
        disabled=job.state is State.STOPPING,
        help="What it has reached is kept",
    )


def _stop(id: str) -> None:
    pool().stop(visitor(), id)


def progress_of(job: Shown) -> tuple[float, str]:
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


def outcome_in_words(job: Shown, report: HoldoutReport | None) -> str:
    """The outcome of the tuning: its gain with its spread, where that was measured.

    ``report`` : the verdict, with the errors of the tuned network where they are known.
    """
    found = job.result
    if job.state is not State.DONE:
        ended = "Tuning to this table was ended before it had reached anything."
        return job.sentence if job.why == "refused" else ended
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
    job: Shown | None = recall("tuned", key)
    how = tuned(key)
    if job is None or how is None or not job.result["errors"]:
        return report
    [errors] = HoldoutReport.from_dict(job.result["errors"], {how.name: how}).errors
    return report.and_of(errors)


def tuned(key: ErrorsKey) -> Method | None:
    """The network that was tuned to this table as a method; None where there is none."""
    job: Shown | None = recall("tuned", key)
    if job is None or job.state is not State.DONE or not job.result["kept"]:
        return None
    path: Path = job.folder / job.result["file"]
    if not path.is_file():
        forget("tuned")
        return None
    asked = contender(job.arguments["name"], seconds=float(TUNING_SECONDS))
    members = {name: value for name, value in asked.settings.items() if name == "members"}
    how = method(str(path), steps=CONVERGED, standardize=job.result["standardize"], **members)
    explanation = "Learned from many tables, and moved a little for this one."
    return replace(asked, label=LABEL, explanation=explanation, predict=how.predict, info=how.info)

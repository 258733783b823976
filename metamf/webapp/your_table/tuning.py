"""Tune to this table: the network is moved a little for the visitor's table by a worker, which measures what that is
worth on hidden ratings; the verdict takes it from there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from metamf.evaluate.holdout import HoldoutReport
from metamf.evaluate.methods import ADDS_TUNING, Method, contender, method, usual_repeats
from metamf.imputer.adaptation import CONVERGED
from metamf.imputer.ensemble import most_members
from metamf.ratings.matrix import Ratings
from metamf.webapp import look
from metamf.webapp.engine import EngineError, Job, RefusedError, engine, visitor
from metamf.webapp.your_table import task
from metamf.webapp.your_table.keys import ErrorsKey
from metamf.webapp.your_table.state import keep, recall, remember
from metamf.wording import counted, percent, with_minus

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

"""Tune to this table: the network is moved a little for the visitor's table by a worker, and used where that helps."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from metamf.filling.methods import Method, method
from metamf.imputer.adaptation import CONVERGED
from metamf.ratings.matrix import Ratings
from metamf.webapp import look
from metamf.webapp.jobs.job import Shown
from metamf.webapp.jobs.line import PoolFullError
from metamf.webapp.jobs.states import State
from metamf.webapp.monitoring.fragments import fragment
from metamf.webapp.shared_pool import REFRESH, pool, visitor
from metamf.webapp.your_table.keys import ErrorsKey
from metamf.webapp.your_table.state import forget, keep, recall
from metamf.webapp.your_table.task import as_values
from metamf.wording import counted, percent, with_minus

TUNE_TASK = "metamf.webapp.your_table.tuning_task:tune"
TUNING_SECONDS = 30  # time limit of tuning; chosen by hand
_PATIENCE = 90  # seconds more, for starting and for the last check; chosen by hand
TUNED_UNASKED = 20_000  # ratings up to which tuning begins by itself; chosen by hand
MOST_TUNED = 200_000  # ratings up to which it is offered; chosen by hand
_SURE = 2.0  # standard errors; chosen by hand


def begin(ratings: Ratings, key: ErrorsKey) -> bool:
    """Asks a worker to tune the network to a table; whether it has taken that on."""
    before = st.session_state.pop("table_tuning_job", None)
    if before is not None:
        pool().forget(visitor(), before)
    try:
        arguments = {"ratings": as_values(ratings), "seconds": TUNING_SECONDS}
        id = pool().submit(visitor(), TUNE_TASK, arguments, TUNING_SECONDS + _PATIENCE)
    except PoolFullError as error:
        look.note(str(error), "warning")
        return False
    st.session_state.table_tuning_job = keep("tuning", key, id)
    return True


def follow(key: ErrorsKey) -> bool:
    """Draws how far tuning is, and the whole page again once it has ended; whether there is a tuning to follow."""
    job = pool().look(visitor(), recall("tuning", key))
    if job is None:
        return False
    if job.state.ended:
        keep("tuned", key, gain_in_words(job))
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
    if not job.rows:
        return 0.0, "Tuning to this table: beginning …"
    row = job.rows[-1]
    change = with_minus(percent(row["best"] / row["first"] - 1, 1))
    return (
        min(1.0, row["step"] / row["steps"]),
        f"Tuning to this table: step {row['step']} of at most {row['steps']}; the error on a hidden part of your "
        f"ratings has changed by {change}",
    )


def gain_in_words(job: Shown) -> str:
    """The gain of the tuning, with its spread."""
    found = job.result
    if job.state is not State.DONE:
        ended = "Tuning to this table was ended before it had reached anything."
        return job.sentence if job.why == "refused" else ended
    if not found["kept"]:
        return (
            f"Tuned to this table: that did not help on {counted(found['checked'], 'rating')} that were hidden from "
            "it, so the network is used as it is."
        )
    gain, spread = 1 - found["error"] / found["first"], found["spread"] / (2 * found["first"] ** 2)
    chance = "" if helps(job) else " That may be chance, so it is not used by itself."
    return (
        f"Tuned to this table in {counted(found['kept'], 'step')}: on {counted(found['checked'], 'rating')} that were "
        f"hidden from tuning the typical error fell by {percent(gain, 1)}, give or take {percent(spread, 1)}.{chance}"
    )


def helps(job: Shown) -> bool:
    """Whether a tuning that has ended is better than the network as it was, beyond chance."""
    return job.state is State.DONE and bool(job.result["kept"]) and job.result["gain"] > _SURE * job.result["spread"]


def tuned(key: ErrorsKey) -> tuple[Method, bool] | None:
    """The network that was tuned to this table as a method, and whether it surely helps; None where there is none."""
    id = recall("tuning", key)
    job = None if id is None else pool().look(visitor(), id)
    if job is None or job.state is not State.DONE or not job.result["kept"]:
        return None
    path: Path = job.folder / job.result["file"]
    if not path.is_file():
        forget("tuning")
        return None
    how = method(str(path), steps=CONVERGED)
    values = {"tune": "auto", "tune_seconds": float(TUNING_SECONDS)}
    explanation = "Learned from many tables, and moved a little for this one."
    label = "Universal, tuned to your table"
    made = Method("universal", label, explanation, how.predict, how.gives_intervals, info=how.info, settings=values)
    return made, helps(job)

"""Follows a job of the engine on a page: its place in the queue, its progress, a button that ends
it.

There is one way. ``begin`` asks for a job and keeps it in the session by a name; another key under
the same name ends the job before. ``follow`` draws it in a fragment that runs twice a second, and
runs the page again at its end. ``outcome`` and ``result`` do both, and give what was computed. What
is made for a download is awaited by ``ended``, without a thread.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar

import streamlit as st

from metamf.webapp import look
from metamf.webapp.engine import EngineError, Job, engine, visitor

Result = TypeVar("Result")
SECONDS = 120  # time limit, about ten times what the largest table takes by the slowest method
REFRESH = 0.5  # seconds between two looks at a job
_MOMENT = 1.0  # seconds before anything is drawn, so that what is over soon moves nothing
_JOBS = "jobs"  # in the session: by name, the latest job
TRAINING = "training"  # the name of a training, which is about no table of the visitor's


class _Begun(NamedTuple):
    key: Hashable
    job: Job
    since: float


def begin(
    name: str,
    key: Hashable,
    function: Callable[..., Any],
    *arguments: Any,
    seconds: float = SECONDS,
    long: bool = False,
) -> Job:
    """The job ``function(*arguments)`` under that name and key, begun unless it was before.

    Ends the job that was begun under the name for another key. ``seconds`` and ``long`` are those
    of ``Engine.submit``, whose EngineError it raises.
    """
    job = known(name, key)
    if job is None:
        forget(name)
        job = engine().submit(function, *arguments, owner=visitor(), seconds=seconds, long=long)
        _begun()[name] = _Begun(key, job, time.monotonic())
    return job


def known(name: str, key: Hashable) -> Job | None:
    """The job that was begun under that name and key, or None."""
    found = _begun().get(name)
    return found.job if found is not None and found.key == key else None


def forget(*names: str) -> None:
    """Ends and forgets the jobs under these names; without a name all that may be about the
    visitor's table."""
    for name in names or [name for name in _begun() if name != TRAINING]:
        found = _begun().pop(name, None)
        if found is not None and not found.job.ended:
            found.job.cancel()


def outcome(
    name: str,
    key: Hashable,
    function: Callable[..., Result],
    *arguments: Any,
    seconds: float = SECONDS,
    doing: str = "",
) -> Result | None:
    """The result of ``function(*arguments)``, which the engine computes.

    None where that takes longer than a moment: the job is followed, and at its end the page runs
    again. Raises EngineError where there is no result, or the visitor has stopped it, until the
    button of ``show_end`` is pressed.
    """
    job = begin(name, key, function, *arguments, seconds=seconds)
    if not job.wait(_MOMENT):
        follow(name, doing=doing)
        return None
    if job.state == "cancelled":
        raise EngineError("You stopped this.")
    return job.outcome()


def result(name: str, key: Hashable, function: Callable[..., Result], *arguments: Any) -> Result:
    """The same for what a page cannot go on without: while it is computed, its run ends here."""
    found = outcome(name, key, function, *arguments)
    if found is None:
        st.stop()
    return found


def follow(name: str, draw: Callable[[Job], None] | None = None, doing: str = "") -> None:
    """Draws the job under that name until its end, and then the whole page again.

    ``draw`` draws it, by default as its progress and a button that ends it; ``doing`` then says
    what is being done, where the job does not say it by ``now["label"]``.
    """
    st.fragment(_follow, run_every=REFRESH)(name, draw, doing)


def _follow(name: str, draw: Callable[[Job], None] | None, doing: str) -> None:
    found = _begun().get(name)
    if found is None or found.job.ended:
        st.rerun()
    job = found.job
    if draw is not None:
        draw(job)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        seconds = time.monotonic() - found.since
        words = job.waits_for or job.now.get("label") or f"{seconds:.0f} s"
        st.progress(_share(job), f"{doing}: {words}" if doing else words)
        icon = ":material/stop_circle:"
        st.button("Stop", icon=icon, key=f"stop_{name}", on_click=job.cancel)


def _share(job: Job) -> float:
    """The share of a job that is done, as far as it reports ``now["done"]`` of ``now["total"]``."""
    total = job.now.get("total")
    return min(1.0, job.now["done"] / total) if total else 0.0


async def ended(job: Job) -> None:
    """Waits for the end of a job; cancels it where whoever waits is gone."""
    try:
        while not job.ended:
            await asyncio.sleep(0.05)
    finally:
        if not job.ended:
            job.cancel()


def show_end(error: EngineError) -> None:
    """Draws why there is no result, and a button to try again."""
    look.note(str(error), "warning")
    icon = ":material/refresh:"
    st.button("Try again", icon=icon, key="job_again", on_click=_forget_failed)


def _forget_failed() -> None:
    for name, found in tuple(_begun().items()):
        if found.job.state in ("failed", "cancelled"):
            forget(name)


def _begun() -> dict[str, _Begun]:
    return st.session_state.setdefault(_JOBS, {})

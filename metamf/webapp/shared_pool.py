"""The one pool of processes that all visitors of this server share, and who a visitor is to it."""

from __future__ import annotations

import os
from functools import cache
from threading import Lock
from typing import Any

from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from metamf.webapp.jobs.job import Job
from metamf.webapp.jobs.line import Line, PoolFullError
from metamf.webapp.jobs.pool import Pool
from metamf.webapp.monitoring import observing
from metamf.webapp.serving.places import PLACES, REDIS, number_of_places

REFRESH = 0.5  # seconds between two looks at a job that runs; chosen by hand
_making = Lock()


def pool() -> Pool:
    """The pool; made when the first visitor needs it, once, however many come at the same time."""
    with _making:
        return _pool_of_process()


@cache
def _pool_of_process() -> Pool:
    said = os.environ.get(PLACES, "")
    number = number_of_places(said)
    line = _line(os.environ.get(REDIS, ""), number) if said else None
    return SharedPool(number, present=present, told=_told, line=line)


def _line(redis: str, number: int) -> Line | None:
    """The line of all replicas, which share a number of places; None without Redis: the process's own."""
    if not redis:
        return None
    from metamf.webapp.jobs.replicas import Replicas  # a package that only replicas need

    return Replicas(redis, number)


def _told(job: Job, seconds: float) -> None:
    observing.ended(_short(job.task), job.state.value, job.why, seconds)


def _short(task: str) -> str:
    return task.removeprefix("metamf.webapp.")


class SharedPool(Pool):
    """A pool whose keeper hears of every job that has ended, and of those that were refused."""

    def submit(self, owner: str, task: str, arguments: dict[str, Any], seconds: float | None = None) -> str:
        try:
            return super().submit(owner, task, arguments, seconds)
        except PoolFullError:
            observing.refused("queue full", task=_short(task))
            raise

    def prepare(self, task: str) -> None:
        if Runtime.exists():  # nobody waits where no page is served
            super().prepare(task)


def visitor() -> str | None:
    """The owner of the jobs that this run of the script submits: its session. None outside of a run."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.session_id


def present(owner: str) -> bool:
    """Whether the session's browser is connected; a short interruption is forgiven by the pool."""
    return not Runtime.exists() or Runtime.instance().is_active_session(owner)

"""The one pool of processes that all visitors of this server share, and who a visitor is to it."""

from __future__ import annotations

import os
import time
from functools import cache
from threading import Lock
from typing import Any

from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from metamf.webapp.jobs.job import Job
from metamf.webapp.jobs.line import Line, PoolFullError
from metamf.webapp.jobs.pool import Pool
from metamf.webapp.monitoring import observing
from metamf.webapp.serving import memory, workers_memory
from metamf.webapp.serving.places import PLACES, REDIS, number_of_places

REFRESH = 0.5  # seconds between two looks at a job that runs
IMPORTING = 10.0  # seconds after which a new process has its imports, which take it about three
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
    """A pool whose keeper hears of every job that has ended, and of those that were refused.

    A job that would begin at once is refused where there is too little memory left for its process. One that has to
    wait is taken: it begins when another has given its memory back.
    """

    def __init__(self, *arguments: Any, **settings: Any):
        super().__init__(*arguments, **settings)
        self._begun: list[float] = []  # when the processes began that may take more of what is left

    def submit(self, owner: str, task: str, arguments: dict[str, Any], seconds: float | None = None) -> str:
        with self._lock:  # no two at the same time count on the same memory
            begins = self.busy()[0] < self.places
            if begins:
                self._ask_for_memory()
            try:
                id = super().submit(owner, task, arguments, seconds)
            except PoolFullError:
                observing.refused("queue full", task=_short(task))
                raise
            if begins:
                self._begun.append(time.monotonic())
            return id

    def prepare(self, task: str) -> None:
        with self._lock:
            # nobody waits where no page is served; and a process that only may be needed takes no memory from others
            if Runtime.exists() and (self._spare.waits or self._lacking() is None):
                super().prepare(task)

    def _ask_for_memory(self) -> None:
        """Asks for the memory of a process, where need be that of the one that waits; PoolFullError without it."""
        if self._lacking() is not None:
            self._spare.end()
        if (lacking := self._lacking()) is not None:
            needed, left = lacking
            observing.refused("memory short", needed=needed, left=left)
            raise PoolFullError("This server has too little memory left for a computation: try again later.")

    def _lacking(self) -> tuple[int, int] | None:
        """Bytes that one more process needs, and those that are left, where they are fewer; otherwise None."""
        now = time.monotonic()
        self._begun = [began for began in self._begun if now - began < IMPORTING]
        new = min(len(self._begun), self.busy()[0])  # that have not ended since
        needed = workers_memory.RESERVE + workers_memory.WORKER * (1 + new)
        left = memory.left()
        return (needed, left) if left is not None and left < needed else None


def visitor() -> str | None:
    """The owner of the jobs that this run of the script submits: its session. None outside of a run."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.session_id


def present(owner: str) -> bool:
    """Whether the session's browser is connected; a short interruption is forgiven by the pool."""
    return not Runtime.exists() or Runtime.instance().is_active_session(owner)

"""A worker process that waits for a job, with everything imported that the job will need."""

from __future__ import annotations

import time

from metamf.webapp.jobs.process import WorkerProcess


class Spare:
    """At most one process that has no job yet.

    Imports take a worker of Your table three seconds, which pass while a visitor looks for the file. Only the pool uses
    it, under its lock.

    Parameters
    ----------
    seconds : float
        Time for which a process waits; then it is ended, for the sake of its memory.
    """

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._process: WorkerProcess | None = None
        self._module, self._until = "", 0.0

    @property
    def waits(self) -> bool:
        """Whether there is one."""
        return self._process is not None

    def start(self, task: str) -> None:
        """Has a process wait for a job of ``task``; one that waits for another task is ended."""
        module = _module_of(task)
        if self._process is not None and (module != self._module or not self._process.alive):
            self.end()
        if self._process is None:
            try:
                self._process = WorkerProcess(imports=module)
            except (OSError, RuntimeError):  # no memory, no process numbers or threads left: the job will do without
                return
        self._module, self._until = module, time.monotonic() + self.seconds

    def take(self, task: str) -> WorkerProcess | None:
        """The process, if it waits for a job of ``task``; it belongs to the caller from then on."""
        if self._process is None or self._module != _module_of(task) or not self._process.alive:
            return None
        found, self._process = self._process, None
        return found

    def look(self, now: float) -> None:
        """Ends a process that has waited for too long; ``now`` is that of ``time.monotonic``."""
        if now >= self._until:
            self.end()

    def end(self) -> None:
        """Ends the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process = None


def _module_of(task: str) -> str:
    return task.partition(":")[0]

"""A second process for what takes a moment, as long as a class is here.

Python computes on one core at a time. With a class at work drawing pages takes most of that core, and the runs of
small matrices, some 30 milliseconds each, take the rest, while the other cores are idle. So they are computed in a
process beside the server: it is started when ``FEWEST`` visitors have been there for ``SETTLED`` seconds, since its
imports would take the time of those who just come, and ends when half of them have left. Until it is ready, and
without it, everything is computed here.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import TypeVar

from streamlit.runtime import Runtime

from metamf.webapp.jobs.ticking import every_now_and_then
from metamf.webapp.serving import memory, workers_memory
from metamf.webapp.serving.abreast import ABREAST
from metamf.webapp.serving.heavy_process import DiedError, HeavyProcess, OutOfTimeError

Result = TypeVar("Result")
FEWEST = 8  # visitors from whom on there is such a process
SECONDS = 20.0  # after which what takes a moment is computed here
SETTLED = 20.0  # seconds for which they are there before it is started
EVERY = 2.0  # seconds between two looks at their number
LATER = 60.0  # seconds until it is tried again where it could not be started
_MODULES = ("metamf.evaluate.comparison", "metamf.tables.reading.read")  # with torch and pandas


def visitors() -> int:
    """Number of sessions that are connected; 0 where no page is served."""
    sessions = getattr(Runtime.instance(), "_session_mgr", None) if Runtime.exists() else None
    return 0 if sessions is None else sessions.num_active_sessions()


class Aside:
    """The process, and the rule on when it is used; safe for threads.

    Attributes
    ----------
    crowded : bool
        Whether ``FEWEST`` visitors were here at the latest look.

    Parameters
    ----------
    visitors : callable
        The number of visitors.
    process : HeavyProcess, optional
        The process; by default one that is started with the server's own priority.
    """

    def __init__(self, visitors: Callable[[], int] = visitors, process: HeavyProcess | None = None):
        self.process = process or HeavyProcess(idle=None, niceness=0)
        self._visitors, self._not_before, self.crowded = visitors, 0.0, False
        self._since = math.inf  # when there were enough visitors first
        self._ready_as: int | None = None  # number of the process that has its imports

    def compute(self, function: Callable[..., Result], *arguments: object) -> Result:
        """The result of a function of a module, called in the process if that is ready, and otherwise here.

        Arguments, result and errors have to be objects that can be pickled.
        """
        if self.is_ready():
            with suppress(DiedError, OutOfTimeError), ABREAST.away():
                return self.process.call(function, *arguments, seconds=SECONDS)
        return function(*arguments)

    def is_ready(self) -> bool:
        """Whether the process is there, with its imports made."""
        pid = self.process.pid
        return pid is not None and pid == self._ready_as

    def begin(self) -> None:
        """Looks at the number of visitors from now on, as long as the server lives."""
        every_now_and_then(self.look, EVERY)

    def look(self) -> bool:
        """Starts the process where a class has come, and ends it where the class has left; always true."""
        number, now = self._visitors(), time.monotonic()
        self.crowded = number >= FEWEST
        self._since = min(self._since, now) if self.crowded else math.inf
        if number < FEWEST / 2 and self.process.pid is not None:
            self.process.end_when_free()
        elif now >= max(self._since + SETTLED, self._not_before) and not self.is_ready():
            self._not_before = now + LATER
            left = memory.left()
            if left is None or left >= workers_memory.WORKER + workers_memory.RESERVE:
                with suppress(DiedError, OutOfTimeError, MemoryError):
                    self._ready_as = self.process.call(_make_ready, seconds=SECONDS)
        return True


def _make_ready() -> int:
    """Imports what runs need and opens the bundled checkpoints, in the process; its number."""
    import os

    from metamf.checkpoints.bundled import list_pretrained, open_checkpoint
    from metamf.checkpoints.info import CheckpointError

    for module in _MODULES:
        import_module(module)
    for name in list_pretrained():
        with suppress(CheckpointError, OSError):  # a damaged one is said to the visitor who asks for it
            open_checkpoint(name)
    return os.getpid()


ASIDE = Aside()

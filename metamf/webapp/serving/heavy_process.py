"""The one process of a server that does heavy work of its pages, as the server holds it: started, called, killed.

Reading a table of a million ratings, or filling it in, takes seconds and some hundred megabytes. In a process of its
own it holds Python's lock from nobody, it can be ended at any moment, and its memory goes back to the system with it.
(Why it is started as a plain child process: ``metamf.webapp.jobs.process``.)
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

from metamf.webapp.serving import messages
from metamf.webapp.serving.heavy_worker import Call

WORKER = "metamf.webapp.serving.heavy_worker"
IDLE = 120  # seconds for which it waits for the next call, for which torch need not be imported again
NICENESS = 5  # clicks of visitors come before it, and it before the jobs of the pool
EVERY = 0.3  # seconds between two looks at the visitor who waits


class OutOfTimeError(Exception):
    """Raised for a call that took longer than it may."""


class DiedError(Exception):
    """Raised for a call whose process has ended before it, as where the system had no memory left for it."""


class HeavyProcess:
    """A process that carries out one call after the other; it is started for the first one.

    Parameters
    ----------
    idle : float or None
        Seconds without a call after which it is ended, for the sake of its memory; None: it is not.
    niceness : int
        How far it stands behind the server, which the system lets compute first.
    """

    def __init__(self, idle: float | None = IDLE, niceness: int = NICENESS):
        self._idle, self._niceness, self._calling = idle, niceness, threading.Lock()
        self._process: subprocess.Popen | None = None
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._called = 0  # number of calls so far
        self._timer: threading.Timer | None = None  # that ends the process; the one since the latest call

    @property
    def pid(self) -> int | None:
        """The number of the process; None where there is none."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        seconds: float,
        waiting: Callable[[float], None] = lambda seconds: None,
        progress: Callable[[float], None] | None = None,
        then: tuple[str, ...] = (),
    ) -> Any:
        """Has a function called in the process and returns its result; raises what it raises.

        Parameters
        ----------
        function : callable
            A function of a module, which can be found by its name.
        *arguments
            Objects that can be pickled, as the result has to be.
        seconds : float
            Its time limit.
        waiting : callable
            Called every now and then with the seconds that have passed. What it raises (the visitor has left, or wants
            something else) ends the call, and the process.
        progress : callable, optional
            Called with the share of the work that is done, 0 to 1, if the function has an argument of that name.
        then : tuple of str
            Modules that the process imports afterwards, while nobody waits, for the calls to come.

        Raises
        ------
        OutOfTimeError
            If it takes longer than ``seconds``; the process is ended.
        DiedError
            If the process ends before it has answered, or cannot be started, or there is no memory here for its answer.
        MemoryError
            If there is no memory left for it there, whoever says so.
        """
        call = Call(function, arguments, progress is not None, then)
        with self._calling:
            self._forget_timer()
            try:
                kind, value = self._call(call, seconds, waiting, progress)
            except BaseException:
                self.end()
                raise
            self._wait_for_next()
        if kind == "error":
            raise value
        return value

    def _call(self, call: Call, seconds: float, waiting: Callable, progress: Callable | None) -> tuple[str, Any]:
        """Kind and value of the last message on a call."""
        began = time.monotonic()
        try:
            if self.pid is None:
                self._start()
            messages.send(self._process.stdin, call)
        except (OSError, RuntimeError) as error:  # no memory, no process numbers or threads left; or it has ended
            raise DiedError from error
        while True:
            try:
                packed = self._answers.get(timeout=EVERY)
            except queue.Empty:
                passed = time.monotonic() - began
                if passed > seconds:
                    raise OutOfTimeError from None
                waiting(passed)
                continue
            if packed is None:
                raise DiedError
            kind, value = messages.unpacked_message(packed)
            if kind != "progress":
                return kind, value
            progress(value)

    def _start(self) -> None:
        self.end()
        paths = [os.path.abspath(path) for path in sys.path]  # "" is the folder that the server was started in
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", WORKER, str(self._niceness)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        )
        self._answers = queue.SimpleQueue()
        threading.Thread(target=_take_in, args=(self._process.stdout, self._answers), daemon=True).start()

    def _wait_for_next(self) -> None:
        self._called += 1
        if self._idle is None:
            return
        timer = threading.Timer(self._idle, self._end_idle, [self._called])
        timer.daemon = True
        with suppress(RuntimeError):  # no threads left: the process stays until the next call has ended
            timer.start()
            self._timer = timer

    def _forget_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_idle(self, called: int) -> None:
        """Ends it if there was no call since a given one."""
        if self._calling.acquire(blocking=False):
            try:
                if called == self._called:
                    self.end()
            finally:
                self._calling.release()

    def end_when_free(self) -> None:
        """Ends the process once nobody waits for a call that goes on."""
        with self._calling:
            self.end()

    def end(self) -> None:
        """Ends the process at once, if there is one, and waits until it has gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            with suppress(OSError):  # what nobody has read
                self._process.stdin.close()
            self._process = None


def _take_in(stream: BinaryIO, answers: queue.SimpleQueue) -> None:
    """Puts every message into a queue, and None after the last one."""
    with stream:
        try:
            while True:
                answers.put(messages.receive(stream))
        except (EOFError, MemoryError):  # the server has no memory left for an answer: what comes after it is lost, too
            answers.put(None)

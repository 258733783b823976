"""One worker process as the server holds it: started, told, read line by line, killed.

Why neither ``concurrent.futures`` nor ``multiprocessing``: a ``ProcessPoolExecutor`` cannot end a call that runs, hands
no progress on, and is broken as a whole by one worker that dies. ``multiprocessing.Process`` begins, where it spawns,
by running the main module again, which under ``streamlit run`` is the application with all that it imports, and its
pipes unpickle what the other side sends. A plain child process that runs ``worker.py`` imports what its task needs and
speaks JSON; its end of the pipe tells it that the server has gone, even one that was killed.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

WORKER = "metamf.webapp.jobs.worker"
LONGEST_MESSAGE = 4 * 2**20  # bytes of a line; a worker that says more is ended.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


class WorkerProcess:
    """A process that carries out one job, at once or from ``begin`` on.

    Parameters
    ----------
    folder : Path
        The job's own folder.
    job : dict
        Its task and arguments: the first line that the process reads. They may hold a visitor's table, so they are
        written to no file.
    imports : str
        Module that it imports before it reads that line.
    """

    def __init__(self, folder: Path | None = None, job: dict[str, Any] | None = None, *, imports: str = ""):
        paths = [os.path.abspath(path) for path in sys.path]  # "" is the folder that the server was started in
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", WORKER, *filter(None, [imports])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ONE_THREAD | {"PYTHONPATH": os.pathsep.join(paths)},
        )
        self._orders: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        if folder is not None and job is not None:
            self.begin(folder, job)
        try:
            threading.Thread(target=_send, args=(self._process.stdin, self._orders), daemon=True).start()
        except RuntimeError:  # no threads left
            self.kill()
            raise

    @property
    def alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def begin(self, folder: Path, job: dict[str, Any]) -> None:
        """Gives a job to a process that has none yet."""
        self.tell({"folder": str(folder)} | job)

    def tell(self, order: dict[str, Any]) -> None:
        """Sends an order, without waiting until it is read."""
        self._orders.put(order)

    def messages(self) -> Iterator[dict[str, Any]]:
        """The messages of the process, until it ends or says something that is not a message."""
        with self._process.stdout as stream:
            while line := stream.readline(LONGEST_MESSAGE):
                try:
                    yield json.loads(line)
                except ValueError:  # too long, or cut off by the end of the process
                    return

    def kill(self) -> None:
        """Ends the process at once, and waits until it has gone."""
        self._process.kill()
        self._process.wait()
        self._orders.put({})  # the last one, which ends the thread that sends


def _send(pipe: BinaryIO, orders: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Writes orders as they come, up to an empty one; one that nobody reads any more is lost with its reader."""
    with suppress(OSError, ValueError):  # the pipe is broken, which ``messages`` notices, too
        while order := orders.get():
            pipe.write(json.dumps(order).encode() + b"\n")
            pipe.flush()
    with suppress(OSError):
        pipe.close()

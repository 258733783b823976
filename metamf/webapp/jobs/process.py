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
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

WORKER = "metamf.webapp.jobs.worker"
LONGEST_MESSAGE = 4 * 2**20  # bytes of a line; a worker that says more is ended. Chosen by hand
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


class WorkerProcess:
    """A process that carries out one job.

    Parameters
    ----------
    folder : Path
        The job's own folder, with the file that says what to do.
    """

    def __init__(self, folder: Path):
        paths = [os.path.abspath(path) for path in sys.path]  # "" is the folder that the server was started in
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", WORKER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ONE_THREAD | {"PYTHONPATH": os.pathsep.join(paths)},
        )

    def tell(self, order: dict[str, Any]) -> None:
        """Sends an order; one that has died is not told anything, which ``messages`` notices."""
        with suppress(OSError, ValueError):  # its pipe is broken, or closed
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()

    def messages(self) -> Iterator[dict[str, Any]]:
        """What the process says, until it ends or says what is not a message."""
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
        with suppress(OSError):  # an order that was never read is lost with its reader
            self._process.stdin.close()

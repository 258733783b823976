"""The app on this machine, and the Chromium that visits it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from metamf.wording import MIB

REPOSITORY = Path(__file__).resolve().parents[1]
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


class Server(NamedTuple):
    """A server of the app: its address, the number of its process, and when that began (seconds, system's clock)."""

    address: str
    pid: int
    started: float


def free_port() -> int:
    """A port of this machine that nobody uses at the moment."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def served(folder: str, port: int | None = None) -> Iterator[Server]:
    """The app on ``port``, or on a free one, with ``folder`` as its folder of data sets, until the block ends.

    Raises
    ------
    RuntimeError
        if the server does not answer within 30 seconds.
    """
    port = free_port() if port is None else port
    options = ["--server.address", "127.0.0.1", "--server.port", str(port), "--server.headless", "true"]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *options, "--server.fileWatcherType", "none"]
    started = time.time()
    server = subprocess.Popen(
        command,
        cwd=REPOSITORY,
        env=os.environ | {"METAMF_DATA": folder},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_until_it_answers(f"http://127.0.0.1:{port}/_stcore/health")
        yield Server(f"http://127.0.0.1:{port}", server.pid, started)
    finally:
        server.terminate()
        server.wait(10)


def memory_of(pid: int) -> float:
    """The resident memory of a process, in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MIB


def memory_of_workers(pid: int) -> float:
    """The resident memory of all processes that a process has started, in MiB."""
    found = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            found += memory_of(int(stat.parent.name)) if parent == pid else 0
    return found


def _wait_until_it_answers(address: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(address, timeout=1).read()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"the server of the app does not answer at {address}")
